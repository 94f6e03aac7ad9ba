"""Write a derived domain as files: the source's layout, and what the source has as code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from review_app.errors import BadInput
from review_app.records.review import Document
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, folder_swap
from review_app.workflows.benchmark import files as benchmark_files
from review_app.workflows.localization import entities, prompts
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.localization.entity_files import unwritable


def write(
    store: Store,
    domain: str,
    folder: Path,
    choice: DerivationChoice | None = None,
    *,
    progress: Progress = silent,
) -> Written:
    """Write a localized domain under `folder`/data/tau2, complete or not at all.

    Raises:
        BadInput: the folder holds something else, or cannot be written.
        NotFound: no such domain, variant or locale.
    """
    folder_swap.require_free(folder)
    entities.rows(store, domain)  # what is new gets its counterpart first: that is a write
    with store.read():
        derived = Derived(store, domain, choice)
        guides = _guides(store, derived)
    manifest = {"app_version": __version__, **described(derived)}
    try:
        files = folder_swap.publish(folder, _files(derived, guides, manifest, progress), manifest)
    except OSError as error:
        raise BadInput(unwritable(error), str(folder)) from error
    return Written(str(folder), manifest, files)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    folder: str
    manifest: Mapping[str, Any]
    files: Mapping[str, str]
    """Place -> SHA-256."""


def _files(
    derived: Derived, guides: Mapping[str, str], manifest: dict[str, Any], progress: Progress
) -> Iterator[tuple[str, str]]:
    """Yield place and text of every file; the manifest is told at the end what stands in."""
    root = Path("data") / "tau2" / benchmark_files.domain_place(derived.domain)
    for number, document in enumerate(derived.documents):
        progress(number, len(derived.documents), f"{derived.domain}/{document.file}")
        yield (root / document.file).as_posix(), file(derived, document)
    for name, text in extra_files(derived):
        yield (root / name).as_posix(), text
    shared = Path("data") / "tau2" / benchmark_files.domain_place(benchmark_files.SHARED_GUIDES)
    for name, text in guides.items():
        yield (shared / name).as_posix(), text
    manifest["stand_ins"] = [] if derived.variant.is_source else derived.stand_ins()
    progress(len(derived.documents), len(derived.documents), derived.domain)


def _guides(store: Store, derived: Derived) -> dict[str, str]:
    """The user simulator's guidelines as the variant has them, if they are imported."""
    names = {info.name for info in store.documents.domains()}
    if benchmark_files.SHARED_GUIDES not in names:
        return {}
    return {
        document.file: guide(store, derived, document)
        for document in store.documents.of(benchmark_files.SHARED_GUIDES)
    }


def file(derived: Derived, document: Document) -> str:
    """A file of the localized domain, in the layout of the source."""
    raw = derived.raw[document.file]
    if derived.variant.is_source:
        return raw
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


def described(derived: Derived) -> dict[str, Any]:
    """What a reader of the files must know: recipe, locale, seed, what they are made of."""
    return {
        "domain": derived.domain,
        "variant": derived.variant.name,
        "about": derived.variant.about,
        "scoring": derived.variant.scoring,
        "locale": derived.ground.locale.name,
        "seed": derived.seed,
        "texts": derived.choice.use,
        "assertions": derived.choice.assertions,
        "sources": {document.file: document.source_hash for document in derived.documents},
    }


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


def with_words(value: Any, localizer: Localizer) -> Any:
    """Tool schemas whose closed sets are the localizer's: `enum`, `const` and their `default`."""
    if isinstance(value, list):
        return [with_words(member, localizer) for member in value]
    if not isinstance(value, dict):
        return value
    closed = value.get("enum", [value["const"]] if "const" in value else [])
    words = _words_for(closed, localizer)
    worded: dict[str, Any] = {}
    for key, member in value.items():
        if words and key == "enum":
            worded[key] = [words.get(word, word) for word in member]
        elif words and key in ("const", "default"):
            worded[key] = words.get(member, member)
        else:
            worded[key] = with_words(member, localizer)
    return worded


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
