"""Flags: life cycle, two people from severity 2 up, exchange with the benchmark's issues."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from review_app.errors import NotAllowed, NotFound, ReviewError, StaleEdit
from review_app.notices import Notice
from review_app.records.curation import Evidence, NewFlag
from review_app.workflows import project
from review_app.workflows.curation import flags
from review_app.workflows.review import import_domain

ISSUES = [
    {
        "id": "issue_1",
        "title": "Wrong seat",
        "status": "resolved",
        "resolution": "Seat changed",
        "created_at": "2026-01-16",
        "author_email": "x@example.com",
        "pr_link": "https://e.org/1",
    },
    {"id": "issue_2", "title": "Odd", "created_at": "not a date", "simulation_file": "a.json"},
    {"id": "issue_2", "title": "twice"},
    {"title": "no id"},
]


@pytest.fixture
def second(imported):
    return project.add_person(imported, "Nao", "maintainer")


def flag(store, person, severity=1, **more):
    evidence = (Evidence("rule", "PAY-01"), Evidence("segment", "abc", "see there"))
    new = NewFlag("airline", "0", "Card not named", severity=severity, evidence=evidence, **more)
    return flags.raise_flag(store, person, new)


def test_evidence_keeps_what_a_person_and_what_the_app_says(imported, crew):
    said = Notice("area.what", "{count} trials", count=2)
    shown = (Evidence("run", "7", said), Evidence("link", "http://x", '{"code": 1}'))
    new = NewFlag("airline", "0", "odd", evidence=shown)
    assert flags.raise_flag(imported, crew.a, new).evidence == shown


def test_a_flag_is_raised_triaged_owned_and_discussed(imported, crew):
    raised = flag(imported, crew.a)
    assert (raised.state, raised.kind, raised.reporter_id, len(raised.evidence)) == (
        "open",
        None,
        crew.a.id,
        2,
    )
    with pytest.raises(NotAllowed):
        flags.triage(imported, crew.a, raised, kind="wrong_gold", severity=2, owner=None)
    sorted_ = flags.triage(imported, crew.m, raised, kind="wrong_gold", severity=2, owner=crew.b)
    assert (sorted_.state, sorted_.severity, sorted_.owner_id) == ("triaged", 2, crew.b.id)
    with pytest.raises(StaleEdit):
        flags.own(imported, crew.m, raised, crew.c)
    assert flags.own(imported, crew.m, sorted_, None).owner_id is None
    flags.comment(imported, crew.c, raised.id, "I saw that, too.")
    assert [remark.body for remark in flags.card(imported, raised.id).remarks] == [
        "I saw that, too."
    ]


@pytest.mark.parametrize(("severity", "people"), [(0, 1), (1, 1), (2, 2), (3, 2)])
def test_as_many_people_close_a_flag_as_its_severity_asks_for(
    imported, crew, second, severity, people
):
    raised = flag(imported, crew.a, severity)
    with pytest.raises(NotAllowed):
        flags.close(imported, crew.a, raised, "wont_fix", reason="no")
    with pytest.raises(ReviewError, match="reason"):
        flags.close(imported, crew.m, raised, "wont_fix", reason=" ")
    first = flags.close(imported, crew.m, raised, "wont_fix", reason="rare")
    assert first.closed == (people == 1)
    if people == 2:
        again = flags.close(imported, crew.m, first, "wont_fix", reason="rare, really")
        other = flags.close(imported, second, again, "patched", reason="there is a patch")
        assert not again.closed and not other.closed
        assert len(flags.card(imported, raised.id).votes) == 2
        first = flags.close(imported, second, other, "wont_fix", reason="agreed")
    assert first.state == "wont_fix"
    with pytest.raises(ReviewError, match="closed"):
        flags.close(imported, second, first, "patched", reason="x")
    opened = flags.reopen(imported, crew.a, first, reason="it came back")
    assert opened.state == "open" and flags.card(imported, raised.id).votes == {}
    with pytest.raises(ReviewError, match="is open"):
        flags.reopen(imported, crew.a, opened, reason="again")


def test_a_triaged_flag_waits_and_a_closed_one_is_not_triaged(imported, crew):
    raised, other = flag(imported, crew.a), flag(imported, crew.b)
    assert flags.open_count(imported) == 2
    triaged = flags.triage(imported, crew.m, raised, kind="language", severity=0, owner=None)
    assert (triaged.state, triaged.closed, flags.open_count(imported)) == ("triaged", False, 2)
    closed = flags.close(imported, crew.m, triaged, "not_a_defect", reason=" as meant ")
    assert (closed.state, closed.resolution) == ("not_a_defect", "as meant")
    assert flags.open_count(imported) == 1
    with pytest.raises(ReviewError, match=f"flag {raised.id} is closed .not_a_defect.: open it"):
        flags.triage(imported, crew.m, closed, kind="wrong_gold", severity=3, owner=crew.b)
    assert imported.flags.get(raised.id) == closed
    assert imported.flags.get(other.id) == other


def test_closing_a_flag_as_it_was_before_leaves_no_vote(imported, crew, second):
    before = flag(imported, crew.a, 2)
    current = flags.own(imported, crew.m, before, crew.b)
    with pytest.raises(StaleEdit):
        flags.close(imported, crew.m, before, "wont_fix", reason="rare")
    card = flags.card(imported, before.id)
    assert (card.flag, card.remarks, card.votes, card.needed) == (current, (), {}, 2)
    once = flags.close(imported, second, current, "wont_fix", reason="rare")
    assert not once.closed and flags.card(imported, before.id).votes == {second.id: "wont_fix"}
    gone = flags.close(imported, crew.m, once, "wont_fix", reason="rare")
    with pytest.raises(ReviewError, match="is closed"):
        flags.close(imported, second, once, "patched", reason="there is a patch")
    assert len(flags.card(imported, before.id).remarks) == 2
    assert imported.flags.get(before.id) == gone


def test_a_flag_whose_kind_is_known_is_triaged_when_it_is_opened_again(imported, crew):
    raised = flag(imported, crew.a)
    triaged = flags.triage(imported, crew.m, raised, kind="language", severity=1, owner=crew.b)
    closed = flags.close(imported, crew.m, triaged, "patched", reason="mended")
    opened = flags.reopen(imported, crew.c, closed, reason=" it is back ")
    assert (opened.state, opened.kind, opened.owner_id) == ("triaged", "language", crew.b.id)
    assert opened.resolution == ""
    last = flags.card(imported, raised.id).remarks[-1]
    assert (last.kind, last.body, last.person_id) == ("reopen", "it is back", crew.c.id)
    with pytest.raises(StaleEdit):
        flags.reopen(imported, crew.a, closed, reason="again")
    assert flags.card(imported, raised.id).remarks[-1] == last


def test_a_domain_without_tasks_has_no_tasks_to_write(imported, sample):
    request = import_domain.ImportRequest(sample / "tau2", "user_simulator")
    import_domain.import_domain(imported, request)
    with pytest.raises(NotFound, match=r"^domain 'user_simulator' has no tasks\.json$"):
        flags.tasks_file(imported, "user_simulator")
    with pytest.raises(NotFound, match="retail"):
        flags.tasks_file(imported, "retail")


def test_a_flag_needs_a_title_a_task_and_a_known_severity(imported, crew):
    sound = NewFlag("airline", "0", "Card")
    for change, error in (
        ({"title": " "}, ReviewError),
        ({"severity": 4}, ReviewError),
        ({"task_id": "99"}, NotFound),
        ({"domain": "retail"}, NotFound),
    ):
        with pytest.raises(error):
            flags.raise_flag(imported, crew.a, replace(sound, **change))
    with pytest.raises(ReviewError, match="empty"):
        flags.comment(imported, crew.a, flag(imported, crew.a).id, " ")


def test_issues_come_in_once_and_go_out_without_addresses(imported, crew, tiny):
    path = tiny.folder / "tasks.json"
    tasks = json.loads(path.read_text("utf-8"))
    tasks[1]["issues"] = ISSUES
    path.write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    import_domain.import_domain(imported, tiny.request())

    imported_flags = flags.import_issues(imported, crew.m, "airline")
    assert [(issue.issue_id, issue.state) for issue in imported_flags] == [
        ("issue_1", "patched"),
        ("issue_2", "open"),
    ]
    assert flags.import_issues(imported, crew.m, "airline") == []

    mine = flag(imported, crew.a, 1, description="Two cards.")
    flags.close(imported, crew.m, mine, "not_a_defect", reason="one card only")
    text = flags.tasks_file(imported, "airline")
    written = {task["id"]: task for task in json.loads(text)}
    first, second = written["1"]["issues"][-2:]
    assert "example.com" not in text
    assert {key: first[key] for key in ("status", "created_at", "pr_link", "resolution")} == {
        "status": "resolved",
        "created_at": "2026-01-16",
        "pr_link": "https://e.org/1",
        "resolution": "Seat changed",
    }
    assert (second["status"], second["simulation_file"]) == ("open", "a.json")
    own = written["0"]["issues"][0]
    assert (own["status"], own["resolution"]) == ("resolved", "not a defect: one card only")
    assert "issues" not in written["2"]
    assert written["2"] == tasks[2]


def test_a_project_without_flags_writes_its_tasks_as_they_are(imported, tiny):
    text = (tiny.folder / "tasks.json").read_text("utf-8")
    assert flags.tasks_file(imported, "airline") == text
