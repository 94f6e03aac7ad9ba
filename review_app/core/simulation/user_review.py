"""A judge's review of the user simulator: which errors it made, and how grave.

Source: appendix I of the paper (Table 31); format specification, section 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from review_app.core.simulation.judges import ask, blocks, parsed, transcript, turn_in
from review_app.core.simulation.prompts import scenario_text
from review_app.core.simulation.records import Complete, Reply
from review_app.json_types import Json
from review_app.notices import Notice

UserErrorSeverity = Literal["minor", "critical", "critical_helped", "critical_hindered", "unknown"]

ERROR_TAGS = (
    "hallucination",
    "incorrect_interpretation",
    "guideline_violation",
    "revealed_info_early",
    "inconsistent_behavior",
    "tool_call_schema_error",
    "tool_call_argument_error",
    "irrelevant_tool_call",
    "premature_termination",
    "missed_required_action",
    "wrong_sequence",
    "interruption_error",
    "non_fluent_language",
    "other",
)
"""Types of errors; anything else becomes `other`."""
_SEVERITIES: Mapping[str, UserErrorSeverity] = {
    "minor": "minor",
    "critical": "critical",
    "critical_helped": "critical_helped",
    "critical_hindered": "critical_hindered",
}


@dataclass(frozen=True, slots=True)
class UserError:
    """One thing that the simulated user did wrong."""

    turn_idx: int | None
    tags: tuple[str, ...]
    """Of `ERROR_TAGS`."""
    raw_tags: tuple[str, ...]
    """As the judge wrote them."""
    severity: UserErrorSeverity
    reasoning: str
    correct_behavior: str = ""

    @property
    def is_critical(self) -> bool:
        """Whether it changed the result of the evaluation."""
        return self.severity.startswith("critical")


@dataclass(frozen=True, slots=True)
class UserReview:
    """What a judge says about one trial's user."""

    state: Literal["reviewed", "unknown"]
    """`unknown`: the answer could not be read; that is not the same as no errors."""
    errors: tuple[UserError, ...]
    summary: str
    reply: Reply
    problem: Notice | None = None


@dataclass(frozen=True, slots=True)
class ReviewRates:
    """How often users erred, over the trials whose review could be read."""

    reviewed: int
    unknown: int
    """Trials left out of the percentages."""
    graded: int
    """Of the reviewed: those of which it is known whether an error was critical."""
    with_error: int
    with_critical: int

    @property
    def err_percent(self) -> float | None:
        """Trials with any error, in percent; None without a readable review."""
        return 100 * self.with_error / self.reviewed if self.reviewed else None

    @property
    def crit_percent(self) -> float | None:
        """Trials with a critical error, in percent of the graded; None if there are none."""
        return 100 * self.with_critical / self.graded if self.graded else None


async def review_user(
    complete: Complete,
    prompt: str,
    task: Json,
    messages: Sequence[Json],
    *,
    guideline: str = "",
    language: str = "English",
    seed: int | None = None,
) -> UserReview:
    """The errors of a trial's simulated user.

    Args:
        complete: The judge.
        prompt: `data/prompts/judge/user_review.md`, with places `{language}`.
        task: Raw task; the judge reads its scenario.
        messages: The trial's messages, tool calls and results included.
        guideline: What the user simulator was told.
        language: What the user should speak.
        seed: Handed to the judge.
    """
    asked = blocks(
        guideline=guideline,
        scenario=scenario_text(task.get("user_scenario")),
        conversation=transcript(messages),
    )
    reply = await ask(complete, prompt.replace("{language}", language), asked, seed)
    answer, problem = parsed(reply)
    listed = answer.get("errors") if answer else None
    if not isinstance(listed, list) or not all(isinstance(error, dict) for error in listed):
        return UserReview(
            state="unknown",
            errors=(),
            summary="",
            reply=reply,
            problem=problem or Notice("model.judge_errors", "the judge gave no list of errors"),
        )
    errors = tuple(_error(error, messages) for error in listed)
    return UserReview(
        state="reviewed",
        errors=errors,
        summary=str((answer or {}).get("summary") or ""),
        reply=reply,
    )


def review_rates(reviews: Sequence[UserReview]) -> ReviewRates:
    """err% and crit% of Table 31."""
    known = [review for review in reviews if review.state == "reviewed"]
    critical = [review for review in known if any(error.is_critical for error in review.errors)]
    ungraded = [
        review
        for review in known
        if review not in critical and any(error.severity == "unknown" for error in review.errors)
    ]
    return ReviewRates(
        reviewed=len(known),
        unknown=len(reviews) - len(known),
        graded=len(known) - len(ungraded),
        with_error=sum(bool(review.errors) for review in known),
        with_critical=len(critical),
    )


def _error(raw: Json, messages: Sequence[Json]) -> UserError:
    given = raw.get("error_tags") or ()
    raw_tags = tuple(map(str, given)) if isinstance(given, list) else (str(given),)
    tags = dict.fromkeys(tag if tag in ERROR_TAGS else "other" for tag in raw_tags or ("",))
    return UserError(
        turn_idx=turn_in(raw.get("turn_idx"), messages),
        tags=tuple(tags),
        raw_tags=raw_tags,
        severity=_SEVERITIES.get(str(raw.get("severity") or ""), "unknown"),
        reasoning=str(raw.get("reasoning") or ""),
        correct_behavior=str(raw.get("correct_behavior") or ""),
    )
