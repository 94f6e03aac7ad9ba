"""Texts as the rules search them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def folded(text: str) -> str:
    """A text in lower case and normal width, with straight apostrophes."""
    return unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")


@lru_cache(maxsize=512)
def words_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """What finds any of the words; ASCII words only as whole words. No words find nothing."""
    choices = [
        rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
    ]
    return re.compile("|".join(choices) or r"(?!)")
