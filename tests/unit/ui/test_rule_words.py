"""Every registered rule speaks both languages."""

from __future__ import annotations

from string import Formatter

import pytest

from review_app.core.validity import ALL, CRASHED, RuleViolation
from review_app.notices import Notice
from review_app.ui.shared import i18n, rule_words

JA = i18n.catalogue("ja", "rules")


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.fixture
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (rule_words, i18n):
        monkeypatch.setattr(module, "language", lambda: "ja")


@pytest.mark.parametrize("code", [pytest.param(code, id=code) for code in ALL])
def test_a_rule_has_a_japanese_name_and_a_message_with_the_same_values(code: str) -> None:
    assert JA[f"name.{code}"]
    assert fields(JA[code]) == fields(ALL[code].message)


def test_the_catalogue_has_no_words_for_rules_that_do_not_exist() -> None:
    codes = {key.removeprefix("name.") for key in JA}
    assert codes == {*ALL, CRASHED}


def test_a_notice_among_the_values_is_said_in_japanese_around_what_it_names(japanese: None) -> None:
    problem = Notice("rule.takes_no", "takes no argument {name}", name="'x'")
    values = {"tool": "think", "problem": problem}
    violation = RuleViolation("GOLD-03", "unknown_argument", "error", "1", "", "…", values)
    assert rule_words.message(violation) == (
        "think の引数が正しくありません：'x' という引数はありません"
    )


def test_values_of_an_older_rule_fall_back_to_its_english_message(japanese: None) -> None:
    violation = RuleViolation(
        "GOLD-01", "gold_write_refused", "error", "1", "", "it was refused", {}
    )
    assert rule_words.message(violation) == "it was refused"
