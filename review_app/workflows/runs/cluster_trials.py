"""Trials on the workers of a cluster; they only play, one process writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from review_app import cluster
from review_app.errors import ReviewError
from review_app.notices import Notice
from review_app.records.project import Pulse
from review_app.records.runs import Run, TrialUnit
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs import lifecycle
from review_app.workflows.runs.budget import Stopped
from review_app.workflows.runs.models import Models, cancelled
from review_app.workflows.runs.snapshot import Stage
from review_app.workflows.runs.trial import TrialOutcome, play_trial


class Elsewhere:
    """The workers of a cluster, who play trials with the keys of their own settings."""

    def __init__(self, workers: cluster.Cluster, run: Run, stage: Stage) -> None:
        self._workers, self._run, self._stage = workers, run, stage

    async def play(self, unit: TrialUnit) -> TrialOutcome:
        """One trial, played by some worker; one that is lost is played again by another.

        Raises:
            ReviewError: a key is refused there, or workers die over it.
        """
        outcome = await self._workers.call(
            play_here, self._stage, self._run, unit.task_id, unit.seed
        )
        if isinstance(outcome, Notice):
            raise ReviewError("run.worker_refused", "a worker says: {problem}", problem=outcome)
        return outcome


@asynccontextmanager
async def elsewhere(run: Run, stage: Stage) -> AsyncIterator[Elsewhere]:
    """The workers of the run's cluster during the block."""
    async with cluster.connect(str(run.plan["scheduler"])) as workers:
        yield Elsewhere(workers, run, await workers.share(stage))


def play_here(stage: Stage, run: Run, task_id: str, seed: int | None) -> TrialOutcome | Notice:
    """One trial in a worker's process; why not if a key was refused."""

    async def played() -> TrialOutcome | Notice:
        if run.agent_kind == "scripted":
            return await play_trial(stage, run, task_id, seed, None)
        models = Models(lifecycle.frozen_endpoints(run), 1, Reporter(Pulse()))
        try:
            return await play_trial(stage, run, task_id, seed, models.ask)
        except Stopped:
            return models.why_stopping() or cancelled()

    return asyncio.run(played())
