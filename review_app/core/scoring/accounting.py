"""Whose fault the end of a trial was, and how a scoring profile counts it.

Facts are stored, verdicts are computed: `classify` says what happened by the present rule, `counts`
what a profile makes of it. So old runs can be counted anew under any profile.

Source: section 3.1, step 5, and footnote 8 of the paper; format specification, section 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from review_app.notices import Notice

Speaker = Literal["agent", "user", ""]
FaultKind = Literal[
    "empty_output", "malformed_tool_call", "invalid_message", "unspecified", "no_answer"
]
"""`invalid_message`: the orchestrator refused it; `unspecified`: a file says that the side failed
and not how; `no_answer`: the model was not reached or its answer arrived broken."""
Cause = Literal["agent", "user", "framework", "task", "unclear"]
EndingKind = Literal[
    "finished",
    "limit",
    "empty_output",
    "malformed_tool_call",
    "invalid_message",
    "unspecified",
    "infrastructure",
    "not_evaluated",
]
CountedAs = Literal["pass", "fail", "excluded", "rerun"]

RULE_VERSION = 1
"""Raised whenever `classify` answers differently; stands in every rule id."""
SPEAKERS_REASONS = frozenset({"stop", "length", "content_filter"})
"""Finish reasons with which an empty output is the speaker's own."""
NETWORK = "network_error"
"""A provider's reason that is never the model's, whatever a library maps it to."""
FINISHED = frozenset({"user_stop", "agent_stop"})
"""Ends that are scored; the reward of any other end is 0."""
SPEAKER_ENDS: Mapping[str, Speaker] = {"agent_error": "agent", "user_error": "user"}
"""Ends that are named after the side that failed."""
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class TrialFault:
    """An output that a trial could not go on from. Facts only."""

    kind: FaultKind
    speaker: Speaker
    """Empty: not recorded."""
    finish_reason: str | None = None
    """As the library mapped it; empty: the provider gave none; None: not recorded."""
    provider_reason: str = ""
    """The provider's own, where it is known."""
    error: str = ""
    """Kind of the error where there was no answer at all."""
    detail: str = ""
    """The offending output or the error's words."""
    thought: bool = False
    """Reasoning came, text did not: with `length` the token limit is too low for thinking."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What accounting needs of a trial; all of it is stored."""

    termination_reason: str
    reward: float | None
    """None: undecided, or not recorded."""
    fault: TrialFault | None = None
    human_cause: Cause | None = None
    """Whom a person blamed, if anybody looked."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """What happened, by the rule that it names."""

    kind: EndingKind
    speaker: Speaker
    """Whose output it was; empty where it was nobody's, or nobody knows."""
    rule_id: str
    """`1:empty_output`: version and name of the rule."""
    layer: Literal["framework"] = "framework"


@dataclass(frozen=True, slots=True)
class ScoringProfile:
    """How ends are counted. The members say what becomes of a trial that ended so."""

    name: str
    version: int
    about: str
    agent_output: CountedAs
    """Empty output or malformed tool call of the agent."""
    user_output: CountedAs
    """The same of the user simulator."""
    agent_invalid: CountedAs
    """The agent's side failed otherwise: a message that the orchestrator refuses."""
    user_invalid: CountedAs
    infrastructure: CountedAs
    output_attempts: int
    """How often a trial is played before an empty or malformed output is recorded as its end."""
    excluded_causes: frozenset[Cause] = frozenset()
    """Trials that a person attributed to one of these are not counted."""


_SPEAKERS: dict[str, CountedAs] = {
    "agent_output": "fail",
    "user_output": "rerun",
    "agent_invalid": "fail",
    "user_invalid": "rerun",
    "infrastructure": "excluded",
}


def _speakers(name: str, about: str, *excluded: Cause) -> ScoringProfile:
    return ScoringProfile(
        name=name,
        version=1,
        about=about,
        **_SPEAKERS,
        output_attempts=1,
        excluded_causes=frozenset(excluded),
    )


PROFILES: Mapping[str, ScoringProfile] = {
    profile.name: profile
    for profile in (
        ScoringProfile(
            name="upstream",
            version=1,
            about="tau-bench: empty and malformed outputs are tried again up to three times, then "
            "left out as infrastructure errors",
            agent_output="excluded",
            user_output="excluded",
            agent_invalid="fail",
            user_invalid="fail",
            infrastructure="excluded",
            output_attempts=4,
        ),
        _speakers(
            "tau-star",
            "tau-bench with the scoring fix: empty and malformed outputs are "
            "failures of the agent; trials that the user simulator broke are run again",
        ),
        _speakers("jtau", "J-tau: as tau-star"),
        ScoringProfile(
            name="leaderboard",
            version=1,
            about="nothing is left out: whatever did not pass has failed",
            agent_output="fail",
            user_output="fail",
            agent_invalid="fail",
            user_invalid="fail",
            infrastructure="fail",
            output_attempts=1,
        ),
        _speakers(
            "curation",
            "as jtau, and without trials that a person attributed to the user "
            "simulator or to the framework",
            "user",
            "framework",
        ),
    )
}
"""Scoring profiles by name."""
INFRASTRUCTURE_ATTEMPTS = 4
"""How often a trial is played before an infrastructure error is recorded as its end."""


def classify(facts: Facts) -> Attribution:
    """What ended a trial and whose output it was."""
    if facts.fault is not None:
        return _of_fault(facts.fault)
    reason = facts.termination_reason
    if reason in FINISHED:
        undecided = facts.reward is None
        return _attributed("not_evaluated" if undecided else "finished")
    if reason in SPEAKER_ENDS:
        return _attributed("unspecified", SPEAKER_ENDS[reason])
    if reason == "infrastructure_error":
        return _attributed("infrastructure", rule="reason_unrecorded")
    return _attributed("limit", rule=reason or "reason_missing")


def counts(facts: Facts, profile: ScoringProfile) -> CountedAs:
    """What a profile makes of a trial.

    Returns:
        `pass` or `fail`: counted. `excluded`: not counted. `rerun`: not counted, discarded and to
        be played again.
    """
    if facts.human_cause in profile.excluded_causes:
        return "excluded"
    attribution = classify(facts)
    user = attribution.speaker == "user"
    if attribution.kind == "finished":
        return "pass" if passes(facts.reward) else "fail"
    if attribution.kind == "limit":
        return "fail"
    if attribution.kind in ("infrastructure", "not_evaluated"):
        return profile.infrastructure
    if attribution.kind in ("empty_output", "malformed_tool_call"):
        return profile.user_output if user else profile.agent_output
    return profile.user_invalid if user else profile.agent_invalid


def passes(reward: float | None) -> bool:
    """Whether a reward is that of a solved task."""
    return abs((reward or 0.0) - 1.0) <= _TOLERANCE


def attempts_allowed(facts: Facts, profile: ScoringProfile) -> int:
    """How often a trial is played, the first time included, before an end like this is kept."""
    kind = classify(facts).kind
    if kind in ("infrastructure", "not_evaluated"):
        return INFRASTRUCTURE_ATTEMPTS
    return profile.output_attempts if kind in ("empty_output", "malformed_tool_call") else 1


def termination(fault: TrialFault) -> Literal["agent_error", "user_error", "infrastructure_error"]:
    """The name that J-tau's results files give to a trial that ended with this fault."""
    attribution = _of_fault(fault)
    if attribution.kind == "infrastructure":
        return "infrastructure_error"
    return "user_error" if attribution.speaker == "user" else "agent_error"


def gap(facts: Facts, profile: ScoringProfile) -> Notice | None:
    """What the profile would have to know of a trial that is not recorded; None if nothing.

    The second half of the line says how the trial is counted all the same.
    """
    attribution = classify(facts)
    rule = attribution.rule_id.partition(":")[2]
    if attribution.kind == "not_evaluated":
        return Notice(
            "score.reward_unrecorded",
            "the reward is not recorded; counted as an infrastructure error",
        )
    by_speaker = profile.agent_output != profile.infrastructure
    if by_speaker and rule == "reason_unrecorded":
        return Notice(
            "score.fault_unrecorded",
            "what went wrong is not recorded; counted as an infrastructure error",
        )
    if by_speaker and rule == "speaker_unrecorded":
        return Notice(
            "score.speaker_unrecorded",
            "who gave the output is not recorded; counted as an infrastructure error",
        )
    if by_speaker and rule == "empty_output_finish_unrecorded":
        return _finish_unrecorded(attribution.speaker)
    if attribution.kind == "unspecified" and profile.agent_output != profile.agent_invalid:
        return Notice(
            "score.output_unrecorded",
            "whether the output was empty or malformed is not recorded; counted as invalid",
        )
    return None


def _finish_unrecorded(speaker: Speaker) -> Notice:
    if speaker == "user":
        return Notice(
            "score.finish_unrecorded_user",
            "the finish reason is not recorded; counted as the user's",
        )
    return Notice(
        "score.finish_unrecorded_agent", "the finish reason is not recorded; counted as the agent's"
    )


def _of_fault(fault: TrialFault) -> Attribution:
    if NETWORK in (fault.provider_reason, fault.finish_reason):
        return _attributed("infrastructure", rule=NETWORK)
    if fault.kind == "no_answer":
        return _attributed("infrastructure", rule="no_answer")
    if not fault.speaker:
        unsaid = "reason" if fault.kind == "unspecified" else "speaker"
        return _attributed("infrastructure", rule=f"{unsaid}_unrecorded")
    if fault.kind != "empty_output":
        return _attributed(fault.kind, fault.speaker)
    if fault.finish_reason is None:
        rule = "empty_output_finish_unrecorded"
        return _attributed("empty_output", fault.speaker, rule)
    if fault.finish_reason in SPEAKERS_REASONS:
        return _attributed("empty_output", fault.speaker)
    return _attributed("infrastructure", rule="empty_output_finish_unknown")


def _attributed(kind: EndingKind, speaker: Speaker = "", rule: str = "") -> Attribution:
    return Attribution(kind, speaker, f"{RULE_VERSION}:{rule or kind}")
