"""The budget of a run: what it may spend, what it has spent, when it stops, and how it is raised.

A budget holds for a run as a whole, however often it is resumed. Once it is spent nothing more is
asked; replies that are under way are waited for and kept, so a run may cost a little more.
"""

from __future__ import annotations

from dataclasses import dataclass

from review_app.models import Person
from review_app.notices import TEXT, Notice
from review_app.records.runs import Run
from review_app.store import Store
from review_app.workflows.runs import plan

SPENT = "budget.spent"
"""The code of the notice that says that a run stopped for want of money."""


class Stopped(Exception):
    """Nothing more is asked: cancelled, out of budget, or a key was refused."""


@dataclass(slots=True)
class Budget:
    """What a run may spend, and what it has spent so far."""

    limit_usd: float | None = None
    """None: as much as it takes."""
    spent_usd: float = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether as much is spent as may be."""
        return self.limit_usd is not None and self.spent_usd >= self.limit_usd

    def pay(self, cost_usd: float | None) -> None:
        """Count a reply; one whose price nobody knows costs nothing here."""
        self.spent_usd += cost_usd or 0.0

    def notice(self) -> Notice | None:
        """That the budget is spent, and what to do; None if it is not."""
        if self.limit_usd is None or not self.is_spent:
            return None
        return Notice(
            "budget.spent",
            "the budget of {budget:g} USD is spent: resume with a larger one",
            budget=self.limit_usd,
        )


def of_run(store: Store, run: Run) -> Budget:
    """The budget of a run, with what it has spent before."""
    return Budget(plan.of_run(run).budget_usd, store.units.spent_usd(run.id))


def is_why_it_stopped(store: Store, run: Run) -> bool:
    """Whether a run stopped because its budget is spent: it needs a larger one to go on."""
    if run.stopped is None or run.origin == "imported":
        return False
    if run.stopped.code == TEXT:  # of an older version, which noted no code
        return of_run(store, run).is_spent
    return run.stopped.code == SPENT


def raise_to(store: Store, person: Person | None, run_id: int, budget_usd: float) -> None:
    """Let a run spend this much in all from now on."""
    with store.write(person.name if person else "runs"):
        store.runs.put_budget(run_id, budget_usd)
