"""From benchmark files to segments, all or nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict, replace

import pytest
from tiny_benchmark import POLICY, POLICY_JA, dump

from review_app.errors import BadInput
from review_app.records.project import Project
from review_app.records.review import QueueFilter
from review_app.workflows import project
from review_app.workflows.release import export
from review_app.workflows.review import answers, import_domain
from review_app.workflows.review.import_domain import ImportRequest


def run(store, tiny, **more):
    options = {"dry_run": more.pop("dry_run", False)}
    return import_domain.import_domain(store, tiny.request(**more), **options)


def texts(store):
    return {s.address: s for s in store.segments.all("airline")}


def approve(store, address, *people):
    for person in people:
        segment = store.segments.at("airline", address)
        answers.answer(
            store, segment.id, person, verdict="approve", expected_version=segment.version
        )


def same_numbers(planned, done):
    one, other = asdict(planned), asdict(done)
    assert one.pop("dry_run") and not other.pop("dry_run")
    assert one == other


# -- first import ------------------------------------------------------------------------------


def test_every_text_of_a_domain_becomes_a_segment_with_its_draft(store, tiny):
    report = run(store, tiny)
    assert report.segments == {"policy": 8, "task": 10, "tool": 4, "message": 1}
    assert (report.added, report.translated, report.unaligned) == (23, 23, [])
    found = texts(store)
    assert found["policy.md#refunds/1"].target == "- 予約の返金は24時間以内に限ります。"
    assert found["tools.json#book/parameters/cabin/enum/economy"].target == "エコノミー"
    assert found["messages#user_not_found"].source == "User {user_id} not found"
    assert {(s.version, s.state, s.answered) for s in found.values()} == {(1, "draft", 0)}
    assert {s.kind for s in found.values() if s.needed == 3} == {"policy"}


def test_manuals_workflows_databases_and_guidelines_are_imported_too(store, sample):
    for domain in ("telecom", "user_simulator"):
        import_domain.import_domain(store, ImportRequest(sample / "tau2", domain))
    kinds = {s.kind for s in store.segments.all()}
    assert kinds == {
        "policy",
        "manual",
        "workflow",
        "task",
        "tool",
        "database",
        "message",
        "guideline",
    }


def test_an_import_without_tool_texts_says_what_the_export_lacks_and_how_to_give_them(store, tiny):
    (tiny.folder / "tools.json").rename(tiny.folder.parent / "schema.json")
    notes = run(store, tiny, draft=None).notes
    (note,) = [note for note in notes if note.code == "import.no_tools"]
    assert "--tools FILE" in str(note)
    given = import_domain.import_domain(
        store, replace(tiny.request(draft=None), tools=tiny.folder.parent / "schema.json")
    )
    assert given.changed and "import.no_tools" not in {note.code for note in given.notes}


def with_guides(sample, source="tau2", **more):
    return ImportRequest(sample / source, "airline", with_guides=True, **more)


@pytest.mark.parametrize("source", ["tau2", "tau2/domains/airline"])
def test_the_guidelines_beside_a_domain_come_along_once(store, sample, source):
    plan = import_domain.import_domain(store, with_guides(sample, source), dry_run=True)
    assert store.documents.domains() == []
    report = import_domain.import_domain(store, with_guides(sample, source))
    assert {info.name for info in store.documents.domains()} == {"airline", "user_simulator"}
    assert report.guides.added == len(list(store.segments.all("user_simulator"))) > 0
    same_numbers(plan.guides, report.guides)
    assert report.to_json()["guides"]["domain"] == "user_simulator"
    again = import_domain.import_domain(store, with_guides(sample, source))
    assert not again.changed and again.guides is None


def test_changed_guidelines_are_told_where_the_domain_is_as_it_was(store, sample, tmp_path):
    copied = tmp_path / "copy"
    shutil.copytree(sample / "tau2", copied / "tau2")
    import_domain.import_domain(store, with_guides(copied))
    guide = copied / "tau2" / "user_simulator" / "simulation_guidelines.md"
    guide.write_text(guide.read_text("utf-8") + "\nOne more rule.\n", "utf-8")
    report = import_domain.import_domain(store, with_guides(copied))
    assert not report.changed and report.guides.added == 1


def test_a_guideline_that_cannot_be_read_keeps_the_domain_out_too(store, sample, tmp_path):
    copied = tmp_path / "copy"
    shutil.copytree(sample / "tau2", copied / "tau2")
    (copied / "tau2" / "user_simulator" / "simulation_guidelines.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadInput, match=r"simulation_guidelines\.md"):
        import_domain.import_domain(store, with_guides(copied))
    assert store.documents.domains() == []


def test_files_without_guidelines_beside_them_are_imported_alone(store, tiny):
    report = import_domain.import_domain(store, replace(tiny.request(), with_guides=True))
    assert report.changed and report.guides is None


def test_without_a_draft_everything_is_untranslated(store, tiny):
    report = run(store, tiny, draft=None)
    assert (report.added, report.translated) == (23, 0)
    assert {(s.target, s.version, s.state) for s in texts(store).values()} == {
        (None, 0, "untranslated")
    }
    assert store.problems() == []


def test_what_has_no_counterpart_is_reported_with_the_reason_and_left_untranslated(store, tiny):
    tiny.change("policy.md", "- 返金には5営業日かかります。\n", "", draft=True)
    tiny.change("tasks.json", "窓側の席がほしいです。", " ", draft=True)
    report = run(store, tiny)
    reasons = {(item.side, item.address): str(item.reason) for item in report.unaligned}
    assert reasons["source", "policy.md#refunds/1"] == (
        "section 'Refunds': 2 list items in the source, 1 in the draft"
    )
    assert ("source", "tasks.json#1/user_scenario/instructions/reason_for_call") in reasons
    lost = [item.text for item in report.unaligned if item.side == "draft"]
    assert "- 予約の返金は24時間以内に限ります。" in lost
    assert texts(store)["policy.md#refunds/2"].state == "untranslated"
    assert store.documents.unaligned("airline") == report.unaligned


def test_the_glossary_comes_with_the_first_import_even_into_a_named_project(store, tiny):
    project.set_project(store, Project("Ours", "en", "ja"))
    run(store, tiny)
    assert store.people.project().name == "Ours"
    assert len(store.terms.all()) > 100


def test_the_import_is_told_of_each_file(store, tiny):
    seen = []
    import_domain.import_domain(store, tiny.request(), progress=lambda *step: seen.append(step))
    assert [what for _, _, what in seen][:2] == ["policy.md", "tasks.json"]
    assert seen[-1][:2] == (5, 5)


# -- again -------------------------------------------------------------------------------------


@pytest.mark.parametrize("draft", [True, False])
def test_importing_the_same_again_writes_nothing(imported, tiny, draft):
    before = dump(imported.path)
    report = run(imported, tiny, **({} if draft else {"draft": None}))
    assert not report.changed and report.added == 0
    assert report.segments == {"policy": 8, "task": 10, "tool": 4, "message": 1}
    assert dump(imported.path) == before


def test_a_changed_source_marks_exactly_its_segments_stale_and_keeps_the_verdicts(
    imported, tiny, crew
):
    approve(imported, "policy.md#refunds/1", crew.a, crew.b, crew.c)
    approve(imported, "policy.md#refunds/2", crew.a, crew.b, crew.c)
    before = texts(imported)
    tiny.change("policy.md", "24 hours", "48 hours")
    report = run(imported, tiny)
    assert (report.stale, report.added, report.removed) == (["policy.md#refunds/1"], 0, 0)
    after = texts(imported)
    changed = {address for address in after if after[address] != before[address]}
    assert changed == {"policy.md#refunds/1"}
    stale = after["policy.md#refunds/1"]
    assert (stale.state, stale.version, stale.answered) == ("stale", 1, 0)
    assert stale.target == before["policy.md#refunds/1"].target
    assert [d.verdict for d in imported.reviews.decisions(stale.id)] == ["approve"] * 3
    assert after["policy.md#refunds/2"].state == "approved"
    assert imported.problems() == []


def test_a_stale_text_is_approved_by_new_answers_only(imported, tiny, crew):
    address = "tasks.json#0/user_scenario/instructions/reason_for_call"
    approve(imported, address, crew.a)
    tiny.change("tasks.json", "cancel your flight", "cancel your trip")
    run(imported, tiny)
    assert texts(imported)[address].state == "stale"
    approve(imported, address, crew.b)
    assert texts(imported)[address].state == "approved"
    assert answers.undo(imported, crew.b).state == "stale"


def test_a_changed_source_without_translation_just_changes(store, tiny):
    run(store, tiny, draft=None)
    tiny.change("policy.md", "24 hours", "48 hours")
    report = run(store, tiny, draft=None)
    assert report.changed and report.stale == []
    changed = texts(store)["policy.md#refunds/1"]
    assert (changed.state, changed.source) == (
        "untranslated",
        "- Refund a booking only within 48 hours.",
    )


def test_removed_texts_retire_and_come_back_with_their_history(imported, tiny, crew):
    address = "tasks.json#2/user_scenario/instructions/reason_for_call"
    approve(imported, address, crew.a)
    path = tiny.folder / "tasks.json"
    whole = path.read_text()
    path.write_text(json.dumps(json.loads(whole)[:2]))
    report = run(imported, tiny)
    assert (report.removed, report.stale) == (3, [])
    assert report.segments["task"] == 7
    assert address not in texts(imported)
    path.write_text(whole)
    back = run(imported, tiny)
    assert (back.added, back.removed, back.stale) == (0, 0, [])
    assert texts(imported)[address].state == "approved"
    assert imported.problems() == []


def test_a_removed_file_retires_and_comes_back(imported, tiny, crew):
    approve(imported, "messages#user_not_found", crew.a)
    path = tiny.folder / "messages.json"
    whole = path.read_text()
    path.unlink()
    planned = run(imported, tiny, dry_run=True)
    report = run(imported, tiny)
    same_numbers(planned, report)
    assert report.removed == 1 and "message" not in report.segments
    assert "messages.json: no longer in the source" in map(str, report.notes)
    assert [d.file for d in imported.documents.of("airline")][-1] == "split_tasks.json"
    path.write_text(whole)
    planned = run(imported, tiny, dry_run=True)
    back = run(imported, tiny)
    same_numbers(planned, back)
    assert back.added == 0
    assert texts(imported)["messages#user_not_found"].state == "approved"
    assert imported.problems() == []


def test_a_new_file_takes_its_place_among_the_others(imported, tiny):
    (tiny.folder / "tech_manual.md").write_text("# Manual\n\nRestart the phone.\n")
    run(imported, tiny)
    files = [d.file for d in imported.documents.of("airline")]
    assert files[:3] == ["policy.md", "tech_manual.md", "tasks.json"]
    in_order = [s.file for s in imported.segments.all("airline")]
    assert in_order == sorted(in_order, key=files.index)
    seen, here = [], next(imported.segments.all("airline")).id
    while here:
        seen.append(here)
        here = imported.queue.step(QueueFilter(), imported.segments.get(here))
    assert seen == [s.id for s in imported.segments.all("airline")]


def test_moved_texts_keep_their_reviews(imported, tiny, crew):
    approve(imported, "policy.md#baggage/1", crew.a, crew.b, crew.c)
    tiny.change("policy.md", "## Refunds\n", "## Fees\n\nNone.\n\n## Refunds\n")
    report = run(imported, tiny)
    assert (report.added, report.stale, report.removed) == (2, [], 0)
    assert texts(imported)["policy.md#baggage/1"].state == "approved"


# -- new drafts --------------------------------------------------------------------------------


def test_a_new_draft_replaces_only_texts_nobody_touched(imported, tiny, crew):
    edited, judged = "policy.md#refunds/1", "policy.md#refunds/2"
    segment = imported.segments.at("airline", edited)
    answers.edit(imported, segment.id, crew.a, target="- 私の訳。", expected_version=1)
    approve(imported, judged, crew.b)
    tiny.change("policy.md", "。", "!", draft=True)
    report = run(imported, tiny)
    after = texts(imported)
    assert report.kept == [edited, judged]
    assert after[edited].target == "- 私の訳。"
    assert (after[judged].target, after[judged].version, after[judged].answered) == (
        "- 返金には5営業日かかります。",
        1,
        1,
    )
    new = after["policy.md#baggage/1"]
    assert (new.target, new.version, new.state) == ("追加の手荷物は1個7,500円です!", 2, "draft")
    assert [r.origin for r in imported.reviews.revisions(new.id)] == ["draft", "draft"]
    assert report.redrafted == 2
    assert imported.problems() == []


def test_an_undone_edit_still_keeps_a_new_draft_out(imported, tiny, crew):
    segment = imported.segments.at("airline", "policy.md#baggage/1")
    answers.edit(imported, segment.id, crew.a, target="訳", expected_version=1)
    answers.undo(imported, crew.a)
    tiny.change("policy.md", "7,500円です。", "7,500円。", draft=True)
    assert run(imported, tiny).kept == ["policy.md#baggage/1"]
    assert imported.problems() == []


def test_a_draft_that_comes_later_fills_in_what_is_untranslated(store, tiny):
    run(store, tiny, draft=None)
    report = run(store, tiny)
    assert (report.added, report.translated, report.redrafted) == (0, 23, 23)
    assert {(s.version, s.state) for s in texts(store).values()} == {(1, "draft")}
    assert store.problems() == []


# -- dry run, atomicity ------------------------------------------------------------------------


def changed_source(tiny):
    tiny.change("policy.md", "24 hours", "48 hours")
    tiny.change("policy.md", "## Baggage", "## Seats\n\nFree.\n\n## Baggage")
    tiny.change("policy.md", "7,500円です。", "7,500円。", draft=True)
    tasks = json.loads((tiny.folder / "tasks.json").read_text())
    (tiny.folder / "tasks.json").write_text(json.dumps(tasks[1:]))


def test_a_dry_run_of_a_first_import_writes_nothing_and_says_what_the_real_one_does(store, tiny):
    before = dump(store.path)
    planned = run(store, tiny, dry_run=True)
    assert dump(store.path) == before
    same_numbers(planned, run(store, tiny))


def test_a_dry_run_of_a_change_writes_nothing_and_says_what_the_real_one_does(imported, tiny, crew):
    approve(imported, "policy.md#baggage/1", crew.a)
    changed_source(tiny)
    before = dump(imported.path)
    planned = run(imported, tiny, dry_run=True)
    assert dump(imported.path) == before
    done = run(imported, tiny)
    same_numbers(planned, done)
    assert (done.removed, len(done.stale), done.added) == (3, 1, 2)


@pytest.mark.parametrize("again", [True, False])
def test_a_bad_file_leaves_the_database_as_it_was(store, tiny, crew, again):
    if again:
        run(store, tiny)
        changed_source(tiny)
    (tiny.folder / "tools.json").write_text('[{"type": "function"}]')
    before = dump(store.path)
    with pytest.raises(BadInput, match=r"tools\.json"):
        run(store, tiny)
    assert dump(store.path) == before


def test_an_import_that_is_interrupted_while_it_writes_leaves_nothing(imported, tiny):
    changed_source(tiny)
    tasks = json.loads((tiny.folder / "tasks.json").read_text())
    tasks.append({**tasks[0], "id": "9"})
    (tiny.folder / "tasks.json").write_text(json.dumps(tasks))
    with closing(sqlite3.connect(imported.path)) as db:
        db.execute(
            """CREATE TRIGGER full BEFORE INSERT ON segments WHEN NEW.address LIKE 'tasks.json#9%'
            BEGIN SELECT RAISE(ABORT, 'disk is full'); END"""
        )
    before = dump(imported.path)
    with pytest.raises(sqlite3.IntegrityError, match="disk is full"):
        run(imported, tiny)
    assert dump(imported.path) == before


def test_half_a_character_is_refused_with_its_address(store, tiny):
    tiny.change("tasks.json", "You are Ann.", "\\ud83d")
    with pytest.raises(BadInput) as caught:
        run(store, tiny)
    assert caught.value.address == "0/user_scenario/instructions/known_info"
    assert "tasks.json" in str(caught.value)
    assert store.documents.domains() == []


# -- line ends and export ----------------------------------------------------------------------


def test_files_with_windows_line_ends_come_back_byte_for_byte(store, tiny, tmp_path):
    for path, text in ((tiny.folder, POLICY), (tiny.draft, POLICY_JA)):
        (path / "policy.md").write_bytes(text.replace("\n", "\r\n").encode())
    run(store, tiny)
    export.export(store, tmp_path / "out", allow_incomplete=True)
    written = tmp_path / "out" / "data" / "tau2" / "domains" / "airline" / "policy.md"
    assert written.read_bytes() == (tiny.draft / "policy.md").read_bytes()


# -- a checkout --------------------------------------------------------------------------------

TOOLS_PY = '''
import a_library_that_nobody_has
raise SystemExit("this module was run")

class AirlineTools(ToolKitBase):
    @is_tool(ToolType.WRITE)
    def book_seat(self, cabin: Literal["economy", "business"], row: int = 1) -> str:
        """Book a seat.

        Args:
            cabin: The cabin of the seat.
        """
        raise ValueError(f"Cabin {cabin} is full")
'''


def test_tool_texts_of_a_checkout_are_read_and_never_run(store, tiny, tmp_path):
    checkout = tmp_path / "tau2-bench"
    folder = checkout / "data" / "tau2" / "domains" / "airline"
    folder.parent.mkdir(parents=True)
    tiny.folder.rename(folder)
    (folder / "tools.json").unlink()
    (folder / "messages.json").unlink()
    code = checkout / "src" / "tau2" / "domains" / "airline"
    code.mkdir(parents=True)
    (code / "tools.py").write_text(TOOLS_PY)
    import_domain.import_domain(store, ImportRequest(checkout, "airline"))
    found = {a: s.source for a, s in texts(store).items() if s.kind in ("tool", "message")}
    assert found == {
        "tools.json#book_seat/description": "Book a seat.",
        "tools.json#book_seat/parameters/cabin": "The cabin of the seat.",
        "tools.json#book_seat/parameters/cabin/enum/economy": "economy",
        "tools.json#book_seat/parameters/cabin/enum/business": "business",
        "messages#cabin_is_full": "Cabin {cabin} is full",
    }
