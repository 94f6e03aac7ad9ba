"""What validity rules say, in the interface's language.

English is the rules' own; Japanese stands in `words/ja/rules.json`: a message and a name for
each code, and the phrases that values hold (`phrase.takes no argument {x}`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from review_app.core.validity import RuleViolation
from review_app.ui.shared.i18n import catalogue, language

_PHRASE = "phrase."


def message(violation: RuleViolation) -> str:
    """A violation's message in the interface's language."""
    template = catalogue(language(), "rules").get(violation.code)
    if template is None:
        return violation.message
    values = {name: _phrase(language(), value) for name, value in violation.values.items()}
    try:
        return template.format(**values)
    except (KeyError, IndexError):  # kept by an older version of the rule
        return violation.message


def name(code: str, english: str) -> str:
    """A rule's name in the interface's language; `english` as it is registered."""
    words = catalogue(language(), "rules").get(f"name.{code}")
    return words or english.replace("_", " ")


def _phrase(tongue: str, value: str) -> str:
    for pattern, words in _phrases(tongue):
        match = pattern.fullmatch(value)
        if match:
            return words.format(x=match["x"]) if "x" in pattern.groupindex else words
    return value


@cache
def _phrases(tongue: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    known: Mapping[str, str] = catalogue(tongue, "rules")
    return tuple(
        (re.compile(re.escape(key[len(_PHRASE) :]).replace(r"\{x\}", "(?P<x>.+)")), words)
        for key, words in known.items()
        if key.startswith(_PHRASE)
    )
