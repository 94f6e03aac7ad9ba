"""What the environments of all domains share: dispatch, steps, messages.

An environment holds a database (and, where the user has a device, a second one), a locale pack and
tools. A domain is a subclass with one small method a tool::

    class AirlineEnvironment(Environment):
        domain = "airline"
        tables = ("flights", "reservations", "users")

        @tool("read")
        def get_user_details(self, user_id: str) -> Record:
            return self.db.find("users", user_id) or self.refuse("user_not_found", user_id=user_id)

Parameters are annotated with what the schema shows a model (`schema.py`); nothing is coerced or
checked against it, because the reference hands arguments to the code as they came. So a missing or
an unknown argument is refused by Python itself, and an argument named `self`, `tool_name` or
`requestor` always is: no tool may have such a parameter. A tool returns text, which the agent sees
as it is, or plain JSON, which is dumped. It validates everything before it writes; where the
reference writes half and then fails, the tool does too and its docstring says so.

Every pack has the messages of dispatch: `error` ({error}), `tool_not_found` ({name}),
`bad_arguments` ({name}, {problem}), `no_user_database`, `transferred`; with a calculator
`invalid_characters` and `not_computable` ({problem}).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NoReturn, Self, TypeVar

from review_app.core.envs import calculator
from review_app.core.envs.arguments import hostile
from review_app.core.envs.hashing import RecordPath
from review_app.core.envs.records import ShapeError, shaped
from review_app.core.envs.state import Pristine, Record, State, StateDraft
from review_app.core.locale.pack import Pack
from review_app.errors import BadInput

Requestor = Literal["assistant", "user"]
ToolKind = Literal["read", "write", "generic"]
States = tuple[State, State | None]
"""The agent's database and the user's, if the domain has one."""

# What the reference's own code raises when arguments of a wrong type reach it.
_MISUSE = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError)
_F = TypeVar("_F", bound=Callable[..., Any])


class ToolError(Exception):
    """A tool refuses; the text is what the agent reads. Never leaves the environment."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A method that a model or a task may call."""

    name: str
    requestor: Requestor
    kind: ToolKind | None
    """None: a function of the environment, or nothing of that name."""
    method: Callable[..., Any]


@dataclass(frozen=True)
class Step:
    """What one call did. Hashes are computed when they are asked for."""

    requestor: Requestor
    name: str
    arguments: Mapping[str, Any]
    ok: bool
    output: str
    """What the caller sees: the result, or the error behind the reference's prefix."""
    value: Any
    """The result before it became text, read only; None if refused."""
    kind: ToolKind | None
    """None: there is no such tool."""
    before: States
    after: States
    error: str = ""
    """Without the prefix; empty if ok."""
    error_class: str = ""
    """`ToolError` if tool or dispatch refused, else the Python error that the arguments caused."""
    error_where: Literal["", "sync"] = ""
    """`sync`: the tool itself succeeded."""

    @cached_property
    def agent_hash(self) -> str:
        """Reference hash of the agent's database after the call."""
        return self.after[0].hash

    @cached_property
    def user_hash(self) -> str | None:
        """Reference hash of the user's database after the call; None where there is none."""
        return self.after[1].hash if self.after[1] else None

    @cached_property
    def canonical_hash(self) -> str:
        """Canonical hash of what is there after the call (see `canonical_hash`)."""
        return canonical_hash(self.after)

    @cached_property
    def touched(self) -> tuple[tuple[RecordPath, ...], tuple[RecordPath, ...]]:
        """Paths of the records edited or added, in the agent's and in the user's database."""
        user_before, user_after = self.before[1], self.after[1]
        return (
            self.after[0].touched_since(self.before[0]),
            user_after.touched_since(user_before) if user_after and user_before else (),
        )


def canonical_hash(states: States) -> str:
    """The canonical hash of an environment's database, or of both joined by `+`."""
    return "+".join(state.canonical_hash for state in states if state)


def tool(kind: ToolKind, requestor: Requestor = "assistant", name: str = "") -> Callable[[_F], _F]:
    """Mark a method as a tool. `name` if the method must be called otherwise than the tool."""

    def mark(method: _F) -> _F:
        entry = Tool(name=name or method.__name__, requestor=requestor, kind=kind, method=method)
        setattr(method, "tool_entry", entry)  # noqa: B010 - functions declare no attributes
        return method

    return mark


def function(side: Requestor, name: str = "") -> Callable[[_F], _F]:
    """Mark a method that tasks may call to set up or to assert, and models may not."""

    def mark(method: _F) -> _F:
        entry = Tool(name=name or method.__name__, requestor=side, kind=None, method=method)
        setattr(method, "tool_entry", entry)  # noqa: B010
        return method

    return mark


class Environment:
    """A domain's databases and the tools that may read or change them.

    Args:
        state: The agent's database, loaded (`Pristine`) or any later moment of one.
        pack: The locale pack of the domain.
        user_state: The user's database, where the domain has one.
    """

    domain: ClassVar[str] = ""
    database: ClassVar[type | None] = None
    """TypedDict of the agent's database (see `records.py`): fields, order, types."""
    user_database: ClassVar[type | None] = None
    tables: ClassVar[tuple[str, ...]] = ()
    """Top-level values of the agent's database whose members are records."""
    user_tables: ClassVar[tuple[str, ...]] = ()
    unordered: ClassVar[frozenset[str]] = frozenset()
    """Lists of the agent's database whose order means nothing (see `hashing.CanonicalIndex`)."""
    user_unordered: ClassVar[frozenset[str]] = frozenset()
    closed: ClassVar[Mapping[type, Callable[[Pack], Record]]] = {}
    """Parameter records whose fields all have defaults and that take no others."""
    tools: ClassVar[Mapping[tuple[Requestor, str], Tool]] = {}
    functions: ClassVar[Mapping[tuple[Requestor, str], Tool]] = {}

    def __init_subclass__(cls) -> None:
        members = [member for base in reversed(cls.__mro__) for member in vars(base).values()]
        marks = [getattr(member, "tool_entry", None) for member in members]
        entries = [entry for entry in marks if isinstance(entry, Tool)]
        cls.tools = {(entry.requestor, entry.name): entry for entry in entries if entry.kind}
        cls.functions = {
            (entry.requestor, entry.name): entry for entry in entries if not entry.kind
        }

    def __init__(
        self, state: Pristine | State, pack: Pack, user_state: Pristine | State | None = None
    ) -> None:
        self.pack = pack
        self.db = StateDraft(_as_state(state))
        self._user_db = StateDraft(_as_state(user_state)) if user_state is not None else None
        self._opened()

    def _opened(self) -> None:
        """Carry what the sides share when built; what fails here fails again at the first call."""
        try:
            self.sync()
        except (ToolError, *_MISUSE):
            return

    @property
    def user_db(self) -> StateDraft:
        """The user's database. Only tools of a domain that has one may ask."""
        if self._user_db is None:
            raise ToolError(self.pack.message("no_user_database"))
        return self._user_db

    @classmethod
    def normalize(
        cls, tree: Mapping[str, Any], pack: Pack, *, any_word: bool = False
    ) -> Mapping[str, Any]:
        """The agent's database in the shape that is hashed: every field present, in order.

        Args:
            tree: Plain JSON.
            pack: Decides key names and vocabulary.
            any_word: Take the words of any language.

        Raises:
            BadInput: a field is missing or has the wrong type; names its address.
        """
        return _in_shape(tree, cls.database, pack, any_word=any_word)

    @classmethod
    def normalize_user(
        cls, tree: Mapping[str, Any], pack: Pack, *, any_word: bool = False
    ) -> Mapping[str, Any]:
        """The user's database in the shape that is hashed. Raises BadInput."""
        return _in_shape(tree, cls.user_database, pack, any_word=any_word)

    @classmethod
    def load(cls, tree: Mapping[str, Any], pack: Pack) -> Pristine:
        """The agent's database in the shape that is hashed, ready to be shared. Raises BadInput."""
        return Pristine(cls.normalize(tree, pack), cls.tables, cls.unordered)

    @classmethod
    def load_user(cls, tree: Mapping[str, Any], pack: Pack) -> Pristine:
        """The user's database in the shape that is hashed, ready to be shared. Raises BadInput."""
        return Pristine(cls.normalize_user(tree, pack), cls.user_tables, cls.user_unordered)

    def sync(self) -> None:
        """Carry shared facts between the sides. Runs after every call; telecom overrides it."""

    def states(self) -> States:
        """The present moment of both databases: cheap, immutable, fit for `restore`."""
        return self.db.freeze(), self._user_db.freeze() if self._user_db else None

    def restore(self, states: States) -> None:
        """Go back to an earlier moment of this environment."""
        self.db.restore(states[0])
        if self._user_db is not None and states[1] is not None:
            self._user_db.restore(states[1])

    def fork(self) -> Self:
        """An environment that goes on from here on its own."""
        state, user_state = self.states()
        return type(self)(state, self.pack, user_state)

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        requestor: Requestor = "assistant",
        *,
        sync: bool = True,
    ) -> Step:
        """Run one tool call; a refused one changes nothing, but for documented half-writes.

        Args:
            name: Tool name as a model gave it.
            arguments: Any JSON object; handed on without coercion.
            requestor: Whose tool: a tool of the other side is not found.
            sync: False as in the evaluator's gold environment.
        """
        entry = _entry(self.tools, requestor, name)
        if entry is None:
            return self._not_found(requestor, name, arguments)
        return self._run(entry, arguments, sync=sync)

    def kind_of(self, name: str, requestor: Requestor = "assistant") -> ToolKind | None:
        """What sort of tool this is; None if there is none."""
        entry = _entry(self.tools, requestor, name)
        return entry.kind if entry else None

    def run(self, side: Requestor, name: str, arguments: Mapping[str, Any]) -> Step:
        """Call a set-up or assertion function, or a tool, by name, as a task's initial state does.

        The step's `value` is what it returned; where the reference raises, the step is refused.
        """
        entry = _entry(self.functions, side, name) or _entry(self.tools, side, name)
        if entry is None:
            return self._not_found(side, name, arguments)
        return self._run(entry, arguments, sync=True)

    @tool("generic")
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the user over to a human agent. Nothing is stored."""
        return self.pack.message("transferred")

    def refuse(self, message: str, **values: object) -> NoReturn:
        """Stop the tool with a message of the pack."""
        raise ToolError(self.pack.message(message, **values))

    def render(self, value: Any) -> str:
        """A tool's result as the caller sees it: text as it is, anything else as JSON."""
        if isinstance(value, str):
            return value
        return json.dumps(value, ensure_ascii=self.pack.escape, default=str)

    def _not_found(self, requestor: Requestor, name: str, arguments: Mapping[str, Any]) -> Step:
        entry = Tool(name=name, requestor=requestor, kind=None, method=type(self).sync)
        error = ToolError(self.pack.message("tool_not_found", name=name))
        return self._refused(entry, arguments, error, before=self.states())

    def _run(self, entry: Tool, arguments: Mapping[str, Any], *, sync: bool) -> Step:
        before = self.states()
        value: Any = None
        output, where, error = "", "", None
        try:
            if problem := hostile(arguments):
                self.refuse("bad_arguments", name=entry.name, problem=problem)
            value = entry.method(self, **arguments)
            output, where = self.render(value), "sync"
            if sync:
                self.sync()
        except (ToolError, *_MISUSE) as refusal:
            error = refusal
        if error is None:
            return Step(
                requestor=entry.requestor,
                name=entry.name,
                arguments=arguments,
                ok=True,
                output=output,
                value=value,
                kind=entry.kind,
                before=before,
                after=self.states(),
            )
        return self._refused(entry, arguments, error, before=before, where=where)

    def _refused(
        self,
        entry: Tool,
        arguments: Mapping[str, Any],
        error: Exception,
        *,
        before: States,
        where: str = "",
    ) -> Step:
        return Step(
            requestor=entry.requestor,
            name=entry.name,
            arguments=arguments,
            ok=False,
            output=self.pack.message("error", error=error),
            value=None,
            kind=entry.kind,
            before=before,
            after=self.states(),
            error=str(error),
            error_class=type(error).__name__,
            error_where="sync" if where else "",
        )


def _entry(tools: Mapping[tuple[Requestor, str], Tool], side: Requestor, name: str) -> Tool | None:
    # Both come out of files and models' answers: they may be anything.
    return tools.get((side, name)) if isinstance(side, str) and isinstance(name, str) else None


def _in_shape(
    tree: Mapping[str, Any], database: type | None, pack: Pack, *, any_word: bool
) -> Mapping[str, Any]:
    if database is None:
        return tree
    try:
        whole: Mapping[str, Any] = shaped(tree, database, pack, any_word=any_word)
    except ShapeError as error:
        raise BadInput(error.problem, "database", error.address) from error
    return whole


def _as_state(state: Pristine | State) -> State:
    return State(state) if isinstance(state, Pristine) else state


class CalculatingEnvironment(Environment):
    """An environment whose agent has a calculator."""

    @tool("generic")
    def calculate(self, expression: str) -> str:
        """The value of an arithmetic expression, two decimals, printed as a Python float."""
        try:
            return calculator.calculate(expression)
        except calculator.InvalidCharacters:
            self.refuse("invalid_characters")
        except calculator.NotComputable as error:
            self.refuse("not_computable", problem=error)
