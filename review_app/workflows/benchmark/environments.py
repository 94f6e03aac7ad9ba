"""Run the tools of imported domains: gold actions and single calls.

Everything is read from the store: the English source of a domain's database and tasks, the texts of
its tools. What takes long to load (a database with its hash index) is kept by the hash of its file,
so a server loads it once and every environment shares it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from review_app.config import data_folder
from review_app.core import formats
from review_app.core.envs import (
    Environment,
    Pristine,
    Requestor,
    environment_class,
    has_environment,
    open_environment,
)
from review_app.core.envs.schema import ToolSchema, tool_schemas
from review_app.core.formats.structured import parse_structured
from review_app.core.locale.pack import Pack, parse_pack
from review_app.core.tasks import statediff
from review_app.core.tasks.replay import Replay, prepared, replay, replay_task
from review_app.errors import NotFound
from review_app.json_types import Json
from review_app.notices import Notice
from review_app.records.review import Document
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark.files import naming

Make = Callable[[Json, Pack], Pristine]

DATABASES = ("db.json", "db.toml")
USER_DATABASES = ("user_db.json", "user_db.toml")
TASKS = "tasks.json"
TOOLS: Mapping[Requestor, str] = {"assistant": "tools.json", "user": "user_tools.json"}

KEPT = 32
"""Parsed files kept in memory; a domain has four to six."""
LISTED = 10
"""Task ids that are named where one is unknown."""


@dataclass(frozen=True, slots=True)
class Playground:
    """A domain whose tools can be run. Opening an environment costs microseconds."""

    domain: str
    pack: Pack
    state: Pristine
    user_state: Pristine | None

    def open(self) -> Environment:
        """A fresh environment."""
        return open_environment(self.domain, self.state, self.pack, self.user_state)


@dataclass(frozen=True, slots=True)
class GoldTask:
    """A task and the file it stands in."""

    file: str
    task: Json


# -- loading -----------------------------------------------------------------------------------


@lru_cache
def english_pack(domain: str) -> Pack:
    """The identity pack of a domain, from all files of `data/locales/en` named after it."""
    return parse_pack(_pack_texts(data_folder() / "locales" / "en", domain))


@lru_cache
def packs(domain: str) -> tuple[Pack, ...]:
    """The packs of a domain in every language there is, the English one first."""
    english = english_pack(domain)
    texts = [
        _pack_texts(folder, domain) for folder in sorted((data_folder() / "locales").iterdir())
    ]
    return (english, *(parse_pack(known, english) for known in texts if known))


def _pack_texts(folder: Path, domain: str) -> dict[str, str]:
    files = sorted(folder.glob(f"{domain}*.toml"))
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def domains(store: Store) -> list[str]:
    """The imported domains whose tools can be run."""
    return [
        info.name
        for info in store.documents.domains()
        if has_environment(info.name)
        and any(document.file in DATABASES for document in store.documents.of(info.name))
    ]


def load(store: Store, domain: str) -> Playground:
    """An imported domain, ready to open environments.

    Raises:
        NotFound: not imported, no environment for it, or imported without a database.
        BadInput: the database is broken; names its file.
    """
    store.documents.require(domain)
    kind, pack, files = environment_class(domain), english_pack(domain), _files(store, domain)
    database, user_database = _one_of(files, DATABASES), _one_of(files, USER_DATABASES)
    if database is None:
        raise NotFound(
            "benchmark.imported_without",
            "domain {domain!r} was imported without {names: or }: add it, import again",
            domain=domain,
            names=DATABASES,
        )

    def state(document: Document, make: Make) -> Pristine:
        pristine: Pristine = _kept(store, document, lambda value: loaded(make, value, pack))
        return pristine

    return Playground(
        domain=domain,
        pack=pack,
        state=state(database, kind.load),
        user_state=state(user_database, kind.load_user) if user_database else None,
    )


def database(store: Store, domain: str) -> Json:
    """The agent's database of a domain as plain JSON; empty if none was imported."""
    return next(iter(plain_databases(store, domain, DATABASES).values()), {})


def plain_databases(store: Store, domain: str, names: Sequence[str]) -> dict[str, Json]:
    """The database of one side, under the name of its file; empty if none was imported."""
    document = _one_of(_files(store, domain), names)
    if document is None:
        return {}
    value = _kept(store, document, lambda parsed: parsed, "plain")
    return {document.file: value} if isinstance(value, dict) else {}


def tasks(store: Store, domain: str) -> dict[str, GoldTask]:
    """Tasks by id: those of `tasks.json`, then what other task files add.

    Raises:
        BadInput: a task file is broken.
    """
    by_id: dict[str, GoldTask] = {}
    files = [document for document in store.documents.of(domain) if document.kind == "task"]
    for document in sorted(files, key=lambda document: document.file != TASKS):
        for task in _kept(store, document, lambda value: value):
            by_id.setdefault(str(task["id"]), GoldTask(document.file, task))
    return by_id


def schemas(store: Store, domain: str) -> dict[Requestor, list[ToolSchema]]:
    """Function schemas of each side's tools, described by the imported tool texts.

    Raises:
        NotFound: the domain has no environment.
    """
    kind, files = environment_class(domain), _files(store, domain)
    texts = {side: _tool_texts(store, files.get(file)) for side, file in TOOLS.items()}
    pack = english_pack(domain)
    return {side: tool_schemas(kind, pack, side, known) for side, known in texts.items()}


def _tool_texts(store: Store, document: Document | None) -> dict[str, str]:
    if document is None:
        return {}
    units = formats.units(document.file, store.documents.texts(document.id)[0])
    return {unit.address: unit.text for unit in units}


def _files(store: Store, domain: str) -> dict[str, Document]:
    return {document.file: document for document in store.documents.of(domain)}


def _one_of(files: Mapping[str, Document], names: Sequence[str]) -> Document | None:
    return next((files[name] for name in names if name in files), None)


def loaded(make: Make, value: Json, pack: Pack) -> Pristine:
    """A database in its shape, with its hash index. Raises BadInput."""
    state = make(value, pack)
    assert state.hashes  # built now, so that all who share the state share its index
    return state


def _content_key(
    store: Store, document: Document, make: Callable[[Any], Any], use: str = "loaded"
) -> tuple[str, ...]:
    """What a file's content and its use are known by, whichever the database."""
    return (document.domain, document.file, document.source_hash, use)


@cached(LRUCache(KEPT), key=_content_key, lock=Lock())
def _kept(store: Store, document: Document, make: Callable[[Any], Any], use: str = "loaded") -> Any:
    """What is made of a file's content for a use; made once and kept while it is asked for."""
    name = f"{document.domain}/{document.file}"
    with naming(name):
        return make(parse_structured(name, store.documents.texts(document.id)[0]))


# -- replay ------------------------------------------------------------------------------------


def replay_domain(
    store: Store,
    domain: str,
    task_id: str | None = None,
    *,
    known: Mapping[str, GoldTask] | None = None,
    progress: Progress = silent,
) -> list[Replay]:
    """What the gold actions of every task do, each on a fresh environment.

    Args:
        store: Where the domain is imported.
        domain: Its name.
        task_id: Only this task, of any task file; without it all of `tasks.json`.
        known: The tasks, with their repairs for example; as imported if they are not given.
        progress: Called after each task.

    Raises:
        NotFound: no such domain or task; says what there is.
        BadInput: the database is broken, or a task's own initial state fails.
    """
    playground = load(store, domain)
    known = tasks(store, domain) if known is None else known
    chosen = [gold for gold in known.values() if gold.file == TASKS]
    if task_id is not None:
        chosen = [_task(known, domain, task_id)]
    replays = []
    for number, gold in enumerate(chosen, 1):
        with naming(f"{domain}/{gold.file}"):
            replays.append(replay_task(playground.open(), gold.task))
        progress(number, len(chosen), replays[-1].task_id)
    return replays


def play(store: Store, domain: str, task_id: str | None, calls: Sequence[Json]) -> Replay:
    """What calls do, one after the other, from a task's initial state or the pristine database.

    Args:
        store: Where the domain is imported.
        domain: Its name.
        task_id: Whose initial state; None for none.
        calls: `{"name", "arguments", "requestor"}` each.

    Raises:
        NotFound, BadInput: as `replay_domain`.
    """
    environment = load(store, domain).open()
    if task_id is not None:
        gold = _task(tasks(store, domain), domain, task_id)
        with naming(f"{domain}/{gold.file}"):
            environment = prepared(environment, gold.task)
    return replay(environment, calls, task_id or "")


def lines(played: Replay) -> Iterator[str]:
    """A replay for people: a line for each step, one for each value it changed, the hashes."""
    yield f"task {_one_line(played.task_id)}"
    for number, step in enumerate(played.steps, 1):
        side = "user" if step.requestor == "user" else "agent"
        end = "ok" if step.ok else f"refused: {step.error}"
        yield _one_line(f"  {number} {side} {call_text(step.name, step.arguments)}: {end}")
        for change in statediff.changes(step.before, step.after):
            yield _one_line(f"      {statediff.line(change)}")
    hashes = {"agent": played.agent_db_hash, "user": played.user_db_hash}
    yield "  " + ", ".join(f"{side} {value}" for side, value in hashes.items() if value)


def call_text(name: str, arguments: Any) -> str:
    """A call as people write it: `get_user_details(user_id="ann_1")`."""
    if not isinstance(arguments, Mapping):
        return f"{name}({json.dumps(arguments, ensure_ascii=False)})"
    given = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return f"{name}({', '.join(given)})"


def _one_line(content: str) -> str:
    """Text for a terminal: what is not printable, line ends too, as its escape."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in content)


def _task(known: Mapping[str, GoldTask], domain: str, task_id: str) -> GoldTask:
    if task_id in known:
        return known[task_id]
    listed = tuple(known)[:LISTED]
    if len(known) > LISTED:
        raise NotFound(
            "task.unknown_of_many",
            "domain {domain!r} has no task {task!r}; there are: {known!r} and {more} more",
            domain=domain,
            task=task_id,
            known=listed,
            more=len(known) - LISTED,
        )
    raise NotFound(
        "task.unknown",
        "domain {domain!r} has no task {task!r}; there are: {known!r}",
        domain=domain,
        task=task_id,
        known=listed or Notice("task.none", "none"),
    )
