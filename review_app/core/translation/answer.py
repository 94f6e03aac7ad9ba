"""What to make of a model's answer: the texts in it, and what is wrong with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from review_app.core import checks
from review_app.core.locale.tokens import protected_tokens
from review_app.models import Finding, Segment
from review_app.notices import Notice

JUDGED = ("TOK001", "TOK002", "TOK003", "TRM003", "MKD001", "UNT001")
"""Checks whose findings send a text back to the model."""

FaultCode = Literal[
    "unparsable",
    "truncated",
    "missing",
    "extra",
    "duplicate",
    "empty",
    "repeated",
    "swapped",
    "check",
]

NO_ANSWER = Notice("translation_answer.none", "no answer")
"""What is wrong with a text before anything came back for it."""

_FENCE = re.compile(r"```[A-Za-z]*\s*\n(.*?)```", re.DOTALL)
_BROKEN = re.compile("[\x00\ufffd\ud800-\udfff]")
_TELLING = 20
"""From so many characters on, one translation for two different texts is a mistake."""


@dataclass(frozen=True, slots=True)
class AnswerFault:
    """What is wrong with an answer."""

    key: str
    """Empty if it is about the answer as a whole."""
    code: FaultCode
    complaint: Notice
    """What to do better; the model is told in English."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer taken apart."""

    texts: dict[str, str]
    faults: tuple[AnswerFault, ...]


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the model is told about its last translation of a text."""

    previous: str
    faults: tuple[Notice, ...]


# -- form --------------------------------------------------------------------------------------


def parse(answer: str, keys: Sequence[str], *, truncated: bool = False) -> Parsed:
    """The texts of an answer by key, and what is wrong with its form.

    Of an answer that breaks off, the complete entries are kept: they are paid for.

    Args:
        answer: What the model wrote: a JSON object, possibly in a code fence.
        keys: The keys that were asked for.
        truncated: Whether the model ran into its length limit.
    """
    entries, is_whole = _entries(answer)
    faults: list[AnswerFault] = []
    if not answer.strip():
        empty = Notice("translation_answer.empty", "the answer was empty")
        faults.append(AnswerFault("", "empty", empty))
    elif truncated or not is_whole:
        faults.append(_broken_off() if truncated or entries else _unparsable())
    texts: dict[str, str] = {}
    for key, text in entries:
        fault = _entry_fault(key, text, keys, texts)
        if fault is not None:
            faults.append(fault)
        else:
            texts[key] = text.replace("\r\n", "\n").replace("\r", "\n")
    faulty = {fault.key for fault in faults if fault.code != "duplicate"}
    missing = Notice("translation_answer.missing", "no translation was returned for this text")
    faults += [
        AnswerFault(key, "missing", missing)
        for key in keys
        if key not in texts and key not in faulty
    ]
    return Parsed(texts, tuple(faults))


def _entry_fault(
    key: str, text: str, keys: Sequence[str], texts: Mapping[str, str]
) -> AnswerFault | None:
    if key not in keys:
        unasked = Notice(
            "translation_answer.not_asked_for", "the key {key!r} was not asked for", key=key[:40]
        )
        return AnswerFault("", "extra", unasked)
    if not text.strip():
        empty = Notice("translation_answer.text_empty", "the translation was empty")
        return AnswerFault(key, "empty", empty)
    if _BROKEN.search(text):
        broken = Notice(
            "translation_answer.broken_character", "the translation holds a broken character"
        )
        return AnswerFault(key, "unparsable", broken)
    if key in texts and texts[key] != text:
        twice = Notice(
            "translation_answer.twice",
            "the key {key!r} was returned twice, with two texts",
            key=key,
        )
        return AnswerFault(key, "duplicate", twice)
    return None


def _broken_off() -> AnswerFault:
    broken_off = Notice(
        "translation_answer.truncated", "the answer was truncated: return the whole JSON object"
    )
    return AnswerFault("", "truncated", broken_off)


def _unparsable() -> AnswerFault:
    unparsable = Notice(
        "translation_answer.unparsable", "the answer was unparsable: return the whole JSON object"
    )
    return AnswerFault("", "unparsable", unparsable)


def _entries(answer: str) -> tuple[list[tuple[str, str]], bool]:
    """Key and text of each entry, and whether the answer was whole."""
    fenced = _FENCE.search(answer)
    braced = answer[answer.find("{") : answer.rfind("}") + 1]
    for candidate in (answer, fenced[1] if fenced else "", braced):
        value = _loaded(candidate)
        if isinstance(value, dict):
            value = value.get("translations")
        if isinstance(value, list):
            return [pair for entry in value for pair in _pair(entry)], True
    return _salvaged(answer), False


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _pair(entry: Any) -> Iterator[tuple[str, str]]:
    if isinstance(entry, dict):
        key, text = entry.get("key"), entry.get("text")
        if isinstance(key, str) and isinstance(text, str):
            yield key, text


def _salvaged(answer: str) -> list[tuple[str, str]]:
    """The complete entries at the beginning of a list that breaks off."""
    decoder = json.JSONDecoder(strict=False)
    at = answer.find("[")
    complete: list[tuple[str, str]] = []
    while at >= 0:
        at = answer.find("{", at)
        try:
            entry, at = decoder.raw_decode(answer, at) if at >= 0 else (None, -1)
        except (ValueError, RecursionError):
            break
        complete += _pair(entry)
    return complete


# -- content -----------------------------------------------------------------------------------


def judge(
    answer: str, wanted: Mapping[str, Segment], ctx: checks.Context, *, truncated: bool = False
) -> Parsed:
    """The texts of an answer, and all that is wrong with them: form, identifiers, Markdown.

    White space around a text is made that of its source.

    Args:
        answer: What the model wrote.
        wanted: The texts that were asked for by key; their `source` is what was sent.
        ctx: What the checks need.
        truncated: Whether the model ran into its length limit.
    """
    parsed = parse(answer, list(wanted), truncated=truncated)
    texts = {key: _fit(text, wanted[key].source) for key, text in parsed.texts.items()}
    faults = list(parsed.faults)
    for key, text in texts.items():
        findings = _findings(text, wanted[key], ctx)
        faults += [AnswerFault(key, "check", _complaint_about(finding)) for finding in findings]
        if any(finding.code.startswith("TOK") for finding in findings):
            faults += _elsewhere(key, text, wanted, ctx)
    faults += _repeated(texts, wanted)
    return Parsed(texts, tuple(faults))


def _fit(text: str, source: str) -> str:
    lead = source[: len(source) - len(source.lstrip())]
    trail = source[len(source.rstrip()) :] if source.strip() else ""
    return f"{lead}{text.strip()}{trail}"


def _findings(text: str, segment: Segment, ctx: checks.Context) -> list[Finding]:
    judged = [checks.ALL[code] for code in JUDGED]
    return [
        finding
        for finding in checks.run(replace(segment, target=text), ctx, judged)
        if not (finding.code == "TOK003" and _is_moment(finding.values["token"]))
    ]


def _complaint_about(finding: Finding) -> Notice:
    return Notice(
        "translation_answer.check",
        "{check}: {message}",
        check=finding.name,
        message=finding.message,
    )


def _is_moment(text: str) -> bool:
    """Whether a token is a date or a time: "at noon" may well become one."""
    return any(token.kind in ("date", "time") for token in protected_tokens(text))


def _elsewhere(
    key: str, text: str, wanted: Mapping[str, Segment], ctx: checks.Context
) -> Iterator[AnswerFault]:
    """Say so if a text has exactly the identifiers of another one."""
    for other, segment in wanted.items():
        is_candidate = other != key and protected_tokens(segment.source)
        if is_candidate and not any(
            finding.code.startswith("TOK") for finding in _findings(text, segment, ctx)
        ):
            swapped = Notice(
                "translation_answer.swapped",
                "this looks like the translation of {other}, not of {key}",
                other=other,
                key=key,
            )
            yield AnswerFault(key, "swapped", swapped)
            return


def _repeated(texts: Mapping[str, str], wanted: Mapping[str, Segment]) -> Iterator[AnswerFault]:
    """Yield a fault where one translation stands for texts that differ."""
    first: dict[str, str] = {}
    for key, text in texts.items():
        other = first.setdefault(text.strip(), key)
        differ = _letters(wanted[other].source) != _letters(wanted[key].source)
        if other != key and differ and len(text.strip()) >= _TELLING:
            yield _repeated_fault(key, other)
            yield _repeated_fault(other, key)


def _repeated_fault(key: str, other: str) -> AnswerFault:
    repeated = Notice(
        "translation_answer.repeated",
        "{key} and {other} have the same translation",
        key=key,
        other=other,
    )
    return AnswerFault(key, "repeated", repeated)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def complaints(parsed: Parsed, wanted: Mapping[str, Segment]) -> dict[str, Complaint]:
    """What to tell the model, by key of the texts that have to be asked for again.

    Faults of the answer as a whole are told with every text that is missing.
    """
    general = tuple(fault.complaint for fault in parsed.faults if not fault.key)
    to_tell = {}
    for key in wanted:
        own = tuple(dict.fromkeys(f.complaint for f in parsed.faults if f.key == key))
        if own:
            text = parsed.texts.get(key, "")
            to_tell[key] = Complaint(text, own if text else own + general)
    return to_tell


DOUBTS = {
    "TRN001": "no usable translation came back: {faults}",
    "TRN002": "the machine's draft is doubtful: {faults}",
}
"""Codes that are no registered checks: they come from a model's answers, not from the texts."""


def doubt(version: int, faults: Sequence[Notice]) -> Finding:
    """The finding on a segment whose machine translation was given up.

    Args:
        version: Version of the draft that was kept in spite of its faults; 0 for none.
        faults: What was wrong with the last answer.
    """
    code = "TRN002" if version else "TRN001"
    reasons = Notice("translation_answer.faults", "{faults:; }", faults=tuple(faults))
    return Finding(
        code=code,
        name="translation_doubtful" if version else "translation_missing",
        severity="error",
        message=DOUBTS[code].format(faults=reasons),
        values={"faults": reasons.to_json()},
    )
