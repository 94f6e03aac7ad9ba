"""Locale packs: parsed, laid over one another, broken ones named."""

import pytest

from review_app.core.locale.pack import parse_pack
from review_app.errors import BadInput

BASE = """
[pack]
locale = "en"
domain = "airline"
escape = true
[words.cabin]
business = "business"
economy = "economy"
[messages]
lost = "{thing} of {owner} lost, {thing}!"
[amounts]
fee = 50
[keys]
time_est = "time_est"
[places]
SFO = "San Francisco"
"""


@pytest.fixture
def base():
    return parse_pack({"en.toml": BASE})


def test_a_pack_answers_with_its_values(base):
    assert base.word("cabin", "business") == "business"
    assert base.values("cabin") == ("business", "economy")
    assert base.message("lost", thing="bag", owner=None) == "bag of None lost, bag!"
    assert base.message("lost", thing="{owner}") == "{owner} of {owner} lost, {owner}!"
    assert (base.amount("fee"), base.key("time_est"), base.key("other")) == (
        50,
        "time_est",
        "other",
    )
    assert (base.domain, base.locale, base.escape) == ("airline", "en", True)


def test_a_placeholder_reaches_no_attribute(base):
    pack = parse_pack({"x.toml": '[messages]\nlost = "{thing.__class__} {0}"'}, base)
    assert pack.message("lost", thing="x") == "{thing.__class__} {0}"


def test_another_locale_states_only_what_differs(base):
    head = '[pack]\nlocale = "ja"\nescape = false\n'
    text = f'{head}[words.cabin]\nbusiness = "ビジネス"\n[amounts]\nfee = 7500'
    pack = parse_pack({"ja.toml": text}, base)
    assert pack.values("cabin") == ("ビジネス", "economy")
    assert (pack.amount("fee"), pack.escape, pack.domain) == (7500, False, "airline")
    assert pack.message("lost") == base.message("lost")


def test_a_pack_may_come_in_several_texts():
    first, _, second = BASE.partition("[messages]")
    assert parse_pack({"a": first, "b": f"[messages]{second}"}) == parse_pack({"c": BASE})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("words", "not TOML"),
        ("[word]", "unknown section"),
        ("words = 1", "must be a table"),
        ('[words.cabn]\nbusiness = "b"', "no such field"),
        ('[words.cabin]\nfirst = "b"', "no such name"),
        ('[words.cabin]\nbusiness = "economy"', "same value"),
        ("[messages]\nlost = 1", "wrong type"),
        ("[amounts]\nfee = true", "amounts.fee: True has the wrong type"),
        ('[amounts]\nfee = "1"', "wrong type"),
    ],
)
def test_a_broken_pack_is_named(base, text, problem):
    with pytest.raises(BadInput, match=problem):
        parse_pack({"ja.toml": text}, base)


def test_a_name_stated_twice_is_refused(base):
    with pytest.raises(BadInput, match="stated twice"):
        parse_pack({"a": "[amounts]\nfee = 1", "b": "[amounts]\nfee = 1"}, base)
