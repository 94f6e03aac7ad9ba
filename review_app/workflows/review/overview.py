"""Numbers for the overview and the glossary grid: what waits, how far it is, what blocks a release.

Everything here only reads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate
from typing import cast

from review_app.core.locale.glossary import Glossary
from review_app.models import STATES, Person, SegmentState, Severity, Term
from review_app.records.review import QueueFilter
from review_app.store import Store

TERM_CHECKS = ("TRM001", "TRM002", "TRM003")
"""The checks whose findings are about a glossary term."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What asks for one person's attention.

    Attributes:
        review: Segments that wait for this person's answer.
        stale: Those of them whose source or glossary term changed.
        contested: Segments that a maintainer has to settle; 0 for everybody else.
        drafts: Texts that this person typed and has not saved.
        done_today: Decisions of this person since midnight UTC.
    """

    review: int
    stale: int
    contested: int
    drafts: int
    done_today: int


@dataclass(frozen=True, slots=True)
class FileProgress:
    """How many segments of a file are in which state."""

    domain: str
    file: str
    states: dict[SegmentState, int]

    @property
    def total(self) -> int:
        """All segments of the file."""
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class PersonWork:
    """What one person did.

    Attributes:
        answered: Decisions of every kind that were not taken back.
        compared: Pairs of this person's answer with another's about the same version.
        agreed: Those of the pairs in which both accepted or both asked for a change.
    """

    person: Person
    answered: int
    edited: int
    requested: int
    compared: int
    agreed: int

    @property
    def agreement(self) -> float | None:
        """Raw agreement from 0 to 1; None where there is nothing to compare."""
        return self.agreed / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class ReviewDay:
    """One day with its decisions, and the segments that were approved at its end."""

    day: str
    decisions: int
    approved: int


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How many segments have an open finding of a check."""

    code: str
    severity: Severity
    segments: int


@dataclass(frozen=True, slots=True)
class Readiness:
    """What stands between the project and a release.

    Attributes:
        total: All segments.
        states: Segments that are not approved, by state, without those at 0.
        findings: Open findings, worst first.
        unaligned: Unaligned texts by domain.
    """

    total: int
    states: dict[SegmentState, int] = field(default_factory=dict)
    findings: tuple[FindingCount, ...] = ()
    unaligned: dict[str, int] = field(default_factory=dict)


def waiting(store: Store, person: Person) -> Waiting:
    """What waits for this person."""
    count = store.queue.count
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    maintains = person.role == "maintainer"
    return Waiting(
        review=count(QueueFilter(mine="waiting"), person.id),
        stale=count(QueueFilter(mine="waiting", state="stale"), person.id),
        contested=count(QueueFilter(state="contested")) if maintains else 0,
        drafts=count(QueueFilter(mine="drafted"), person.id),
        done_today=sum(
            number
            for who, day, _, number in store.reviews.work()
            if who == person.id and day == today
        ),
    )


def progress(store: Store) -> list[FileProgress]:
    """Every file that has segments, in the order of import."""
    files: dict[tuple[str, str], dict[SegmentState, int]] = defaultdict(dict)
    for domain, file, _, state, count in store.segments.progress():
        files[domain, file][state] = count
    return [FileProgress(domain, file, states) for (domain, file), states in files.items()]


def people_work(store: Store) -> list[PersonWork]:
    """What everybody did who is active or ever decided something."""
    verdicts: dict[int, Counter[str]] = defaultdict(Counter)
    for who, _, verdict, count in store.reviews.work():
        verdicts[who][verdict] += count
    agreement = store.reviews.agreement()
    return [
        PersonWork(
            person,
            verdicts[person.id].total(),
            verdicts[person.id]["edit"],
            verdicts[person.id]["request_change"],
            *agreement.get(person.id, (0, 0)),
        )
        for person in store.people.all()
        if person.active or person.id in verdicts
    ]


def burn_up(store: Store) -> list[ReviewDay]:
    """The days on which something was decided or the approved segments changed, oldest first."""
    decisions: Counter[str] = Counter()
    for _, day, _, count in store.reviews.work():
        decisions[day] += count
    grown = dict(store.reviews.approved_by_day())
    days = sorted({*decisions, *(day for day, change in grown.items() if change)})
    totals = accumulate(grown.get(day, 0) for day in days)
    return [ReviewDay(day, decisions[day], total) for day, total in zip(days, totals, strict=True)]


def readiness(store: Store, files: Iterable[FileProgress]) -> Readiness:
    """What blocks a release, from the progress of all files."""
    states: Counter[SegmentState] = Counter()
    for file in files:
        states.update(file.states)
    order: list[Severity] = ["error", "warning", "info"]
    findings = [
        FindingCount(code, cast(Severity, severity), count)
        for code, severity, count in store.segments.findings_by_code()
    ]
    unaligned = {
        info.name: len(store.documents.unaligned(info.name)) for info in store.documents.domains()
    }
    return Readiness(
        total=states.total(),
        states={state: states[state] for state in STATES if state != "approved" and states[state]},
        findings=tuple(sorted(findings, key=lambda count: order.index(count.severity))),
        unaligned={domain: count for domain, count in unaligned.items() if count},
    )


def term_use(store: Store) -> dict[int, int]:
    """Term id to the number of segments whose source uses it. Reads every segment."""
    glossary = Glossary(store.terms.all(), store.people.project().target_locale)
    used: Counter[int] = Counter()
    banned = [term for term in glossary.terms if term.mode == "forbidden"]
    texts = list(store.segments.all())
    for text in texts:
        matches = glossary.in_source(text.source, text.domain)
        used.update({term.id for match in matches for term in match.terms})
    for term in banned:
        sources = [text.source for text in texts if term.domain in (None, text.domain)]
        used[term.id] = len(glossary.affected_by(None, term, sources))
    return dict(used)


def term_violations(store: Store) -> dict[int, int]:
    """Term id to the number of segments with an open finding about it."""
    terms, locale = store.terms.all(), store.people.project().target_locale
    values = Glossary([term for term in terms if term.mode == "exact"], locale)
    words = Glossary([term for term in terms if term.mode != "exact"], locale)
    meant: dict[tuple[str, str, str, str], tuple[Term, ...]] = {}
    violated: set[tuple[int, str, str]] = set()
    for domain, _, address, finding in store.findings.open():
        if finding.code not in TERM_CHECKS:
            continue
        source, target = finding.values["source"], finding.values["target"]
        key = (domain, finding.code, source, target)
        if key not in meant and finding.code == "TRM002":
            meant[key] = _forbidden(terms, domain, source, target)
        elif key not in meant:
            meant[key] = _spelt(values if finding.code == "TRM003" else words, domain, source)
        violated |= {(term.id, domain, address) for term in meant[key]}
    return dict(Counter(term for term, _, _ in violated))


def _forbidden(terms: Iterable[Term], domain: str, source: str, target: str) -> tuple[Term, ...]:
    return tuple(
        term
        for term in terms
        if term.mode == "forbidden"
        and term.domain in (None, domain)
        and (term.source or "anything", term.target) == (source, target)
    )


def _spelt(glossary: Glossary, domain: str, spelling: str) -> tuple[Term, ...]:
    """The terms that a stretch of source text stands for."""
    for match in glossary.in_source(spelling, domain):
        if match.end - match.start == len(spelling):
            return match.terms
    return ()
