"""A model's server gets the names, amounts and places of the target, and its answer keeps them."""

from __future__ import annotations

import json

import pytest
from bare_airline import KNOWN, imported, order, person
from model_server import ModelServer, says

from review_app.records.project import Pulse
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.localization import translation


@pytest.fixture
def bare(store, tmp_path, crew):
    return imported(store, tmp_path / "source")


def bracketed(payload):
    """Answers each text with itself, in capitals and brackets."""
    passage = json.loads(payload["messages"][-1]["content"])["passage"]
    entries = [
        {"key": entry["key"], "text": f"[{entry['text'].upper()}]"}
        for entry in passage
        if "key" in entry
    ]
    return says(json.dumps({"translations": entries}, ensure_ascii=False))


def sent(model: ModelServer) -> str:
    return "\n".join(
        message["content"] for r in model.requests for message in r.payload["messages"]
    )


def test_a_request_names_the_people_amounts_airports_and_zone_of_the_target(bare):
    row = person(bare)
    with ModelServer(bracketed) as model:
        translation.translate(bare, order(bare, model.url), Reporter(Pulse()))
        told = sent(model)
    user_id = f"{row.romanized.split()[0]}_{row.romanized.split()[1]}_3668".lower()
    assert f"You are {row.target}, user {user_id}" in told and not row.target.isascii()
    assert "15,000円 for a flight from HND at 3 pm JST" in told and "7,500円" in told
    assert not [word for word in ("Mia", "mia_li", "$100", "JFK at", "EST") if word in told]
    task = next(one for one in bare.segments.all() if one.source == KNOWN)
    assert row.target in (task.target or "") and "15,000円" in (task.target or "")
