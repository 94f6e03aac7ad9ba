"""The proof of a localization: what it finds, where people see it, when it is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sample_project import DOMAINS, sample_store

from review_app.models import Person, Term
from review_app.store import Store
from review_app.ui.shared import i18n
from review_app.workflows import project as workflows_project
from review_app.workflows.localization import derived_domain, entities, proof
from review_app.workflows.localization.derived_domain import DerivationChoice
from review_app.workflows.review import answers, checks, glossary

INFO = "tasks.json#0/user_scenario/instructions/known_info"
LEFT_OVER = "あなたはNora Castellです。ユーザーIDはnora_castell_4821です。"
SOUND = "あなたは小川奈緒です。ユーザーIDはnao_ogawa_4821です。"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Store:
    """The sample without a draft. Read only."""
    return sample_store(tmp_path_factory.mktemp("sample"), *DOMAINS)


@pytest.fixture
def airline(tmp_path: Path) -> Store:
    """Airline alone, to be changed."""
    return sample_store(tmp_path, "airline")


@pytest.fixture
def crew(airline: Store) -> list[Person]:
    return [
        workflows_project.add_person(airline, name, "annotator") for name in ("Aki", "Ben", "Cleo")
    ]


def _approve(store: Store, people: list[Person], address: str, text: str) -> str:
    segment = store.segments.at("airline", address)
    done = answers.edit(store, segment.id, people[0], target=text, expected_version=segment.version)
    for person in people[1:]:
        if store.segments.get(segment.id).state != "approved":
            version = done.version
            answers.answer(store, segment.id, person, verdict="approve", expected_version=version)
    assert store.segments.get(segment.id).state == "approved"
    return segment.id


def _codes(store: Store, segment: str) -> list[str]:
    found = [each.finding.code for each in store.findings.of(segment)]
    return [code for code in found if code.startswith("LOC")]


# -- nothing wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("variant", list(derived_domain.variants()))
@pytest.mark.parametrize("domain", DOMAINS)
def test_no_variant_of_the_sample_violates_anything(project, domain, variant):
    found = proof.verify(project, domain, DerivationChoice(variant=variant))
    assert [(each.code, each.record, each.message) for each in found.violations] == []
    assert found.ok and found.tasks == {"airline": 12, "retail": 12, "telecom": 6}[domain]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_second_locale_violates_nothing_either(project, domain):
    found = proof.verify(project, domain, DerivationChoice(locale="de"))
    assert [(each.code, each.record, each.message) for each in found.violations] == []
    assert found.tasks > 0


def test_a_proof_says_how_far_it_is(project):
    told = []
    proof.verify(project, "airline", progress=lambda *step: told.append((*step[:2], str(step[2]))))
    assert told[0][0] == 0 and told[-1] == (12, 12, "airline: tasks")


def test_records_of_another_database_are_not_compared(project, tmp_path):
    (tmp_path / "airline.jsonl").write_text(
        '{"kind": "meta", "domain": "airline", "id": "m", "pristine_hash": {"agent": "x"}}\n'
    )
    found = proof.verify(project, "airline", records=tmp_path)
    assert found.ok and found.calls == 0 and "not of this database" in str(found.note)


def test_variants_that_keep_the_source_s_texts_have_no_stand_ins(project):
    told = {
        each: proof.verify(project, "airline", DerivationChoice(variant=each)).stand_ins
        for each in ("tau", "j-tau-en-tool", "j-tau")
    }
    assert told["tau"] == 0 < told["j-tau-en-tool"] < told["j-tau"]


# -- planted faults ----------------------------------------------------------------------------


def test_what_is_left_over_in_a_translation_is_a_finding_until_it_is_rewritten(airline, crew):
    segment = _approve(airline, crew, INFO, LEFT_OVER)
    found = proof.prove(airline, "airline")
    assert {each.values["found"] for each in found.violations} == {
        "Nora Castell",
        "nora_castell_4821",
    }
    assert {(each.code, each.where, each.record) for each in found.violations} == {
        ("LOC002", "text", INFO)
    }
    assert _codes(airline, segment) == ["LOC002", "LOC002"]
    assert [each["code"] for each in checks.open_findings(airline, "airline")] == ["LOC002"] * 2
    version = airline.segments.get(segment).version
    answers.edit(airline, segment, crew[0], target=SOUND, expected_version=version)
    checks.refresh(airline, "airline")
    assert _codes(airline, segment) == []


def test_a_finding_of_the_proof_is_gone_when_the_next_one_does_not_find_it(airline, crew):
    segment = _approve(airline, crew, INFO, LEFT_OVER)
    proof.prove(airline, "airline")
    assert _codes(airline, segment)
    nothing = proof.Proof("airline", "j-tau")
    proof.keep(airline, nothing, airline.segments.all("airline"))
    assert _codes(airline, segment) == [] and proof.violations(airline, "airline") == []


def test_a_translation_that_is_not_approved_is_proved_only_if_it_counts(airline, crew):
    segment = airline.segments.at("airline", INFO)
    answers.edit(airline, segment.id, crew[0], target=LEFT_OVER, expected_version=segment.version)
    if airline.segments.get(segment.id).state != "approved":
        assert proof.verify(airline, "airline").ok
    assert not proof.verify(airline, "airline", DerivationChoice(use="current")).ok


def test_two_people_with_one_name_are_a_violation_of_entities(airline):
    rows = [each for each in entities.rows(airline, "airline") if each.kind == "person"]
    twin = replace(rows[1], target=rows[0].target, given=rows[0].given, family=rows[0].family)
    with airline.write("test"):
        airline.entities.put(twin)
    found = proof.prove(airline, "airline")
    kept = [each.violation for each in proof.violations(airline, "airline")]
    assert kept == found.violations
    one = next(each for each in kept if each.code == "LOC004")
    assert (one.where, one.record) == ("entity", "person")
    assert repr(rows[0].source) in one.message and repr(rows[1].source) in one.message


def test_the_last_proof_says_when_and_what_it_counted(airline):
    assert proof.last(airline, "airline") is None
    proof.prove(airline, "airline")
    info = proof.last(airline, "airline")
    assert info is not None and info.made_at.startswith("20")
    assert (info.summary["tasks"], info.summary["variant"]) == (12, "j-tau")
    assert info.summary["by_code"] == {} and "violations" not in info.summary


def test_a_dictionary_s_spelling_is_asked_of_texts_in_the_database(tmp_path):
    store = sample_store(tmp_path, "retail")
    people = [
        workflows_project.add_person(store, name, "annotator") for name in ("Aki", "Ben", "Cleo")
    ]
    segment = next(
        each
        for each in store.segments.all("retail")
        if each.kind == "database" and each.address.endswith("/name")
    )
    done = answers.edit(
        store, segment.id, people[0], target="ほかの名前", expected_version=segment.version
    )
    for person in people[1:]:
        if store.segments.get(segment.id).state != "approved":
            answers.answer(
                store, segment.id, person, verdict="approve", expected_version=done.version
            )
    found = proof.prove(store, "retail")
    assert [(each.code, each.record) for each in found.violations] == [("LOC007", segment.address)]
    assert _codes(store, segment.id) == ["LOC007"]


def test_a_glossary_that_keeps_a_word_of_the_source_leaves_it_alone(airline, crew):
    me = workflows_project.add_person(airline, "Mio", "maintainer")
    glossary.save_term(
        airline, me, None, Term("Nora Castell", "Nora Castell", mode="keep", domain="airline")
    )
    assert proof.verify(airline, "airline").ok


def test_every_value_of_a_violation_has_its_place_in_the_interface_s_wording(airline, crew):
    wording = i18n.catalogue("ja", "findings")
    _approve(airline, crew, INFO, LEFT_OVER)
    found = proof.prove(airline, "airline").violations
    assert found
    for each in found:
        said = wording[each.code].format(**each.values)
        assert all(value in said for value in each.values.values())
