"""What texts name that nothing is known to stand for: a person gives it, or accepts that it stays.

Nothing with such a mention is sent to a translator before that; and the proof lets pass only what
was accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from review_app.core.locale.glossary import Glossary
from review_app.core.localize import entity_changes
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.prose.value_words import PLACES
from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.models import Entity, EntityKind, Person, Segment
from review_app.records.localization import AcceptedMention
from review_app.store import Store
from review_app.workflows.localization import entities, entity_edits


@dataclass(frozen=True, slots=True)
class Undecided:
    """One thing that texts name, with the texts."""

    kind: str
    source: str
    """As the texts have it."""
    entity: str
    """The source of the row that would stand for it: `Boston` where the text says `Beantown`."""
    segments: tuple[Segment, ...]


def mentions_of(store: Store, domain: str) -> Mentions:
    """Finds what the source texts of a domain name: entities, places of the glossary, amounts."""
    entity_map = entities.entity_map(store, domain)
    places = [term for term in store.terms.all() if term.category in PLACES]
    locale = entity_map.locale
    return Mentions(entity_map, Glossary(places, locale.name), domain, locale.money)


def undecided(store: Store, domain: str) -> list[Undecided]:
    """What is neither known nor accepted, in order of appearance.

    Raises:
        NotFound: no such domain.
        BadInput: there are no rules for the target locale, or a file is broken.
    """
    mentions, accepted = mentions_of(store, domain), _marks(store, domain)
    by_mark: dict[tuple[str, str], list[Segment]] = {}
    entity: dict[tuple[str, str], str] = {}
    for segment in store.segments.all(domain):
        for mention in mentions.undecided(segment.source):
            mark = (mention.kind, mention.source)
            if mark not in accepted and segment not in by_mark.setdefault(mark, []):
                by_mark[mark].append(segment)
                entity[mark] = mention.row
    return [
        Undecided(kind=mark[0], source=mark[1], entity=entity[mark], segments=tuple(segments))
        for mark, segments in by_mark.items()
        if segments
    ]


def accepted(store: Store, domain: str) -> list[AcceptedMention]:
    """What people accepted to stay, the newest last."""
    return store.violations.accepted(domain)


def give(store: Store, person: Person, domain: str, source: str, target: str) -> Entity:
    """Say what stands for something undecided.

    Args:
        store: The review database.
        person: A maintainer.
        domain: Whose texts name it.
        source: As the texts have it.
        target: What stands for it in the target locale.

    Raises:
        NotAllowed: the person is no maintainer.
        NotFound: nothing undecided is called so.
        ReviewError: the target is empty, or stands for something else.
    """
    item = _item(store, domain, source)
    kinds: dict[str, EntityKind] = {kind: kind for kind in get_args(EntityKind)}
    kind = kinds.get(item.kind, "value")
    row = Entity(
        kind=kind,
        source=item.source if kind == "value" else item.entity,
        target=target.strip(),
        origin="override",
    )
    entity_changes.require_sound([row], entities.rows(store, domain))
    entity_edits.save_all(store, person, domain, (), added=[row])
    return row


def accept(store: Store, person: Person, domain: str, source: str, reason: str) -> None:
    """Let something undecided stay as it is in all texts of a domain.

    Raises:
        NotAllowed: the person is no maintainer.
        NotFound: nothing undecided is called so.
        ReviewError: no reason.
    """
    item = _item(store, domain, source)
    mention = AcceptedMention(kind=item.kind, source=source, reason=reason.strip())
    _put(store, person, domain, mention)


def accept_left_over(
    store: Store, person: Person, domain: str, accepted_at: AcceptedMention
) -> None:
    """Accept that a leftover stays at its place: `accepted_at` says where and why.

    Raises:
        NotAllowed: the person is no maintainer.
        ReviewError: no reason.
    """
    _put(store, person, domain, accepted_at)


def withdraw(store: Store, person: Person, domain: str, source: str, record: str = "") -> int:
    """Take acceptances of a source back; returns how many there were.

    Raises:
        NotAllowed: the person is no maintainer.
        NotFound: nobody accepted it.
    """
    _require_maintainer(person)
    known = [
        mention
        for mention in store.violations.accepted(domain)
        if mention.source == source and record in ("", mention.record)
    ]
    if not known:
        raise NotFound("entity.not_accepted", "nobody accepted {source!r}", source=source)
    with store.write(person.name):
        for mention in known:
            store.violations.accept(domain, mention, person=person.id, withdraw=True)
    return len(known)


def _put(store: Store, person: Person, domain: str, mention: AcceptedMention) -> None:
    _require_maintainer(person)
    if not mention.reason.strip():
        raise ReviewError(
            "entity.acceptance_unexplained",
            "say why {source!r} may stay: accepting it needs a reason",
            source=mention.source,
        )
    with store.write(person.name):
        store.violations.accept(domain, mention, person=person.id)


def _item(store: Store, domain: str, source: str) -> Undecided:
    for item in undecided(store, domain):
        if item.source == source:
            return item
    raise NotFound(
        "entity.nothing_undecided",
        "{source!r} is not among what is undecided in {domain!r}",
        source=source,
        domain=domain,
    )


def _marks(store: Store, domain: str) -> set[tuple[str, str]]:
    accepted_marks = store.violations.accepted(domain)
    return {(mention.kind, mention.source) for mention in accepted_marks if not mention.record}


def _require_maintainer(person: Person) -> None:
    if person.role != "maintainer":
        raise NotAllowed("entity.for_maintainers", "a maintainer has to change entities")
