"""What the text checks find, and what they let pass."""

from __future__ import annotations

import json
from pathlib import Path
from string import Formatter

import pytest

from review_app.core.checks import ALL, CRASHED, RULESET, Check, CheckFault, Context, check, run
from review_app.core.formats.glossary import terms_from_csv
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.money import money_rule
from review_app.core.locale.tokens import protected_tokens, renamed_endings, same_token
from review_app.core.proof import leftovers
from review_app.core.translation.answer import DOUBTS
from review_app.errors import BadInput
from review_app.models import Finding, Segment

ROOT = Path(__file__).parents[4]
JA = ROOT / "data" / "locales" / "ja"


@pytest.fixture(scope="module")
def ctx() -> Context:
    terms = []
    for name in ("glossary.csv", "airports.csv"):
        terms += terms_from_csv((JA / name).read_text(encoding="utf-8"), name)
    locale = (JA / "locale.toml").read_text(encoding="utf-8")
    return Context(
        Glossary(terms, "ja"), money_rule(locale), "en", "ja", "airline", renamed_endings(locale)
    )


def segment(source: str, target: str | None) -> Segment:
    return Segment(
        "0" * 16,
        "airline",
        "policy.md",
        "policy.md#1",
        "policy",
        "",
        0,
        source,
        "",
        target,
        1,
        "draft",
        3,
        0,
    )


def findings(ctx: Context, source: str, target: str) -> dict[str, Finding]:
    return {finding.code: finding for finding in run(segment(source, target), ctx)}


def codes(ctx: Context, source: str, target: str) -> set[str]:
    return set(findings(ctx, source, target))


def test_a_segment_without_translation_has_no_findings(ctx: Context) -> None:
    assert run(segment("Cancel #W1234567", None), ctx) == []


def test_a_crash_becomes_a_finding_and_the_other_checks_run(ctx: Context) -> None:
    def broken(segment: Segment, ctx: Context):
        raise KeyError("x")
        yield

    checks = [Check("XXX001", "broken", "error", "", 1, broken), ALL["TOK001"]]
    reported = run(segment("Cancel #W1234567", "キャンセル"), ctx, checks)
    assert [finding.code for finding in reported] == ["CHK000", "TOK001"]
    assert "XXX001" in reported[0].message and "KeyError" in reported[0].message


def test_a_message_that_lacks_a_value_counts_as_a_crash(ctx: Context) -> None:
    def careless(segment: Segment, ctx: Context):
        yield CheckFault(found="1")

    reported = run(
        segment("a", "b"), ctx, [Check("XXX002", "careless", "info", "{lost}", 1, careless)]
    )
    assert [finding.code for finding in reported] == ["CHK000"]


def test_a_code_is_registered_once() -> None:
    with pytest.raises(ValueError, match="TOK001"):
        check("TOK001", "error", "")(lambda segment, ctx: iter(()))


def test_the_ruleset_has_a_short_name() -> None:
    assert len(RULESET) == 12


def test_values_may_hold_braces(ctx: Context) -> None:
    assert "{user_id}" in findings(ctx, "Hello {user_id}", "こんにちは")["TOK001"].message


@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param("on 2024-05-15", "2024年5月15日に", id="date in kanji"),
        pytest.param("on 2024-05-15", "5月15日に", id="date without its year"),
        pytest.param("on May 22nd", "5月22日に", id="date in words"),
        pytest.param("at 3pm, after 11:30 am", "午後3時、11時半以降", id="times"),
        pytest.param("mei_brown_7075", "kaori_kato_7075", id="user id with its number"),
        pytest.param("mail a@b.com, call 555-123-2002", "電話またはメール", id="contact data"),
        pytest.param("departure_time_est", "departure_time_jst", id="renamed field"),
        pytest.param("pay by credit_card", "クレジットカードで支払う", id="glossary value"),
        pytest.param("#W1234567 and #W1234567", "#W1234567", id="said once"),
        pytest.param("call get_user_details", "`get_user_details()`を呼ぶ", id="tool name"),
        pytest.param("You should NEVER CANCEL or REFUND", "決してキャンセルしない", id="capitals"),
    ],
)
def test_kept_and_rightly_localized_tokens_pass(ctx: Context, source: str, target: str) -> None:
    assert {code for code in codes(ctx, source, target) if code.startswith("TOK")} == set()


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        pytest.param("on 2024-05-15", "5月16日に", "TOK002", id="another day"),
        pytest.param("on 2024-05-15", "後日", "TOK001", id="no day"),
        pytest.param("at 3pm", "午前3時", "TOK002", id="another half of the day"),
        pytest.param("#W1234567", "#W12345678", "TOK002", id="one digit more"),
        pytest.param("#W1234567", "＃Ｗ１２３４５６７", "TOK002", id="full-width letters"),
        pytest.param("mei_brown_7075", "kaori_kato_7076", "TOK001", id="another user number"),
        pytest.param(
            "pay by gift_card_8190333", "ギフトカード_8190333", "TOK001", id="translated id"
        ),
        pytest.param(
            "cancel reservation IFOYYZ", "予約をキャンセル", "TOK001", id="code of letters"
        ),
        pytest.param("say ###STOP###", "###止まれ###", "TOK001", id="control token"),
        pytest.param("call make_payment", "makePaymentを呼ぶ", "TOK002", id="renamed tool"),
        pytest.param("cancel it", "2024-05-15にキャンセル", "TOK003", id="invented date"),
    ],
)
def test_lost_altered_and_invented_tokens_are_found(
    ctx: Context, source: str, target: str, code: str
) -> None:
    assert code in codes(ctx, source, target)


def test_an_altered_token_is_located_and_neither_lost_nor_added(ctx: Context) -> None:
    by_code = findings(ctx, "Cancel EHGLP3", "EHGLP8をキャンセル")
    assert set(by_code) == {"TOK002"}
    assert by_code["TOK002"].span == (0, 6)


def test_a_lost_token_is_located_in_the_source(ctx: Context) -> None:
    finding = findings(ctx, "Take HAT045 now", "乗る")["TOK001"]
    assert (finding.span, finding.in_source) == ((5, 11), True)


def test_tokens_are_typed_and_ordered() -> None:
    kinds = [token.kind for token in protected_tokens("#W1234567 a@b.co HAT001 3RK2T9 C1001")]
    assert kinds == ["order", "email", "flight", "reservation", "record"]


def test_noon_and_midnight_have_two_spellings() -> None:
    [noon], [midnight] = protected_tokens("12pm"), protected_tokens("12 am")
    assert same_token(noon, protected_tokens("12:00")[0])
    assert same_token(midnight, protected_tokens("0時")[0])


def test_endings_must_be_texts() -> None:
    with pytest.raises(BadInput, match="identifiers.endings"):
        renamed_endings("[identifiers.endings]\n_est = 1")


@pytest.mark.parametrize(
    ("target", "code"),
    [("片道です", None), ("「片道」です", None), ("片道切符", None), ("一方通行です", "TRM003")],
)
def test_values_are_wanted_as_the_tool_spells_them(
    ctx: Context, target: str, code: str | None
) -> None:
    assert codes(ctx, "It is `one_way`", target) - {"MKD002"} == ({code} if code else set())


def test_a_missing_term_names_every_right_target(ctx: Context) -> None:
    finding = findings(ctx, "to New York", "大阪へ")["TRM001"]
    assert finding.values == {"source": "New York", "target": "羽田"}
    assert (finding.span, finding.in_source) == ((3, 11), True)


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        pytest.param("## A", "# あ", {"heading 1", "heading 2"}, id="heading level"),
        pytest.param(
            "- a\n  - b", "- あ\n- い", {"list item depth 1", "list item depth 2"}, id="depth"
        ),
        pytest.param("- a\n  - b", "* あ\n    * い", set(), id="same depth, other marks"),
        pytest.param(
            "|a|b|", "|あ|", {"table row of 1 columns", "table row of 2 columns"}, id="table"
        ),
        pytest.param("```\n# a\n```", "# あ", {"fence", "heading 1"}, id="fence"),
        pytest.param("[a](b)", "あ", {"link"}, id="link"),
        pytest.param("a\u2028# b", "あ\u2028- い", set(), id="no line ends at U+2028"),
        pytest.param("a\f# b", "あ\x85# い", set(), id="nor at a form feed or U+0085"),
        pytest.param("# a\r- b", "# あ\n- い", set(), id="a carriage return is a line end"),
        pytest.param("a\n---", "あ", {"heading 2"}, id="underlined heading"),
        pytest.param("`[a](b)`", "`あ`", set(), id="a link in code is none"),
        pytest.param("~~~\n- a", "```\n- あ\n```", set(), id="a fence is one, closed or not"),
        pytest.param("|a|b|\n|-|-|\n|c|d|", "|あ|い|\n|-|-|\n|う|え|", set(), id="same table"),
        pytest.param("> - a\n>   - b", "> - あ\n>   - い", set(), id="a list in a quotation"),
    ],
)
def test_structure_is_compared(ctx: Context, source: str, target: str, wanted: set[str]) -> None:
    reported = [
        finding for finding in run(segment(source, target), ctx) if finding.code == "MKD001"
    ]
    assert {finding.values["element"] for finding in reported} == wanted


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        pytest.param("**Only** `a`", "1つ", {"bold", "code"}, id="lost"),
        pytest.param("**Fees (USD)** apply", "**料金（米ドル）**がかかる", set(), id="no space"),
        pytest.param("`**a**` b", "`**a**`い", set(), id="asterisks in code"),
        pytest.param("``a`b``", "``a`b``", set(), id="a backtick in code"),
        pytest.param("```\n**a**\n```", "```\nあ\n```", set(), id="asterisks in a fence"),
    ],
)
def test_inline_markup_is_compared(
    ctx: Context, source: str, target: str, wanted: set[str]
) -> None:
    reported = [
        finding for finding in run(segment(source, target), ctx) if finding.code == "MKD002"
    ]
    assert {finding.values["element"] for finding in reported} == wanted


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        pytest.param("It is $50.", "7,500円です", None, id="right"),
        pytest.param("It is $50.", "7千5百円です", None, id="right in words"),
        pytest.param("It is $50.", "50ドルです", "AMT001", id="kept"),
        pytest.param("It is $50.", "50円です", "AMT001", id="currency only"),
        pytest.param("It is $50.", "無料です", "AMT001", id="gone"),
        pytest.param("It is $50.", "7,000円です", "AMT002", id="wrong"),
        pytest.param("It is $153.23.", "22,985円です", "AMT002", id="tie upwards"),
        pytest.param("$50 and $100", "7,500円と15,000円", None, id="two"),
        pytest.param("It is 50.", "50です", None, id="no currency"),
    ],
)
def test_amounts_are_compared(ctx: Context, source: str, target: str, code: str | None) -> None:
    assert codes(ctx, source, target) == ({code} if code else set())


def test_a_wrong_amount_is_located_and_the_right_one_named(ctx: Context) -> None:
    finding = findings(ctx, "$100 or $50", "15,000円または7,000円")["AMT002"]
    assert finding.span == (10, 16)
    assert finding.values == {"amount": "$50", "found": "7,000円", "expected": "7,500 JPY"}


def test_without_a_money_rule_amounts_are_free(ctx: Context) -> None:
    plain = Context(ctx.glossary, None, "en", "ja", "airline")
    assert run(segment("It is $50.", "無料です"), plain) == []


@pytest.mark.parametrize(
    ("source", "target", "is_found"),
    [
        pytest.param("Ask them for an email", "Ask them for an email", True, id="same"),
        pytest.param("Ask them for an email", "Please ask for mail", True, id="other words"),
        pytest.param(
            "Ask for it. Then wait until the very end of it.",
            "それを尋ねてください。それからさらに待ちます。Then wait until the very end of it.",
            True,
            id="a sentence left",
        ),
        pytest.param(
            "Use PayPal or Wi-Fi today", "今日はPayPalまたはWi-Fiを使う", False, id="names"
        ),
        pytest.param("get_user_details", "get_user_details", False, id="identifier"),
        pytest.param("Mei Brown", "Mei Brown", False, id="two words"),
        pytest.param(
            "Say `please hold the line`", "`please hold the line`と言う", False, id="code"
        ),
    ],
)
def test_text_left_in_english_is_found(
    ctx: Context, source: str, target: str, is_found: bool
) -> None:
    assert ("UNT001" in codes(ctx, source, target)) is is_found


def test_between_latin_scripts_only_equal_text_is_a_remainder(ctx: Context) -> None:
    vietnamese = Context(Glossary([], "vi"), None, "en", "vi", "airline")
    assert run(segment("Ask them for it", "Hỏi họ về nó đi"), vietnamese) == []
    assert [finding.code for finding in run(segment("Ask for it", "Ask for it"), vietnamese)] == [
        "UNT001"
    ]


PROVED = {
    "LOC001": "{expected} {found}",
    "LOC002": "{expected} {found} {kind}",
    "LOC003": "{value}",
    "LOC004": "{sources} {target}",
    "LOC005": "{field} {value}",
    "LOC006": "{kind} {value}",
    "LOC007": "{expected} {found}",
    "LOC008": "{value}",
    "LOC009": "{found} {kind}",
    "LOC010": "{found}",
    "LOC011": "{amount} {expected} {found} {how}",
    "LOC012": "{source} {target}",
}
"""The values of what the proof of a localization finds; its messages are made where it does."""


def test_japanese_wording_exists_for_every_code_with_the_same_values() -> None:
    path = ROOT / "review_app" / "ui" / "shared" / "words" / "ja" / "findings.json"
    wording = json.loads(path.read_text(encoding="utf-8"))

    def fields(text: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    messages = (
        {"CHK000": CRASHED}
        | {registered.code: registered.message for registered in ALL.values()}
        | DOUBTS
    )
    assert PROVED.keys() == leftovers.RULES.keys()
    messages |= PROVED
    assert {code: fields(text) for code, text in wording.items()} == {
        code: fields(text) for code, text in messages.items()
    }
