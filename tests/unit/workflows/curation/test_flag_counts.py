"""How long flags are open, as the statistics count it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from review_app.models import Person
from review_app.records.curation import Flag, NewFlag
from review_app.store import Store
from review_app.store.curation import flags as flags_table
from review_app.workflows.curation import flags, statistics


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the time at which flags are written."""
    return lambda moment: monkeypatch.setattr(flags_table, "now", lambda: moment)


def raised(store: Store, person: Person, created: str = "", severity: int = 1) -> Flag:
    new = NewFlag("airline", "0", "odd", severity=severity, created_at=created)
    with store.write(person.name):
        return store.flags.get(store.flags.add(new))


def counted(store: Store) -> dict[tuple[str, int], tuple[int, int, float]]:
    """Count, oldest and median age by state and severity."""
    return {
        (row["state"], row["severity"]): (row["count"], row["oldest_days"], row["median_days"])
        for row in statistics.statistics(store, "airline").flags
    }


def test_the_age_of_an_open_flag_counts_until_today(imported, crew, clock):
    today = datetime.now(UTC)
    for days_ago in (2.5, 30.5, 4.5):
        clock((today - timedelta(days=days_ago)).isoformat())
        raised(imported, crew.a)
    clock((today - timedelta(days=9.5)).isoformat())
    flags.triage(
        imported, crew.m, raised(imported, crew.a), kind="language", severity=2, owner=None
    )
    assert counted(imported) == {("open", 1): (3, 30, 4), ("triaged", 2): (1, 9, 9)}


def test_a_closed_flag_is_as_old_as_it_was_when_it_was_closed(imported, crew, clock):
    clock("2026-01-26T08:00:00.000Z")
    for created, severity in (
        ("2026-01-16", 0),
        ("2026-01-20T23:00:00+00:00", 0),
        ("2026-02-01", 1),
    ):
        flag = raised(imported, crew.a, created, severity)
        flags.close(imported, crew.m, flag, "wont_fix", reason="rare")
    assert counted(imported) == {("wont_fix", 0): (2, 10, 7.5), ("wont_fix", 1): (1, 0, 0)}
