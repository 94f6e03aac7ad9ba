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
    found = list(_records(folder))
    playgrounds = {
        domain: _from_source(source, domain) if source else _imported(store, domain, found)
        for domain in dict.fromkeys(record["domain"] for _, record in found if "domain" in record)
        if has_environment(domain)
    }
    place = _Place()

    def walked() -> Iterator[Json]:
        for number, (at, record) in enumerate(found, 1):
            place.file, place.line = at.file, at.line
            yield record
            if number % STEP == 0 or number == len(found):
                progress(number, len(found), Path(at.file).name)

    try:
        return conformance.run(walked(), {name: each.open for name, each in playgrounds.items()})
    except BadInput as error:
        known = f"record {error.address}: " if error.address else ""
        raise BadInput(f"{known}{error.problem}", place.file, f"line {place.line}") from None


def records_of(folder: Path, domain: str) -> Iterator[Json]:
    """Yield the records of one domain, in file order. Raises BadInput as `compare`."""
    return (record for _, record in _records(folder) if record.get("domain") == domain)


def _records(folder: Path) -> Iterator[tuple[_Place, Json]]:
    if not folder.is_dir():
        raise BadInput("is not a folder", str(folder))
    paths = sorted(folder.glob("*.jsonl"))
    if not paths:
        raise BadInput("holds no *.jsonl files of records", str(folder))
    for path in paths:
        for number, text in enumerate(files.read_text(path, folder).split("\n"), 1):
            if text.strip():
                yield _Place(str(path), number), _record(text, str(path), number)


def _record(text: str, file: str, number: int) -> Json:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}", file, f"line {number}") from error
    names = [record.get(key, "") for key in ("kind", "domain")] if isinstance(record, dict) else [0]
    if not all(isinstance(name, str) for name in names):
        problem = "a record must be an object whose kind and domain are text"
        raise BadInput(problem, file, f"line {number}")
    whole: Json = record
    return whole


def _imported(store: Store | None, domain: str, found: Sequence[tuple[_Place, Json]]) -> Playground:
    """The imported domain, if its database is the one that the records were made with."""
    advice = "import the domain they were recorded with, or name its folder with --source"
    if store is None or domain not in environments.domains(store):
        raise BadInput(
            f"the records need the database of {domain!r}, which is not imported: {advice}"
        )
    playground = environments.load(store, domain)
    states = playground.open().states()
    got = {"agent": states[0].hash, "user": states[1].hash if states[1] else None}
    for place, record in found:
        wanted = record.get("pristine_hash")
        if record.get("domain") == domain and record.get("kind") == "meta" and wanted != got:
            raise BadInput(
                f"these records start from another {domain!r} database than the imported one "
                f"(recorded {_short(wanted)}, imported {_short(got)}): {advice}",
                place.file,
                f"line {place.line}",
            )
    return playground


def _short(hashes: Any) -> str:
    known = hashes.values() if isinstance(hashes, dict) else ()
    return " and ".join(str(each)[:12] for each in known if each) or "no hash"


def _from_source(source: Path, domain: str) -> Playground:
    """A domain straight from the benchmark's files."""
    found, pack = files.read_source(source, domain), environments.english_pack(domain)
    made = environment_class(domain)

    def state(names: Sequence[str], make: Make) -> Pristine | None:
        name = next((each for each in names if each in found.files), None)
        if name is None:
            return None
        with environments.naming(str(found.path / name)):
            return environments.loaded(make, parse_structured(name, found.files[name]), pack)

    database = state(DATABASES, made.load)
    if database is None:
        raise BadInput(f"has no {' or '.join(DATABASES)}", str(found.path))
    return Playground(
        domain=domain, pack=pack, state=database, user_state=state(USER_DATABASES, made.load_user)
    )
