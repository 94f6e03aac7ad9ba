"""Places inside plain JSON."""

from __future__ import annotations

import pytest

from review_app.json_paths import at, inside, keys, pointer, put

TASK = {"id": "7", "actions": [{"name": "cancel"}, {"name": "pay"}], "a/b": {"~": None}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), TASK),
        (("actions", 1, "name"), "pay"),
        (("actions", "1", "name"), "pay"),
        (("a/b", "~"), None),
    ],
)
def test_a_value_is_read_at_its_path(path, value):
    assert inside(TASK, path) == at(TASK, path) == value


@pytest.mark.parametrize(
    "path", [("x",), ("actions", 2), ("actions", -1), ("actions", "name"), ("id", 0), ("id", "x")]
)
def test_where_there_is_nothing_something_else_may_stand(path):
    assert at(TASK, path) is None and at(TASK, path, "nothing") == "nothing"
    with pytest.raises(LookupError):
        inside(TASK, path)


def test_a_copy_shares_what_it_does_not_change():
    changed = put(TASK, ("actions", 1, "name"), "refund")
    assert changed == TASK | {"actions": [{"name": "cancel"}, {"name": "refund"}]}
    assert changed["actions"][0] is TASK["actions"][0] and changed["a/b"] is TASK["a/b"]
    assert TASK["actions"][1] == {"name": "pay"}


def test_objects_on_the_way_are_made():
    assert put({"id": "7"}, ("a", "b"), 1) == {"id": "7", "a": {"b": 1}}
    assert put({"a": ["x"]}, ("a", "b"), 1) == {"a": {"b": 1}}
    assert put({"a": 1}, (), 2) == 2


def test_a_pointer_writes_a_path_and_gives_it_back():
    assert pointer(("a/b", 0, "~")) == "/a~1b/0/~0"
    assert keys("/a~1b/0/~0") == ("a/b", "0", "~")
    assert (pointer(()), keys("")) == ("", ())
