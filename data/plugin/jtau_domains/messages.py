"""What the benchmark's tools say and how they refuse, in the target language.

A text is recognized by the benchmark's own wording: `User {user_id} not found` matches a text and
tells what stands in the place. `slots` of the tables say how the value in a place (`place`, or
`message/place`) is written in the target:

* `word F [F...]`: a value of one of the fields; `list [word F]`: several, with separators;
* `message N [N...]`: one of these messages; `text`: any message;
* `bar`: several messages with separators;
* `amount A`: the target's amount of that name; `decimals A`: a number with so many decimals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PLACE = re.compile(r"\{(\w+)\}")


class Messages:
    """The messages of one domain in both languages."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._words: dict[str, dict[str, str]] = tables["words"]
        self._slots: dict[str, str] = tables["slots"]
        self._amounts: dict[str, float] = tables["amounts"]
        self._messages: dict[str, dict[str, str]] = tables["messages"]
        self._fallbacks: dict[str, str] = tables["fallbacks"]
        self._forms = _forms(self._messages, tables["spoken"], tables["also"])

    def filled(self, name: str, /, **values: str) -> str:
        """A message of the target with its places filled."""
        return _PLACE.sub(
            lambda place: values.get(place[1], place[0]), self._messages[name]["target"]
        )

    def translated(self, text: str) -> str:
        """A text in the target language: as a whole, else by lines; what is no message stays."""
        lines, done = text.split("\n"), []
        while lines:
            for end in range(len(lines), 0, -1):
                said = self._said("\n".join(lines[:end]))
                if said is not None:
                    done.append(said)
                    break
            else:
                done.append(lines[0])
                end = 1
            lines = lines[end:]
        return "\n".join(done)

    def refusal(self, tool: str, error: Exception) -> str:
        """Why a call is refused. Python's own complaints are cut down to the names they concern."""
        said = self._said(str(error))
        if said is not None:
            return said
        name = self._fallbacks.get(tool, self._fallbacks["*"])
        return self.filled(name, name=tool, problem=_concerned(error))

    def failure(self, reason: str) -> str:
        """A refused call's whole answer."""
        return self.filled("error", error=reason)

    def _said(self, text: str) -> str | None:
        """The message that the whole text is, None if it is none."""
        for name, form in self._forms:
            if match := form.fullmatch(text):
                values = {
                    slot: self._value(self._slot(name, slot), value)
                    for slot, value in match.groupdict().items()
                }
                return self.filled(name, **values)
        return None

    def _slot(self, message: str, slot: str) -> str:
        """How a value is written: as in this message, as in any, or as it is."""
        return self._slots.get(f"{message}/{slot}") or self._slots.get(slot, "plain")

    def _value(self, written: str, value: str) -> str:
        kind, *names = written.split()
        if kind == "list":
            return self._joined("list_separator", value, lambda part: self._word(part, names[1:]))
        if kind == "bar":
            return self._joined("bar_separator", value, lambda part: self._word(part, names))
        if kind == "amount":
            return f"{self._amounts[names[0]]:g}"
        if kind == "decimals":
            decimals = int(self._amounts[names[0]])
            return value if decimals < 0 else f"{float(value):.{decimals}f}"
        return self._word(value, names)

    def _joined(self, separator: str, value: str, written: Any) -> str:
        both = self._messages[separator]
        return both["target"].join(written(part) for part in value.split(both["source"]))

    def _word(self, value: str, names: list[str]) -> str:
        for field in names:
            if field in self._words and value in self._words[field]:
                return self._words[field][value]
        if not names:
            return value
        said = self._said(value)
        return value if said is None else said


def _forms(
    messages: Mapping[str, Mapping[str, str]], spoken: list[str], also: Mapping[str, list[str]]
) -> list[tuple[str, re.Pattern[str]]]:
    """Name and pattern of every message that a tool says, the most particular first."""
    known = [(name, messages[name]["source"]) for name in spoken]
    known += [(name, text) for name, texts in also.items() for text in texts]
    known.sort(key=lambda entry: -len(_PLACE.sub("", entry[1])))
    return [(name, re.compile(_pattern(text))) for name, text in known]


def _pattern(text: str) -> str:
    seen: set[str] = set()
    parts = []
    for at, part in enumerate(_PLACE.split(text)):
        if at % 2 == 0:
            parts.append(re.escape(part))
        elif part in seen:
            parts.append(f"(?P={part})")
        else:
            seen.add(part)
            parts.append(rf"(?P<{part}>[^\n]*?)")
    return "".join(parts)


def _concerned(error: Exception) -> str:
    """The names of what does not fit, in no language."""
    listed = getattr(error, "errors", None)
    if callable(listed):  # pydantic
        places = [".".join(map(str, problem["loc"])) for problem in listed()]
        return ", ".join(dict.fromkeys(places))
    if isinstance(error, KeyError):
        return ", ".join(map(str, error.args))
    return ", ".join(re.findall(r"'(\w+)'", str(error))) or type(error).__name__
