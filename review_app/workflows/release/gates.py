"""What blocks a release: every gate with its places, and the warnings that people accepted.

Everything is computed anew: checks and rules where they are out of date, and the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from review_app.core.envs import has_environment
from review_app.core.localize.variants import DEFAULT, VariantRecipe, chosen
from review_app.core.proof import leftovers
from review_app.core.proof.leftovers import ProofViolation
from review_app.core.validity import RuleViolation
from review_app.errors import ReviewError
from review_app.models import Finding, Segment
from review_app.notices import Notice
from review_app.records.curation import StoredPatch
from review_app.records.release import ProjectRevision
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.benchmark.files import SHARED_GUIDES
from review_app.workflows.curation import validity
from review_app.workflows.curation.validity import Checked
from review_app.workflows.localization import derived_domain, entities, proof
from review_app.workflows.localization.derived_domain import DerivationChoice
from review_app.workflows.review import checks

GATES: Mapping[str, Notice] = {
    "pending": Notice("release.gate_pending", "texts that are not approved"),
    "stale": Notice("release.gate_stale", "texts whose source or entity changed"),
    "contested": Notice("release.gate_contested", "texts that reviewers disagree about"),
    "findings": Notice("release.gate_findings", "errors that the text checks found"),
    "patches": Notice("release.gate_patches", "patches that nobody decided about"),
    "entities": Notice("release.gate_entities", "entities without a sound counterpart"),
    "leftovers": Notice("release.gate_leftovers", "places where something of the source is left"),
    "glossary": Notice("release.gate_glossary", "texts that a glossary change sent back"),
    "refused_writes": Notice("release.gate_refused_writes", "gold writes that a tool refuses"),
    "square": Notice("release.gate_square", "places where the localized domain does otherwise"),
    "flags": Notice("release.gate_flags", "open flags of severity 2 and up"),
    "rules": Notice("release.gate_rules", "errors that the validity rules find"),
}
"""Every gate by its name, in the order of the pipeline."""

SEVERE = 2
"""From this severity on an open flag blocks."""
_ABOUT_TEXTS = ("pending", "stale", "contested", "findings", "entities", "leftovers", "glossary")
"""Gates that say nothing of a variant in which all is the source's."""
_OF_PROOF = {"LOC001": "square", "LOC002": "leftovers"}
"""Codes of the proof and their gates; all others are about entities."""


@dataclass(frozen=True, slots=True)
class Blocker:
    """One place that blocks a release, and the page where a person does something about it."""

    place: str
    """For people: `airline/policy.md#refunds/1`, `retail/7`."""
    note: str | Notice
    page: str
    """Name of a page: `review`, `tasks`, `patch`, `entities`."""
    query: Mapping[str, str]
    """What shows exactly this place there: `{"segment": "0123..."}`."""
    said: Finding | RuleViolation | None = None
    """What a check, the proof or a rule found: a page has its words in other languages."""

    @property
    def link(self) -> str:
        """The address of the page inside the app."""
        return f"/{self.page}?{urlencode(self.query)}"


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition of a release, with everything that does not fulfil it."""

    name: str
    title: Notice
    blockers: tuple[Blocker, ...]

    @property
    def count(self) -> int:
        """How many places block."""
        return len(self.blockers)


@dataclass(frozen=True, slots=True)
class AcceptedWarning:
    """A warning of a rule that somebody accepted, with the reason."""

    domain: str
    task_id: str
    code: str
    message: Notice | str
    reason: str
    person: str
    accepted_at: str
    said: RuleViolation
    """The warning: a page has its words in other languages."""


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """Whether the project can be released."""

    revision: ProjectRevision
    variant: str
    domains: tuple[str, ...]
    gates: tuple[Gate, ...]
    accepted: tuple[AcceptedWarning, ...]

    @property
    def ready(self) -> bool:
        """Whether nothing blocks."""
        return not any(gate.blockers for gate in self.gates)

    @property
    def counts(self) -> dict[str, int]:
        """Gate to the number of places that block it, without those at 0."""
        return {gate.name: gate.count for gate in self.gates if gate.blockers}

    def as_json(self) -> dict[str, Any]:
        """The record that the command line writes."""
        return {
            "ready": self.ready,
            "revision": self.revision.number,
            "variant": self.variant,
            "domains": list(self.domains),
            "gates": [
                {
                    "name": gate.name,
                    "title": str(gate.title),
                    "count": gate.count,
                    "blockers": [
                        {
                            "place": blocker.place,
                            "note": str(blocker.note),
                            "page": blocker.page,
                            "query": dict(blocker.query),
                            "link": blocker.link,
                        }
                        for blocker in gate.blockers
                    ],
                }
                for gate in self.gates
            ],
            "accepted": [
                {
                    "domain": warning.domain,
                    "task_id": warning.task_id,
                    "code": warning.code,
                    "message": str(warning.message),
                    "reason": warning.reason,
                    "person": warning.person,
                    "accepted_at": warning.accepted_at,
                }
                for warning in self.accepted
            ],
        }


class ReleaseBlocked(ReviewError):
    """Something blocks the release; carries everything that does."""

    def __init__(self, check: ReleaseCheck) -> None:
        count = sum(check.counts.values())
        super().__init__(
            "release.blocked",
            (
                "1 place blocks the release ({gates}): `release check` says where; "
                "or build with --allow-incomplete",
                "{count} places block the release ({gates}): `release check` says where; "
                "or build with --allow-incomplete",
            ),
            count=count,
            gates=tuple(f"{name} {number}" for name, number in check.counts.items()),
        )
        self.check = check


def check(
    store: Store,
    domains: Sequence[str] = (),
    *,
    variant: str = DEFAULT,
    progress: Progress = silent,
) -> ReleaseCheck:
    """What blocks a release of these domains, or of all that can be localized.

    Call it outside of a transaction: findings, rules and proofs are brought up to date.

    Raises:
        NotFound: no such domain or variant.
        ReviewError: nothing is imported that could be released.
    """
    recipe = chosen(derived_domain.variants(), variant)
    names = releasable(store, domains)
    places: dict[str, list[Blocker]] = {name: [] for name in GATES}
    accepted: list[AcceptedWarning] = []
    for at, domain in enumerate(names):
        progress(at, len(names), Notice("release.checking", "{domain}: checks", domain=domain))
        inspected = validity.inspect(store, domain, progress=progress)
        places["rules"] += _broken_rules(domain, inspected)
        accepted += _accepted(store, domain, inspected)
        places["patches"] += map(_undecided, _proposed(store, domain, recipe))
        places["flags"] += _flags(store, domain)
        places["refused_writes"] += _refused(store, domain)
        for name, blocker in _proof(store, domain, recipe, progress):
            places[name].append(blocker)
    for domain in (*names, *_guides(store)):
        checks.refresh(store, domain, progress=progress)
        for name, blocker in (*_texts(store, domain), *_findings(store, domain)):
            places[name].append(blocker)
    progress(len(names), len(names), "")
    shown = [name for name in GATES if not (recipe.is_source and name in _ABOUT_TEXTS)]
    return ReleaseCheck(
        revision=store.releases.revision(),
        variant=recipe.name,
        domains=tuple(names),
        gates=tuple(
            Gate(name=name, title=GATES[name], blockers=tuple(places[name])) for name in shown
        ),
        accepted=tuple(accepted),
    )


def releasable(store: Store, domains: Sequence[str] = ()) -> list[str]:
    """The named domains, or all whose tools can be run, each once.

    Their entities are brought up to date: that may be a change of the project.
    """
    for domain in domains:
        store.documents.require(domain)
    names = list(dict.fromkeys(domains)) or environments.domains(store)
    runnable = [name for name in names if name in environments.domains(store)]
    if not runnable or len(runnable) < len(names):
        raise ReviewError(
            "release.nothing_to_release",
            "a release needs a domain with a database whose tools can be run: import one first",
        )
    for domain in names:
        entities.rows(store, domain)
    return names


def _guides(store: Store) -> list[str]:
    return [SHARED_GUIDES] if store.documents.of(SHARED_GUIDES) else []


# -- texts -------------------------------------------------------------------------------------

_NOTES: Mapping[str, Notice] = {
    "untranslated": Notice("release.text_untranslated", "not translated"),
    "draft": Notice("release.text_draft", "a machine draft"),
    "in_review": Notice("release.text_in_review", "in review"),
    "contested": Notice("release.text_contested", "reviewers disagree"),
    "stale": Notice("release.text_stale", "its source changed"),
}


def _texts(store: Store, domain: str) -> Iterator[tuple[str, Blocker]]:
    for text in store.segments.all(domain):
        if text.state == "approved":
            continue
        gate: str = text.state if text.state in ("stale", "contested") else "pending"
        note: Notice = _NOTES[text.state]
        reason = store.segments.review_row(text.id)["recheck"] if text.state == "stale" else None
        if reason not in (None, "source"):
            gate = "glossary" if reason.startswith("term ") else "stale"
            note = Notice("release.text_sent_back", "sent back: {reason}", reason=reason)
        yield gate, _of_text(text, note)


def _of_text(text: Segment, note: Notice | str, said: Finding | None = None) -> Blocker:
    place, query = f"{text.domain}/{text.address}", {"segment": text.id}
    return Blocker(place=place, note=note, page="review", query=query, said=said)


def _findings(store: Store, domain: str) -> Iterator[tuple[str, Blocker]]:
    """Open errors of the text checks; what the proof found has gates of its own."""
    for _, _, address, finding in store.findings.open(domain):
        if finding.severity == "error" and finding.code not in leftovers.RULES:
            note = f"{finding.code} {finding.message}"
            yield "findings", _of_text(store.segments.at(domain, address), note, finding)


# -- tasks -------------------------------------------------------------------------------------


def _of_task(
    domain: str, task_id: str, note: Notice | str, said: Finding | RuleViolation | None = None
) -> Blocker:
    place, query = f"{domain}/{task_id}", {"domain": domain, "task": task_id}
    return Blocker(place=place, note=note, page="tasks", query=query, said=said)


def _broken_rules(domain: str, inspected: Mapping[str, list[Checked]]) -> Iterator[Blocker]:
    for task_id, listed in inspected.items():
        for hit in listed:
            if hit.violation.level == "error":
                note = validity.code_and_message(hit.violation)
                yield _of_task(domain, task_id, note, hit.violation)


def _accepted(
    store: Store, domain: str, inspected: Mapping[str, list[Checked]]
) -> Iterator[AcceptedWarning]:
    names = {person.id: person.name for person in store.people.all()}
    for task_id, listed in inspected.items():
        for hit in listed:
            if hit.acknowledged is not None:
                yield AcceptedWarning(
                    domain=domain,
                    task_id=task_id,
                    code=hit.violation.code,
                    message=hit.violation.message,
                    reason=hit.acknowledged.reason,
                    person=names[hit.acknowledged.person_id],
                    accepted_at=hit.acknowledged.created_at,
                    said=hit.violation,
                )


def _proposed(store: Store, domain: str, recipe: VariantRecipe) -> list[StoredPatch]:
    return [
        patch
        for patch in store.patches.all(domain)
        if patch.state == "proposed" and (patch.patch.layer == "repair" or not recipe.is_source)
    ]


def _undecided(patch: StoredPatch) -> Blocker:
    note = Notice("release.patch_proposed", "{patch!r} is proposed", patch=patch.patch.id)
    place = f"{patch.patch.domain}/{patch.patch.task_id}"
    return Blocker(place=place, note=note, page="patch", query={"patch": str(patch.id)})


def _flags(store: Store, domain: str) -> Iterator[Blocker]:
    for flag in store.flags.all(domain):
        if not flag.closed and flag.severity >= SEVERE:
            yield _of_task(domain, flag.task_id, flag.title)


def _refused(store: Store, domain: str) -> Iterator[Blocker]:
    if not has_environment(domain):
        return
    known = tasks_in_force.tasks(store, domain)
    for replay in environments.replay_domain(store, domain, known=known):
        for step in replay.refused_writes:
            call = environments.call_text(step.name, step.arguments)
            note = Notice(
                "release.write_refused", "{call}: {reason}", call=call, reason=str(step.error)
            )
            yield _of_task(domain, replay.task_id, note)


# -- the proof ---------------------------------------------------------------------------------


def _proof(
    store: Store, domain: str, recipe: VariantRecipe, progress: Progress
) -> Iterator[tuple[str, Blocker]]:
    """The proof's errors; those of the project's own variant are kept where people see them."""
    if recipe.name == DEFAULT:
        proven = proof.prove(store, domain, progress=progress)
    else:
        proven = proof.verify(store, domain, DerivationChoice(recipe.name), progress=progress)
    texts = {segment.address: segment for segment in store.segments.all(domain)}
    locate = partial(_of_violation, domain, texts)
    for violation in proven.violations:
        if violation.severity == "error":
            yield _OF_PROOF.get(violation.code, "entities"), locate(violation)


def _of_violation(domain: str, texts: Mapping[str, Segment], violation: ProofViolation) -> Blocker:
    note, said = f"{violation.code} {violation.message}", checks.as_finding(violation)
    if violation.where == "text" and violation.record in texts:
        return _of_text(texts[violation.record], note, said)
    if violation.where == "task":
        return _of_task(domain, violation.record, note, said)
    place = "/".join(part for part in (domain, violation.record, violation.field) if part)
    query = {"domain": domain}
    return Blocker(place=place, note=note, page="entities", query=query, said=said)
