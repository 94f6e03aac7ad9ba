"""What stands in a benchmark's databases and tasks that a dictionary must hold."""

from __future__ import annotations

import re
from collections import defaultdict

from review_app.core.locale.dictionary import ProductEntry

_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")


def records(value):
    """Every object inside a JSON value, outermost first."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from records(inner)


def cities_in(documents):
    return {(one["city"], one["state"]) for one in records(documents) if "address1" in one}


def streets_in(documents):
    """Names of streets: what follows the number."""
    lines = {one["address1"] for one in records(documents) if "address1" in one}
    return {line.split(" ", 1)[1] for line in lines}


def people_in(documents):
    """Full names of users, passengers and those whom tool calls name."""
    named = [one for one in records(documents) if {"first_name", "last_name"} <= one.keys()]
    return {f"{one['first_name']} {one['last_name']}" for one in named}


def products_in(retail):
    """Names of products, those that only orders hold included."""
    return {one["name"] for one in records(retail) if isinstance(one.get("name"), str)}


def options_in(retail):
    """Option keys with their values, those that only orders hold included."""
    found = defaultdict(set)
    for one in records(retail):
        for key, value in one.get("options", {}).items():
            found[key].add(value)
    return dict(found)


def customers_in(telecom):
    """Kind and value of what a telecom database says of people, in free text too."""
    found = {("phone", number) for number in _PHONE.findall(str(telecom))}
    for one in telecom["customers"]:
        found |= {("person", one["full_name"]), ("email", one["email"])}
        found.add(("phone", one["phone_number"]))
        place = one["address"]
        found |= {("address", place["street"]), ("zip", place["zip_code"])}
        found |= {("city", place["city"]), ("state", place["state"])}
    return found


def uncovered(options: dict[str, set[str]], products: tuple[ProductEntry, ...]) -> list[str]:
    """Option values without translation, and pairs of one option that share one."""
    known = {(one.option, one.source): one.target for one in products if one.kind == "option"}
    faults = []
    for key, values in options.items():
        seen: dict[str, str] = {}
        for value in sorted(values):
            target = known.get((key, value), known.get(("", value)))
            if target is None:
                faults.append(f"{key}: {value!r} is not translated")
            elif target in seen:
                faults.append(f"{key}: {value!r} and {seen[target]!r} are both {target!r}")
            else:
                seen[target] = value
    return faults
