"""A release: what is in it, the same bytes again, complete or absent, signed by two."""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path

import pytest
from curation_project import proposal, say
from release_project import LICENCE, PICTURE, built, contents, manifest, team

from review_app.errors import BadInput, NotAllowed, NotFound, ReviewError
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.curation import patches
from review_app.workflows.release import build, signatures
from review_app.workflows.release.build import BuildOrder
from review_app.workflows.release.gates import ReleaseBlocked
from review_app.workflows.release.task_changes import ranges
from review_app.workflows.review import answers

DOMAIN = "data/tau2/domains/retail_ja"


def change_a_text(store, target="別の訳です。"):
    text = next(text for text in store.segments.all("retail") if text.kind == "task")
    people = team(store)
    answers.edit(store, text.id, people.m, target=target, expected_version=text.version)
    now = store.segments.get(text.id)
    answers.answer(store, now.id, people.a, verdict="approve", expected_version=now.version)
    return text


# -- what is in it -----------------------------------------------------------------------------


def test_a_release_has_all_its_parts_and_a_manifest_of_them(ready, tmp_path):
    done = built(ready, tmp_path / "out", note="for the test")
    files = contents(tmp_path / "out" / "first")
    stated = json.loads(files.pop("MANIFEST.json"))
    assert stated["files"] == {n: hashlib.sha256(blob).hexdigest() for n, blob in files.items()}
    assert stated["origins"].keys() == files.keys()
    assert {f"{DOMAIN}/{name}" for name in ("tasks.json", "db.json", "policy.md")} <= files.keys()
    assert {f"{DOMAIN}/{name}" for name in ("tools.json", "messages.json")} <= files.keys()
    assert {
        "ATTRIBUTION.md",
        "LICENSE",
        "README.md",
        "STATISTICS.md",
        "TASK_CHANGES.md",
        "TASK_CHANGES_EN.md",
        "changes.json",
        "croissant.json",
        "glossary/glossary.csv",
        "glossary/glossary.tbx",
        "outcomes.json",
        "review/decisions.jsonl",
        "review/marks.json",
        "review/people.csv",
    } <= files.keys()
    assert stated["complete"] is True and stated["missing"] == {} and stated["blockers"] == []
    assert stated["recipe"]["variant"] == "j-tau" and stated["note"] == "for the test"
    assert stated["domains"]["retail"]["sources"].keys() >= {"tasks.json", "db.json"}
    assert done.release is not None and done.release.complete


def test_files_are_told_apart_as_localized_copied_and_generated(ready, tmp_path):
    built(ready, tmp_path)
    origins = manifest(tmp_path / "first")["origins"]
    files = contents(tmp_path / "first")
    assert files[f"{DOMAIN}/workflows/steps.png"] == PICTURE
    assert files["LICENSE"].decode() == LICENCE
    assert origins[f"{DOMAIN}/workflows/steps.png"] == origins["LICENSE"] == "copied"
    assert origins[f"{DOMAIN}/split_tasks.json"] == "copied"
    assert origins[f"{DOMAIN}/db.json"] == origins[f"{DOMAIN}/tasks.json"] == "localized"
    assert origins["README.md"] == origins[f"{DOMAIN}/agent_prompt.md"] == "generated"
    assert set(origins.values()) == {"localized", "copied", "generated"}


def test_tasks_keep_order_ids_and_form_of_the_source(ready, tmp_path, sample):
    built(ready, tmp_path)
    source = (sample / "tau2" / "domains" / "retail" / "tasks.json").read_text("utf-8")
    text = (tmp_path / "first" / DOMAIN / "tasks.json").read_text("utf-8")

    def shape(value):
        if isinstance(value, dict):
            return {name: shape(member) for name, member in value.items()}
        return [shape(entry) for entry in value] if isinstance(value, list) else type(value)

    before, after = json.loads(source), json.loads(text)
    assert [task["id"] for task in after] == [task["id"] for task in before]
    assert [list(task) for task in after] == [list(task) for task in before]
    untouched = [at for at, task in enumerate(before) if task["id"] in ("0", "1", "2")]
    assert [shape(after[at]) for at in untouched] == [shape(before[at]) for at in untouched]
    assert text.endswith("\n") == source.endswith("\n") and "\\u" not in text
    assert text.split("\n")[1][:6] == source.split("\n")[1][:6]


def test_people_are_pseudonyms_unless_somebody_wants_their_names(ready, tmp_path):
    wanted = proposal(ready, "retail", "1", say("Say what Mio says."))
    people = team(ready)
    patches.reject(ready, people.n, patches.propose(ready, people.m, wanted).id, note="no")
    text = next(text for text in ready.segments.all("retail") if text.kind == "policy")
    note = "ask Mio, not Miori"
    answers.answer(
        ready, text.id, people.c, verdict="approve", note=note, expected_version=text.version
    )
    built(ready, tmp_path)
    built(ready, tmp_path, "named", with_names=True)
    first = contents(tmp_path / "first")
    written = b"".join(
        blob for place, blob in first.items() if not place.startswith(("data/", "glossary/"))
    )
    for name in (b"Aki", b"Ben", b"Chie", b"Mio,", b"Nao"):
        assert name not in written
    assert b"ask maintainer-4, not Miori" in written and b"annotator-1" in written
    named = (tmp_path / "named" / "review" / "decisions.jsonl").read_text("utf-8")
    assert "Chie" in named and note in named


def test_the_review_record_has_every_decision(ready, tmp_path):
    built(ready, tmp_path)
    lines = (tmp_path / "first" / "review" / "decisions.jsonl").read_text("utf-8").splitlines()
    record = [json.loads(line) for line in lines]
    texts = list(ready.segments.all("retail"))
    assert [entry["address"] for entry in record] == [text.address for text in texts]
    policy = next(entry for entry in record if entry["address"].startswith("policy.md"))
    assert policy["needed"] == 3 and len(policy["decisions"]) >= 3
    assert {entry["state"] for entry in record} == {"approved"}


def test_changed_tasks_are_listed_in_two_languages_with_their_groups(ready, tmp_path):
    built(ready, tmp_path)
    folder = tmp_path / "first"
    changes = json.loads((folder / "changes.json").read_text("utf-8"))["retail"]
    english = (folder / "TASK_CHANGES_EN.md").read_text("utf-8")
    japanese = (folder / "TASK_CHANGES.md").read_text("utf-8")
    in_force = ready.patches.in_force("retail", "ja")
    assert [patch["id"] for patch in changes["patches"]] and {
        patch["id"] for patch in changes["patches"]
    } == {stored.patch.id for stored in in_force}
    for patch in changes["patches"]:
        assert f"| {patch['task_id']} |" in english and patch["reason"].split("|")[0] in english
    assert "### Modified due to localization\n\nNone." in english
    assert "### ローカライズに伴う修正\n\nありません。" in japanese
    statistics = (folder / "STATISTICS.md").read_text("utf-8")
    repaired = len({patch["task_id"] for patch in changes["patches"]})
    assert f"| retail_ja | 12 | {12 - repaired} | {repaired} | 0 | 0 |" in statistics


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (["6", "7"], "6, 7"),
        ([str(n) for n in range(5, 15)] + ["35"], "5–14, 35"),
        (["a", "b"], "a, b"),
        ([], ""),
    ],
)
def test_task_ids_in_few_words(tasks, said):
    assert ranges(tasks) == said


def test_the_card_has_front_matter_and_both_languages(ready, tmp_path):
    built(ready, tmp_path, note="第一版")
    card = (tmp_path / "first" / "README.md").read_text("utf-8")
    _, front, body = card.split("---\n", 2)
    assert 'license: "mit"' in front and 'data_files: "data/tau2/domains/retail_ja' in front
    assert "## English" in body and "## 日本語" in body and body.count("第一版") == 2
    croissant = json.loads((tmp_path / "first" / "croissant.json").read_text("utf-8"))
    stated = manifest(tmp_path / "first")["files"]
    listed = {entry["contentUrl"]: entry["sha256"] for entry in croissant["distribution"]}
    assert listed == {place: sha for place, sha in stated.items() if place != "croissant.json"}
    assert croissant["datePublished"] == ready.releases.revision().at[:10]


# -- the same, and nothing else ----------------------------------------------------------------


def test_the_same_state_of_the_project_gives_the_same_bytes(ready, tmp_path):
    built(ready, tmp_path / "one")
    first = contents(tmp_path / "one" / "first")
    again = built(ready, tmp_path / "one").release
    built(ready, tmp_path / "two")
    assert contents(tmp_path / "one" / "first") == contents(tmp_path / "two" / "first") == first
    assert again is not None and len(signatures.releases(ready)) == 2


def test_nothing_of_the_clock_or_the_machine_is_in_a_release(ready, tmp_path):
    built(ready, tmp_path)
    blobs = contents(tmp_path / "first").values()
    assert not any(str(tmp_path).encode() in blob for blob in blobs)


def test_a_dry_run_makes_everything_and_writes_nothing(ready, tmp_path):
    order = BuildOrder("first", tmp_path / "out")
    planned = build.build(ready, team(ready).m, order, dry_run=True)
    assert not (tmp_path / "out").exists() and planned.release is None
    assert signatures.releases(ready) == []
    done = built(ready, tmp_path / "out")
    assert done.manifest == planned.manifest


def test_progress_is_told(ready, tmp_path):
    told = []
    order = BuildOrder("first", tmp_path)
    build.build(ready, team(ready).m, order, progress=lambda *step: told.append(str(step[2])))
    assert "retail/tasks.json" in told and "retail: checks" in told


def test_what_blocks_is_listed_where_it_is_allowed(ready, tmp_path):
    change_a_text(ready)
    text = next(text for text in ready.segments.all("retail") if text.kind == "tool")
    answers.edit(ready, text.id, team(ready).a, target="途中", expected_version=text.version)
    with pytest.raises(ReleaseBlocked, match=r"1 place blocks the release \(pending 1\)"):
        built(ready, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    built(ready, tmp_path / "out", allow_incomplete=True)
    stated = manifest(tmp_path / "out" / "first")
    assert stated["complete"] is False and stated["missing"] == {"pending": 1}
    assert [entry["place"] for entry in stated["blockers"]] == [f"retail/{text.address}"]
    assert stated["domains"]["retail"]["stand_ins"] == [text.address]
    assert "**not complete**" in (tmp_path / "out" / "first" / "README.md").read_text("utf-8")


def test_who_builds_is_a_maintainer_and_names_what_is_there(ready, tmp_path):
    with pytest.raises(NotAllowed):
        build.build(ready, team(ready).a, BuildOrder("first", tmp_path / "out"))
    with pytest.raises(NotFound, match="airline"):
        built(ready, tmp_path / "out", domains=("airline",))
    with pytest.raises(BadInput, match="no name of a folder"):
        built(ready, Path("a\0b"))
    assert not (tmp_path / "out").exists()


def test_somebody_who_changes_the_project_meanwhile_stops_the_build(ready, tmp_path, monkeypatch):
    check = build.gates.check

    def checked(store, *given, **options):
        done = check(store, *given, **options)
        other = Store(store.path)
        change_a_text(other)
        other.close()
        return done

    monkeypatch.setattr(build.gates, "check", checked)
    with pytest.raises(ReviewError, match="build again"):
        built(ready, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# -- complete or absent ------------------------------------------------------------------------


def test_a_disk_that_is_full_leaves_the_earlier_release(ready, tmp_path, monkeypatch):
    built(ready, tmp_path)
    before = contents(tmp_path / "first")
    change_a_text(ready)
    write = Path.write_bytes

    def full(path, blob):
        if path.name == "STATISTICS.md":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, blob)

    monkeypatch.setattr(Path, "write_bytes", full)
    for name in ("first", "second"):
        with pytest.raises(BadInput, match="No space left"):
            built(ready, tmp_path, name)
    assert contents(tmp_path / "first") == before
    assert not (tmp_path / "second").exists()
    assert list(tmp_path.glob(f"{folder_swap.SCRATCH}*")) == []
    assert [release.name for release in signatures.releases(ready)] == ["first"]


def test_a_folder_that_may_not_be_written_is_named(ready, tmp_path, monkeypatch):
    def refused(*given, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(folder_swap.tempfile, "mkdtemp", refused)
    with pytest.raises(BadInput, match="Permission denied"):
        built(ready, tmp_path / "out")
    assert not (tmp_path / "out" / "first").exists()


def test_what_somebody_else_put_there_is_never_touched(ready, tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "mine.txt").write_text("keep me")
    (tmp_path / ".export-mine").mkdir()
    (tmp_path / ".export-mine" / "notes.txt").write_text("keep me too")
    with pytest.raises(BadInput, match=r"mine\.txt"):
        built(ready, tmp_path)
    built(ready, tmp_path, "second")
    assert (tmp_path / ".export-mine" / "notes.txt").exists()
    assert contents(tmp_path / "first") == {"mine.txt": b"keep me"}


# -- signed by two -----------------------------------------------------------------------------


def test_two_different_maintainers_sign_a_release(ready, tmp_path):
    people = team(ready)
    built(ready, tmp_path, note="one")
    with pytest.raises(NotAllowed):
        signatures.sign(ready, people.a, "first")
    project.change_person(ready, people.n, role="maintainer", active=False)
    with pytest.raises(NotAllowed):
        signatures.sign(ready, team(ready).n, "first")
    project.change_person(ready, people.n, role="maintainer", active=True)
    assert not signatures.sign(ready, people.m, "first").signed
    with pytest.raises(ReviewError, match="another maintainer"):
        signatures.sign(ready, people.m, "first")
    signed = signatures.sign(ready, people.n, "first")
    assert signed.signed and [s.person_id for s in signed.signatures] == [people.m.id, people.n.id]
    assert (signed.name, signed.note, signed.domains) == ("first", "one", ("retail",))
    with pytest.raises(NotFound, match="first"):
        signatures.sign(ready, people.m, "other")


def test_the_same_content_built_again_stays_signed_and_another_has_no_signature(ready, tmp_path):
    people = team(ready)
    built(ready, tmp_path)
    signatures.sign(ready, people.m, "first")
    assert len(built(ready, tmp_path).release.signatures) == 1
    change_a_text(ready)
    assert built(ready, tmp_path).release.signatures == ()
    signatures.sign(ready, people.m, "first")
    signatures.sign(ready, people.n, "first")
    assert built(ready, tmp_path).release.signed
    change_a_text(ready, "また別の訳です。")
    with pytest.raises(ReviewError, match="another name"):
        built(ready, tmp_path)
    built(ready, tmp_path, "second")


def test_what_is_incomplete_changed_or_gone_is_not_signed(ready, tmp_path):
    people = team(ready)
    built(ready, tmp_path)
    stated = tmp_path / "first" / "MANIFEST.json"
    text = stated.read_text("utf-8")
    stated.write_text(text.replace("retail", "retall", 1), encoding="utf-8")
    with pytest.raises(ReviewError, match="not as it was built"):
        signatures.sign(ready, people.m, "first")
    stated.unlink()
    with pytest.raises(BadInput, match="holds no release"):
        signatures.sign(ready, people.m, "first")
    text = next(text for text in ready.segments.all("retail") if text.kind == "tool")
    answers.edit(ready, text.id, people.a, target="途中", expected_version=text.version)
    built(ready, tmp_path, "half", allow_incomplete=True)
    with pytest.raises(ReviewError, match="not complete"):
        signatures.sign(ready, people.m, "half")
