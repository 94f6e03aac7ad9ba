"""What holds for every tool of every domain."""

import inspect
import json
import re
import tomllib
from pathlib import Path

import pytest

from review_app.core.envs import DOMAINS, open_environment
from review_app.core.envs.schema import PARAMETER_TEXTS, tool_schemas
from review_app.core.locale.pack import parse_pack

LOCALES = Path(__file__).resolve().parents[2] / "data" / "locales" / "en"
TOOLS = [
    pytest.param(domain, tool, id=f"{domain}-{tool.requestor}-{tool.name}")
    for domain, kind in DOMAINS.items()
    for tool in kind.tools.values()
]


def pack_of(domain):
    return parse_pack({p.name: p.read_text("utf-8") for p in LOCALES.glob(f"{domain}*.toml")})


def opened(domain, sample):
    folder = sample / "tau2" / "domains" / domain
    states = []
    for name in ("db", "user_db"):
        if (folder / f"{name}.json").exists():
            states.append(json.loads((folder / f"{name}.json").read_text("utf-8")))
        elif (folder / f"{name}.toml").exists():
            states.append(tomllib.loads((folder / f"{name}.toml").read_text("utf-8")))
    return open_environment(domain, states[0], pack_of(domain), *states[1:])


@pytest.mark.parametrize(("domain", "tool"), TOOLS)
def test_every_tool_says_what_it_gives(domain, tool):
    summary = (inspect.getdoc(tool.method) or "").partition("\n")[0]
    assert summary.endswith("."), "a model reads the first docstring line"


@pytest.mark.parametrize(("domain", "tool"), TOOLS)
def test_every_schema_has_the_parameters_of_its_method(domain, tool):
    schemas = tool_schemas(DOMAINS[domain], pack_of(domain), tool.requestor)
    (function,) = (s["function"] for s in schemas if s["function"]["name"] == tool.name)
    parameters = list(inspect.signature(tool.method).parameters.values())[1:]
    assert list(function["parameters"]["properties"]) == [
        parameter.name for parameter in parameters
    ]
    required = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    assert function["parameters"].get("required", []) == required
    assert {parameter.name for parameter in parameters} <= set(PARAMETER_TEXTS)
    assert json.loads(json.dumps(function)) == function


def test_every_parameter_text_is_used():
    names = {
        name
        for kind in DOMAINS.values()
        for tool in kind.tools.values()
        for name in inspect.signature(tool.method).parameters
    }
    assert set(PARAMETER_TEXTS) <= names


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_message_and_amount_a_tool_names_is_in_the_pack(domain):
    code = "\n".join(inspect.getsource(base) for base in DOMAINS[domain].__mro__[:-1])
    pack = pack_of(domain)
    used = set(re.findall(r'(?:refuse|\.message)\(\s*"(\w+)"', code))
    assert used
    assert used <= set(pack.messages)
    assert set(re.findall(r'\.amount\("(\w+)"', code)) <= set(pack.amounts)
    for field, name in re.findall(r'\.word\(\s*"(\w+)", "([^"]+)"\)', code):
        assert name in pack.words[field]


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_every_message_of_the_pack_is_used(domain):
    code = "\n".join(inspect.getsource(base) for base in DOMAINS[domain].__mro__[:-1])
    assert {name for name in pack_of(domain).messages if f'"{name}"' not in code} == set()


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_unordered_pattern_names_a_list(domain, sample):
    environment = opened(domain, sample)
    for side, patterns in zip(
        environment.states(), (environment.unordered, environment.user_unordered), strict=True
    ):
        tree = side.tree() if side else {}
        for pattern in patterns:
            places = [tree]
            for part in pattern.split("/"):
                members = [list(p.values()) if isinstance(p, dict) else p for p in places if p]
                places = (
                    [member for group in members for member in group]
                    if part == "*"
                    else [place[part] for place in places]
                )
            assert all(isinstance(place, list | dict | None) for place in places), pattern


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_sample_opens_and_hashes(domain, sample):
    environment = opened(domain, sample)
    assert json.loads(json.dumps(environment.states()[0].tree())) == environment.states()[0].tree()
    assert len(environment.states()[0].hash) == 64
