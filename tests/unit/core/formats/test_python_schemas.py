"""Tool schemas read from sources: the whole of them, and against pydantic itself."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from review_app.core.formats import check_source, python_tools
from review_app.core.formats.python import names
from review_app.errors import BadInput

TOOLS = '''
from __future__ import annotations

import shop.words as words
from typing import TYPE_CHECKING, List, Union

from . import data
from .data import Colour, Parcel, Size
from shop import Reexported

if TYPE_CHECKING:
    from shop.data import Day

LIMIT = 12


class Tools(ToolKit):
    @is_tool(ToolType.WRITE)
    def send(
        self,
        parcel: Parcel,
        parcels: List[Parcel | dict],
        size: Size,
        colour: Union[Colour, str] = Colour.DARK_RED,
        day: "Day | None" = None,
        word: words.Word = "yes",
        limit: int = LIMIT,
        kind: Reexported = data.KIND,
    ) -> tuple[Parcel, data.Colour]:
        """Send a parcel.
        It costs.

        Args:
            parcel: What to send.
            size (str): One of the sizes.

        Returns:
            Parcel: What was sent.

        Raises:
            ValueError: If it is lost.
        """
'''

DATA = '''
import enum
from datetime import date
from typing import Annotated, ClassVar, Literal, Optional

import pydantic
from pydantic import BaseModel, ConfigDict, Field

from shop.base import Strict

Size = Literal["small", "large"]
Day = Annotated[date, Field(description="A day")]
KIND = "letter"
FIRST = date(2025, 1, 1)


class Colour(str, enum.Enum):
    """A colour."""

    DARK_RED = "dark red"
    BLUE = "blue"


class Side(pydantic.BaseModel):
    """One side
    of a parcel."""

    width: float = 0.5
    cut: Literal["cut"] = Field(description="Always cut")
    inner: Optional["Parcel"] = None


class Parcel(Strict):
    limit: ClassVar[int] = 3
    _secret: int = 0
    size: Size = Field(default="small", description="How " "large")
    colour: Colour = Field(Colour.BLUE, description="Its colour", validate_default=True)
    sides: list[Side] = Field(default_factory=list, title="All sides")
    sent: Day = FIRST
    names: dict[Size, str]
    numbers: Optional[dict[str, int]] = Field(default=None)
    either: Side | None = None

    def weigh(self) -> int:
        return 3
'''

MODULES = {
    "shop.data": DATA,
    "shop.base": """
from pydantic import BaseModel, ConfigDict, Field


class Named(BaseModel):
    name: str = Field(..., description="The name")
    size: int


class Strict(Named):
    model_config = ConfigDict(extra="forbid")
""",
    "shop.words": 'from typing import Literal\nWord = Literal["yes", "no"]\n',
    "shop.__init__": "from .more import Kind as Reexported\n",
    "shop.more": 'from typing import Literal\nKind = Literal["letter", "box", "letter"]\n',
}

SIZE = {"enum": ["small", "large"], "type": "string"}
DEFS = {
    "Colour": {
        "description": "A colour.",
        "enum": ["dark red", "blue"],
        "title": "Colour",
        "type": "string",
    },
    "Parcel": {
        "additionalProperties": False,
        "properties": {
            "name": {"description": "The name", "title": "Name", "type": "string"},
            "size": {"default": "small", "description": "How large", "title": "Size", **SIZE},
            "colour": {"$ref": "#/$defs/Colour", "default": "blue", "description": "Its colour"},
            "sides": {"items": {"$ref": "#/$defs/Side"}, "title": "All sides", "type": "array"},
            "sent": {
                "default": "2025-01-01",
                "description": "A day",
                "format": "date",
                "title": "Sent",
                "type": "string",
            },
            "names": {
                "additionalProperties": {"type": "string"},
                "propertyNames": {"enum": ["small", "large"]},
                "title": "Names",
                "type": "object",
            },
            "numbers": {
                "anyOf": [
                    {"additionalProperties": {"type": "integer"}, "type": "object"},
                    {"type": "null"},
                ],
                "default": None,
                "title": "Numbers",
            },
            "either": {"anyOf": [{"$ref": "#/$defs/Side"}, {"type": "null"}], "default": None},
        },
        "required": ["name", "names"],
        "title": "Parcel",
        "type": "object",
    },
    "Side": {
        "description": "One side\nof a parcel.",
        "properties": {
            "width": {"default": 0.5, "title": "Width", "type": "number"},
            "cut": {"const": "cut", "description": "Always cut", "title": "Cut", "type": "string"},
            "inner": {"anyOf": [{"$ref": "#/$defs/Parcel"}, {"type": "null"}], "default": None},
        },
        "required": ["cut"],
        "title": "Side",
        "type": "object",
    },
}

WANTED = {
    "type": "function",
    "function": {
        "name": "send",
        "description": "Send a parcel.\n\nIt costs.",
        "parameters": {
            "$defs": DEFS,
            "properties": {
                "parcel": {"$ref": "#/$defs/Parcel", "description": "What to send."},
                "parcels": {
                    "items": {
                        "anyOf": [
                            {"$ref": "#/$defs/Parcel"},
                            {"additionalProperties": True, "type": "object"},
                        ]
                    },
                    "title": "Parcels",
                    "type": "array",
                },
                "size": {"description": "One of the sizes.", "title": "Size", **SIZE},
                "colour": {
                    "anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "string"}],
                    "default": "dark red",
                    "title": "Colour",
                },
                "day": {
                    "anyOf": [
                        {"description": "A day", "format": "date", "type": "string"},
                        {"type": "null"},
                    ],
                    "default": None,
                    "title": "Day",
                },
                "word": {
                    "default": "yes",
                    "enum": ["yes", "no"],
                    "title": "Word",
                    "type": "string",
                },
                "limit": {"default": 12, "title": "Limit", "type": "integer"},
                "kind": {
                    "default": "letter",
                    "enum": ["letter", "box"],
                    "title": "Kind",
                    "type": "string",
                },
            },
            "required": ["parcel", "parcels", "size"],
            "title": "parameters",
            "type": "object",
        },
    },
    "x_tool_type": "write",
    "x_mutates_state": True,
    "x_returns": {
        "$defs": DEFS,
        "properties": {
            "returns": {
                "description": "What was sent.",
                "maxItems": 2,
                "minItems": 2,
                "prefixItems": [{"$ref": "#/$defs/Parcel"}, {"$ref": "#/$defs/Colour"}],
                "title": "Returns",
                "type": "array",
            }
        },
        "required": ["returns"],
        "title": "returns",
        "type": "object",
    },
    "x_raises": [{"type": "ValueError", "desc": "If it is lost."}],
}


def read(source, modules=MODULES):
    """The tools of a module `shop.tools` and what was told about them."""
    told = []
    tools = python_tools(source, "tools.py", "shop.tools", modules.get, told.append)
    return tools, [str(note) for note in told]


def one(annotation, *, before="", modules=MODULES):
    """The schema of one parameter `a`, and what was told."""
    source = f"{before}\nclass T:\n  @is_tool()\n  def f(self, a: {annotation}): pass"
    (tool,), told = read(source, modules)
    return tool["function"]["parameters"]["properties"]["a"], told


def test_types_of_other_modules_models_and_defaults_are_in_the_schema():
    assert read(TOOLS) == ([WANTED], [])


def test_no_module_is_run_or_looked_for_elsewhere():
    asked = []
    python_tools(TOOLS, "tools.py", "shop.tools", asked.append)
    assert set(asked) >= {"shop.data", "typing"}
    assert not any(name.startswith("shop") for name in sys.modules)


# -- against pydantic --------------------------------------------------------------------------


ANNOTATIONS = [
    "Parcel",
    "Side",
    "Optional[Parcel]",
    "Optional[Colour]",
    "list[Parcel | dict]",
    "Optional[Union[int, str]]",
    "Union[None, Optional[str], int]",
    "Union[str, str]",
    "Literal['a', 1, None]",
    "Literal[True]",
    "Literal[Colour.BLUE, 'x']",
    "dict",
    "dict[str, Any]",
    "Dict[Colour, list[int]]",
    "dict[Literal['a'], Side]",
    "Optional[dict[int, bool]]",
    "tuple[int, ...]",
    "tuple",
    "set[str]",
    "List[List[float]]",
    "Any",
    "Optional[Any]",
    "Day",
    "Optional[Day]",
    "list[Day]",
    "Annotated[Colour, Field(description='d')]",
    "Annotated[int, Field(description='d', title='t')]",
    "datetime",
    "None",
]


HEAD = """
from datetime import datetime
from typing import Annotated, Any, Dict, List, Literal, Optional, Union
from pydantic import Field, create_model
from shop.data import Colour, Day, Parcel, Side
"""


@pytest.fixture(scope="module")
def made_by_pydantic(tmp_path_factory):
    """Annotation to the schema of a parameter `a`, as Python and pydantic make it."""
    folder = tmp_path_factory.mktemp("modules")
    cases = "".join(f"  create_model('parameters', a=({code}, ...)),\n" for code in ANNOTATIONS)
    for name, text in (MODULES | {"shop.cases": f"{HEAD}\nCASES = [\n{cases}]\n"}).items():
        path = folder / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        models = importlib.import_module("shop.cases").CASES
        for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
            del sys.modules[name]
    schemas = [model.model_json_schema() for model in models]
    return dict(zip(ANNOTATIONS, schemas, strict=True))


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_an_annotation_becomes_the_schema_that_pydantic_makes_of_it(annotation, made_by_pydantic):
    source = f"{HEAD}class T:\n  @is_tool()\n  def f(self, a: {annotation}): pass"
    (tool,), told = read(source)
    assert (tool["function"]["parameters"], told) == (made_by_pydantic[annotation], [])


# -- what is not understood --------------------------------------------------------------------


def left_out(code, owner="f.a", file="tools.py", line=4):
    return [f"{file} line {line}: {code!r} is not read, the schema of {owner!r} goes without it"]


@pytest.mark.parametrize(
    ("annotation", "before", "code"),
    [
        ("Unknown", "", "Unknown"),
        ("Size", "from typing import Size", "Size"),
        ("Size", "from shop.data import *", "Size"),
        ("Thing", "from elsewhere import Thing", "Thing"),
        ("choose()", "", "choose()"),
        ("List[int, str]", "", "List[int, str]"),
        ("Parcel[int]", "from shop.data import Parcel", "Parcel[int]"),
        ("'('", "", "'('"),
        ('"int' + " " * 1000 + '"', "", "'int" + " " * 55 + "…"),
    ],
)
def test_a_type_that_is_not_understood_is_left_out_and_told(annotation, before, code):
    assert one(annotation, before=before) == ({"title": "A"}, left_out(code))


CLASSES = {
    "is no model": "class A(Thing): pass",
    "a base is not known": "class A(BaseModel, Thing): pass",
    "is its own base": "class A(A, BaseModel): pass",
    "a computed enum": "class A(Enum):\n    X = auto()",
    "an enum of pairs": "class A(Enum):\n    X, Y = 1, 2",
}


@pytest.mark.parametrize("source", CLASSES.values(), ids=CLASSES)
def test_a_class_that_is_not_understood_is_left_out_whole(source):
    lines = source.count("\n")
    assert one("A", before=source) == ({"title": "A"}, left_out("A", line=4 + lines))


def test_a_name_that_is_assigned_twice_is_not_guessed():
    schema, told = one("A", before="A = int\nA = str")
    assert schema == {"title": "A"}
    assert told == left_out("...", line=0)


def test_of_two_classes_of_one_name_the_second_is_told():
    modules = MODULES | {"shop.other": "from enum import Enum\nclass Colour(Enum):\n  X = 1\n"}
    before = "from shop.data import Colour\nfrom shop import other"
    schema, told = one("Colour | other.Colour", before=before, modules=modules)
    assert schema == {"anyOf": [{"$ref": "#/$defs/Colour"}, {}], "title": "A"}
    assert told == left_out("other.Colour", line=5)


def test_a_default_or_setting_that_is_not_written_out_is_left_out_and_told():
    source = """
class M(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=camel)
    a: int = compute()
    b: float = 1e999
    c: int = Field(3, ge=1)

class T:
  @is_tool()
  def f(self, m: M, n: int = 2**70, o: Mode = Mode.NONE): pass
"""
    (tool,), told = read(source)
    parameters = tool["function"]["parameters"]
    assert parameters["required"] == ["m"]
    assert parameters["$defs"]["M"] == {
        "additionalProperties": False,
        "properties": {
            "a": {"title": "A", "type": "integer"},
            "b": {"title": "B", "type": "number"},
            "c": {"default": 3, "title": "C", "type": "integer"},
        },
        "title": "M",
        "type": "object",
    }
    assert told == [
        *left_out("2 ** 70", owner="f.n", line=10),
        *left_out("Mode", owner="f.o", line=10),
        *left_out("Mode.NONE", owner="f.o", line=10),
        *left_out("camel", owner="M", line=3),
        *left_out("compute()", owner="M.a", line=4),
        *left_out("1e309", owner="M.b", line=5),
        *left_out("1", owner="M.c", line=6),
    ]


# -- hostile sources ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("modules", "told"),
    [
        ({"shop.data": "def ("}, ["shop/data.py is not read: not Python: "]),
        ({"shop.data": "#" * 2**21}, ["shop/data.py is not read: has 2,097,152 characters"]),
        ({"shop.data": "(" * 500}, ["shop/data.py is not read: "]),
        ({"shop.data": "from shop.more import A", "shop.more": "from shop.data import A"}, []),
        ({"shop.data": "from shop.data import A"}, []),
        ({"shop.data": "A = B\nB = A"}, []),
        ({"shop.data": "A = " + "list[" * 60 + "int" + "]" * 60}, []),
    ],
    ids=["no Python", "huge", "deep", "circle", "itself", "names in a circle", "nested"],
)
def test_an_imported_module_that_cannot_be_read_is_told(modules, told):
    _, notes = one("A", before="from shop.data import A", modules=modules)
    assert all(note.startswith(start) for note, start in zip(notes, told, strict=False))
    assert len(notes) == len(told) + 1
    assert "is not read, the schema of 'f.a' goes without it" in notes[-1]


def test_only_so_many_modules_are_read():
    modules = {f"shop.m{at}": f"from typing import Literal\nA = Literal[{at}]" for at in range(99)}
    asked = []
    parameters = ", ".join(f"a{at}: m{at}.A" for at in range(99))
    imports = "".join(f"from shop import m{at}\n" for at in range(99))
    source = f"{imports}class T:\n  @is_tool()\n  def f(self, {parameters}): pass"

    def read_module(dotted):
        asked.append(dotted)
        return modules.get(dotted)

    told = []
    python_tools(source, "tools.py", "shop.tools", read_module, told.append)
    assert len({name for name in asked if not name.endswith("__init__")}) == names.MAX_MODULES
    assert len(told) == 50, "typing is one of the modules that are asked for"


def test_of_very_much_that_is_left_out_the_number_is_told():
    parameters = ", ".join(f"a{at}: Unknown" for at in range(60))
    _, told = read(f"class T:\n  @is_tool()\n  def f(self, {parameters}): pass")
    assert len(told) == names.MAX_NOTES + 1
    assert told[-1] == "10 more expressions of the tools' sources are not read"


def test_a_chain_of_models_is_read_to_its_end():
    chain = "".join(f"class M{at}(BaseModel):\n  a: 'M{at + 1}'\n" for at in range(300))
    schema, told = one("M0", before=f"{chain}class M300(BaseModel):\n  a: int\n")
    assert (schema, told) == ({"$ref": "#/$defs/M0"}, [])


EXPLOSIONS = {
    "types": "A0 = int\n" + "".join(f"A{n + 1} = tuple[A{n}, A{n}]\n" for n in range(19)),
    "quoted": "A0 = int\n"
    + "".join(f"A{n + 1} = 'tuple[A{n}, A{n}]'\n" for n in range(9))
    + "A19 = tuple["
    + "A9, " * 2000
    + "]\n",
    "bases": "".join(
        f"class {n}{at}({base}): pass\n"
        for at in range(19)
        for n in "AB"
        for base in [f"A{at - 1}, B{at - 1}" if at else "BaseModel"]
    )
    + "class A19(A18, B18): pass\n",
    "a long class": "class A19(BaseModel):\n" + "  pass\n" * 50_000,
    "a long table": f"A19 = [{'0, ' * 50_000}]\n",
    "a long name": f"class {'x' * 90_000}(BaseModel): pass\nA19 = {'x' * 90_000}\n",
    "a text of an enum": f"class A19(Enum):\n  '''{'x' * 90_000}'''\n  B = 1\n",
    "texts": f"class A19(BaseModel):\n  '''{'x' * 200_000}'''\nB = 1\n",
}


@pytest.mark.parametrize("source", EXPLOSIONS.values(), ids=EXPLOSIONS)
def test_what_grows_beyond_any_real_source_is_refused(source):
    tools = "".join(f"  @is_tool()\n  def f{at}(self, a: A19): pass\n" for at in range(60))
    with pytest.raises(BadInput, match=r"^tools.py: its types are too many or refer"):
        read(f"{source}class T:\n{tools}")


def test_half_a_character_in_a_default_or_name_is_refused_by_the_check_of_the_file():
    for source in ("x: str = '\\ud800'", "x: Literal['\\ud800', 'a']"):
        tools, _ = read(f"class T:\n  @is_tool()\n  def f(self, {source}): pass")
        raw = json.dumps(tools, ensure_ascii=False)
        with pytest.raises(BadInput, match="half a character"):
            check_source("tools.json", raw, "airline")
