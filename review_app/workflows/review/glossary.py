"""The glossary and the mapped values: edit with a preview of what it affects, import, export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from review_app.config import data_folder, data_text
from review_app.core.formats import glossary as formats
from review_app.core.locale.glossary import Glossary, mentions
from review_app.errors import BadInput, NotAllowed, ReviewError
from review_app.models import Person, Segment, Term
from review_app.notices import Notice
from review_app.records.project import AuditChange
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark.files import read_text
from review_app.workflows.review import checks, standing

TERM_FILES = ("glossary.csv", "airports.csv")


@dataclass(frozen=True)
class TermEffect:
    """What an edit of a term would do.

    Attributes:
        affected: Segments whose source uses the term as it is or as it would be.
        requeued: Those of them that are approved and would miss the term: they would go back to
            review.
        touched: Ids of the segments whose findings may change: also where a spelling of the term
            stands for something else, or stands in the translation.
    """

    affected: tuple[Segment, ...]
    requeued: tuple[Segment, ...]
    touched: tuple[str, ...] = ()


@dataclass(frozen=True)
class TermImport:
    """What a glossary file would change, term by term."""

    added: tuple[Term, ...]
    changed: tuple[tuple[Term, Term], ...]
    """(as it is, as the file has it)"""
    same: int
    conflicting: tuple[Notice, ...]
    """Terms that the file states twice with different targets."""


def shipped_terms(store: Store) -> list[Term]:
    """The terms shipped for the project's target language that the glossary does not have yet."""
    terms = terms_of(store.people.project().target_locale)
    known = {_identity(term) for term in store.terms.all()}
    return [term for term in terms if _identity(term) not in known]


def terms_of(locale: str) -> list[Term]:
    """The terms shipped for a locale."""
    terms: list[Term] = []
    for name in TERM_FILES:
        if (data_folder() / "locales" / locale / name).is_file():
            terms += formats.terms_from_csv(data_text("locales", locale, name), name)
    return terms


_Identity = tuple[str | None, str, str, str, str]


def _identity(term: Term) -> _Identity:
    """What makes two rows the same term: a value and a word of one spelling are two terms."""
    banned = term.target if term.mode == "forbidden" else ""
    return (term.domain, term.category, term.source, term.mode, banned)


def _same_rule(old: Term, new: Term) -> bool:
    """Whether two rows ask the same of a translation: they differ in the remarks at most."""
    return old == replace(new, category=old.category, note=old.note, id=old.id, version=old.version)


def preview(store: Store, old: Term | None, new: Term | None) -> TermEffect:
    """What adding, changing or removing a term would affect, before it is saved."""
    touched = _mentioning(store, [term for term in (old, new) if term is not None])
    locale = store.people.project().target_locale
    affected: list[Segment] = []
    for domain, group in groupby(touched, lambda text: text.domain):
        texts = list(group)
        hits = Glossary([], locale).affected_by(
            _within(domain, old), _within(domain, new), [text.source for text in texts]
        )
        affected += [texts[hit] for hit in hits]
    if old is not None and new is not None and _same_rule(old, new):
        return TermEffect(tuple(affected), ())
    ids = tuple(text.id for text in touched)
    if new is None:
        return TermEffect(tuple(affected), (), ids)
    only = Glossary([new], locale)
    requeued = tuple(
        text
        for text in affected
        if text.state == "approved" and text.target is not None and _violates(only, text, new)
    )
    return TermEffect(tuple(affected), requeued, ids)


def _mentioning(store: Store, terms: Sequence[Term]) -> list[Segment]:
    """The segments with a spelling of one of these terms in source or target, in file order."""
    domains = {term.domain for term in terms}
    if not domains:
        return []
    mentioning: list[Segment] = []
    texts = store.segments.all(domains.pop() if len(domains) == 1 else None)
    for domain, group in groupby(texts, lambda text: text.domain):
        here = list(group)
        words = [f"{text.source}\n{text.target or ''}" for text in here]
        mentioning += [here[at] for at in mentions([t for t in terms if _within(domain, t)], words)]
    return mentioning


def _within(domain: str, term: Term | None) -> Term | None:
    """The term, if it holds in this domain."""
    return term if term is not None and term.domain in (None, domain) else None


def _violates(only: Glossary, text: Segment, term: Term) -> bool:
    target = text.target or ""
    if term.mode == "forbidden":
        return bool(only.forbidden(text.source, target, text.domain))
    return bool(only.missing(text.source, target, text.domain))


def save_term(store: Store, person: Person, old: Term | None, new: Term | None) -> TermEffect:
    """Add, change or remove a term; approved texts that now miss it go back to review.

    The texts in `touched` are checked again.

    Args:
        store: The review database.
        person: Who edits.
        old: The term as it was read; None adds one.
        new: The term as it shall be; None removes it.

    Raises:
        ReviewError: an empty source or target; somebody changed the term meanwhile; a second term
            for the same source in the same category.
    """
    with store.write(person.name):
        if new is not None:
            _require_sound(store, old, new)
        effect = preview(store, old, new)
        before = checks.rules_key(store)
        if new is None and old is not None:
            store.terms.retire(old.id)
        elif old is None and new is not None:
            store.terms.add([new])
        elif old is not None and new is not None:
            store.terms.put(replace(new, id=old.id, version=old.version))
        for segment in effect.requeued:
            standing.send_back(store, segment.id, _reason(new))
        checks.after_term_edit(store, before, effect.touched)
    checks.recheck(store, effect.touched, actor=person.name)
    return effect


def _reason(term: Term | None) -> str:
    """Why texts are looked at again, as Review tells it."""
    return f"term {term.source if term else ''}"


def _failing(store: Store, terms: Sequence[Term]) -> list[tuple[Segment, Term]]:
    """Approved texts that miss one of these terms, or use a forbidden one, with the term."""
    if not terms:
        return []
    glossary = Glossary(terms, store.people.project().target_locale)
    failing = []
    for text in store.segments.all():
        if text.state == "approved" and text.target is not None:
            broken = glossary.missing(text.source, text.target, text.domain)
            banned = glossary.forbidden(text.source, text.target, text.domain)
            failing += [(text, term) for term in [*broken, *(hit[0] for hit in banned)][:1]]
    return failing


def _require_sound(store: Store, old: Term | None, new: Term) -> None:
    if not new.source.strip() or not new.target.strip():
        raise ReviewError("review.term_incomplete", "a term needs a source and a target")
    for other in store.terms.all():
        if _identity(other) == _identity(new) and (old is None or other.id != old.id):
            raise ReviewError(
                "review.term_exists",
                "{term!r} is in the glossary already (category {category!r}): edit that row",
                term=new.source,
                category=new.category,
            )


def history(store: Store, term: Term) -> list[AuditChange]:
    """Who changed a term when, newest first; old and new values are JSON objects."""
    return store.people.history("terms", str(term.id))


# -- files -----------------------------------------------------------------------------------


def write_terms(store: Store, form: Literal["csv", "tbx"]) -> str:
    """The glossary as CSV (opens in Excel) or TBX text."""
    project = store.people.project()
    terms = store.terms.all()
    if form == "csv":
        return formats.terms_to_csv(terms)
    return formats.terms_to_tbx(terms, project.source_locale, project.target_locale)


def write_terms_file(store: Store, path: Path) -> None:
    """Write the glossary to a file, in the form that its name tells.

    Raises:
        BadInput: the name tells no form, or the file cannot be written.
    """
    text = write_terms(store, file_form(path.name))
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        problem = Notice(
            "review.glossary_not_written", "cannot be written ({detail})", detail=error.strerror
        )
        raise BadInput(problem, str(path)) from error


def read_terms(text: str, file: str) -> list[Term]:
    """The terms of a CSV or TBX file, by its name."""
    if file_form(file) == "csv":
        return formats.terms_from_csv(text, file)
    return formats.terms_from_tbx(text, file)


def file_form(file: str) -> Literal["csv", "tbx"]:
    """The form of a glossary file, by its name."""
    if file.lower().endswith(".csv"):
        return "csv"
    if file.lower().endswith((".tbx", ".xml")):
        return "tbx"
    raise BadInput(Notice("review.no_glossary_file", "is neither .csv nor .tbx"), file)


def read_terms_file(path: Path) -> list[Term]:
    """The terms of a CSV or TBX file on disk."""
    return read_terms(read_text(path, path.parent), str(path))


def compare_terms(store: Store, terms: Sequence[Term]) -> TermImport:
    """What importing these terms would change; terms that are not among them stay."""
    known = {_identity(term): term for term in store.terms.all()}
    seen: dict[_Identity, Term] = {}
    added, changed, conflicting, same = [], [], [], 0
    for term in terms:
        key = _identity(term)
        first = seen.setdefault(key, term)
        if first is not term:
            if first.target != term.target:
                conflicting.append(
                    Notice(
                        "review.term_stated_twice",
                        "{term!r}: {first!r} and {second!r}",
                        term=term.source,
                        first=first.target,
                        second=term.target,
                    )
                )
        elif key not in known:
            added.append(term)
        elif replace(known[key], id=0, version=0) == replace(term, id=0, version=0):
            same += 1
        else:
            changed.append((known[key], term))
    return TermImport(
        added=tuple(added), changed=tuple(changed), same=same, conflicting=tuple(conflicting)
    )


def import_terms(
    store: Store, person: Person, terms: Sequence[Term], *, progress: Progress = silent
) -> TermImport:
    """Add and change terms from a file, as `compare_terms` said, all or nothing.

    Approved texts that now miss a term go back to review, as after an edit; every text whose
    findings are out of date is checked.

    Args:
        store: The review database.
        person: A maintainer.
        terms: What the file states.
        progress: Told of the texts that are checked.

    Raises:
        BadInput: the file contradicts itself, or a term has no target.
    """
    if person.role != "maintainer":
        raise NotAllowed(
            "review.only_maintainers_import_terms", "a maintainer has to import a glossary"
        )
    plan = compare_terms(store, terms)
    if plan.conflicting:
        problem = Notice(
            "review.terms_conflict", "the file states {terms}: keep one", terms=plan.conflicting[0]
        )
        raise BadInput(problem, "glossary")
    for term in plan.added:
        if not term.target.strip():
            problem = Notice(
                "review.term_without_target", "the term {term!r} has no target", term=term.source
            )
            raise BadInput(problem, "glossary")
    rules = [new for old, new in plan.changed if not _same_rule(old, new)]
    edited = [*plan.added, *(old for old, new in plan.changed if new in rules), *rules]
    with store.write(person.name):
        before = checks.rules_key(store)
        store.terms.add(plan.added)
        for old, new in plan.changed:
            store.terms.put(replace(new, id=old.id, version=old.version))
        for text, term in _failing(store, [*plan.added, *rules]):
            standing.send_back(store, text.id, _reason(term))
        touched = [text.id for text in _mentioning(store, edited)]
        checks.after_term_edit(store, before, touched)
    checks.refresh(store, progress=progress, actor=person.name)
    return plan
