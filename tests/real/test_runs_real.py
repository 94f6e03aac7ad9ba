"""A run of a real domain by the script, from the localized tasks to the candidates."""

from __future__ import annotations

import time

import pytest
from run_cases import played

from review_app.store import Store
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest
from review_app.workflows.runs import candidates
from review_app.workflows.runs.lifecycle import RunPlan

SECONDS = 20.0


@pytest.mark.parametrize("variant", ["tau", "j-tau"])
def test_the_script_plays_airline_three_times_in_seconds(shared, tmp_path, variant):
    store = Store(tmp_path / "review.db")
    import_domain.import_domain(store, ImportRequest(shared / "tau2", "airline"))
    started = time.process_time()
    status = played(store, RunPlan("airline", variant=variant))
    assert time.process_time() - started < SECONDS
    assert (sum(status.outcomes.values()), status.wanted) == (150, 150)
    assert set(status.outcomes) <= {"pass", "fail"}
    found = candidates.find(store, status.run.id)
    assert len(found) * 3 == status.outcomes.get("fail", 0)
    assert all(each.signals for each in found)
    store.close()
