"""What the rules know of one task: built once, looked at by every rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from review_app.core.envs.base import Environment, States, Step
from review_app.core.scoring.reward import AssertionVerdict, run_assertion
from review_app.core.tasks.replay import Replay, replay_task
from review_app.core.validity.facts import DomainFacts, full_name, strings
from review_app.core.validity.texts import folded, look_for, tokens_of
from review_app.errors import BadInput
from review_app.json_types import Json, JsonPath
from review_app.notices import Notice

Known = TypeVar("Known")

ACTIONS: JsonPath = ("evaluation_criteria", "actions")
INSTRUCTIONS: JsonPath = ("user_scenario", "instructions")

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:\.\d[^.!?。！？\n]*)*[.!?。！？]?")
_SENTENCE_END = re.compile(r"[.!?。！？\n]")
_NEAR_WORDS = 5
_NEAR_LETTERS = 10
_USER_ID = re.compile(r"(?<![A-Za-z0-9_])[a-z]+(?:_[a-z]+)+_\d+")
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the task and where it stands."""

    pointer: JsonPath
    text: str


@dataclass(frozen=True, slots=True)
class GoldStep:
    """A gold action and what it did."""

    at: int
    """Index in the task's list of actions."""
    action: Json
    step: Step
    arguments: Json

    @property
    def pointer(self) -> JsonPath:
        """Where the action stands in the task."""
        return (*ACTIONS, self.at)

    def argument(self, name: str) -> JsonPath:
        """Where one of its arguments stands."""
        return (*self.pointer, "arguments", name)

    def before(self, table: str, key: Any) -> Any:
        """A record of the agent's database before the action, or None."""
        return self.step.before[0].find((table, key)) if isinstance(key, str) else None

    def after(self, table: str, key: Any) -> Any:
        """A record of the agent's database after the action, or None."""
        return self.step.after[0].find((table, key)) if isinstance(key, str) else None


class TaskContext:
    """One task beside what its domain's policy and database say.

    Args:
        task: Raw task.
        facts: Of its domain.
        replay: Of its gold actions, if it is there already; else it is made where it can be.
    """

    def __init__(self, task: Json, facts: DomainFacts, replay: Replay | None = None) -> None:
        self.task = task
        self.facts = facts
        self.task_id = str(task.get("id", ""))
        self.problem: Notice | None = None
        """Why the gold actions cannot be replayed."""
        self.problem_address = ""
        self.replay = replay
        self._known: dict[Callable[[TaskContext], Any], Any] = {}
        if replay is None and facts.can_replay:
            try:
                self.replay = replay_task(facts.open(), task)
            except BadInput as error:
                self.problem, self.problem_address = error.problem, error.address

    def once(self, work: Callable[[TaskContext], Known]) -> Known:
        """What a function says of this task; it is asked once."""
        if work not in self._known:
            self._known[work] = work(self)
        known: Known = self._known[work]
        return known

    # -- criteria ------------------------------------------------------------------------------

    @cached_property
    def criteria(self) -> Json:
        """The evaluation criteria; empty if null or absent."""
        criteria = self.task.get("evaluation_criteria")
        return criteria if isinstance(criteria, Mapping) else {}

    @cached_property
    def actions(self) -> Sequence[tuple[int, Json]]:
        """Index and raw form of each gold action."""
        return [
            (at, action)
            for at, action in enumerate(self._members("actions"))
            if isinstance(action, dict)
        ]

    @cached_property
    def assertions(self) -> Sequence[Text]:
        """The assertions in words."""
        return self._listed("nl_assertions")

    @cached_property
    def infos(self) -> Sequence[Text]:
        """What the agent must tell the user."""
        return self._listed("communicate_info")

    def _listed(self, name: str) -> Sequence[Text]:
        place = ("evaluation_criteria", name)
        return [
            Text((*place, at), text)
            for at, text in enumerate(self._members(name))
            if isinstance(text, str)
        ]

    def _members(self, name: str) -> Sequence[Any]:
        """What a list of the criteria holds; nothing where it is no list."""
        members = self.criteria.get(name)
        return members if isinstance(members, list) else ()

    # -- what the user is told -----------------------------------------------------------------

    @cached_property
    def instructions(self) -> Sequence[Text]:
        """The texts the user simulator is given, without the domain's name."""
        scenario = self.task.get("user_scenario")
        instructions = scenario.get("instructions") if isinstance(scenario, Mapping) else None
        if isinstance(instructions, str):
            return [Text(INSTRUCTIONS, instructions)]
        parts = instructions.items() if isinstance(instructions, Mapping) else ()
        return [
            Text((*INSTRUCTIONS, name), text)
            for name, text in parts
            if name != "domain" and isinstance(text, str)
        ]

    @cached_property
    def instruction(self) -> str:
        """All instructions as one text."""
        return "\n".join(instruction.text for instruction in self.instructions)

    @cached_property
    def said(self) -> str:
        """The instructions in lower case and normal width, to search in."""
        return "\n".join(text.text for text in self._folded)

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The runs of ASCII letters and digits in what is said."""
        return tokens_of(self.said)

    @cached_property
    def _folded(self) -> Sequence[Text]:
        """Each instruction in lower case and normal width."""
        return [Text(text.pointer, folded(text.text)) for text in self.instructions]

    @cached_property
    def sentences(self) -> Sequence[str]:
        """The instructions sentence by sentence, in lower case and normal width."""
        return [sentence.text for sentence in self.sentences_at]

    @cached_property
    def sentences_at(self) -> Sequence[Text]:
        """The same with the text in which each sentence stands."""
        return [
            Text(instruction.pointer, sentence[0].strip())
            for instruction in self._folded
            for sentence in _SENTENCE.finditer(instruction.text)
        ]

    def mentions(self, topic: str, *, negated: bool = True) -> bool:
        """Whether the instructions hold a word of a topic of the profile.

        Args:
            topic: Key of the profile's `words`.
            negated: False: a word does not count shortly after a word of `not`, or right before
                one of `not_after`.
        """
        spans = look_for(self.facts.profile.words.get(topic, ())).spans(self.said)
        return any(negated or not self._is_negated(*span) for span in spans)

    def _is_negated(self, start: int, end: int) -> bool:
        words = self.facts.profile.words
        sentence = _SENTENCE_END.split(self.said[:start])[-1]
        before = " ".join(sentence.split()[-_NEAR_WORDS:])
        after = self.said[end : end + _NEAR_LETTERS]
        return bool(
            look_for(words.get("not", ())).first(before)
            or look_for(words.get("not_after", ())).first(after)
        )

    def tells(self, arguments: Json) -> bool:
        """Whether the user can say each text of a call: told by the instructions, or their own.

        Their own is what stands in the record of the user whom the instructions name. The sign
        before an order number does not count.
        """
        own = self.facts.table("users").get(self.named_user_id or "", {})
        known = folded("\n".join([self.instruction, *strings(own)]))
        values = [value for value in arguments.values() if isinstance(value, str)]
        return bool(values) and all(folded(value).lstrip("#") in known for value in values)

    # -- what the gold actions do --------------------------------------------------------------

    @cached_property
    def steps(self) -> Sequence[GoldStep]:
        """The gold actions with what they did; empty without a replay."""
        done = self.replay.steps if self.replay else ()
        return [
            GoldStep(at=at, action=action, step=step, arguments=_object(action.get("arguments")))
            for (at, action), step in zip(self.actions, done, strict=False)
        ]

    def writes(self, *names: str) -> Sequence[GoldStep]:
        """The steps of write tools, or of those with these names."""
        if not names:
            return self._writes
        return [write for write in self._writes if write.step.name in names]

    @cached_property
    def _writes(self) -> Sequence[GoldStep]:
        return [step for step in self.steps if step.step.kind == "write"]

    def assertion_verdicts(self, states: States) -> Iterator[tuple[int, AssertionVerdict]]:
        """Index and verdict of each environment assertion at a moment of the replay."""
        assertions = self._members("env_assertions")
        if not assertions or not self.facts.can_replay:
            return
        environment = self.environment
        for at, assertion in enumerate(assertions):
            if isinstance(assertion, Mapping):
                environment.restore(states)
                yield at, run_assertion(environment, assertion)

    @cached_property
    def environment(self) -> Environment:
        """An environment of the task's domain that `restore` takes to any moment of the replay."""
        return self.facts.open_at(self.replay.initial) if self.replay else self.facts.open()

    # -- whose task it is ----------------------------------------------------------------------

    @cached_property
    def user_id(self) -> str | None:
        """The user the instructions name: by id, e-mail, or a name that one user has."""
        named = self.named_user_id
        return named if named else self._user_of_gold()

    @cached_property
    def named_user_id(self) -> str | None:
        """The user whom the instructions alone name; None if nobody or several."""
        users = self.facts.table("users")
        if not users:
            return None
        for user_id in _USER_ID.findall(self.instruction) if "_" in self.instruction else ():
            if user_id in users:
                return str(user_id)
        for email in _EMAIL.findall(self.said) if "@" in self.said else ():
            if email in self.facts.users_by_email:
                return self.facts.users_by_email[email]
        by_name = self.facts.users_named(self.said)
        by_zip = [user_id for user_id in by_name if _zip(users[user_id]) in self.said]
        chosen = by_zip or by_name
        return chosen[0] if len(chosen) == 1 else None

    def _user_of_gold(self) -> str | None:
        users = self.facts.table("users")
        for step in self.steps:
            value = step.step.value if step.step.name.startswith("find_user_id") else None
            for candidate in (value, step.arguments.get("user_id")):
                if isinstance(candidate, str) and candidate in users:
                    return candidate
        return None

    @cached_property
    def user(self) -> Json:
        """The stored user before any action; empty if unknown."""
        if self.replay is not None:
            user = self.initial("users", self.user_id or "")
        else:
            user = self.facts.table("users").get(self.user_id or "")
        return user if isinstance(user, Mapping) else {}

    @cached_property
    def user_name(self) -> str:
        """The user's stored name as `given family`, in lower case; empty if unknown."""
        return full_name(self.user.get("name"))

    def final(self, table: str, key: str) -> Any:
        """A record of the agent's database after all gold actions, or None."""
        return self.replay.final[0].find((table, key)) if self.replay else None

    def initial(self, table: str, key: str) -> Any:
        """A record of the agent's database before all gold actions, or None."""
        return self.replay.initial[0].find((table, key)) if self.replay else None


def _zip(user: Json) -> str:
    address = user.get("address")
    return str(address.get("zip", "\0")) if isinstance(address, Mapping) else "\0"


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
