"""Write derived domains as files: the source's layout, and what the source has as code.

A folder has one recipe; a later call may add a domain to it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from review_app import __version__
from review_app.config import data_folder, data_text
from review_app.core import formats
from review_app.core.envs import environment_class
from review_app.core.envs.schema import tool_schemas
from review_app.core.formats.structured import parse_structured
from review_app.core.formats.toml_text import write_toml
from review_app.core.localize.values import Localizer
from review_app.errors import BadInput, ExportBlocked
from review_app.json_types import Json
from review_app.models import Segment
from review_app.notices import Notice
from review_app.records.review import Document
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, folder_swap
from review_app.workflows.benchmark import files as benchmark_files
from review_app.workflows.localization import entities, prompts
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.localization.entity_files import unwritable

TAU2 = Path("data") / "tau2"
GUIDES = benchmark_files.SHARED_GUIDES


def write(
    store: Store,
    domains: Sequence[str],
    folder: Path,
    choice: DerivationChoice | None = None,
    *,
    allow_incomplete: bool = False,
    progress: Progress = silent,
) -> Written:
    """Write localized domains under `folder`/data/tau2, complete or not at all.

    Other domains that an earlier call wrote there stay as they are.

    Args:
        store: The review database.
        domains: Imported domains, at least one.
        folder: Where.
        choice: Variant, locale, seed, and which translations count.
        allow_incomplete: Let the adapted source stand in where there is no such translation.
        progress: Called file by file.

    Raises:
        ExportBlocked: texts have no translation that counts.
        BadInput: the folder holds something else or another recipe, or cannot be written.
        NotFound: no such domain, variant or locale.
    """
    folder_swap.require_free(folder)
    names = list(dict.fromkeys(domains))
    for domain in names:
        entities.rows(store, domain)  # what is new gets its counterpart first: that is a write
    with store.read():
        derived = [Derived(store, domain, choice) for domain in names]
        guides = _guides(store, derived[0])
        untranslated = _untranslated_guides(store, derived[0])
    stand_ins = {domain.domain: _stand_ins(domain) for domain in derived}
    missing = [line for domain in derived for line in _missing(domain, stand_ins[domain.domain])]
    missing += [f"{GUIDES}/{segment.address}: {segment.state}" for segment in untranslated]
    if missing and not allow_incomplete:
        raise ExportBlocked(missing)
    kept = _kept(folder, names, recipe(derived[0]))
    contents = {
        **kept.domains,
        **{
            domain.domain: {"sources": sources(domain), "stand_ins": stand_ins[domain.domain]}
            for domain in derived
        },
    }
    manifest = {
        "app_version": __version__,
        **recipe(derived[0]),
        "complete": not untranslated and not any(about["stand_ins"] for about in contents.values()),
        "domains": contents,
        GUIDES: {"stand_ins": [segment.address for segment in untranslated]},
    }
    try:
        texts = chain(kept.files, _files(derived, guides, progress))
        files = folder_swap.publish(folder, texts, manifest)
    except OSError as error:
        raise BadInput(unwritable(error), str(folder)) from error
    return Written(str(folder), manifest, files)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    folder: str
    manifest: Mapping[str, Any]
    files: Mapping[str, str]
    """Place -> SHA-256, of all domains in the folder."""


def _stand_ins(derived: Derived) -> list[str]:
    return [] if derived.variant.is_source else derived.stand_ins()


def _missing(derived: Derived, stand_ins: Sequence[str]) -> list[str]:
    """A line for each text that has no translation to take: address, and the state it is in."""
    states = {segment.address: segment.state for segment in derived.segments}
    return [
        f"{derived.domain}/{address}: {states.get(address, 'not translated')}"
        for address in stand_ins
    ]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What stays of an earlier call: domains of the manifest, and their files."""

    domains: Mapping[str, Any]
    files: Sequence[tuple[str, str]]


def _kept(folder: Path, domains: Collection[str], wanted: Mapping[str, Any]) -> _Kept:
    """The other domains of a folder.

    Raises:
        BadInput: they are of another recipe, or a file of theirs was changed by hand.
    """
    manifest = folder_swap.manifest(folder)
    others = {
        domain: about
        for domain, about in manifest.get("domains", {}).items()
        if domain not in domains
    }
    differing = [name for name, value in wanted.items() if manifest.get(name) != value]
    if others and differing:
        problem = Notice(
            "localization.other_recipe",
            "holds {domains} with another {setting} ({earlier}): name another folder",
            domains=tuple(others),
            setting=differing[0],
            earlier=str(manifest.get(differing[0])),
        )
        raise BadInput(problem, str(folder))
    places = [f"{(TAU2 / benchmark_files.domain_place(domain)).as_posix()}/" for domain in others]
    files = [
        (place, folder_swap.unchanged(folder, place, digest))
        for place, digest in manifest.get("files", {}).items()
        if place.startswith(tuple(places))
    ]
    return _Kept(others, files)


def _files(
    derived: Sequence[Derived], guides: Mapping[str, str], progress: Progress
) -> Iterator[tuple[str, str]]:
    """Yield place and text of every file."""
    for domain in derived:
        root = TAU2 / benchmark_files.domain_place(domain.domain)
        for number, document in enumerate(domain.documents):
            progress(number, len(domain.documents), f"{domain.domain}/{document.file}")
            yield (root / document.file).as_posix(), file(domain, document)
        for name, text in extra_files(domain):
            yield (root / name).as_posix(), text
        progress(len(domain.documents), len(domain.documents), domain.domain)
    shared = TAU2 / benchmark_files.domain_place(GUIDES)
    for name, text in guides.items():
        yield (shared / name).as_posix(), text


def _guides(store: Store, derived: Derived) -> dict[str, str]:
    """The user simulator's guidelines as the variant has them, if they are imported."""
    return {document.file: guide(store, derived, document) for document in _guide_documents(store)}


def _guide_documents(store: Store) -> list[Document]:
    names = {info.name for info in store.documents.domains()}
    return store.documents.of(GUIDES) if GUIDES in names else []


def _untranslated_guides(store: Store, derived: Derived) -> list[Segment]:
    """Texts of the guidelines that the variant wants translated, and that are not."""
    if derived.derivation.side("guideline") != "target":
        return []
    return [
        segment
        for document in _guide_documents(store)
        for segment in store.segments.of_document(document.id)
        if derived.standing(segment).stands_in
    ]


def file(derived: Derived, document: Document) -> str:
    """A file of the localized domain, in the layout of the source."""
    raw = derived.raw[document.file]
    if derived.variant.is_source:
        is_task = document.kind == "task"
        return derived.repaired_text(document.file) if is_task else raw
    if document.kind == "task":
        return _written(
            [localized.task for localized in derived.localized_tasks(document.file)], raw
        )
    if document.file in environments.DATABASES:
        return _written(derived.database, raw, document.file)
    if document.file in environments.USER_DATABASES:
        return _written(derived.user_database, raw, document.file)
    if document.file in environments.TOOLS.values():
        return _tools(derived, document, raw)
    if document.kind == "message":
        return _written(dict(derived.derivation.localizer.pack.messages), raw)
    return _rendered(derived, document, raw)


def _rendered(derived: Derived, document: Document, raw: str) -> str:
    targets = {
        segment.address: derived.texts[segment.address].text
        for segment in derived.segments
        if segment.file == document.file
    }
    fields = benchmark_files.domain_fields(derived.domain)
    return formats.render(document.file, raw, None, targets, fields)


def _tools(derived: Derived, document: Document, raw: str) -> str:
    """The imported schemas: texts as any other file's, closed sets as the pack has them."""
    targets = {
        segment.address: derived.texts[segment.address].text
        for segment in derived.segments
        if segment.file == document.file and "/enum/" not in segment.address
    }
    rendered = formats.render(document.file, raw, None, targets, formats.NO_FIELDS)
    tools = parse_structured(document.file, rendered)
    return _written(with_words(tools, derived.derivation.localizer), raw)


def extra_files(derived: Derived) -> Iterator[tuple[str, str]]:
    """Yield name and text of what the source has as code: tool schemas, messages, prompt."""
    pack, environment = derived.derivation.localizer.pack, environment_class(derived.domain)
    for side, file in environments.TOOLS.items():
        schemas = tool_schemas(environment, pack, side)
        if schemas and file not in derived.raw:
            yield file, json.dumps(schemas, ensure_ascii=False, indent=2) + "\n"
    if "messages.json" not in derived.raw:
        messages = json.dumps(dict(pack.messages), ensure_ascii=False, indent=2)
        yield "messages.json", f"{messages}\n"
    yield "agent_prompt.md", _prompt(derived)


def guide(store: Store, derived: Derived, document: Document) -> str:
    """A guideline of the user simulator; a source one says which language to speak."""
    raw = store.documents.texts(document.id)[0]
    if derived.derivation.side("guideline") == "target":
        targets = {
            segment.address: derived.standing(segment).text
            for segment in store.segments.of_document(document.id)
        }
        return formats.render(document.file, raw, None, targets, formats.NO_FIELDS)
    if derived.variant.texts == "source":
        return raw
    speak = data_text("prompts", "run", "en", "speak.md")
    language = prompts.language_name(derived.ground.locale.name)
    return f"{raw.rstrip()}\n\n{speak.format(language=language)}"


def recipe(derived: Derived) -> dict[str, Any]:
    """How all domains of a folder are made: variant, locale, seed, which texts."""
    return {
        "variant": derived.variant.name,
        "about": derived.variant.about,
        "scoring": derived.variant.scoring,
        "locale": derived.ground.locale.name,
        "seed": derived.seed,
        "texts": derived.choice.use,
        "assertions": derived.choice.assertions,
    }


def sources(derived: Derived) -> dict[str, str]:
    """The imported files that a domain is made of, with their hashes."""
    return {document.file: document.source_hash for document in derived.documents}


def _prompt(derived: Derived) -> str:
    """The agent's system prompt, with a place for the policy."""
    language = derived.ground.locale.name if derived.variant.texts == "target" else "en"
    return agent_prompt(language, json_instruction=derived.variant.json_instruction)


def agent_prompt(language: str, *, json_instruction: bool) -> str:
    """The agent's system prompt in a language; `{policy}` is left for the policy.

    Where the language has no prompt the English one is taken.
    """
    folder = data_folder() / "prompts" / "run"
    language = language if (folder / language / "agent.md").is_file() else "en"
    prompt = data_text("prompts", "run", language, "agent.md")
    extra = data_text("prompts", "run", language, "json_instruction.md").strip()
    return prompt.replace("{json_instruction}", f"\n{extra}" if json_instruction else "")


def with_words(value: Any, localizer: Localizer, defs: Any = None) -> Any:
    """Tool schemas whose closed sets are the localizer's: `enum`, `const` and their `default`.

    Args:
        value: A tools file, or a schema in one.
        localizer: Knows the words here of each closed set.
        defs: The definitions that a `$ref` in the schema names.
    """
    if isinstance(value, list):
        return [with_words(member, localizer, defs) for member in value]
    if not isinstance(value, dict):
        return value
    defs = value.get("$defs", defs)
    words = _words_for(_closed_set(value), localizer)
    worded: dict[str, Any] = {}
    for key, member in value.items():
        if words and key == "enum":
            worded[key] = [words.get(word, word) for word in member]
        elif words and key == "const":
            worded[key] = words.get(member, member)
        elif key == "default" and isinstance(member, str):
            worded[key] = _default_words(value, localizer, defs).get(member, member)
        else:
            worded[key] = with_words(member, localizer, defs)
    return worded


def _default_words(schema: Json, localizer: Localizer, defs: Any) -> Mapping[str, str]:
    """The words of the closed set that a default is of: its own, one of `anyOf`, or a `$ref`'s."""
    choices = schema.get("anyOf")
    for choice in [schema, *(choices if isinstance(choices, list) else [])]:
        if isinstance(choice, dict):
            name = str(choice.get("$ref")).removeprefix("#/$defs/")
            referred = defs.get(name) if isinstance(defs, dict) else None
            closed = _closed_set(referred if isinstance(referred, dict) else choice)
            if words := _words_for(closed, localizer):
                return words
    return {}


def _closed_set(schema: Json) -> Any:
    return schema.get("enum", [schema["const"]] if "const" in schema else [])


def _words_for(closed: Any, localizer: Localizer) -> Mapping[str, str]:
    """The word field that a closed set is of, as source value -> value here."""
    for field, known in localizer.source.words.items():
        if closed and isinstance(closed, list) and set(map(str, closed)) <= set(known.values()):
            return {here: localizer.pack.word(field, key) for key, here in known.items()}
    return {}


def _written(value: Any, like: str, file: str = ".json") -> str:
    """Plain data in the form of the file it stands for: TOML, or JSON with its indentation."""
    if file.endswith(".toml"):
        return write_toml(value)
    lines = like.split("\n", 2)
    second = lines[1] if len(lines) > 1 else ""
    indent = len(second) - len(second.lstrip(" ")) or None
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text + ("\n" if like.endswith("\n") else "")
