"""The JSON schema that pydantic makes of annotations, read from syntax trees.

Source: pydantic 2, `json_schema.GenerateJsonSchema`, mode `validation`; compared with pydantic
itself in the tests. What is not understood is left out and noted, never guessed.
"""

from __future__ import annotations

import ast
import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from review_app.core.formats.python.classes import ClassPart, PythonClass, known_name, python_class
from review_app.core.formats.python.names import Definition, Names, PythonModule
from review_app.core.formats.python.syntax import (
    NotRead,
    alternatives,
    assigned,
    configured,
    docstring,
    dotted_name,
    is_ellipsis,
    literal,
    quoted,
    subscripts,
    text_of,
)
from review_app.json_types import JsonObject

MAX_DEPTH = 20
"""How deep an annotation may be nested, names in it followed."""

_PLAIN: dict[str, JsonObject] = {
    "Any": {},
    "bool": {"type": "boolean"},
    "date": {"format": "date", "type": "string"},
    "datetime": {"format": "date-time", "type": "string"},
    "float": {"type": "number"},
    "int": {"type": "integer"},
    "str": {"type": "string"},
}
_NULL = {"type": "null"}
_LISTS = ("list", "List", "Sequence")
_TUPLES = ("tuple", "Tuple")
_SETS = ("set", "Set", "frozenset", "FrozenSet")
_DICTS = ("dict", "Dict", "Mapping")
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}

_QUIET_KEYWORDS = {"exclude", "frozen", "init", "kw_only", "repr", "validate_default"}
"""Arguments of `Field` that change no schema."""
_QUIET_CONFIG = {"arbitrary_types_allowed", "frozen", "populate_by_name", "validate_assignment"}


@dataclass(frozen=True, slots=True)
class Member:
    """A parameter of a function or a field of a model.

    Attributes:
        module: Where it is written.
        owner: Named where something is left out: `Payment.amount`.
        annotation: None for any value.
        default: Also a call of `Field`; None for a member that must be given.
        description: Replaces that of a `Field`.
    """

    name: str
    module: PythonModule
    owner: str
    annotation: ast.expr | None
    default: ast.expr | None = None
    description: str = ""


def object_schema(title: str, members: Iterable[Member], names: Names) -> JsonObject:
    """The schema of an object, with the enums and models that it names as `$defs`."""
    schemas = _Schemas(names)
    schema = schemas.of_object(title, members)
    defs = schemas.finished_defs()
    ordered: JsonObject = _in_order({"$defs": defs} | schema if defs else schema)
    return ordered


def _in_order(value: Any, holder: str = "") -> Any:
    """Members by name as pydantic sorts them; properties stay in the order of the source."""
    if isinstance(value, list):
        return [_in_order(part, holder) for part in value]
    if not isinstance(value, dict):
        return value
    keys = value if holder in ("properties", "default") else sorted(value)
    return {key: _in_order(value[key], key) for key in keys}


class _Schemas:
    """Builds one schema and collects the definitions it refers to."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._owner = ""
        self._defs: JsonObject = {}
        self._keys: dict[str, tuple[str, str]] = {}
        """Which class each definition is of."""
        self._waiting: list[tuple[str, PythonClass]] = []

    def of_object(self, title: str, members: Iterable[Member]) -> JsonObject:
        """The schema of an object, without its definitions."""
        properties: JsonObject = {}
        required = []
        for member in members:
            properties[member.name], must_be_given = self._property(member)
            if must_be_given:
                required.append(member.name)
        schema: JsonObject = {"properties": properties, "title": title, "type": "object"}
        return schema | ({"required": required} if required else {})

    def finished_defs(self) -> JsonObject:
        """All definitions, those included that only other definitions name."""
        while self._waiting:
            name, model = self._waiting.pop()
            self._defs[name] = self._model(name, model)
        return self._defs

    # -- members -------------------------------------------------------------------------------

    def _property(self, member: Member) -> tuple[JsonObject, bool]:
        self._owner = member.owner
        self._names.spend(len(member.name))
        schema = {} if member.annotation is None else self._type(member.annotation, member.module)
        said, must_be_given = self._declared(member)
        schema |= said
        if "title" not in schema and not _is_reference(schema):
            schema["title"] = member.name.title().replace("_", " ").strip()
        return schema, must_be_given

    def _declared(self, member: Member) -> tuple[JsonObject, bool]:
        """What a default or `Field` adds to the schema, and whether a value must be given."""
        module, default = member.module, member.default
        description = {"description": member.description} if member.description else {}
        if default is None:
            return description, True
        if isinstance(default, ast.Call) and self._known(default.func, module) == "Field":
            schema, must_be_given = self._field(default, module)
            return schema | description, must_be_given
        return self._default(default, module) | description, False

    def _field(self, call: ast.Call, module: PythonModule) -> tuple[JsonObject, bool]:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if call.args:
            given["default"] = call.args[0]
        schema: JsonObject = {}
        must_be_given = True
        for keyword, node in given.items():
            if keyword == "default_factory":
                must_be_given = False
            elif keyword == "default" and not is_ellipsis(node):
                must_be_given = False
                schema |= self._default(node, module)
            elif keyword in ("description", "title") and (text := text_of(node)) is not None:
                schema[keyword] = text
                self._names.spend(len(text))
            elif keyword != "default" and keyword not in _QUIET_KEYWORDS:
                self._leave_out(node, module)
        return schema, must_be_given

    def _default(self, node: ast.expr, module: PythonModule) -> JsonObject:
        try:
            return {"default": self._value(node, module)}
        except NotRead:
            return self._leave_out(node, module)

    def _value(self, node: ast.expr, module: PythonModule, depth: int = 0) -> Any:
        """A value that is written out, a day, a member of an enum, or the name of such a value.

        Raises:
            NotRead: anything else.
        """
        if depth > MAX_DEPTH:
            raise NotRead
        if isinstance(node, ast.Call) and self._known(node.func, module) == "date":
            return _day(node)
        dotted = dotted_name(node)
        if not dotted:
            return self._literal(node)
        meaning = self._names.meaning(dotted, module)
        if isinstance(meaning, Definition) and isinstance(meaning.node, ast.expr):
            return self._value(meaning.node, meaning.module, depth + 1)
        owner, _, name = dotted.rpartition(".")
        meaning = self._names.meaning(owner, module)
        if isinstance(meaning, Definition):
            enum = python_class(meaning, self._names)
            values = self._enum_values(enum) if enum and enum.kind == "enum" else {}
            if name in values:
                return values[name]
        raise NotRead

    def _literal(self, node: ast.expr) -> Any:
        value = literal(node)
        self._names.spend(len(str(value)))
        return value

    # -- types ---------------------------------------------------------------------------------

    def _type(self, node: ast.expr, module: PythonModule, depth: int = 0) -> JsonObject:
        """The schema of an annotation."""
        self._names.spend()
        if depth > MAX_DEPTH:
            return self._leave_out(node, module)
        match node:
            case ast.Constant(value=None):
                return dict(_NULL)
            case ast.Constant() if (inner := quoted(node)) is not None:
                return self._type(inner, module, depth + 1)
            case ast.BinOp(op=ast.BitOr()):
                return self._union(alternatives(node), module, depth)
            case ast.Subscript():
                return self._subscript(node, module, depth)
            case ast.Name() | ast.Attribute():
                return self._named(node, module, depth)
        return self._leave_out(node, module)

    def _named(self, node: ast.expr, module: PythonModule, depth: int) -> JsonObject:
        meaning = self._names.meaning(dotted_name(node), module)
        if isinstance(meaning, Definition):
            if isinstance(meaning.node, ast.expr):
                return self._type(meaning.node, meaning.module, depth + 1)
            return self._class(meaning, node, module)
        name = known_name(meaning)
        if name in _PLAIN:
            return dict(_PLAIN[name])
        if name in _DICTS:
            return {"additionalProperties": True, "type": "object"}
        if name in (*_LISTS, *_TUPLES, *_SETS):
            return _array(name, {})
        return self._leave_out(node, module)

    def _subscript(self, node: ast.Subscript, module: PythonModule, depth: int) -> JsonObject:
        name = self._known(node.value, module)
        parts = subscripts(node)
        if name == "Optional":
            return self._union([*parts, ast.Constant(None)], module, depth)
        if name == "Union":
            return self._union(parts, module, depth)
        if name == "Literal":
            return self._closed(parts, module)
        if name == "Annotated":
            return self._annotated(parts, module, depth)
        inner = [self._type(part, module, depth + 1) for part in parts if not is_ellipsis(part)]
        if name in (*_LISTS, *_SETS) and len(parts) == len(inner) == 1:
            return _array(name, inner[0])
        if name in _DICTS and len(parts) == len(inner) == 2:
            return _dict(*inner)
        if name in _TUPLES and len(parts) == len(inner):
            size = len(inner)
            return {"maxItems": size, "minItems": size, "prefixItems": inner, "type": "array"}
        if name in _TUPLES and len(parts) == 2 and is_ellipsis(parts[1]) and inner:
            return _array(name, inner[0])
        return self._leave_out(node, module)

    def _closed(self, parts: list[ast.expr], module: PythonModule) -> JsonObject:
        """A `Literal`; its values in their order, each once."""
        values: list[Any] = []
        for part in parts:
            try:
                value = self._value(part, module)
            except NotRead:
                return self._leave_out(part, module)
            if not any(value == known and type(value) is type(known) for known in values):
                values.append(value)
        closed = {"const": values[0]} if len(values) == 1 else {"enum": values}
        return closed | _common_type(values)

    def _annotated(self, parts: list[ast.expr], module: PythonModule, depth: int) -> JsonObject:
        schema = self._type(parts[0], module, depth + 1)
        for part in parts[1:]:
            if isinstance(part, ast.Call) and self._known(part.func, module) == "Field":
                schema |= self._field(part, module)[0]
            elif not isinstance(part, ast.Constant):
                self._leave_out(part, module)
        return schema

    def _union(self, parts: list[ast.expr], module: PythonModule, depth: int) -> JsonObject:
        """Any of the parts; unions in it are taken apart, null stands last."""
        choices: list[JsonObject] = []
        for part in parts:
            schema = self._type(part, module, depth + 1)
            inner = schema["anyOf"] if set(schema) == {"anyOf"} else [schema]
            choices += [choice for choice in inner if choice not in choices]
        if _NULL in choices:
            choices = [*(choice for choice in choices if choice != _NULL), dict(_NULL)]
        return choices[0] if len(choices) == 1 else {"anyOf": choices}

    # -- classes -------------------------------------------------------------------------------

    def _class(self, definition: Definition, node: ast.expr, module: PythonModule) -> JsonObject:
        """A reference to an enum or model, which becomes a definition."""
        name = definition.name
        self._names.spend(len(name))
        if self._keys.get(name, definition.key) != definition.key:
            return self._leave_out(node, module)
        if name not in self._keys:
            kind = python_class(definition, self._names)
            if kind is None:
                return self._leave_out(node, module)
            try:
                self._defs[name] = self._enum(name, kind) if kind.kind == "enum" else {}
            except NotRead:
                return self._leave_out(node, module)
            self._keys[name] = definition.key
            if kind.kind == "model":
                self._waiting.append((name, kind))
        return {"$ref": f"#/$defs/{name}"}

    def _enum(self, name: str, enum: PythonClass) -> JsonObject:
        values: list[Any] = []
        for value in self._enum_values(enum).values():
            if value not in values:
                values.append(value)
        schema = {"enum": values, "title": name} | _common_type(values)
        return schema | self._documented(enum)

    def _enum_values(self, enum: PythonClass) -> dict[str, Any]:
        """Names and values of the members.

        Raises:
            NotRead: a value is not written out.
        """
        values: dict[str, Any] = {}
        for part in enum.parts:
            for name, node in assigned(part.node):
                if not name:
                    raise NotRead
                if not name.startswith("_"):
                    values[name] = self._literal(node)
        return values

    def _model(self, name: str, model: PythonClass) -> JsonObject:
        members: dict[str, Member] = {}
        extra = ""
        for part in model.parts:
            members |= {member.name: member for member in self._members(part)}
            extra = self._extra(part) or extra
        schema = self.of_object(name, members.values()) | self._documented(model)
        if extra in ("allow", "forbid"):
            schema["additionalProperties"] = extra == "allow"
        return schema

    def _documented(self, kind: PythonClass) -> JsonObject:
        text = docstring(kind.parts[-1].node)
        self._names.spend(len(text))
        return {"description": text} if text else {}

    def _members(self, part: ClassPart) -> Iterator[Member]:
        for statement in part.node.body:
            if not isinstance(statement, ast.AnnAssign):
                continue
            name, annotation = dotted_name(statement.target), statement.annotation
            outer = annotation.value if isinstance(annotation, ast.Subscript) else annotation
            is_field = self._known(outer, part.module) != "ClassVar"
            if is_field and name != "model_config" and not name.startswith("_"):
                yield Member(
                    name=name,
                    module=part.module,
                    owner=f"{part.node.name}.{name}",
                    annotation=annotation,
                    default=statement.value,
                )

    def _extra(self, part: ClassPart) -> str:
        """What becomes of unknown members: `forbid`, `allow` or `ignore`, if the class says it."""
        self._owner = part.node.name
        extra = ""
        for keyword, node in configured(part.node):
            if keyword == "extra" and (text := text_of(node)) is not None:
                extra = text
            elif keyword not in _QUIET_CONFIG:
                self._leave_out(node, part.module)
        return extra

    # -- common --------------------------------------------------------------------------------

    def _known(self, node: ast.expr, module: PythonModule) -> str:
        """The last part of a name from a module that is known; nothing for other expressions."""
        meaning = self._names.meaning(dotted_name(node), module)
        return "" if isinstance(meaning, Definition) else known_name(meaning)

    def _leave_out(self, node: ast.AST, module: PythonModule) -> JsonObject:
        self._names.leave_out(node, module, self._owner)
        return {}


def _is_reference(schema: JsonObject) -> bool:
    """Whether it is one enum or model, null aside: those have titles of their own."""
    choices = [choice for choice in schema.get("anyOf", [schema]) if choice != _NULL]
    return len(choices) == 1 and "$ref" in choices[0]


def _array(name: str, items: JsonObject) -> JsonObject:
    schema: JsonObject = {"items": items, "type": "array"}
    return schema | ({"uniqueItems": True} if name in _SETS else {})


def _dict(keys: JsonObject, values: JsonObject) -> JsonObject:
    schema: JsonObject = {"additionalProperties": values or True, "type": "object"}
    if "$ref" in keys or (keys.get("type") == "string" and len(keys) > 1):
        schema["propertyNames"] = {key: keys[key] for key in keys if key not in ("title", "type")}
    return schema


def _common_type(values: list[Any]) -> JsonObject:
    types = {type(value) for value in values}
    return {"type": _TYPES[types.pop()]} if len(types) == 1 and types <= _TYPES.keys() else {}


def _day(call: ast.Call) -> str:
    """The day of `date(2025, 1, 1)`."""
    try:
        return datetime.date(*map(literal, call.args)).isoformat()
    except (TypeError, ValueError, OverflowError):
        raise NotRead from None
