"""The way back: a new project that stands where a release left off.

A release of ours brings patches, glossary, entities, texts and every answer. Of any other folder
in the benchmark's layout the texts are taken, as drafts. What there is no place for is listed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from review_app.core.tasks.patch_files import patches_from_json
from review_app.core.tasks.patches import Patch
from review_app.errors import BadInput
from review_app.models import Person, PersonRole, Term
from review_app.notices import Notice
from review_app.records.curation import Evidence, EvidenceKind, NewPatch
from review_app.records.project import Project
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, folder_swap, tasks_in_force
from review_app.workflows.benchmark.files import SHARED_GUIDES, read_text
from review_app.workflows.localization import entities, entity_files
from review_app.workflows.release import review_file
from review_app.workflows.release.record import DECISIONS, GLOSSARY, PEOPLE, entity_place
from review_app.workflows.release.review_file import RecordedText, shaped
from review_app.workflows.release.snapshot import NOT_THERE, TAU2
from review_app.workflows.release.task_changes import CHANGES
from review_app.workflows.review import checks, glossary, import_domain
from review_app.workflows.review.import_domain import ImportRequest

ACTOR = Person(0, "release", "maintainer")
"""In whose name the content of a release is put in; what people did stays theirs."""
SOURCE_LOCALE = "en"
_PATCH_TEXTS = ("id", "task_id", "layer", "kind", "base_hash", "reason", "source", "upstream")
_LEFT_OUT = Notice(
    "release.left_out",
    "not in a release: comments, flags, dismissed findings, accepted warnings, rule profiles, runs",
)


class RecordedEvidence(msgspec.Struct, frozen=True):
    """A piece of evidence as `changes.json` has it."""

    kind: EvidenceKind
    ref: str
    note: str


class RecordedPatch(msgspec.Struct, frozen=True):
    """Who made a patch, as `changes.json` has it; the patch itself is read apart."""

    proposed_by: str
    approved_by: str
    origin: str
    evidence: tuple[RecordedEvidence, ...]


class RecordedRecipe(msgspec.Struct, frozen=True):
    """How a release was made, as its manifest has it."""

    variant: str
    locale: str
    seed: int


class RecordedDomain(msgspec.Struct, frozen=True):
    """A domain as the manifest has it."""

    name: str
    sources: dict[str, str]


class RecordedRelease(msgspec.Struct, frozen=True):
    """What a manifest says that a project can be opened from."""

    release: str
    recipe: RecordedRecipe
    domains: dict[str, RecordedDomain]


@dataclass(frozen=True, slots=True)
class Laid:
    """What lies in a folder, read and checked: nothing is written before all of it is sound."""

    name: str
    locale: str
    seed: int | None
    folders: Mapping[str, Path]
    """Domain of the source -> where its localized files lie."""
    sources: Mapping[str, Mapping[str, str]]
    """Hashes of the source's files by domain."""
    is_ours: bool
    is_localized: bool
    texts: Sequence[RecordedText]
    people: Mapping[str, PersonRole]
    patches: Sequence[tuple[Patch, RecordedPatch]]


@dataclass
class Opened:
    """What was taken of a release, and what could not be."""

    name: str
    locale: str
    domains: dict[str, int] = field(default_factory=dict)
    """How many texts of each domain have a translation."""
    people: list[str] = field(default_factory=list)
    terms: int = 0
    entities: int = 0
    patches: int = 0
    answers: int = 0
    notes: list[Notice] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values, in English."""
        return asdict(self) | {"notes": [*map(str, self.notes)]}


def open_release(
    folder: Path, database: Path, source: Path, *, person: str = "", progress: Progress = silent
) -> Opened:
    """Make a new project from a release and the source that it was made from.

    Args:
        folder: A release of ours, or a folder with `<domain>_<locale>` folders.
        database: Where the project comes; nothing may be there.
        source: A checkout of the source benchmark.
        person: Who opens it: a maintainer of the new project.
        progress: Told of files and texts.

    Raises:
        BadInput: the database is there already, or something in the folder is not as a release has
            it; names file and address. Nothing was written.
    """
    if database.exists():
        raise BadInput(
            Notice("release.database_there", "is there already: name a new file"), str(database)
        )
    laid = _laid(folder)
    with tempfile.TemporaryDirectory(prefix="jtau-open-") as scratch:
        store = Store(Path(scratch) / "opened.db")
        try:
            opened = _filled(store, folder, laid, source, person.strip(), progress)
        finally:
            store.close()
        Store.copy(Path(scratch) / "opened.db", database)
    return opened


# -- reading -----------------------------------------------------------------------------------


def _laid(folder: Path) -> Laid:
    if not folder.is_dir():
        raise BadInput(NOT_THERE, str(folder))
    manifest = folder_swap.manifest(folder)
    if not manifest:
        return _published(folder)
    if problems := folder_swap.damage(folder):
        problem = Notice(
            "release.damaged",
            "is not as it was written ({count}): {first}",
            count=len(problems),
            first=problems[0],
        )
        raise BadInput(problem, str(folder))
    file = str(folder / folder_swap.MANIFEST)
    stated = shaped(manifest, RecordedRelease, file, "")
    _require_locale(stated.recipe.locale, file)
    root = folder / TAU2 / "domains"
    folders = {name: root / Path(about.name).name for name, about in stated.domains.items()}
    if (folder / TAU2 / SHARED_GUIDES).is_dir():
        folders[SHARED_GUIDES] = folder / TAU2 / SHARED_GUIDES
    patches = _patches(folder)
    return Laid(
        name=stated.release,
        locale=stated.recipe.locale,
        seed=stated.recipe.seed,
        folders=folders,
        sources={name: about.sources for name, about in stated.domains.items()},
        is_ours=True,
        is_localized=all(
            path.name != name for name, path in folders.items() if name in stated.domains
        ),
        texts=review_file.read_texts(_text(folder, DECISIONS), str(folder / DECISIONS)),
        people=_people(folder, patches),
        patches=patches,
    )


def _published(folder: Path) -> Laid:
    """A folder without a manifest: domains go by name and locale, `airline_ja`."""
    known, folders, locale = entities.locales(), {}, ""
    roots = (folder / TAU2 / "domains", folder / "domains", folder)
    root = next((root for root in roots if root.is_dir()), folder)
    for path in sorted(root.iterdir()):
        domain, _, ending = path.name.rpartition("_")
        if path.is_dir() and domain and ending in known and locale in ("", ending):
            folders[domain], locale = path, ending
    if not folders:
        raise BadInput(NOT_THERE, str(folder))
    guides = (folder / TAU2 / SHARED_GUIDES, folder / SHARED_GUIDES)
    folders.update((SHARED_GUIDES, path) for path in guides if path.is_dir())
    return Laid(
        name=folder.resolve().name,
        locale=locale,
        seed=None,
        folders=folders,
        sources={},
        is_ours=False,
        is_localized=True,
        texts=(),
        people={},
        patches=(),
    )


def _require_locale(locale: str, file: str) -> None:
    if locale not in (known := entities.locales()):
        problem = Notice(
            "release.other_locale",
            "is for {locale!r}; known are {known}",
            locale=locale,
            known=tuple(known),
        )
        raise BadInput(problem, file, "recipe/locale")


def _text(folder: Path, place: str) -> str:
    """The text of a file of the release; empty where it has none."""
    path = folder / place
    return read_text(path, folder) if path.is_file() else ""


def _patches(folder: Path) -> list[tuple[Patch, RecordedPatch]]:
    file, text = str(folder / CHANGES), _text(folder, CHANGES)
    try:
        listed = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise BadInput(Notice("release.not_json", "is not JSON"), file) from error
    stated = shaped(listed, dict[str, dict[str, Any]], file, "")
    patches: list[tuple[Patch, RecordedPatch]] = []
    for domain, changes in stated.items():
        rows = shaped(changes.get("patches"), list[dict[str, Any]], file, domain)
        own = [
            {**{name: row[name] for name in _PATCH_TEXTS if row.get(name)}, "domain": domain}
            | {"operations": row.get("operations")}
            for row in rows
        ]
        read = patches_from_json(json.dumps(own), file)
        about = [
            shaped(row, RecordedPatch, file, patch.id)
            for row, patch in zip(rows, read, strict=True)
        ]
        for patch, who in zip(read, about, strict=True):
            if who.proposed_by == who.approved_by:
                problem = Notice("release.own_patch", "was proposed and approved by one person")
                raise BadInput(problem, file, patch.id)
            patches.append((patch, who))
    return patches


def _people(folder: Path, patches: Sequence[tuple[Patch, RecordedPatch]]) -> dict[str, PersonRole]:
    """The people of the review record; without one those who made the patches."""
    people = review_file.read_people(_text(folder, PEOPLE), str(folder / PEOPLE))
    for _, about in patches:
        if about.approved_by:
            people.setdefault(about.approved_by, "maintainer")
        if about.proposed_by:
            people.setdefault(about.proposed_by, "annotator")
    return people


# -- writing -----------------------------------------------------------------------------------


def _filled(
    store: Store, folder: Path, laid: Laid, source: Path, person: str, progress: Progress
) -> Opened:
    opened = Opened(laid.name, laid.locale)
    with store.write(ACTOR.name):
        store.people.put_project(Project(laid.name, SOURCE_LOCALE, laid.locale))
        if laid.seed is not None:
            store.settings.put(entities.SEED, str(laid.seed))
        people = {name: store.people.add(name, role) for name, role in laid.people.items()}
        if person and person not in people:
            people[person] = store.people.add(person, "maintainer")
    opened.people = list(people)
    terms = _terms(store, folder, opened)
    has_texts = bool(laid.texts)
    for domain, path in laid.folders.items():
        draft = path if laid.is_localized and not has_texts else None
        _imported(store, ImportRequest(source, domain, draft=draft), laid, opened, progress)
    if terms:
        _only(store, terms)
    _put_patches(store, laid, people, opened)
    for domain in environments.domains(store):
        _put_entities(store, folder, domain, opened)
    with store.write(ACTOR.name):
        file = str(folder / DECISIONS)
        opened.notes += review_file.put_in(store, laid.texts, people, file)
    opened.answers = sum(len(text.decisions) for text in laid.texts)
    for info in store.documents.domains():
        checks.refresh(store, info.name, progress=progress)
        texts = list(store.segments.all(info.name))
        opened.domains[info.name] = sum(text.target is not None for text in texts)
    checks.index_search(store, progress=progress)
    _say_what_is_missing(laid, opened)
    return opened


def _terms(store: Store, folder: Path, opened: Opened) -> set[Term]:
    """Put the glossary in before anything is imported; what makes its terms theirs."""
    text = _text(folder, GLOSSARY)
    if not text:
        return set()
    terms = glossary.read_terms(text, str(folder / GLOSSARY))
    opened.terms = len(glossary.import_terms(store, ACTOR, terms).added)
    return {_said(term) for term in store.terms.all()}


def _said(term: Term) -> Term:
    return replace(term, id=0, version=0)


def _only(store: Store, terms: set[Term]) -> None:
    """Take shipped terms out that the release does not have."""
    with store.write(ACTOR.name):
        for term in store.terms.all():
            if _said(term) not in terms:
                store.terms.retire(term.id)


def _imported(
    store: Store, request: ImportRequest, laid: Laid, opened: Opened, progress: Progress
) -> None:
    report = import_domain.import_domain(store, request, actor=ACTOR.name, progress=progress)
    opened.notes += [
        Notice("release.of_domain", "{domain}: {note}", domain=request.domain, note=note)
        for note in report.notes
    ]
    for item in report.unaligned:
        opened.notes.append(
            Notice(
                "release.not_aligned",
                "{place}: has no counterpart: {reason}",
                place=f"{request.domain}/{item.address}",
                reason=item.reason,
            )
        )
    stated = laid.sources.get(request.domain, {})
    for document in store.documents.of(request.domain):
        if stated and stated.get(document.file) != document.source_hash:
            opened.notes.append(
                Notice(
                    "release.other_source",
                    "{file}: the source is another one than that of the release",
                    file=f"{request.domain}/{document.file}",
                )
            )


def _put_patches(store: Store, laid: Laid, people: Mapping[str, int], opened: Opened) -> None:
    originals = {domain: environments.tasks(store, domain) for domain in laid.sources}
    fitting: list[Patch] = []
    with store.write(ACTOR.name):
        for patch, about in laid.patches:
            gold = originals.get(patch.domain, {}).get(patch.task_id)
            chained = [] if gold is None else tasks_in_force.fitting(gold.task, [*fitting, patch])
            proposer = people.get(about.proposed_by)
            if not any(known.id == patch.id for known in chained) or proposer is None:
                opened.notes.append(
                    Notice(
                        "release.patch_misfit",
                        "{patch}: does not fit the source, left out",
                        patch=patch.id,
                    )
                )
                continue
            added = store.patches.add(
                NewPatch(
                    patch=patch,
                    locale=laid.locale if patch.layer == "localization" else "",
                    proposer_id=proposer,
                    evidence=tuple(
                        Evidence(known.kind, known.ref, known.note) for known in about.evidence
                    ),
                    origin=about.origin,
                )
            )
            approver = people.get(about.approved_by)
            store.patches.decide(added, "approved", person=approver, expected_version=1)
            fitting.append(patch)
        for domain in dict.fromkeys(patch.domain for patch in fitting):
            import_domain.follow_repairs(store, domain)
    opened.patches = len(fitting)


def _put_entities(store: Store, folder: Path, domain: str, opened: Opened) -> None:
    text = _text(folder, entity_place(domain))
    entities.rows(store, domain)
    if text:
        file = str(folder / entity_place(domain))
        rows = entity_files.read_entities(text, file, domain)
        entity_files.import_entities(store, ACTOR, domain, rows)
        opened.entities += len(rows)


def _say_what_is_missing(laid: Laid, opened: Opened) -> None:
    if laid.is_ours:
        opened.notes.append(_LEFT_OUT)
    absent = {
        Notice("release.no_glossary", "glossary: the release has none"): not opened.terms,
        Notice("release.no_entities", "entities: the release has none"): not opened.entities,
        Notice("release.no_patches", "patches: the release has none"): not laid.is_ours,
        Notice("release.no_record", "review record: the release has none"): not laid.texts,
    }
    opened.notes += [part for part, is_absent in absent.items() if is_absent]
