"""Databases are looked at before they are imported, and so is what tasks lay over them."""

from __future__ import annotations

import gzip
import json

import pytest
from hostile_files import places
from sample_project import SAMPLE

from review_app.core.toml import parse_toml
from review_app.errors import BadInput
from review_app.json_paths import inside, put
from review_app.workflows.benchmark.database_types import require_types
from review_app.workflows.localization import entities

RETAIL = json.loads((SAMPLE / "domains" / "retail" / "db.json").read_text("utf-8"))
ORDER = next(iter(RETAIL["orders"]))


def looked_at(database, tmp_path, *tasks, domain="retail"):
    files = {"db.json": json.dumps(database), "tasks.json": json.dumps(tasks)}
    require_types(tmp_path, files, domain)


def laid_over(side, data):
    return {"id": "7", "initial_state": {"initialization_data": {side: data}}}


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("orders",), [], "/orders: must be an object, is []"),
        (("orders", ORDER, "items", 0, "price"), "much", "/items/0/price: must be a number"),
        (("orders", ORDER, "status"), 7, "/status: must be a text, is 7"),
        (("users",), None, "/users: must be an object, is None"),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_told_with_file_and_place(tmp_path, path, value, says):
    looked_at(RETAIL, tmp_path)
    with pytest.raises(BadInput) as error:
        looked_at(put(RETAIL, path, value), tmp_path)
    assert str(tmp_path / "db.json") in str(error.value) and says in str(error.value)


def test_a_packed_database_is_told_by_its_own_name(tmp_path):
    (tmp_path / "db.json.gz").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(BadInput, match=r"db\.json\.gz#/"):
        looked_at({}, tmp_path)


def test_data_that_a_task_lays_over_it_must_have_its_types(tmp_path):
    looked_at(RETAIL, tmp_path, {"id": "1"}, laid_over("agent_data", {"users": {}}))
    with pytest.raises(BadInput) as error:
        looked_at(RETAIL, tmp_path, {"id": "1"}, laid_over("agent_data", {"orders": []}))
    place = "7/initial_state/initialization_data/agent_data/orders"
    assert f"{tmp_path / 'tasks.json'}#{place}: must be an object" in str(error.value)


def test_words_and_fields_may_be_those_of_any_language(tmp_path):
    text = (SAMPLE / "domains" / "telecom" / "db.toml").read_text("utf-8")
    telecom = parse_toml(text, "db.toml")
    telecom["lines"][0]["status"] = entities.pack("telecom", "ja").word("line_status", "Active")
    looked_at(telecom, tmp_path, domain="telecom")
    airline = (SAMPLE / "domains" / "airline" / "db.json").read_text("utf-8")
    looked_at(json.loads(airline.replace("_time_est", "_time_jst")), tmp_path, domain="airline")
    with pytest.raises(BadInput, match="_time_est: is missing"):
        looked_at(json.loads(airline.replace("_time_est", "_time_xyz")), tmp_path, domain="airline")


def test_a_domain_without_tools_is_not_looked_at(tmp_path):
    looked_at({"anything": 1}, tmp_path, domain="hotel")


def test_no_swapped_type_in_a_record_passes_as_another(tmp_path):
    whole = {"orders": {ORDER: RETAIL["orders"][ORDER]}, "users": {}, "products": {}}
    looked_at(whole, tmp_path)
    texts = [path for path in places(whole) if isinstance(inside(whole, path), str)]
    for path in texts[:12]:
        with pytest.raises(BadInput):
            looked_at(put(whole, path, {"a": 1}), tmp_path)
