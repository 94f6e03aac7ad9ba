"""Google-style docstrings, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns?|Yields|Raises|Examples?):[ \t]*(.*)")
_ENTRY = re.compile(r"\*{0,2}([\w.]+)\s*(?:\([^)]*\))?\s*:\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Docstring:
    """What a docstring says, section by section."""

    description: str = ""
    """Summary and long description, with an empty line between."""
    arguments: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    """Exception name and when."""


def read_docstring(text: str) -> Docstring:
    """The sections of a docstring whose indentation is already removed (`inspect.cleandoc`)."""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in text.split("\n"):
        match = _SECTION.fullmatch(line)
        if match:
            current = match.group(1)
            sections.setdefault(current, []).extend([match.group(2)] if match.group(2) else [])
        else:
            sections[current].append(line)
    arguments = [*_of(sections, "Args", "Arguments", "Parameters")]
    return Docstring(
        description="\n".join(sections[""]).strip(),
        arguments=dict(_entries(arguments)),
        returns=" ".join(" ".join(_of(sections, "Returns", "Return", "Yields")).split()),
        raises=tuple(_entries(_of(sections, "Raises"))),
    )


def _of(sections: dict[str, list[str]], *names: str) -> list[str]:
    return [line for name in names for line in sections.get(name, [])]


def _entries(lines: list[str]) -> list[tuple[str, str]]:
    """Name and text of each entry; deeper lines continue the entry before them."""
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    entries: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        starts = len(line) - len(line.lstrip()) == min(indents) and _ENTRY.fullmatch(line.strip())
        if starts or not entries:
            entries.append(line.strip())
        else:
            entries[-1] += f" {line.strip()}"
    matches = map(_ENTRY.fullmatch, entries)
    return [(match.group(1), match.group(2).strip()) for match in matches if match]
