"""The words of the interface: `<page>/<language>.json` beside the page, flat, key to text.

A key names its page before the first dot: `review.approve` stands in `review/en.json`. Words of no
one page stand in `shared/words/<language>/`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st

from review_app.models import Finding

LANGUAGES = {"en": "English", "ja": "日本語"}
PAGES = Path(__file__).parents[1]
SHARED = Path(__file__).with_name("words")


@cache
def catalogue(language: str, name: str) -> dict[str, str]:
    """The words of one page or shared theme, or an empty dict if there are none of this name."""
    path = PAGES / name / f"{language}.json"
    if not path.is_file():
        path = SHARED / language / f"{name}.json"
    if not path.is_file():
        return {}
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return texts


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
    words = catalogue(language(), name).get(short) or catalogue("en", name).get(short, key)
    return words.format(**values) if values else words


def finding_text(finding: Finding) -> str:
    """A finding's message in the interface's language."""
    template = catalogue(language(), "findings").get(finding.code)
    return template.format(**finding.values) if template else finding.message
