"""How a check is written, registered and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from review_app.core.locale.glossary import Glossary
from review_app.core.locale.money import MoneyRule
from review_app.models import Finding, Segment, Severity, Span


@dataclass(frozen=True, slots=True)
class Context:
    """What checks may know beside the segment. The workflow fetches it; a check never queries."""

    glossary: Glossary
    money: MoneyRule | None
    """None where amounts stay as they are."""
    source_locale: str
    target_locale: str
    domain: str
    endings: tuple[tuple[str, str], ...] = ()
    """Endings of field names that localization changes: `_est` to `_jst`."""


class CheckFault:
    """One fault that a check reports.

    Args:
        span: Half-open code-point span in the target, where there is one.
        in_source: True if `span` counts in the source.
        values: Fill the check's message; also stored, for other languages.
    """

    __slots__ = ("in_source", "span", "values")

    def __init__(self, span: Span | None = None, in_source: bool = False, **values: object) -> None:
        self.span = span
        self.in_source = in_source
        self.values = {name: str(value) for name, value in values.items()}


CheckFunction = Callable[[Segment, Context], Iterator[CheckFault]]


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check."""

    code: str
    """Three letters of the family and a number; never used again for another check."""
    name: str
    """The fault as a noun phrase."""
    severity: Severity
    message: str
    """English, with the names of the fault's values in braces."""
    version: int
    """Raised when the check's answers change, so that stored findings are known to be old."""
    function: CheckFunction

    def __call__(self, segment: Segment, ctx: Context) -> list[Finding]:
        """The findings of this check alone."""
        return [self._finding(fault) for fault in self.function(segment, ctx)]

    def _finding(self, fault: CheckFault) -> Finding:
        return Finding(
            code=self.code,
            name=self.name,
            severity=self.severity,
            message=self.message.format(**fault.values),
            values=fault.values,
            span=fault.span,
            in_source=fault.in_source,
        )


ALL: dict[str, Check] = {}
"""Every check by its code, in the order of registration."""

CRASHED = "check {check} failed on this segment ({problem}); report it with the segment's address"


def check(
    code: str, severity: Severity, message: str, *, version: int = 1
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a function as a check.

    Raises:
        ValueError: the code is taken. This is a mistake in the program, not in the data.
    """

    def register(function: CheckFunction) -> CheckFunction:
        if code in ALL:
            raise ValueError(f"check code {code!r} is taken by {ALL[code].name}; choose another")
        ALL[code] = Check(
            code=code,
            name=function.__name__,
            severity=severity,
            message=message,
            version=version,
            function=function,
        )
        return function

    return register


def run(segment: Segment, ctx: Context, checks: Iterable[Check] | None = None) -> list[Finding]:
    """All findings about one segment; none while it has no translation.

    A check that crashes yields a finding `CHK000` instead of stopping the review.
    """
    if not segment.target:
        return []
    findings: list[Finding] = []
    for applied in ALL.values() if checks is None else checks:
        try:
            findings += applied(segment, ctx)
        except Exception as error:  # noqa: BLE001 - one bad rule must not stop review
            findings.append(_crash(applied, error))
    return findings


def ruleset() -> str:
    """Names the present set of checks; differs once a check is added, removed or new in version."""
    names = " ".join(f"{registered.code}.{registered.version}" for registered in ALL.values())
    return sha256(names.encode()).hexdigest()[:12]


def _crash(failed: Check, error: Exception) -> Finding:
    values = {"check": failed.code, "problem": f"{type(error).__name__}: {error}"}
    return Finding(
        code="CHK000",
        name="check_crashed",
        severity="error",
        message=CRASHED.format(**values),
        values=values,
    )
