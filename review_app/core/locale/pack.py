"""The locale pack: every value that a tool compares or returns, as data.

One TOML text a domain and locale. English is the identity pack; another locale states only what
differs::

    [pack]
    locale = "ja"
    domain = "airline"
    escape = false                  # non-ASCII in results is written as it is

    [words.cabin]                   # field -> source value -> value of this locale, in schema order
    business = "ビジネス"

    [messages]                      # text a tool returns, {placeholders} filled by the tool
    user_not_found = "ユーザー {user_id} が見つかりません"

    [errors]                        # text with which it refuses; another locale may state it above
    payment_method_not_found = "Payment method not found"

    [amounts]                       # fees and limits, numbers
    bag_fee = 7500

    [keys]                          # renamed fields of the database
    scheduled_departure_time_est = "scheduled_departure_time_jst"

    [places]                        # airport code of this locale -> city; all of them or none
    ITM = "伊丹"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from review_app.core.toml import NOT_A_TABLE, parse_toml
from review_app.errors import BadInput
from review_app.json_types import Number
from review_app.notices import Notice

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_SECTIONS = frozenset({"pack", "words", "messages", "errors", "amounts", "keys", "places"})


@dataclass(frozen=True, slots=True)
class Pack:
    """Everything that localizes the tools of one domain.

    Lookups of a name that the pack does not hold raise KeyError: tools only ask for names of their
    domain's identity pack, and every other pack is laid over that one.
    """

    domain: str
    locale: str
    escape: bool
    """True: non-ASCII in results is written as `\\uXXXX`, as the reference does."""
    words: Mapping[str, Mapping[str, str]]
    messages: Mapping[str, str]
    amounts: Mapping[str, Number]
    keys: Mapping[str, str]
    places: Mapping[str, str]
    """Code -> city, in the order in which a tool lists them."""
    errors: frozenset[str] = frozenset()
    """Names of the messages with which tools refuse."""

    def word(self, field: str, value: str) -> str:
        """The value here for a source value of a field: `word("cabin", "business")`."""
        return self.words[field][value]

    def values(self, field: str) -> tuple[str, ...]:
        """All values of a field in this locale, in schema order."""
        return tuple(self.words[field].values())

    def message(self, name: str, /, **values: object) -> str:
        """The named message with its placeholders filled; a placeholder without a value stays."""
        return _PLACEHOLDER.sub(
            lambda place: str(values[place[1]]) if place[1] in values else place[0],
            self.messages[name],
        )

    def amount(self, name: str) -> Number:
        """A fee or a limit in this locale's currency."""
        return self.amounts[name]

    def price(self, amount: float) -> str:
        """A price as a text says it, to `price_decimals` digits; below 0 as Python prints it.

        Example:
            6000.0 -> "6000" in yen, "6000.0" in the source, which prints the float
        """
        decimals = int(self.amount("price_decimals"))
        return str(amount) if decimals < 0 else f"{amount:.{decimals}f}"

    def key(self, name: str) -> str:
        """The name under which this locale's database holds a source field."""
        return self.keys.get(name, name)


def parse_pack(texts: Mapping[str, str], base: Pack | None = None) -> Pack:
    """The pack written in one or more TOML texts, laid over `base`.

    Args:
        texts: File name -> TOML text, as in the module docstring. Each name may be stated once.
        base: The identity pack of the domain. With it, what the texts leave out is taken from
            there and a name that it does not know is an error; without it the texts must be
            complete. Places are another country's: where any are stated, none are taken over.

    Raises:
        BadInput: not TOML, an unknown section or name, a name stated twice, a value of the wrong
        type.
    """
    parts: dict[str, dict[str, Any]] = {section: {} for section in _SECTIONS}
    for file, text in texts.items():
        for section, entries in _sections(file, text).items():
            _add(parts[section], entries, file=file, address=section)
    for name, text in parts["errors"].items():
        _add(parts["messages"], {name: text}, file=next(iter(texts)), address="errors")
    head = parts["pack"]
    return Pack(
        domain=head.get("domain", base.domain if base else ""),
        locale=head.get("locale", base.locale if base else "en"),
        escape=head.get("escape", base.escape if base else True),
        words=_words(parts["words"], base),
        messages=_over(parts["messages"], base.messages if base else None, "messages", str),
        amounts=_over(parts["amounts"], base.amounts if base else None, "amounts", (int, float)),
        keys=_over(parts["keys"], base.keys if base else None, "keys", str),
        errors=base.errors if base else frozenset(parts["errors"]),
        places=_over(parts["places"], None, "places", str) or (base.places if base else {}),
    )


def _sections(file: str, text: str) -> dict[str, dict[str, Any]]:
    document = parse_toml(text, file)
    for section, entries in document.items():
        if section not in _SECTIONS:
            problem = Notice(
                "locale.section_unknown",
                "unknown section, use one of [{known!r}]",
                known=tuple(sorted(_SECTIONS)),
            )
            raise BadInput(problem, file, section)
        if not isinstance(entries, dict):
            raise BadInput(NOT_A_TABLE, file, section)
    return document


def _add(known: dict[str, Any], entries: dict[str, Any], *, file: str, address: str) -> None:
    for name, value in entries.items():
        if isinstance(value, dict):
            _add(known.setdefault(name, {}), value, file=file, address=f"{address}.{name}")
        elif name in known:
            problem = Notice("locale.name_twice", "stated twice, keep one")
            raise BadInput(problem, file, f"{address}.{name}")
        else:
            known[name] = value


def _words(stated: Mapping[str, Mapping[str, Any]], base: Pack | None) -> dict[str, dict[str, str]]:
    fields = dict.fromkeys((*(base.words if base else ()), *stated))
    if base and (unknown := [name for name in stated if name not in base.words]):
        problem = Notice("locale.field_unknown", "the domain has no such field")
        raise BadInput(problem, "", f"words.{unknown[0]}")
    words = {
        field: _over(
            stated.get(field, {}), base.words[field] if base else None, f"words.{field}", str
        )
        for field in fields
    }
    for field, values in words.items():
        if len(set(values.values())) < len(values):
            problem = Notice("locale.value_twice", "two source values have the same value here")
            raise BadInput(problem, "", f"words.{field}")
    return words


def _over(
    stated: Mapping[str, Any],
    base: Mapping[str, Any] | None,
    address: str,
    wanted: type | tuple[type, ...],
) -> dict[str, Any]:
    for name, value in stated.items():
        if base is not None and name not in base:
            problem = Notice("locale.name_unknown", "the domain has no such name")
            raise BadInput(problem, "", f"{address}.{name}")
        if not isinstance(value, wanted) or isinstance(value, bool):
            problem = Notice("locale.wrong_type", "{value} has the wrong type", value=repr(value))
            raise BadInput(problem, "", f"{address}.{name}")
    return {**(base or {}), **stated}
