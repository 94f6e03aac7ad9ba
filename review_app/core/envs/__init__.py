"""Tool environments: what a domain's tools do to its database.

`open_environment("airline", state, pack).call("get_user_details", {"user_id": "..."})` is a `Step`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from review_app.core.envs.airline import AirlineEnvironment
from review_app.core.envs.base import Environment, Requestor, Step, Tool
from review_app.core.envs.retail import RetailEnvironment
from review_app.core.envs.state import Pristine, State
from review_app.core.envs.telecom import TelecomEnvironment
from review_app.core.locale.pack import Pack
from review_app.errors import NotFound

__all__ = [
    "DOMAINS",
    "Environment",
    "Pristine",
    "Requestor",
    "State",
    "Step",
    "Tool",
    "environment_class",
    "has_environment",
    "open_environment",
]

DOMAINS: Mapping[str, type[Environment]] = {
    kind.domain: kind for kind in (AirlineEnvironment, RetailEnvironment, TelecomEnvironment)
}
"""Domain -> its environment. A new domain is one class here."""


def has_environment(domain: str) -> bool:
    """Whether the domain's tools can be run."""
    return domain in DOMAINS


def environment_class(domain: str) -> type[Environment]:
    """The environment of a domain; `load` and `load_user` of it make states that many may share.

    Raises:
        NotFound: the domain has no tools here.
    """
    if domain not in DOMAINS:
        raise NotFound(
            "environment.unknown",
            "domain {domain!r} has no environment, use one of [{known!r}]",
            domain=domain,
            known=tuple(sorted(DOMAINS)),
        )
    return DOMAINS[domain]


def open_environment(
    domain: str,
    state: Pristine | State | Mapping[str, Any],
    pack: Pack,
    user_state: Pristine | State | Mapping[str, Any] | None = None,
) -> Environment:
    """A fresh environment of a domain.

    Args:
        domain: Key of `DOMAINS`.
        state: The agent's database: loaded (microseconds, shared) or plain JSON (loaded first).
        pack: The locale pack of the domain.
        user_state: The user's database, where the domain has one.

    Raises:
        NotFound: the domain has no tools here.
        BadInput: the JSON is no database of this domain.
    """
    kind = environment_class(domain)
    if isinstance(state, Mapping):
        state = kind.load(state, pack)
    if isinstance(user_state, Mapping):
        user_state = kind.load_user(user_state, pack)
    return kind(state, pack, user_state)
