"""Reviewed files in the benchmark's own layout: complete or absent."""

from __future__ import annotations

import errno
import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tiny_benchmark import dump, unchecked

from review_app.errors import BadInput, ExportBlocked
from review_app.store import Store
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.release import export as release_export
from review_app.workflows.review import answers, import_domain
from review_app.workflows.review.import_domain import ImportRequest

DOMAIN = ("data", "tau2", "domains", "airline")


def export(store, folder, **options):
    return release_export.export(store, folder, **{"allow_incomplete": True} | options)


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def approve_all(store, crew):
    for segment in list(store.segments.all()):
        for person in (crew.a, crew.b, crew.c)[: segment.needed]:
            answers.answer(
                store, segment.id, person, verdict="approve", expected_version=segment.version
            )


# -- what is written ---------------------------------------------------------------------------


def test_an_unreviewed_draft_comes_back_byte_for_byte(imported, tiny, tmp_path):
    report = export(imported, tmp_path / "out")
    written = tmp_path.joinpath("out", *DOMAIN)
    for path in tiny.draft.iterdir():
        assert (written / path.name).read_bytes() == path.read_bytes()
    source = (tiny.folder / "split_tasks.json").read_bytes()
    assert (written / "split_tasks.json").read_bytes() == source
    files = contents(tmp_path / "out")
    manifest = json.loads(files.pop("MANIFEST.json"))
    assert manifest["files"] == report.files
    assert manifest["files"] == {n: hashlib.sha256(blob).hexdigest() for n, blob in files.items()}
    assert manifest["complete"] is False


def test_reviewed_texts_are_written_and_nothing_else_changes(imported, tiny, crew, tmp_path):
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    text = '- 返金は"24"時間以内。'
    answers.edit(imported, segment.id, crew.a, target=text, expected_version=1)
    export(imported, tmp_path / "out")
    written = tmp_path.joinpath("out", *DOMAIN, "policy.md").read_text()
    assert written == (tiny.draft / "policy.md").read_text().replace(segment.target, text)


def test_the_layout_of_a_draft_stays_where_it_is_unlike_the_sources(store, tiny, tmp_path):
    tiny.change("policy.md", "## 手荷物", "\n## 手荷物 ##", draft=True)
    tasks = tiny.draft / "tasks.json"
    tasks.write_text(json.dumps(json.loads(tasks.read_text("utf-8")), indent=4), encoding="utf-8")
    import_domain.import_domain(store, tiny.request())
    export(store, tmp_path / "out")
    for name in ("policy.md", "tasks.json"):
        written = tmp_path.joinpath("out", *DOMAIN, name).read_bytes()
        assert written == (tiny.draft / name).read_bytes()


def test_texts_of_a_database_are_written_wherever_they_stand(store, sample, crew, tmp_path):
    import_domain.import_domain(store, ImportRequest(sample / "tau2", "retail"))
    segment = next(text for text in store.segments.all("retail") if text.kind == "database")
    answers.edit(store, segment.id, crew.a, target="訳した名前", expected_version=0)
    export(store, tmp_path / "out")
    before, after = (
        (folder / "domains" / "retail" / "db.json").read_text("utf-8")
        for folder in (sample / "tau2", tmp_path / "out" / "data" / "tau2")
    )
    assert "訳した名前" in after
    assert json.loads(after).keys() == json.loads(before).keys()


def test_the_source_stands_where_there_is_no_text_yet(store, tiny, crew, tmp_path):
    import_domain.import_domain(store, tiny.request(draft=None))
    export(store, tmp_path / "out")
    written = contents(tmp_path.joinpath("out", *DOMAIN))
    assert written == contents(tiny.folder)


def test_what_is_not_approved_is_listed_and_nothing_is_written(imported, crew, tmp_path):
    approve_all(imported, crew)
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    answers.edit(imported, segment.id, crew.a, target="- 別。", expected_version=1)
    with pytest.raises(ExportBlocked) as caught:
        export(imported, tmp_path / "out", allow_incomplete=False)
    assert caught.value.missing == ("airline/policy.md#refunds/1: in_review",)
    assert not (tmp_path / "out").exists()


def test_approved_domains_are_exported_and_say_so(imported, crew, tmp_path):
    approve_all(imported, crew)
    report = export(imported, tmp_path / "out", allow_incomplete=False)
    assert report.missing == []
    assert json.loads((tmp_path / "out" / "MANIFEST.json").read_text())["complete"] is True


def test_a_stale_text_blocks_the_export(imported, tiny, crew, tmp_path):
    approve_all(imported, crew)
    tiny.change("policy.md", "24 hours", "48 hours")
    import_domain.import_domain(imported, tiny.request())
    with pytest.raises(ExportBlocked, match="stale"):
        export(imported, tmp_path / "out", allow_incomplete=False)


def test_the_same_database_gives_the_same_bytes(imported, tmp_path):
    export(imported, tmp_path / "one")
    export(imported, tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_importing_the_export_as_the_draft_changes_nothing(imported, tiny, crew, tmp_path):
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    answers.edit(imported, segment.id, crew.a, target="- 別。", expected_version=1)
    export(imported, tmp_path / "out")
    before = dump(imported.path)
    request = ImportRequest(tiny.source, "airline", draft=tmp_path.joinpath("out", *DOMAIN))
    with unchecked():
        report = import_domain.import_domain(imported, request)
    assert (report.redrafted, report.kept, report.stale, report.added) == (0, [], [], 0)
    after = dump(imported.path)
    assert after["segments"] == before["segments"]
    assert after["revisions"] == before["revisions"]
    export(imported, tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "out")


def test_one_domain_can_be_exported_alone(imported, sample, tmp_path):
    import_domain.import_domain(imported, ImportRequest(sample / "tau2", "user_simulator"))
    report = export(imported, tmp_path / "out", domain="user_simulator")
    assert {name.split("/")[2] for name in report.files} == {"user_simulator"}


def test_without_an_import_there_is_nothing_to_export(store, tmp_path):
    with pytest.raises(BadInput, match="import"):
        export(store, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_removed_file_is_not_exported_any_more(imported, tiny, tmp_path):
    (tiny.folder / "messages.json").unlink()
    import_domain.import_domain(imported, tiny.request())
    export(imported, tmp_path / "out")
    assert not tmp_path.joinpath("out", *DOMAIN, "messages.json").exists()


# -- where to ----------------------------------------------------------------------------------


def test_an_earlier_export_is_replaced_as_a_whole(imported, tiny, crew, tmp_path):
    export(imported, tmp_path / "out")
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    answers.edit(imported, segment.id, crew.a, target="- 別。", expected_version=1)
    export(imported, tmp_path / "out")
    assert "- 別。" in tmp_path.joinpath("out", *DOMAIN, "policy.md").read_text()
    assert [path.name for path in tmp_path.glob(".export-*")] == []


def test_a_folder_that_git_keeps_is_free_and_stays_kept(imported, tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / ".gitkeep").touch()
    for _ in range(2):
        export(imported, folder)
        assert (folder / ".gitkeep").exists() and (folder / "MANIFEST.json").exists()


@pytest.mark.parametrize("exported", [True, False], ids=["in an earlier export", "alone"])
def test_files_of_somebody_else_are_never_replaced(imported, tmp_path, exported):
    folder = tmp_path / "out"
    if exported:
        export(imported, folder)
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "mine.txt").write_text("keep me")
    before = contents(folder)
    with pytest.raises(BadInput, match=r"notes/mine\.txt"):
        export(imported, folder)
    assert contents(folder) == before


def test_a_file_is_no_folder(imported, tmp_path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(BadInput, match="is a file"):
        export(imported, tmp_path / "out")
    with pytest.raises(BadInput, match="cannot be written"):
        export(imported, tmp_path / "out" / "inside")
    assert (tmp_path / "out").read_text() == "x"


def test_an_export_that_fails_at_a_late_file_leaves_the_earlier_one(imported, tmp_path):
    export(imported, tmp_path / "out")
    before = contents(tmp_path / "out")
    with closing(sqlite3.connect(imported.path)) as db:
        # The last file cannot be written: its name is that of a folder that is too long.
        db.execute("UPDATE documents SET file = ? WHERE file = 'split_tasks.json'", ("x" * 300,))
        db.commit()
    with pytest.raises(BadInput, match="cannot be written"):
        export(imported, tmp_path / "out")
    assert contents(tmp_path / "out") == before
    with pytest.raises(BadInput):
        export(imported, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert list(tmp_path.glob(".export-*")) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "{}", '{"files": 3}', '{"files": null}'],
    ids=["empty", "cut off", "a list", "a number", "no files", "a number of files", "null"],
)
def test_a_manifest_that_cannot_be_read_makes_a_folder_somebody_elses(imported, tmp_path, text):
    folder = tmp_path / "out"
    export(imported, folder)
    (folder / "MANIFEST.json").write_text(text)
    before = contents(folder)
    with pytest.raises(BadInput, match=r"MANIFEST\.json: is not a manifest of an export"):
        export(imported, folder)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "place", ["", ".", "MANIFEST.json", "./MANIFEST.json", "..", "/a", "a/../b"]
)
def test_a_place_that_is_none_inside_the_folder_writes_nothing(tmp_path, place):
    with pytest.raises(BadInput, match="no place inside"):
        folder_swap.publish(tmp_path / "out", [("a.md", "x"), (place, "y")], {})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_far_down_is_made(imported, tmp_path):
    export(imported, tmp_path / "some" / "where" / "out")
    assert (tmp_path / "some" / "where" / "out" / "MANIFEST.json").is_file()


def test_files_are_written_beside_their_place_and_told_one_by_one(imported, tmp_path):
    reported, beside = [], set()

    def progress(done, total, what):
        reported.append((done, total, what))
        beside.update(path.name[:8] for path in tmp_path.glob(".*"))

    report = export(imported, tmp_path / "out", progress=progress)
    assert beside == {".export-"} and list(tmp_path.glob(".export-*")) == []
    names = [f"airline/{place.rpartition('/')[2]}" for place in report.files]
    count = len(names)
    assert reported == [
        *((at, count, name) for at, name in enumerate(names)),
        (count, count, "airline"),
    ]


def refused_once(monkeypatch, place):
    """Let the disk refuse once to put something at a place, and take it afterwards."""
    rename, refused = Path.rename, []

    def renamed(path, target):
        if Path(target) == place and not refused:
            refused.append(path)
            raise PermissionError(errno.EACCES, "no permission")
        return rename(path, target)

    monkeypatch.setattr(folder_swap, "exchanged", lambda one, other: False)
    monkeypatch.setattr(Path, "rename", renamed)
    return refused


@pytest.mark.parametrize("earlier", [True, False], ids=["over an earlier export", "anew"])
def test_an_export_that_cannot_be_put_in_its_place_leaves_what_was_there(
    imported, crew, tmp_path, monkeypatch, earlier
):
    folder = tmp_path / "out"
    if earlier:
        export(imported, folder)
    before = contents(folder)
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    answers.edit(imported, segment.id, crew.a, target="- 別。", expected_version=1)
    refused = refused_once(monkeypatch, folder)
    with pytest.raises(BadInput, match="no permission"):
        export(imported, folder)
    assert refused and contents(folder) == before and folder.exists() == earlier
    assert list(tmp_path.glob(".export-*")) == []
    export(imported, folder)
    assert "- 別。" in folder.joinpath(*DOMAIN, "policy.md").read_text()


def test_an_export_is_one_state_of_the_database(imported, crew, tmp_path):
    other = Store(imported.path)
    segment = other.segments.at("airline", "messages#user_not_found")
    rule = other.segments.at("airline", "policy.md#refunds/1")

    def somebody_saves(done, total, what):
        if what == "airline/tasks.json":
            for waiting in (segment, rule):
                answers.edit(other, waiting.id, crew.a, target="途中の訳", expected_version=1)

    export(imported, tmp_path / "out", progress=somebody_saves)
    other.close()
    written = contents(tmp_path / "out")
    assert not any("途中の訳".encode() in blob for blob in written.values())
    export(imported, tmp_path / "out")
    assert any("途中の訳".encode() in blob for blob in contents(tmp_path / "out").values())


# -- swapped in one step -----------------------------------------------------------------------


def test_two_folders_change_places_in_one_step(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "name").write_text(name)
    if not folder_swap.exchanged(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this system cannot let two folders change places")
    assert (tmp_path / "one" / "name").read_text() == "other"
    assert (tmp_path / "other" / "name").read_text() == "one"
    assert not folder_swap.exchanged(tmp_path / "one", tmp_path / "nowhere")


def left_behind(folder, name="out"):
    """What a build leaves that was killed after it moved the earlier folder aside."""
    (folder / "old").mkdir(parents=True)
    (folder / "old" / "a.txt").write_text("old")
    (folder / "built").mkdir()
    (folder / ".jtau-build").write_text(name)


def test_what_a_killed_build_left_is_cleared_and_what_it_moved_goes_back(tmp_path):
    left_behind(tmp_path / ".export-killed")
    (tmp_path / ".export-mine").mkdir()
    (tmp_path / ".export-mine" / "notes").write_text("keep me")
    folder_swap.publish(tmp_path / "other", [("a.txt", b"\xff")], {})
    assert {path.name for path in tmp_path.iterdir()} == {"out", "other", ".export-mine"}
    assert (tmp_path / "out" / "a.txt").read_text() == "old"
    assert (tmp_path / "other" / "a.txt").read_bytes() == b"\xff"


def test_what_is_there_again_is_not_replaced_by_what_a_killed_build_moved(tmp_path):
    left_behind(tmp_path / ".export-killed")
    (tmp_path / "out").mkdir()
    folder_swap.publish(tmp_path / "other", [("a.txt", "x")], {})
    assert list((tmp_path / "out").iterdir()) == []


def test_a_leftover_that_names_another_place_leads_nowhere_else(tmp_path):
    left_behind(tmp_path / "here" / ".export-killed", "../out")
    folder_swap.publish(tmp_path / "here" / "other", [("a.txt", "x")], {})
    assert not (tmp_path / "out").exists()


def test_what_another_build_is_busy_with_is_left_alone(tmp_path):
    def files():
        yield "a.txt", "outer"
        folder_swap.publish(tmp_path / "inner", [("a.txt", "inner")], {})
        yield "b.txt", "outer"

    folder_swap.publish(tmp_path / "outer", files(), {})
    assert set(contents(tmp_path / "outer")) == {"a.txt", "b.txt", "MANIFEST.json"}
    assert (tmp_path / "inner" / "a.txt").read_text() == "inner"
