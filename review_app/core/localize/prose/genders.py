"""The gender of people, as the texts of tasks say it: he, she, a guy, Mrs. Li."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from review_app.core.formats.fields import TASK_FIELDS
from review_app.core.formats.slots import slots
from review_app.core.locale.grammar import GenderWords, Grammar
from review_app.core.locale.names import Gender
from review_app.core.localize.entities import letters_of
from review_app.core.localize.prose.bearers import named_in
from review_app.core.localize.published_names import NamePair

_KNOWN = "known_info"


def stated_genders(
    tasks: Iterable[Mapping[str, Any]], people: Iterable[NamePair], grammar: Grammar
) -> dict[NamePair, Gender]:
    """The people of whom texts say one gender; of whom they say both is left out.

    Args:
        tasks: Of the source.
        people: Of the domain, by their source names.
        grammar: Of the source language.

    Example:
        known_info "You are Mia Li.", purpose "User thinks she is gold" -> Mia Li is female
    """
    known = {letters_of("".join(pair)): pair for pair in people}
    said: dict[NamePair, dict[Gender, None]] = {}
    for task in tasks:
        texts = [(slot.address, slot.text) for slot in slots([task], TASK_FIELDS)]
        for person, gender in _statements(texts, known, grammar):
            said.setdefault(person, {})[gender] = None
    return {person: next(iter(genders)) for person, genders in said.items() if len(genders) == 1}


def _statements(
    texts: Sequence[tuple[str, str]], known: Mapping[str, NamePair], grammar: Grammar
) -> Iterator[tuple[NamePair, Gender]]:
    user = _user(texts, known)
    for _, text in texts:
        yield from _of_named(text, known, grammar)
        if user is not None:
            for gender in _of_user(text, grammar):
                yield user, gender


def _user(texts: Sequence[tuple[str, str]], known: Mapping[str, NamePair]) -> NamePair | None:
    """Who the user is: the one person that is named in what the user knows."""
    named = {
        person: None
        for address, text in texts
        if address.endswith(_KNOWN)
        for person in named_in(text, known)
    }
    return next(iter(named)) if len(named) == 1 else None


def _of_user(text: str, grammar: Grammar) -> Iterator[Gender]:
    """Yield what pronouns and nouns say of the user."""
    pronouns = {word: gender for gender, words in _worded(grammar) for word in words.pronouns}
    relatives = _choice(noun for _, words in _worded(grammar) for noun in words.nouns)
    spoken = rf"(?i)\b(?:{_choice(grammar.users)})\b([^.;!?\n]*?)\b({_choice(pronouns)})\b"
    for match in re.finditer(spoken, text):
        # Behind "the user's mother" a pronoun may be hers.
        if not re.search(rf"(?i)\b(?:{relatives})\b", match[1]):
            yield pronouns[match[2].lower()]
    for gender, words in _worded(grammar):
        nouns = rf"(?:[\w-]+\s+){{0,2}}?(?:{_choice(words.nouns)})"
        if re.search(rf"(?i)\b(?:{_choice(grammar.introductions)})\s+{nouns}\b", text):
            yield gender


def _of_named(
    text: str, known: Mapping[str, NamePair], grammar: Grammar
) -> Iterator[tuple[NamePair, Gender]]:
    """Yield what a noun or title before a full name says."""
    for gender, words in _worded(grammar):
        nouns = rf"(?:{_choice(words.nouns)})(?:\s+(?:{_choice(grammar.namings)}))?,?"
        pattern = rf"(?i)(?<![\w'’-]){nouns}\s+(\S+?)[ ]+([^\W\d_][\w'’-]*)"
        for match in re.finditer(pattern, text):
            if person := known.get(letters_of(match[1] + match[2])):
                yield person, gender


def _worded(grammar: Grammar) -> Iterator[tuple[Gender, GenderWords]]:
    return ((gender, words) for gender, words in grammar.genders.items() if words.nouns)


def _choice(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words)) or r"(?!)"
