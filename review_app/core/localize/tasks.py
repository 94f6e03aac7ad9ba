"""Localize a task: its texts, the arguments of its calls, what it expects to be said.

The raw document stays as it is but for what localization changes: unknown keys, key order, nulls.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal

from review_app.core.formats.fields import TASK_FIELDS
from review_app.core.formats.slots import slots
from review_app.core.localize.expected_amounts import (
    Amounts,
    Figure,
    expression,
    number,
    written_amounts,
)
from review_app.core.localize.gathered import calls
from review_app.core.localize.prose.bearers import named_in
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.stated_amounts import related
from review_app.core.localize.values import Localizer
from review_app.json_paths import inside
from review_app.json_types import Json

_TEXT_KINDS = (
    "zip",
    "city",
    "state",
    "address",
    "street",
    "unit",
    "product",
    "email",
    "user_id",
    "phone",
    "airport",
    "place",
)
_ASSERTIONS = "evaluation_criteria/nl_assertions/"


@dataclass(frozen=True, slots=True)
class LocalizedTask:
    """A task in the target locale."""

    task: dict[str, Any]
    stand_ins: tuple[str, ...]
    """Addresses of texts without a translation: their source, adapted, stands in."""
    figures: tuple[Figure, ...] = ()
    """What expected amounts became."""


@dataclass(frozen=True, slots=True)
class TaskLocalizer:
    """Localizes the tasks of one domain."""

    localizer: Localizer
    mentions: Mentions
    texts: Mapping[str, str] = field(default_factory=dict)
    """Address (`7/user_scenario/persona`) -> translation that counts."""
    assertions: Literal["source", "target"] = "target"
    """`source`: natural-language assertions stay in the source language, adapted."""

    def calls(self, task: Json) -> dict[str, Any]:
        """The task with only its calls localized: enough to replay it."""
        localized = copy.deepcopy(dict(task))
        for call in calls([localized]):
            name = call.get("name") or call.get("func_name") or ""
            if isinstance(call.get("arguments"), dict):
                call["arguments"] = self.localizer.arguments(name, call["arguments"])  # type: ignore[index]
        data = (localized.get("initial_state") or {}).get("initialization_data") or {}
        if data.get("agent_data"):
            data["agent_data"] = self.localizer.database(data["agent_data"])
        if data.get("user_data"):
            data["user_data"] = self.localizer.user_database(data["user_data"])
        return localized

    def task(self, task: Json, amounts: Amounts) -> LocalizedTask:
        """The whole task.

        Args:
            task: Raw, with its repairs.
            amounts: What its calls show, from `expected_amounts.gather`.
        """
        return self._among(task)._task(task, amounts)

    def _among(self, task: Json) -> TaskLocalizer:
        """The localizer for which a given name alone means whom the task names in full."""
        people = self.localizer.entities.people
        named = {
            row.source: row
            for slot in slots([task], TASK_FIELDS)
            for row in named_in(slot.text, people)
        }
        return replace(self, mentions=self.mentions.among(named.values()))

    def _task(self, task: Json, amounts: Amounts) -> LocalizedTask:
        localized = self.calls(task)
        figures = self._figures(task, amounts)
        known = {figure.source: figure.target for figure in figures}
        values = self._options(amounts)
        for call in calls([localized]):
            if call.get("name") == "calculate" and "expression" in (call.get("arguments") or ()):
                text = str(call["arguments"]["expression"])
                call["arguments"]["expression"] = expression(text, amounts, self.localizer)
        criteria = localized.get("evaluation_criteria") or {}
        said: dict[str, str] = {}
        if isinstance(expected := criteria.get("communicate_info"), list):
            criteria["communicate_info"] = [self.info(text, known, values) for text in expected]
            pairs = zip(expected, criteria["communicate_info"], strict=True)
            said = {
                source: target for source, target in pairs if source != target and _is_word(source)
            }
        # A judge looks in assertions for the words that must be said.
        judged = replace(self, mentions=self.mentions.saying(said))
        stand_ins = self._write_texts(task, localized, judged, known, values)
        return LocalizedTask(localized, tuple(stand_ins), tuple(figures))

    def info(self, text: Any, figures: Mapping[Decimal, Decimal], values: Mapping[str, str]) -> Any:
        """A string that must be said: an amount, an entity, a variant's value, or prose."""
        if not isinstance(text, str):
            return text
        amount = number(text)
        if amount is not None and amount in figures:
            return f"{figures[amount].to_integral_value()}"
        for kind in _TEXT_KINDS:
            localized = str(self.localizer.value(kind, text))
            if localized != text:
                return localized
        return self.mentions.adapted(text, figures, values)

    def _figures(self, task: Json, amounts: Amounts) -> list[Figure]:
        """What the amounts of the task's texts and expectations become."""
        if self.localizer.money is None:
            return []
        criteria = task.get("evaluation_criteria") or {}
        prose = [slot.text for slot in slots([task], TASK_FIELDS)]
        written = written_amounts(prose, self.localizer)
        expected = {
            amount
            for text in criteria.get("communicate_info") or ()
            if isinstance(text, str) and (amount := number(text)) is not None
            # A whole number may be a count or an id as well.
            if "." in text or "," in text or amounts.shows(amount)
        }
        return related(
            [
                amounts.figure(source_amount, self.localizer.converted(source_amount))
                for source_amount in sorted(expected | written)
            ]
        )

    def _options(self, amounts: Amounts) -> dict[str, str]:
        """Values of the variants that the task shows, as prose may name them; the first counts."""
        options: dict[str, str] = {}
        for key, value in amounts.options:
            if len(value) > 2 and not value.isdigit():
                options.setdefault(value, self.localizer.entities.option(key, value))
        return options

    def _write_texts(
        self,
        task: Json,
        localized: dict[str, Any],
        judged: TaskLocalizer,
        figures: Mapping[Decimal, Decimal],
        values: Mapping[str, str],
    ) -> list[str]:
        stand_ins = []
        for slot in slots([task], TASK_FIELDS):
            text = self.texts.get(slot.address)
            keep = self.assertions == "source" and _ASSERTIONS in slot.address
            if text is None or keep:
                here = judged if _ASSERTIONS in slot.address else self
                text = here.mentions.adapted(slot.text, figures, values)
                if not keep:
                    stand_ins.append(slot.address)
            for path in slot.paths:
                _put(localized, path[1:], text)
        return stand_ins


def _is_word(expected: Any) -> bool:
    return isinstance(expected, str) and len(expected) > 2 and any(map(str.isalpha, expected))


def _put(value: Any, path: tuple[Any, ...], text: str) -> None:
    inside(value, path[:-1])[path[-1]] = text
