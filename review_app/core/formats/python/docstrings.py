"""Google-style docstrings, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from inspect import cleandoc

_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Params|Returns|Yields|Raises|Exceptions|Except|Examples?|Attributes)"
    r":[ \t]*"
)
_ENTRY = re.compile(r"\*{0,2}([\w.]+)\s*(?:\([^)]*\))?\s*:\s*(.*)", re.DOTALL)
_TYPED = re.compile(r"(?:[^:\s]+|[^:\n]*\]):\s*(.*)", re.DOTALL)
"""What is returned, with its type before the colon."""


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
    """The sections of a docstring whose indentation is already removed (`inspect.cleandoc`).

    Line breaks stay, and the summary is the first line: so the benchmark's `docstring_parser` does.
    """
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in text.split("\n"):
        match = _SECTION.fullmatch(line)
        if match:
            current = match.group(1)
            sections.setdefault(current, [])
        else:
            sections[current].append(line)
    arguments = _of(sections, "Args", "Arguments", "Parameters", "Params")
    summary, _, rest = "\n".join(sections[""]).strip().partition("\n")
    returned = _dedented(_of(sections, "Returns", "Yields"))
    typed = _TYPED.fullmatch(returned)
    return Docstring(
        description=f"{summary}\n\n{rest.strip()}" if rest.strip() else summary,
        arguments=dict(_entries(arguments)),
        returns=_joined(typed.group(1).split("\n")) if typed else returned,
        raises=tuple(_entries(_of(sections, "Raises", "Exceptions", "Except"))),
    )


def _of(sections: dict[str, list[str]], *names: str) -> list[str]:
    return [line for name in names for line in sections.get(name, [])]


def _dedented(lines: list[str]) -> str:
    return cleandoc("\n".join(["", *lines])).strip()


def _entries(lines: list[str]) -> list[tuple[str, str]]:
    """Name and text of each entry; deeper lines continue the entry before them."""
    entries: list[list[str]] = []
    first = next((_indent(line) for line in lines if line.strip()), 0)
    for line in lines:
        if line.strip() and _indent(line) < first:
            break
        if line.strip() and _indent(line) == first and _ENTRY.fullmatch(line.strip()):
            entries.append([line.strip()])
        elif entries:
            entries[-1].append(line)
    texts = [_joined(entry) for entry in entries]
    matches = map(_ENTRY.fullmatch, texts)
    return [(match.group(1), match.group(2).strip()) for match in matches if match]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: list[str]) -> str:
    """The lines of one entry, with what continues it as far left as it goes."""
    return f"{lines[0]}\n{_dedented(lines[1:])}".strip()
