"""What pages and commands read without a use case of its own: one look into the store each.

Pages and commands reach the database through workflows only; where a workflow would do nothing but
read, this is the workflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a look imports what it looks into, nothing else
    from collections.abc import Iterator

    from review_app.models import Person, Segment, SegmentKind, SegmentState, Term, Unaligned
    from review_app.records.curation import Acknowledgement, Flag, StoredPatch
    from review_app.records.localization import PromptVersion
    from review_app.records.project import Job, Project
    from review_app.records.release import ProjectRevision
    from review_app.records.review import (
        Document,
        DomainInfo,
        QueueEntry,
        QueueFilter,
        StoredFinding,
    )
    from review_app.records.runs import Run, TrialUnit, TrialVerdict
    from review_app.store import Store


def people(store: Store) -> list[Person]:
    """Everybody, in the order they were added."""
    return store.people.all()


def person(store: Store, person: int) -> Person:
    """The person with this id."""
    return store.people.get(person)


def person_named(store: Store, name: str) -> Person:
    """The person with this name."""
    return store.people.named(name)


def project(store: Store) -> Project:
    """The project; a new database has an unnamed one, English to Japanese."""
    return store.people.project()


def revision(store: Store) -> ProjectRevision:
    """The state of what a release is made of."""
    return store.releases.revision()


def domains(store: Store) -> list[DomainInfo]:
    """Every imported domain, in the order of import."""
    return store.documents.domains()


def documents(store: Store, domain: str) -> list[Document]:
    """The files of a domain that the last import found, in its order."""
    return store.documents.of(domain)


def files(store: Store) -> list[tuple[str, str]]:
    """(domain, file) of every file with text, in order."""
    return store.documents.files()


def require_domain(store: Store, domain: str) -> None:
    """Nothing, if this domain is imported."""
    store.documents.require(domain)


def unaligned(store: Store, domain: str | None = None) -> list[Unaligned]:
    """What could not be aligned, in file order."""
    return store.documents.unaligned(domain)


def segment(store: Store, segment: str) -> Segment:
    """The segment with this id."""
    return store.segments.get(segment)


def segment_at(store: Store, domain: str, address: str) -> Segment:
    """The segment at an address of a domain."""
    return store.segments.at(domain, address)


def segments(store: Store, domain: str | None = None) -> Iterator[Segment]:
    """Every segment of the project or of one domain, in file order."""
    return store.segments.all(domain)


def segments_of_document(store: Store, document: int) -> list[Segment]:
    """Every segment of a file, in order."""
    return store.segments.of_document(document)


def segments_of_same_source(store: Store, segment: Segment, limit: int = 10) -> list[Segment]:
    """Other segments with the same source text and a translation: the memory."""
    return store.segments.same_source(segment, limit)


def section(store: Store, segment: Segment) -> list[Segment]:
    """All segments of the same section: the whole instruction of a task, in order."""
    return store.segments.section(segment)


def progress(store: Store) -> list[tuple[str, str, SegmentKind, SegmentState, int]]:
    """Counts by (domain, file, kind, state), in file order."""
    return store.segments.progress()


def findings_by_code(store: Store) -> list[tuple[str, str, int]]:
    """(code, severity, segments with an open finding of it), most first."""
    return store.segments.findings_by_code()


def findings(store: Store, segment: str) -> list[StoredFinding]:
    """A segment's findings, the worst first, with what was dismissed."""
    return store.findings.of(segment)


def queue_entries(
    store: Store,
    wanted: QueueFilter,
    person: int | None = None,
    *,
    offset: int = 0,
    limit: int = 20,
) -> list[QueueEntry]:
    """One page of the segments that pass the filter, in file order."""
    return store.queue.entries(wanted, person, offset=offset, limit=limit)


def queue_count(store: Store, wanted: QueueFilter, person: int | None = None) -> int:
    """How many segments pass the filter."""
    return store.queue.count(wanted, person)


def queue_step(
    store: Store,
    wanted: QueueFilter,
    segment: Segment,
    person: int | None = None,
    *,
    back: bool = False,
) -> str | None:
    """The id of the next (or previous) segment that passes the filter; None at the end."""
    return store.queue.step(wanted, segment, person, back=back)


def queue_rank(
    store: Store, wanted: QueueFilter, segment: Segment, person: int | None = None
) -> int:
    """How many segments that pass the filter come before this one."""
    return store.queue.rank(wanted, segment, person)


def decided_today(store: Store, person: int) -> int:
    """How many segments a person answered since midnight UTC."""
    return store.reviews.decided_today(person)


def terms(store: Store) -> list[Term]:
    """Every term in force, in the order they were added."""
    return store.terms.all()


def glossary_edition(store: Store) -> str:
    """Changes whenever any term does: newest audit row about the glossary."""
    return store.terms.edition()


def entities_edition(store: Store) -> str:
    """Changes whenever any entity does: newest audit row about them."""
    return store.entities.edition()


def prompt_history(store: Store, name: str) -> list[PromptVersion]:
    """The versions of a prompt, newest first; without the shipped one."""
    return store.prompts.history(name)


def current_prompts(store: Store) -> dict[str, PromptVersion]:
    """The newest version of every prompt that was ever changed, by name."""
    return store.prompts.current()


def jobs(store: Store, kind: str = "", domain: str = "", limit: int = 50) -> list[Job]:
    """The newest jobs first, of this kind and domain where one is named."""
    return store.jobs.list(kind, domain, limit)


def job(store: Store, job: int) -> Job:
    """The job with this id."""
    return store.jobs.get(job)


def runs(store: Store, domain: str = "", limit: int = 200) -> list[Run]:
    """The newest runs first, of this domain where one is named."""
    return store.runs.list(domain, limit)


def run(store: Store, run: int) -> Run:
    """The run with this id."""
    return store.runs.get(run)


def trials(store: Store, run: int) -> list[TrialUnit]:
    """The trials of a run by task, trial and attempt."""
    return store.units.of_run(run)


def trial(store: Store, unit: int) -> TrialUnit:
    """The trial with this id."""
    return store.units.get(unit)


def trial_counts(store: Store, run: int) -> dict[str, int]:
    """Trials of a run by state."""
    return store.units.counts(run)


def verdicts(
    store: Store, *, unit: int | None = None, run: int | None = None
) -> list[TrialVerdict]:
    """All verdicts of a trial or of a run, the oldest first."""
    return store.units.verdicts(unit=unit, run=run)


def patches(
    store: Store, domain: str | None = None, task_id: str | None = None
) -> list[StoredPatch]:
    """Patches in the order in which they were added."""
    return store.patches.all(domain, task_id)


def patch(store: Store, patch: int) -> StoredPatch:
    """The patch with this id. Raises NotFound."""
    return store.patches.get(patch)


def patches_edition(store: Store) -> str:
    """Changes whenever any patch does."""
    return store.patches.edition()


def flags(store: Store, domain: str | None = None, task_id: str | None = None) -> list[Flag]:
    """Flags, oldest first."""
    return store.flags.all(domain, task_id)


def flag(store: Store, flag: int) -> Flag:
    """The flag with this id. Raises NotFound."""
    return store.flags.get(flag)


def acknowledged(
    store: Store, domain: str, task_id: str | None = None
) -> dict[tuple[str, str], Acknowledgement]:
    """Accepted warnings of a domain or of one task: (task id, fingerprint) -> by whom, why."""
    return store.validations.acknowledged(domain, task_id)
