"""A project of which nothing blocks a release: made once, copied for every test."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sample_project import copied_sample, sample_store

from review_app.core.tasks.patch_files import patches_from_json
from review_app.models import Person
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.curation import patches, validity
from review_app.workflows.localization.derived_domain import Derived
from review_app.workflows.release import build
from review_app.workflows.release.build import BuildOrder, Built
from review_app.workflows.review import answers

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
PICTURE = bytes(range(256)) * 3
"""No text in any encoding."""
KEPT_NOWHERE = ("pending", "processed", "delivered", "cancelled")
"""Values of the source that mean nothing else, wherever they stand."""
LICENCE = "MIT License\n\nCopyright (c) 2026 the sample's authors\n"


@dataclass(frozen=True)
class Team:
    """Three annotators and two maintainers."""

    a: Person
    b: Person
    c: Person
    m: Person
    n: Person


def team(store: Store) -> Team:
    """The people of the project."""
    return Team(*map(store.people.named, ("Aki", "Ben", "Chie", "Mio", "Nao")))


def make_ready(folder: Path, *domains: str) -> Path:
    """Domains of the sample with a picture and a licence, patched, translated and approved."""
    source = copied_sample(folder)
    (source / "LICENSE").write_text(LICENCE, encoding="utf-8")
    pictures = source / "domains" / domains[0] / "workflows"
    pictures.mkdir()
    (pictures / "steps.png").write_bytes(PICTURE)
    store = sample_store(folder, *domains, source=source)
    for name in ("Aki", "Ben", "Chie"):
        project.add_person(store, name, "annotator")
    for name in ("Mio", "Nao"):
        project.add_person(store, name, "maintainer")
    _patch(store, domains)
    for domain in domains:
        translate(store, domain)
    store.close()
    return folder / "sample.db"


def _patch(store: Store, domains: tuple[str, ...]) -> None:
    people = team(store)
    for domain in domains:
        profile = SAMPLE / "rules" / f"{domain}.toml"
        if profile.is_file():
            validity.set_profile(store, people.m, domain, profile.read_text("utf-8"))
    text = (SAMPLE / "patches.json").read_text("utf-8")
    wanted = [p for p in patches_from_json(text, "patches.json") if p.domain in domains]
    for proposed in patches.file_proposals(store, people.m, wanted):
        patches.approve(store, people.n, proposed.id)


def translate(store: Store, domain: str) -> None:
    """Approve for every text what would stand in for its translation, all terms in Japanese."""
    people, derived = team(store), Derived(store, domain)
    terms = _terms(store, derived)
    words = re.compile(r"\b(?:" + "|".join(map(re.escape, terms)) + r")\b", re.IGNORECASE)
    for segment in list(store.segments.all(domain)):
        text = words.sub(lambda hit: terms[hit[0].casefold()], derived.standing(segment).text)
        for mention in reversed(derived.derivation.traces.left(text)):
            text = text[: mention.start] + mention.target + text[mention.end :]
        answers.edit(store, segment.id, people.m, target=text, expected_version=segment.version)
        for person in (people.a, people.b, people.c):
            now = store.segments.get(segment.id)
            if now.state != "approved":
                answers.answer(
                    store, now.id, person, verdict="approve", expected_version=now.version
                )


def _terms(store: Store, derived: Derived) -> dict[str, str]:
    """Words that a translation must not keep, and what stands for them; the longest first."""
    localizer = derived.derivation.localizer
    terms = {
        word: localizer.pack.words[field][key]
        for field, known in localizer.source.words.items()
        for key, word in known.items()
        if " " in word or word in KEPT_NOWHERE
    }
    terms |= {
        source: term.target
        for term in store.terms.all()
        if term.mode == "prose" and term.domain in (None, derived.domain)
        for source in (term.source, *term.variants)
    }
    return {word.casefold(): terms[word] for word in sorted(terms, key=len, reverse=True)}


def built(store: Store, out: Path, name: str = "first", **order: Any) -> Built:
    """A release of the project."""
    return build.build(store, team(store).m, BuildOrder(name=name, out=out, **order))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its place."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def manifest(folder: Path) -> Any:
    """What a release says of itself."""
    return json.loads((folder / "MANIFEST.json").read_text("utf-8"))
