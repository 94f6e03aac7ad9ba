"""One trial: played, scored as far as it goes without a judge, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from time import monotonic

from review_app.core.results.records import reward_record
from review_app.core.scoring.accounting import TrialFault, classify
from review_app.core.scoring.reward import Score, score
from review_app.core.scoring.reward import ScoredRun as Scored
from review_app.core.simulation import prompts
from review_app.core.simulation.orchestrator import play
from review_app.core.simulation.records import Complete, Limits, Player, Trial, Usage
from review_app.core.simulation.scripted import scripted_agent, scripted_user
from review_app.core.tasks.replay import follow, prepared
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.records.runs import Run, TrialResult
from review_app.workflows.runs import judges, plan
from review_app.workflows.runs.snapshot import Stage


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What playing one trial came to."""

    trial: Trial
    score: Score
    reward_info: Json | None
    final_state: str
    """Hash of the databases at the end of a failed trial that can be rebuilt; else empty."""
    duration_s: float


async def play_trial(
    stage: Stage, run: Run, task_id: str, seed: int | None, complete: Complete | None
) -> TrialOutcome:
    """One trial of a task, scored as far as it goes without a judge.

    A task that cannot be played at all ends as an infrastructure error that says why.

    Args:
        stage: What the run is made of.
        run: The run.
        task_id: The task.
        seed: Handed to the models.
        complete: The models of both sides; None where the script plays.
    """
    started = monotonic()
    try:
        outcome = await _played(stage, run, task_id, seed, complete)
    except BadInput as error:
        fault = TrialFault(kind="no_answer", speaker="", error="bad_input", detail=str(error))
        trial = Trial(
            messages=(),
            termination_reason="infrastructure_error",
            seed=seed,
            agent=Usage(),
            user=Usage(),
            steps=0,
            tool_errors=0,
            fault=fault,
        )
        outcome = TrialOutcome(
            trial=trial,
            score=Score(0.0, None, note=error.notice),
            reward_info=None,
            final_state="",
            duration_s=0.0,
        )
    return replace(outcome, duration_s=monotonic() - started)


async def _played(
    stage: Stage, run: Run, task_id: str, seed: int | None, complete: Complete | None
) -> TrialOutcome:
    task, limits = stage.tasks[task_id], plan.of_run(run)
    until = monotonic() + limits.timeout_s
    agent, user = _players(stage, run, task_id, complete)
    trial = await play(
        task,
        stage.open(),
        agent,
        user,
        greeting=stage.greeting,
        seed=seed,
        limits=Limits(limits.max_steps, limits.max_errors),
        expired=lambda: monotonic() > until,
    )
    verdict = None
    if complete is None:
        verdict = await judges.stand_in(stage, task_id, trial.messages)
    met = None if verdict is None else verdict.met
    graded = score(task, Scored(trial.messages, trial.termination_reason, met), stage.open())
    return TrialOutcome(
        trial=trial,
        score=graded,
        reward_info=reward_record(graded, task, verdict),
        final_state=_final_state(stage, task, trial, graded),
        duration_s=0.0,
    )


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


def _final_state(stage: Stage, task: Json, trial: Trial, graded: Score) -> str:
    if graded.env is None or graded.env.problem or graded.env.db_match is not False:
        return ""
    followed = follow(prepared(stage.open(), task, history=False), trial.messages)
    hashes = [state.hash for state in followed.environment.states() if state is not None]
    return sha256("/".join(hashes).encode()).hexdigest()


def result(outcome: TrialOutcome) -> TrialResult:
    """What is kept of a trial beside its messages."""
    trial = outcome.trial
    sides = {"agent": trial.agent, "user": trial.user}
    return TrialResult(
        termination_reason=trial.termination_reason,
        reward=outcome.score.reward,
        reward_info=outcome.reward_info,
        fault=asdict(trial.fault) if trial.fault else None,
        rule_id=classify(trial.facts(outcome.score.reward)).rule_id,
        stop_token=trial.stop_token,
        final_state=outcome.final_state,
        usage={side: asdict(usage) for side, usage in sides.items()},
        cost_usd=_cost(sides.values()),
        unpriced=sum(usage.unpriced for usage in sides.values()),
        steps=trial.steps,
        tool_errors=trial.tool_errors,
        duration_s=outcome.duration_s,
        extras={"problem": outcome.score.problem} if outcome.score.problem else {},
    )


def _cost(sides: Iterable[Usage]) -> float | None:
    known = [side.cost_usd for side in sides if side.requests > side.unpriced]
    return sum(known) if known else None
