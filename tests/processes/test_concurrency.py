"""Many people at once: three processes save while an export reads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import pytest
from tiny_benchmark import dump

from review_app.workflows.release import export

SAVES = 300
SHARED = 12
"""Segments that all three save, so that they get in one another's way."""

WRITER = """
import sys
from pathlib import Path
from review_app.errors import StaleEdit
from review_app.store import Store
from review_app.workflows.review import answers

path, name, saves, shared = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store = Store(Path(path), create=False)
person = store.people.named(name)
segments = [s.id for s in store.segments.all()][:shared]
versions = {s: store.segments.get(s).version for s in segments}
refused = 0
print("ready", flush=True)
sys.stdin.readline()
for number in range(saves):
    segment = segments[number % shared]
    while True:
        try:
            done = answers.edit(
                store, segment, person, target=f"{name} {number}",
                expected_version=versions[segment],
            )
            versions[segment] = done.version
            break
        except StaleEdit as error:
            refused += 1
            versions[segment] = error.version
print(refused, flush=True)
"""


@pytest.mark.timeout(120)
def test_three_processes_save_300_times_each_while_an_export_reads(imported, crew, tmp_path):
    before = len(dump(imported.path)["revisions"])
    names = [crew.a.name, crew.b.name, crew.c.name]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(imported.path), name, str(SAVES), str(SHARED)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    exports = 0
    while any(writer.poll() is None for writer in writers):
        exports += 1
        check_export(imported, tmp_path / f"export-{exports}")
    results = [writer.communicate() for writer in writers]
    assert [error for _, error in results] == ["", "", ""]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert exports > 1
    assert sum(int(out) for out, _ in results) > 0, "nobody got in anybody's way"

    tables = dump(imported.path)
    assert len(tables["revisions"]) - before == len(tables["decisions"]) == 3 * SAVES
    assert tables["drafts"] == []
    versions: dict[str, list[int]] = {}
    for segment in list(imported.segments.all())[:SHARED]:
        revisions = imported.reviews.revisions(segment.id)
        versions[segment.id] = [r.version for r in revisions]
        assert segment.version == len(revisions) and segment.target == revisions[-1].target
    assert all(found == list(range(1, len(found) + 1)) for found in versions.values())
    authors = Counter(row[5] for row in tables["revisions"] if row[5] is not None)
    assert authors == {person.id: SAVES for person in (crew.a, crew.b, crew.c)}
    assert imported.problems() == []


def check_export(store, folder):
    """Each export is complete and one state of the database."""
    report = export.export(store, folder, allow_incomplete=True)
    assert set(json.loads((folder / "MANIFEST.json").read_text())["files"]) == set(report.files)
    tasks = folder / "data" / "tau2" / "domains" / "airline" / "tasks.json"
    assert len(json.loads(tasks.read_text())) == 3
