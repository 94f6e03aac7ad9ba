"""What the buttons of the patch editor do. Callbacks run before the page is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from review_app.core.envs import Requestor
from review_app.core.envs.schema import Schema
from review_app.core.tasks.operations import Task
from review_app.core.tasks.picks import Picker
from review_app.errors import BadInput
from review_app.models import Person
from review_app.store import Store
from review_app.ui import links, patch_draft, patch_fields, rule_words, session
from review_app.ui.i18n import notice_text, text
from review_app.ui.patch_draft import Draft
from review_app.workflows import curating, replaying
from review_app.workflows.curating import Proposal

Change = Callable[[list[Task], Task], list[Task]]
"""What a button makes of the gold actions; it is given the task as well."""


def tools_of(store: Store, domain: str) -> dict[tuple[Requestor, str], Schema]:
    """The tools of a domain by side and name; none where it has no environment."""
    if domain not in replaying.domains(store):
        return {}
    listed = replaying.schemas(store, domain)
    return {(side, tool["function"]["name"]): tool["function"] for side in listed
            for tool in listed[side]}  # fmt: skip


def picker_of(store: Store, draft: Draft) -> Picker | None:
    """Pick lists for the draft; none for a localization, whose database is another one."""
    _, domain, _, layer = draft["whose"]
    if layer == "localization" or domain not in replaying.domains(store):
        return None
    return Picker(replaying.database(store, domain), draft["task"])


def key(draft: Draft, *parts: object) -> str:
    """The key of an input of the form."""
    return "_".join(["patch", str(draft["turn"]), *map(str, parts)])


@contextmanager
def refusals() -> Iterator[None]:
    """Tell why a patch was refused, in the interface's language."""
    try:
        yield
    except curating.BreaksRules as error:
        said = "; ".join(f"{each.code} {rule_words.message(each)}" for each in error.violations[:3])
        words = text("patch.refused_rules", count=len(error.violations), said=said)
        st.session_state["notice"] = ("error", links.plain(words))
    except curating.BaseMoved:
        st.session_state["notice"] = ("error", text("patch.refused_base"))


# -- saving ------------------------------------------------------------------------------------


def save(change: Change | None = None) -> None:
    """Take what is typed into the draft, change the list of actions if asked to, and keep it."""
    with session.noted(), session.opened() as store:
        _save(store, session.current_person(store), change)


def _save(store: Store, person: Person, change: Change | None = None) -> bool:
    """Save; returns whether everything that was typed could be read."""
    draft: Draft = st.session_state["patch_draft"]
    old, turn = draft["task"], draft["turn"]
    task, problems = _form(store, draft)
    raw_key = key(draft, "raw")
    typed = str(st.session_state.get(raw_key) or "")
    raw_problem = ""
    if typed != (draft["raw"] or patch_fields.as_json(draft["raw_base"])) or draft["raw"]:
        task, raw_problem = _with_raw(task, typed, draft)
        if not raw_problem:
            patch_draft.redraw(draft)
    if change is not None and not problems:
        task = patch_fields.with_actions(task, change(patch_fields.actions(task) or [], task))
        patch_draft.redraw(draft)
    elif _tools(task) != _tools(old) and not problems:
        patch_draft.redraw(draft)
    draft["task"] = task
    draft["raw"] = typed if raw_problem else ""
    if not raw_problem:
        draft["raw_base"] = task
        if draft["turn"] == turn:
            st.session_state[raw_key] = patch_fields.as_json(task)
    draft["kind"] = st.session_state.get("patch_kind") or None
    draft["reason"] = str(st.session_state.get("patch_reason") or "")
    patch_draft.keep(store, person, draft)
    if raw_problem:
        problems.append(text("patch.bad_json", problem=raw_problem))
    if problems:
        st.session_state["notice"] = ("warning", " ".join(problems))
    return not problems


def _with_raw(task: Task, typed: str, draft: Draft) -> tuple[Task, str]:
    try:
        return patch_draft.with_raw(task, typed, draft)
    except BadInput as error:
        return task, notice_text(error.problem)


def _tools(task: Task) -> list[Any]:
    return [(each.get("requestor"), each.get("name")) for each in patch_fields.actions(task) or ()]


def _form(store: Store, draft: Draft) -> tuple[Task, list[str]]:
    """The task as the form's inputs say, and what they hold that cannot be read."""
    task, typed = draft["task"], st.session_state
    for entry in (*patch_fields.texts(draft["task"]), *patch_fields.criteria(draft["task"])):
        task = patch_fields.with_entry(task, entry, typed.get(key(draft, entry.name)))
    tools, picker = tools_of(store, draft["whose"][1]), picker_of(store, draft)
    listed, problems = [], []
    for number, action in enumerate(patch_fields.actions(draft["task"]) or ()):
        made, wrong = _action(draft, number, action, tools, picker)
        listed.append(made)
        problems += wrong
    return patch_fields.with_actions(task, listed) if listed else task, problems


def _action(
    draft: Draft,
    number: int,
    action: Task,
    tools: Mapping[tuple[Requestor, str], Schema],
    picker: Picker | None,
) -> tuple[Task, list[str]]:
    made, problems = action, []
    tool = tools.get((side_of(action), str(action.get("name"))))
    for argument in patch_fields.arguments(action, tool, picker):
        name = key(draft, number, argument.field.name)
        typed = st.session_state.get(name, argument.shown)
        made, problem = patch_fields.with_argument(made, argument, typed)
        if problem:
            where = f"{number + 1}: {argument.field.name}"
            problems.append(text("environment.not_json", name=where, problem=problem))
    for field in ("name", "action_id"):
        value = st.session_state.get(key(draft, number, f"*{field}"))
        if value and value != action.get(field):
            made = {**made, field: value}
    return made, problems


def side_of(action: Task) -> Requestor:
    """Who makes the call."""
    return "user" if action.get("requestor") == "user" else "assistant"


# -- the list of actions -----------------------------------------------------------------------


def insert(after: int) -> None:
    """Insert an action of the chosen tool behind another one; -1 for the start."""
    side, _, tool = str(st.session_state.get("patch_new_tool") or "").partition(" ")

    def change(listed: list[Task], task: Task) -> list[Task]:
        new = patch_fields.new_action(task, tool, side)
        return [*listed[: after + 1], new, *listed[after + 1 :]]

    save(change)


def remove(number: int) -> None:
    """Take an action out."""
    save(lambda listed, _: [*listed[:number], *listed[number + 1 :]])


def move(number: int, step: int) -> None:
    """Swap an action with its neighbour."""

    def change(listed: list[Task], _: Task) -> list[Task]:
        there = number + step
        if 0 <= there < len(listed):
            listed = list(listed)
            listed[number], listed[there] = listed[there], listed[number]
        return listed

    save(change)


# -- the draft as a whole ----------------------------------------------------------------------


def start_over() -> None:
    """Forget what was typed."""
    with session.noted(), session.opened() as store:
        patch_draft.drop(store, session.current_person(store), st.session_state["patch_draft"])
        _forget_reason()


def take(content: Mapping[str, Any], whose: tuple[str, str, Any]) -> None:
    """Put a merged task on the desk."""
    with session.noted(), session.opened() as store:
        patch_draft.start(store, session.current_person(store), whose, content)
        _forget_reason()
        open_editor(whose)


def open_editor(whose: tuple[str, str, Any]) -> None:
    """Open the editor of a task and a layer."""
    st.query_params.pop("patch", None)
    for name, value in zip(("domain", "task", "layer"), whose, strict=True):
        st.query_params[name] = value


def _forget_reason() -> None:
    for name in ("patch_kind", "patch_reason"):
        st.session_state.pop(name, None)


def propose() -> None:
    """Save the draft and propose it; then its patch is opened."""
    with session.noted(), refusals(), session.opened() as store:
        person = session.current_person(store)
        if not _save(store, person):
            return
        draft: Draft = st.session_state["patch_draft"]
        _, domain, task_id, layer = draft["whose"]
        if draft["kind"] is None:
            st.session_state["notice"] = ("warning", text("patch.kind_needed"))
            return
        stored = curating.propose(
            store,
            person,
            Proposal(
                domain, task_id, layer, draft["kind"], draft["reason"], draft["base_hash"],
                edited=draft["task"],
            ),
        )  # fmt: skip
        patch_draft.drop(store, person, draft)
        _forget_reason()
        for name in ("domain", "task", "layer"):
            st.query_params.pop(name, None)
        st.query_params["patch"] = str(stored.id)
        st.session_state["notice"] = ("success", text("patch.proposed", name=stored.patch.id))
