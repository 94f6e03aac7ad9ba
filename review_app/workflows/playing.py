"""Play the trials of a run: what the child process of a run does.

Every paid reply is kept before anything is done with it, so that a trial that was cut short goes on
where it was: at most the requests under way when a process dies are paid for twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from time import monotonic
from typing import Any

from review_app.core.accounting import PROFILES, attempts_allowed, classify, counts
from review_app.core.results_records import reward_record
from review_app.core.scoring import Run as Scored
from review_app.core.scoring import Score, score
from review_app.core.simulation import prompts
from review_app.core.simulation.orchestrator import play
from review_app.core.simulation.records import (
    Complete,
    Limits,
    Player,
    Trial,
    Usage,
)
from review_app.core.simulation.scripted import scripted_agent, scripted_user
from review_app.core.tasks.replay import follow, prepared
from review_app.errors import ReviewError
from review_app.store import Store
from review_app.store.jobs import Job
from review_app.store.runs import Run
from review_app.store.units import NewUnit, Result, Unit, VerdictKind
from review_app.workflows import attributing, judging, running, staging
from review_app.workflows.asking import ACTOR, Models, Stopped, remembering, require_answers
from review_app.workflows.staging import Stage
from review_app.workflows.working import Reporter

Json = Mapping[str, Any]
JUDGED: tuple[VerdictKind, ...] = ("assertions", "cause", "user_review")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What playing one trial came to."""

    trial: Trial
    score: Score
    reward_info: Json | None
    final_state: str
    """Hash of the databases at the end of a failed trial that can be rebuilt; else empty."""
    duration_s: float


# -- one trial ---------------------------------------------------------------------------------


async def play_trial(
    stage: Stage, run: Run, task_id: str, seed: int | None, complete: Complete | None
) -> Outcome:
    """One trial of a task, scored as far as it goes without a judge.

    Args:
        stage: What the run is made of.
        run: The run.
        task_id: The task.
        seed: Handed to the models.
        complete: The models of both sides; None where the script plays.

    Raises:
        BadInput: the task's initial state fails.
    """
    task, plan, started = stage.tasks[task_id], run.plan, monotonic()
    until = started + plan["timeout_s"]
    agent, user = _players(stage, run, task_id, complete)
    trial = await play(
        task, stage.open(), agent, user, seed=seed,
        limits=Limits(plan["max_steps"], plan["max_errors"]), expired=lambda: monotonic() > until,
    )  # fmt: skip
    verdict = None
    if complete is None:
        verdict = await judging.stand_in(stage, task_id, trial.messages)
    met = None if verdict is None else verdict.met
    made = score(task, Scored(trial.messages, trial.termination_reason, met), stage.open())
    info = reward_record(made, task, verdict)
    return Outcome(trial, made, info, _final_state(stage, task, trial, made), monotonic() - started)


def _players(
    stage: Stage, run: Run, task_id: str, complete: Complete | None
) -> tuple[Player, Player]:
    task = stage.tasks[task_id]
    agent_prompt = stage.prompt(task_id, oracle=run.agent_kind == "oracle")
    tools = prompts.user_tools(stage.user_tools, task)
    if complete is None:
        script = stage.script(task_id)
        agent, user = scripted_agent(script), scripted_user(script)
    else:
        agent = user = complete
    return (
        Player(agent, agent_prompt, stage.agent_tools),
        Player(user, stage.user_prompt(task_id), tools),
    )


def _final_state(stage: Stage, task: Json, trial: Trial, made: Score) -> str:
    if made.env is None or made.env.problem or made.env.db_match is not False:
        return ""
    followed = follow(prepared(stage.open(), task, history=False), trial.messages)
    hashes = [each.hash for each in followed.environment.states() if each is not None]
    return sha256("/".join(hashes).encode()).hexdigest()


def result(outcome: Outcome) -> Result:
    """What is kept of a trial beside its messages."""
    trial = outcome.trial
    sides = {"agent": trial.agent, "user": trial.user}
    return Result(
        termination_reason=trial.termination_reason,
        reward=outcome.score.reward,
        reward_info=outcome.reward_info,
        fault=asdict(trial.fault) if trial.fault else None,
        rule_id=classify(trial.facts(outcome.score.reward)).rule_id,
        stop_token=trial.stop_token,
        final_state=outcome.final_state,
        usage={side: asdict(each) for side, each in sides.items()},
        cost_usd=_cost(sides.values()),
        unpriced=sum(each.unpriced for each in sides.values()),
        steps=trial.steps,
        tool_errors=trial.tool_errors,
        duration_s=outcome.duration_s,
        extras={"problem": outcome.score.problem} if outcome.score.problem else {},
    )


def _cost(sides: Iterable[Usage]) -> float | None:
    known = [each.cost_usd for each in sides if each.requests > each.unpriced]
    return sum(known) if known else None


def planned(run: Run, stage: Stage, rows: Mapping[str, Any]) -> list[NewUnit]:
    """The first attempts of all trials, round by round."""
    return [
        NewUnit(name, rows[name].task_hash, rows[name].state_hash, trial, 0,
                seed_of(run.seed or 0, name, trial, 0))
        for trial in range(run.trials)
        for name in stage.tasks
    ]  # fmt: skip


def seed_of(seed: int, task_id: str, trial: int, attempt: int) -> int:
    """The seed of a unit, drawn from the run's: the same each time."""
    drawn = sha256(f"{seed}/{task_id}/{trial}/{attempt}".encode()).digest()
    return int.from_bytes(drawn[:4], "big") >> 1


def again(run: Run, unit: Unit, done: Result) -> NewUnit | None:
    """The attempt that replaces one that does not count; None if it counts or the cap is reached.

    A trial that only waits for a judge is not played again.
    """
    facts = attributing.facts(
        replace(unit, termination_reason=done.termination_reason, reward=done.reward,
                fault=done.fault)
    )  # fmt: skip
    profile, number = PROFILES[run.profile], unit.attempt + 1
    if classify(facts).kind == "not_evaluated" or number > running.REFILLS:
        return None
    is_tried_again = number < attempts_allowed(facts, profile)
    if not is_tried_again and counts(facts, profile) in ("pass", "fail"):
        return None
    seed = seed_of(run.seed or 0, unit.task_id, unit.trial, number)
    return NewUnit(unit.task_id, unit.task_hash, unit.state_hash, unit.trial, number, seed)


# -- all trials --------------------------------------------------------------------------------


class Playing:
    """A run under way."""

    def __init__(self, store: Store, run: Run, stage: Stage, models: Models, reporter: Reporter):
        self.store, self.run, self.stage = store, run, stage
        self.models, self.reporter = models, reporter
        self._at_once = int(run.plan["concurrency"])
        self._total, self._done = len(stage.tasks) * run.trials, 0

    async def all(self) -> None:
        """Play what is left, then let the judge speak where there is one."""
        waiting = [each for each in self.store.units.of_run(self.run.id) if each.state != "done"]
        open_cells = {(each.task_id, each.trial) for each in waiting}
        self._done = self._total - len(open_cells)
        self._tell("trials")
        await self._each(self._play, sorted(waiting, key=lambda each: (each.trial, each.id)))
        if self.run.plan["judge"] and not self.models.is_stopping:
            await self.judge()

    async def judge(self, *, again: bool = False) -> None:
        """Let the judge speak on every trial that it has not spoken on."""
        steps = [
            (cell.attempts[-1].id, kind)
            for cell in running.cells(self.store, self.run)
            for kind in judging.wanted(
                self.store, self.stage, cell.attempts[-1], JUDGED, again=again
            )
        ]
        self._total, self._done = len(steps), 0
        self._tell("verdicts")

        async def one(step: tuple[int, VerdictKind]) -> None:
            await judging.judge_unit(self.store, self.stage, *step, self.models.ask)
            self._done += 1
            self._tell("verdicts")

        # Assertions first: what a trial is worth decides whether its failure has a cause.
        await self._each(one, [step for step in steps if step[1] == "assertions"])
        rest = [step for step in steps if step[1] != "assertions"]
        await self._each(one, [step for step in rest if self._still_asks(*step)])

    def _still_asks(self, unit_id: int, kind: VerdictKind) -> bool:
        unit = self.store.units.get(unit_id)
        return kind != "cause" or unit.reward is None or unit.reward < 1.0

    async def _each(self, work: Callable[[Any], Awaitable[None]], items: Iterable[Any]) -> None:
        """Do so many at once until all are done or nothing more is asked."""
        queue = iter(items)

        async def worker() -> None:
            for item in queue:
                try:
                    await work(item)
                except Stopped:
                    return
                if self.models.is_stopping:
                    return

        async with asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(worker())

    async def _play(self, unit: Unit) -> None:
        """A trial and, where it does not count, those that replace it."""
        current: Unit | None = unit
        while current is not None:
            with self.store.write(ACTOR):
                self.store.units.begin(current.id)
            ask = None
            if self.run.agent_kind != "scripted":
                ask = remembering(self.store, current.id, self.models.ask)
            outcome = await play_trial(self.stage, self.run, current.task_id, current.seed, ask)
            current = self._keep(current, outcome)
            if ask is None:
                await asyncio.sleep(0)  # scripted trials never wait: a cancel must get through
            if current is not None and self.models.is_stopping:
                raise Stopped
        self._done += 1
        self._tell("trials")

    def _keep(self, unit: Unit, outcome: Outcome) -> Unit | None:
        """Keep a result; returns the trial that is to replace it, kept in the same moment."""
        done = result(outcome)
        more = again(self.run, unit, done)
        with self.store.write(ACTOR):
            self.store.units.finish(unit.id, done, outcome.trial.messages)
            if more is None:
                return None
            self.store.units.add(self.run.id, [more])
        attempts = self.store.units.attempts(unit.run_id, unit.task_id, unit.trial)
        return attempts[-1]

    def _tell(self, what: str) -> None:
        self.reporter.progress(self._done, self._total, what)


# -- as a job ----------------------------------------------------------------------------------


def run_job(store: Store, job: Job, reporter: Reporter) -> None:
    """Play a run; done again with the same parameters, it goes on where it stopped."""
    run = store.runs.get(int(str(job.params["run"])))
    with store.write(ACTOR):
        store.runs.put_job(run.id, job.id)
    play_run(store, run.id, reporter)


def judge_job(store: Store, job: Job, reporter: Reporter) -> None:
    """Let the judge speak on a run that is played."""
    run = store.runs.get(int(str(job.params["run"])))
    play_run(store, run.id, reporter, judge_only=True, again=bool(job.params.get("again")))


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
    if judge_only and not staging.is_staged(run):
        raise ReviewError(f"run {run_id} holds no prompts and databases: it cannot be judged")
    stage = staging.stage(store, run)
    run = store.runs.get(run_id)
    with store.write(ACTOR):
        store.runs.put_stopped(run_id, "")
        if not judge_only:
            store.units.put_back(run_id)
            store.units.add(run_id, planned(run, stage, store.runs.tasks(run_id)))
    known = running.frozen_endpoints(run, judge=judge_only)
    require_answers(known, reporter)
    spent = store.units.spent_usd(run_id)
    models = Models(known, int(run.plan["concurrency"]), reporter, run.plan["budget_usd"], spent)
    playing = Playing(store, run, stage, models, reporter)
    asyncio.run(playing.judge(again=again) if judge_only else playing.all())
    _note_why(store, run, models, reporter)


def _note_why(store: Store, run: Run, models: Models, reporter: Reporter) -> None:
    reason = ""
    if models.is_out_of_budget:
        reason = f"the budget of {run.plan['budget_usd']:g} USD is spent: resume with a larger one"
    if reporter.cancelled():
        reason = "cancelled"
    if models.refused is not None:
        reason = str(models.refused)
    with store.write(ACTOR):
        store.units.put_back(run.id)
        store.runs.put_stopped(run.id, reason)
    if models.refused is not None:
        raise models.refused
