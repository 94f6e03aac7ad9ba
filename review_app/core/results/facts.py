"""Why a trial in a results file ended, as far as the file says.

The benchmark's own files keep the text of an exception where a trial failed: `infrastructure_error`
with a traceback upstream, `agent_error` or `user_error` with the finish reason in J-tau's. What
they do not say stays unsaid (`accounting.gap` says what a profile misses). Files of this app hold
the facts themselves.

Source: format specification, sections 5, 8.3 and 12.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import msgspec

from review_app.core.scoring.accounting import NETWORK, SPEAKER_ENDS, FaultKind, Speaker, TrialFault
from review_app.json_types import Json

OWN_KEY = "jtau_review"
"""Where files of this app keep the facts, inside a simulation's `info`."""

_EMPTY = re.compile(r"\bempty\b|\bblank\b|no content|either content or|neither content nor", re.I)
_MALFORMED = re.compile(
    r"JSONDecodeError|(?:malformed|invalid|not valid) JSON|JSON is invalid|Expecting \w+|"
    r"Expecting '|Expecting property name|Unterminated string|Extra data|Invalid \\escape",
    re.I,
)
_FINISH = re.compile(r"finish[_ ]?reason\W{1,4}(\w+)", re.I)
_TRANSPORT = re.compile(
    r"RateLimit|Connection|Timeout|ServiceUnavailable|InternalServer|APIError|Authentication|"
    r"BadRequest|PermissionDenied|NotFoundError|BadGateway|ContextWindow"
)
_EVALUATION = re.compile(r"evaluator|evaluate_simulation|nl_assertion", re.I)
_SIDES = re.compile(
    r"(?P<agent>self\.agent\.|llm_agent|[/\\]agent[/\\])"
    r"|(?P<user>self\.user\.|user_simulator|[/\\]user[/\\])"
)
_NAMED = re.compile(r"\b(?:(?P<agent>agent)|(?P<user>user))\b", re.I)


def recorded_fault(termination_reason: str, info: Json | None) -> TrialFault | None:
    """The output that broke a trial off, read off a simulation's `info`; None if there was none.

    Args:
        termination_reason: Of the simulation.
        info: Its `info`, if it has one.
    """
    info = info or {}
    own = _own(info)
    if own is not None:
        return own
    if termination_reason not in ("infrastructure_error", *SPEAKER_ENDS):
        return None
    error, kind = str(info.get("error") or ""), str(info.get("error_type") or "")
    if not error and not kind:
        return None
    finish = _FINISH.search(error)
    reason = None if finish is None else _reason(finish[1])
    network = NETWORK if NETWORK in error else ""
    fault = TrialFault(
        kind="no_answer",
        speaker="",
        finish_reason=reason,
        provider_reason=network,
        error=kind,
        detail=error,
    )
    if termination_reason in SPEAKER_ENDS:
        fault_kind = _participants(kind, error, has_reason=reason is not None)
        return replace(fault, kind=fault_kind, speaker=SPEAKER_ENDS[termination_reason], error="")
    trace = str(info.get("error_traceback") or "")
    if _TRANSPORT.search(kind) or _EVALUATION.search(trace):
        return fault
    fault_kind = _output(kind, error)
    speaker = "" if fault_kind == "unspecified" else _speaker(trace, error)
    return replace(fault, kind=fault_kind, speaker=speaker)


def fault_info(fault: TrialFault) -> dict[str, Any]:
    """What a simulation's `info` says of a fault, for this app and for readers of J-tau's files."""
    who = {"agent": "agent", "user": "user simulator"}.get(fault.speaker, "model")
    what = {
        "empty_output": "empty output",
        "malformed_tool_call": "malformed JSON in a tool call",
    }.get(fault.kind, fault.kind.replace("_", " "))
    reason = "None" if not fault.finish_reason else fault.finish_reason
    detail = f": {fault.error or fault.detail}" if fault.error or fault.detail.strip() else ""
    return {
        "error": f"{who}: {what} (finish_reason: {reason}){detail}",
        "error_type": fault.error or fault.kind,
        OWN_KEY: {"fault": asdict(fault)},
    }


def _own(info: Json) -> TrialFault | None:
    kept = info.get(OWN_KEY)
    raw = kept.get("fault") if isinstance(kept, Mapping) else None
    if not isinstance(raw, Mapping):
        return None
    stated = {name: value for name, value in raw.items() if value is not None}
    try:
        return msgspec.convert(stated, TrialFault)
    except msgspec.ValidationError:
        return None


def _reason(word: str) -> str:
    return "" if word.lower() in ("none", "null") else word


def _participants(kind: str, error: str, *, has_reason: bool) -> FaultKind:
    """Upstream, too, ends in `agent_error`: for messages its orchestrator refuses."""
    fault_kind = _output(kind, error)
    return "unspecified" if fault_kind == "empty_output" and not has_reason else fault_kind


def _output(kind: str, error: str) -> FaultKind:
    if kind == "JSONDecodeError" or _MALFORMED.search(error):
        return "malformed_tool_call"
    return "empty_output" if _EMPTY.search(error) else "unspecified"


def _speaker(trace: str, error: str) -> Speaker:
    """Who was speaking, by the innermost place that the traceback names, else by the words."""
    sides: list[Speaker] = [_side(match) for match in _SIDES.finditer(trace)]
    if sides:
        return sides[-1]
    named: set[Speaker] = {_side(match) for match in _NAMED.finditer(error)}
    return named.pop() if len(named) == 1 else ""


def _side(match: re.Match[str]) -> Speaker:
    return "agent" if match["agent"] else "user"
