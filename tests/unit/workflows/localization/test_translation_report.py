"""What a translation did, in words: what it cost, how long it takes, why texts are left."""

from __future__ import annotations

from typing import get_args

import pytest

from review_app.llm import ErrorKind
from review_app.records.project import Spent
from review_app.ui.shared.i18n import TONGUES
from review_app.workflows.localization.translation_report import (
    TranslationReport,
    duration,
    progress_note,
    spending,
    summary,
)

TOKENS = {"tokens_in": 1200, "tokens_out": 34}


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (Spent(), "0 tokens in, 0 out"),
        (Spent(**TOKENS, unpriced=2), "1,200 tokens in, 34 out, unpriced"),
        (Spent(**TOKENS, cost_usd=0.5), "1,200 tokens in, 34 out, 0.5000 USD"),
        (
            Spent(**TOKENS, cost_usd=0.5, unpriced=2),
            "1,200 tokens in, 34 out, 0.5000 USD and 2 calls unpriced",
        ),
    ],
    ids=["nothing", "no price", "a price", "a price for some"],
)
def test_what_has_no_price_is_not_free(spent, words):
    assert str(spending(spent)) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(89, "89 s"), (90, "2 min"), (5340, "89 min"), (7500, "2 h 5 min")]
)
def test_a_length_of_time_is_as_exact_as_people_need(seconds, words):
    assert str(duration(seconds)) == words


def test_the_time_left_is_said_once_it_is_known():
    assert str(progress_note(Spent(), None)) == "texts, 0 tokens in, 0 out"
    assert str(progress_note(Spent(), 30)) == "texts, 0 tokens in, 0 out, 30 s left"


def test_the_summary_names_what_there_is():
    assert (
        str(summary(TranslationReport(3, calls=1))) == "0 translated, 1 calls, 0 tokens in, 0 out"
    )
    report = TranslationReport(9, translated=4, flagged=2, missing=1, skipped=1, calls=5)
    report.leave("not asked", 1)
    report.leave("server", 0)
    assert str(summary(report)) == (
        "4 translated, 2 drafts flagged, 1 without a usable answer, 1 skipped, 1 left (not asked), "
        "5 calls, 0 tokens in, 0 out"
    )


@pytest.mark.parametrize("kind", get_args(ErrorKind))
def test_why_texts_are_left_is_said_in_the_readers_language(kind):
    report = TranslationReport(8)
    report.leave(kind, 8)
    assert f"8 left ({kind})" in str(summary(report))
    assert kind not in summary(report).sentence(TONGUES["ja"])
