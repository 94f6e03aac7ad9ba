"""Small tasks on the sample's databases, and what the validity rules say to them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from review_app.core.envs import environment_class
from review_app.core.locale.amounts import Currency
from review_app.core.locale.money import MoneyRule, money_rule
from review_app.core.locale.pack import Pack, parse_pack
from review_app.core.validity import DomainFacts, PolicyProfile, RuleViolation, TaskContext, inspect
from review_app.core.validity import parse_profile as parse
from review_app.core.validity.registry import CRASHED

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
SAMPLE = DATA / "sample" / "tau2" / "domains"
BASES = {
    "airline": ["DB", "COMMUNICATE"],
    "retail": ["DB", "NL_ASSERTION"],
    "telecom": ["ENV_ASSERTION"],
}


def profile(domain: str, *more: Path) -> PolicyProfile:
    """The profile of a domain, with further files laid over it."""
    laid = None
    for path in (DATA / "rules" / "common.toml", DATA / "rules" / f"{domain}.toml", *more):
        laid = parse(path.read_text("utf-8"), path.name, laid) if path.exists() else laid
    assert laid is not None
    return laid


@cache
def pack(domain: str) -> Pack:
    files = sorted((DATA / "locales" / "en").glob(f"{domain}*.toml"))
    return parse_pack({path.name: path.read_text("utf-8") for path in files})


@cache
def money(locale: str = "ja") -> MoneyRule:
    """How amounts are written in the source and in a locale."""
    return money_rule((DATA / "locales" / locale / "locale.toml").read_text("utf-8"))


def database(folder: Path, name: str = "db") -> Any:
    if (folder / f"{name}.toml").exists():
        return tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
    path = folder / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


@cache
def facts(domain: str) -> DomainFacts:
    """A domain of the sample."""
    kind, words = environment_class(domain), pack(domain)
    user = database(SAMPLE / domain, "user_db")
    return DomainFacts(
        domain,
        profile(domain, DATA / "sample" / "rules" / f"{domain}.toml"),
        pack=words,
        state=kind.load(database(SAMPLE / domain), words),
        user_state=kind.load_user(user, words) if user else None,
        currency=money().source,
    )


def with_profile(domain: str, **changes: Any) -> DomainFacts:
    """A domain of the sample under another reading of its policy."""
    known = facts(domain)
    return _changed(known, replace(known.profile, **changes), known.currency)


def in_currency(domain: str, currency: Currency) -> DomainFacts:
    """A domain of the sample whose texts write amounts another way."""
    known = facts(domain)
    return _changed(known, known.profile, currency)


def _changed(known: DomainFacts, laid: PolicyProfile, currency: Currency) -> DomainFacts:
    return DomainFacts(
        known.domain,
        laid,
        pack=known.pack,
        state=known.state,
        user_state=known.user_state,
        currency=currency,
    )


@cache
def _tasks(domain: str) -> str:
    return (SAMPLE / domain / "tasks.json").read_text("utf-8")


def tasks(domain: str) -> list[dict[str, Any]]:
    """Fresh copies of the sample's tasks."""
    documents: list[dict[str, Any]] = json.loads(_tasks(domain))
    return documents


def task(domain: str, task_id: str) -> dict[str, Any]:
    return next(document for document in tasks(domain) if document["id"] == task_id)


def act(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A gold action; `made` gives it its id."""
    return {"name": name, "arguments": arguments}


def task_of(
    domain: str, said: str = "", *actions: dict[str, Any], **criteria: Any
) -> dict[str, Any]:
    """A task of a domain: what the user is told, gold actions, further criteria."""
    numbered = [{"action_id": f"0_{at}", **action} for at, action in enumerate(actions)]
    return {
        "id": "0",
        "user_scenario": {
            "instructions": {
                "domain": domain,
                "reason_for_call": said,
                "task_instructions": "",
                "known_info": "",
            }
        },
        "evaluation_criteria": {
            "actions": numbered,
            "communicate_info": [],
            "nl_assertions": None,
            "reward_basis": BASES.get(domain, ["DB"]),
            **criteria,
        },
    }


def violations(
    document: dict[str, Any], known: DomainFacts, only: Iterable[str] | None = None
) -> list[RuleViolation]:
    """What is found; a rule that crashes fails the test instead of being one finding more."""
    results = inspect(document, TaskContext(document, known), only=only)
    assert [violation.message for violation in results if violation.code == CRASHED] == []
    return results


def codes(document: dict[str, Any], known: DomainFacts, *levels: str) -> list[str]:
    """Codes of what is found, of these levels: errors and warnings without any."""
    wanted = levels or ("error", "warning")
    return [fault.code for fault in violations(document, known) if fault.level in wanted]
