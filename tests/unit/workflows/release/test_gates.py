"""What blocks a release: every gate is turned red by one thing that a person can name."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest
from curation_project import proposal, say
from release_project import team

from review_app.core.proof.leftovers import ProofViolation
from review_app.core.validity import RuleViolation
from review_app.errors import NotFound, ReviewError
from review_app.records.curation import NewFlag
from review_app.store import Store
from review_app.store.curation.validations import fingerprint
from review_app.workflows.curation import flags, patches, validity
from review_app.workflows.curation.validity import Checked
from review_app.workflows.localization import proof
from review_app.workflows.release import gates
from review_app.workflows.review import answers, glossary

POLICY = "policy.md#orders/0"


def policy(store):
    return next(text for text in store.segments.all("retail") if text.kind == "policy")


def task_text(store):
    return next(text for text in store.segments.all("retail") if text.kind == "task")


@contextmanager
def behind_the_app(store):
    """What no page lets a person do."""
    with closing(sqlite3.connect(store.path)) as db:
        yield db
        db.commit()


def test_nothing_blocks_a_project_that_is_ready(ready):
    check = gates.check(ready)
    assert check.ready and check.counts == {} and check.domains == ("retail",)
    assert [gate.name for gate in check.gates] == list(gates.GATES)
    assert gates.check(ready).as_json() == check.as_json()


# -- texts -------------------------------------------------------------------------------------


def edited(store, text):
    answers.edit(
        store, text.id, team(store).a, target="別の訳です。", expected_version=text.version
    )
    return text


def pending(store):
    text = edited(store, task_text(store))
    return f"retail/{text.address}", "review", {"segment": text.id}


def stale(store):
    text = task_text(store)
    with behind_the_app(store) as db:
        db.execute(
            "UPDATE segments SET state = 'stale', recheck = 'source' WHERE id = ?", (text.id,)
        )
    return f"retail/{text.address}", "review", {"segment": text.id}


def contested(store):
    text, people = policy(store), team(store)
    answers.answer(
        store, text.id, people.a, verdict="request_change", note="no", expected_version=text.version
    )
    return f"retail/{text.address}", "review", {"segment": text.id}


def glossary_change(store):
    text = task_text(store)
    word = next(word for word in text.source.split() if word.isalpha() and len(word) > 4)
    term = glossary.terms_of("ja")[0]
    new = replace(term, source=word, target="架空の訳語", mode="prose", category="Test", id=0)
    new = replace(new, variants=(), accepted=(), exceptions=(), domain="retail")
    effect = glossary.save_term(store, team(store).m, None, new)
    assert effect.requeued
    text = effect.requeued[0]
    return f"retail/{text.address}", "review", {"segment": text.id}


def finding(store):
    text = next(text for text in store.segments.all("retail") if "#W" in text.source)
    people = team(store)
    answers.edit(store, text.id, people.m, target="注文です。", expected_version=text.version)
    for person in (people.a, people.b, people.c):
        now = store.segments.get(text.id)
        if now.state != "approved":
            answers.answer(store, now.id, person, verdict="approve", expected_version=now.version)
    return f"retail/{text.address}", "review", {"segment": text.id}


# -- tasks -------------------------------------------------------------------------------------


def proposed(store):
    wanted = proposal(store, "retail", "1", say("Be brief."))
    stored = patches.propose(store, team(store).m, wanted)
    return "retail/1", "patch", {"patch": str(stored.id)}


def flag(store):
    new = NewFlag(domain="retail", task_id="2", title="odd", severity=2)
    flags.raise_flag(store, team(store).a, new)
    return "retail/2", "tasks", {"domain": "retail", "task": "2"}


def taken_back(store, task_id):
    """Take the repair of a task back."""
    people = team(store)
    patch = next(p for p in store.patches.all("retail", task_id) if p.in_force)
    inverse = patches.invert(store, people.m, patch.id, reason="for the test")
    patches.approve(store, people.n, inverse.id)
    return f"retail/{task_id}", "tasks", {"domain": "retail", "task": task_id}


def broken_rule(store):
    return taken_back(store, "10")


def refused_write(store):
    return taken_back(store, "11")


# -- the proof ---------------------------------------------------------------------------------


def proven(monkeypatch, code, where, record):
    violation = ProofViolation(
        code=code, severity="error", where=where, record=record, field="x", message="made up"
    )
    monkeypatch.setattr(
        proof, "_check_data", lambda derived, kept: kept.violations.append(violation)
    )


@pytest.mark.parametrize(
    ("gate", "make"),
    [
        ("pending", pending),
        ("stale", stale),
        ("contested", contested),
        ("glossary", glossary_change),
        ("findings", finding),
        ("patches", proposed),
        ("flags", flag),
        ("rules", broken_rule),
        ("refused_writes", refused_write),
    ],
)
def test_each_gate_is_turned_red_by_one_thing(ready, gate, make):
    place, page, query = make(ready)
    check = gates.check(ready)
    assert not check.ready
    (red,) = (each for each in check.gates if each.name == gate)
    blocker = next(blocker for blocker in red.blockers if blocker.place == place)
    assert (blocker.page, blocker.query) == (page, query)
    assert blocker.link.startswith(f"/{page}?") and str(blocker.note)
    with pytest.raises(gates.ReleaseBlocked, match=gate):
        raise gates.ReleaseBlocked(check)


@pytest.mark.parametrize(
    ("code", "gate", "where", "page"),
    [
        ("LOC001", "square", "task", "tasks"),
        ("LOC002", "leftovers", "text", "review"),
        ("LOC006", "entities", "entity", "entities"),
    ],
)
def test_what_the_proof_finds_has_a_gate(ready, monkeypatch, code, gate, where, page):
    record = {"task": "1", "text": policy(ready).address, "entity": "city"}[where]
    proven(monkeypatch, code, where, record)
    check = gates.check(ready)
    assert check.counts == {gate: 1}
    (blocker,) = next(each for each in check.gates if each.name == gate).blockers
    assert blocker.page == page and "made up" in str(blocker.note)
    assert blocker.said is not None and blocker.said.code == code


def test_a_flag_that_is_minor_or_closed_blocks_nothing(ready):
    people = team(ready)
    minor = NewFlag(domain="retail", task_id="2", title="odd", severity=1)
    flags.raise_flag(ready, people.a, minor)
    assert gates.check(ready).ready


def test_accepted_warnings_are_listed_apart_with_their_reasons(ready, monkeypatch):
    people = team(ready)
    warning = RuleViolation("PAY-05", "made_for_the_test", "warning", "1", "/x", "odd", {})
    inspect = validity.inspect

    def inspected(store, domain, **options):
        known = inspect(store, domain, **options)
        mark = fingerprint(warning)
        accepted = store.validations.acknowledged(domain).get(("1", mark))
        return known | {"1": [Checked(warning, mark, accepted)]}

    monkeypatch.setattr(validity, "inspect", inspected)
    assert gates.check(ready).accepted == ()
    validity.acknowledge(ready, people.m, "retail", warning, reason="it is fine")
    check = gates.check(ready)
    (accepted,) = check.accepted
    assert check.ready and (accepted.task_id, accepted.reason) == ("1", "it is fine")
    assert (accepted.person, accepted.code) == ("Mio", "PAY-05")


def test_a_variant_in_the_sources_language_asks_nothing_of_texts(ready):
    edited(ready, task_text(ready))
    assert not gates.check(ready).ready
    check = gates.check(ready, variant="tau")
    assert "pending" not in {gate.name for gate in check.gates}


def test_what_cannot_be_released_is_named(ready, tmp_path):
    with pytest.raises(NotFound, match="airline"):
        gates.check(ready, ["airline"])
    with pytest.raises(NotFound):
        gates.check(ready, variant="x")
    empty = Store(tmp_path / "empty.db")
    with pytest.raises(ReviewError, match="import one first"):
        gates.check(empty)
    empty.close()


def test_building_and_signing_leave_the_revision_as_it_is(ready):
    before = gates.check(ready).revision
    assert ready.releases.revision() == before
    edited(ready, task_text(ready))
    assert ready.releases.revision() != before
