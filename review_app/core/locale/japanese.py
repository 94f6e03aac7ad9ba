"""Where a Japanese word stands in a Japanese text: token boundaries and lemmas, never substrings.

便 is neither in 便利 nor in 郵便, キャンセル does not pass for 取り消す, 弱く is an inflected 弱い.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock

from sudachipy import Dictionary, Morpheme, SplitMode, Tokenizer

# The tokenizer turns HAT into ハット, so identifiers and foreign words are hidden from it.
_LATIN = re.compile(r"[!-~]*[0-9A-Za-z][!-~]*|[\ud800-\udfff]")
_HIRAGANA = re.compile(r"[ぁ-ゖ]")
_KATAKANA = re.compile(r"[ァ-ヺー]+")
_INFLECTED = ("動詞", "形容詞", "助動詞")
_MODES = {"A": SplitMode.A, "B": SplitMode.B, "C": SplitMode.C}
# A tokenizer raises when two threads use it, and the browser's pages are threads.
_ONE_AT_A_TIME = Lock()
# The tokenizer refuses more than 49,149 bytes.
_PIECE = re.compile(r"[^\n]{0,8000}\n?|\n")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One text cut in one split mode; all tuples have one entry for each token."""

    begins: tuple[int, ...]
    ends: tuple[int, ...]
    lemmas: tuple[str, ...]
    seams: tuple[int, ...]
    """Places inside katakana compounds unknown to the dictionary; any may part two words."""


def find_word(text: str, word: str) -> list[tuple[int, int]]:
    """Half-open spans of a word in a text, in order; inflected and okurigana forms count."""
    if not word:
        return []
    spans = set(find_literal(text, word))
    if _may_vary(word):
        for mode in _MODES:
            inflected = _lemma_spans(_tokens(text, mode), _tokens(word, mode).lemmas)
            spans.update((a, b) for a, b in inflected if _is_edge(text, a) and _is_edge(text, b))
    return sorted(spans)


def find_literal(text: str, word: str) -> list[tuple[int, int]]:
    """Half-open spans in which a word stands byte for byte and is not part of a longer one.

    Example:
        キャンセル済 is found in キャンセル済の予約 but not in キャンセル済みの予約.
    """
    spans = []
    start = text.find(word) if word else -1
    while start >= 0:
        end = start + len(word)
        if _is_edge(text, start) and _is_edge(text, end):
            spans.append((start, end))
        start = text.find(word, start + 1)
    return spans


def _is_edge(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    if _is_latin(before) or _is_latin(after):
        return not (_is_latin(before) and _is_latin(after))
    return at in _edges(text)


def _is_latin(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


@lru_cache(maxsize=4096)
def _edges(text: str) -> frozenset[int]:
    finest = _tokens(text, "A")
    return frozenset((*finest.begins, *finest.ends, *finest.seams))


def _may_vary(word: str) -> bool:
    """Words of kanji or katakana alone do not inflect; the literal search finds them."""
    return bool(_HIRAGANA.search(word))


def _lemma_spans(cut: Tokens, wanted: tuple[str, ...]) -> list[tuple[int, int]]:
    width = len(wanted)
    return [
        (cut.begins[at], cut.ends[at + width - 1])
        for at in range(len(cut.lemmas) - width + 1)
        if cut.lemmas[at : at + width] == wanted
    ]


@cache
def _tokenizer() -> Tokenizer:
    return Dictionary(dict="small").tokenizer()


@lru_cache(maxsize=4096)
def _tokens(text: str, mode: str) -> Tokens:
    hidden = _LATIN.sub(lambda match: " " * len(match[0]), text)
    begins, ends, lemmas = [], [], []
    seams: list[int] = []
    for piece in _PIECE.finditer(hidden):
        with _ONE_AT_A_TIME:
            tokens = _tokenizer().tokenize(piece[0], _MODES[mode])
        for token in tokens:
            begin, end = piece.start() + token.begin(), piece.start() + token.end()
            part = token.part_of_speech()[0]
            begins.append(begin)
            ends.append(end)
            if token.is_oov() and _KATAKANA.fullmatch(token.surface()):
                seams += range(begin + 1, end)
            lemmas.append(text[begin:end] if part == "空白" else _lemma(token, part))
    return Tokens(begins=tuple(begins), ends=tuple(ends), lemmas=tuple(lemmas), seams=tuple(seams))


def _lemma(token: Morpheme, part: str) -> str:
    """The dictionary form; the normalized one where it only changes okurigana (支払, 支払い)."""
    if part in _INFLECTED:
        return str(token.dictionary_form())
    surface, normalized = str(token.surface()), str(token.normalized_form())
    kanji = _HIRAGANA.sub("", surface)
    return normalized if kanji and kanji == _HIRAGANA.sub("", normalized) else surface
