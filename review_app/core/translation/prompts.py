"""What a model is told: templates with named places, and the material as JSON.

Templates are Markdown with `{name}` where a value goes and `{{`, `}}` for a brace. Texts of the
benchmark never go into a template: they are carried as JSON in a message of their own, so that no
sentence in them can pass for an instruction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from review_app.core.locale.glossary import Glossary
from review_app.core.locale.tokens import protected_tokens
from review_app.core.translation.answer import Complaint
from review_app.core.translation.request import Batch
from review_app.errors import BadInput
from review_app.models import KINDS, Segment, Term
from review_app.notices import Notice

Message = dict[str, str]
"""`role` and `content`, as chat models take it."""

PLACES: dict[str, frozenset[str]] = {
    "system": frozenset({"source_language", "target_language", "domain", "guide", "style"}),
    "guide": frozenset({"source_language", "target_language", "domain"}),
    "style": frozenset({"source_language", "target_language", "domain"}),
}
"""Which places a template of each sort may have."""

REQUIRED = {"system": frozenset({"target_language", "guide", "style"})}
"""Places without which a template would drop what it is there for."""

GUIDES = tuple(f"translate/{kind}" for kind in KINDS)
SYSTEM = "translate/system"

_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")
_FREE_FORM = ("date", "time")
"""Tokens whose value stays while the form may follow the language."""


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates that apply to one kind of text."""

    system: str
    guide: str
    style: str

    @property
    def version(self) -> str:
        """12 hex digits that change whenever a word of a template does."""
        text = json.dumps([self.system, self.guide, self.style], ensure_ascii=False)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def sort_of(name: str) -> str:
    """What a template is: `system`, `guide` of a kind, or `style` of a locale."""
    if name == SYSTEM:
        return "system"
    return "guide" if name in GUIDES else "style"


def require_sound(name: str, text: str) -> None:
    """Nothing, if every place of the template is known and none is lacking.

    Raises:
        BadInput: naming the template and the place.
    """
    sort = sort_of(name)
    if not text.strip():
        problem = Notice("file.prompt_empty", "the prompt is empty: restore the default instead")
        raise BadInput(problem, name)
    places = _places_in(text)
    _require_known(places, PLACES[sort], name)
    lacking = sorted(REQUIRED.get(sort, frozenset()) - places)
    if lacking:
        problem = Notice(
            "file.prompt_place_missing",
            "the place {{{place}}} is missing: put it back",
            place=lacking[0],
        )
        raise BadInput(problem, name)


def fill(template: str, values: Mapping[str, str], name: str) -> str:
    """The template with its places filled; what is filled in is not looked at again.

    Raises:
        BadInput: a place that `values` does not know.

    Example:
        "Into {target_language}, as {{key}}", {"target_language": "German"} ->
        "Into German, as {key}"
    """
    _require_known(_places_in(template), values, name)
    return _PLACE.sub(lambda place: values[place[1]] if place[1] else place[0][0], template)


def _places_in(template: str) -> set[str]:
    return {place for place in _PLACE.findall(template) if place}


def _require_known(places: set[str], known: Collection[str], name: str) -> None:
    unknown = sorted(places - set(known))
    if unknown:
        problem = Notice(
            "file.prompt_place_unknown",
            "no value is known for {{{place}}}; there are {known}; write {{{{ and }}}} for braces",
            place=unknown[0],
            known=tuple(sorted(known)),
        )
        raise BadInput(problem, name)


def messages(
    batch: Batch,
    templates: Templates,
    languages: tuple[str, str],
    glossary: Glossary,
    complaints: Mapping[str, Complaint] | None = None,
) -> list[Message]:
    """Exactly what is sent for a batch: the instructions, then the material as JSON.

    Args:
        batch: The texts.
        templates: Of the batch's kind.
        languages: Names of source and target language.
        glossary: Only terms that occur in the batch are offered.
        complaints: On a retry, what is wrong with which key; texts of other keys are context.
    """
    places = {
        "source_language": languages[0],
        "target_language": languages[1],
        "domain": batch.domain,
    }
    parts = {
        "guide": fill(templates.guide, places, f"translate/{batch.kind}").strip(),
        "style": fill(templates.style, places, "style").strip(),
    }
    system = fill(templates.system, places | parts, SYSTEM)
    content = json.dumps(_material(batch, glossary, complaints), ensure_ascii=False, indent=1)
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def offered(segments: Sequence[Segment], glossary: Glossary) -> list[Term]:
    """The terms that occur in these sources, and the renderings ruled out there, each once."""
    terms: dict[Term, None] = {}
    for segment in segments:
        for match in glossary.in_source(segment.source, segment.domain):
            terms |= dict.fromkeys(match.terms)
        terms |= dict.fromkeys(glossary.ruled_out(segment.source, segment.domain))
    return list(terms)


def terms_version(terms: Sequence[Term]) -> str:
    """12 hex digits that change whenever a rule that is offered does; remarks do not count."""
    rules = sorted(json.dumps(_term(term), ensure_ascii=False, sort_keys=True) for term in terms)
    return sha256("\n".join(rules).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _term(term: Term) -> dict[str, Any]:
    if term.mode == "forbidden":
        return {"source": term.source, "never": term.target}
    entry: dict[str, Any] = {"source": term.source, "target": term.target, "rule": term.mode}
    return entry | ({"accepted": list(term.accepted)} if term.accepted else {})


def _material(
    batch: Batch, glossary: Glossary, complaints: Mapping[str, Complaint] | None
) -> dict[str, Any]:
    wanted = [s for key, s in batch.wanted.items() if complaints is None or key in complaints]
    terms = offered(wanted, glossary)
    passage = [
        _context(line.segment)
        if not line.key or (complaints is not None and line.key not in complaints)
        else _item(line.key, line.segment, glossary, (complaints or {}).get(line.key))
        for line in batch.lines
    ]
    return {
        "domain": batch.domain,
        "document": batch.file,
        "glossary": [_term(term) for term in terms if term.mode != "forbidden"],
        "forbidden": [_term(term) for term in terms if term.mode == "forbidden"],
        "passage": passage,
    }


def _context(segment: Segment) -> dict[str, Any]:
    entry = {"context": _clip(segment.source)}
    return entry | ({"translation": _clip(segment.target)} if segment.target else {})


def _item(
    key: str, segment: Segment, glossary: Glossary, complaint: Complaint | None
) -> dict[str, Any]:
    entry: dict[str, Any] = {"key": key, "text": segment.source}
    if segment.section:
        entry["section"] = segment.section
    keep = _to_keep(segment, glossary)
    if keep:
        entry["keep"] = keep
    if complaint is not None:
        entry |= {"previous": complaint.previous, "faults": [*map(str, complaint.faults)]}
    return entry


def _to_keep(segment: Segment, glossary: Glossary) -> list[str]:
    """Protected tokens, but for those that the glossary renders and those of free form."""
    rendered = {
        (match.start, match.end)
        for match in glossary.in_source(segment.source, segment.domain)
        if match.term.mode == "exact"
    }
    tokens = [
        token.text
        for token in protected_tokens(segment.source)
        if token.kind not in _FREE_FORM and (token.start, token.end) not in rendered
    ]
    return list(dict.fromkeys(tokens))


def _clip(text: str, limit: int = 500) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
