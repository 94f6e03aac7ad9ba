"""Make the localized domains known to an installed tau2: domains, task sets, agent and user."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from functools import cache, partial
from typing import Any

from pydantic import BaseModel
from tau2.agent.llm_agent import LLMAgent
from tau2.data_model.tasks import Task
from tau2.domains.airline.data_model import FlightDB
from tau2.domains.airline.tools import AirlineTools
from tau2.domains.retail.data_model import RetailDB
from tau2.domains.retail.tools import RetailTools
from tau2.domains.telecom.data_model import TelecomDB
from tau2.domains.telecom.environment import TelecomEnvironment
from tau2.domains.telecom.tools import TelecomTools
from tau2.domains.telecom.user_data_model import TelecomUserDB
from tau2.domains.telecom.user_tools import TelecomUserTools
from tau2.environment.toolkit import ToolKitBase
from tau2.registry import registry
from tau2.user.user_simulator import UserSimulator

from jtau_domains import release
from jtau_domains.environment import Border, LocalizedEnvironment, with_fees
from jtau_domains.release import Domain

SOURCE_KEYS = "JTAU_SOURCE_KEYS"
"""Environment variable: `1` shows the names of fields as the benchmark has them."""


class LocalizedTelecom(LocalizedEnvironment, TelecomEnvironment):
    """The telecom environment, whose user has a phone."""


_CODE: dict[str, tuple[Any, Any]] = {
    "airline": (FlightDB, AirlineTools),
    "retail": (RetailDB, RetailTools),
    "telecom": (TelecomDB, TelecomTools),
}
"""Domain -> database and tools of the benchmark."""
_USER_CODE: dict[str, tuple[Any, Any]] = {"telecom": (TelecomUserDB, TelecomUserTools)}


def register() -> list[str]:
    """Register all domains of the release with tau2, once. Returns their names."""
    if warning := release.unknown_version():
        print(warning, file=sys.stderr)
    for domain in release.domains().values():
        _register(domain)
    locale = release.about()["locale"]
    if f"user_simulator_{locale}" not in registry.get_users():
        registry.register_user(LocalizedUser, f"user_simulator_{locale}")
        registry.register_agent(LocalizedAgent, f"llm_agent_{locale}")
    return list(release.domains())


def _register(domain: Domain) -> None:
    if domain.name in registry.get_domains():
        return
    for policy in domain.tables["policies"]:
        name = f"{domain.name}{policy}"
        registry.register_domain(partial(environment, domain.name, policy), name)
        registry.register_tasks(
            partial(tasks, domain.name), name, get_task_splits=partial(splits, domain.name)
        )


def environment(
    name: str, policy: str = "", solo_mode: bool = False, **options: Any
) -> LocalizedEnvironment:
    """A fresh environment of a localized domain.

    Args:
        name: The domain.
        policy: Which of its policies: ending of the domain's name.
        solo_mode: The agent has the user's tools, too.
        options: What a newer tau2 may say about a domain; none of it concerns these.
    """
    domain = release.domains()[name]
    policies = domain.tables["policies"][policy]
    if solo_mode and "solo" not in policies:
        raise ValueError(f"domain {name!r} has no solo mode")
    border = _border(name)
    database, tools = _code(name)
    parts: dict[str, Any] = {
        "domain_name": f"{name}{policy}",
        "policy": _policy(domain, policies["solo" if solo_mode else "with_user"]),
        "tools": tools(database.model_validate(_tree(name, "database"))),
    }
    if domain.source not in _USER_CODE:
        return LocalizedEnvironment(border, **parts)
    user_database, user_tools = _USER_CODE[domain.source]
    parts["user_tools"] = _own(
        user_tools(user_database.model_validate(_tree(name, "user_database")))
    )
    opened = LocalizedTelecom(border, **parts)
    if solo_mode:
        opened.set_solo_mode(True)
    return opened


def _own(toolkit: ToolKitBase) -> ToolKitBase:
    """Give a toolkit copies of the records that its class keeps for all, which tools write to."""
    for name, value in vars(type(toolkit)).items():
        if isinstance(value, BaseModel):
            setattr(toolkit, name, value.model_copy(deep=True))
    return toolkit


def tasks(name: str, task_split_name: str | None = "base") -> list[Task]:
    """The tasks of a localized domain, all or those of a split."""
    all_tasks = [Task.model_validate(task) for task in release.domains()[name].json("tasks.json")]
    known = splits(name)
    if task_split_name is None or (task_split_name == "base" and not known):
        return all_tasks
    if task_split_name not in known:
        raise ValueError(f"no split {task_split_name!r} in {name}, use one of {sorted(known)}")
    return [task for task in all_tasks if task.id in known[task_split_name]]


def splits(name: str) -> dict[str, list[str]]:
    """The splits of a localized domain: name -> task ids."""
    known: dict[str, list[str]] = release.domains()[name].json("split_tasks.json") or {}
    return known


@cache
def _border(name: str) -> Border:
    return Border(release.domains()[name], source_keys=os.environ.get(SOURCE_KEYS) == "1")


@cache
def _code(name: str) -> tuple[Any, Any]:
    domain = release.domains()[name]
    database, tools = _CODE[domain.source]
    return database, with_fees(tools, domain.tables["fees"])


@cache
def _tree(name: str, place: str) -> Any:
    """A database in the benchmark's words: plain data, which every environment validates anew."""
    domain, stem = release.domains()[name], {"database": "db", "user_database": "user_db"}[place]
    if (domain.folder / f"{stem}.json").is_file():
        tree = json.loads(domain.text(f"{stem}.json"))
    else:
        tree = tomllib.loads(domain.text(f"{stem}.toml"))
    return _border(name).database(place, tree)


def _policy(domain: Domain, parts: list[list[str]]) -> str:
    """One file as it is, or several, each between tags of its name."""
    if len(parts) == 1:
        return domain.text(parts[0][1])
    return "\n".join(f"<{tag}>\n{domain.text(file)}\n</{tag}>" for tag, file in parts)


class LocalizedAgent(LLMAgent):
    """The benchmark's agent with the release's system prompt."""

    @property
    def system_prompt(self) -> str:
        """The prompt with the domain's policy."""
        prompt: str = release.about()["agent_prompt"]
        return prompt.replace("{policy}", self.domain_policy).strip()


class LocalizedUser(UserSimulator):
    """The benchmark's user simulator with the release's guideline."""

    @property
    def global_simulation_guidelines(self) -> str:
        """The guideline."""
        guide = release.guide(with_tools=self.tools is not None)
        return super().global_simulation_guidelines if guide is None else guide
