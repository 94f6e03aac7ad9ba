"""The glossary: edits and what they send back to review, files in and out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tiny_benchmark import dump

from review_app.errors import BadInput, NotAllowed, NotFound, ReviewError
from review_app.models import Term
from review_app.workflows.review import answers, card, glossary, import_domain

RULE = "policy.md#refunds/1"
WINDOW = "tasks.json#1/user_scenario/instructions/reason_for_call"
SEAT = Term("window seat", "窓側の席")


def approve_all(store, crew):
    for segment in list(store.segments.all()):
        for person in (crew.a, crew.b, crew.c)[: segment.needed]:
            answers.answer(
                store, segment.id, person, verdict="approve", expected_version=segment.version
            )


def term(store, source):
    return next(one for one in store.terms.all() if one.source == source)


def states(store):
    return {segment.address: segment.state for segment in store.segments.all()}


def test_a_term_edit_sends_back_exactly_the_approved_texts_that_miss_it(imported, crew):
    glossary.save_term(imported, crew.m, None, SEAT)
    approve_all(imported, crew)
    before = states(imported)
    old = term(imported, "window seat")
    planned = glossary.preview(imported, old, replace(old, target="窓際席"))
    assert [s.address for s in planned.affected] == [WINDOW]
    assert planned.requeued == planned.affected
    assert states(imported) == before
    glossary.save_term(imported, crew.m, old, replace(old, target="窓際席"))
    after = states(imported)
    assert {address for address in after if after[address] != before[address]} == {WINDOW}
    segment = imported.segments.at("airline", WINDOW)
    assert (segment.state, segment.answered, segment.version) == ("stale", 0, 1)
    assert "window seat" in card.card(imported, segment.id, crew.m).recheck
    assert [d.verdict for d in imported.reviews.decisions(segment.id)] == ["approve"]
    assert imported.problems() == []


def test_what_was_sent_back_is_approved_by_new_answers(imported, crew):
    approve_all(imported, crew)
    glossary.save_term(imported, crew.m, None, replace(SEAT, target="窓際席"))
    segment = imported.segments.at("airline", WINDOW)
    again = answers.answer(
        imported, segment.id, crew.a, verdict="approve", expected_version=segment.version
    )
    assert again.state == "approved"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(replace(SEAT, note="a remark"), id="only the note"),
        pytest.param(replace(SEAT, accepted=("窓際",)), id="one more spelling"),
        pytest.param(None, id="removed"),
    ],
)
def test_an_edit_that_no_text_misses_sends_nothing_back(imported, crew, new):
    glossary.save_term(imported, crew.m, None, SEAT)
    approve_all(imported, crew)
    old = term(imported, "window seat")
    before = states(imported)
    effect = glossary.save_term(imported, crew.m, old, new)
    assert effect.requeued == () and states(imported) == before


def test_a_forbidden_rendering_sends_back_the_texts_that_use_it(imported, crew):
    approve_all(imported, crew)
    ban = Term("refund", "返金", mode="forbidden", domain="airline", category="test")
    effect = glossary.save_term(imported, crew.m, None, ban)
    assert RULE in {segment.address for segment in effect.requeued}
    assert all("返金" in segment.target for segment in effect.requeued)


def test_texts_in_review_are_affected_and_not_sent_back(imported, crew):
    effect = glossary.save_term(imported, crew.m, None, replace(SEAT, target="窓際席"))
    assert [s.address for s in effect.affected] == [WINDOW]
    assert effect.requeued == ()


def test_a_term_of_another_domain_affects_nothing_here(imported, crew):
    effect = glossary.preview(imported, None, replace(SEAT, target="x", domain="retail"))
    assert effect.affected == ()


def test_terms_are_edited_by_one_person_at_a_time(imported, crew):
    glossary.save_term(imported, crew.m, None, SEAT)
    old = term(imported, "window seat")
    glossary.save_term(imported, crew.m, old, replace(old, note="mine"))
    before = dump(imported.path)
    with pytest.raises(ReviewError, match="somebody else"):
        glossary.save_term(imported, crew.a, old, replace(old, note="theirs"))
    assert dump(imported.path) == before
    glossary.save_term(imported, crew.m, term(imported, "window seat"), None)
    with pytest.raises(NotFound):
        imported.terms.get(old.id)


def test_the_same_term_is_not_added_twice(imported, crew):
    glossary.save_term(imported, crew.m, None, SEAT)
    with pytest.raises(ReviewError, match="already"):
        glossary.save_term(imported, crew.m, None, replace(SEAT, target="x"))
    for empty in (replace(SEAT, source=" "), replace(SEAT, source="new", target="")):
        with pytest.raises(ReviewError, match="needs a source and a target"):
            glossary.save_term(imported, crew.m, None, empty)


def test_the_history_of_a_term_names_who_changed_what(imported, crew):
    glossary.save_term(imported, crew.m, None, SEAT)
    old = term(imported, "window seat")
    glossary.save_term(imported, crew.a, old, replace(old, target="窓際席"))
    glossary.save_term(imported, crew.b, term(imported, "window seat"), None)
    changes = glossary.history(imported, old)
    assert [(c.actor, c.op) for c in changes] == [
        ("Ben", "update"),
        ("Aki", "update"),
        ("Mio", "insert"),
    ]
    assert "窓側の席" in changes[1].old and "窓際席" in changes[1].new


@pytest.mark.parametrize("form", ["csv", "tbx"])
def test_the_glossary_survives_a_round_trip_through_a_file(imported, crew, form):
    glossary.save_term(
        imported, crew.m, None, Term("a|b", "甲\\乙", accepted=("=1+1", "丙"), note='"')
    )
    text = glossary.write_terms(imported, form)
    terms = glossary.read_terms(text, f"glossary.{form}")
    before = dump(imported.path)["terms"]
    done = glossary.import_terms(imported, crew.m, terms)
    assert (done.added, done.changed, done.same) == ((), (), len(imported.terms.all()))
    assert dump(imported.path)["terms"] == before


def test_a_file_adds_and_changes_terms_and_leaves_the_rest(imported, crew):
    glossary.save_term(imported, crew.m, None, SEAT)
    others = len(imported.terms.all())
    terms = [replace(SEAT, target="窓際席"), Term("kayak", "カヤック")]
    plan = glossary.compare_terms(imported, terms)
    done = glossary.import_terms(imported, crew.m, terms)
    assert plan == done
    assert ([t.source for t in done.added], len(done.changed), done.same) == (["kayak"], 1, 0)
    assert len(imported.terms.all()) == others + 1
    assert term(imported, "window seat").target == "窓際席"


def test_a_glossary_file_sends_approved_texts_back_as_an_edit_does(imported, crew):
    glossary.save_term(imported, crew.m, None, SEAT)
    approve_all(imported, crew)
    glossary.import_terms(imported, crew.m, [replace(SEAT, target="窓際席")])
    back = {address for address, state in states(imported).items() if state == "stale"}
    assert back == {WINDOW}


@pytest.mark.parametrize("known", [True, False])
def test_a_file_that_contradicts_itself_is_refused(imported, crew, known):
    if known:
        glossary.save_term(imported, crew.m, None, SEAT)
    before = dump(imported.path)
    with pytest.raises(BadInput, match="window seat"):
        glossary.import_terms(
            imported, crew.m, [replace(SEAT, target="甲"), replace(SEAT, target="乙")]
        )
    assert dump(imported.path) == before


def test_only_a_maintainer_imports_a_glossary(imported, crew):
    with pytest.raises(NotAllowed, match="maintainer"):
        glossary.import_terms(imported, crew.a, [SEAT])


def test_a_glossary_file_is_known_by_its_ending():
    assert glossary.file_form("Terms.CSV") == "csv"
    assert glossary.file_form("terms.tbx") == glossary.file_form("terms.xml") == "tbx"
    with pytest.raises(BadInput, match="neither"):
        glossary.file_form("terms.xlsx")


def test_shipped_terms_are_offered_once(store, tiny):
    import_domain.import_domain(store, tiny.request())
    assert glossary.shipped_terms(store) == []


def test_a_remark_about_a_term_sends_nothing_back_even_if_it_is_missing(imported, crew):
    glossary.save_term(imported, crew.m, None, replace(SEAT, target="窓際席"))
    approve_all(imported, crew)
    old = term(imported, "window seat")
    new = replace(old, note="never translated so", category="Seats")
    assert glossary.save_term(imported, crew.m, old, new).requeued == ()
    assert states(imported)[WINDOW] == "approved"


def test_a_value_and_a_word_of_one_spelling_are_two_terms(imported, crew):
    both = [one for one in imported.terms.all() if one.source == "business"]
    assert {one.mode for one in both} >= {"exact", "prose"}
    for one in both:
        glossary.save_term(imported, crew.m, one, replace(one, note="checked"))
    assert {one.note for one in imported.terms.all() if one.source == "business"} == {"checked"}


def test_a_file_with_a_term_without_target_is_refused(imported, crew):
    with pytest.raises(BadInput, match="kayak"):
        glossary.import_terms(imported, crew.m, [Term("kayak", " ")])
