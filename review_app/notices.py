"""What the app tells a person: a named code with values, a sentence only where it is read.

    Notice("review.segment_unknown", "no segment {segment!r} in this project", segment="0123")

The English template stands where the notice is made; other languages have theirs in catalogues, by
code. Only the template is ever read as one: braces in a value are shown as they are.

Imports nothing at the top: the command line starts with it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from decimal import Decimal
    from typing import Any, NoReturn, TypeAlias

Value: TypeAlias = "str | int | float | Decimal | None | Notice | tuple[Value, ...]"
"""What a notice may hold: also a reason inside a reason, and several of something."""

Template = str | tuple[str, str]
"""A sentence with slots `{name}`, `{name!r}` (quoted), `{name:,}`; or two, the first for one thing
and the second for any other number of things, chosen by the value `count`. For a tuple, what
follows the colon stands between its parts: `{names: or }`."""

TEXT = "text"
"""The code of a sentence that is stored or raised as it is, in whatever language it was written."""


class Tongue:
    """How one language says notices.

    Args:
        template: The template for a code; None is said in English.
        comma: Stands between the parts of a tuple.
        quote: What `{name!r}` makes of a value.
    """

    __slots__ = ("comma", "quote", "template")

    def __init__(
        self,
        template: Callable[[str], Template | None] = lambda code: None,
        comma: str = ", ",
        quote: Callable[[object], str] = repr,
    ) -> None:
        self.template, self.comma, self.quote = template, comma, quote


ENGLISH = Tongue()


class Notice:
    """Something to tell a person. Frozen; equal if code, template and values are; `str` is English.

    Args:
        code: `area.what`, one template in the whole project: `review.segment_unknown`.
        english: What it says.
        values: Fill the slots.
    """

    __slots__ = ("code", "english", "values")
    code: str
    english: Template
    values: Mapping[str, Value]

    def __init__(self, code: str, english: Template, /, **values: Value) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "english", english)
        object.__setattr__(self, "values", values)

    def sentence(self, tongue: Tongue = ENGLISH) -> str:
        """What it says in a language. Never raises.

        A template that does not fit gives way to the English one; English that does not fit is
        shown with its slots unfilled.
        """
        for template, said_in in ((tongue.template(self.code), tongue), (self.english, ENGLISH)):
            if template is not None:
                try:
                    words = _filled(counted(template, self.values), self.values, said_in)
                except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError):
                    continue
                return words.encode("utf-8", "backslashreplace").decode("utf-8")
        return counted(self.english, self.values)

    def in_one_line(self) -> Notice:
        """The same without the line breaks and double spaces of what it quotes."""
        return Notice(self.code, self.english, **{k: _line(v) for k, v in self.values.items()})

    def to_json(self) -> str:
        """The notice as a text to store; `from_json` reads it."""
        import json

        return json.dumps(_plain(self))

    @staticmethod
    def from_json(stored: str) -> Notice:
        """A stored notice; a sentence that an older version stored is shown as it is."""
        import json

        try:
            return _notice(json.loads(stored))
        except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
            return as_it_is(stored)

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self.values.items())
        return f"Notice({self.code!r}, {self.english!r}{values})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Notice):
            return NotImplemented
        mine, theirs = (self.code, self.english), (other.code, other.english)
        return mine == theirs and self.values == other.values

    def __hash__(self) -> int:
        return hash((self.code, self.english))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name!r} of a notice cannot be changed: make another notice")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.code, self.english, self.values)


def as_it_is(sentence: str) -> Notice:
    """A sentence without a code, from outside or from an older version."""
    return Notice(TEXT, "{text}", text=sentence)


def counted(template: Template, values: Mapping[str, object]) -> str:
    """The form of a template for as many things as the value `count` says."""
    if isinstance(template, str):
        return template
    for_one, for_others = template
    return for_one if values.get("count") == 1 else for_others


def _filled(template: str, values: Mapping[str, Value], tongue: Tongue) -> str:
    from string import Formatter

    pieces = []
    for literal, slot, spec, conversion in Formatter().parse(template):
        pieces.append(literal)
        if slot is not None:
            pieces.append(_shown(values[slot], conversion, spec or "", tongue))
    return "".join(pieces)


def _shown(value: Value, conversion: str | None, spec: str, tongue: Tongue) -> str:
    if isinstance(value, Notice):
        return value.sentence(tongue)
    if isinstance(value, tuple):
        return (spec or tongue.comma).join(_shown(part, conversion, "", tongue) for part in value)
    return format(tongue.quote(value) if conversion == "r" else value, spec)


def _line(value: Value) -> Value:
    if isinstance(value, Notice):
        return value.in_one_line()
    if isinstance(value, tuple):
        return tuple(map(_line, value))
    return " ".join(value.split()) if isinstance(value, str) else value


def _plain(value: Value) -> object:
    """A value as JSON has it."""
    from decimal import Decimal

    if isinstance(value, Notice):
        values = {name: _plain(part) for name, part in value.values.items()}
        return {"code": value.code, "english": value.english, "values": values}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return {"decimal": str(value)} if isinstance(value, Decimal) else value


def _value(content: Any) -> Value:
    """The other way."""
    from decimal import Decimal

    if isinstance(content, list):
        return tuple(map(_value, content))
    if isinstance(content, dict):
        return Decimal(content["decimal"]) if "decimal" in content else _notice(content)
    known: str | int | float | None = content
    return known


def _notice(content: Any) -> Notice:
    """The notice that an object of JSON holds; raises where it holds something else."""
    code, english = content["code"], content["english"]
    if isinstance(english, list):
        for_one, for_others = map(str, english)
        english = (for_one, for_others)
    if not isinstance(code, str) or not isinstance(english, str | tuple):
        raise TypeError("no notice")
    return Notice(code, english, **{name: _value(part) for name, part in content["values"].items()})


def _rebuilt(code: str, english: Template, values: Mapping[str, Value]) -> Notice:
    return Notice(code, english, **values)
