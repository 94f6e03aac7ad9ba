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
    return [row.target, *_orders(row.given, row.family, _BETWEEN), *(
        form
        for a, b in ((given, family), (given.lower(), family.lower()))
        for form in _orders(a, b, _BETWEEN_ROMANIZED)
    )]  # fmt: skip


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


def is_outdated(segment: Segment, old: Entity, new: Entity) -> bool:
    """Whether a translation holds the old counterpart of an entity.

    Words that are common (a colour, a product) count only where the source names the entity.
    """
    source = old.source.rpartition("=")[2] if old.kind == "option" else old.source
    if old.kind in _NEEDS_SOURCE and source.casefold() not in segment.source.casefold():
        return False
    return replaced(segment.target or "", replacements(old, new)) != (segment.target or "")


def replaced(text: str, forms: Mapping[str, str]) -> str:
    """The text with every form replaced, the longest first; letters in a longer word stay."""
    if not forms or not any(form in text for form in forms):
        return text
    longest = sorted(forms, key=lambda form: (-len(form), form))
    return re.sub("|".join(map(_pattern, longest)), lambda found: forms[found[0]], text)


def _pattern(form: str) -> str:
    escaped = re.escape(form)
    return f"{_WORD_LEFT}{escaped}{_WORD_RIGHT}" if form.isascii() else escaped
