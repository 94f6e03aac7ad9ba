"""The real domains, imported: recorded answers agree, gold actions replay."""

import pytest

from review_app.store import Store
from review_app.workflows.benchmark import conformance, environments
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

RECORDS = 5065
REFUSED = {"airline": set(), "retail": {"64", "105"}, "telecom": set()}
"""As in the replay records."""


@pytest.fixture(scope="module")
def imported(shared, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("real") / "review.db")
    for domain in REFUSED:
        import_domain.import_domain(store, ImportRequest(shared / "tau2", domain))
    yield store
    store.close()


def test_every_record_agrees_with_the_imported_domains(imported, shared, capsys):
    report = conformance.compare(imported, shared / "conformance")
    with capsys.disabled():
        print(f"\n{sum(report.agreeing.values())} records agree with the imported domains", end=" ")
    assert report.ok, "\n".join(each.line() for each in report.first)
    assert sum(report.agreeing.values()) == RECORDS and report.skipped == {}


@pytest.mark.parametrize("domain", REFUSED)
def test_gold_writes_are_refused_where_the_reference_refuses_them(imported, domain):
    done = environments.replay_domain(imported, domain)
    assert {one.task_id for one in done if one.refused_writes} == REFUSED[domain]
    assert all(one.as_json()["agent_db_hash"] for one in done)


def test_other_task_files_are_replayed_by_name(imported, shared):
    known = environments.tasks(imported, "telecom")
    extra = [name for name, gold in known.items() if gold.file == "tasks_small.json"]
    assert len(known) == 114 + len(extra)
    for name in extra:
        assert len(environments.replay_domain(imported, "telecom", name)) == 1
