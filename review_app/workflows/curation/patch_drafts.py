"""Unfinished patches: what a person typed for a task is there again after a reload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from review_app.core.tasks.patches import Layer
from review_app.models import Person
from review_app.store import Store


def kept(
    store: Store, person: Person, domain: str, task_id: str, layer: Layer
) -> tuple[dict[str, Any], str] | None:
    """What this person typed for a task and when it was kept; None if nothing."""
    draft = store.patch_drafts.get(person.id, domain, task_id, layer)
    return (json.loads(draft.content), draft.saved_at) if draft else None


def keep(
    store: Store,
    person: Person,
    domain: str,
    task_id: str,
    layer: Layer,
    content: Mapping[str, Any],
) -> str:
    """Keep what a person typed; returns when. Others do not see it."""
    text = json.dumps(content, ensure_ascii=False)
    with store.write(person.name):
        return store.patch_drafts.put(person.id, domain, task_id, layer, text)


def drop(store: Store, person: Person, domain: str, task_id: str, layer: Layer) -> None:
    """Forget what a person typed for a task."""
    with store.write(person.name):
        store.patch_drafts.drop(person.id, domain, task_id, layer)
