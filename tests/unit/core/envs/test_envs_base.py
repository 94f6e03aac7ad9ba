"""Dispatch, steps, shared states: what every environment does."""

import json
from pathlib import Path

import pytest

from review_app.core.envs import DOMAINS, environment_class, has_environment, open_environment
from review_app.core.envs.arguments import MAX_DEPTH, hostile
from review_app.core.envs.base import Environment, function, tool
from review_app.core.envs.hashing import HashIndex, reference_hash
from review_app.core.envs.state import Pristine, State, StateDraft
from review_app.core.locale.pack import parse_pack
from review_app.errors import BadInput, NotFound

LOCALES = Path(__file__).resolve().parents[4] / "data" / "locales" / "en"

TREE = {
    "counters": {"b": {"n": 1, "tags": ["x", "y"]}, "d": {"n": 2, "tags": []}},
    "empty": {},
    "log": [{"text": "first"}, {"text": "second"}],
    "settings": {"on": True},
}


class Counting(Environment):
    """A domain of three tools."""

    domain = "counting"
    tables = ("counters", "empty", "log")
    unordered = frozenset({"counters/*/tags"})

    @tool("read")
    def look(self, key: str) -> object:
        return self.db.find("counters", key) or self.refuse("missing", key=key)

    @tool("write")
    def add(self, key: str, amount: int = 1) -> object:
        self.look(key)
        counter = self.db.edit("counters", key)
        counter["n"] += amount
        return counter

    @tool("write", "user")
    def switch(self) -> str:
        settings = self.db.edit_single("settings")
        settings["on"] = not settings["on"]
        return "on" if settings["on"] else "off"

    @tool("write")
    def half(self) -> str:
        """Writes, then fails."""
        self.db.edit("counters", "b")["n"] = 99
        self.refuse("missing", key="half")

    @function("user", "look")
    def look_as_function(self) -> bool:
        return True


PACK = parse_pack(
    {
        "pack.toml": """
[messages]
error = "Error: {error}"
tool_not_found = "Tool '{name}' not found."
bad_arguments = "{name}: {problem}"
no_user_database = "none"
transferred = "done"
missing = "no {key}"
"""
    }
)


@pytest.fixture
def counting():
    return Counting(Counting.load(TREE, PACK), PACK)


def test_a_result_that_is_no_text_is_dumped_with_escapes(counting):
    step = counting.call("look", {"key": "b"})
    assert (step.ok, step.output) == (True, '{"n": 1, "tags": ["x", "y"]}')
    assert counting.render("日本") == "日本"
    assert counting.render(["日本"]) == '["\\u65e5\\u672c"]'


def test_a_refusal_says_what_the_agent_reads_and_leaves_the_state(counting):
    step = counting.call("look", {"key": "z"})
    assert (step.ok, step.output, step.error) == (False, "Error: no z", "no z")
    assert step.error_class == "ToolError"
    assert step.after[0] is step.before[0]


@pytest.mark.parametrize(
    ("name", "requestor"),
    [("nothing", "assistant"), ("", "assistant"), ("switch", "assistant"), ("look", "user")],
)
def test_an_unknown_tool_or_one_of_the_other_side_is_not_found(counting, name, requestor):
    step = counting.call(name, {}, requestor)
    assert step.output == f"Error: Tool '{name}' not found."
    assert step.kind is None


def test_a_tool_name_that_is_no_text_is_not_found(counting):
    assert not counting.call(["look"], {}).ok
    assert not counting.run("user", "nothing", {}).ok


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"key": "b", "more": 1},
        {"key": "b", "self": 1},
        {"key": "b", "tool_name": "x"},
        {"key": "b", "requestor": "user"},
        {"key": ["b"]},
        {"key": {"b": 1}},
        {"key": "b", 3: 1},
        {"key": 1 << 2000},
        {"key": b"b"},
        ["b"],
        None,
    ],
    ids=repr,
)
def test_arguments_that_do_not_fit_are_refused(counting, arguments):
    step = counting.call("look", arguments)
    assert not step.ok
    assert step.output.startswith("Error: ")


def test_a_number_too_long_to_print_is_refused(counting):
    step = counting.call("look", {"key": 10**5000})
    assert step.output == "Error: look: a number is too large"


def test_arguments_nested_too_deep_are_named():
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert hostile({"a": value}) == "nested too deep"
    assert hostile({"a": [[[1]]]}) == ""


def test_a_write_leaves_the_moment_before_as_it_was(counting):
    step = counting.call("add", {"key": "b", "amount": 4})
    assert step.before[0].find(("counters", "b"))["n"] == 1
    assert step.after[0].find(("counters", "b"))["n"] == 5
    assert TREE["counters"]["b"]["n"] == 1
    assert step.touched == ((("counters", "b"),), ())
    assert step.agent_hash == reference_hash(step.after[0].tree())
    assert step.user_hash is None


def test_a_tool_that_fails_after_writing_leaves_what_it_wrote(counting):
    step = counting.call("half", {})
    assert not step.ok
    assert step.after[0].find(("counters", "b"))["n"] == 99


def test_an_environment_can_step_back_and_fork(counting):
    start = counting.states()
    counting.call("add", {"key": "b"})
    fork = counting.fork()
    fork.call("add", {"key": "b"})
    assert counting.db.find("counters", "b")["n"] == 2
    assert fork.db.find("counters", "b")["n"] == 3
    counting.restore(start)
    assert counting.states()[0].hash == start[0].hash
    assert counting.db.find("counters", "b")["n"] == 1


def test_steps_after_a_step_back_do_not_reach_into_older_moments(counting):
    first = counting.call("add", {"key": "b"})
    counting.restore(first.before)
    counting.restore(first.after)
    counting.call("add", {"key": "b"})
    assert first.after[0].find(("counters", "b"))["n"] == 2


def test_functions_are_called_by_name_and_are_no_tools(counting):
    assert counting.run("user", "look", {}).value is True
    assert counting.run("assistant", "add", {"key": "d"}).value["n"] == 3
    assert ("user", "look") not in counting.tools


def test_a_domain_without_a_user_side_refuses_what_needs_one(counting):
    with pytest.raises(Exception, match="none"):
        counting.user_db  # noqa: B018


def test_hashes_follow_additions_at_every_place():
    pristine = Pristine(TREE, Counting.tables)
    draft = StateDraft(State(pristine))
    for key in ("a", "c", "cc", "e"):
        draft.add("counters", key, {"n": 0, "tags": ["é"]})
    draft.add("empty", "only", {"v": 1.0})
    draft.append("log", {"text": "third"})
    draft.append("log", {"text": "fourth"})
    draft.edit("log", 1)["text"] = "changed"
    draft.edit("counters", "d")["n"] = -1
    draft.edit_single("settings")["on"] = None
    state = draft.freeze()
    assert state.hash == reference_hash(state.tree())
    assert [text["text"] for text in state.tree()["log"]] == ["first", "changed", "third", "fourth"]
    assert dict(draft.rows("counters")).keys() == {"a", "b", "c", "cc", "d", "e"}


def test_an_index_finds_the_pristine_hash_of_any_tree():
    for tree in (
        {},
        {"a": 1},
        {"log": []},
        TREE,
        {"t": {str(n): {"x": "y" * 500} for n in range(999)}},
    ):
        assert HashIndex(tree, ("counters", "empty", "log", "t")).pristine == reference_hash(tree)


def test_a_change_deep_in_a_long_table_is_hashed_from_a_checkpoint():
    tree = {"t": {f"{n:04}": {"x": "y" * 500} for n in range(999)}}
    draft = StateDraft(State(Pristine(tree, ("t",))))
    draft.edit("t", "0900")["x"] = "z"
    draft.edit("t", "0300")["x"] = "z"
    state = draft.freeze()
    assert state.hash == reference_hash(state.tree())


def test_the_canonical_hash_ignores_order_where_it_means_nothing(counting):
    plain = counting.states()[0].canonical_hash
    counting.db.edit("counters", "b")["tags"].reverse()
    state = counting.states()[0]
    assert state.canonical_hash == plain
    assert state.hash != Pristine(TREE, Counting.tables).hashes.pristine
    counting.db.edit("counters", "b")["tags"].append("z")
    assert counting.states()[0].canonical_hash != plain


def test_the_canonical_hash_keeps_order_where_it_means_something():
    first = State(Pristine({"log": [1, 2]})).canonical_hash
    assert first != State(Pristine({"log": [2, 1]})).canonical_hash
    assert first == State(Pristine({"log": [2, 1]}, unordered=frozenset({"log"}))).canonical_hash


def test_unknown_domains_have_no_environment():
    assert has_environment("airline")
    assert not has_environment("banking")
    with pytest.raises(NotFound, match="banking"):
        environment_class("banking")


def test_plain_json_is_loaded_and_left_as_it_was(sample):
    folder = sample / "tau2" / "domains" / "airline"
    text = (folder / "db.json").read_text("utf-8")
    pack = parse_pack({"airline.toml": (LOCALES / "airline.toml").read_text("utf-8")})
    raw = json.loads(text)
    environment = open_environment("airline", raw, pack)
    reservation = next(iter(raw["reservations"]))
    assert environment.call("cancel_reservation", {"reservation_id": reservation}).ok
    assert raw == json.loads(text)


@pytest.mark.parametrize(
    ("change", "address"),
    [
        (lambda db: db.pop("users"), "/users"),
        (lambda db: db["users"].update(x=[]), "/users/x"),
        (
            lambda db: next(iter(db["users"].values())).update(membership="gold plated"),
            "membership",
        ),
        (lambda db: next(iter(db["reservations"].values())).update(flights={}), "flights"),
        (lambda db: next(iter(db["reservations"].values())).update(total_baggages="x"), "baggages"),
        (lambda db: next(iter(db["flights"].values())).update(flight_number=7), "flight_number"),
    ],
)
def test_a_broken_database_is_refused_with_its_address(sample, change, address):
    raw = json.loads((sample / "tau2" / "domains" / "airline" / "db.json").read_text("utf-8"))
    change(raw)
    pack = parse_pack({"airline.toml": (LOCALES / "airline.toml").read_text("utf-8")})
    with pytest.raises(BadInput, match=address):
        DOMAINS["airline"].load(raw, pack)
