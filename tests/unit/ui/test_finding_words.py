"""Findings in the reader's language: also the reasons inside them, and those kept before."""

from dataclasses import replace

import pytest

from review_app.core.translation.answer import NO_ANSWER, doubt
from review_app.store.review.findings import fingerprint
from review_app.ui.shared import i18n

GIVEN_UP = doubt(0, [NO_ANSWER, NO_ANSWER])
OLDER = replace(GIVEN_UP, values={"faults": "no answer; no answer"})


@pytest.fixture(autouse=True)
def japanese(monkeypatch):
    monkeypatch.setattr(i18n, "language", lambda: "ja")


def test_why_a_text_was_given_up_is_said_in_the_readers_language():
    assert GIVEN_UP.message == "no usable translation came back: no answer; no answer"
    assert i18n.finding_text(GIVEN_UP).endswith("：回答がありません；回答がありません")


def test_reasons_that_were_kept_as_sentences_are_shown_as_they_are():
    assert i18n.finding_text(OLDER).endswith("：no answer; no answer")


def test_what_was_dismissed_as_a_sentence_stays_dismissed():
    assert fingerprint(GIVEN_UP) == fingerprint(OLDER)
