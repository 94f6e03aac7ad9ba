"""Tools in the Python sources of a checkout: where they are looked for, and what is exported."""

from __future__ import annotations

import json
import shutil

import pytest
from sample_project import SAMPLE, sample_store, written

from review_app.errors import BadInput
from review_app.workflows.benchmark import files
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

USER_TOOLS = '''
from typing import Optional, Union
from tau2.domains.telecom.user_data_model import APN, Settings
from tau2.utils import Base


class UserTools(ToolKitBase):
    @is_tool(ToolType.WRITE)
    def set_apn(
        self,
        settings: Union[Settings, dict],
        name: Optional[APN] = APN.INTERNET,
        backup: APN = APN.BROKEN,
    ) -> str:
        """Set it.

        Args:
            name: Its name.
        """
        raise ValueError("No such APN")
'''

DATA = """
from enum import Enum
from pydantic import Field
from tau2.utils.models import Base


class APN(str, Enum):
    INTERNET = "internet"
    BROKEN = "broken"


class Settings(Base):
    apn: APN = Field(APN.INTERNET, description="Its name.")
    note: str = "internet"
"""

MODELS = """
from pydantic import BaseModel, ConfigDict


class Base(BaseModel):
    model_config = ConfigDict(extra="forbid")
"""

WANTED = {
    "$defs": {
        "APN": {"enum": ["internet", "broken"], "title": "APN", "type": "string"},
        "Settings": {
            "additionalProperties": False,
            "properties": {
                "apn": {"$ref": "#/$defs/APN", "default": "internet", "description": "Its name."},
                "note": {"default": "internet", "title": "Note", "type": "string"},
            },
            "title": "Settings",
            "type": "object",
        },
    },
    "properties": {
        "settings": {
            "anyOf": [
                {"$ref": "#/$defs/Settings"},
                {"additionalProperties": True, "type": "object"},
            ],
            "title": "Settings",
        },
        "name": {
            "anyOf": [{"$ref": "#/$defs/APN"}, {"type": "null"}],
            "default": "internet",
            "description": "Its name.",
        },
        "backup": {"$ref": "#/$defs/APN", "default": "broken"},
    },
    "required": ["settings"],
    "title": "parameters",
    "type": "object",
}


@pytest.fixture
def checkout(tmp_path):
    """The sample's telecom domain with user tools in Python instead of JSON."""
    root = tmp_path / "tau2-bench"
    data = root / "data" / "tau2" / "domains" / "telecom"
    shutil.copytree(SAMPLE / "domains" / "telecom", data)
    (data / "user_tools.json").unlink()
    package = root / "src" / "tau2"
    code = package / "domains" / "telecom"
    code.mkdir(parents=True)
    (code / "user_tools.py").write_text(USER_TOOLS)
    (code / "user_data_model.py").write_text(DATA)
    (package / "utils").mkdir()
    (package / "utils" / "models.py").write_text(MODELS)
    return root


def parameters(source):
    (tool,) = json.loads(source.files["user_tools.json"])
    return tool["function"]["parameters"]


def test_types_are_read_from_the_modules_of_the_checkout(checkout):
    source = files.read_source(checkout, "telecom")
    assert (parameters(source), source.notes) == (WANTED, ())


def test_the_folder_of_an_installed_benchmark_is_a_checkout_too(checkout):
    package = checkout / "src" / "tau2"
    shutil.move(checkout / "data", package / "data")
    assert parameters(files.read_source(package, "telecom")) == WANTED


def test_tools_in_json_go_before_those_in_python(checkout):
    (checkout / "given.json").write_text("[]")
    source = files.read_source(checkout, "telecom", user_tools=checkout / "given.json")
    assert source.files["user_tools.json"] == "[]"


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda path: path.write_bytes(b"\xff"), "is not UTF-8 (byte 0xff): save it as UTF-8"),
        (lambda path: path.write_text("x ="), "not Python: invalid syntax"),
        (lambda path: path.unlink(), ""),
        (lambda path: (path.unlink(), path.symlink_to(path)), ""),
        (lambda path: (path.unlink(), path.mkdir()), ""),
    ],
    ids=["another code", "no Python", "absent", "a link to itself", "a folder"],
)
def test_a_module_that_cannot_be_read_is_told_and_its_types_are_left_out(checkout, spoil, problem):
    spoil(checkout / "src" / "tau2" / "domains" / "telecom" / "user_data_model.py")
    source = files.read_source(checkout, "telecom")
    assert parameters(source)["properties"] == {
        "settings": {
            "anyOf": [{}, {"additionalProperties": True, "type": "object"}],
            "title": "Settings",
        },
        "name": {"anyOf": [{}, {"type": "null"}], "description": "Its name.", "title": "Name"},
        "backup": {"title": "Backup"},
    }
    told = [str(note) for note in source.notes]
    if problem:
        assert f"tau2/domains/telecom/user_data_model.py is not read: {problem}" in told
    assert [note for note in told if "line 11" in note] == [
        "user_tools.py line 11: 'Settings' is not read, the schema of 'set_apn.settings' goes "
        "without it"
    ]


def test_a_module_outside_of_the_source_is_never_read(checkout, tmp_path):
    path = checkout / "src" / "tau2" / "domains" / "telecom" / "user_data_model.py"
    path.rename(tmp_path / "outside.py")
    path.symlink_to(tmp_path / "outside.py")
    source = files.read_source(checkout, "telecom")
    assert "$defs" not in parameters(source)
    assert any("points outside the source folder" in str(note) for note in source.notes)


def test_names_that_lead_nowhere_are_no_paths(checkout):
    path = checkout / "src" / "tau2" / "domains" / "telecom" / "user_tools.py"
    long = "x" * 5000
    head = f"from tau2.{long} import Settings\nfrom ......a import APN\nimport tau2 as T\n"
    path.write_text(head + USER_TOOLS.partition("import Base\n")[2])
    assert "$defs" not in parameters(files.read_source(checkout, "telecom"))


def test_half_a_character_in_the_sources_is_refused(checkout):
    path = checkout / "src" / "tau2" / "domains" / "telecom" / "user_data_model.py"
    path.write_text(DATA.replace('note: str = "internet"', 'note: str = "\\ud800"'))
    with pytest.raises(BadInput, match="half a character"):
        files.read_source(checkout, "telecom")


def test_an_import_says_what_of_the_sources_was_not_understood(checkout, store):
    path = checkout / "src" / "tau2" / "domains" / "telecom" / "user_data_model.py"
    path.write_text(DATA.replace("APN.INTERNET", "choose()"))
    request = ImportRequest(checkout, "telecom")
    note = (
        "tau2/domains/telecom/user_data_model.py line 13: 'choose()' is not read, the schema of "
        "'Settings.apn' goes without it"
    )
    assert note in map(str, import_domain.import_domain(store, request).notes)
    assert import_domain.import_domain(store, request).notes == []


def test_localized_tools_from_sources_have_the_words_of_the_target_and_keep_their_form(
    checkout, tmp_path
):
    store = sample_store(tmp_path, "telecom", source=checkout)
    localized = written(store, "telecom", tmp_path / "out")
    store.close()
    (tool,) = json.loads(localized["telecom/user_tools.json"])
    here = json.dumps(tool["function"]["parameters"], ensure_ascii=False)
    wanted = json.loads(json.dumps(WANTED))
    wanted["$defs"]["APN"]["enum"] = ["インターネット", "不正"]
    wanted["$defs"]["Settings"]["properties"]["apn"]["default"] = "インターネット"
    wanted["properties"]["name"]["default"] = "インターネット"
    wanted["properties"]["backup"]["default"] = "不正"
    assert here == json.dumps(wanted, ensure_ascii=False)
