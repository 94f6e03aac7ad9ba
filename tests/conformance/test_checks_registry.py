"""Every registered check keeps the promises of the registry."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from review_app.core.checks import ALL, FAMILIES, Check, Context, run
from review_app.core.formats.glossary import terms_from_csv
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.money import money_rule
from review_app.core.locale.tokens import renamed_endings
from review_app.models import Finding, Segment

JA = Path(__file__).parents[2] / "data" / "locales" / "ja"
QUOTED = r'"(?:[^"\\]|\\.)*"'
EXAMPLE = re.compile(rf"^\s*(Flags|Passes): ({QUOTED}) -> ({QUOTED})$", re.MULTILINE)
CHECKS = [pytest.param(one, id=one.code) for one in ALL.values()]

HOSTILE = [
    "\x00",
    "{}",
    "{0} {x!r}",
    "%s",
    "|||",
    "# ",
    "```",
    "`",
    "**",
    "[](",
    "###",
    "$",
    "$,",
    "円",
    "¥",
    "万円",
    "1,",
    "\ud800",
    "\U0001f4f6²",
    "a" * 3000,
    "あ" * 3000,
    "_" * 500,
    "1-" * 500,
    "٣٤٥٦-٠١-٠٢",
    "０月０日",
    "99月99日",
    "9999999年1月1日",
    "0000-00-00",
    "#W",
    "####STOP##",
    "\n" * 500,
    "- " * 400,
    "\u202eabc",
    "<" * 400,
    "((" * 400,
    "'" * 400,
    "②時",
    "１２：３０",
]


def terms() -> list:
    return [
        term
        for name in ("glossary.csv", "airports.csv")
        for term in terms_from_csv((JA / name).read_text(encoding="utf-8"), name)
    ]


def context() -> Context:
    locale = (JA / "locale.toml").read_text(encoding="utf-8")
    return Context(
        Glossary(terms(), "ja"), money_rule(locale), "en", "ja", "airline", renamed_endings(locale)
    )


@pytest.fixture(scope="module")
def ctx() -> Context:
    return context()


def answers(one: Check, ctx: Context, source: str, target: str) -> list[Finding]:
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
    return run(segment, ctx, [one])


def examples(one: Check) -> list[tuple[str, str, str]]:
    return [
        (verb, ast.literal_eval(source), ast.literal_eval(target))
        for verb, source, target in EXAMPLE.findall(one.function.__doc__ or "")
    ]


@pytest.mark.parametrize("one", CHECKS)
def test_code_name_version_and_message_are_well_formed(one: Check) -> None:
    assert re.fullmatch(r"[A-Z]{3}\d{3}", one.code)
    assert ALL[one.code] is one
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", one.name)
    assert one.version >= 1
    assert one.message.strip(". ") == one.message


def test_families_are_the_modules_of_the_checks() -> None:
    modules = {one.function.__module__ for one in ALL.values()}
    assert modules == {family.__name__ for family in FAMILIES}
    letters = {(one.function.__module__, one.code[:3]) for one in ALL.values()}
    assert len(letters) == len(modules)


@pytest.mark.parametrize("one", CHECKS)
def test_docstring_examples_hold(one: Check, ctx: Context) -> None:
    assert {verb for verb, _, _ in examples(one)} == {"Flags", "Passes"}
    assert "Source: " in (one.function.__doc__ or "")
    for verb, source, target in examples(one):
        assert [one.code for one in answers(one, ctx, source, target)] == (
            [one.code] if verb == "Flags" else []
        ), (verb, source, target)


@pytest.mark.parametrize("one", CHECKS)
def test_passing_examples_pass_every_check(one: Check, ctx: Context) -> None:
    for verb, source, target in examples(one):
        if verb == "Passes":
            assert [answers(other, ctx, source, target) for other in ALL.values()] == [[]] * len(
                ALL
            )


@pytest.mark.parametrize("one", CHECKS)
def test_answers_do_not_depend_on_what_was_asked_before(one: Check, ctx: Context) -> None:
    for _, source, target in examples(one):
        fresh = answers(one, context(), source, target)
        assert answers(one, ctx, source, target) == answers(one, ctx, source, target) == fresh


@pytest.mark.parametrize("one", CHECKS)
def test_hostile_text_never_crashes_a_check_and_spans_stay_inside(one: Check, ctx: Context) -> None:
    for at, source in enumerate(HOSTILE):
        target = HOSTILE[(at * 7 + 3) % len(HOSTILE)]
        for text, other in ((source, target), (target, source), (source, source)):
            for finding in answers(one, ctx, text, other):
                assert finding.code == one.code, (finding.message, text[:30], other[:30])
                start, end = finding.span or (0, 0)
                assert 0 <= start <= end <= len(text if finding.in_source else other)
