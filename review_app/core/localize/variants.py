"""Variants: which component of a benchmark is in which language (Table 11), as named recipes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args, get_type_hints

from review_app.core.locale.money import MoneyRule
from review_app.core.locale.pack import Pack
from review_app.errors import BadInput, NotFound
from review_app.notices import Notice

LanguageSide = Literal["source", "target"]
DEFAULT = "j-tau"


@dataclass(frozen=True, slots=True)
class VariantRecipe:
    """One recipe; the members are described in `data/variants.toml`."""

    name: str
    about: str
    texts: LanguageSide
    guideline: LanguageSide
    descriptions: LanguageSide
    values: LanguageSide
    returns: LanguageSide
    errors: LanguageSide
    entities: LanguageSide
    fixes: bool
    json_instruction: bool
    scoring: str

    @property
    def is_source(self) -> bool:
        """Whether nothing at all is localized."""
        return {
            self.texts,
            self.guideline,
            self.descriptions,
            self.values,
            self.returns,
            self.errors,
            self.entities,
        } == {"source"}


_MEMBERS = {
    member: kind for member, kind in get_type_hints(VariantRecipe).items() if member != "name"
}
"""What a recipe says, and of which type."""


def parse_variants(text: str, file: str = "variants.toml") -> dict[str, VariantRecipe]:
    """The recipes of a TOML text by name, in its order.

    Raises:
        BadInput: not TOML, or a recipe lacks a member, has an unknown one or an impossible value.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Notice("variant.not_toml", "not TOML: {problem}", problem=str(error))
        raise BadInput(problem, file) from error
    return {name: _variant(name, table, file) for name, table in tables.items()}


def _variant(name: str, table: object, file: str) -> VariantRecipe:
    if not isinstance(table, dict):
        raise BadInput(Notice("variant.no_table", "must be a table"), file, name)
    if odd := sorted(_MEMBERS.keys() ^ table.keys()):
        problem = Notice("variant.odd_key", "{key!r} is missing or unknown", key=odd[0])
        raise BadInput(problem, file, name)
    for member, value in table.items():
        if misfit := _misfit(_MEMBERS[member], value):
            raise BadInput(misfit, file, f"{name}.{member}")
    return VariantRecipe(name=name, **table)


def _misfit(kind: object, value: object) -> Notice | None:
    """Why a member of this type cannot have a value, None where it can."""
    if kind is bool:
        if not isinstance(value, bool):
            return Notice("variant.not_a_truth", "{value} is not a bool", value=repr(value))
    elif kind is str:
        if not isinstance(value, str):
            return Notice("variant.not_a_text", "{value} is not a str", value=repr(value))
    elif value not in get_args(kind):
        return Notice("variant.not_a_side", "{value} is not a Side", value=repr(value))
    return None


def chosen(variants: Mapping[str, VariantRecipe], name: str) -> VariantRecipe:
    """The recipe of a name. Raises NotFound that lists the names."""
    if name not in variants:
        raise NotFound(
            "variant.unknown",
            "no variant {name!r}; use one of {known}",
            name=name,
            known=tuple(variants),
        )
    return variants[name]


def mixed_pack(source: Pack, target: Pack, variant: VariantRecipe, money: MoneyRule) -> Pack:
    """The pack that a variant's tools work with.

    Args:
        source: The identity pack of the domain.
        target: The locale's pack.
        variant: The recipe.
        money: Names the currency where a source message speaks of amounts of the target.
    """
    adapted = variant.entities == "target"
    messages = {}
    for name, message in source.messages.items():
        side = variant.errors if name in source.errors else variant.returns
        foreign = _in_currency(message, money) if adapted else message
        messages[name] = target.messages[name] if side == "target" else foreign
    return replace(
        source,
        locale=source.locale if variant.is_source else target.locale,
        escape=source.escape if variant.returns == "source" else target.escape,
        words=target.words if variant.values == "target" else source.words,
        messages=messages,
        amounts=target.amounts if adapted else source.amounts,
        keys=target.keys if adapted else source.keys,
        places=target.places if adapted else source.places,
    )


def _in_currency(message: str, money: MoneyRule) -> str:
    """A message of the source whose amounts are of the target: `${fee}` -> `{fee} JPY`."""
    for prefix in money.source.prefixes:
        message = re.sub(rf"{re.escape(prefix)}(\{{\w+\}})", rf"\1 {money.target.code}", message)
    return re.sub(rf"(\{{\w+\}}) {money.source.code}\b", rf"\1 {money.target.code}", message)
