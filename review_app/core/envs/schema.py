"""The tools of a domain in the form in which they are handed to a model.

Names, parameters, types and defaults come from the methods, closed sets from the pack,
descriptions from the project's tool texts. Where no text was imported, the method's first
docstring line and a short wording here stand in.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from review_app.core.envs.base import Environment, Requestor, Tool
from review_app.core.envs.records import Word, fields
from review_app.core.locale.pack import Pack

ToolSchema = dict[str, Any]

_JSON_TYPES: Mapping[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}

PARAMETER_TEXTS: Mapping[str, str] = {
    "address1": "First line of the address.",
    "address2": "Second line of the address; may be empty.",
    "amount": "Amount of money, a whole number.",
    "apn_settings": "The new APN settings; what is left out gets its default.",
    "app_name": "Name of an app on the phone.",
    "bill_id": "Id of a bill.",
    "cabin": "Cabin class of the whole reservation.",
    "city": "City of the address.",
    "country": "Country of the address.",
    "customer_id": "Id of a customer.",
    "date": "A day, YYYY-MM-DD.",
    "destination": "Airport code of the destination.",
    "dob": "Date of birth, YYYY-MM-DD.",
    "email": "An e-mail address.",
    "expression": "Numbers, + - * /, parentheses and spaces.",
    "first_name": "Given name.",
    "flight_number": "Number of a flight.",
    "flight_type": "Whether the trip goes one way or there and back.",
    "flights": "All flights of the reservation, in the order in which they are flown.",
    "full_name": "Given and family name.",
    "gb_amount": "Data to add, in gigabytes.",
    "id": "Id of a customer, line, device, bill or plan.",
    "insurance": "Whether travel insurance is taken.",
    "item_id": "Id of an item.",
    "item_ids": "Ids of the items, one for each piece.",
    "last_name": "Family name.",
    "limit": "How many bills at most.",
    "line_id": "Id of a line.",
    "mode": "The network mode to prefer.",
    "new_item_ids": "Ids of the new items, in the same order as the old ones.",
    "nonfree_baggages": "How many of the bags are paid for.",
    "order_id": "Id of an order, `#` included.",
    "origin": "Airport code of the origin.",
    "passengers": "All passengers of the reservation.",
    "payment_id": "Id of one of the user's payment methods.",
    "payment_method_id": "Id of one of the user's payment methods.",
    "payment_methods": "Payments that together make the price.",
    "permission": "Name of a permission, in lower case.",
    "phone_number": "A phone number as stored.",
    "product_id": "Id of a product, not of an item.",
    "reason": "Why.",
    "reservation_id": "Id of a reservation.",
    "state": "State of the address.",
    "summary": "What the user's problem is, in short.",
    "total_baggages": "How many bags in all.",
    "user_id": "Id of a user.",
    "zip": "Postal code.",
}


def tool_schemas(
    environment: type[Environment],
    pack: Pack,
    requestor: Requestor = "assistant",
    texts: Mapping[str, str] | None = None,
) -> list[ToolSchema]:
    """Function schemas of one side's tools, in the order in which the code states them.

    Args:
        environment: Class of the domain.
        pack: Decides closed sets and key names.
        requestor: Whose tools.
        texts: Address -> description, as imported from `tools.json`, with or without `tools.json#`
            before it: `book_reservation/description`, `book_reservation/parameters/cabin`,
            `book_reservation/$defs/Passenger/dob`.

    Returns:
        `{"type": "function", "function": {"name", "description", "parameters"}}` each.
    """
    known = {address.rpartition("#")[2]: text for address, text in (texts or {}).items()}
    return [
        _ToolSchema(environment, tool, pack, known).build()
        for (side, _), tool in environment.tools.items()
        if side == requestor
    ]


class _ToolSchema:
    """Builds one tool's schema and collects the definitions it refers to."""

    def __init__(
        self, environment: type[Environment], tool: Tool, pack: Pack, texts: Mapping[str, str]
    ) -> None:
        self._environment, self._tool, self._pack, self._texts = environment, tool, pack, texts
        self._defs: dict[str, ToolSchema] = {}

    def build(self) -> ToolSchema:
        parameters = self._parameters()
        if self._defs:
            parameters = {"$defs": dict(sorted(self._defs.items())), **parameters}
        summary = (inspect.getdoc(self._tool.method) or "").partition("\n")[0]
        function = {
            "name": self._tool.name,
            "description": self._text("description", summary),
            "parameters": parameters,
        }
        return {"type": "function", "function": function}

    def _parameters(self) -> ToolSchema:
        hints = get_type_hints(self._tool.method, include_extras=True)
        signature = inspect.signature(self._tool.method).parameters
        properties: ToolSchema = {}
        required = []
        for name, parameter in list(signature.items())[1:]:
            described = self._described(name, hints[name], f"parameters/{name}")
            if parameter.default is parameter.empty:
                required.append(name)
            else:
                described["default"] = parameter.default
            properties[name] = described
        schema: ToolSchema = {"properties": properties, "title": "parameters", "type": "object"}
        return schema | ({"required": required} if required else {})

    def _described(self, name: str, hint: Any, place: str) -> ToolSchema:
        schema = self._type(hint)
        text = self._text(place, PARAMETER_TEXTS.get(name, ""))
        described = {"description": text} if text else {}
        title = {} if "$ref" in schema else {"title": name.replace("_", " ").title()}
        return {**described, **schema, **title}

    def _type(self, hint: Any) -> ToolSchema:
        if hint in _JSON_TYPES:
            return {"type": _JSON_TYPES[hint]}
        if is_typeddict(hint):
            return self._record(hint)
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._word(inner[1])
        if origin is list:
            return {"items": self._type(inner[0]), "type": "array"}
        if origin is dict:
            return {"additionalProperties": True, "type": "object"}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self._type(choice) for choice in inner]}
        raise TypeError(f"no schema for {hint!r} in {self._tool.name}")

    def _word(self, word: Word) -> ToolSchema:
        schema = {"enum": list(word.values(self._pack)), "type": "string"}
        if not word.named:
            return schema
        self._defs[word.named] = {**schema, "title": word.named}
        return {"$ref": f"#/$defs/{word.named}"}

    def _record(self, record: type) -> ToolSchema:
        name = record.__name__
        defaults = self._environment.closed.get(record)
        values = defaults(self._pack) if defaults else {}
        properties: ToolSchema = {}
        required = []
        for field, (hint, _) in fields(record).items():
            key = self._pack.key(field)
            properties[key] = self._described(field, hint, f"$defs/{name}/{field}")
            if field in values:
                properties[key]["default"] = values[field]
            else:
                required.append(key)
        schema: ToolSchema = {"properties": properties, "title": name, "type": "object"}
        if required:
            schema["required"] = required
        if defaults:
            schema["additionalProperties"] = False
        if text := self._text(f"$defs/{name}", ""):
            schema["description"] = text
        self._defs[name] = schema
        return {"$ref": f"#/$defs/{name}"}

    def _text(self, place: str, otherwise: str) -> str:
        return self._texts.get(f"{self._tool.name}/{place}", otherwise)
