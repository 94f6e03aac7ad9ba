"""What a release says of itself: dataset card, attribution, and metadata for programs.

Source: Hugging Face dataset cards (front matter); Croissant 1.0 (MLCommons).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from review_app.config import data_text
from review_app.records.release import SideFile
from review_app.workflows.release.snapshot import File, Snapshot
from review_app.workflows.release.task_changes import groups
from review_app.workflows.release.words import words

CARD_LANGUAGES = ("en", "ja")
_UNKNOWN = "no licence file came with the source: ask its owners before you pass this on"
_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".md": "text/markdown",
    ".csv": "text/csv",
    ".toml": "application/toml",
    ".png": "image/png",
    ".tbx": "application/xml",
}
_CROISSANT_WORDS = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "jsonPath": "cr:jsonPath",
    "recordSet": "cr:recordSet",
    "source": "cr:source",
}


def licences(snapshot: Snapshot) -> Iterator[File]:
    """Yield the source's licence where it was imported, and an attribution in our own words."""
    files = _licence_files(snapshot)
    for file in files.values():
        snapshot.origins[file.place] = "copied"
        yield file.place, snapshot.store.side_files.content(file)
    listed = ", ".join(f"`{name}`" for name in files)
    licence = f"The source's own terms hold: {listed}." if files else f"Licence: {_UNKNOWN}."
    text = data_text("release", _template(snapshot, "attribution.md"))
    yield (
        "ATTRIBUTION.md",
        text.format(source=_source(snapshot), locale=snapshot.locale, licence=licence),
    )


def card(snapshot: Snapshot) -> Iterator[File]:
    """Yield README.md: front matter as Hugging Face reads it, then each language."""
    parts = [_front_matter(snapshot), f"# {snapshot.name}\n"]
    for language in CARD_LANGUAGES:
        say, check = words(language), snapshot.check
        parts.append(
            data_text("release", _template(snapshot, f"card.{language}.md")).format(
                name=snapshot.name,
                domains=", ".join(f"`{name}`" for name in _domain_names(snapshot)),
                locale=snapshot.locale,
                complete=say["complete" if check.ready else "incomplete"],
                variant=snapshot.first.variant.name,
                about=snapshot.first.variant.about,
                tasks=", ".join(
                    f"{snapshot.domain_name(derived.domain)} {groups(derived)['total']}"
                    for derived in snapshot.derived
                ),
                source=_source(snapshot),
                revision=snapshot.revision.number,
                date=snapshot.revision.at[:10],
                note=f"\n> {' '.join(snapshot.note.split())}\n" if snapshot.note else "",
            )
        )
    yield "README.md", "\n".join(part.rstrip("\n") + "\n" for part in parts)


def croissant(snapshot: Snapshot) -> Iterator[File]:
    """Yield croissant.json: every file with its hash, and the tasks of each domain as records."""
    description = f"{snapshot.first.variant.about} ({', '.join(_domain_names(snapshot))})"
    content = {
        "@context": _CROISSANT_WORDS,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": snapshot.name,
        "description": description,
        "version": str(snapshot.revision.number),
        "datePublished": snapshot.revision.at[:10],
        "inLanguage": [snapshot.locale],
        "license": _licence_name(snapshot),
        "isBasedOn": _source(snapshot),
        "distribution": [_file_object(place, sha) for place, sha in snapshot.files.items()],
        "recordSet": [
            _record_set(snapshot.domain_name(derived.domain), snapshot.folder(derived.domain))
            for derived in snapshot.derived
        ],
    }
    yield "croissant.json", json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _template(snapshot: Snapshot, name: str) -> str:
    """The file that says it of a localized release, or of the repaired source."""
    return f"source_{name}" if snapshot.first.variant.is_source else name


def _front_matter(snapshot: Snapshot) -> str:
    """YAML, all strings quoted as JSON has them: that is YAML too."""
    lines = ["---", "language:", f"- {json.dumps(snapshot.locale)}"]
    lines += [f"license: {json.dumps(_licence_name(snapshot))}"]
    lines += [f"pretty_name: {json.dumps(snapshot.name, ensure_ascii=False)}"]
    lines += ["task_categories:", '- "text-generation"', "tags:", '- "agent"', '- "tau2-bench"']
    lines += ["configs:"]
    for derived in snapshot.derived:
        tasks = (snapshot.folder(derived.domain) / "tasks.json").as_posix()
        lines += [f"- config_name: {json.dumps(snapshot.domain_name(derived.domain))}"]
        lines += [f"  data_files: {json.dumps(tasks)}"]
    return "\n".join([*lines, "---", ""])


def _domain_names(snapshot: Snapshot) -> list[str]:
    return [snapshot.domain_name(derived.domain) for derived in snapshot.derived]


def _licence_files(snapshot: Snapshot) -> dict[str, SideFile]:
    """The licence files of all domains by place; one of several that differ is enough."""
    files: dict[str, SideFile] = {}
    for derived in snapshot.derived:
        for file in snapshot.store.side_files.of(derived.domain):
            if file.role == "licence":
                files.setdefault(file.place, file)
    return files


def _licence_name(snapshot: Snapshot) -> str:
    """The licence as Hugging Face names it: `mit` or `apache-2.0`, else `other`."""
    texts = [
        snapshot.store.side_files.content(file).decode("utf-8", "replace")
        for file in _licence_files(snapshot).values()
    ]
    if any("MIT License" in text[:200] for text in texts):
        return "mit"
    return "apache-2.0" if any("Apache License" in text[:200] for text in texts) else "other"


def _source(snapshot: Snapshot) -> str:
    """What the release was made from, as far as the import could see it."""
    infos = {info.name: info for info in snapshot.store.documents.domains()}
    commits = sorted(
        {
            commit
            for derived in snapshot.derived
            if (commit := infos[derived.domain].report.get("commit"))
        }
    )
    return ", commit ".join(("files in the layout of tau2-bench", *commits))


def _file_object(place: str, sha256: str) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": place,
        "name": place,
        "contentUrl": place,
        "encodingFormat": _TYPES.get(PurePosixPath(place).suffix, "application/octet-stream"),
        "sha256": sha256,
    }


def _record_set(name: str, folder: PurePosixPath) -> dict[str, Any]:
    tasks = (folder / "tasks.json").as_posix()
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{member}",
                "name": member,
                "dataType": "sc:Text",
                "source": {"fileObject": {"@id": tasks}, "extract": {"jsonPath": f"$[*].{member}"}},
            }
            for member in ("id", "user_scenario", "evaluation_criteria")
        ],
    }
