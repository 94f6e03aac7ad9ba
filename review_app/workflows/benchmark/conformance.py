"""Recorded answers of the reference against the environments, with the databases they were made on.

This is how a maintainer sees what changed upstream: record again, compare, read the differences.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review_app.core import conformance
from review_app.core.conformance import ConformanceReport
from review_app.core.envs import Pristine, environment_class, has_environment
from review_app.core.formats.structured import parse_structured
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.notices import Notice
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, files
from review_app.workflows.benchmark.environments import DATABASES, USER_DATABASES, Make, Playground

STEP = 25
"""Records between two reports of progress."""


@dataclass
class _Place:
    """Where the record stands that is being compared."""

    file: str = ""
    line: int = 0


def compare(
    store: Store | None, folder: Path, source: Path | None = None, *, progress: Progress = silent
) -> ConformanceReport:
    """How many recorded answers of the reference the environments give too.

    The databases are those of `source` if it is given: then the review database is not asked, and
    one that the records were not made with shows as a disagreement of their `meta` line. Otherwise
    they are those of the imported domains, which must have the hash of that line.

    Args:
        store: The review database; may be None where there is a `source`.
        folder: Holds `*.jsonl` files of records; they are read in the order of their names.
        source: A tau2-bench checkout, its `data/tau2`, or a domain folder.
        progress: Called every few records.

    Raises:
        BadInput: no records, a malformed one (names file and line), or a database that is missing
            or not the one of the records; says what to do.
    """
    records = list(_records(folder))
    playgrounds = {
        domain: _from_source(source, domain) if source else _imported(store, domain, records)
        for domain in dict.fromkeys(record["domain"] for _, record in records if "domain" in record)
        if has_environment(domain)
    }
    place = _Place()

    def walked() -> Iterator[Json]:
        for number, (at, record) in enumerate(records, 1):
            place.file, place.line = at.file, at.line
            yield record
            if number % STEP == 0 or number == len(records):
                progress(number, len(records), Path(at.file).name)

    try:
        return conformance.run(walked(), {name: known.open for name, known in playgrounds.items()})
    except BadInput as error:
        problem = error.problem
        if error.address:
            problem = Notice(
                "conformance.in_record",
                "record {record}: {problem}",
                record=error.address,
                problem=problem,
            )
        raise BadInput(problem, place.file, f"line {place.line}") from None


def records_of(folder: Path, domain: str) -> Iterator[Json]:
    """Yield the records of one domain, in file order. Raises BadInput as `compare`."""
    return (record for _, record in _records(folder) if record.get("domain") == domain)


def _records(folder: Path) -> Iterator[tuple[_Place, Json]]:
    if not folder.is_dir():
        raise BadInput(files.NO_FOLDER, str(folder))
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        problem = Notice("conformance.no_records", "holds no *.jsonl files of records")
        raise BadInput(problem, str(folder))
    for path in paths:
        for number, text in enumerate(files.read_text(path, folder).split("\n"), 1):
            if text.strip():
                yield _Place(str(path), number), _record(text, str(path), number)


def _record(text: str, file: str, number: int) -> Json:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = Notice("conformance.not_json", "not JSON: {problem}", problem=str(error))
        raise BadInput(problem, file, f"line {number}") from error
    names = [record.get(key, "") for key in ("kind", "domain")] if isinstance(record, dict) else [0]
    if not all(isinstance(name, str) for name in names):
        problem = Notice(
            "conformance.no_record", "a record must be an object whose kind and domain are text"
        )
        raise BadInput(problem, file, f"line {number}")
    whole: Json = record
    return whole


_ADVICE = Notice(
    "conformance.advice",
    "import the domain they were recorded with, or name its folder with --source",
)


def _imported(
    store: Store | None, domain: str, records: Sequence[tuple[_Place, Json]]
) -> Playground:
    """The imported domain, if its database is the one that the records were made with."""
    if store is None or domain not in environments.domains(store):
        problem = Notice(
            "conformance.not_imported",
            "the records need the database of {domain!r}, which is not imported: {advice}",
            domain=domain,
            advice=_ADVICE,
        )
        raise BadInput(problem)
    playground = environments.load(store, domain)
    states = playground.open().states()
    imported = {"agent": states[0].hash, "user": states[1].hash if states[1] else None}
    for place, record in records:
        recorded = record.get("pristine_hash")
        is_meta = record.get("domain") == domain and record.get("kind") == "meta"
        if is_meta and recorded != imported:
            problem = Notice(
                "conformance.other_database",
                "these records start from another {domain!r} database than the imported one "
                "(recorded {recorded: and }, imported {imported: and }): {advice}",
                domain=domain,
                recorded=_short(recorded),
                imported=_short(imported),
                advice=_ADVICE,
            )
            raise BadInput(problem, place.file, f"line {place.line}")
    return playground


def _short(hashes: Any) -> tuple[str, ...] | Notice:
    known = hashes.values() if isinstance(hashes, dict) else ()
    shown = tuple(str(value)[:12] for value in known if value)
    return shown or Notice("conformance.no_hash", "no hash")


def _from_source(source: Path, domain: str) -> Playground:
    """A domain straight from the benchmark's files."""
    folder, pack = files.read_source(source, domain), environments.english_pack(domain)
    kind = environment_class(domain)

    def state(names: Sequence[str], make: Make) -> Pristine | None:
        name = next((name for name in names if name in folder.files), None)
        if name is None:
            return None
        with files.naming(folder.path / name):
            return environments.loaded(make, parse_structured(name, folder.files[name]), pack)

    database = state(DATABASES, kind.load)
    if database is None:
        problem = Notice("conformance.no_database", "has no {names: or }", names=DATABASES)
        raise BadInput(problem, str(folder.path))
    return Playground(
        domain=domain, pack=pack, state=database, user_state=state(USER_DATABASES, kind.load_user)
    )
