"""The real benchmark: imported with its Japanese drafts, exported, byte for byte the same."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from tiny_benchmark import dump, unchecked

from review_app.records.review import QueueFilter
from review_app.workflows import project
from review_app.workflows.release import export
from review_app.workflows.review import answers, checks, import_domain
from review_app.workflows.review.import_domain import ImportRequest


def request(shared, domain, **more):
    return ImportRequest(shared / "tau2", domain, **more)


def drafted(shared, domain):
    return request(shared, domain, draft=shared / "jtau" / f"{domain}_ja")


def domain_in(folder, domain):
    return folder / "data" / "tau2" / "domains" / domain


def test_airline_is_aligned_with_its_japanese_files_or_says_why_not(store, shared):
    report = import_domain.import_domain(store, drafted(shared, "airline"))
    assert report.segments == {"policy": 111, "task": 332}
    assert (report.added, report.translated) == (443, 434)
    unaligned = Counter((item.side, item.file, str(item.reason)) for item in report.unaligned)
    reason = "section 'Reservation': 9 list items in the source, 8 in the draft"
    assert unaligned == {("source", "policy.md", reason): 9, ("draft", "policy.md", reason): 8}
    left = [s.address for s in store.segments.all("airline") if s.target is None]
    assert left == [item.address for item in report.unaligned if item.side == "source"]
    assert all(item.text.strip() for item in report.unaligned if item.side == "draft")
    tasks = json.loads((shared / "tau2" / "domains" / "airline" / "tasks.json").read_text())
    sections = {s.section for s in store.segments.all() if s.kind == "task"}
    assert sections == {f"task {task['id']}" for task in tasks} and len(sections) == 50
    assert store.problems() == []


def test_telecom_is_aligned_with_its_japanese_files(store, shared):
    report = import_domain.import_domain(store, drafted(shared, "telecom"))
    assert report.unaligned == []
    assert report.segments == {
        "policy": 222,
        "manual": 119,
        "workflow": 389,
        "task": 783,
        "database": 26,
    }
    assert (report.added, report.translated) == (1539, 259)
    counts = Counter((s.file, s.target is not None) for s in store.segments.all())
    assert counts["main_policy.md", True] == 114 and counts["main_policy.md", False] == 0
    assert counts["tech_support_manual.md", True] == 119
    assert counts["tech_support_manual.md", False] == 0
    assert counts["db.toml", True] == 26
    assert {s.needed for s in store.segments.all() if s.kind in ("policy", "manual")} == {3}


@pytest.mark.parametrize("domain", ["airline", "telecom"])
def test_an_unreviewed_import_gives_the_japanese_files_back(store, shared, tmp_path, domain):
    import_domain.import_domain(store, drafted(shared, domain))
    export.export(store, tmp_path / "out", allow_incomplete=True)
    written = domain_in(tmp_path / "out", domain)
    japanese = sorted((shared / "jtau" / f"{domain}_ja").iterdir())
    assert len(japanese) >= 2
    for path in japanese:
        assert (written / path.name).read_bytes() == path.read_bytes(), path.name
    for path in (shared / "tau2" / "domains" / domain).iterdir():
        if path.suffix != ".gz" and path.name not in {other.name for other in japanese}:
            assert (written / path.name).read_bytes() == path.read_bytes(), path.name


def test_one_edit_changes_one_place_of_the_japanese_file(store, shared, tmp_path):
    import_domain.import_domain(store, drafted(shared, "airline"))
    person = project.add_person(store, "Aki", "annotator")
    address = "tasks.json#7/user_scenario/instructions/reason_for_call"
    segment = store.segments.at("airline", address)
    answers.edit(store, segment.id, person, target='新しい"訳"。', expected_version=1)
    export.export(store, tmp_path / "out", allow_incomplete=True)
    before = (shared / "jtau" / "airline_ja" / "tasks.json").read_text(encoding="utf-8")
    after = (domain_in(tmp_path / "out", "airline") / "tasks.json").read_text(encoding="utf-8")
    old = json.dumps(segment.target, ensure_ascii=False)
    assert before.count(old) == 1
    assert after == before.replace(old, '"新しい\\"訳\\"。"')


def test_every_domain_is_imported_and_again_changes_nothing(store, shared):
    for domain in ("airline", "retail", "telecom", "user_simulator"):
        report = import_domain.import_domain(store, request(shared, domain))
        assert report.changed and report.unaligned == [] and report.translated == 0
    counts = Counter(s.domain for s in store.segments.all())
    assert counts["airline"] == 443 and counts["telecom"] == 1539
    kinds = {s.kind for s in store.segments.all("retail")}
    assert kinds == {"policy", "task", "database"}
    before = dump(store.path)
    for domain in counts:
        assert not import_domain.import_domain(store, request(shared, domain)).changed
    assert dump(store.path) == before
    assert store.problems() == []


def test_the_export_of_english_files_gives_them_back(store, shared, tmp_path):
    for domain in ("retail", "user_simulator"):
        import_domain.import_domain(store, request(shared, domain))
    export.export(store, tmp_path / "out", allow_incomplete=True)
    for folder, source in (
        (domain_in(tmp_path / "out", "retail"), shared / "tau2" / "domains" / "retail"),
        (tmp_path / "out" / "data" / "tau2" / "user_simulator", shared / "tau2" / "user_simulator"),
    ):
        for path in source.iterdir():
            assert (folder / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize(
    ("domain", "tools", "user_tools", "count"),
    [("airline", "airline", None, 345), ("telecom", "telecom", "telecom_user", 204)],
)
def test_tools_come_from_recorded_schemas(store, shared, domain, tools, user_tools, count):
    schemas = shared / "tools_schema"
    report = import_domain.import_domain(
        store,
        request(
            shared,
            domain,
            tools=schemas / f"{tools}.json",
            user_tools=schemas / f"{user_tools}.json" if user_tools else None,
        ),
    )
    assert report.segments["tool"] == count
    needed = {s.needed for s in store.segments.all() if s.kind == "tool"}
    assert needed == ({3} if domain == "telecom" else {1})


def test_checks_find_something_in_the_japanese_files_and_search_finds_texts(store, shared):
    with unchecked():
        import_domain.import_domain(store, drafted(shared, "airline"))
    assert checks.refresh(store) == 443
    found = checks.open_findings(store, "airline")
    assert found and "CHK000" not in {one["code"] for one in found}
    checks.index_search(store)
    assert store.queue.count(QueueFilter(search="ビジネスクラス")) > 0
