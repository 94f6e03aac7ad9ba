"""Tools and messages read from Python text."""

from __future__ import annotations

import json

import pytest

from review_app.core.formats import check_source, python_messages, python_tools, units
from review_app.errors import BadInput

MODULE = '''
import enum
from typing import Annotated, Literal, Optional, Union

Cabin = Literal["business", "economy"]
Trip: TypeAlias = Literal["one_way"]

class Mode(str, enum.Enum):
    FAST = "fast"
    SLOW = "slow"

print("never run")

class Tools(ToolKitBase):
    def helper(self):
        raise ValueError("Helper failed")

    @is_tool(ToolType.WRITE)
    def book(self, user: str, cabin: Cabin, *, mode: Union[Mode, str], trips: "list[Trip]",
             n: int = 3, note: Optional[str] = None, x=1) -> str:
        """Book a thing.

        Note: only once.
          - really

        Args:
            user: The user,
                such as "u1".
            cabin (str): The cabin: one of two.

        Returns:
            The thing
            booked.

        Raises:
            ValueError: If full.
            KeyError: Never.
        """
        raise ValueError(f"User {user} of {self.name} not found")

    @toolkit.is_tool(ToolType.READ)
    def look(self) -> str:
        raise ValueError(f"user not found.")
'''


def test_a_decorated_method_becomes_a_tool():
    book, look = python_tools(MODULE, "tools.py")
    assert look["function"]["name"] == "look"
    assert look["x_tool_type"] == "read"
    assert book["function"] == {
        "name": "book",
        "description": "Book a thing.\n\nNote: only once.\n  - really",
        "parameters": {
            "$defs": {"Mode": {"enum": ["fast", "slow"], "title": "Mode", "type": "string"}},
            "properties": {
                "user": {
                    "description": 'The user,\nsuch as "u1".',
                    "title": "User",
                    "type": "string",
                },
                "cabin": {
                    "description": "The cabin: one of two.",
                    "enum": ["business", "economy"],
                    "title": "Cabin",
                    "type": "string",
                },
                "mode": {"anyOf": [{"$ref": "#/$defs/Mode"}, {"type": "string"}], "title": "Mode"},
                "trips": {
                    "items": {"const": "one_way", "type": "string"},
                    "title": "Trips",
                    "type": "array",
                },
                "n": {"default": 3, "title": "N", "type": "integer"},
                "note": {
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": None,
                    "title": "Note",
                },
                "x": {"default": 1, "title": "X"},
            },
            "required": ["user", "cabin", "mode", "trips"],
            "title": "parameters",
            "type": "object",
        },
    }
    assert book["x_returns"]["properties"]["returns"]["description"] == "The thing\nbooked."
    assert book["x_raises"] == [
        {"type": "ValueError", "desc": "If full."},
        {"type": "KeyError", "desc": "Never."},
    ]


def test_the_tools_are_a_tools_file():
    raw = json.dumps(python_tools(MODULE, "tools.py"))
    check_source("tools.json", raw, "airline")
    addresses = [unit.address for unit in units("tools.json", raw)]
    assert "tools.json#book/parameters/cabin/enum/business" in addresses
    assert "tools.json#book/$defs/Mode/enum/slow" in addresses


def test_messages_are_keyed_by_their_words():
    assert python_messages(MODULE) == {
        "helper_failed": "Helper failed",
        "user_of_not_found": "User {user} of {self.name} not found",
        "user_not_found": "user not found.",
    }


def test_different_messages_with_the_same_words_stay_apart():
    text = (
        'raise ValueError("No.")\nraise ValueError("no")\nraise ValueError("No.")\nraise E("x")\n'
    )
    assert python_messages(text) == {"no": "No.", "no_2": "no"}


def any_of(*types):
    return {"anyOf": [{"type": name} for name in types]}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str | int | None", any_of("string", "integer", "null")),
        ("Annotated[str, 5]", {"type": "string"}),
        ("dict[str, int]", {"additionalProperties": {"type": "integer"}, "type": "object"}),
        ("Optional[Union[int, str]]", any_of("integer", "string", "null")),
        ("Record", {}),
        ("Record[int]", {}),
        ("'('", {}),
    ],
)
def test_annotations_become_schemas(annotation, schema):
    text = f"class T:\n  @is_tool()\n  def f(self, a: {annotation}): pass"
    properties = python_tools(text, "t.py")[0]["function"]["parameters"]["properties"]
    assert properties["a"] == schema | {"title": "A"}


def test_a_name_defined_by_itself_ends():
    text = "A = A\nclass T:\n  @is_tool()\n  def f(self, a: A, b): pass"
    assert python_tools(text, "t.py")[0]["function"]["parameters"]["properties"] == {
        "a": {"title": "A"},
        "b": {"title": "B"},
    }


def test_a_message_too_deep_to_write_is_refused():
    with pytest.raises(BadInput, match="too deep"):
        python_messages(f"raise ValueError(f'{{a{'.a' * 1500}}}')")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def (:", "line 1: not Python"),
        ("x = '\x00'", "tools.py"),
        ("(" * 500 + ")" * 500, "tools.py"),
    ],
    ids=["syntax", "nul", "depth"],
)
def test_what_is_not_python_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        python_tools(text, "tools.py")
