"""Glossaries as TBX (ISO 30042:2019, DCA style), for translation tools."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from typing import get_args
from xml.etree.ElementTree import Element, SubElement

from review_app.errors import BadInput
from review_app.models import Term, TermMode
from review_app.notices import Notice

_NAMESPACE = "urn:iso:std:iso:30042:ed-2"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DOCUMENT_TYPE = re.compile(r"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STATUS = "administrativeStatus"
_PREFERRED, _ADMITTED, _DEPRECATED = (
    f"{status}Term-admn-sts" for status in ("preferred", "admitted", "deprecated")
)
_MODE, _EXCEPTION, _DOMAIN = "x-mode", "x-exception", "projectSubset"


def terms_to_tbx(terms: Iterable[Term], source_locale: str, target_locale: str) -> str:
    """A TBX document, one concept entry for each term.

    Category is the subject field, domain the project subset, mode and exceptions are administrative
    notes of our own. The first term of a language is the term itself, further ones are variants
    (source) or accepted spellings (target); a forbidden target is marked as deprecated.

    Raises:
        BadInput: a text holds a character that XML cannot.
    """
    root = Element("tbx", {"type": "TBX-Basic", "style": "dca", _LANG: source_locale})
    root.set("xmlns", _NAMESPACE)
    header = SubElement(SubElement(root, "tbxHeader"), "fileDesc")
    SubElement(SubElement(header, "sourceDesc"), "p").text = "Glossary of the J-tau review app"
    body = SubElement(SubElement(root, "text"), "body")
    for number, term in enumerate(terms, 1):
        entry = SubElement(body, "conceptEntry", {"id": f"c{number}"})
        _write_entry(entry, term, source_locale, target_locale)
    ElementTree.indent(root)
    written = ElementTree.tostring(root, encoding="unicode")
    bad = _NOT_XML.search(written)
    if bad:
        raise BadInput(
            Notice(
                "glossary.not_for_tbx",
                "TBX cannot hold the character {character!r}; export CSV instead",
                character=bad.group(),
            )
        )
    # A parser turns a bare carriage return into a line feed.
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'.replace("\r", "&#13;")


def terms_from_tbx(text: str, file: str) -> list[Term]:
    """The terms of a TBX document; of documents of other tools what the app has a place for.

    The document's language is the source (else the first of an entry), the next one the target. In
    entries without a mode every deprecated target is a forbidden term of its own.

    Raises:
        BadInput: not XML, a document type or entity declaration, no TBX, an unknown mode, an entry
            without two languages or terms.
    """
    if _DOCUMENT_TYPE.search(text):
        problem = Notice(
            "glossary.document_type",
            "document types and entities are not read; remove <!DOCTYPE ...>",
        )
        raise BadInput(problem, file)
    try:
        root = ElementTree.fromstring(text.removeprefix("\ufeff"))
    except (ElementTree.ParseError, ValueError) as error:
        problem = Notice("glossary.not_xml", "not XML: {problem}", problem=str(error))
        raise BadInput(problem, file) from error
    if _name(root) != "tbx":
        problem = Notice(
            "glossary.not_tbx", "the outermost element must be tbx, is {name!r}", name=_name(root)
        )
        raise BadInput(problem, file)
    locale = root.get(_LANG, "")
    entries = [entry for entry in root.iter() if _name(entry) == "conceptEntry"]
    return [term for entry in entries for term in _read_entry(entry, locale, file)]


def _write_entry(entry: Element, term: Term, source_locale: str, target_locale: str) -> None:
    _write(entry, "descrip", "subjectField", term.category)
    _write(entry, "admin", _MODE, term.mode)
    _write(entry, "admin", _DOMAIN, term.domain or "")
    for exception in term.exceptions:
        SubElement(entry, "admin", {"type": _EXCEPTION}).text = exception
    if term.note:
        SubElement(entry, "note").text = term.note
    target_status = _DEPRECATED if term.mode == "forbidden" else _PREFERRED
    _write_language(entry, source_locale, _PREFERRED, [term.source, *term.variants])
    _write_language(entry, target_locale, target_status, [term.target, *term.accepted])


def _write(entry: Element, tag: str, category: str, text: str) -> None:
    if text:
        SubElement(entry, tag, {"type": category}).text = text


def _write_language(entry: Element, locale: str, status: str, texts: list[str]) -> None:
    section = SubElement(entry, "langSec", {_LANG: locale})
    for text in texts:
        term_section = SubElement(section, "termSec")
        SubElement(term_section, "term").text = text
        SubElement(term_section, "termNote", {"type": _STATUS}).text = status
        status = _ADMITTED


def _read_entry(entry: Element, locale: str, file: str) -> Iterator[Term]:
    place = f"conceptEntry {entry.get('id', '')}".strip()
    languages = [child for child in entry if _name(child) == "langSec"]
    languages.sort(key=lambda language: language.get(_LANG) != locale)
    if len(languages) < 2:
        raise BadInput(Notice("glossary.one_language", "needs two languages"), file, place)
    sources, targets = (_terms(language) for language in languages[:2])
    if not sources or not sources[0][0] or not targets:
        problem = Notice("glossary.term_missing", "needs a term in both languages")
        raise BadInput(problem, file, place)
    mode = _mode(entry, file, place)
    source, *variants = (text for text, _ in sources)
    banned = [] if mode else [text for text, status in targets if status == _DEPRECATED]
    good = [text for text, _ in targets if text not in banned]
    groups: list[tuple[TermMode, list[str]]] = [("forbidden", [text]) for text in banned]
    if good:
        groups.insert(0, (mode or "prose", good))
    for mode_of_term, (target, *accepted) in groups:
        yield Term(
            source=source,
            target=target,
            mode=mode_of_term,
            domain=next(_notes(entry, "admin", _DOMAIN), None),
            category=next(_notes(entry, "descrip", "subjectField"), ""),
            variants=tuple(variants),
            accepted=tuple(accepted),
            exceptions=tuple(_notes(entry, "admin", _EXCEPTION)),
            note=next(_notes(entry, "note", None), ""),
        )


def _mode(entry: Element, file: str, place: str) -> TermMode | None:
    named = next(_notes(entry, "admin", _MODE), None)
    mode = next((mode for mode in get_args(TermMode) if mode == named), None)
    if named is not None and mode is None:
        problem = Notice("glossary.tbx_mode_unknown", "unknown mode {mode!r}", mode=named)
        raise BadInput(problem, file, place)
    return mode


def _terms(language: Element) -> list[tuple[str, str]]:
    """Term and administrative status of each term section."""
    pairs = []
    for section in language:
        terms = [child.text or "" for child in section if _name(child) == "term"]
        status = next(_notes(section, "termNote", _STATUS), "")
        pairs += [(text, status) for text in terms]
    return pairs


def _notes(parent: Element, tag: str, category: str | None) -> Iterator[str]:
    for child in parent:
        if _name(child) == tag and child.get("type") == category:
            yield child.text or ""


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
