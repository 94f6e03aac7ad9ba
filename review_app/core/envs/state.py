"""Database states that share what they have in common.

`Pristine` is a loaded tree, never written. `State` is a pristine tree and the records that differ
from it: immutable, so keeping one is a snapshot. `StateDraft` is what tools read and write; it
copies a record the first time it is edited after a snapshot.

A tree has *tables* (an object of records by id, or a list of records) and *singles* (any other
value).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from review_app.core.envs.hashing import CanonicalIndex, HashIndex, RecordPath

Record = dict[str, Any]


class Pristine:
    """A loaded database that any number of environments share.

    Args:
        tree: Plain JSON in the shape that is hashed: every field present, defaults included. It is
            kept, not copied: do not change it afterwards.
        tables: Names of the top-level values whose members are records.
        unordered: Lists whose order means nothing, as in `hashing.CanonicalIndex`.
    """

    def __init__(
        self,
        tree: Mapping[str, Any],
        tables: tuple[str, ...] = (),
        unordered: frozenset[str] = frozenset(),
    ) -> None:
        self.tree = tree
        self.tables = tables
        self._unordered = unordered

    @cached_property
    def hashes(self) -> HashIndex:
        """Index for the reference hash; built on first use."""
        return HashIndex(self.tree, self.tables)

    @cached_property
    def canonical(self) -> CanonicalIndex:
        """Index for the canonical hash; built on first use."""
        return CanonicalIndex(dict(self._records()), self._unordered)

    def find(self, path: RecordPath) -> Any:
        """The record at a path, or None. Read only."""
        rows = self.tree.get(path[0])
        if len(path) == 1:
            return rows
        if isinstance(rows, list):
            key = path[1]
            return rows[key] if isinstance(key, int) and 0 <= key < len(rows) else None
        return rows.get(path[1]) if isinstance(rows, dict) else None

    def _records(self) -> Iterator[tuple[RecordPath, Any]]:
        for name, rows in self.tree.items():
            if name not in self.tables:
                yield (name,), rows
            else:
                for key, record in enumerate(rows) if isinstance(rows, list) else rows.items():
                    yield (name, key), record


class State:
    """One immutable moment of a database: a pristine tree and what differs from it."""

    def __init__(self, pristine: Pristine, changed: Mapping[RecordPath, Any] | None = None) -> None:
        self.pristine = pristine
        self.changed: Mapping[RecordPath, Any] = changed or {}

    @cached_property
    def hash(self) -> str:
        """The reference's sha256, 64 hex digits."""
        return self.pristine.hashes.hash_with(self.changed)

    @cached_property
    def canonical_hash(self) -> str:
        """64 hex digits that ignore key order and order where order means nothing."""
        return self.pristine.canonical.hash_with(self.changed)

    def find(self, path: RecordPath) -> Any:
        """The record at a path, or None. Read only."""
        return self.changed[path] if path in self.changed else self.pristine.find(path)

    def touched_since(self, before: State) -> tuple[RecordPath, ...]:
        """Paths of the records edited or added between two moments of one environment."""
        old = before.changed
        return tuple(
            path for path, record in self.changed.items() if old.get(path, self) is not record
        )

    def tree(self) -> dict[str, Any]:
        """The whole database as plain JSON. Shares its records: read only."""
        whole: dict[str, Any] = {
            name: (list(rows) if isinstance(rows, list) else dict(rows))
            if name in self.pristine.tables
            else rows
            for name, rows in self.pristine.tree.items()
        }
        for path, record in self.changed.items():
            if len(path) == 1:
                whole[path[0]] = record
            elif isinstance(whole[path[0]], list) and path[1] == len(whole[path[0]]):
                whole[path[0]].append(record)
            else:
                whole[path[0]][path[1]] = record
        return whole


class StateDraft:
    """The database as tools see it while they run: reads are shared, edits are private copies."""

    def __init__(self, state: State) -> None:
        self.restore(state)

    def restore(self, state: State) -> None:
        """Go back (or over) to a state of the same pristine tree."""
        self._state = state
        self._changed: dict[RecordPath, Any] = dict(state.changed)
        self._private: set[RecordPath] = set()

    def freeze(self) -> State:
        """The present moment; cheap, and the same object until something is edited."""
        if self._private:
            self._state = State(self._state.pristine, dict(self._changed))
            self._private.clear()
        return self._state

    def find(self, table: str, key: Any) -> Any:
        """A record of a table, or None; read only. A key that cannot be hashed raises TypeError."""
        return self._at((table, key))

    def rows(self, table: str) -> Iterator[tuple[Any, Any]]:
        """Key and record of every row, in file order, added rows last; read only."""
        rows = self._state.pristine.tree[table]
        changed = {path[1]: row for path, row in self._changed.items() if path[0] == table}
        for key, record in enumerate(rows) if isinstance(rows, list) else rows.items():
            yield key, changed.pop(key, record) if changed else record
        yield from changed.items()

    def edit(self, table: str, key: Any) -> Record:
        """A record that may be changed in place. It must exist."""
        return self._own((table, key))

    def add(self, table: str, key: str, record: Record) -> None:
        """A new row (or a whole row replaced) under a key."""
        self._put((table, key), record)

    def append(self, table: str, record: Record) -> None:
        """A new row at the end of a list table."""
        self._put((table, sum(1 for _ in self.rows(table))), record)

    def single(self, name: str) -> Any:
        """A top-level value that is no table; read only."""
        return self._at((name,))

    def edit_single(self, name: str) -> Record:
        """A top-level value that is no table, to be changed in place."""
        return self._own((name,))

    def _at(self, path: Any) -> Any:
        changed = self._changed.get(path)
        return self._state.pristine.find(path) if changed is None else changed

    def _own(self, path: Any) -> Record:
        if path not in self._private:
            self._put(path, copied(self._at(path)))
        record: Record = self._changed[path]
        return record

    def _put(self, path: Any, record: Any) -> None:
        self._changed[path] = record
        self._private.add(path)


def copied(value: Any) -> Any:
    """A deep copy of plain JSON."""
    if isinstance(value, dict):
        return {key: copied(member) for key, member in value.items()}
    if isinstance(value, list):
        return [copied(member) for member in value]
    return value
