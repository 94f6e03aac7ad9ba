"""What no text may do to the checks, and what no alteration may hide from them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from review_app.core.checks import Context, run
from review_app.core.formats.glossary import terms_from_csv
from review_app.core.locale.amounts import amounts_in
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.money import convert, money_rule
from review_app.models import Segment

JA = Path(__file__).parents[2] / "data" / "locales" / "ja"
few = settings(max_examples=60, deadline=None)

IDENTIFIERS = st.one_of(
    st.from_regex(r"#W[0-9]{7}", fullmatch=True),
    st.from_regex(r"[A-Z][0-9][A-Z0-9]{4}", fullmatch=True),
    st.from_regex(r"HAT[0-9]{3}", fullmatch=True),
    st.from_regex(r"[0-9]{10}", fullmatch=True),
    st.from_regex(r"(credit_card|gift_card|paypal)_[0-9]{7}", fullmatch=True),
    st.sampled_from(["transfer_to_human_agents", "###STOP###", "{user_id}", "4g_5g_preferred"]),
)
WORDS = st.lists(
    st.sampled_from(["please", "ask", "them", "whether", "they", "would", "like", "seats"]),
    min_size=3,
    max_size=12,
)


@pytest.fixture(scope="module")
def ctx() -> Context:
    terms = []
    for name in ("glossary.csv", "airports.csv"):
        terms += terms_from_csv((JA / name).read_text(encoding="utf-8"), name)
    rule = money_rule((JA / "locale.toml").read_text(encoding="utf-8"))
    return Context(Glossary(terms, "ja"), rule, "en", "ja", "airline")


def codes(ctx: Context, source: str, target: str) -> set[str]:
    segment = Segment(
        "0" * 16,
        ctx.domain,
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
    return {finding.code for finding in run(segment, ctx)}


@few
@given(source=st.text(max_size=200), target=st.text(max_size=200))
@example(source="\ud83d $1", target="\ude00円")
def test_checks_never_crash(ctx: Context, source: str, target: str) -> None:
    assert "CHK000" not in codes(ctx, source, target)


@few
@given(token=IDENTIFIERS, data=st.data())
def test_altering_one_character_of_an_identifier_is_found(
    ctx: Context, token: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABCXYZabcxyz0123456789"))
    assume(token[at] != other)
    altered = token[:at] + other + token[at + 1 :]
    reported = codes(ctx, f"Look at {token} first", f"まず{altered}を見る")
    assert reported & {"TOK001", "TOK002"}


@few
@given(token=IDENTIFIERS, data=st.data())
def test_dropping_one_character_of_an_identifier_is_found(
    ctx: Context, token: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(token) - 1))
    altered = token[:at] + token[at + 1 :]
    reported = codes(ctx, f"Look at {token} first", f"まず{altered}を見る")
    assert reported & {"TOK001", "TOK002"}


@few
@given(tokens=st.lists(IDENTIFIERS, min_size=1, max_size=4, unique=True))
def test_kept_identifiers_pass_in_any_order(ctx: Context, tokens: list[str]) -> None:
    source = "Look at " + ", ".join(tokens)
    target = "、".join(reversed(tokens)) + "を見る"
    assert not {code for code in codes(ctx, source, target) if code.startswith("TOK")}


@few
@given(words=WORDS)
def test_translating_nothing_is_found(ctx: Context, words: list[str]) -> None:
    text = " ".join(words)
    assert "UNT001" in codes(ctx, text, text)


@few
@given(cents=st.integers(1, 10**8), off=st.integers(-50, 50))
def test_only_the_converted_amount_passes(ctx: Context, cents: int, off: int) -> None:
    assert ctx.money is not None
    dollars = Decimal(cents) / 100
    yen = convert(dollars, ctx.money.rate) + off
    assume(yen >= 0)
    reported = codes(ctx, f"It costs ${dollars:,.2f}", f"{yen:,}円です")
    assert bool(reported & {"AMT001", "AMT002"}) is (off != 0)


@few
@given(cents=st.integers(-(10**9), 10**9))
def test_conversion_is_the_nearest_yen_and_mirrors_its_sign(cents: int) -> None:
    dollars = Decimal(cents) / 100
    yen = convert(dollars, Decimal(150))
    assert abs(yen - dollars * 150) <= Decimal("0.5")
    assert convert(-dollars, Decimal(150)) == -yen


@few
@given(yen=st.integers(0, 10**9))
def test_amounts_in_words_have_the_same_value(ctx: Context, yen: int) -> None:
    assert ctx.money is not None
    high, low = divmod(yen, 10_000)
    spelled = (f"{high}万" if high else "") + (f"{low:,}" if low or not high else "") + "円"
    assert [int(amount.value) for amount in amounts_in(spelled, ctx.money.target)] == [yen]
