"""Two people's versions of a task in one."""

from __future__ import annotations

from typing import Any

from review_app.core.tasks.merge import merge


def action(name: str, **arguments: Any) -> dict[str, Any]:
    return {"action_id": name, "name": "cancel", "arguments": arguments}


def task(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "1", **more, "evaluation_criteria": {"actions": list(actions), "nl": None}}


def ids(merged: dict[str, Any]) -> list[str]:
    return [action["action_id"] for action in merged["evaluation_criteria"]["actions"]]


def test_changes_of_different_places_are_both_taken():
    base = task(action("a", x=1), action("b"), said="hello")
    theirs = task(action("a", x=2), action("b"), said="hello")
    mine = task(action("a", x=1), action("b", y=3), said="goodbye")
    merged = merge(base, theirs, mine)
    assert merged.choices == ()
    assert merged.task == task(action("a", x=2), action("b", y=3), said="goodbye")


def test_an_action_that_they_inserted_does_not_shift_mine():
    base = task(action("a", x=1), action("b", x=1))
    theirs = task(action("new"), action("a", x=1), action("b", x=1))
    merged = merge(base, theirs, task(action("a", x=1), action("b", x=2)))
    assert ids(merged.task) == ["new", "a", "b"]
    assert merged.task["evaluation_criteria"]["actions"][2]["arguments"] == {"x": 2}


def test_removed_by_one_and_untouched_by_the_other_is_removed():
    base = task(action("a"), action("b"))
    assert ids(merge(base, task(action("b")), task(action("a"), action("b"))).task) == ["b"]
    assert ids(merge(base, task(action("a"), action("b")), task(action("b"))).task) == ["b"]


def test_actions_that_only_i_moved_stand_in_my_order():
    base = task(action("a"), action("b"), action("c"))
    mine = task(action("c"), action("a"), action("b"))
    assert ids(merge(base, base, mine).task) == ["c", "a", "b"]
    theirs = task(action("a"), action("b"), action("c"), action("d"))
    assert ids(merge(base, theirs, mine).task) == ["c", "d", "a", "b"]


def test_actions_that_only_they_moved_stand_in_their_order():
    base = task(action("a"), action("b"), action("c"))
    theirs = task(action("c"), action("a"), action("b"))
    mine = task(action("a"), action("b"), action("c"), action("d"))
    assert ids(merge(base, theirs, mine).task) == ["c", "d", "a", "b"]


def test_lists_of_one_length_are_merged_place_by_place():
    base = {"id": "1", "said": ["a", "b", "c"]}
    theirs = {"id": "1", "said": ["A", "b", "x"]}
    mine = {"id": "1", "said": ["a", "B", "y"]}
    merged = merge(base, theirs, mine)
    assert merged.task["said"] == ["A", "B", "x"]
    assert [choice.path for choice in merged.choices] == [("said", 2)]
    assert merge(base, theirs, mine, {("said", 2)}).task["said"] == ["A", "B", "y"]


def test_lists_of_different_length_are_one_choice():
    theirs, mine = {"id": "1", "said": ["A"]}, {"id": "1", "said": ["a", "b"]}
    [choice] = merge({"id": "1", "said": ["a"]}, theirs, mine).choices
    assert (choice.path, choice.theirs, choice.mine) == (("said",), ["A"], ["a", "b"])


def test_one_place_changed_by_both_is_a_choice():
    base, theirs, mine = (task(action("a", x=value)) for value in (1, 2, 3))
    path = ("evaluation_criteria", "actions", "a", "arguments", "x")
    merged = merge(base, theirs, mine)
    [choice] = merged.choices
    assert (choice.path, choice.base, choice.theirs, choice.mine) == (path, 1, 2, 3)
    assert merged.task == theirs
    assert merge(base, theirs, mine, {path}).task == mine


def test_changed_by_one_and_removed_by_the_other_is_a_choice():
    base, theirs, mine = task(action("a", x=1)), task(), task(action("a", x=2))
    assert merge(base, base, mine).task == mine
    [choice] = merge(base, task(action("b")), task(action("a", x=2), action("b"))).choices
    assert choice.path == ("evaluation_criteria", "actions", "a")
    assert choice.theirs is None
    assert merge(base, theirs, mine).choices


def test_null_empty_and_absent_lists_stay_apart():
    for kept in (None, [], "absent"):
        base: dict[str, Any] = {"id": "1", "evaluation_criteria": {"actions": kept}, "x": 1}
        if kept == "absent":
            del base["evaluation_criteria"]["actions"]
        merged = merge(base, base | {"x": 2}, base | {"y": 1}).task
        assert merged == base | {"x": 2, "y": 1}
        assert merged["evaluation_criteria"] == base["evaluation_criteria"]


def test_actions_that_both_moved_elsewhere_are_a_choice_of_orders():
    a, b, c = (action(name) for name in "abc")
    base, theirs, mine = task(a, b, c), task(b, a, c), task(a, c, b)
    merged = merge(base, theirs, mine)
    [choice] = merged.choices
    assert choice.path == ("evaluation_criteria", "actions")
    assert (choice.base, choice.theirs, choice.mine) == (list("abc"), list("bac"), list("acb"))
    assert ids(merged.task) == list("bac")
    assert ids(merge(base, theirs, mine, {choice.path}).task) == list("acb")
    assert merge(base, theirs, theirs).choices == ()
