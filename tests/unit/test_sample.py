"""The sample benchmark hangs together, and its documented flaws are where they are said to be."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from review_app.core.checks import ALL, Context, run
from review_app.core.envs import open_environment
from review_app.core.formats import align, check_source, parse_fields, units
from review_app.core.formats.glossary import terms_from_csv
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.money import money_rule
from review_app.core.locale.pack import parse_pack
from review_app.core.locale.tokens import renamed_endings
from review_app.models import Segment

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample"
DOMAINS = ("airline", "retail", "telecom")
BASIS: dict[str, set[tuple[str, ...]]] = {
    "airline": {("DB", "COMMUNICATE")},
    "retail": {("DB", "NL_ASSERTION"), ("DB",)},
    "telecom": {("ENV_ASSERTION",), ("ENV_ASSERTION", "ACTION")},
}


def folder(domain: str) -> Path:
    return SAMPLE / "tau2" / ("" if domain == "user_simulator" else "domains") / domain


@cache
def read(domain: str, file: str) -> Any:
    text = (folder(domain) / file).read_text(encoding="utf-8")
    return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


def listed(file: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((SAMPLE / file).read_text(encoding="utf-8"))
    return found


def tasks(domain: str) -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in read(domain, "tasks.json")}


def gold(domain: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for id, task in tasks(domain).items():
        for action in task["evaluation_criteria"]["actions"]:
            yield id, action


def invalid(domain: str, kind: str) -> set[str]:
    return {
        one["task_id"]
        for one in listed("invalid_tasks.json")
        if one["domain"] == domain and one["kind"] == kind
    }


@cache
def texts(domain: str) -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """Source texts and aligned draft texts by address, and the addresses of what has no partner."""
    fields = parse_fields((ROOT / "data/formats/fields.toml").read_text(encoding="utf-8"), domain)
    ours: dict[str, str] = {}
    theirs: dict[str, str] = {}
    alone: set[str] = set()
    for path in sorted(folder(domain).iterdir()):
        source = path.read_text(encoding="utf-8")
        found = {unit.address: unit.text for unit in units(path.name, source, fields)}
        if found:
            draft = (SAMPLE / "draft_ja" / domain / path.name).read_text(encoding="utf-8")
            alignment = align(path.name, source, draft, fields)
            ours |= found
            theirs |= alignment.pairs
            alone |= {one.address for one in alignment.unaligned}
    return ours, theirs, frozenset(alone)


# ---------------------------------------------------------------- structure


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_benchmark_would_accept_every_source_file(domain: str) -> None:
    for path in folder(domain).iterdir():
        check_source(path.name, path.read_text(encoding="utf-8"), domain)


@pytest.mark.parametrize("domain", DOMAINS)
def test_splits_name_every_task_once_and_no_other(domain: str) -> None:
    splits, ids = read(domain, "split_tasks.json"), list(tasks(domain))
    assert splits["base"] == ids
    assert sorted(splits["train"] + splits["test"]) == sorted(ids)
    assert len(ids) == len(read(domain, "tasks.json")) == {"telecom": 6}.get(domain, 12)


@pytest.mark.parametrize("domain", DOMAINS)
def test_tasks_are_scored_as_in_the_reference(domain: str) -> None:
    for task in tasks(domain).values():
        assert task["user_scenario"]["instructions"]["domain"] == domain
        assert tuple(task["evaluation_criteria"]["reward_basis"]) in BASIS[domain]


@pytest.mark.parametrize("domain", DOMAINS)
def test_gold_actions_call_known_tools_with_known_arguments(domain: str) -> None:
    known = {"assistant": "tools.json"}
    if domain == "telecom":
        known["user"] = "user_tools.json"
    schemas: dict[tuple[str, str], dict[str, Any]] = {
        (side, tool["function"]["name"]): tool["function"]["parameters"]
        for side, file in known.items()
        for tool in read(domain, file)
    }
    for id, action in gold(domain):
        schema = schemas[action.get("requestor", "assistant"), action["name"]]
        assert action["arguments"].keys() <= schema["properties"].keys(), id
        assert set(schema.get("required", ())) <= action["arguments"].keys(), id


# ---------------------------------------------------------------- databases


def test_airline_records_refer_to_each_other() -> None:
    db = read("airline", "db.json")
    owned = {id: key for key, user in db["users"].items() for id in user["reservations"]}
    assert owned == {id: one["user_id"] for id, one in db["reservations"].items()}
    for id, one in db["reservations"].items():
        for leg in one["flights"]:
            flight = db["flights"][leg["flight_number"]]
            assert (leg["origin"], leg["destination"]) == (flight["origin"], flight["destination"])
            assert leg["date"] in flight["dates"], id
        paid = {payment["payment_id"] for payment in one["payment_history"]}
        assert paid <= db["users"][one["user_id"]]["payment_methods"].keys(), id


def test_airline_reservations_were_paid_in_full() -> None:
    for id, one in read("airline", "db.json")["reservations"].items():
        people = len(one["passengers"])
        price = people * (sum(leg["price"] for leg in one["flights"]))
        price += 50 * one["nonfree_baggages"] + 30 * people * (one["insurance"] == "yes")
        paid = sum(payment["amount"] for payment in one["payment_history"])
        assert paid == (0 if one.get("status") == "cancelled" else price), id


def test_retail_records_refer_to_each_other() -> None:
    db = read("retail", "db.json")
    owned = {id: key for key, user in db["users"].items() for id in user["orders"]}
    assert owned == {id: one["user_id"] for id, one in db["orders"].items()}
    for id, order in db["orders"].items():
        for item in order["items"]:
            product = db["products"][item["product_id"]]
            variant = product["variants"][item["item_id"]]
            assert (item["name"], item["options"]) == (product["name"], variant["options"]), id
        methods = {payment["payment_method_id"] for payment in order["payment_history"]}
        assert methods <= db["users"][order["user_id"]]["payment_methods"].keys(), id
        total = round(sum(item["price"] for item in order["items"]), 2)
        assert order["payment_history"][0]["amount"] == total, id


def test_telecom_records_refer_to_each_other() -> None:
    db = read("telecom", "db.toml")
    kinds = {"line": "lines", "device": "devices", "plan": "plans", "bill": "bills"}
    ids = {kind: {one[f"{kind}_id"] for one in db[table]} for kind, table in kinds.items()}
    for line in db["lines"]:
        assert line["device_id"] in ids["device"] and line["plan_id"] in ids["plan"]
    lines = [id for customer in db["customers"] for id in customer["line_ids"]]
    bills = {id: one["customer_id"] for one in db["customers"] for id in one["bill_ids"]}
    assert sorted(lines) == sorted(ids["line"])
    assert bills == {bill["bill_id"]: bill["customer_id"] for bill in db["bills"]}
    for bill in db["bills"]:
        assert bill["total_due"] == sum(item["amount"] for item in bill["line_items"])


# ---------------------------------------------------------------- gold actions


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_gold_actions_are_refused_in_the_invalid_tasks_only(domain: str) -> None:
    name = f"{domain}.toml"
    pack = parse_pack({name: (ROOT / "data/locales/en" / name).read_text(encoding="utf-8")})
    refused = set()
    for id, task in tasks(domain).items():
        environment = open_environment(domain, read(domain, "db.json"), pack)
        for action in task["evaluation_criteria"]["actions"]:
            if not environment.call(action["name"], action["arguments"]).ok:
                refused.add(id)
    assert refused == invalid(domain, "gold_write_refused")


def test_gold_actions_reach_every_assertion_but_in_the_invalid_telecom_task() -> None:
    names = ("telecom.toml", "telecom_user.toml")
    locale = ROOT / "data/locales/en"
    pack = parse_pack({name: (locale / name).read_text(encoding="utf-8") for name in names})
    databases = read("telecom", "db.toml"), read("telecom", "user_db.toml")
    failed = set()
    for id, task in tasks("telecom").items():
        phone = open_environment("telecom", databases[0], pack, databases[1])
        criteria = task["evaluation_criteria"]
        for call in task["initial_state"]["initialization_actions"]:
            assert phone.run(call["env_type"], call["func_name"], call["arguments"]).ok, id
        for action in criteria["actions"]:
            assert phone.call(action["name"], action["arguments"], action["requestor"]).ok, id
        for call in criteria["env_assertions"]:
            met = phone.run(call["env_type"], call["func_name"], call["arguments"]).value
            failed |= {id} if met is not call["assert_value"] else set()
    assert failed == invalid("telecom", "assertion_not_reached")


def test_amounts_to_communicate_can_be_matched_but_in_the_invalid_tasks() -> None:
    odd = {
        id
        for id, task in tasks("airline").items()
        for info in task["evaluation_criteria"]["communicate_info"]
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", info)
    }
    assert odd == invalid("airline", "amount_never_matches")


def test_telecom_tasks_start_from_known_customers() -> None:
    db = read("telecom", "db.toml")
    numbers = {line["phone_number"]: line["line_id"] for line in db["lines"]}
    holders = {id: one["customer_id"] for one in db["customers"] for id in one["line_ids"]}
    for id, task in tasks("telecom").items():
        first, *rest = task["initial_state"]["initialization_actions"]
        assert first["func_name"] == "set_user_info"
        line = numbers[first["arguments"]["phone_number"]]
        calls = [*rest, *task["evaluation_criteria"]["actions"]]
        for arguments in (call["arguments"] for call in calls):
            assert arguments.get("line_id", line) == line, id
            assert arguments.get("customer_id", holders[line]) == holders[line], id


# ---------------------------------------------------------------- draft and flaws


@pytest.mark.parametrize("domain", [*DOMAINS, "user_simulator"])
def test_documented_flaws_sit_in_aligned_texts(domain: str) -> None:
    _, theirs, alone = texts(domain)
    for flaw in listed("flaws.json"):
        if flaw["domain"] == domain:
            assert flaw["code"] in {"human", "import", *ALL}
            assert flaw["file"] == flaw["address"].split("#")[0].replace(
                "messages", "messages.json"
            )
            assert flaw["address"] in (alone if flaw["code"] == "import" else theirs), flaw


@pytest.mark.parametrize("domain", [*DOMAINS, "user_simulator"])
def test_only_documented_sections_have_no_counterpart(domain: str) -> None:
    found = {flaw["address"] for flaw in listed("flaws.json") if flaw["code"] == "import"}
    ours, theirs, _ = texts(domain)
    sections = {address.rpartition("/")[0] for address in found}
    for address in ours.keys() - theirs.keys():
        assert address in found or address.rpartition("/")[0] in sections


@pytest.fixture(scope="module")
def rules() -> dict[str, Context]:
    def japanese(file: str) -> str:
        return (ROOT / "data/locales/ja" / file).read_text(encoding="utf-8")

    files = ("glossary.csv", "airports.csv")
    glossary = Glossary([t for f in files for t in terms_from_csv(japanese(f), f)], "ja")
    locale = japanese("locale.toml")
    money, endings = money_rule(locale), renamed_endings(locale)
    return {
        domain: Context(glossary, money, "en", "ja", domain, endings)
        for domain in (*DOMAINS, "user_simulator")
    }


@pytest.mark.parametrize("domain", [*DOMAINS, "user_simulator"])
def test_checks_find_the_documented_flaws_and_raise_no_false_alarm(
    domain: str, rules: dict[str, Context]
) -> None:
    ours, theirs, _ = texts(domain)
    wanted = {
        (flaw["address"], flaw["code"])
        for flaw in listed("flaws.json")
        if flaw["domain"] == domain and flaw["code"] in ALL
    }
    found = {
        (address, finding.code)
        for address, target in theirs.items()
        for finding in run(_segment(domain, address, ours[address], target), rules[domain])
    }
    assert found == wanted


def _segment(domain: str, address: str, source: str, target: str) -> Segment:
    file = address.partition("#")[0]
    return Segment(
        "0" * 16, domain, file, address, "task", "", 0, source, "", target, 1, "draft", 1, 0
    )


def test_most_of_the_draft_is_clean() -> None:
    flawed = {(flaw["domain"], flaw["address"]) for flaw in listed("flaws.json")}
    total = sum(len(texts(domain)[0]) for domain in (*DOMAINS, "user_simulator"))
    assert len(flawed) < total / 5


def test_the_page_for_people_lists_every_flaw_and_invalid_task() -> None:
    page = (SAMPLE / "FLAWS.md").read_text(encoding="utf-8").replace("\\|", "|")
    for flaw in listed("flaws.json"):
        assert f"| `{flaw['address']}` | {flaw['code']} | {flaw['note']} |" in page
    for one in listed("invalid_tasks.json"):
        assert one["task_id"] in tasks(one["domain"])
        assert f"| {one['domain']} | `{one['task_id']}` | {one['kind']} | {one['reason']} |" in page


def test_people_are_three_annotators_and_two_maintainers() -> None:
    roles = [person["role"] for person in listed("people.json")]
    assert roles == ["annotator"] * 3 + ["maintainer"] * 2
