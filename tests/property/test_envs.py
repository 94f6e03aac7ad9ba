"""What holds whatever a model calls the tools with."""

import json
import tomllib
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from review_app.core.envs import DOMAINS, open_environment
from review_app.core.envs.calculator import InvalidCharacters, NotComputable, calculate
from review_app.core.envs.hashing import reference_hash
from review_app.core.envs.state import Pristine, State, StateDraft
from review_app.core.locale.pack import parse_pack
from review_app.core.tasks.replay import replay
from review_app.core.tasks.statediff import changes, line

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample" / "tau2" / "domains"
LOCALES = ROOT / "data" / "locales" / "en"
HALF_WRITES = {
    "book_reservation": "a certificate listed twice",
    "set_network_mode_preference": "a value of another type",
    "set_apn_settings": "a value of another type",
}

QUICK = settings(max_examples=60, deadline=None)

texts = st.text(max_size=12) | st.sampled_from(["\ud800", "#W", "𩸽", "0", "\x00", "R4XW9T"])
numbers = (
    st.integers()
    | st.floats()
    | st.sampled_from([10**400, -(2**1024), 2**1023, 1e308, -0.0, 10**4000])
)
hostile = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
) | st.integers(1, 300).map(lambda depth: json.loads("[" * depth + "]" * depth))


@cache
def opened(domain):
    folder = SAMPLE / domain
    states = []
    for name in ("db", "user_db"):
        for suffix, read in ((".json", json.loads), (".toml", tomllib.loads)):
            if (folder / f"{name}{suffix}").exists():
                states.append(read((folder / f"{name}{suffix}").read_text("utf-8")))
    pack = parse_pack({p.name: p.read_text("utf-8") for p in LOCALES.glob(f"{domain}*.toml")})
    return open_environment(domain, states[0], pack, *states[1:])


@cache
def gold_calls(domain):
    tasks = json.loads((SAMPLE / domain / "tasks.json").read_text("utf-8"))
    criteria = [task.get("evaluation_criteria") or {} for task in tasks]
    return [action for criterion in criteria for action in criterion.get("actions") or ()]


def state_hashes(environment):
    return [(state.hash, state.canonical_hash) for state in environment.states() if state]


@st.composite
def hostile_calls(draw, domain):
    """A tool with arguments of any kind, some of them right."""
    tool = draw(st.sampled_from(sorted(DOMAINS[domain].tools)))
    known = [c for c in gold_calls(domain) if c["name"] == tool[1]]
    arguments = dict(draw(st.sampled_from(known))["arguments"]) if known else {}
    names = list(tool_parameters(domain, tool))
    for name in draw(st.lists(st.sampled_from([*names, "extra"]), max_size=3)):
        arguments[name] = draw(hostile)
    return tool, arguments


def tool_parameters(domain, tool):
    code = DOMAINS[domain].tools[tool].method.__code__
    return code.co_varnames[1 : code.co_argcount]


@pytest.mark.parametrize("domain", DOMAINS)
def test_hostile_arguments_are_answered_and_refusals_and_reads_change_nothing(domain):
    pristine = state_hashes(opened(domain))

    @QUICK
    @given(hostile_calls(domain))
    def check(call):
        (requestor, name), arguments = call
        environment = opened(domain).fork()
        step = environment.call(name, arguments, requestor)
        assert isinstance(step.output, str)
        assert step.agent_hash == reference_hash(environment.states()[0].tree())
        assert all(line(change) for change in changes(step.before, step.after))
        if step.kind != "write" or (not step.ok and name not in HALF_WRITES):
            assert state_hashes(environment) == pristine

    check()


@pytest.mark.parametrize("arguments", [None, 3, "x", ["x"], {1: 2}, {"user_id": {1, 2}}], ids=repr)
@pytest.mark.parametrize("domain", DOMAINS)
def test_arguments_that_are_no_object_are_refused_by_every_tool(domain, arguments):
    environment = opened(domain).fork()
    for requestor, name in environment.tools:
        takes_nothing = not tool_parameters(domain, (requestor, name)) and not arguments
        assert takes_nothing or not environment.call(name, arguments, requestor).ok


@pytest.mark.parametrize("domain", DOMAINS)
def test_replay_is_deterministic_and_touches_no_other_environment(domain):
    pristine = state_hashes(opened(domain))

    @QUICK
    @given(st.lists(st.sampled_from(gold_calls(domain)), max_size=6))
    def check(actions):
        first, second = (replay(opened(domain).fork(), actions) for _ in range(2))
        assert first.as_json() == second.as_json()
        assert first.canonical_hash == second.canonical_hash
        assert first.agent_db_hash == reference_hash(first.final[0].tree())
        assert state_hashes(opened(domain)) == pristine

    check()


def shuffled(value, random):
    """The same JSON value with the keys of its objects in another order."""
    if isinstance(value, dict):
        keys = list(value)
        random.shuffle(keys)
        return {key: shuffled(value[key], random) for key in keys}
    return [shuffled(member, random) for member in value] if isinstance(value, list) else value


@pytest.mark.parametrize("domain", DOMAINS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_both_hashes_ignore_the_order_of_keys(domain, seed):
    random = Random(seed)
    environment = opened(domain)
    state = environment.states()[0]
    other = State(
        Pristine(shuffled(state.tree(), random), environment.tables, environment.unordered)
    )
    assert other.hash == state.hash
    assert other.canonical_hash == state.canonical_hash


@QUICK
@given(st.data())
def test_the_canonical_hash_ignores_the_order_of_passengers_and_nothing_more(data):
    environment = opened("airline").fork()
    keys = [key for key, _ in environment.db.rows("reservations")]
    reservation = environment.db.edit("reservations", data.draw(st.sampled_from(keys)))
    before = opened("airline").states()[0].canonical_hash
    for field in ("passengers", "payment_history"):
        reservation[field] = data.draw(st.permutations(reservation[field]))
    assert environment.states()[0].canonical_hash == before
    flights = reservation["flights"]
    reversed_flights = flights[::-1]
    assume(reversed_flights != flights)
    environment.db.edit("reservations", reservation["reservation_id"])["flights"] = reversed_flights
    assert environment.states()[0].canonical_hash != before


keys = st.text("abcé~/", max_size=2)
rows = st.dictionaries(keys, st.dictionaries(keys, st.integers(0, 3), max_size=2), max_size=5)


@QUICK
@given(table=rows, log=st.lists(st.text(max_size=2), max_size=3), changed=rows, other=st.integers())
def test_a_changed_state_hashes_as_its_tree_does(table, log, changed, other):
    pristine = Pristine({"table": table, "log": log, "one": {"n": 0}}, ("table", "log"))
    draft = StateDraft(State(pristine))
    before = draft.freeze()
    for key, record in changed.items():
        draft.add("table", key, record)
    draft.append("log", {"n": other})
    draft.edit_single("one")["n"] = other
    state = draft.freeze()
    tree = {"table": {**table, **changed}, "log": [*log, {"n": other}], "one": {"n": other}}
    assert state.tree() == tree
    assert state.hash == reference_hash(tree)
    assert state.canonical_hash == State(Pristine(tree, ("table", "log"))).canonical_hash
    assert before.hash == pristine.hashes.pristine


@QUICK
@given(st.text("0123456789+-*/(). ", max_size=40) | st.text(max_size=8))
def test_the_calculator_answers_or_refuses(expression):
    try:
        result = calculate(expression)
    except (InvalidCharacters, NotComputable):
        return
    float(result)
