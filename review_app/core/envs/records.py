"""Records of a database as typed dictionaries, and values brought into their shape.

One declaration serves three times: it says which fields a stored record has, in which order they
are printed and hashed; what a tool's parameter accepts when the reference's data model would check
it; and what the schema shows a model. A field marked NotRequired is null where it is absent.

Numbers are coerced as the reference's data model does: 2.0 and "2" are an integer 2, 100 is a
float 100.0.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from review_app.core.envs.state import copied
from review_app.core.locale.pack import Pack
from review_app.notices import Notice

Shape = Callable[[Any, str], Any]
"""Value and its address -> the value in shape."""


@dataclass(frozen=True, slots=True)
class Word:
    """Marks a text that must be one of the pack's values of a field, or one of them alone.

    `Annotated[str, Word("cabin")]`, `Annotated[str, Word("payment_source", "gift_card")]`.
    """

    field: str
    only: tuple[str, ...] | str = ()
    named: str = ""
    """Name under which a schema defines the set; empty: it is written where it is used."""

    def values(self, pack: Pack) -> tuple[str, ...]:
        """What the text may be under a pack, in schema order."""
        names = (self.only,) if isinstance(self.only, str) else self.only
        return tuple(pack.word(self.field, name) for name in names) or pack.values(self.field)


class ShapeError(ValueError):
    """A value does not fit: what is wrong with it, and its address below the record."""

    def __init__(self, problem: Notice, address: str) -> None:
        super().__init__(problem, address)
        self.problem, self.address = problem, address

    def __str__(self) -> str:
        return f"{self.address or 'value'}: {self.problem}"


def shaped(value: Any, hint: Any, pack: Pack, address: str = "", *, any_word: bool = False) -> Any:
    """A copy of a value in the shape of a type: see `shaper`.

    Example:
        {"date": "2024-05-01", "flight_number": "HAT001", "x": 1} as FlightInfo
        -> {"flight_number": "HAT001", "date": "2024-05-01"}
    """
    return shaper(hint, pack, any_word=any_word)(value, address)


def shaper(hint: Any, pack: Pack, *, any_word: bool = False) -> Shape:
    """What brings values into the shape of a type: fields in order, defaults filled in, coerced.

    Args:
        hint: `str`, `int`, `float`, `bool`, `Any`, None, a TypedDict, `list[...]`, `dict[...]`, a
            union, or `Annotated[str, Word(...)]`.
        pack: Decides key names and vocabulary.
        any_word: Take any text where the vocabulary has its own: the words of another language.

    Returns:
        A function of a value and its address. It raises ShapeError where a field is missing or has
        the wrong type, and drops unknown fields.
    """
    if is_typeddict(hint):
        return _record(hint, pack, any_word)
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _text if any_word else _word(inner[1].values(pack))
    parts = [shaper(part, pack, any_word=any_word) for part in inner]
    if origin is list:
        return _list(parts[0])
    if origin is dict:
        return _map(parts[0], parts[1])
    if origin in (Union, types.UnionType):
        return _union(parts)
    raise TypeError(f"no shape for {hint!r}")


@lru_cache(maxsize=256)
def fields(record: type) -> Mapping[str, tuple[Any, bool]]:
    """Field name -> (type, required) of a TypedDict, in order."""
    hints = get_type_hints(record, include_extras=True)
    return {
        name: (_bare(hint), get_origin(hint) is not NotRequired) for name, hint in hints.items()
    }


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in (NotRequired, Required) else hint


_MISSING = Notice("environment.missing", "is missing")


def _no_object(value: Any) -> Notice:
    return Notice("environment.no_object", "must be an object, is {value}", value=_short(value))


def _short(value: Any) -> str:
    return repr(value)[:60]


def _record(record: type, pack: Pack, any_word: bool) -> Shape:
    plan = [
        (pack.key(name), shaper(hint, pack, any_word=any_word), required)
        for name, (hint, required) in fields(record).items()
    ]

    def shape(value: Any, address: str) -> Any:
        if not isinstance(value, dict):
            raise ShapeError(_no_object(value), address)
        result = {}
        for key, member, required in plan:
            if key in value:
                result[key] = member(value[key], f"{address}/{key}")
            elif required:
                raise ShapeError(_MISSING, f"{address}/{key}")
            else:
                result[key] = None
        return result

    return shape


def _list(member: Shape) -> Shape:
    def shape(value: Any, address: str) -> Any:
        if not isinstance(value, list):
            problem = Notice(
                "environment.no_list", "must be a list, is {value}", value=_short(value)
            )
            raise ShapeError(problem, address)
        return [member(entry, f"{address}/{at}") for at, entry in enumerate(value)]

    return shape


def _map(key: Shape, member: Shape) -> Shape:
    def shape(value: Any, address: str) -> Any:
        if not isinstance(value, dict):
            raise ShapeError(_no_object(value), address)
        return {key(k, address): member(entry, f"{address}/{k}") for k, entry in value.items()}

    return shape


def _union(members: list[Shape]) -> Shape:
    def shape(value: Any, address: str) -> Any:
        for member in members[:-1]:
            try:
                return member(value, address)
            except ShapeError:
                continue
        return members[-1](value, address)

    return shape


def _word(values: tuple[str, ...]) -> Shape:
    def shape(value: Any, address: str) -> Any:
        if not isinstance(value, str) or value not in values:
            problem = Notice(
                "environment.other_word",
                "{value} must be one of {values}",
                value=_short(value),
                values=values,
            )
            raise ShapeError(problem, address)
        return value

    return shape


def _text(value: Any, address: str) -> Any:
    if not isinstance(value, str):
        problem = Notice("environment.no_text", "must be a text, is {value}", value=_short(value))
        raise ShapeError(problem, address)
    return value


def _integer(value: Any, address: str) -> Any:
    try:
        if isinstance(value, float) and not value.is_integer():
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError):
        problem = Notice(
            "environment.no_integer", "must be an integer, is {value}", value=_short(value)
        )
        raise ShapeError(problem, address) from None


def _float(value: Any, address: str) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        problem = Notice(
            "environment.no_number", "must be a number, is {value}", value=_short(value)
        )
        raise ShapeError(problem, address) from None


def _boolean(value: Any, address: str) -> Any:
    if not isinstance(value, bool):
        problem = Notice(
            "environment.no_boolean", "must be true or false, is {value}", value=_short(value)
        )
        raise ShapeError(problem, address)
    return value


def _null(value: Any, address: str) -> Any:
    if value is not None:
        problem = Notice("environment.no_null", "must be null, is {value}", value=_short(value))
        raise ShapeError(problem, address)
    return None


def _anything(value: Any, address: str) -> Any:
    return copied(value)


_PLAIN: dict[Any, Shape] = {
    str: _text,
    int: _integer,
    float: _float,
    bool: _boolean,
    None: _null,
    type(None): _null,
    Any: _anything,
}
