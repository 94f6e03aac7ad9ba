"""Play the trials of a run: what the child process of a run does.

Every paid reply is kept before anything is done with it, so that a trial that was cut short goes on
where it was: at most the requests under way when a process dies are paid for twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import msgspec

from review_app.core.scoring.accounting import PROFILES, attempts_allowed, classify, counts
from review_app.errors import ReviewError
from review_app.records.project import Job
from review_app.records.runs import NewTrialUnit, Run, TrialResult, TrialUnit, VerdictKind
from review_app.store import Store
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs import attribution, budget, judges, lifecycle, plan, snapshot
from review_app.workflows.runs.budget import Stopped
from review_app.workflows.runs.cluster_trials import Elsewhere, elsewhere
from review_app.workflows.runs.models import ACTOR, Models, remembering, require_answers
from review_app.workflows.runs.snapshot import Stage
from review_app.workflows.runs.trial import TrialOutcome, play_trial, result

JUDGED: tuple[VerdictKind, ...] = ("assertions", "cause", "user_review")


def planned(run: Run, stage: Stage, rows: Mapping[str, Any]) -> list[NewTrialUnit]:
    """The first attempts of all trials, round by round."""
    return [
        NewTrialUnit(
            task_id=name,
            task_hash=rows[name].task_hash,
            state_hash=rows[name].state_hash,
            trial=trial,
            attempt=0,
            seed=seed_of(run.seed or 0, name, trial, 0),
        )
        for trial in range(run.trials)
        for name in stage.tasks
    ]


def seed_of(seed: int, task_id: str, trial: int, attempt: int) -> int:
    """The seed of a unit, drawn from the run's: the same each time."""
    drawn = sha256(f"{seed}/{task_id}/{trial}/{attempt}".encode()).digest()
    return int.from_bytes(drawn[:4], "big") >> 1


def refill(run: Run, unit: TrialUnit, done: TrialResult) -> NewTrialUnit | None:
    """The attempt that replaces one that does not count; None if it counts or the cap is reached.

    A trial that only waits for a judge is not played again.
    """
    facts = attribution.facts(
        replace(
            unit, termination_reason=done.termination_reason, reward=done.reward, fault=done.fault
        )
    )
    profile, number = PROFILES[run.profile], unit.attempt + 1
    if classify(facts).kind == "not_evaluated" or number > lifecycle.REFILLS:
        return None
    is_tried_again = number < attempts_allowed(facts, profile)
    if not is_tried_again and counts(facts, profile) in ("pass", "fail"):
        return None
    seed = seed_of(run.seed or 0, unit.task_id, unit.trial, number)
    return NewTrialUnit(
        task_id=unit.task_id,
        task_hash=unit.task_hash,
        state_hash=unit.state_hash,
        trial=unit.trial,
        attempt=number,
        seed=seed,
    )


# -- all trials --------------------------------------------------------------------------------


class Playing:
    """A run under way."""

    def __init__(self, store: Store, run: Run, stage: Stage, models: Models, reporter: Reporter):
        self.store, self.run, self.stage = store, run, stage
        self._elsewhere: Elsewhere | None = None
        self.models, self.reporter = models, reporter
        self.plan = plan.of_run(run)
        self._total, self._done = len(stage.tasks) * run.trials, 0

    async def all(self) -> None:
        """Play what is left, then let the judge speak where there is one."""
        waiting = [unit for unit in self.store.units.of_run(self.run.id) if unit.state != "done"]
        open_cells = {(unit.task_id, unit.trial) for unit in waiting}
        self._done = self._total - len(open_cells)
        self._report("trials")
        queue = sorted(waiting, key=lambda unit: (unit.trial, unit.id))
        if self.plan.scheduler:
            async with elsewhere(self.run, self.stage) as self._elsewhere:
                await self._at_once(self._play, queue)
        else:
            await self._at_once(self._play, queue)
        if self.plan.judge and not self.models.is_stopping:
            await self.judge()

    async def judge(self, *, again: bool = False) -> None:
        """Let the judge speak on every trial that it has not spoken on."""
        steps = [
            (cell.attempts[-1].id, kind)
            for cell in lifecycle.cells(self.store, self.run)
            for kind in judges.wanted(
                self.store, self.stage, cell.attempts[-1], JUDGED, again=again
            )
        ]
        self._total, self._done = len(steps), 0
        self._report("verdicts")

        async def judged(step: tuple[int, VerdictKind]) -> None:
            await judges.judge_unit(self.store, self.stage, *step, self.models.ask)
            self._done += 1
            self._report("verdicts")

        # Assertions first: what a trial is worth decides whether its failure has a cause.
        await self._at_once(judged, [step for step in steps if step[1] == "assertions"])
        rest = [step for step in steps if step[1] != "assertions"]
        await self._at_once(judged, [step for step in rest if self._still_asks(*step)])

    def _still_asks(self, unit_id: int, kind: VerdictKind) -> bool:
        unit = self.store.units.get(unit_id)
        return kind != "cause" or unit.reward is None or unit.reward < 1.0

    async def _at_once(self, work: Callable[[Any], Awaitable[None]], items: Iterable[Any]) -> None:
        """Do as many at once as the plan says, until all are done or nothing more is asked."""
        queue = iter(items)

        async def worker() -> None:
            for item in queue:
                try:
                    await work(item)
                except Stopped:
                    return
                if self.models.is_stopping:
                    return

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.plan.concurrency):
                    group.create_task(worker())
        except ExceptionGroup as several:
            raise several.exceptions[0] from None

    async def _play(self, unit: TrialUnit) -> None:
        """A trial and, where it does not count, those that replace it."""
        current: TrialUnit | None = unit
        while current is not None:
            with self.store.write(ACTOR):
                self.store.units.begin(current.id)
            outcome = await self._outcome(current)
            current = self._keep(current, outcome)
            if current is not None and self.models.is_stopping:
                raise Stopped
        self._done += 1
        self._report("trials")

    async def _outcome(self, unit: TrialUnit) -> TrialOutcome:
        if self._elsewhere is not None:
            outcome = await self._elsewhere.play(unit)
            self.models.paid_elsewhere(outcome.trial)
            return outcome
        if self.run.agent_kind == "scripted":
            await asyncio.sleep(0)  # scripted trials never wait: a cancel must get through
            return await play_trial(self.stage, self.run, unit.task_id, unit.seed, None)
        ask = remembering(self.store, unit.id, self.models.ask)
        return await play_trial(self.stage, self.run, unit.task_id, unit.seed, ask)

    def _keep(self, unit: TrialUnit, outcome: TrialOutcome) -> TrialUnit | None:
        """Keep a result; returns the trial that is to replace it, kept in the same moment."""
        done = result(outcome)
        more = refill(self.run, unit, done)
        with self.store.write(ACTOR):
            self.store.units.finish(unit.id, done, outcome.trial.messages)
            if more is None:
                return None
            self.store.units.add(self.run.id, [more])
        attempts = self.store.units.attempts(unit.run_id, unit.task_id, unit.trial)
        return attempts[-1]

    def _report(self, what: str) -> None:
        self.reporter.progress(self._done, self._total, what)


# -- as a job ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunJob:
    """What a job of a run is started with."""

    run: int
    again: bool = False
    """Whether the judge speaks also on what it has spoken on."""


def run_job(store: Store, job: Job, reporter: Reporter) -> None:
    """Play a run; done again with the same parameters, it goes on where it stopped."""
    asked = msgspec.convert(job.params, RunJob, strict=False)
    run = store.runs.get(asked.run)
    with store.write(ACTOR):
        store.runs.put_job(run.id, job.id)
    play_run(store, run.id, reporter)


def judge_job(store: Store, job: Job, reporter: Reporter) -> None:
    """Let the judge speak on a run that is played."""
    asked = msgspec.convert(job.params, RunJob, strict=False)
    play_run(store, asked.run, reporter, judge_only=True, again=asked.again)


def play_run(
    store: Store, run_id: int, reporter: Reporter, *, judge_only: bool = False, again: bool = False
) -> None:
    """Play what is left of a run, or only let the judge speak.

    Raises:
        LlmError: a key was refused; what was done before is kept.
        ReviewError: an endpoint does not answer.
        BadInput: a task or a file of the domain cannot be used.
    """
    run = store.runs.get(run_id)
    reporter.progress(0, 0, "preparing the domain")
    if judge_only and not snapshot.is_staged(run):
        raise ReviewError(
            "run.not_staged",
            "run {run} holds no prompts and databases: it cannot be judged",
            run=run_id,
        )
    stage = snapshot.stage(store, run)
    run = store.runs.get(run_id)
    with store.write(ACTOR):
        store.runs.put_stopped(run_id, None)
        if not judge_only:
            store.units.put_back(run_id)
            store.units.add(run_id, planned(run, stage, store.runs.tasks(run_id)))
    known = lifecycle.frozen_endpoints(run, judge=judge_only)
    require_answers(known, reporter)
    models = Models(known, plan.of_run(run).concurrency, reporter, budget.of_run(store, run))
    playing = Playing(store, run, stage, models, reporter)
    asyncio.run(playing.judge(again=again) if judge_only else playing.all())
    with store.write(ACTOR):
        store.units.put_back(run.id)
        store.runs.put_stopped(run.id, models.why_stopping())
    if models.refused is not None:
        raise models.refused
