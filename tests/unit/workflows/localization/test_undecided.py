"""What texts name without a counterpart: given, accepted, and kept from translators."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.records.localization import AcceptedMention
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.localization import proof, translation, translation_plan, undecided

PLACE = "Statue of Liberty"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("undecided") / "sample.db"
    store = Store(path)
    project.load_sample(store)
    store.close()
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path):
    path = tmp_path / "review.db"
    shutil.copy(made, path)
    opened = Store(path)
    segment = next(s for s in opened.segments.all("airline") if s.kind == "task")
    with opened.write("test"):
        opened._db.execute(
            "UPDATE segments SET source = ?, target = NULL, state = 'untranslated' WHERE id = ?",
            (f"You want to see the {PLACE}.", segment.id),
        )
    yield opened
    opened.close()


@pytest.fixture
def people(store: Store):
    known = {person.role: person for person in store.people.all()}
    return known["maintainer"], known["annotator"]


def sources(store: Store) -> list[str]:
    return [item.source for item in undecided.undecided(store, "airline")]


def test_the_shipped_sample_has_nothing_undecided(made):
    store = Store(made)
    for domain in ("airline", "retail", "telecom"):
        assert undecided.undecided(store, domain) == []
    store.close()


def test_it_is_given_by_a_maintainer(store, people):
    maintainer, annotator = people
    (item,) = undecided.undecided(store, "airline")
    assert (item.kind, item.source, len(item.segments)) == ("landmark", PLACE, 1)
    with pytest.raises(NotAllowed):
        undecided.give(store, annotator, "airline", PLACE, "通天閣")
    with pytest.raises(ReviewError):
        undecided.give(store, maintainer, "airline", PLACE, " ")
    with pytest.raises(NotFound):
        undecided.give(store, maintainer, "airline", "Eiffel Tower", "通天閣")
    undecided.give(store, maintainer, "airline", PLACE, "通天閣")
    assert sources(store) == []
    mentions = undecided.mentions_of(store, "airline")
    assert mentions.adapted(f"the {PLACE}") == "the 通天閣"


def test_it_is_accepted_with_a_reason_and_taken_back(store, people):
    maintainer, annotator = people
    with pytest.raises(ReviewError):
        undecided.accept(store, maintainer, "airline", PLACE, " ")
    with pytest.raises(NotAllowed):
        undecided.accept(store, annotator, "airline", PLACE, "a film title")
    undecided.accept(store, maintainer, "airline", PLACE, "a film title")
    assert sources(store) == []
    (kept,) = undecided.accepted(store, "airline")
    assert (kept.source, kept.reason, kept.person_id) == (PLACE, "a film title", maintainer.id)
    assert undecided.withdraw(store, maintainer, "airline", PLACE) == 1
    assert sources(store) == [PLACE]
    with pytest.raises(NotFound):
        undecided.withdraw(store, maintainer, "airline", PLACE)


def test_a_text_waits_until_it_is_decided(store, people, monkeypatch):
    monkeypatch.setenv("JTAU_TRANSLATE_MODEL", "openai/none")

    def plan() -> translation_plan.TranslationPlan:
        return translation_plan.plan(store, translation.order_of(store, "airline", {}))

    waiting = plan()
    assert (waiting.counts["undecided"], waiting.undecided) == (1, 1)
    undecided.accept(store, people[0], "airline", PLACE, "a film title")
    decided = plan()
    assert "undecided" not in decided.counts and decided.undecided == 0
    assert len(decided.made_from) == len(waiting.made_from) + 1


def test_an_accepted_leftover_is_no_violation_at_its_place(store, people):
    violation = proof.leftovers.left_over(
        undecided.mentions_of(store, "airline").undecided(f"the {PLACE}")[0], "task", "7", "x", 4
    )
    assert (violation.code, violation.severity, violation.span) == ("LOC009", "error", (4, 21))
    other = proof.leftovers.ProofViolation(
        code="LOC009",
        severity="error",
        where="task",
        record="8",
        field="x",
        message="",
        values=violation.values,
    )
    proven = proof.Proof("airline", "j-tau", violations=[violation, other])
    with store.write("test"):
        store.violations.put("airline", [(violation, None, 0)], {})
    assert store.violations.of("airline")[0].violation == violation
    assert proof.kind_of_leftover(store, "airline", PLACE, "7") == "landmark"
    with pytest.raises(NotFound):
        proof.kind_of_leftover(store, "airline", PLACE, "9")
    mention = AcceptedMention(kind="landmark", source=PLACE, record="7", reason="a film title")
    undecided.accept_left_over(store, people[0], "airline", mention)
    assert sources(store) == [PLACE]  # accepted at that place only
    proof.set_accepted_apart(proven, undecided.accepted(store, "airline"))
    assert (proven.accepted, proven.violations) == ([violation], [other])


def test_an_amount_that_cannot_be_read_waits_for_a_person_too(store, people):
    maintainer, _ = people
    segment = next(text for text in store.segments.all("airline") if PLACE in text.source)
    with store.write("test"):
        store._db.execute(
            "UPDATE segments SET source = ? WHERE id = ?", ("You pay $1,5 for it.", segment.id)
        )
    assert sources(store) == ["$1,5"]
    undecided.accept(store, maintainer, "airline", "$1,5", "written so on purpose")
    assert sources(store) == []
