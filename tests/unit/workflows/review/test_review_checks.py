"""Checks run where a text, a term or a rule changed, and only there."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tiny_benchmark import dump, unchecked

from review_app.models import Term
from review_app.records.review import QueueFilter
from review_app.workflows.review import answers, checks, glossary, import_domain, remarks

ANY = QueueFilter()


def edit(store, address, person, text):
    segment = store.segments.at("airline", address)
    return answers.edit(store, segment.id, person, target=text, expected_version=segment.version)


def test_every_text_is_checked_once(imported):
    assert checks.refresh(imported) == 23
    before = dump(imported.path)
    assert checks.refresh(imported) == 0
    assert dump(imported.path) == before


def test_a_new_version_and_a_new_source_are_checked_again(imported, tiny, crew):
    checks.refresh(imported)
    with unchecked():
        edit(imported, "policy.md#baggage/1", crew.a, "追加の手荷物は1個50ドルです。")
    assert checks.refresh(imported) == 1
    tiny.change("policy.md", "24 hours", "48 hours")
    with unchecked():
        import_domain.import_domain(imported, tiny.request())
    assert checks.refresh(imported) == 1


def test_an_undone_edit_is_checked_again(imported, crew):
    edit(imported, "policy.md#baggage/1", crew.a, "追加の手荷物は1個50ドルです。")
    checks.refresh(imported)
    assert [f["code"] for f in checks.open_findings(imported)].count("AMT001") == 1
    with unchecked():
        answers.undo(imported, crew.a)
    assert checks.refresh(imported) == 1
    assert not [f for f in checks.open_findings(imported) if f["code"].startswith("AMT")]


WINDOW = "tasks.json#1/user_scenario/instructions/reason_for_call"


def everything_found(store):
    """Every finding with its place, and the worst one noted on each segment."""
    tables = dump(store.path)
    fields = [list(row[1:]) for row in tables["findings"]]
    return sorted(map(repr, fields)), [(s.id, s.worst) for s in store.queue.entries(ANY, limit=99)]


def check_all_again(store):
    """What checking every text from nothing finds."""
    ids = [segment.id for segment in store.segments.all()]
    checks.recheck(store, ids)
    return everything_found(store)


COSTS = Term("costs", "かかる")
HOURS = Term("24 hours", "24時間", exceptions=("business days",))


@pytest.mark.parametrize(
    ("old", "new", "mentioned"),
    [
        (None, Term("window seat", "窓際席"), ["window seat"]),
        (Term("24 hours", "24時間"), COSTS, ["24 hours", "costs"]),
        (replace(COSTS, domain="retail"), replace(COSTS, domain="airline"), ["costs"]),
        (replace(COSTS, domain="airline"), replace(COSTS, domain="retail"), ["costs"]),
        (HOURS, None, ["24 hours", "business days"]),
        (HOURS, replace(HOURS, note="seen"), []),
        (Term("kayak", "カヤック"), None, []),
    ],
)
def test_an_edit_of_a_term_has_exactly_the_texts_that_mention_it_checked_again(
    imported, crew, old, new, mentioned
):
    with imported.write("test"):
        imported.terms.add([Term("days", "日間"), *([old] if old else [])])
    checks.refresh(imported)
    with unchecked():
        effect = glossary.save_term(imported, crew.m, old and imported.terms.all()[-1], new)
    assert list(effect.touched) == [
        segment.id
        for segment in imported.segments.all()
        if any(words in segment.source for words in mentioned)
    ]
    waiting = imported.findings.unchecked(checks.rules_key(imported))
    assert waiting == list(effect.touched)
    checks.recheck(imported, effect.touched)
    assert imported.findings.unchecked(checks.rules_key(imported)) == []
    assert everything_found(imported) == check_all_again(imported)


def test_a_kept_word_of_the_translation_is_checked_again_too(imported, crew):
    edit(imported, "policy.md#baggage/1", crew.a, "Please put every suitcase there now")
    checks.refresh(imported)
    with unchecked():
        effect = glossary.save_term(imported, crew.m, None, Term("suitcase", "suitcase", "keep"))
    assert (effect.affected, len(effect.touched)) == ((), 1)
    checks.recheck(imported, effect.touched)
    assert everything_found(imported) == check_all_again(imported)


def test_an_imported_glossary_has_exactly_the_texts_that_mention_it_checked_again(imported, crew):
    glossary.save_term(imported, crew.m, None, Term("window seat", "窓側席"))
    glossary.save_term(imported, crew.m, None, Term("kayak", "カヤック"))
    checks.refresh(imported)
    terms = [
        Term("window seat", "窓際席"),
        Term("bag", "かばん"),
        Term("kayak", "カヤック", note="a"),
    ]
    with unchecked():
        glossary.import_terms(imported, crew.m, terms)
    waiting = imported.findings.unchecked(checks.rules_key(imported))
    places = [imported.segments.get(one).address for one in waiting]
    assert places == ["policy.md#baggage/1", WINDOW]
    assert checks.refresh(imported) == 2
    assert everything_found(imported) == check_all_again(imported)


def test_what_was_out_of_date_before_an_edit_of_a_term_still_is(imported, crew):
    with unchecked():
        glossary.save_term(imported, crew.m, None, Term("window seat", "窓際席"))
    assert checks.refresh(imported) == 23


def test_only_one_domain_is_checked_if_one_is_named(imported):
    assert checks.refresh(imported, "retail") == 0
    assert checks.refresh(imported, "airline") == 23


def test_findings_are_plain_records_with_stable_names(imported, crew):
    edit(imported, "policy.md#baggage/1", crew.a, "追加の手荷物は1個50ドルです。")
    checks.refresh(imported)
    found = checks.open_findings(imported, "airline")
    wrong = next(f for f in found if f["code"] == "AMT001")
    assert set(wrong) == {
        "code",
        "severity",
        "domain",
        "file",
        "address",
        "span",
        "in_source",
        "message",
    }
    assert (wrong["domain"], wrong["file"], wrong["severity"]) == ("airline", "policy.md", "error")
    assert json.loads(json.dumps(found)) == found
    assert checks.open_findings(imported, "retail") == []


def test_the_worst_open_finding_is_noted_on_the_segment(imported, crew):
    segment = edit(imported, "policy.md#baggage/1", crew.a, "追加の手荷物は1個50ドルです。")
    checks.refresh(imported)

    def worst():
        listed = imported.queue.entries(QueueFilter(file="policy.md"))
        return next(entry.worst for entry in listed if entry.id == segment.id)

    assert worst() == "error"
    for finding in imported.findings.of(segment.id):
        remarks.dismiss(imported, segment.id, finding, crew.a, reason="よい")
    assert worst() is None


def test_texts_without_translation_have_no_findings(store, tiny):
    with unchecked():
        import_domain.import_domain(store, tiny.request(draft=None))
    assert checks.refresh(store) == 23
    assert checks.open_findings(store) == []


def test_the_search_index_catches_up_in_steps(imported):
    with imported.write("test"):
        assert imported.segments.index_search(limit=10) == 13
        assert imported.segments.index_search(limit=10) == 3
    assert imported.queue.count(QueueFilter(search="User {user_id}")) == 1
    checks.index_search(imported)
    assert imported.queue.count(QueueFilter(search="User {user_id}")) == 1
    assert imported.problems() == []
