"""The policy profile of a domain: what its rules need to know of the policy, as data.

One TOML text a domain, `data/rules/<domain>.toml`, laid over `data/rules/common.toml`; what a
domain does not state keeps the value of the common file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from hashlib import sha256
from typing import Any, Literal, get_args

from review_app.errors import BadInput
from review_app.notices import Notice

SameItem = Literal["forbidden", "allowed", "unspecified"]

_NUMBERS = (
    "cancel_window_hours",
    "max_certificates",
    "max_credit_cards",
    "max_gift_cards",
    "max_passengers",
)


@dataclass(frozen=True)
class PolicyProfile:
    """What the rules of one domain take from its policy.

    Word lists hold words of all languages in lower case; a text names the thing if it contains one
    of them as a word.
    """

    domain: str = ""
    now: str = ""
    """The policy's present moment, ISO 8601 without a zone."""
    same_item_exchange: SameItem = "unspecified"
    cancel_window_hours: int = 24
    max_certificates: int = 1
    max_credit_cards: int = 1
    max_gift_cards: int = 3
    max_passengers: int = 5
    free_bags: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Membership -> cabin -> free bags for each passenger, by source words."""
    compensation: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Locale -> `cancelled` and `delayed` -> amount for each passenger."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is talked about -> words for it."""
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Language -> places and peoples of the source culture in that language."""
    version: str = ""
    """Names this content; part of the key under which results are kept."""

    def of_locale(self, table: Mapping[str, Any], locale: str) -> Any:
        """A table's entry for a locale, else that of the source."""
        return table.get(locale, table.get("en", {}))

    def compensation_for(self, reason: str, locale: str) -> Decimal | None:
        """Compensation for each passenger of a cancelled or delayed flight; None: not stated."""
        amount = self.of_locale(self.compensation, locale).get(reason)
        return None if amount is None else Decimal(str(amount))


def parse_profile(text: str, file: str = "", base: PolicyProfile | None = None) -> PolicyProfile:
    """The profile in a TOML text, laid over another one.

    Word lists and places are merged name by name, other values replaced.

    Raises:
        BadInput: not TOML, an unknown name, a value of the wrong kind.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = Notice("rule.profile_not_toml", "not TOML: {problem}", problem=str(error))
        raise BadInput(problem, file) from error
    known = {member.name for member in fields(PolicyProfile)} - {"version"}
    for name, value in document.items():
        if name not in known:
            names = ", ".join(map(repr, sorted(known)))
            problem = Notice("rule.profile_unknown", "unknown, use one of [{names}]", names=names)
            raise BadInput(problem, file, name)
        _check(name, value, file)
    base = base or PolicyProfile()
    merged: dict[str, Any] = {name: getattr(base, name) for name in known}
    merged.update(document)
    for name in ("words", "places"):
        stated = {key: tuple(map(str.lower, value)) for key, value in merged[name].items()}
        merged[name] = {**getattr(base, name), **stated}
    version = sha256(f"{base.version}\n{text}".encode()).hexdigest()[:12]
    return PolicyProfile(**merged, version=version)


def _check(name: str, value: Any, file: str) -> None:
    wanted: type = dict
    if name in ("domain", "now", "same_item_exchange"):
        wanted = str
    elif name in _NUMBERS:
        wanted = int
    fits = isinstance(value, wanted) and not isinstance(value, bool)
    if not fits:
        wrong_type = Notice("rule.profile_type", "{value} has the wrong type", value=repr(value))
        raise BadInput(wrong_type, file, name)
    if name == "same_item_exchange" and value not in get_args(SameItem):
        none_of = Notice(
            "rule.profile_choice",
            "{value!r} is none of {known}",
            value=value,
            known=get_args(SameItem),
        )
        raise BadInput(none_of, file, name)
    if name in ("words", "places"):
        for key, words in value.items():
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                problem = Notice("rule.profile_words", "must be a list of words")
                raise BadInput(problem, file, f"{name}.{key}")
