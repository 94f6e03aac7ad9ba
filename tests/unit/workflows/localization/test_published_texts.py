"""Texts of a localized and a published task agree in what they state, not in how they write it."""

from __future__ import annotations

import pytest
from rule_cases import money

from review_app.workflows.localization.published_texts import differences


def told(text):
    return {"user_scenario": {"instructions": {"known_info": text}}}


@pytest.mark.parametrize(
    ("ours", "published", "unlike"),
    [
        ("15,000円です。", "1万5千円です。", None),
        ("225,000,000円", "２億２，５００万円", None),
        ("5月3日に2個", "05月03日に２個", None),
        ("15,000円です。", "1万6千円です。", (["15000"], ["16000"])),
        ("2個で15,000円", "15,000円", (["2"], [])),
    ],
)
def test_amounts_are_compared_by_value_in_any_spelling(ours, published, unlike):
    listed = list(differences(told(ours), told(published), [], money().target))
    place = "user_scenario/instructions/known_info"
    assert listed == ([] if unlike is None else [(place, *unlike)])
