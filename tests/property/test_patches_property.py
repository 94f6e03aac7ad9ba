"""Patches on random tasks: applied, undone, made and compared."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.tasks.edits import make
from review_app.core.tasks.merge import merge
from review_app.core.tasks.operations import Operation, inverse, operate
from review_app.core.tasks.patch_files import patches_as_json, patches_from_json
from review_app.core.tasks.patches import Patch, apply, invert, task_hash
from review_app.core.tasks.taskdiff import diff
from review_app.errors import BadInput
from review_app.json_paths import pointer

few = settings(max_examples=50, deadline=None)

leaves = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 2.5]) | st.text()
)
names = st.sampled_from(["a", "b", "a/b", "~", "actions", "action_id", "名前", ""])
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=10,
)
actions = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from("fg"), "arguments": st.dictionaries(names, values, max_size=2)},
        optional={"action_id": st.sampled_from(["7_0", "7_1", "7_2", "7_3", None])},
    ),
    max_size=6,
)
criteria = st.fixed_dictionaries(
    {}, optional={"actions": actions | st.none(), "nl_assertions": st.lists(st.text(), max_size=3)}
)
tasks = st.fixed_dictionaries(
    {"id": st.just("7")}, optional={"evaluation_criteria": criteria, "a": values, "b": values}
)


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(member, (*path, key))


@st.composite
def tasks_with_operations(draw):
    """A task and operations of which most fit."""
    task = start = draw(tasks)
    fitting = []
    for _ in range(draw(st.integers(1, 4))):
        paths = [pointer(path) for path in places(task) if path] or ["/id"]
        path = draw(st.sampled_from(paths))
        op = draw(st.sampled_from(["add", "remove", "replace", "move", "append", "splice", "test"]))
        value = draw(st.text()) if op in ("append", "splice") else draw(values)
        if op in ("add", "move") and draw(st.booleans()):
            path = path.rpartition("/")[0] + "/new"
        origin = draw(st.sampled_from(paths)) if op == "move" else ""
        span = draw(st.sampled_from([(0, 0), (0, 1), (1, 1)]))
        operation = Operation(op, path, value, origin, span=span)
        try:
            task = operate(task, [operation])
        except BadInput:
            continue
        fitting.append(operation)
    return start, tuple(fitting)


def text(task):
    return json.dumps(task)


def patch_of(task, operations, layer="repair"):
    return Patch(
        "d/7/repair/1",
        "d",
        "7",
        layer,
        "wrong_gold",
        task_hash(task),
        operations,
        "why",
        "Table 10",
    )


@few
@given(tasks_with_operations())
def test_inverting_an_applied_patch_gives_every_byte_back(case):
    task, operations = case
    before, patch = text(task), patch_of(task, operations)
    assert text(operate(apply(task, patch), invert(task, patch))) == before
    assert text(task) == before


@few
@given(tasks_with_operations())
def test_undoing_an_undo_is_the_patch_again(case):
    task, operations = case
    patched, back = operate(task, operations), inverse(task, operations)
    assert text(operate(task, inverse(patched, back))) == text(patched)


@few
@given(tasks, tasks)
def test_made_operations_lead_to_the_edited_task(base, edited):
    operations = make(base, edited)
    assert task_hash(operate(base, operations)) == task_hash(edited)
    assert (operations == ()) == (task_hash(base) == task_hash(edited))


@few
@given(tasks, st.randoms(use_true_random=False))
def test_reordered_actions_are_only_moved(base, random):
    listed = (base.get("evaluation_criteria") or {}).get("actions") or []
    mixed = [{**action, "action_id": str(at)} for at, action in enumerate(listed)]
    start = {**base, "evaluation_criteria": {"actions": mixed}}
    shuffled = random.sample(mixed, len(mixed))
    operations = make(start, {**base, "evaluation_criteria": {"actions": shuffled}})
    assert {operation.op for operation in operations} <= {"move"}
    assert len(operations) < max(len(mixed), 1)


@few
@given(tasks, tasks)
def test_a_diff_is_empty_exactly_if_nothing_changed(old, new):
    comparison = diff(old, new)
    assert comparison.empty == (task_hash(old) == task_hash(new))
    assert diff(old, old).empty


@few
@given(tasks, tasks)
def test_changes_of_one_side_alone_never_conflict(base, edited):
    assert merge(base, base, edited).choices == merge(base, edited, base).choices == ()
    assert merge(base, edited, edited).choices == ()


@few
@given(tasks_with_operations(), st.text(min_size=1))
def test_a_patch_file_gives_the_patches_back(case, reason):
    task, operations = case
    if not operations:
        return
    patch = replace(patch_of(task, operations, "localization"), reason=reason)
    read = patches_from_json(patches_as_json([patch]), "p.json")
    assert patches_as_json(read) == patches_as_json([patch]) and len(read) == 1
    assert text(operate(task, read[0].operations)) == text(operate(task, operations))
