"""A build that is killed, or whose disk is full, leaves the old release or the new one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from release_project import built, contents, make_ready, team

from review_app.store import Store
from review_app.workflows.review import answers

KILLS = 20

DRIVER = """
import json, os, random, signal, sys, time
from pathlib import Path
from release_project import built
from review_app.store import Store
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.release import build

out, databases, kills, seed = Path(sys.argv[1]), sys.argv[2:4], int(sys.argv[4]), int(sys.argv[5])
checks = {}
for path in databases:
    store = Store(Path(path))
    checks[path] = build.gates.check(store)
    store.close()

def builds_for_ever():
    while True:
        for path in databases:
            store = Store(Path(path))
            build.gates.check = lambda *given, **options: checks[path]
            built(store, out)
            store.close()

draw, states, damaged = random.Random(seed), set(), []
for number in range(kills):
    child = os.fork()
    if child == 0:
        try:
            builds_for_ever()
        finally:
            os._exit(1)
    time.sleep(draw.uniform(0.01, 1.2))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the build ended by itself"
    folder = out / "first"
    if folder.exists():
        damaged += map(str, folder_swap.damage(folder))
        states.add(build.manifest_hash(folder))
    elif states:
        damaged.append("gone")
strange = [p.name for p in out.iterdir() if p.name != "first" and not p.name.startswith(".export-")]
print(json.dumps({"states": sorted(states), "damaged": damaged, "strange": strange,
                  "left": len(list(out.glob(".export-*")))}))
"""

FULL = """
import resource, signal, sys
from pathlib import Path
from release_project import team
from review_app.errors import BadInput
from review_app.store import Store
from review_app.workflows.release import build
from review_app.workflows.release.build import BuildOrder

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def progress(done, total, what):
    if str(what) == "retail/policy.md":
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, resource.RLIM_INFINITY))

store = Store(Path(sys.argv[1]))
try:
    build.build(store, team(store).m, BuildOrder("first", Path(sys.argv[2])), progress=progress)
except BadInput as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    print(error)
"""


def run(script, *words):
    tests = Path(__file__).resolve().parent.parent
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r})\n{script}"]
        + [str(word) for word in words],
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    ).stdout


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Two states of a project."""
    folder = tmp_path_factory.mktemp("projects")
    before = make_ready(folder, "retail")
    after = folder / "after.db"
    shutil.copy(before, after)
    store = Store(after)
    people = team(store)
    text = next(text for text in store.segments.all("retail") if text.kind == "task")
    answers.edit(store, text.id, people.m, target="別の訳です。", expected_version=text.version)
    now = store.segments.get(text.id)
    answers.answer(store, now.id, people.a, verdict="approve", expected_version=now.version)
    store.close()
    return before, after


@pytest.mark.timeout(300)
def test_a_build_killed_at_any_moment_leaves_the_old_or_the_new_release(projects, tmp_path):
    before, after = projects
    out = tmp_path / "out"
    out.mkdir()
    said = json.loads(run(DRIVER, out, before, after, KILLS, 7))
    assert said["damaged"] == [] and said["strange"] == []
    assert len(said["states"]) == 2, said
    # What the last killed build left, and no other: each build clears what lies there.
    assert said["left"] <= 1
    store = Store(after)
    built(store, out)
    store.close()
    assert [path.name for path in out.iterdir()] == ["first"]


def test_a_disk_that_is_full_leaves_the_old_release(projects, tmp_path):
    before, after = projects
    shutil.copy(before, tmp_path / "before.db")
    shutil.copy(after, tmp_path / "after.db")
    assert "cannot be written" in run(FULL, tmp_path / "after.db", tmp_path / "none")
    assert list((tmp_path / "none").iterdir()) == []
    store = Store(tmp_path / "before.db")
    built(store, tmp_path / "out")
    store.close()
    kept = contents(tmp_path / "out" / "first")
    said = run(FULL, tmp_path / "after.db", tmp_path / "out")
    assert "cannot be written" in said and "File too large" in said
    assert contents(tmp_path / "out" / "first") == kept
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["first"]
