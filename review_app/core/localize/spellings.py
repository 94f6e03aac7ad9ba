"""The forms in which a localized text may write an entity, and putting others in their place.

Known limits: a name that stands alone (`木村様`) is not a form of a person, since several people
may share it; what is left in another inflection or script is found by no form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from review_app.models import Entity, Segment

_BETWEEN = ("", " ", "　", "・", "＝", "=")
_BETWEEN_ROMANIZED = (" ", "_", ".", "-", ", ")
_WORD_LEFT, _WORD_RIGHT = "(?<![A-Za-z0-9])", "(?![A-Za-z])"
_NEEDS_SOURCE = ("product", "option", "value")


def forms(row: Entity) -> list[str]:
    """Every form of an entity, always in the same order, so that two entities' forms pair up.

    Example:
        a person -> ["木村 千代", "木村千代", …, "Chiyo Kimura", …, "chiyo_kimura", …]
    """
    if row.kind != "person":
        return [row.target]
    given, _, family = row.romanized.partition(" ")
    return [
        row.target,
        *_orders(row.given, row.family, _BETWEEN),
        *(
            form
            for a, b in ((given, family), (given.lower(), family.lower()))
            for form in _orders(a, b, _BETWEEN_ROMANIZED)
        ),
    ]


def _orders(given: str, family: str, between: Iterable[str]) -> Iterator[str]:
    for mark, (first, second) in product(between, ((family, given), (given, family))):
        yield f"{first}{mark}{second}"


def replacements(old: Entity, new: Entity) -> dict[str, str]:
    """Old forms and what stands for them once an entity has changed; nothing that stays."""
    pairs = zip(forms(old), forms(new), strict=True)
    return {was: now for was, now in pairs if was != now and _says(was) and _says(now)}


def _says(form: str) -> bool:
    """Whether a form has any letter: that of a name without romanized form is a mark."""
    return any(map(str.isalnum, form))


class Renaming:
    """Entities that changed, as translations see it.

    Args:
        changes: (as it was, as it is).
    """

    def __init__(self, changes: Iterable[tuple[Entity, Entity]]) -> None:
        self._changes = [(old, replacements(old, new)) for old, new in changes]

    def outdated(self, segment: Segment) -> str:
        """The source of the first entity whose old counterpart the translation holds, or ""."""
        hit = next(self._hits(segment), None)
        return hit[0].source if hit else ""

    def applied(self, segment: Segment) -> str:
        """The translation with the counterparts that are in force; swapped names are swapped."""
        forms = {was: now for _, hits in self._hits(segment) for was, now in hits.items()}
        return replaced(segment.target or "", forms)

    def _hits(self, segment: Segment) -> Iterator[tuple[Entity, dict[str, str]]]:
        target = segment.target or ""
        for old, forms in self._changes:
            hits = {was: now for was, now in forms.items() if was in target}
            if hits and _is_named(old, segment.source) and replaced(target, hits) != target:
                yield old, hits


def _is_named(entity: Entity, source: str) -> bool:
    """Common words (a colour, a product) count only where the source has the entity."""
    if entity.kind not in _NEEDS_SOURCE:
        return True
    name = entity.source.rpartition("=")[2] if entity.kind == "option" else entity.source
    return name.casefold() in source.casefold()


def replaced(text: str, forms: Mapping[str, str]) -> str:
    """The text with every form replaced, the longest first; letters in a longer word stay."""
    if not forms or not any(form in text for form in forms):
        return text
    longest = sorted(forms, key=lambda form: (-len(form), form))
    return re.sub("|".join(map(_pattern, longest)), lambda match: forms[match[0]], text)


def _pattern(form: str) -> str:
    escaped = re.escape(form)
    return f"{_WORD_LEFT}{escaped}{_WORD_RIGHT}" if form.isascii() else escaped
