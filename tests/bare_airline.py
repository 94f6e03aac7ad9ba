"""An airline with one user who occurs in a task, and no translation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from review_app.llm import Endpoint
from review_app.records.localization import Entity
from review_app.store import Store
from review_app.workflows.localization import entities, translation, translation_plan
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

USER = {
    "name": {"first_name": "Mia", "last_name": "Li"},
    "address": {
        "address1": "975 Sunset Drive",
        "address2": "Suite 217",
        "country": "USA",
        "city": "Austin",
        "state": "TX",
        "zip": "78750",
    },
    "email": "mia.li3818@example.com",
    "dob": "1990-04-05",
    "payment_methods": {},
    "saved_passengers": [],
    "membership": "gold",
    "reservations": [],
}
KNOWN = "You are Mia Li, user mia_li_3668. You pay $100 for a flight from JFK at 3 pm EST."
POLICY = "# Rules\n\nA certificate is worth $50 in EST.\n"


def imported(store: Store, folder: Path) -> Store:
    """The store with the airline, read from a new folder."""
    task = {
        "id": "0",
        "user_scenario": {
            "instructions": {
                "domain": "airline",
                "reason_for_call": "You want to fly.",
                "known_info": KNOWN,
                "task_instructions": "Be brief.",
            }
        },
        "evaluation_criteria": {"actions": []},
    }
    database = {"users": {"mia_li_3668": USER | {"user_id": "mia_li_3668"}}}
    database |= {"flights": {}, "reservations": {}}
    files = {"policy.md": POLICY, "tasks.json": json.dumps([task]), "db.json": json.dumps(database)}
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    import_domain.import_domain(store, ImportRequest(folder, "airline"))
    return store


def person(store: Store) -> Entity:
    return next(row for row in entities.rows(store, "airline") if row.kind == "person")


def order(
    store: Store, url: str = "http://x/v1", **params: object
) -> translation_plan.TranslationOrder:
    unsent = translation.order_of(store, "airline", params)
    return replace(unsent, endpoint=Endpoint("openai/test", url))
