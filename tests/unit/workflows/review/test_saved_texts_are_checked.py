"""Whoever saves a text, its findings are there when it is saved; and it is found by search."""

from __future__ import annotations

import pytest

from review_app import cli
from review_app.errors import NotAllowed, StaleEdit
from review_app.models import Term
from review_app.records.review import QueueFilter
from review_app.workflows.localization import entity_edits
from review_app.workflows.review import answers, checks, glossary, import_domain

ADDRESS = "policy.md#baggage/1"
RIGHT = "追加の手荷物は1個7,500円です。"
WRONG = "追加の手荷物は1個50ドルです。"
WORSE = "追加の手荷物は1個60ドルです。"


def at(store, address=ADDRESS):
    return store.segments.at("airline", address)


def codes(store, address=ADDRESS):
    return [stored.finding.code for stored in store.findings.of(at(store, address).id)]


def submit(store, person, verdict, target=None, **more):
    segment = at(store)
    return answers.submit(
        store,
        segment.id,
        person,
        verdict=verdict,
        expected_version=segment.version,
        target=target,
        **more,
    )


def require_checked(store, *addresses):
    """The findings of these texts are those of the texts as they are."""
    ids = [at(store, address).id for address in addresses or [ADDRESS]]
    assert store.findings.outdated(checks.rules_key(store), ids) == []


def test_a_saved_edit_has_its_findings_and_the_other_texts_are_left_alone(imported, crew):
    submit(imported, crew.a, "edit", WRONG)
    assert "AMT001" in codes(imported)
    assert len(imported.findings.unchecked(checks.rules_key(imported))) == 22


def test_a_text_approved_with_changes_is_saved_and_checked(imported, crew):
    saved = submit(imported, crew.a, "approve", WRONG)
    assert (saved.version, imported.reviews.answers(saved.id)) == (2, {crew.a.id: "edit"})
    assert "AMT001" in codes(imported)


@pytest.mark.parametrize("target", [None, RIGHT])
def test_the_text_in_force_is_approved_with_it_or_without(imported, crew, target):
    approved = submit(imported, crew.a, "approve", target)
    assert (approved.version, approved.answered) == (1, 1)
    assert imported.reviews.answers(approved.id) == {crew.a.id: "approve"}
    require_checked(imported)


def test_a_request_keeps_the_text_and_its_reason(imported, crew):
    submit(imported, crew.a, "request_change", note="桁")
    assert [decision.note for decision in imported.reviews.decisions(at(imported).id)] == ["桁"]
    require_checked(imported)


@pytest.mark.parametrize("verdict", ["approve", "adjudicate"])
def test_a_maintainer_settles_on_another_text_and_it_is_checked(imported, crew, verdict):
    submit(imported, crew.a, "edit", RIGHT + "。")
    submit(imported, crew.b, "request_change", note="重複")
    submit(imported, crew.m, verdict, WRONG)
    assert imported.reviews.decisions(at(imported).id)[-1].verdict == "adjudicate"
    assert "AMT001" in codes(imported)


def test_an_annotator_who_approves_where_others_disagree_answers_like_everybody(imported, crew):
    submit(imported, crew.a, "edit", WRONG)
    submit(imported, crew.b, "request_change", note="通貨")
    submit(imported, crew.c, "approve", WRONG)
    assert at(imported).state == "contested"
    with pytest.raises(NotAllowed):
        submit(imported, crew.c, "adjudicate")


def test_the_text_that_an_undo_brings_back_is_checked(imported, crew):
    submit(imported, crew.a, "edit", WRONG)
    answers.undo(imported, crew.a)
    assert at(imported).target == RIGHT
    assert "AMT001" not in codes(imported)
    require_checked(imported)


def test_texts_saved_together_are_checked_although_one_of_them_is_refused(imported, crew):
    first, second, third = list(imported.segments.all())[:3]
    answers.edit(imported, second.id, crew.b, target="先に", expected_version=second.version)
    texts = [(first, "$1"), (second, "$2"), (third, "$3")]
    with pytest.raises(StaleEdit):
        answers.edit_all(imported, crew.a, texts)
    assert [imported.segments.get(segment.id).target for segment in (first, second)] == [
        "$1",
        "先に",
    ]
    assert imported.segments.get(third.id).target == third.target
    require_checked(imported, first.address, second.address)


def test_a_name_put_into_texts_is_checked(imported, crew, monkeypatch):
    monkeypatch.setattr(entity_edits, "affected", lambda *arguments: [at(imported)])
    monkeypatch.setattr(entity_edits.Renaming, "applied", lambda self, text: WRONG)
    edited = entity_edits.replace_in_texts(imported, crew.m, "airline", [])
    assert [text.target for text in edited] == [WRONG]
    assert "AMT001" in codes(imported)


def test_the_command_line_saves_checked_texts(imported, crew, capsys):
    words = [f"airline/{ADDRESS}", "--as", crew.a.name, "--db", str(imported.path)]
    assert cli.main(["answer", words[0], "edit", "--text", WRONG, *words[1:]]) == 0
    assert "AMT001" in codes(imported)
    assert cli.main(["undo", *words[1:]]) == 0
    assert "AMT001" not in codes(imported)
    require_checked(imported)


def test_a_term_has_the_texts_that_miss_it_checked(imported, crew):
    glossary.save_term(imported, crew.m, None, Term("extra bag", "余分な鞄"))
    assert "TRM001" in codes(imported)
    terms = [Term("extra bag", "追加の手荷物"), Term("costs", "費用")]
    glossary.import_terms(imported, crew.m, terms)
    assert imported.findings.unchecked(checks.rules_key(imported)) == []
    missing = [stored.finding.values["source"] for stored in imported.findings.of(at(imported).id)]
    assert missing == ["costs"]


def test_imported_texts_are_checked_and_can_be_searched(store, tiny):
    def indexed():
        row = store.segments._row("SELECT through FROM search_state")
        return row["through"]

    import_domain.import_domain(store, tiny.request(), dry_run=True)
    assert store.documents.domains() == []
    import_domain.import_domain(store, tiny.request())
    assert store.findings.unchecked(checks.rules_key(store)) == []
    assert (indexed(), store.queue.count(QueueFilter(search="手荷物"))) == (23, 2)
    tiny.change("policy.md", "$50", "$60")
    import_domain.import_domain(store, tiny.request())
    assert "AMT002" in codes(store)


def test_a_text_is_found_by_its_new_words_as_soon_as_it_is_saved(imported, crew):
    checks.index_search(imported)
    submit(imported, crew.a, "edit", "荷物一つにつき別料金です。")
    assert imported.queue.count(QueueFilter(search="別料金")) == 1


def test_the_rules_are_made_again_only_when_a_term_changes(imported, crew):
    before = checks.rules(imported)
    assert checks.rules(imported) is before
    glossary.save_term(imported, crew.m, None, Term("kayak", "カヤック"))
    assert checks.rules(imported) is not before
