"""What the buttons of the patch editor do. Callbacks run before the page is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from review_app.core.envs import Requestor
from review_app.core.envs.schema import ToolSchema
from review_app.core.tasks.argument_choices import Picker
from review_app.core.tasks.operations import Task
from review_app.errors import BadInput
from review_app.models import Person
from review_app.store import Store
from review_app.ui.patch import draft as patch_draft
from review_app.ui.patch import fields
from review_app.ui.patch.draft import OpenPatch
from review_app.ui.shared import links, rule_words, session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows.benchmark import environments
from review_app.workflows.curation import patches
from review_app.workflows.curation.patches import Proposal

ActionsEdit = Callable[[list[Task], Task], list[Task]]
"""What a button makes of the gold actions; it is given the task as well."""


def tools_of(store: Store, domain: str) -> dict[tuple[Requestor, str], ToolSchema]:
    """The tools of a domain by side and name; none where it has no environment."""
    if domain not in environments.domains(store):
        return {}
    listed = environments.schemas(store, domain)
    return {
        (side, tool["function"]["name"]): tool["function"]
        for side in listed
        for tool in listed[side]
    }


def picker_of(store: Store, draft: OpenPatch) -> Picker | None:
    """Pick lists for the draft; none for a localization, whose database is another one."""
    _, domain, _, layer = draft["whose"]
    if layer == "localization" or domain not in environments.domains(store):
        return None
    return Picker(environments.database(store, domain), draft["task"])


def key(draft: OpenPatch, *parts: object) -> str:
    """The key of an input of the form."""
    return "_".join(["patch", str(draft["turn"]), *map(str, parts)])


@contextmanager
def refusals() -> Iterator[None]:
    """Tell why a patch was refused, in the interface's language."""
    try:
        yield
    except patches.BreaksRules as error:
        said = "; ".join(
            f"{violation.code} {rule_words.message(violation)}"
            for violation in error.violations[:3]
        )
        words = text("patch.refused_rules", count=len(error.violations), said=said)
        st.session_state["notice"] = ("error", links.plain(words))
    except patches.BaseMoved:
        st.session_state["notice"] = ("error", text("patch.refused_base"))


# -- saving ------------------------------------------------------------------------------------


def save(change: ActionsEdit | None = None) -> None:
    """Take what is typed into the draft, change the list of actions if asked to, and keep it."""
    with session.noted(), session.opened() as store:
        _save(store, session.current_person(store), change)


def _save(store: Store, person: Person, change: ActionsEdit | None = None) -> bool:
    """Save; returns whether everything that was typed could be read."""
    draft: OpenPatch = st.session_state["patch_draft"]
    old, turn = draft["task"], draft["turn"]
    task, problems = _form(store, draft)
    raw_key = key(draft, "raw")
    typed = str(st.session_state.get(raw_key) or "")
    raw_problem = ""
    if typed != (draft["raw"] or fields.as_json(draft["raw_base"])) or draft["raw"]:
        task, raw_problem = _with_raw(task, typed, draft)
        if not raw_problem:
            patch_draft.redraw(draft)
    if change is not None and not problems:
        task = fields.with_actions(task, change(fields.actions(task) or [], task))
        patch_draft.redraw(draft)
    elif _tools(task) != _tools(old) and not problems:
        patch_draft.redraw(draft)
    draft["task"] = task
    draft["raw"] = typed if raw_problem else ""
    if not raw_problem:
        draft["raw_base"] = task
        if draft["turn"] == turn:
            st.session_state[raw_key] = fields.as_json(task)
    draft["kind"] = st.session_state.get("patch_kind") or None
    draft["reason"] = str(st.session_state.get("patch_reason") or "")
    patch_draft.keep(store, person, draft)
    if raw_problem:
        problems.append(text("patch.bad_json", problem=raw_problem))
    if problems:
        st.session_state["notice"] = ("warning", " ".join(problems))
    return not problems


def _with_raw(task: Task, typed: str, draft: OpenPatch) -> tuple[Task, str]:
    try:
        return patch_draft.with_raw(task, typed, draft)
    except BadInput as error:
        return task, notice_text(error.problem)


def _tools(task: Task) -> list[Any]:
    return [(action.get("requestor"), action.get("name")) for action in fields.actions(task) or ()]


def _form(store: Store, draft: OpenPatch) -> tuple[Task, list[str]]:
    """The task as the form's inputs say, and what they hold that cannot be read."""
    task, typed = draft["task"], st.session_state
    for entry in (*fields.texts(draft["task"]), *fields.criteria(draft["task"])):
        task = fields.with_entry(task, entry, typed.get(key(draft, entry.name)))
    tools, picker = tools_of(store, draft["whose"][1]), picker_of(store, draft)
    listed, problems = [], []
    for number, action in enumerate(fields.actions(draft["task"]) or ()):
        edited, wrong = _action(draft, number, action, tools, picker)
        listed.append(edited)
        problems += wrong
    return fields.with_actions(task, listed) if listed else task, problems


def _action(
    draft: OpenPatch,
    number: int,
    action: Task,
    tools: Mapping[tuple[Requestor, str], ToolSchema],
    picker: Picker | None,
) -> tuple[Task, list[str]]:
    edited, problems = action, []
    tool = tools.get((side_of(action), str(action.get("name"))))
    for argument in fields.arguments(action, tool, picker):
        name = key(draft, number, argument.field.name)
        typed = st.session_state.get(name, argument.shown)
        edited, problem = fields.with_argument(edited, argument, typed)
        if problem:
            where = f"{number + 1}: {argument.field.name}"
            problems.append(text("environment.not_json", name=where, problem=problem))
    for field in ("name", "action_id"):
        value = st.session_state.get(key(draft, number, f"*{field}"))
        if value and value != action.get(field):
            edited = {**edited, field: value}
    return edited, problems


def side_of(action: Task) -> Requestor:
    """Who makes the call."""
    return "user" if action.get("requestor") == "user" else "assistant"


# -- the list of actions -----------------------------------------------------------------------


def insert(after: int) -> None:
    """Insert an action of the chosen tool behind another one; -1 for the start."""
    side, _, tool = str(st.session_state.get("patch_new_tool") or "").partition(" ")

    def change(listed: list[Task], task: Task) -> list[Task]:
        new = fields.new_action(task, tool, side)
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
        draft: OpenPatch = st.session_state["patch_draft"]
        _, domain, task_id, layer = draft["whose"]
        if draft["kind"] is None:
            st.session_state["notice"] = ("warning", text("patch.kind_needed"))
            return
        stored = patches.propose(
            store,
            person,
            Proposal(
                domain=domain,
                task_id=task_id,
                layer=layer,
                kind=draft["kind"],
                reason=draft["reason"],
                base_hash=draft["base_hash"],
                edited=draft["task"],
            ),
        )
        patch_draft.drop(store, person, draft)
        _forget_reason()
        for name in ("domain", "task", "layer"):
            st.query_params.pop(name, None)
        st.query_params["patch"] = str(stored.id)
        st.session_state["notice"] = ("success", text("patch.proposed", name=stored.patch.id))
