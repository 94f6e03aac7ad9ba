"""What the rules of a domain look up: built once, shared by all of its tasks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from inspect import signature
from itertools import chain
from typing import Any

from review_app.core.envs import environment_class, has_environment, open_environment
from review_app.core.envs.base import Environment, States
from review_app.core.envs.state import Pristine
from review_app.core.locale.amounts import Currency
from review_app.core.locale.pack import Pack
from review_app.core.validity.profile import PolicyProfile
from review_app.core.validity.texts import folded
from review_app.json_types import Json

MOST_PIECES = 10
"""A fee is charged for so many pieces at most."""
UNKNOWN = Currency(code="", prefixes=(), suffixes=())
"""Of no signs and words: only bare numbers are read."""

_SEPARATOR = re.compile(r"[\s-]+")
_SHORTEST = 4
"""A last word of so many letters names its product."""
_TELLING = 5
"""Another word of so many letters does, if no other product has it."""


class DomainFacts:
    """A domain's policy profile, pack and pristine database, with indexes over it.

    Without a pack or a database, or where the domain has no environment, only rules about texts
    run.

    Args:
        domain: Name of the domain.
        profile: What its policy says.
        pack: Vocabulary of the database.
        state: The agent's database, pristine.
        user_state: The user's database, where the domain has one.
        currency: How the domain's texts write amounts: that of the source, or of a localized
            domain that of the target.
    """

    def __init__(
        self,
        domain: str,
        profile: PolicyProfile,
        *,
        pack: Pack | None = None,
        state: Pristine | None = None,
        user_state: Pristine | None = None,
        currency: Currency = UNKNOWN,
    ) -> None:
        self.domain = domain
        self.profile = profile
        self.pack = pack
        self.state = state
        self.user_state = user_state
        self.currency = currency

    @property
    def can_replay(self) -> bool:
        """Whether the domain's tools can be run here."""
        return has_environment(self.domain) and self.pack is not None and self.state is not None

    def open(self) -> Environment:
        """A fresh environment. Only where `can_replay`."""
        assert self.pack is not None and self.state is not None
        return open_environment(self.domain, self.state, self.pack, self.user_state)

    def open_at(self, states: States) -> Environment:
        """An environment at a moment of a replay, also of one with a database of its own."""
        assert self.pack is not None
        return self._kind(states[0], self.pack, states[1])

    @cached_property
    def tools(self) -> Mapping[tuple[str, str], Any]:
        """The domain's tools by side and name; empty without an environment."""
        if not has_environment(self.domain):
            return {}
        return {(str(side), name): tool for (side, name), tool in self._kind.tools.items()}

    @cached_property
    def parameters(self) -> Mapping[tuple[str, str], Mapping[str, bool]]:
        """Side and name of a tool -> its parameters, True for those that a call must give."""
        return {
            key: {
                parameter.name: parameter.default is parameter.empty
                for parameter in list(signature(tool.method).parameters.values())[1:]
            }
            for key, tool in self.tools.items()
        }

    def word(self, field: str, value: str) -> str:
        """The value here for a source value; the value itself where there is no pack."""
        return self.pack.word(field, value) if self.pack else value

    def source_word(self, field: str, value: Any) -> str:
        """The source value for a value of this locale; the value itself where it is unknown."""
        return self._source_words.get((field, value), str(value))

    def table(self, name: str) -> Mapping[str, Any]:
        """The records of a table by id; empty where there is none."""
        rows = self.state.tree.get(name) if self.state else None
        return rows if isinstance(rows, Mapping) else {}

    @cached_property
    def fees(self) -> frozenset[Decimal]:
        """What tools and policy charge or pay for one piece or several."""
        fees = [Decimal(str(fee)) for fee in (self.pack.amounts.values() if self.pack else ())]
        locale = self.pack.locale if self.pack else "en"
        reasons = ("cancelled", "delayed")
        stated = [self.profile.compensation_for(reason, locale) for reason in reasons]
        fees += [amount for amount in stated if amount is not None]
        return frozenset(fee * pieces for fee in fees for pieces in range(1, MOST_PIECES + 1))

    @cached_property
    def users_by_email(self) -> Mapping[str, str]:
        """E-mail in lower case -> user id."""
        users = self.table("users").items()
        return {str(user.get("email", "")).lower(): user_id for user_id, user in users}

    def users_named(self, said: str) -> list[str]:
        """Ids of the users whose given and family name stand side by side in a folded text."""
        return [
            user_id
            for first, users in self._users_by_first_name.items()
            if first in said
            for name, user_id in users
            if name in said
        ]

    @cached_property
    def given_names(self) -> frozenset[str]:
        """Given names of all users, in lower case."""
        return frozenset(self._users_by_first_name)

    @cached_property
    def family_names(self) -> frozenset[str]:
        """Family names of all users, in lower case."""
        users = self.table("users").values()
        return frozenset(full_name(user.get("name")).partition(" ")[2] for user in users)

    @cached_property
    def products_by_name(self) -> Mapping[str, str]:
        """Product name in lower case, without spaces and hyphens, -> product id."""
        return {
            str(product.get("name", "")).lower().replace("-", "").replace(" ", ""): product_id
            for product_id, product in self.table("products").items()
        }

    @cached_property
    def product_patterns(self) -> Mapping[str, re.Pattern[str]]:
        """Product id -> what finds the product in a folded text.

        That is its name, its last word, or a longer word that stands neither in the name of another
        product nor in an option ("water" bottle, "water" resistance).
        """
        products = self.table("products")
        names = {key: folded(str(row.get("name", ""))) for key, row in products.items()}
        used = Counter(word for name in names.values() for word in set(_SEPARATOR.split(name)))
        for row in products.values():
            for variant in row.get("variants", {}).values():
                options = folded(" ".join(map(str, chain(*variant.get("options", {}).items()))))
                used.update(_SEPARATOR.split(options))
        telling = frozenset(word for word, times in used.items() if times == 1)
        return {key: _product_pattern(name, telling) for key, name in names.items() if name}

    @cached_property
    def items(self) -> Mapping[str, tuple[str, Json]]:
        """Item id -> id of its product and the variant."""
        return {
            item_id: (product_id, variant)
            for product_id, product in self.table("products").items()
            for item_id, variant in product.get("variants", {}).items()
        }

    @cached_property
    def ids(self) -> Mapping[str, frozenset[str]]:
        """Sort of identifier -> all of them in the database.

        Sorts are the names of the tables, `payment`, `item` and `tracking`.
        """
        ids: dict[str, set[str]] = defaultdict(set)
        for name in self.state.tree if self.state else ():
            ids[name].update(self.table(name))
        for user in self.table("users").values():
            ids["payment"].update(user.get("payment_methods", {}))
        ids["item"].update(self.items)
        for order in self.table("orders").values():
            for parcel in order.get("fulfillments", ()):
                ids["tracking"].update(parcel.get("tracking_id", ()))
        return {name: frozenset(values) for name, values in ids.items()}

    @cached_property
    def _users_by_first_name(self) -> Mapping[str, list[tuple[str, str]]]:
        """Given name -> spellings of full names with the ids of the users who have them."""
        users_by_first_name: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for user_id, user in self.table("users").items():
            first, _, last = full_name(user.get("name")).partition(" ")
            spellings = [f"{first} {last}"]
            if not (first + last).isascii():
                spellings += [f"{last} {first}", f"{last}{first}"]
            users_by_first_name[first] += [(spelling, user_id) for spelling in spellings if last]
        return users_by_first_name

    @cached_property
    def _kind(self) -> type[Environment]:
        return environment_class(self.domain)

    @cached_property
    def _source_words(self) -> Mapping[tuple[str, Any], str]:
        words = self.pack.words if self.pack else {}
        return {
            (field, here): source
            for field, values in words.items()
            for source, here in values.items()
        }


def _product_pattern(name: str, telling: frozenset[str]) -> re.Pattern[str]:
    """What finds a product by its folded name, its last word or one that tells it from all others.

    Example:
        "jigsaw puzzle" -> finds "jigsaw puzzles", "puzzle" and "jigsaw"
    """
    if not name.isascii():
        return re.compile(re.escape(name))
    words = _SEPARATOR.split(name)
    alone = {word for word in words if len(word) >= _TELLING and word in telling}
    alone |= {words[-1]} if len(words[-1]) >= _SHORTEST else set()
    choices = [r"[\s-]?".join(map(re.escape, words)), *sorted(map(re.escape, alone))]
    return re.compile(rf"(?<![a-z])(?:{'|'.join(choices)})(?:s|es)?(?![a-z])")


def full_name(name: Any) -> str:
    """A stored name as `given family`, in lower case; empty if it is none."""
    if not isinstance(name, Mapping):
        return ""
    return f"{name.get('first_name', '')} {name.get('last_name', '')}".strip().lower()


def strings(value: Any) -> list[str]:
    """Every text inside a plain JSON value, keys left out."""
    texts: list[str] = []
    _collect(value, texts)
    return texts


def _collect(value: Any, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            _collect(member, texts)
