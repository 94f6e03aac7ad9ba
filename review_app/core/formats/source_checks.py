"""Whether a file can be imported: refused with file, address and what is wrong, or fine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from review_app.core.formats.keepable import unkeepable
from review_app.core.formats.kinds import file_kind
from review_app.core.formats.shapes import ID, NULL, TASK, TOOL, faults, optional, task_faults
from review_app.core.formats.slots import member_of, pointer
from review_app.core.formats.structured import parse_structured
from review_app.errors import BadInput
from review_app.notices import Notice

PUBLISHED = {**optional(TASK), "id": ID, "evaluation_criteria": TASK["evaluation_criteria"]}
"""A task that somebody published: what is there has the benchmark's types; actions are whole."""
INSTRUCTIONS = "user_scenario/instructions/"
_TASK_ID = Notice("draft.task_id", "task id")
_TOOL_NAME = Notice("draft.tool_name", "tool name")
_NAMED = {
    "task": _TASK_ID,
    "tool": _TOOL_NAME,
    "database": Notice("draft.member", "member"),
    "message": Notice("draft.message", "message"),
}
"""What source and draft must share at least one of, by kind of file."""


def check_source(file: str, raw: str, domain: str) -> None:
    """Nothing, if the file can be imported into the domain.

    Unknown members and explicit nulls are fine. Markdown is always fine.

    Raises:
        BadInput: not JSON or TOML; not the form that the benchmark reads; ids twice or not text; a
            task of another domain (`airline_ja` is no other domain than `airline`).
    """
    _check(file, raw, domain, is_draft=False)


def _check(file: str, raw: str, domain: str, *, is_draft: bool) -> None:
    """What source and draft have in common; a draft may lack texts, the import reports them."""
    if not file.endswith((".json", ".toml")):
        return
    value = parse_structured(file, raw)
    kind = file_kind(file)
    if (odd := unkeepable(value)) is not None:
        raise BadInput(odd[1], file, _named_place(value, odd[0]))
    if kind == "task":
        _check_tasks(file, value, domain, is_draft=is_draft)
    elif kind == "tool":
        _check_tools(file, value)
    elif kind in ("database", "message") and not isinstance(value, dict):
        raise BadInput(Notice("file.not_one_object", "must hold one object"), file)
    elif kind == "message":
        for key, text in value.items():
            if not isinstance(text, str):
                problem = Notice(
                    "file.message_not_text", "must be text, is {value}", value=repr(text)
                )
                raise BadInput(problem, file, pointer((key,)))


def require_published(tasks: Sequence[Any], file: str) -> None:
    """Nothing, if what published tasks say has the benchmark's types; members may be left out.

    Raises:
        BadInput: a value has another type, or cannot be kept; names the place.
    """
    if (odd := unkeepable(tasks)) is not None:
        raise BadInput(odd[1], file, _named_place(tasks, odd[0]))
    for index, task in enumerate(tasks):
        for path, problem in faults(task, PUBLISHED):
            raise BadInput(problem, file, _named_place(tasks, f"{index}/{path}"))


def _named_place(value: Any, path: str) -> str:
    """A path into a file; an entry of a list goes by its name, as everywhere."""
    head, slash, rest = path.partition("/")
    entry = value[int(head)] if isinstance(value, list) else None
    name = member_of(entry, "id") or member_of(entry, "function.name")
    return pointer((name,)) + slash + rest if name and name.isprintable() else path


def check_draft(file: str, source: str, draft: str, domain: str) -> None:
    """Nothing, if the draft can be one of this source.

    Raises:
        BadInput: as for `check_source`, or source and draft have no id or name in common.
    """
    _check(file, draft, domain, is_draft=True)
    named = _NAMED.get(file_kind(file))
    if named is None:
        return
    ours, theirs = (_names(parse_structured(file, raw)) for raw in (source, draft))
    if ours and not ours & theirs:
        problem = Notice(
            "draft.of_another_domain",
            "the draft has no {named} of the source; is it of another domain?",
            named=named,
        )
        raise BadInput(problem, file)


def _names(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value)
    names = (member_of(entry, "id") or member_of(entry, "function.name") for entry in value)
    return {name for name in names if name}


def _check_tasks(file: str, value: Any, domain: str, *, is_draft: bool) -> None:
    if not isinstance(value, list):
        raise BadInput(Notice("file.not_tasks", "must be a list of tasks"), file)
    for index, task in enumerate(value):
        name = member_of(task, "id")
        for path, problem in task_faults(task):
            if is_draft and path.startswith(INSTRUCTIONS) and problem == NULL:
                continue
            where = str(index) if name is None else pointer((name,))
            advice = Notice(
                "file.task_unusable", "{problem}; correct it and import again", problem=problem
            )
            raise BadInput(advice, file, f"{where}/{path}")
        named = member_of(task, "user_scenario.instructions.domain")
        if named is not None and not _same_domain(named, domain):
            where = f"{pointer((str(name),))}/user_scenario/instructions/domain"
            problem = Notice(
                "file.of_another_domain",
                "is {named!r}, but the domain here is {domain!r}",
                named=named,
                domain=domain,
            )
            raise BadInput(problem, file, where)
    _refuse_twice(file, (task["id"] for task in value), _TASK_ID)


def _check_tools(file: str, value: Any) -> None:
    if not isinstance(value, list):
        problem = Notice("file.not_tools", "must be a list of tools in OpenAI function form")
        raise BadInput(problem, file)
    for index, tool in enumerate(value):
        for path, problem in faults(tool, TOOL):
            where = member_of(tool, "function.name") or str(index)
            advice = Notice(
                "file.tool_unusable",
                "{problem}; tools must be in OpenAI function form",
                problem=problem,
            )
            raise BadInput(advice, file, f"{pointer((where,))}/{path}")
    _refuse_twice(file, (tool["function"]["name"] for tool in value), _TOOL_NAME)


def _same_domain(named: str, domain: str) -> bool:
    short, long = sorted((named, domain), key=len)
    rest = long.removeprefix(short)
    return rest == "" or (len(rest) < len(long) and not rest[0].isalnum())


def _refuse_twice(file: str, names: Iterable[str], what: Notice) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            problem = Notice(
                "file.id_twice",
                "{what} {name!r} occurs twice; ids must be unique",
                what=what,
                name=name,
            )
            raise BadInput(problem, file, pointer((name,)))
        seen.add(name)
