"""Status words and option values are replaced where they stand as values, and nowhere else."""

from __future__ import annotations

import pytest
from localized_sample import ground, words

from review_app.core.locale.glossary import Glossary
from review_app.core.locale.grammar import Grammar, read_grammar
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.expected_amounts import Amounts
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.tasks import TaskLocalizer
from review_app.errors import BadInput
from review_app.models import Entity, Term
from review_app.workflows.localization import entities
from review_app.workflows.review import glossary

TERMS = tuple(glossary.terms_of("ja"))
OPTIONS = {"art": "アート", "animal": "動物", "blue": "ブルー", "battery": "電池", "half": "ハーフ"}
OPTION_ROWS = (
    Entity("option", "color=blue", "ブルー"),
    Entity("option", "switch type=clicky", "クリッキー"),
)


def mentions(domain: str, grammar: Grammar | None = None) -> Mentions:
    here = ground(domain, "ja")
    entity_map = EntityMap(OPTION_ROWS, here.locale)
    spoken = entities.grammar() if grammar is None else grammar
    return Mentions(entity_map, Glossary(TERMS, "ja"), domain, here.locale.money, spoken)


AIRLINE, RETAIL, TELECOM = map(mentions, ("airline", "retail", "telecom"))


@pytest.mark.parametrize(
    "text",
    [
        "If the agent says that the reservation cannot be cancelled, insist.",
        "The flight has taken off but not landed.",
        "Send 'YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.' to the user.",
        "transferred to a human agent",
        "the delayed flight",
        "The flight was delayed by the weather.",
        "The flight has been delayed.",
        "The agent cancelled the flight.",
        "It is a business flight",
        "a one-certificate-per-reservation policy",
        "The cabin is business-like.",
        "The cabin is business class.",
        "with business cabin",
    ],
)
def test_verbs_compounds_and_words_of_the_language_stay(text):
    assert AIRLINE.adapted(text) == text


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("reservation's cabin is business", "reservation's cabin is ビジネス"),
        ("The cabin is not business, but economy.",) * 2,
        ("He is not a Gold member but a Silver member.",) * 2,
        ("If the flight is delayed, wait.", "If the flight is delayed, wait."),
        ("Wait if the flight is delayed.", "Wait if the flight is 遅延."),
        ("Flight HAT045 is still delayed and the user", "Flight HAT045 is still 遅延 and the user"),
        ("You're pretty sure you're a Gold member.", "You're pretty sure you're a ゴールド会員."),
        ("The status is **on time** or 'landed'.", "The status is **定刻** or '着陸済'."),
        ("set `basic_economy`", "set `ベーシックエコノミー`"),
        ("cancelled", "キャンセル済"),
        ("Says she is Gold, she is Silver.", "Says she is ゴールド会員, she is シルバー会員."),
    ],
)
def test_what_stands_as_a_value_is_that_of_the_target(text, adapted):
    assert AIRLINE.adapted(text) == adapted


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("the order is pending", "the order is 保留中"),
        ('if #W1 and #W2 are "pending,"', 'if #W1 and #W2 are "保留中,"'),
        ("your pending order", "your pending order"),
        ("ensure that the order is delivered as soon as possible",) * 2,
        ("you want to change it to be delivered to Suite 641",) * 2,
        ("'保留中', 'pending (items modified)'", "'保留中', '保留中（アイテム変更済み）'"),
        ("Tell them the camera costs a lot.",) * 2,
        ("camera", "カメラ"),
    ],
)
def test_a_status_is_said_of_its_record(text, adapted):
    assert RETAIL.adapted(text) == adapted


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("you prefer animal than art theme if both are available",) * 2,
        ("prefer battery > USB > AC",) * 2,
        ("'battery life': '4 hours'",) * 2,
        ("a jacket with a half zipper",) * 2,
        ("you prefer blue.", "you prefer ブルー."),
        ("{'color': 'blue'}", "{'color': 'ブルー'}"),
        ("The color is blue, and you like it.", "The color is ブルー, and you like it."),
        ("blue", "ブルー"),
        ("a blue-green one to blue-green",) * 2,
    ],
)
def test_an_option_is_replaced_whole_or_not_at_all(text, adapted):
    assert RETAIL.adapted(text, values=OPTIONS) == adapted


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("Tablet Ultra",) * 2,
        ("device type (phone, tablet, router, watch, other)",) * 2,
        ("Tablet", "タブレット"),
        ("### Airplane Mode\n", "### 機内モード\n"),
        ("### Airplane Mode is on",) * 2,
        ('check_app_permissions(app_name="messaging")',) * 2,
        ("If the line is suspended:", "If the line is 利用停止:"),
        ("If SIM is ACTIVE and working:", "If SIM is アクティブ and working:"),
        ('Signal strength can be "poor".', 'Signal strength can be "弱い".'),
        ('Download speed can be "poor".', 'Download speed can be "遅い".'),
        ('"poor"', '"弱い"'),
    ],
)
def test_names_stay_and_a_value_is_that_of_the_record_named_last(text, adapted):
    assert TELECOM.adapted(text) == adapted


def test_words_that_are_compared_are_replaced_wherever_they_stand():
    judged = RETAIL.saying({"camera": "カメラ"})
    assert judged.adapted("Say that the Camera costs a lot.") == "Say that the カメラ costs a lot."
    assert judged.adapted("cameraman") == "cameraman"


def test_assertions_have_the_words_that_must_be_said():
    here = words(*OPTION_ROWS, domain="retail", terms=TERMS)
    tasks = TaskLocalizer(here.localizer, mentions("retail"))
    criteria = {
        "communicate_info": ["camera", "5"],
        "nl_assertions": ["The camera is named 5 times."],
    }
    source = {"id": "1", "user_scenario": "A camera bag.", "evaluation_criteria": criteria}
    made = tasks.task(source, Amounts()).task
    assert made["evaluation_criteria"]["nl_assertions"] == ["The カメラ is named 5 times."]
    assert made["user_scenario"] == "A camera bag."


def test_a_term_without_category_is_a_projects_own_word():
    here = ground("airline", "ja")
    glossary_ = Glossary([Term("sister", "姉", domain="airline")], "ja")
    own = Mentions(EntityMap([], here.locale), glossary_, "airline", None, entities.grammar())
    assert own.adapted("Your sister waits.") == "Your 姉 waits."


def test_without_a_grammar_every_word_counts():
    here = ground("airline", "ja")
    every = Mentions(EntityMap([], here.locale), Glossary(TERMS, "ja"), "airline", None)
    assert every.adapted("a delayed flight") == "a 遅延 flight"


def test_a_language_of_which_nothing_is_said_has_values_in_quotes_only():
    silent = mentions("airline", Grammar())
    assert silent.adapted("The cabin is business or 'business'.") == (
        "The cabin is business or 'ビジネス'."
    )
    assert read_grammar({}).subjects == {} and read_grammar({}).gender("Mia") is None


@pytest.mark.parametrize("text", ["values = 1", "values.copulas = 1", 'values.copulas = [""]'])
def test_a_broken_grammar_says_where(text):
    with pytest.raises(BadInput, match=r"grammar\.toml"):
        read_grammar({"grammar.toml": text})
