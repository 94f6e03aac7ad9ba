"""The repaired edition of the source: repairs only, as files that its maintainers can apply."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from curation_project import proposal, say
from release_project import SAMPLE, built, contents, manifest, team

from review_app.records.curation import Evidence
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.curation import patches
from review_app.workflows.release import gates, verify
from review_app.workflows.release.upstream import unified
from review_app.workflows.review import answers

PLACE = "data/tau2/domains/retail"
TASKS = f"{PLACE}/tasks.json"


def git(folder, *words):
    if shutil.which("git") is None:
        pytest.skip("git is not there")
    return subprocess.run(["git", "apply", *words], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def edition(ready, tmp_path):
    """The sample's source edition, and a checkout of the source."""
    built(ready, tmp_path, "source", variant="tau-repaired")
    shutil.copytree(SAMPLE / "tau2" / "domains" / "retail", tmp_path / "checkout" / PLACE)
    return tmp_path / "source"


def test_nothing_is_localized_and_repairs_are_in(ready, edition):
    files, origins = contents(edition), manifest(edition)["origins"]
    source = SAMPLE / "tau2" / "domains" / "retail"
    for name in ("db.json", "policy.md", "split_tasks.json"):
        assert files[f"{PLACE}/{name}"] == (source / name).read_bytes()
        assert origins[f"{PLACE}/{name}"] == "copied"
    raw = (source / "tasks.json").read_text("utf-8")
    repaired = tasks_in_force.repaired_text(
        raw, "tasks.json", tasks_in_force.in_force(ready, "retail")
    )
    assert files[TASKS].decode() == repaired != raw
    said = files["README.md"].decode() + files["ATTRIBUTION.md"].decode()
    assert "translated" not in said and "`glossary/`" not in said and "`upstream/`" in said
    about_translations = [place for place in files if place.startswith(("glossary", "review"))]
    assert about_translations == [] and "retail_" not in files["README.md"].decode()
    for place, blob in files.items():
        is_ours = place.endswith((".md", ".json", ".patch")) and place != "README.md"
        assert not (is_ours and re.search("[぀-ヿ一-鿿]", blob.decode("utf-8"))), place


def test_each_task_has_a_patch_that_git_applies(edition, tmp_path):
    checkout, released = tmp_path / "checkout", json.loads((edition / TASKS).read_text("utf-8"))
    listed = sorted((edition / "upstream").rglob("*.patch"))
    changed = json.loads((edition / "changes.json").read_text("utf-8"))["retail"]["tasks"]
    assert len(listed) == len(changed) > 1
    raw = (checkout / TASKS).read_bytes()
    for path in listed:
        done = git(checkout, "--check", str(path))
        assert done.returncode == 0, done.stderr
        assert git(checkout, str(path)).returncode == 0
        assert git(checkout, "-R", str(path)).returncode == 0
        assert (checkout / TASKS).read_bytes() == raw
    assert git(checkout, *map(str, listed)).returncode == 0
    assert (checkout / TASKS).read_bytes() == (edition / TASKS).read_bytes()
    before = {task["id"]: task for task in json.loads(raw)}
    assert {t["id"] for t in released if t != before[t["id"]]} == changed.keys()


def test_a_patch_has_reason_and_evidence_at_its_top(ready, edition):
    text = "".join(p.read_text("utf-8") for p in (edition / "upstream").rglob("*.patch"))
    for stored in ready.patches.in_force("retail", "ja"):
        assert f"# Reason: {' '.join(stored.patch.reason.split())}\n" in text
    assert "Mio" not in text


def test_the_summary_lists_kinds_counts_and_tasks(edition):
    issue = (edition / "upstream" / "ISSUE.md").read_text("utf-8")
    changed = json.loads((edition / "changes.json").read_text("utf-8"))["retail"]
    assert issue.startswith(f"# {len(changed['tasks'])} tasks")
    for patch in changed["patches"]:
        assert f"| {patch['task_id']} | " in issue and patch["reason"] in issue
    assert "git apply" in issue and "## retail" in issue


def test_an_edit_of_one_word_changes_that_words_bytes(ready, tmp_path):
    people = team(ready)
    free = next(
        task
        for name, task in tasks_in_force.tasks(ready, "retail").items()
        if not any(p.patch.task_id == name for p in ready.patches.in_force("retail", "ja"))
    ).task
    text = free["user_scenario"]["instructions"]["reason_for_call"]
    word = max(re.findall(r"[a-z]+", text), key=len)
    new = text.replace(word, "elsewhere", 1)
    wanted = proposal(
        ready,
        "retail",
        free["id"],
        lambda task: task["user_scenario"]["instructions"].update(reason_for_call=new),
    )
    built(ready, tmp_path, "before", variant="tau-repaired")
    patches.approve(ready, people.n, patches.propose(ready, people.m, wanted).id)
    built(ready, tmp_path, "after", variant="tau-repaired")
    old, now = ((tmp_path / name / TASKS).read_text("utf-8") for name in ("before", "after"))
    at = old.index(word, old.index(text[: text.index(word)]))
    assert now == old[:at] + "elsewhere" + old[at + len(word) :]


def test_hostile_words_are_no_part_of_a_patch(ready, tmp_path):
    people, task = team(ready), "0"
    evil = "fine\n--- a/x\n+++ b/../../evil\n@@ -0,0 +1 @@\n+gone\n| `x` |"
    shown = (Evidence("link", "https://example.org/1", "see Mio\n+++ b/x"),)
    wanted = replace(proposal(ready, "retail", task, say("Say so.")), reason=evil, evidence=shown)
    patches.approve(ready, people.n, patches.propose(ready, people.m, wanted).id)
    built(ready, tmp_path, "source", variant="tau-repaired")
    (path,) = (tmp_path / "source" / "upstream").rglob("*-task-0.patch")
    lines = path.read_text("utf-8").split("\n")
    assert [line for line in lines if line.startswith("+++")] == [f"+++ b/{TASKS}"]
    assert "# Evidence: link https://example.org/1 see maintainer-4 +++ b/x" in lines
    assert any(line.startswith("# Reason: fine --- a/x") for line in lines)


def test_a_difference_keeps_odd_line_ends_and_a_missing_last_one(tmp_path):
    old, new = "a\u2028b\r\nc\x0cd\ne", "a\u2028b\r\nc\x0cD\nf"
    (tmp_path / "t").write_text(old, "utf-8", newline="")
    (tmp_path / "p").write_text(unified(old, new, "t"), "utf-8", newline="")
    assert git(tmp_path, "p").returncode == 0
    assert (tmp_path / "t").read_bytes().decode() == new
    assert unified(old, old, "t") == ""


def test_translations_do_not_block_it_and_it_can_be_verified(ready, edition):
    text = next(text for text in ready.segments.all("retail") if text.kind == "task")
    answers.edit(ready, text.id, team(ready).m, target="x", expected_version=text.version)
    assert gates.check(ready, variant="tau-repaired").ready
    assert not gates.check(ready).ready
    checked = verify.verify(edition)
    assert checked.ok, [str(p) for check in checked.checks for p in check.problems]


def test_a_localized_release_has_no_patches_for_the_source(ready, tmp_path):
    built(ready, tmp_path)
    assert not (tmp_path / "first" / "upstream").exists()
