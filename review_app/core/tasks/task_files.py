"""Task files as text: single tasks are written anew, every other byte stays."""

from __future__ import annotations

import json
from collections.abc import Mapping

from review_app.core.formats.edits import splice
from review_app.core.formats.json_text import entry_spans, escapes_non_ascii, parse_json
from review_app.core.tasks.operations import Task


def with_tasks(raw: str, changed: Mapping[str, Task], file: str = "tasks.json") -> str:
    """A task file with other versions of some of its tasks.

    They are written with the indentation, the line ends and the escapes of the file.

    Args:
        raw: A JSON list of tasks.
        changed: Task id -> the whole task; ids that the file lacks are passed over.
        file: Named in errors.

    Raises:
        BadInput: not JSON.
    """
    listed = parse_json(raw, file)
    edits = [
        (span, _written(raw, span[0], changed[str(task["id"])]))
        for task, span in zip(listed, entry_spans(raw), strict=True)
        if str(task.get("id")) in changed and task != changed[str(task["id"])]
    ]
    return splice(raw, edits)


def _written(raw: str, start: int, task: Task) -> str:
    line = raw[raw.rfind("\n", 0, start) + 1 : start]
    base = line if not line.strip() else ""
    inner = raw[start + 1 :].split("\n", 2)
    first = inner[1] if len(inner) > 1 and not inner[0].strip() else ""
    step = len(first) - len(first.lstrip(" ")) - len(base)
    text = json.dumps(
        task,
        ensure_ascii=escapes_non_ascii(raw.removeprefix("\ufeff")),
        indent=step if first and step > 0 else None,
    )
    end = "\r\n" if "\r\n" in raw else "\n"
    return text.replace("\n", end + base)
