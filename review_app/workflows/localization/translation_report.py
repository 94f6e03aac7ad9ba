"""What a translation by a model did, in words.

Reasons and lengths of time inside a sentence are notices, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from review_app.notices import Notice
from review_app.records.project import Spent

NOT_ASKED = "not asked"
"""Why texts are left that no request was made for; the other reasons are kinds of `LlmError`."""
_LEFT: Mapping[str, Notice] = {
    NOT_ASKED: Notice("translation.left_not_asked", "not asked"),
    "rate_limited": Notice("translation.left_rate_limited", "rate_limited"),
    "server": Notice("translation.left_server", "server"),
    "connection": Notice("translation.left_connection", "connection"),
    "timeout": Notice("translation.left_timeout", "timeout"),
    "authentication": Notice("translation.left_authentication", "authentication"),
    "bad_request": Notice("translation.left_bad_request", "bad_request"),
    "network_error": Notice("translation.left_network_error", "network_error"),
    "cancelled": Notice("translation.left_cancelled", "cancelled"),
}


@dataclass
class TranslationReport:
    """What a translation did."""

    texts: int
    """How many were to do."""
    translated: int = 0
    flagged: int = 0
    """Drafts that are kept in spite of faults, with a finding."""
    missing: int = 0
    """Texts without a usable answer, with a finding."""
    skipped: int = 0
    """Texts that changed, or that somebody wrote, while the model was thinking."""
    left: dict[str, int] = field(default_factory=dict)
    """Texts still to do, by why."""
    calls: int = 0
    reused: int = 0
    """Answers that had been paid for before."""
    spent: Spent = field(default_factory=Spent)
    cancelled: bool = False

    @property
    def done(self) -> int:
        """Texts that need no further call."""
        return self.translated + self.flagged + self.missing + self.skipped

    def leave(self, reason: str, count: int) -> None:
        """Note texts that are still to do."""
        if count:
            self.left[reason] = self.left.get(reason, 0) + count


def summary(report: TranslationReport) -> Notice:
    """What a translation did, in one line."""
    parts = [Notice("translation.translated", "{count} translated", count=report.translated)]
    if report.flagged:
        parts.append(Notice("translation.flagged", "{count} drafts flagged", count=report.flagged))
    if missing := report.missing:
        parts.append(
            Notice("translation.missing", "{count} without a usable answer", count=missing)
        )
    if report.skipped:
        parts.append(Notice("translation.skipped", "{count} skipped", count=report.skipped))
    for reason, count in sorted(report.left.items()):
        why = _LEFT.get(reason, reason)
        parts.append(Notice("translation.left", "{count} left ({why})", count=count, why=why))
    parts.append(Notice("translation.calls", "{count} calls", count=report.calls))
    parts.append(spending(report.spent))
    return Notice("translation.summary", "{parts}", parts=tuple(parts))


def progress_note(spent: Spent, seconds_left: float | None) -> Notice:
    """What a translation under way has spent, and how long it will go on if that is known."""
    if seconds_left is None:
        return Notice("translation.under_way", "texts, {spending}", spending=spending(spent))
    return Notice(
        "translation.under_way_until",
        "texts, {spending}, {duration} left",
        spending=spending(spent),
        duration=duration(seconds_left),
    )


def spending(spent: Spent) -> Notice:
    """Tokens and cost in words; what has no known price is not free."""
    tokens = Notice(
        "translation.tokens",
        "{tokens_in:,} tokens in, {tokens_out:,} out",
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
    )
    if spent.cost_usd is None:
        if not spent.unpriced:
            return tokens
        return Notice("translation.unpriced", "{tokens}, unpriced", tokens=tokens)
    if not spent.unpriced:
        return Notice(
            "translation.cost", "{tokens}, {cost:.4f} USD", tokens=tokens, cost=spent.cost_usd
        )
    return Notice(
        "translation.cost_partly",
        "{tokens}, {cost:.4f} USD and {calls} calls unpriced",
        tokens=tokens,
        cost=spent.cost_usd,
        calls=spent.unpriced,
    )


def duration(seconds: float) -> Notice:
    """A length of time for people: `50 s`, `12 min`, `2 h 5 min`."""
    if seconds < 90:
        return Notice("translation.seconds", "{seconds:.0f} s", seconds=seconds)
    minutes = round(seconds / 60)
    if minutes < 90:
        return Notice("translation.minutes", "{minutes} min", minutes=minutes)
    return Notice(
        "translation.hours", "{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60
    )
