"""The schema handed to a model against the reference's, for all four files."""

import json
from pathlib import Path

import pytest

from review_app.core.envs import DOMAINS, environment_class
from review_app.core.envs.schema import tool_schemas
from review_app.core.locale.pack import parse_pack

LOCALES = Path(__file__).resolve().parents[2] / "data" / "locales" / "en"

FILES = [
    ("airline", "assistant", "airline.json"),
    ("retail", "assistant", "retail.json"),
    ("telecom", "assistant", "telecom.json"),
    ("telecom", "user", "telecom_user.json"),
]


@pytest.fixture(scope="module")
def packs():
    return {
        domain: parse_pack({p.name: p.read_text("utf-8") for p in LOCALES.glob(f"{domain}*.toml")})
        for domain in DOMAINS
    }


def shape(value):
    """A schema without its descriptions."""
    if isinstance(value, dict):
        return {
            key: shape(member)
            for key, member in value.items()
            if key != "description" or not isinstance(member, str)
        }
    return [shape(member) for member in value] if isinstance(value, list) else value


def texts_of(tools):
    """Descriptions by address, as an import of a tools.json would give them."""
    for tool in tools:
        function = tool["function"]
        name, parameters = function["name"], function["parameters"]
        yield f"tools.json#{name}/description", function["description"]
        for parameter, schema in parameters["properties"].items():
            yield f"tools.json#{name}/parameters/{parameter}", schema.get("description", "")
        for kind, schema in parameters.get("$defs", {}).items():
            yield f"tools.json#{name}/$defs/{kind}", schema.get("description", "")
            for field, member in schema.get("properties", {}).items():
                yield f"tools.json#{name}/$defs/{kind}/{field}", member.get("description", "")


@pytest.mark.parametrize(("domain", "requestor", "file"), FILES, ids=[f[2] for f in FILES])
def test_schemas_have_the_shape_of_the_reference(domain, requestor, file, shared, packs):
    wanted = json.loads((shared / "tools_schema" / file).read_text("utf-8"))
    ours = tool_schemas(environment_class(domain), packs[domain], requestor)
    assert {tool["function"]["name"]: shape(tool["function"]) for tool in ours} == {
        tool["function"]["name"]: shape(tool["function"]) for tool in wanted
    }
    assert all(tool["function"]["description"] for tool in ours)


@pytest.mark.parametrize(("domain", "requestor", "file"), FILES, ids=[f[2] for f in FILES])
def test_imported_texts_give_the_schema_of_the_reference(domain, requestor, file, shared, packs):
    wanted = json.loads((shared / "tools_schema" / file).read_text("utf-8"))
    texts = dict(texts_of(wanted))
    ours = tool_schemas(environment_class(domain), packs[domain], requestor, texts)
    assert {tool["function"]["name"]: tool["function"] for tool in ours} == {
        tool["function"]["name"]: tool["function"] for tool in wanted
    }


@pytest.mark.parametrize(("domain", "requestor", "file"), FILES, ids=[f[2] for f in FILES])
def test_tool_kinds_are_those_of_the_reference(domain, requestor, file, shared, packs):
    wanted = json.loads((shared / "tools_schema" / file).read_text("utf-8"))
    tools = environment_class(domain).tools
    kinds = {name: tool.kind for (side, name), tool in tools.items() if side == requestor}
    assert kinds == {tool["function"]["name"]: tool["x_tool_type"] for tool in wanted}
