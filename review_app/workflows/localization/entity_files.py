"""Entities as files: export, import with a preview, and inference from published tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from review_app.core.formats.json_text import parse_json
from review_app.core.formats.source_checks import require_published
from review_app.core.locale.dictionary import entities_to_csv, written_entities
from review_app.core.locale.locale import Locale
from review_app.core.locale.names import NamePool, name_pool
from review_app.core.localize import entity_changes, published_names
from review_app.core.localize.entity_changes import GROUPS, EntityGroup
from review_app.core.localize.published_names import Inferred
from review_app.errors import BadInput
from review_app.models import Entity, Person
from review_app.notices import Notice
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.benchmark.files import read_text
from review_app.workflows.localization import entities, entity_edits
from review_app.workflows.localization.entity_edits import EntityEffect, EntityPair

_STATED = ("target", "given", "family", "reading", "romanized")
"""What a file says of an entity."""


@dataclass(frozen=True, slots=True)
class EntityImport:
    """What rows from a file would change; entities that are not among them stay."""

    added: tuple[Entity, ...]
    changed: tuple[EntityPair, ...]
    displaced: tuple[EntityPair, ...]
    """Drawn people whose name the file gives to somebody else: they are drawn anew."""
    same: int
    effect: EntityEffect = EntityEffect((), (), ())
    """What the import did; empty in a preview."""


def write_entities(store: Store, domain: str, group: EntityGroup | None = None) -> str:
    """The entities of a domain, or of one group, as CSV text that opens in Excel."""
    groups = (group,) if group else GROUPS.keys()
    kinds = {kind for name in groups for kind in GROUPS[name]}
    rows = (row for row in entities.rows(store, domain) if row.kind in kinds)
    return entities_to_csv(rows, domain)


def write_entities_file(store: Store, domain: str, path: Path) -> None:
    """Write the entities of a domain to a CSV file.

    Raises:
        BadInput: the file cannot be written.
    """
    text = write_entities(store, domain)
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise BadInput(unwritable(error), str(path)) from error


def unwritable(error: OSError) -> Notice:
    """Why a file or folder was not written."""
    return Notice("localization.unwritable", "cannot be written ({reason})", reason=error.strerror)


def read_entities(text: str, file: str, domain: str) -> list[Entity]:
    """The rows of a domain in a CSV text, as `write_entities` writes it.

    Raises:
        BadInput: not such a file, it contradicts itself, or it has no row of this domain.
    """
    rows = written_entities(text, file, domain)
    if not rows:
        raise BadInput(
            Notice(
                "entity.no_row",
                "has no row of domain {domain!r}: see its column 'domain'",
                domain=domain,
            ),
            file,
        )
    return rows


def read_entities_file(path: Path, domain: str) -> list[Entity]:
    """The rows of a domain in a CSV file on disk."""
    return read_entities(read_text(path, path.parent), str(path), domain)


def compare(store: Store, domain: str, coming: Sequence[Entity]) -> EntityImport:
    """What importing these rows would change.

    Raises:
        ReviewError: a row is not one that may be saved, or gives two entities one counterpart.
    """
    rows, into = entities.rows(store, domain), entities.target_locale(store)
    known = {(row.kind, row.source): row for row in rows}
    added, changed, same = [], [], 0
    for row in coming:
        old = known.get((row.kind, row.source))
        if old is None:
            added.append(row)
        elif all(getattr(old, name) == getattr(row, name) for name in _STATED):
            same += 1
        else:
            changed.append((old, _laid_over(old, row)))
    stated = [*added, *(new for _, new in changed)]
    displaced, after = [], {**known, **{(row.kind, row.source): row for row in stated}}
    for old in entity_changes.displaced(rows, stated):
        seed = entities.seed_of(store)
        drawn = entity_changes.drawn_anew(old, list(after.values()), into, seed=seed)
        displaced.append((old, drawn))
        after[old.kind, old.source] = drawn
    entity_changes.require_sound([*stated, *(new for _, new in displaced)], rows)
    return EntityImport(
        added=tuple(added), changed=tuple(changed), displaced=tuple(displaced), same=same
    )


def _laid_over(old: Entity, row: Entity) -> Entity:
    """What is stored, with what a file states; how a name is romanized may be left unsaid."""
    stated = {name: getattr(row, name) for name in _STATED}
    if not row.romanized:
        stated["romanized"] = old.romanized
    return replace(old, origin=row.origin, **stated)


def import_entities(
    store: Store, person: Person, domain: str, coming: Sequence[Entity]
) -> EntityImport:
    """Add and change entities as `compare` says, all or nothing; approved texts go back to review.

    Raises:
        NotAllowed: the person is no maintainer.
        ReviewError: as `compare`.
        StaleEdit: somebody changed one of them meanwhile.
    """
    plan = compare(store, domain, coming)
    changes = [*plan.displaced, *plan.changed]
    effect = entity_edits.save_all(store, person, domain, changes, added=plan.added)
    return replace(plan, effect=effect)


# -- published tasks ---------------------------------------------------------------------------


def infer(store: Store, domain: str, published: Sequence[Mapping[str, Any]]) -> Inferred:
    """The people of a domain as published localized tasks name them; `import_entities` keeps them.

    Raises:
        NotFound, BadInput: the domain or its locale cannot be read.
    """
    rows, into = entities.rows(store, domain), entities.target_locale(store)
    known = {row.source: row for row in rows if row.kind == "person"}
    return published_names.infer(
        entities.rules(domain),
        [gold.task for gold in environments.tasks(store, domain).values()],
        published,
        people=known,
        locale=into,
        pool=_published_pool(into),
    )


def _published_pool(into: Locale) -> NamePool:
    """The locale's names, and as Faker spells them: published people were drawn from its lists."""
    read, listed = into.name_pool(), name_pool(into.faker, *into.extra_names)
    return NamePool(
        given=tuple(dict.fromkeys((*read.given, *listed.given))),
        family=tuple(dict.fromkeys((*read.family, *listed.family))),
        genders=read.genders,
    )


def read_tasks(path: Path) -> list[Mapping[str, Any]]:
    """The tasks of a file of published localized tasks.

    Raises:
        BadInput: it cannot be read, or is no list of tasks.
    """
    return parse_tasks(read_text(path, path.parent), str(path))


def parse_tasks(text: str, file: str) -> list[Mapping[str, Any]]:
    """The tasks in the text of such a file. Raises BadInput as `read_tasks`."""
    tasks = parse_json(text, file)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise BadInput(
            Notice("entity.no_tasks", "is no list of tasks: name the published tasks.json"), file
        )
    require_published(tasks, file)
    return tasks
