"""The sample project on a page of curation, driven by Streamlit's AppTest."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from review_app.core.tasks.patches import Layer
from review_app.models import Person
from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.workflows.curation import patches
from review_app.workflows.curation.patches import Proposal

APP = str(Path(__file__).resolve().parent.parent / "review_app" / "app.py")
ANNOTATOR, REN, MILA = 1, 4, 5
"""An annotator and the two maintainers of the sample, by id."""


def page_of(name: str, me: int = REN, lang: str = "en", **query: str) -> AppTest:
    """A page opened by a person, with a query in the URL."""
    page = AppTest.from_file(APP, default_timeout=30)
    asked = {"me": str(me), "lang": lang, **query}
    for key, value in asked.items():
        page.query_params[key] = value
    page.run()
    page.switch_page(f"ui/{name}/page.py")
    for key, value in asked.items():
        page.query_params[key] = value
    page.run()
    assert not page.exception
    return page


def press(page: AppTest, key: str) -> AppTest:
    """Click a button; the page must survive it."""
    page.button(key=key).click().run()
    assert not page.exception
    return page


def shown(page: AppTest) -> str:
    """Everything the page says."""
    boxes = (*page.success, *page.error, *page.warning, *page.info, *page.caption)
    return " ".join(str(one.value) for one in (*page.get("html"), *boxes))


def keys(page: AppTest) -> list[str]:
    """The keys of the page's buttons."""
    return [str(one.key) for one in page.button]


def person(store: Store, number: int) -> Person:
    """One of the sample's people."""
    return store.people.get(number)


def edited(store: Store, domain: str, task_id: str, path: str, value: Any) -> dict[str, Any]:
    """The task in force with one value replaced, by its dotted path."""
    task = copy.deepcopy(patches.task(store, domain, task_id))
    holder: Any = task
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in parents:
        holder = holder[part]
    holder[last] = value
    return task


def proposed(
    store: Store, domain: str, task_id: str, task: dict[str, Any], layer: Layer = "repair"
) -> StoredPatch:
    """A patch that Ren proposed."""
    base = patches.base_hash(store, domain, task_id, layer)
    return patches.propose(
        store,
        person(store, REN),
        Proposal(domain, task_id, layer, "wrong_gold", "because", base, edited=task),
    )


def approved(store: Store, domain: str, task_id: str, task: dict[str, Any]) -> StoredPatch:
    """A patch that Ren proposed and Mila approved."""
    patch = proposed(store, domain, task_id, task)
    return patches.approve(store, person(store, MILA), patch.id)
