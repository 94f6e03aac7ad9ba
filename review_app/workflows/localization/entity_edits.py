"""Change what stands for entities: override, lock, draw anew, undo; and the texts it outdates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from review_app.core.localize import entity_changes
from review_app.core.localize.entity_changes import EntityGroup
from review_app.core.localize.spellings import Renaming
from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.models import Entity, Person, Segment
from review_app.records.localization import EntityChange
from review_app.store import Store
from review_app.workflows.localization import entities
from review_app.workflows.review import answers, standing

EntityPair = tuple[Entity, Entity]
"""(as it was, as it is)"""


@dataclass(frozen=True, slots=True)
class EntityEffect:
    """What a change of entities does."""

    changes: tuple[EntityPair, ...]
    """The entities; with a given or family name the people that are built of it."""
    affected: tuple[Segment, ...]
    """Texts whose translation holds what stood for one of them."""
    requeued: tuple[Segment, ...]
    """Those of them that are approved: they go back to review."""

    @property
    def before(self) -> dict[int, int]:
        """Entity to the version that was in force before: what `restore` takes to undo it."""
        return {old.id: old.version for old, _ in self.changes}


def history(store: Store, entity: Entity) -> list[EntityChange]:
    """Who changed an entity when, newest first."""
    return store.entities.history(entity.id)


# -- one entity --------------------------------------------------------------------------------


def preview(store: Store, new: Entity) -> EntityEffect:
    """What `override` would do.

    Raises:
        ReviewError: the row is not one that may be saved; says why.
    """
    domain, locale = store.entities.home(new.id)
    return _effect(store, domain, _overridden(store, domain, locale, new))


def override(store: Store, person: Person, new: Entity) -> EntityEffect:
    """Set what stands for an entity.

    Args:
        store: The review database.
        person: A maintainer.
        new: The entity as it was read (`id`, `version`), with other target, given, family, reading
            or romanized.

    Raises:
        NotAllowed: the person is no maintainer.
        ReviewError: something is empty or not ASCII, or stands for another entity already.
        StaleEdit: somebody changed the entity meanwhile.
    """
    _require_maintainer(person)
    domain, locale = store.entities.home(new.id)
    with store.write(person.name):
        return _save(store, domain, _overridden(store, domain, locale, new))


def _overridden(store: Store, domain: str, locale_name: str, new: Entity) -> list[EntityPair]:
    old, into = store.entities.get(new.id), entities.locale(locale_name)
    rows = store.entities.of(domain, locale_name)
    typed = entity_changes.corrected(replace(new, origin="override", locked=old.locked), old, into)
    by_source = {row.source: row for row in rows if row.kind == "person"}
    built = entity_changes.followers(old, typed, rows, into)
    changes = [(old, typed), *((by_source[row.source], row) for row in built)]
    entity_changes.require_sound([row for _, row in changes], rows)
    return changes


def set_locked(store: Store, person: Person, entity: Entity, *, locked: bool) -> Entity:
    """Keep an entity from being drawn anew, or allow it again.

    Raises:
        NotAllowed: the person is no maintainer.
        StaleEdit: somebody changed the entity meanwhile.
    """
    _require_maintainer(person)
    with store.write(person.name):
        return store.entities.put(replace(entity, locked=locked))


def redraw(store: Store, person: Person, entity: Entity) -> EntityEffect:
    """Give one person of the domain another drawn name.

    Raises:
        NotAllowed: the person at work is no maintainer.
        ReviewError: the entity is locked, or no person.
        StaleEdit: somebody changed the entity meanwhile.
    """
    _require_maintainer(person)
    if entity.locked or entity.kind != "person":
        raise ReviewError(
            "entity.not_drawn",
            "{source!r} is locked or no person: it is not drawn anew",
            source=entity.source,
        )
    domain, locale = store.entities.home(entity.id)
    rows, seed = store.entities.of(domain, locale), entities.seed_of(store)
    drawn = entity_changes.drawn_anew(entity, rows, entities.locale(locale), seed=seed)
    with store.write(person.name):
        return _save(store, domain, [(entity, drawn)])


# -- many --------------------------------------------------------------------------------------


def regeneration(store: Store, domain: str, group: EntityGroup) -> EntityEffect:
    """What `regenerate` would do: rows that are drawn and not locked."""
    return _effect(store, domain, _regenerated(store, domain, group))


def regenerate(store: Store, person: Person, domain: str, group: EntityGroup) -> EntityEffect:
    """Draw a group anew: what is locked, overridden or stated by a file stays.

    Raises:
        NotAllowed: the person is no maintainer.
        BadInput: the locale has too few names.
    """
    _require_maintainer(person)
    changes = _regenerated(store, domain, group)
    with store.write(person.name):
        return _save(store, domain, changes)


def _regenerated(store: Store, domain: str, group: EntityGroup) -> list[EntityPair]:
    rows = entities.rows(store, domain)
    seen, into = entities.gathered(store, domain), entities.target_locale(store)
    drawn = entity_changes.regenerated(
        seen, rows, into, domain=domain, seed=entities.seed_of(store), group=group
    )
    return [(old, new) for old, new in drawn if replace(old, draw=new.draw) != new]


def restore(store: Store, person: Person, before: Mapping[int, int]) -> EntityEffect:
    """Put entities back to versions they had: the undo of every change here.

    Args:
        store: The review database.
        person: A maintainer.
        before: Entity to version, all of one domain: `Effect.before`, or one of the history.

    Raises:
        NotAllowed: the person is no maintainer.
        NotFound: an entity never had this version.
        ReviewError: what stood for it stands for another entity by now.
    """
    _require_maintainer(person)
    if not before:
        raise ReviewError("entity.nothing_to_undo", "there is nothing to undo")
    domain, locale = store.entities.home(next(iter(before)))
    with store.write(person.name):
        changes = [
            (now, replace(_version(store, entity, version), version=now.version))
            for entity, version in before.items()
            for now in [store.entities.get(entity)]
        ]
        rows = store.entities.of(domain, locale)
        entity_changes.require_sound([row for _, row in changes], rows)
        return _save(store, domain, changes)


def _version(store: Store, entity: int, version: int) -> Entity:
    for change in store.entities.history(entity):
        for row in (change.new, change.old):
            if row is not None and row.version == version:
                return row
    raise NotFound(
        "entity.version_unknown",
        "entity {entity} has no version {version}: choose one of its history",
        entity=entity,
        version=version,
    )


def save_all(
    store: Store,
    person: Person,
    domain: str,
    changes: Sequence[EntityPair],
    *,
    added: Sequence[Entity] = (),
) -> EntityEffect:
    """Change and add many entities at once, checked by the caller."""
    _require_maintainer(person)
    with store.write(person.name):
        store.entities.add(domain, store.people.project().target_locale, added)
        return _save(store, domain, changes)


# -- texts -------------------------------------------------------------------------------------


def affected(store: Store, domain: str, changes: Iterable[EntityPair]) -> list[Segment]:
    """The texts whose translation holds what stood for one of these entities."""
    renaming = Renaming(changes)
    return [text for text in store.segments.all(domain) if renaming.outdated(text)]


def outdated(store: Store, entity: Entity) -> tuple[tuple[EntityPair, ...], list[Segment]]:
    """What stood for an entity at some time, as changes to now; and the texts that hold it."""
    domain, _ = store.entities.home(entity.id)
    older = {
        change.old.target: change.old
        for change in store.entities.history(entity.id)
        if change.old and change.old.target != entity.target
    }
    changes = tuple((old, entity) for old in older.values())
    return changes, affected(store, domain, changes) if changes else []


def replace_in_texts(
    store: Store, person: Person, domain: str, changes: Sequence[EntityPair]
) -> list[Segment]:
    """Put what stands for entities now into the texts that hold what stood for them.

    Each is an edit by this person, checked and reviewed like any other.

    Raises:
        NotAllowed: the person is no maintainer.
    """
    _require_maintainer(person)
    renaming = Renaming(changes)
    texts = affected(store, domain, changes)
    return answers.edit_all(store, person, [(text, renaming.applied(text)) for text in texts])


def changes_since(store: Store, before: Mapping[int, int]) -> list[EntityPair]:
    """What became of entities since versions they had."""
    return [
        (_version(store, entity, version), store.entities.get(entity))
        for entity, version in before.items()
    ]


def _effect(store: Store, domain: str, changes: Sequence[EntityPair]) -> EntityEffect:
    texts = affected(store, domain, changes)
    approved = tuple(text for text in texts if text.state == "approved")
    return EntityEffect(tuple(changes), tuple(texts), approved)


def _save(store: Store, domain: str, changes: Sequence[EntityPair]) -> EntityEffect:
    """Write the changes and send approved texts back, inside the caller's transaction."""
    effect = _effect(store, domain, changes)
    saved = tuple((old, store.entities.put(new)) for old, new in changes)
    renaming = Renaming(changes)
    for text in effect.requeued:
        standing.send_back(store, text.id, f"entity {renaming.outdated(text)}")
    return replace(effect, changes=saved)


def _require_maintainer(person: Person) -> None:
    if person.role != "maintainer":
        raise NotAllowed("entity.for_maintainers", "a maintainer has to change entities")
