"""The telecom environment against the recorded behaviour of the reference."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from review_app.core import conformance
from review_app.core.envs import open_environment
from review_app.core.envs.hashing import reference_hash
from review_app.core.envs.schema import tool_schemas
from review_app.core.envs.telecom import TelecomEnvironment
from review_app.core.locale.pack import parse_pack

LOCALES = Path(__file__).resolve().parents[2] / "data" / "locales" / "en"
FILES = ("telecom.jsonl", "telecom_env.jsonl")


@pytest.fixture(scope="module")
def pack():
    names = ("telecom.toml", "telecom_user.toml")
    return parse_pack({name: (LOCALES / name).read_text("utf-8") for name in names})


@pytest.fixture(scope="module")
def loaded(shared, pack):
    folder = shared / "tau2" / "domains" / "telecom"
    raw = [
        tomllib.loads((folder / name).read_text("utf-8")) for name in ("db.toml", "user_db.toml")
    ]
    return TelecomEnvironment.load(raw[0], pack), TelecomEnvironment.load_user(raw[1], pack)


def records(shared, name):
    with (shared / "conformance" / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def test_loaded_databases_are_the_recorded_trees(shared, loaded):
    pristine = json.loads((shared / "conformance" / "telecom_pristine.json").read_text("utf-8"))
    meta = next(records(shared, FILES[0]))["pristine_hash"]
    for state, side in zip(loaded, ("agent", "user"), strict=True):
        assert json.dumps(state.tree) == json.dumps(pristine[side])
        assert reference_hash(state.tree) == meta[side]


def test_every_telecom_record_agrees(shared, loaded, pack):
    found = [record for name in FILES for record in records(shared, name)]
    opened = {"telecom": lambda: open_environment("telecom", loaded[0], pack, loaded[1])}
    report = conformance.run(found, opened)
    wanted = Counter(record["kind"] for record in found)
    print(f"telecom: {sum(report.agreeing.values())} of {len(found)} records agree")
    assert [each.line() for each in report.first] == []
    assert report.agreeing == wanted


def without_descriptions(value):
    if isinstance(value, list):
        return [without_descriptions(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {k: v for k, v in value.items() if k != "description" or isinstance(v, dict)}
    return {key: without_descriptions(each) for key, each in kept.items()}


@pytest.mark.parametrize(
    ("name", "side"), [("telecom.json", "assistant"), ("telecom_user.json", "user")]
)
def test_schemas_have_the_recorded_shape(shared, pack, name, side):
    recorded = json.loads((shared / "tools_schema" / name).read_text("utf-8"))
    wanted = [each["function"] for each in recorded]
    made = [each["function"] for each in tool_schemas(TelecomEnvironment, pack, side)]
    assert all(each["description"] for each in made)
    by_name = [
        {each["name"]: without_descriptions(each) for each in side} for side in (made, wanted)
    ]
    assert by_name[0] == by_name[1]
