"""The words of the interface: `<page>/<language>.json` beside the page, flat, key to text.

A key names its page before the first dot: `review.approve` stands in `review/en.json`. Words of no
one page stand in `shared/words/<language>/`. Words that depend on a number are
`{"one": "1 error", "other": "{count} errors"}`, chosen by the value `count`.

What notices say has a folder of its own, where the code is the key: `review.segment_unknown` stands
in `shared/words/ja/notices/review.json`. Its English stands in the code. `{name!r}` quotes as the
language does: 'a' in English, 「a」 in Japanese, each of several by itself.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st

from review_app.models import Finding
from review_app.notices import ENGLISH, Notice, Template, Tongue, counted

LANGUAGES = {"en": "English", "ja": "日本語"}
PAGES = Path(__file__).parents[1]
SHARED = Path(__file__).with_name("words")
NOTICES = "notices"
"""The folder in a language's words for what notices say, a file an area."""


@cache
def _templates(language: str, name: str) -> dict[str, Template]:
    path = PAGES / name / f"{language}.json"
    if not path.is_file():
        path = SHARED / language / f"{name}.json"
    if not path.is_file():
        return {}
    return {
        key: words if isinstance(words, str) else (words["one"], words["other"])
        for key, words in json.loads(path.read_text(encoding="utf-8")).items()
    }


@cache
def catalogue(language: str, name: str) -> dict[str, str]:
    """The words of one page or shared theme, or an empty dict if there are none of this name."""
    return {key: counted(words, {}) for key, words in _templates(language, name).items()}


@cache
def _notices(language: str) -> dict[str, Template]:
    """What every notice says, by code."""
    areas = sorted(path.stem for path in (SHARED / language / NOTICES).glob("*.json"))
    return {
        f"{area}.{key}": template
        for area in areas
        for key, template in _templates(language, f"{NOTICES}/{area}").items()
    }


def _in_corners(value: object) -> str:
    """A value in Japanese quotation marks, with what cannot be seen written as in English."""
    if not isinstance(value, str):
        return str(value)
    seen = (letter if letter.isprintable() else repr(letter)[1:-1] for letter in value)
    return f"「{''.join(seen)}」"


TONGUES = {"ja": Tongue(lambda code: _notices("ja").get(code), comma="、", quote=_in_corners)}
"""How the languages say notices; the others say them in English."""


def language() -> str:
    """The language chosen, else the browser's if there is a catalogue, else English."""
    chosen = st.session_state.get("language") or st.query_params.get("lang")
    if chosen in LANGUAGES:
        return str(chosen)
    locale = st.context.locale or "en"
    return "ja" if locale.startswith("ja") else "en"


def text(key: str, **values: object) -> str:
    """The words for a key in the interface's language, with {placeholders} filled.

    A key that the language lacks is shown in English; one that no catalogue has, as it is.
    """
    name, _, short = key.partition(".")
    template = _templates(language(), name).get(short) or _templates("en", name).get(short, key)
    words = counted(template, values)
    return words.format(**values) if values else words


def notice_text(notice: Notice) -> str:
    """What a notice says, in the interface's language."""
    return notice.sentence(TONGUES.get(language(), ENGLISH))


def in_words(said: str | Notice) -> str:
    """A person's words as they are; the app's in the interface's language."""
    return notice_text(said) if isinstance(said, Notice) else said


def finding_text(finding: Finding) -> str:
    """A finding's message in the interface's language."""
    template = catalogue(language(), "findings").get(finding.code)
    return template.format(**finding.spoken(notice_text)) if template else finding.message
