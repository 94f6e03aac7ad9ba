"""The two hashes of a database, computed from what changed.

*Reference hash*: sha256 of `json.dumps(tree, sort_keys=True, default=str)` over the whole tree.
The bytes of the pristine tree are kept with a sha256 checkpoint every 64 KiB, so a changed tree is
hashed from the last checkpoint before its first change.

*Canonical hash*: the sum of one sha256 a record, with key order ignored and the lists that a
domain declares unordered sorted. Changing a record replaces its summand.

Source: hash recipe of the conformance records' README.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

RecordPath = tuple[Any, ...]
"""`("orders", "#W1")` or `("bills", 3)` is a record of a table, `("device",)` a single."""

encode = json.JSONEncoder(sort_keys=True, default=str).encode
"""JSON text of a value as the reference hashes it."""

_STRIDE = 1 << 16
_MODULUS = 1 << 256


def reference_hash(tree: Any) -> str:
    """The reference's hash of a whole tree; what the index below computes faster."""
    return hashlib.sha256(encode(tree).encode()).hexdigest()


class _Table:
    """Where the records of one table lie in the bytes of the pristine tree."""

    def __init__(self, is_list: bool, opened: int) -> None:
        self.is_list = is_list
        self.opened = opened
        self.keys: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def member(self, key: str | int, record: Any) -> bytes:
        text = encode(record)
        return (text if self.is_list else f"{encode(key)}: {text}").encode()

    def position(self, key: str | int) -> int:
        return bisect_left(self.keys, key)

    def holds(self, key: str | int) -> bool:
        at = self.position(key)
        return at < len(self.keys) and bool(self.keys[at] == key)


class HashIndex:
    """Bytes and checkpoints of a pristine tree, shared by every environment opened on it."""

    def __init__(self, tree: Mapping[str, Any], tables: tuple[str, ...]) -> None:
        self._tables: dict[str, _Table] = {}
        self._singles: dict[str, tuple[int, int]] = {}
        self._bytes = b"".join(self._serialize(tree, tables))
        self._offsets: list[int] = []
        self._checkpoints: list[Any] = []
        running = hashlib.sha256()
        for offset in range(0, len(self._bytes), _STRIDE):
            self._offsets.append(offset)
            self._checkpoints.append(running.copy())
            running.update(self._bytes[offset : offset + _STRIDE])
        self.pristine: str = running.hexdigest()

    def hash_with(self, changed: Mapping[RecordPath, Any]) -> str:
        """The reference hash of the pristine tree with these records replaced or added."""
        if not changed:
            return self.pristine
        edits = self._edits(changed)
        at = bisect_right(self._offsets, edits[0][0]) - 1
        running = self._checkpoints[at].copy()
        view, offset = memoryview(self._bytes), self._offsets[at]
        for start, end, text in edits:
            running.update(view[offset:start])
            running.update(text)
            offset = end
        running.update(view[offset:])
        return str(running.hexdigest())

    def _serialize(self, tree: Mapping[str, Any], tables: tuple[str, ...]) -> Iterator[bytes]:
        offset, before = 0, "{"
        for name in sorted(tree):
            head = f"{before}{encode(name)}: ".encode()
            yield head
            offset += len(head)
            if name in tables:
                for piece in self._serialize_table(name, tree[name], offset):
                    yield piece
                    offset += len(piece)
            else:
                body = encode(tree[name]).encode()
                self._singles[name] = (offset, offset + len(body))
                yield body
                offset += len(body)
            before = ", "
        yield b"}" if tree else b"{}"

    def _serialize_table(self, name: str, rows: Any, offset: int) -> Iterator[bytes]:
        is_list = isinstance(rows, list)
        table = self._tables[name] = _Table(is_list, offset + 1)
        yield b"[" if is_list else b"{"
        offset += 1
        for key, record in enumerate(rows) if is_list else sorted(rows.items()):
            if table.keys:
                yield b", "
                offset += 2
            piece = table.member(key, record)
            table.keys.append(key)
            table.starts.append(offset)
            offset += len(piece)
            table.ends.append(offset)
            yield piece
        yield b"]" if is_list else b"}"

    def _edits(self, changed: Mapping[RecordPath, Any]) -> list[tuple[int, int, bytes]]:
        edits: list[tuple[int, int, bytes]] = []
        added: dict[str, list[str | int]] = {}
        for path, record in changed.items():
            if len(path) == 1:
                edits.append((*self._singles[path[0]], encode(record).encode()))
                continue
            table = self._tables[path[0]]
            if table.holds(path[1]):
                at = table.position(path[1])
                edits.append((table.starts[at], table.ends[at], table.member(path[1], record)))
            else:
                added.setdefault(path[0], []).append(path[1])
        for name, keys in added.items():
            edits.extend(self._insertions(name, keys, changed))
        return sorted(edits, key=lambda edit: edit[:2])

    def _insertions(
        self, name: str, keys: list[Any], changed: Mapping[RecordPath, Any]
    ) -> Iterator[tuple[int, int, bytes]]:
        table = self._tables[name]
        gaps: dict[int, list[bytes]] = {}
        for key in sorted(keys):
            piece = table.member(key, changed[name, key])
            gaps.setdefault(table.position(key), []).append(piece)
        for at, pieces in gaps.items():
            text = b", ".join(pieces)
            if at < len(table.keys):
                yield table.starts[at], table.starts[at], text + b", "
            elif table.keys:
                yield table.ends[-1], table.ends[-1], b", " + text
            else:
                yield table.opened, table.opened, text


class CanonicalIndex:
    """Summands of the canonical hash of a pristine tree, one a record.

    Args:
        records: Every record of the tree by its path.
        unordered: Patterns of lists whose order means nothing, from the top of the tree:
            `reservations/*/passengers`; the name of a list table alone says that its rows have no
            order.
    """

    def __init__(self, records: Mapping[RecordPath, Any], unordered: frozenset[str]) -> None:
        self._unordered = unordered
        self._sorted_tables = {pattern.split("/")[0] for pattern in unordered}
        self._summands = {path: self._summand(path, record) for path, record in records.items()}
        self._total = sum(self._summands.values()) % _MODULUS

    def hash_with(self, changed: Mapping[RecordPath, Any]) -> str:
        """The canonical hash of the pristine tree with these records replaced or added."""
        total = self._total
        for path, record in changed.items():
            total += self._summand(path, record) - self._summands.get(path, 0)
        return f"{total % _MODULUS:064x}"

    def _summand(self, path: RecordPath, record: Any) -> int:
        name = path[0]
        if name in self._sorted_tables:
            pattern = name if len(path) == 1 else f"{name}/*"
            record = _canonical(record, pattern, self._unordered)
        place = [name] if len(path) == 1 or name in self._unordered else list(path)
        return int.from_bytes(hashlib.sha256(encode([place, record]).encode()).digest(), "big")


def _canonical(value: Any, pattern: str, unordered: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _canonical(member, f"{pattern}/{key}", unordered) for key, member in value.items()
        }
    if isinstance(value, list):
        members = [_canonical(member, f"{pattern}/*", unordered) for member in value]
        return sorted(members, key=encode) if pattern in unordered else members
    return value
