"""When a text is approved, contested or stale."""

from __future__ import annotations

import pytest

from review_app.core.review.rules import (
    needed_approvals,
    review_state,
    segment_id,
    standing_answers,
    text_hash,
    waits_for,
)
from review_app.models import Decision

APPROVE, EDIT, REQUEST, SETTLE = "approve", "edit", "request_change", "adjudicate"


def decision(number, person, verdict, version=1, source="s", undoes=None):
    return Decision(
        number, "segment", person, verdict, version, source, "", (), "2026-01-01", undoes
    )


def standing(*decisions, version=1, source="s", counts_from=0):
    return standing_answers(decisions, version=version, source_hash=source, counts_from=counts_from)


@pytest.mark.parametrize(
    ("answers", "needed", "author", "state"),
    [
        pytest.param({}, 1, None, "draft", id="a machine draft nobody looked at"),
        pytest.param({}, 1, 7, "in_review", id="a person's text nobody looked at"),
        pytest.param({1: APPROVE}, 1, None, "approved", id="one approval of a draft"),
        pytest.param({1: EDIT}, 1, 1, "in_review", id="the author alone is not enough"),
        pytest.param({1: APPROVE}, 1, 1, "in_review", id="nor when the author approves"),
        pytest.param({1: EDIT, 2: APPROVE}, 1, 1, "approved", id="another reader of an edit"),
        pytest.param({1: APPROVE, 2: APPROVE}, 3, None, "in_review", id="two of three"),
        pytest.param({1: APPROVE, 2: APPROVE, 3: APPROVE}, 3, None, "approved", id="three"),
        pytest.param({1: EDIT, 2: APPROVE, 3: APPROVE}, 3, 1, "approved", id="author of three"),
        pytest.param({1: EDIT, 2: APPROVE}, 3, 1, "in_review", id="the author and one more"),
        pytest.param({1: REQUEST}, 1, None, "contested", id="refused where one is asked"),
        pytest.param({1: REQUEST}, 3, None, "in_review", id="refused by one of three"),
        pytest.param({1: REQUEST, 2: REQUEST}, 3, None, "in_review", id="by two of three"),
        pytest.param({1: REQUEST, 2: REQUEST, 3: REQUEST}, 3, None, "contested", id="by all"),
        pytest.param({1: REQUEST, 2: APPROVE}, 3, None, "contested", id="two disagree"),
        pytest.param({1: EDIT, 2: REQUEST}, 3, 1, "contested", id="an edit refused"),
        pytest.param(
            {1: APPROVE, 2: APPROVE, 3: APPROVE, 4: REQUEST},
            3,
            None,
            "contested",
            id="a refusal outweighs any number of approvals",
        ),
        pytest.param({1: REQUEST, 2: APPROVE, 9: SETTLE}, 3, None, "approved", id="settled"),
        pytest.param({1: REQUEST, 9: SETTLE}, 1, 9, "contested", id="settled by the author"),
        pytest.param({9: SETTLE}, 1, 9, "in_review", id="a maintainer's own new text"),
        pytest.param({9: SETTLE, 1: APPROVE}, 1, 9, "approved", id="with another reader"),
    ],
)
def test_state_follows_from_the_answers(answers, needed, author, state):
    assert review_state(answers, needed=needed, author=author) == state


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        ({}, "stale"),
        ({1: APPROVE}, "stale"),
        ({1: REQUEST, 2: APPROVE}, "contested"),
        ({1: APPROVE, 2: APPROVE, 3: APPROVE}, "approved"),
    ],
)
def test_a_text_to_be_looked_at_again_is_stale_until_enough_have_answered(answers, state):
    assert review_state(answers, needed=3, author=None, recheck=True) == state


def test_without_a_translation_there_is_nothing_to_approve():
    assert review_state({1: APPROVE}, needed=1, author=None, translated=False) == "untranslated"


def test_answers_count_for_the_version_and_source_they_name():
    answers = [decision(1, 1, APPROVE), decision(2, 2, APPROVE, version=2)]
    assert standing(*answers) == {1: APPROVE}
    assert standing(*answers, version=2) == {2: APPROVE}
    assert standing(*answers, source="other") == {}


def test_the_last_answer_of_a_person_counts():
    assert standing(decision(1, 1, APPROVE), decision(2, 1, REQUEST)) == {1: REQUEST}


def test_an_undone_answer_gives_way_to_the_one_before_it():
    answers = [decision(1, 1, APPROVE), decision(2, 1, REQUEST), decision(3, 1, "undo", undoes=2)]
    assert standing(*answers) == {1: APPROVE}
    assert standing(*answers, decision(4, 1, "undo", undoes=1)) == {}


def test_answers_set_aside_do_not_count_any_more():
    answers = [decision(1, 1, APPROVE), decision(2, 2, APPROVE), decision(3, 3, APPROVE)]
    assert standing(*answers, counts_from=2) == {3: APPROVE}


@pytest.mark.parametrize(
    ("state", "answers", "needed", "author", "waits"),
    [
        pytest.param("draft", {}, 1, None, True, id="a draft"),
        pytest.param("untranslated", {}, 1, None, True, id="no text yet"),
        pytest.param("in_review", {2: APPROVE}, 3, 2, True, id="others answered"),
        pytest.param("in_review", {1: APPROVE}, 3, None, False, id="answered"),
        pytest.param("in_review", {}, 1, 1, False, id="own text where another must approve"),
        pytest.param("in_review", {}, 3, 1, True, id="own text, set aside, of three readers"),
        pytest.param("approved", {}, 3, None, False, id="approved"),
        pytest.param("contested", {}, 3, None, False, id="contested: a maintainer's"),
        pytest.param("stale", {}, 1, None, True, id="stale"),
    ],
)
def test_who_is_asked_for_an_answer(state, answers, needed, author, waits):
    assert waits_for(state, 1, answers, needed=needed, author=author) is waits


@pytest.mark.parametrize(
    ("domain", "kind", "needed"),
    [
        ("airline", "policy", 3),
        ("telecom", "manual", 3),
        ("telecom", "workflow", 3),
        ("telecom", "tool", 3),
        ("airline", "tool", 1),
        ("airline", "task", 1),
        ("telecom", "task", 1),
        ("retail", "database", 1),
        ("airline", "message", 1),
    ],
)
def test_policies_manuals_and_telecom_tools_need_three_people(domain, kind, needed):
    assert needed_approvals(domain, kind) == needed


def test_ids_are_the_same_at_every_import_and_differ_by_domain_file_and_address():
    names = [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("ab", "", "c"), ("a", "bc", "")]
    assert len({segment_id(*name) for name in names}) == len(names)
    assert segment_id("airline", "policy.md", "policy.md#_/0") == "68f146557e63d287"


def test_a_hash_holds_texts_that_no_encoding_can():
    assert len({text_hash("\ud83d"), text_hash("\ude00"), text_hash("?")}) == 3
