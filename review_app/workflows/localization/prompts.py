"""Prompts: which apply, and editing them in versions."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from review_app.config import data_folder, data_text
from review_app.core.translation import prompts as templates
from review_app.core.translation.prompts import Templates
from review_app.errors import NotAllowed, NotFound
from review_app.models import Person, SegmentKind
from review_app.store import Store

__all__ = ["Prompt", "languages", "names", "prompts", "restore_default", "save", "templates_for"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is in force."""

    name: str
    """`translate/system`, `translate/<kind>` or `locales/<locale>/style`."""
    text: str
    default: str
    """The shipped file: version 0."""
    version: int
    author: str
    """Who saved the version in force; empty for the shipped one."""
    places: tuple[str, ...]
    """What it may name in braces."""


def prompts(store: Store) -> list[Prompt]:
    """Every prompt of the project, as it is in force."""
    changed = store.prompts.current()
    in_force = []
    for name in names(store):
        text = default = _shipped(name)
        number, author = 0, ""
        if version := changed.get(name):
            number = version.version
            if version.text is not None:
                text, author = version.text, store.people.get(version.author_id).name
        in_force.append(
            Prompt(
                name=name,
                text=text,
                default=default,
                version=number,
                author=author,
                places=tuple(sorted(templates.PLACES[templates.sort_of(name)])),
            )
        )
    return in_force


def names(store: Store) -> list[str]:
    """The names of the prompts of the project's target language."""
    style = f"locales/{store.people.project().target_locale}/style"
    return [templates.SYSTEM, *templates.GUIDES, style]


def save(store: Store, person: Person, name: str, text: str, *, expected_version: int) -> int:
    """Save a new version of a prompt; returns its number.

    Args:
        store: The review database.
        person: A maintainer.
        name: Which prompt.
        text: With its places in braces.
        expected_version: The version that was read.

    Raises:
        BadInput: an unknown place, a required one that is missing, or no text.
        NotAllowed: the person is no maintainer.
        ReviewError: somebody saved another version meanwhile.
    """
    templates.require_sound(name, text)
    return _append(store, person, name, text.replace("\r\n", "\n"), expected_version)


def restore_default(store: Store, person: Person, name: str, *, expected_version: int) -> int:
    """Put the shipped file in force again, as a new version; returns its number."""
    return _append(store, person, name, None, expected_version)


def _append(store: Store, person: Person, name: str, text: str | None, expected: int) -> int:
    if person.role != "maintainer":
        raise NotAllowed("prompt.for_maintainers", "a maintainer has to change a prompt")
    if name not in (known := names(store)):
        raise NotFound(
            "prompt.unknown",
            "no prompt {name!r}; there are: {known}",
            name=name,
            known=tuple(known),
        )
    with store.write(person.name):
        return store.prompts.add(name, text, person.id, expected=expected)


def templates_for(store: Store, kind: SegmentKind) -> Templates:
    """The templates in force for one kind of text."""
    texts = {prompt.name: prompt.text for prompt in prompts(store)}
    style = next(name for name in texts if templates.sort_of(name) == "style")
    return Templates(texts[templates.SYSTEM], texts[f"translate/{kind}"], texts[style])


def languages(store: Store) -> tuple[str, str]:
    """What the project's source and target language are called in a prompt."""
    project = store.people.project()
    return language_name(project.source_locale), language_name(project.target_locale)


def language_name(locale: str) -> str:
    """What a locale's language is called in a prompt."""
    known = tomllib.loads(data_text("prompts", "languages.toml"))
    return str(known.get(locale, locale))


def _shipped(name: str) -> str:
    """The file of a prompt; a locale may do without a style guide."""
    folder = () if name.startswith("locales/") else ("prompts",)
    *folders, file = name.split("/")
    path = data_folder().joinpath(*folder, *folders, f"{file}.md")
    return path.read_text(encoding="utf-8") if path.is_file() else ""
