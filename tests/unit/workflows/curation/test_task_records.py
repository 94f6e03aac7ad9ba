"""The records beside a task's text."""

from __future__ import annotations

import pytest

from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.curation import task_records


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("sample") / "sample.db")
    project.load_sample(store)
    yield store
    store.close()


@pytest.mark.parametrize(
    "domain, people", [("airline", "users"), ("retail", "users"), ("telecom", "customers")]
)
def test_a_task_shows_its_users_record_first(sampled, domain, people):
    tasks = [
        s for s in sampled.segments.all(domain) if s.kind == "task" and "known_info" in s.address
    ]
    shown = [task_records.records(sampled, segment) for segment in tasks]
    assert sum(bool(records) and records[0].table == people for records in shown) >= len(tasks) - 1


def test_other_texts_name_no_records(sampled):
    policy = next(s for s in sampled.segments.all("airline") if s.kind == "policy")
    assert task_records.records(sampled, policy) == []
