"""Patches, the operations in them, and what they show of a task."""

import json
from dataclasses import replace

import pytest

from review_app.core.tasks.edits import make
from review_app.core.tasks.merge import merge
from review_app.core.tasks.operations import Operation, operate, operation_from_json
from review_app.core.tasks.patch_files import patches_as_json, patches_from_json
from review_app.core.tasks.patches import (
    Patch,
    StalePatch,
    apply,
    group_of,
    invert,
    placeholders,
    table12,
    task_hash,
)
from review_app.core.tasks.taskdiff import TextChange, ValueChange, diff
from review_app.errors import BadInput, ReviewError

INFO = "/user_scenario/instructions/known_info"


def action(number, name="get_order_details", **arguments):
    return {"action_id": f"7_{number}", "name": name, "arguments": arguments, "info": None}


def task(*actions, **criteria):
    listed = list(actions) or [action(0, order_id="#W1"), action(1, order_id="#W2"), action(2)]
    return {
        "id": "7",
        "odd key": {"kept": [1, 1.0, None]},
        "user_scenario": {"persona": None, "instructions": {"known_info": "You are Ann Lee."}},
        "evaluation_criteria": {"actions": listed, "communicate_info": [], **criteria},
    }


def patch(base, *operations, layer="repair", **more):
    number = more.pop("number", 1)
    name = f"retail/{base['id']}/{layer}/{number}"
    fields = {"reason": "why", "source": "Table 10", **more}
    return Patch(
        name, "retail", base["id"], layer, "wrong_gold", task_hash(base), operations, **fields
    )


# -- hash --------------------------------------------------------------------------------------


def test_the_order_of_keys_does_not_count_and_everything_else_does():
    base = {"id": "7", "a": [1, 2], "b": None}
    assert task_hash({"b": None, "a": [1, 2], "id": "7"}) == task_hash(base)
    others = [
        {"id": "7", "a": [2, 1], "b": None},
        {"id": "7", "a": [1, 2]},
        {"id": "7", "a": [1, 2], "b": []},
        {"id": "7", "a": [1.0, 2], "b": None},
        {"id": "7", "a": [True, 2], "b": None},
        {"id": 7, "a": [1, 2], "b": None},
    ]
    assert len({task_hash(version) for version in [base, *others]}) == 1 + len(others)


# -- applying ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (Operation("add", "/b", 2), '{"id": "7", "a": {"x": 1, "y": [1, 2, 3]}, "b": 2}'),
        (
            Operation("add", "/b", 2, before="a"),
            '{"id": "7", "b": 2, "a": {"x": 1, "y": [1, 2, 3]}}',
        ),
        (Operation("add", "/a/x", None), '{"id": "7", "a": {"x": null, "y": [1, 2, 3]}}'),
        (Operation("add", "/a/y/1", 9), '{"id": "7", "a": {"x": 1, "y": [1, 9, 2, 3]}}'),
        (Operation("add", "/a/y/-", 9), '{"id": "7", "a": {"x": 1, "y": [1, 2, 3, 9]}}'),
        (Operation("remove", "/a/x"), '{"id": "7", "a": {"y": [1, 2, 3]}}'),
        (Operation("remove", "/a/y/0"), '{"id": "7", "a": {"x": 1, "y": [2, 3]}}'),
        (Operation("replace", "/a/y", []), '{"id": "7", "a": {"x": 1, "y": []}}'),
        (
            Operation("move", "/a/y/2", origin="/a/y/0"),
            '{"id": "7", "a": {"x": 1, "y": [2, 3, 1]}}',
        ),
        (Operation("move", "/id", origin="/a/x"), '{"id": 1, "a": {"y": [1, 2, 3]}}'),
        (
            Operation("move", "/z", origin="/id", before="a"),
            '{"z": "7", "a": {"x": 1, "y": [1, 2, 3]}}',
        ),
        (Operation("test", "/a/y", [1, 2, 3]), '{"id": "7", "a": {"x": 1, "y": [1, 2, 3]}}'),
        (Operation("append", "/id", "a"), '{"id": "7a", "a": {"x": 1, "y": [1, 2, 3]}}'),
        (
            Operation("splice", "/id", "12", span=(0, 1)),
            '{"id": "12", "a": {"x": 1, "y": [1, 2, 3]}}',
        ),
    ],
)
def test_an_operation_changes_what_it_names_and_can_be_undone(operation, expected):
    base = {"id": "7", "a": {"x": 1, "y": [1, 2, 3]}}
    before, change = json.dumps(base), patch(base, operation)
    assert json.dumps(apply(base, change)) == expected
    assert json.dumps(operate(apply(base, change), invert(base, change))) == before
    assert json.dumps(base) == before


def test_a_member_that_takes_its_holders_place_goes_back_into_it():
    base = {**task(), "new": [1, [2], [3]]}
    moved = patch(base, Operation("move", "/new/2", origin="/new/2/0"))
    assert apply(base, moved)["new"] == [1, [2], 3, []]
    back = operate(apply(base, moved), invert(base, moved))
    assert json.dumps(back) == json.dumps(base)


def test_keys_with_slashes_and_tildes_are_escaped_in_paths():
    base = {"id": "7", "a/b": 1, "~": 2, "~1": 3}
    operations = (
        Operation("replace", "/a~1b", 4),
        Operation("replace", "/~0", 5),
        Operation("replace", "/~01", 6),
    )
    assert apply(base, patch(base, *operations)) == {"id": "7", "a/b": 4, "~": 5, "~1": 6}
    assert make(base, {"id": "7", "a/b": 4, "~": 5, "~1": 6}) == operations


def test_what_a_patch_does_not_touch_is_shared_with_the_task_before():
    base = task()
    patched = apply(base, patch(base, Operation("replace", INFO, "You are Bo.")))
    assert patched["evaluation_criteria"] is base["evaluation_criteria"]
    assert patched["odd key"] is base["odd key"]


@pytest.mark.parametrize("actions", [{}, {"actions": None}, {"actions": []}])
def test_actions_null_absent_and_empty_survive_an_edit_of_another_field(actions):
    base = {**task(), "evaluation_criteria": {**actions, "communicate_info": None}}
    edited = apply(base, patch(base, Operation("append", INFO, " Hello.")))
    assert json.dumps(edited["evaluation_criteria"]) == json.dumps(base["evaluation_criteria"])
    assert make(base, edited) == (Operation("replace", INFO, "You are Ann Lee. Hello."),)


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        (Operation("remove", "/nowhere/x"), "cannot remove: there is no 'nowhere'"),
        (Operation("replace", "/user_scenario/persona/x", 1), "null has nothing inside it"),
        (Operation("add", "/evaluation_criteria/actions/4", 1), "no place '4' in a list of 3"),
        (Operation("remove", "/evaluation_criteria/actions/01"), "no place '01'"),
        (Operation("add", "/evaluation_criteria/actions/0", 1, before="x"), "`before` is for"),
        (Operation("add", "/new", 1, before="x"), "there is no 'x' to stand before"),
        (Operation("test", "/id", 7), 'found "7", expected 7'),
        (Operation("append", "/odd key", "x"), "expected text"),
        (Operation("splice", "/id", "x", span=(0, 2)), "no characters 0 to 2 in a text of 1"),
        (Operation("move", "/odd key/kept/0", origin="/odd key"), "cannot be moved into itself"),
        (Operation("replace", "", {}), "the task as a whole cannot be changed"),
        (Operation("remove", "id"), "a path starts with '/'"),
    ],
)
def test_an_operation_that_does_not_fit_names_patch_and_path(operation, problem):
    base = task()
    with pytest.raises(BadInput) as caught:
        apply(base, patch(base, operation))
    assert problem in str(caught.value)
    assert (caught.value.file, caught.value.address) == ("retail/7/repair/1", operation.path)


def test_a_patch_is_refused_when_its_base_moved():
    base = task()
    change = patch(base, Operation("remove", "/odd key"))
    with pytest.raises(StalePatch, match="'retail/7/repair/1' was written for another version"):
        apply({**base, "odd key": 1}, change)
    assert issubclass(StalePatch, ReviewError)


def test_a_fix_that_upstream_has_changes_nothing():
    base = task()
    assert apply(base, patch(base, upstream="the amount is right")) is base


# -- localization ------------------------------------------------------------------------------


def test_placeholders_are_filled_in_and_other_braces_are_text():
    base = task()
    localized = {**base, "id": "7-ja"}
    text = " {user.family} {user.given}、{airport.EWR}、{'capacity': 'x.y'} {x}"
    change = patch(base, Operation("append", INFO, text), layer="localization")
    values = {"user.family": "山田", "user.given": "舞", "airport.EWR": "NRT", "unused": ""}
    assert placeholders(change) == {"user.family", "user.given", "airport.EWR"}
    patched = apply(localized, change, values, source=base)
    info = patched["user_scenario"]["instructions"]["known_info"]
    assert info == "You are Ann Lee. 山田 舞、NRT、{'capacity': 'x.y'} {x}"
    assert operate(patched, invert(localized, change)) == localized


def test_placeholders_inside_other_values_are_filled_in_too():
    base = task()
    change = patch(
        base, Operation("add", "/x", ["{user.id}", {"a": "{user.id}"}, 1]), layer="localization"
    )
    assert apply(base, change, {"user.id": "mai_1"})["x"] == ["mai_1", {"a": "mai_1"}, 1]
    assert placeholders(change) == {"user.id"}
    with pytest.raises(BadInput, match=r"no value for {user\.id}; known: none"):
        apply(base, change)
    inside = patch(base, Operation("add", "/x", {"a": [["{user.id}"]]}), layer="localization")
    with pytest.raises(BadInput, match=r"no value for {user\.id}; known: user\.given"):
        apply(base, inside, {"user.given": "舞"})


def test_a_placeholder_without_a_value_names_patch_and_path():
    base = task()
    change = patch(base, Operation("append", INFO, "{user.given}"), layer="localization")
    with pytest.raises(BadInput, match=r"retail/7/localization/1#.*no value for {user\.given}"):
        apply(base, change, {"user.family": "山田"})


def test_a_localization_is_bound_to_the_source_task():
    base = task()
    change = patch(base, Operation("append", INFO, "x"), layer="localization")
    assert apply({**base, "id": "ja"}, change, source=base)["id"] == "ja"
    with pytest.raises(StalePatch):
        apply(base, change, source={**base, "id": "8"})


def test_braces_of_a_repair_are_text():
    base = task()
    change = patch(base, Operation("replace", INFO, "{user.given}"))
    assert placeholders(change) == frozenset()
    assert apply(base, change)["user_scenario"]["instructions"]["known_info"] == "{user.given}"


# -- making ------------------------------------------------------------------------------------

ACTIONS = "/evaluation_criteria/actions"


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (
            task(action(0, order_id="#W9"), action(1, order_id="#W2"), action(2)),
            [Operation("replace", f"{ACTIONS}/0/arguments/order_id", "#W9")],
        ),
        (task(action(1, order_id="#W2"), action(2)), [Operation("remove", f"{ACTIONS}/0")]),
        (
            task(action(0, order_id="#W1"), action(3), action(1, order_id="#W2"), action(2)),
            [Operation("add", f"{ACTIONS}/1", action(3))],
        ),
        (
            task(action(1, order_id="#W2"), action(2), action(0, order_id="#W1")),
            [Operation("move", f"{ACTIONS}/2", origin=f"{ACTIONS}/0")],
        ),
        (
            task(action(2), action(0, order_id="#W1"), action(1, order_id="#W2", x=1)),
            [
                Operation("move", f"{ACTIONS}/0", origin=f"{ACTIONS}/2"),
                Operation("add", f"{ACTIONS}/2/arguments/x", 1),
            ],
        ),
        (
            task(communicate_info=["1", "2"]),
            [
                Operation("add", "/evaluation_criteria/communicate_info/0", "1"),
                Operation("add", "/evaluation_criteria/communicate_info/1", "2"),
            ],
        ),
        (
            {key: value for key, value in task().items() if key != "odd key"},
            [Operation("remove", "/odd key")],
        ),
        (dict(reversed(task().items())), []),
    ],
    ids=["argument", "removed", "inserted", "moved", "moved and changed", "list", "key", "order"],
)
def test_made_operations_are_few(edited, expected):
    operations = make(task(), edited)
    assert list(operations) == expected
    assert task_hash(operate(task(), operations)) == task_hash(edited)


def test_an_added_member_stands_where_the_editor_put_it():
    edited = {"id": "7", "new": 1, "newer": 2, **task()}
    edited = {"id": edited.pop("id"), **edited}
    assert json.dumps(operate(task(), make(task(), edited))) == json.dumps(edited)


def test_actions_with_odd_ids_are_matched():
    odd = [action(0, order_id="#W1"), action(0, order_id="#W2"), {"name": "a"}, {"name": "b"}]
    edited = [*odd[:1], {**odd[1], "name": "other"}, odd[2]]
    operations = make(task(*odd), task(*edited))
    assert [(operation.op, operation.path) for operation in operations] == [
        ("remove", f"{ACTIONS}/3"),
        ("replace", f"{ACTIONS}/1/name"),
    ]


# -- three versions ----------------------------------------------------------------------------


def test_different_changes_of_one_argument_conflict():
    theirs = task(action(1, order_id="#W8"), action(0, order_id="#W1"), action(2))
    mine = task(action(0, order_id="#W1"), action(1, order_id="#W9"), action(2))
    (conflict,) = merge(task(), theirs, mine).choices
    assert conflict.path == ("evaluation_criteria", "actions", "7_1", "arguments", "order_id")
    assert (conflict.base, conflict.theirs, conflict.mine) == ("#W2", "#W8", "#W9")


def test_removing_what_the_other_changed_conflicts():
    theirs = task(action(0, order_id="#W8"), action(1, order_id="#W2"), action(2))
    mine = task(action(1, order_id="#W2"), action(2))
    (conflict,) = merge(task(), theirs, mine).choices
    assert conflict.path == ("evaluation_criteria", "actions", "7_0")
    assert conflict.theirs["arguments"] == {"order_id": "#W8"} and conflict.mine is None


def test_changes_in_different_places_do_not_conflict():
    theirs = task(action(0, order_id="#W8"), action(1, order_id="#W2"), action(2))
    mine = task(action(0, order_id="#W1"), action(1, order_id="#W2"), action(2), action(3))
    assert merge(task(), theirs, mine).choices == ()


def test_different_orders_of_actions_conflict():
    first, second, third = task()["evaluation_criteria"]["actions"]
    (conflict,) = merge(task(), task(second, first, third), task(first, third, second)).choices
    assert (conflict.base, conflict.theirs, conflict.mine) == (
        ["7_0", "7_1", "7_2"],
        ["7_1", "7_0", "7_2"],
        ["7_0", "7_2", "7_1"],
    )


# -- diff --------------------------------------------------------------------------------------


def statuses(comparison):
    return [(row.name, row.status, row.old_index, row.new_index) for row in comparison.actions]


def test_actions_stand_side_by_side_by_id():
    old = task(action(0), action(1), action(2), action(3), action(4))
    new = task(action(0), action(5), action(3), action(2), action(4, "think", text="x"))
    comparison = diff(old, new)
    assert statuses(comparison) == [
        ("7_0", "same", 0, 0),
        ("7_1", "removed", 1, None),
        ("7_5", "inserted", None, 1),
        ("7_3", "moved", 3, 2),
        ("7_2", "same", 2, 3),
        ("7_4", "changed", 4, 4),
    ]
    assert comparison.actions[-1].changes == (
        ValueChange(("arguments", "text"), "added", None, "x"),
        ValueChange(("name",), "changed", "get_order_details", "think"),
    )
    assert comparison.actions[-1].other_tool and not comparison.actions[0].other_tool


def test_a_renamed_tool_that_keeps_its_argument_shows_only_the_tool():
    old, new = task(action(0, "return_items", x=[1])), task(action(0, "exchange_items", x=[1]))
    (row,) = diff(old, new).actions
    assert row.changes == (ValueChange(("name",), "changed", "return_items", "exchange_items"),)


def test_arguments_are_compared_to_the_innermost_value():
    flights = [{"flight_number": "HAT001", "date": "2024-05-20"}, {"flight_number": "HAT002"}]
    edited = [{**flights[0], "date": "2024-05-21"}]
    (row,) = diff(task(action(0, flights=flights)), task(action(0, flights=edited))).actions
    assert row.changes == (
        ValueChange(("arguments", "flights", 0, "date"), "changed", "2024-05-20", "2024-05-21"),
        ValueChange(("arguments", "flights", 1), "removed", {"flight_number": "HAT002"}, None),
    )


def test_a_number_of_another_type_is_a_change():
    (row,) = diff(task(action(0, amount=1)), task(action(0, amount=1.0))).actions
    assert row.changes[0].path == ("arguments", "amount") and row.status == "changed"
    (row,) = diff(task(action(0, __x=1)), task(action(0, __x=True))).actions
    assert row.status == "changed"


def test_equal_and_missing_ids_are_told_apart_by_order():
    odd = [action(0), action(0, x=1), {"name": "a"}, {"name": "b"}, {"action_id": None}]
    assert [row.name for row in diff(task(*odd), task(*odd)).actions] == [
        "7_0",
        "7_0 (2)",
        "(no id)",
        "(no id) (2)",
        "(no id) (3)",
    ]


def test_texts_are_apart_from_other_values():
    old = task(nl_assertions=["Agent waits."], reward_basis=["DB"])
    new = task(nl_assertions=["Agent hurries."], reward_basis=["NL"], communicate_info=["12"])
    new = operate(new, [Operation("replace", INFO, None), Operation("add", "/ticket", "Help")])
    comparison = diff(old, new)
    assert comparison.texts == (
        TextChange(("evaluation_criteria", "nl_assertions", 0), "Agent waits.", "Agent hurries."),
        TextChange(("ticket",), None, "Help"),
        TextChange(tuple(INFO.split("/")[1:]), "You are Ann Lee.", None),
    )
    assert comparison.others == (
        ValueChange(("evaluation_criteria", "communicate_info", 0), "added", None, "12"),
        ValueChange(("evaluation_criteria", "reward_basis", 0), "changed", "DB", "NL"),
    )


@pytest.mark.parametrize("end", [{}, {"actions": None}, {"actions": []}])
def test_a_diff_says_how_the_actions_went(end):
    criteria = {"communicate_info": [], **end}
    comparison = diff(task(), {**task(), "evaluation_criteria": criteria})
    assert [row.status for row in comparison.actions] == ["removed"] * 3
    left = [(change.kind, change.new) for change in comparison.others]
    assert left == ([("added", end["actions"])] if end else [])
    assert diff({"evaluation_criteria": criteria}, {"evaluation_criteria": criteria}).empty


def test_actions_that_are_no_objects_are_compared_as_values():
    comparison = diff(task(), {**task(), "evaluation_criteria": {"actions": ["x"]}})
    assert comparison.actions == () and not comparison.empty


# -- groups ------------------------------------------------------------------------------------


def test_tasks_are_grouped_by_the_layers_of_their_patches():
    first, second, third = ({**task(), "id": name} for name in ("1", "2", "3"))
    patches = [
        patch(first),
        patch(second),
        patch(second, layer="localization"),
        patch(third, layer="localization"),
        patch(third, layer="localization", number=2),
    ]
    assert [group_of(name, patches) for name in "1234"] == [
        "repair",
        "both",
        "localization",
        "unmodified",
    ]
    assert table12("1234", patches) == {
        "total": 4,
        "unmodified": 1,
        "repair": 1,
        "both": 1,
        "localization": 1,
    }


# -- files -------------------------------------------------------------------------------------


def test_a_patch_file_gives_patches_back():
    base = task()
    operations = [
        Operation("move", "/z", origin="/id", before="odd key"),
        Operation("add", "/n", None),
        Operation("splice", INFO, "Bo", span=(8, 11)),
        Operation("remove", "/odd key"),
    ]
    patches = (patch(base, *operations), patch(base, number=2, upstream="it is right"))
    assert patches_from_json(patches_as_json(patches), "p.json") == patches


def written(**changes):
    value = json.loads(patches_as_json([patch(task(), Operation("remove", "/odd key"))]))[0]
    return json.dumps([{**value, **changes}])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "p.json#line 1"),
        ("{}", "p.json: must be a list"),
        ("[1]", "p.json#0: a patch must be an object"),
        (written(id=""), "p.json#0: 'id' must be text"),
        (written(reason=""), "p.json#retail/7/repair/1: 'reason' must be text"),
        (written(kind="typo"), "p.json#retail/7/repair/1: 'kind' must be one of identity_missing"),
        (written(layer="both"), "'layer' must be one of repair, localization"),
        (written(author="me"), "unknown field 'author'"),
        (written(operations=[]), "empty exactly where `upstream` has the fix"),
        (written(upstream="it is right"), "empty exactly where `upstream` has the fix"),
        (written(operations=[{"op": "copy"}]), "1/operations/0: an operation must be"),
        (written(operations=[{"op": "move", "path": "/a"}]), "'move' needs from"),
        (written(operations=[{"op": "remove", "path": "/a", "value": 1}]), "takes no 'value'"),
        (written(operations=[{"op": "remove", "path": 1}]), "'path' of 'remove' must be text"),
        (written(operations=[{"op": "append", "path": "/a", "value": 1}]), "must be text"),
        (
            written(operations=[{"op": "splice", "path": "/a", "value": "", "span": [2, 1]}]),
            "'span' must be two numbers",
        ),
        (
            written(operations=[{"op": "splice", "path": "/a", "value": 1, "span": [0, 0]}]),
            "'value' of 'splice' must be text",
        ),
        (written(operations=["copy"]), "1/operations/0: an operation must be"),
        (written(operations=[None]), "1/operations/0: an operation must be"),
        *(
            (
                written(operations=[{"op": "splice", "path": "/a", "value": "", "span": span}]),
                "'span' must be two numbers",
            )
            for span in ("12", 3, None, [0], [0, 1, 2], [-1, 2], [0.0, 1], [True, 2])
        ),
        (json.dumps(json.loads(written()) * 2), "#retail/7/repair/1: another patch has this id"),
    ],
)
def test_a_broken_patch_file_is_named_with_its_patch(text, problem):
    with pytest.raises(BadInput) as caught:
        patches_from_json(text, "p.json")
    assert problem in str(caught.value)


def test_an_operation_that_cannot_be_read_is_named_by_file_and_place():
    with pytest.raises(BadInput) as caught:
        operation_from_json({"op": "remove"}, "p.json", "retail/7/operations/2")
    assert (caught.value.file, caught.value.address) == ("p.json", "retail/7/operations/2")
    assert str(caught.value) == "p.json#retail/7/operations/2: 'remove' needs path"
    with pytest.raises(BadInput, match=r"^p\.json#x: 'splice' needs span, value$"):
        operation_from_json({"op": "splice", "path": "/a"}, "p.json", "x")


def test_patches_are_values():
    proposed = patch(task(), Operation("remove", "/odd key"))
    assert replace(proposed, reason="other") != proposed == replace(proposed)
