"""A release opens a new project that stands where it left off, or nothing is written."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile

import pytest
from hostile_files import SWAPPED, places
from release_project import SAMPLE, built, contents, make_ready, manifest, team
from sample_project import copied_sample

from review_app.errors import BadInput, ReviewError
from review_app.json_paths import put
from review_app.store import Store
from review_app.workflows.localization import entities, entity_edits
from review_app.workflows.release import build, reopening
from review_app.workflows.release.build import BuildOrder
from review_app.workflows.review import answers, glossary

SOURCE = SAMPLE / "tau2"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Release and project: edits, answers undone, another glossary, other people."""
    folder = tmp_path_factory.mktemp("released")
    store = Store(make_ready(folder, "retail"))
    people, texts = team(store), list(store.segments.all("retail"))
    first = next(text for text in texts if text.kind == "task")
    answers.edit(store, first.id, people.m, target="別の訳です。", expected_version=first.version)
    answers.undo(store, people.m)
    second = next(text for text in texts if text.kind == "tool")
    answers.edit(store, second.id, people.b, target="説明", expected_version=second.version)
    terms = store.terms.all()
    glossary.save_term(store, people.m, terms[0], None)
    person = next(row for row in entities.rows(store, "retail") if row.kind == "person")
    entity_edits.redraw(store, people.m, person)
    built(store, folder, allow_incomplete=True)
    yield folder / "first", store
    store.close()


def opened(folder, database, **more):
    return reopening.open_release(folder, database, SOURCE, **more)


def again(database, out):
    store = Store(database)
    person = next(p for p in store.people.all() if p.role == "maintainer")
    build.build(store, person, BuildOrder("first", out, allow_incomplete=True))
    return store


def test_built_again_it_has_the_same_bytes(released, tmp_path):
    folder, _ = released
    source = folder.parent / "tau2"
    report = reopening.open_release(folder, tmp_path / "new.db", source, person="Rika")
    again(tmp_path / "new.db", tmp_path).close()
    before, after = contents(folder), contents(tmp_path / "first")
    same = [place for place in before if before[place] == after.get(place)]
    of_benchmark = {place for place in before if place.startswith("data/")}
    assert of_benchmark <= set(same) and len(of_benchmark) > 5
    parts = (
        "glossary/glossary.csv",
        "glossary/entities/retail.csv",
        "outcomes.json",
        "changes.json",
    )
    assert {*parts, "STATISTICS.md", "review/marks.json"} <= set(same)
    assert report.domains == {"retail": len(list(released[1].segments.all("retail")))}
    assert report.people[-1] == "Rika" and report.patches and report.answers and report.entities


def test_every_text_stands_as_it_stood(released, tmp_path):
    folder, store = released
    report = opened(folder, tmp_path / "new.db")
    new = Store(tmp_path / "new.db")
    for old in store.segments.all("retail"):
        text = new.segments.get(old.id)
        assert (text.target, text.state, text.version) == (old.target, old.state, old.version)
        earlier, now = store.reviews.revisions(old.id), new.reviews.revisions(old.id)
        assert [(r.version, r.target, r.origin, r.created_at) for r in earlier] == [
            (r.version, r.target, r.origin, r.created_at) for r in now
        ]
        assert [(d.verdict, d.created_at) for d in store.reviews.decisions(old.id)] == [
            (d.verdict, d.created_at) for d in new.reviews.decisions(old.id)
        ]
    assert [p.name for p in new.people.all()][0] == "annotator-1"
    assert new.problems() == [] and not [n for n in report.notes if "was " in str(n)]
    assert any("not in a release: comments" in str(note) for note in report.notes)
    new.close()


def test_review_goes_on_in_the_new_project(released, tmp_path):
    opened(released[0], tmp_path / "new.db")
    new = Store(tmp_path / "new.db")
    waiting = next(text for text in new.segments.all("retail") if text.target == "説明")
    reader = new.people.named("annotator-3")
    assert waiting.state == "in_review"
    done = answers.answer(
        new, waiting.id, reader, verdict="approve", expected_version=waiting.version
    )
    assert done.state == "approved"
    assert answers.undo(new, new.people.named("annotator-2")).target != "説明"
    new.close()


def test_the_source_edition_opens_with_its_repairs(released, tmp_path):
    _, store = released
    built(store, tmp_path, "source", variant="tau-repaired", allow_incomplete=True)
    report = opened(tmp_path / "source", tmp_path / "new.db")
    new = Store(tmp_path / "new.db")
    assert report.domains == {"retail": 0} and report.patches > 1
    stored = [{p.patch.id: p.patch for p in db.patches.all("retail")} for db in (store, new)]
    assert stored[0] == stored[1]
    new.close()


def test_a_published_folder_gives_drafts_and_says_what_is_missing(tmp_path):
    shutil.copytree(SAMPLE / "draft_ja" / "retail", tmp_path / "given" / "retail_ja")
    report = opened(tmp_path / "given", tmp_path / "new.db", person="Rika")
    new = Store(tmp_path / "new.db")
    states = {text.state for text in new.segments.all("retail")}
    assert "draft" in states and report.domains["retail"] > 50
    assert {p.name: p.role for p in new.people.all()} == {"Rika": "maintainer"}
    said = [str(note) for note in report.notes]
    for part in ("glossary", "entities", "patches", "review record"):
        assert f"{part}: the release has none" in said
    new.close()


def test_what_the_source_no_longer_has_is_listed(released, tmp_path):
    source = copied_sample(tmp_path)
    tasks = source / "domains" / "retail" / "tasks.json"
    listed = json.loads(tasks.read_text("utf-8"))
    repaired = {p.patch.task_id for p in released[1].patches.in_force("retail", "ja")}
    gone = next(task for task in listed if task["id"] in repaired)
    listed.remove(gone)
    tasks.write_text(json.dumps(listed, indent=2), "utf-8")
    report = reopening.open_release(released[0], tmp_path / "new.db", source)
    said = "\n".join(map(str, report.notes))
    assert "retail/tasks.json: the source is another one" in said
    assert f"retail/{gone['id']}/" in said and "does not fit the source" in said
    assert f"tasks.json#{gone['id']}/" in said


# -- refused -----------------------------------------------------------------------------------


def refused(folder, tmp_path, match=None):
    before = contents(folder)
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patched, pytest.raises(ReviewError, match=match):
        patched.setattr(tempfile, "tempdir", str(scratch))
        opened(folder, tmp_path / "new.db")
    assert not list(tmp_path.glob("new.db*")) and contents(folder) == before
    assert not list(scratch.iterdir())


def resealed(folder):
    """Write the hashes anew, as somebody would who means harm."""
    stated = manifest(folder)
    stated["files"] = {
        place: hashlib.sha256(blob).hexdigest()
        for place, blob in contents(folder).items()
        if place != "MANIFEST.json"
    }
    (folder / "MANIFEST.json").write_text(json.dumps(stated), "utf-8")


@pytest.fixture
def copied(released, tmp_path):
    shutil.copytree(released[0], tmp_path / "copied")
    return tmp_path / "copied"


def test_a_release_whose_checksums_fail_is_refused(copied, tmp_path):
    place = copied / "data/tau2/domains/retail_ja/policy.md"
    place.write_text("# x\n", "utf-8")
    refused(copied, tmp_path, "not as it was written .*policy.md")


def test_a_database_that_is_there_stays(released, tmp_path):
    (tmp_path / "new.db").write_bytes(b"mine")
    with pytest.raises(BadInput, match="is there already"):
        opened(released[0], tmp_path / "new.db")
    assert (tmp_path / "new.db").read_bytes() == b"mine"


def test_a_folder_without_a_release_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", tmp_path, "holds no release")


def change_line(folder, change):
    path = folder / "review" / "decisions.jsonl"
    lines = path.read_text("utf-8").split("\n")
    lines[0] = change(json.loads(lines[0]))
    path.write_text("\n".join(lines), "utf-8")
    resealed(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: {**line, "address": 5}, "record has it|as a release has it"),
        (lambda line: {**line, "state": "fine"}, "as a release has it"),
        (lambda line: {**line, "counts_from": 10**9}, "that it does not have"),
        (lambda line: {**line, "version": 9}, "that it does not have"),
        (lambda line: {**line, "versions": [line["versions"][0]] * 2}, "that it does not have"),
        (lambda line: {**line, "recheck": "\ud800"}, "half a character"),
        (
            lambda line: {**line, "versions": [{**v, "author": "x"} for v in line["versions"]]},
            "nobody is named 'x'",
        ),
        (
            lambda line: {**line, "versions": [{**v, "at": "now"} for v in line["versions"]]},
            "as a release has it",
        ),
    ],
)
def test_a_record_that_was_tampered_with_is_refused(copied, tmp_path, change, said):
    change_line(copied, lambda line: json.dumps(change(line)))
    refused(copied, tmp_path, said)


def test_a_line_twice_and_no_json_are_refused_with_file_and_line(copied, tmp_path):
    path = copied / "review" / "decisions.jsonl"
    raw = path.read_text("utf-8")
    path.write_text(raw + raw.split("\n")[0], "utf-8")
    resealed(copied)
    refused(copied, tmp_path, r"decisions\.jsonl#line \d+: .*second time")
    change_line(copied, lambda line: "{")
    refused(copied, tmp_path, r"decisions\.jsonl#line 1: is not JSON")


@pytest.mark.parametrize("file", ["MANIFEST.json", "changes.json"])
def test_any_value_swapped_is_refused_or_harmless(copied, tmp_path, file):
    """One place after the other gets a hostile value: a refusal or an opened project, no crash."""
    whole = json.loads((copied / file).read_text("utf-8"))
    if file == "MANIFEST.json":
        whole = {name: whole[name] for name in ("release", "recipe", "domains", "files")}
        spots = [p for p in places(whole) if p and p[0] != "files"] + [("files",)]
    else:
        patch = whole["retail"]["patches"][0]
        patch["evidence"] = [{"kind": "link", "ref": "x", "note": ""}]
        whole["retail"]["patches"] = [patch]
        spots = list(places(whole))
    for number, spot in enumerate(spots):
        swapped = SWAPPED[(7 * number) % len(SWAPPED)]
        text = json.dumps(put(whole, spot, swapped) if spot else swapped)
        (copied / file).write_text(text, "utf-8")
        if file != "MANIFEST.json":
            resealed(copied)
        database = tmp_path / f"{number}.db"
        try:
            opened(copied, database)
        except ReviewError:
            assert not database.exists()


@pytest.mark.parametrize("name", ["../../../x", "/etc", "a/b", ""])
def test_names_of_folders_lead_nowhere_else(copied, tmp_path, name):
    stated = manifest(copied)
    stated["domains"]["retail"]["name"] = name
    (copied / "MANIFEST.json").write_text(json.dumps(stated), "utf-8")
    change_line(copied, lambda line: "")
    (copied / "review" / "decisions.jsonl").write_text("", "utf-8")
    resealed(copied)
    refused(copied, tmp_path)


def test_a_patch_that_its_proposer_approved_is_refused(copied, tmp_path):
    path = copied / "changes.json"
    changes = json.loads(path.read_text("utf-8"))
    changes["retail"]["patches"][0]["approved_by"] = changes["retail"]["patches"][0]["proposed_by"]
    path.write_text(json.dumps(changes), "utf-8")
    resealed(copied)
    refused(copied, tmp_path, "by one person")
