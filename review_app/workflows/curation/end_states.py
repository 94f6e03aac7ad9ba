"""Where the databases end under old and new gold actions, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from review_app import json_paths
from review_app.core.tasks.replay import Replay
from review_app.core.tasks.statediff import Side, StateChange
from review_app.json_types import JsonPath


@dataclass(frozen=True, slots=True)
class EndRow:
    """One field of a database: where it starts and where it ends under old and new gold."""

    side: Side
    record: str
    """For people: `reservation XEHM4B`."""
    field: str
    """Inside the record: `flights/0/price`; empty for the record itself."""
    start: Any
    old_end: Any
    new_end: Any

    @property
    def differs(self) -> bool:
        """Whether old and new gold end differently here."""
        return bool(self.old_end != self.new_end)


def end_rows(old: Replay | None, new: Replay | None) -> Iterator[EndRow]:
    """Yield every field that one of two replays changes, record by record."""
    was, now = _by_place(old), _by_place(new)
    rows = sorted({**now, **was}.items(), key=lambda item: (item[0][0], item[1].record))
    for key, change in rows:
        yield EndRow(
            side=change.side,
            record=change.record,
            field=change.field,
            start=change.old,
            old_end=_end(was, key, change.old),
            new_end=_end(now, key, change.old),
        )


def _by_place(replay: Replay | None) -> dict[tuple[Side, JsonPath], StateChange]:
    return {(change.side, change.pointer): change for change in (replay.changes if replay else ())}


def _end(
    changes: Mapping[tuple[Side, JsonPath], StateChange], key: tuple[Side, JsonPath], start: Any
) -> Any:
    """The value at a place after a replay; where nothing changed it, the start value."""
    side, pointer = key
    for length in range(len(pointer), 0, -1):
        change = changes.get((side, pointer[:length]))
        if change is not None:
            return json_paths.at(change.new, pointer[length:])
    return start
