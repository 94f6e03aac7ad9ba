"""A model and how to reach it, from the settings; what its tokens cost. Imports no library."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from review_app import config
from review_app.errors import BadInput
from review_app.notices import Notice

GLM = "hosted_vllm/zai-org/GLM-5.2-FP8"
DEFAULT_MODELS = {
    "translate": "gemini/gemini-3.1-pro-preview",
    "agent": GLM,
    "user": GLM,
    "judge": "hosted_vllm/openai/gpt-oss-120b",
}
"""What a role uses where nothing is set: the models of the paper."""

PRICES = "model_prices_and_context_window_backup.json"
"""The price table inside litellm's folder."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model and how to reach it."""

    model: str
    """As litellm names it: provider, slash, model."""
    api_base: str | None = None
    api_key: str = field(default="", repr=False)
    parameters: Mapping[str, object] = field(default_factory=dict)
    """Passed on with each call: temperature, max_tokens, ..."""
    timeout_s: float = 60.0
    """Longest silence of the server."""
    deadline_s: float = 180.0
    """Longest time of one attempt, also of a server that keeps sending."""
    attempts: int = 4
    requests_per_minute: int | None = None
    key_from: str = field(default="", compare=False)
    """The variable or the file that the key was found in; empty if there is none."""


def endpoint(
    role: str, *, model: str | None = None, environ: Mapping[str, str] = os.environ
) -> Endpoint:
    """The endpoint that the settings give a role (`translate`, `agent`, ...).

    A setting is looked for in the environment as `JTAU_<ROLE>_<NAME>`, for address and key also as
    `JTAU_<NAME>`, then in `.streamlit/secrets.toml` in `[llm.<role>]` and `[llm]`, in small
    letters. Names: `MODEL`, `API_BASE`, `API_KEY`, `PARAMETERS` (a JSON object), `TIMEOUT_S`,
    `DEADLINE_S`, `ATTEMPTS`, `REQUESTS_PER_MINUTE`.

    Raises:
        BadInput: a setting that is no number or no JSON object, or no model.
    """
    settings = _Settings(role, environ)
    chosen = model or settings.text("MODEL") or DEFAULT_MODELS.get(role, "")
    if not chosen:
        problem = Notice("config.no_model", "no model for {role!r}: set it", role=role)
        raise BadInput(problem, settings.variable("MODEL"))
    rate = settings.number("REQUESTS_PER_MINUTE", 0)
    return Endpoint(
        model=chosen,
        api_base=settings.text("API_BASE", shared=True) or None,
        api_key=settings.text("API_KEY", shared=True),
        key_from=settings.place("API_KEY"),
        parameters=settings.parameters(),
        timeout_s=settings.number("TIMEOUT_S", 60.0),
        deadline_s=settings.number("DEADLINE_S", 180.0),
        attempts=max(1, int(settings.number("ATTEMPTS", 4))),
        requests_per_minute=int(rate) or None,
    )


class _Settings:
    """The settings of one role, from the environment and the secrets file."""

    def __init__(self, role: str, environ: Mapping[str, str]) -> None:
        self._role, self._environ = role, environ
        shared = config.model_secrets()
        own = shared.get(role)
        self._secrets = {**shared, **(own if isinstance(own, dict) else {})}

    def variable(self, name: str) -> str:
        return f"JTAU_{self._role.upper()}_{name}"

    def _raw(self, name: str, *, shared: bool = False) -> object:
        setting: object = self._environ.get(self.variable(name))
        if not setting and shared:
            setting = self._environ.get(f"JTAU_{name}")
        return setting or self._secrets.get(name.lower())

    def place(self, name: str) -> str:
        """Where a shared setting was found."""
        for variable in (self.variable(name), f"JTAU_{name}"):
            if self._environ.get(variable):
                return variable
        return str(config.SECRETS) if self._secrets.get(name.lower()) else ""

    def text(self, name: str, *, shared: bool = False) -> str:
        return str(self._raw(name, shared=shared) or "").strip()

    def number(self, name: str, default: float) -> float:
        text = self.text(name)
        try:
            value = float(text) if text else default
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            problem = Notice("config.no_number", "must be a number, is {given!r}", given=text)
            raise BadInput(problem, self.variable(name))
        return value

    def parameters(self) -> Mapping[str, object]:
        raw = self._raw("PARAMETERS")
        if isinstance(raw, str):
            try:
                raw = json.loads(raw)
            except ValueError:
                raw = ""
        if raw is not None and not isinstance(raw, dict):
            problem = Notice("config.no_object", "must be a JSON object")
            raise BadInput(problem, self.variable("PARAMETERS"))
        return raw or {}


def price_usd(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    """What so many tokens cost by litellm's price table; None where the model has no price.

    Reads the table that comes with the library, without importing it.
    """
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return None
    prices = json.loads(Path(spec.origin).with_name(PRICES).read_text(encoding="utf-8"))
    entry = prices.get(endpoint.model) or prices.get(endpoint.model.partition("/")[2]) or {}
    one_in, one_out = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if one_in is None or one_out is None:
        return None
    return float(one_in * tokens_in + one_out * tokens_out)
