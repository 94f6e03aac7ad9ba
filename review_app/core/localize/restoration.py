"""The way back: put source entities, amounts or tool values into a translated text again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from review_app.core.locale.amounts import amounts_in
from review_app.core.locale.money import MoneyRule
from review_app.core.localize.entities import EntityMap

_ASCII_LEFT, _ASCII_RIGHT = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_EDGE = re.compile(r"[A-Za-z0-9_]")


class Restorer:
    """Replaces written forms of the target by those of the source.

    Args:
        forms: Written form in the target -> what the source has; the longest that fits is taken.
        money: Amounts of its target currency go back too; None leaves amounts.
    """

    def __init__(self, forms: Mapping[str, str], money: MoneyRule | None = None) -> None:
        self._forms, self._money = dict(forms), money
        choice = "|".join(map(_bounded, sorted(filter(None, forms), key=lambda f: (-len(f), f))))
        self._pattern = re.compile(choice) if choice else None

    def restored(self, text: str) -> str:
        """The text with everything that was adapted as the source has it."""
        if self._money is not None:
            text = _amounts_back(text, self._money)
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda match: self._forms[match[0]], text)


def entity_forms(entities: EntityMap, derived: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Every written form of the target's entities -> the source's.

    Args:
        entities: Of the domain.
        derived: (source, target) of ids and e-mails, which have no rows.
    """
    forms: dict[str, str] = {target: source for source, target in derived}
    for row in entities.rows.values():
        if row.kind in ("option", "given_name", "family_name", "state"):
            continue
        forms.setdefault(row.target, row.source)
        if row.kind == "person":
            for mark in ("", " ", "　", "・"):
                forms.setdefault(row.family + mark + row.given, row.source)
    return {target: source for target, source in forms.items() if target != source}


def _bounded(form: str) -> str:
    left = _ASCII_LEFT if _EDGE.match(form[0]) else ""
    right = _ASCII_RIGHT if _EDGE.match(form[-1]) else ""
    return f"{left}{re.escape(form)}{right}"


def _amounts_back(text: str, money: MoneyRule) -> str:
    parts, at = [], 0
    for amount in amounts_in(text, money.target):
        dollars = (amount.value / money.rate).quantize(Decimal("0.01"))
        written = f"{dollars:,.2f}".removesuffix(".00")
        parts += [text[at : amount.start], f"{money.source.prefixes[0]}{written}"]
        at = amount.end
    return "".join((*parts, text[at:]))
