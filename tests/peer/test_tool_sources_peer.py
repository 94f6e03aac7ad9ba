"""Tool schemas read from the installed benchmark's sources against those that it makes itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from peer_cases import PEER_VARIABLES, peer_python

from review_app.workflows.benchmark import files

FILES = [
    ("airline", "tools.json", "airline.json", 14),
    ("retail", "tools.json", "retail.json", 15),
    ("telecom", "tools.json", "telecom.json", 13),
    ("telecom", "user_tools.json", "telecom_user.json", 30),
]
"""Retail's `get_item_details` is younger than the version that is installed."""


@pytest.fixture(scope="module")
def package() -> Path:
    """The folder of the benchmark's package."""
    where = "import importlib.util as u; print(u.find_spec('tau2').submodule_search_locations[0])"
    done = subprocess.run(
        [str(peer_python()), "-c", where],
        env=PEER_VARIABLES,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


@pytest.mark.parametrize(("domain", "name", "reference", "number"), FILES)
def test_sources_give_the_schemas_of_the_reference(
    domain, name, reference, number, package, shared
):
    source = files.read_source(package, domain)
    listed = json.loads((shared / "tools_schema" / reference).read_text("utf-8"))
    wanted = {tool["function"]["name"]: tool for tool in listed}
    tools = json.loads(source.files[name])
    assert len(tools) == number
    for tool in tools:
        assert json.dumps(tool) == json.dumps(wanted[tool["function"]["name"]])
    assert source.notes == ()
