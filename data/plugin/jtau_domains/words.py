"""Words and names of fields, from the target language to the benchmark's and back.

The tables say which word stands where: `places` maps a path (`*` is any member) of the database, of
a tool's arguments or of its result to a rule:

* `word F`: a value of the field F;
* `folded F`: the same, whatever its case;
* `keys word F`: the names of the members are values of F;
* `prose`: a text; on the way out a message of the benchmark in it becomes the target's;
* `as P`: what stands at path P of the database;
* `as record`: a record of the table that its first member names (`line_id` -> `lines`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Rule = tuple[tuple[str, ...], str]
Spell = Callable[[str, str], str]
"""Rule and word -> word."""


class Words:
    """The words of one domain in both languages."""

    def __init__(self, tables: Mapping[str, Any], say: Callable[[str], str]) -> None:
        self._words: dict[str, dict[str, str]] = tables["words"]
        self._keys: dict[str, str] = tables["keys"]
        self._say = say
        self._places = {
            place: [(tuple(path.split("/")), rule) for path, rule in rules.items()]
            for place, rules in tables["places"].items()
        }

    def to_source(self, place: str, value: Any, *path: str) -> Any:
        """A localized value in the benchmark's words.

        A word that is none here must not pass as the benchmark's own, which `(word)` never is.
        """
        names = {target: source for source, target in self._keys.items()}
        return self._walk(_renamed(value, names), self._at(place, path), self._source_word)

    def to_target(self, place: str, value: Any, *path: str) -> Any:
        """A value of the benchmark in the target's words."""
        return _renamed(self._walk(value, self._at(place, path), self._target_word), self._keys)

    def word(self, field: str, source: str) -> str | None:
        """The target's word for a value of a field, None if it is none."""
        return self._words[field].get(source)

    def _source_word(self, rule: str, word: str) -> str:
        if rule == "prose":
            return word
        known = self._words[rule.split()[-1]]
        for source, target in known.items():
            same = word.casefold() == target.casefold() if rule.startswith("folded") else None
            if same or word == target:
                return source
        return f"({word})" if word in known else word

    def _target_word(self, rule: str, word: str) -> str:
        if rule == "prose":
            return self._say(word)
        return self._words[rule.split()[-1]].get(word, word)

    def _at(self, place: str, path: Sequence[str]) -> list[Rule]:
        rules = self._places.get(place, [])
        for key in path:
            rules = _below(rules, key)
        return rules

    def _walk(self, value: Any, rules: list[Rule], spell: Spell) -> Any:
        rules = self._resolved(value, rules)
        if not rules:
            return value
        here = [rule for path, rule in rules if not path]
        if isinstance(value, str):
            return spell(here[0], value) if here else value
        if isinstance(value, list):
            return [self._walk(v, _below(rules, str(at)), spell) for at, v in enumerate(value)]
        if isinstance(value, dict):
            names = next((rule for rule in here if rule.startswith("keys ")), None)
            return {
                spell(names, key) if names else key: self._walk(v, _below(rules, key), spell)
                for key, v in value.items()
            }
        return value

    def _resolved(self, value: Any, rules: list[Rule]) -> list[Rule]:
        """The rules with what `as ...` refers to."""
        resolved: list[Rule] = []
        for path, rule in rules:
            if path or not rule.startswith("as "):
                resolved.append((path, rule))
            elif rule != "as record":
                resolved += self._at("database", rule.removeprefix("as ").split("/"))
            elif isinstance(value, dict) and value:
                table = next(iter(value)).removesuffix("_id") + "s"
                resolved += self._at("database", (table, "*"))
        return resolved


def _below(rules: list[Rule], key: str) -> list[Rule]:
    return [(path[1:], rule) for path, rule in rules if path and path[0] in ("*", key)]


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The value with its members renamed, at any depth."""
    if not names:
        return value
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(member, names) for key, member in value.items()}
    return [_renamed(member, names) for member in value] if isinstance(value, list) else value
