"""What only a localized task can lack: the user's name in the local script, places that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_app.core.validity.context import INSTRUCTIONS, TaskContext
from review_app.core.validity.facts import full_name
from review_app.core.validity.registry import RuleFault, rule
from review_app.core.validity.texts import folded, look_for
from review_app.json_types import JsonPath

_LOCAL = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ROMANIZED = re.compile(r"(?<![A-Za-z0-9_])[a-z]+_[a-z]+_\d{4}|[A-Za-z0-9._]+@[A-Za-z0-9.-]+")
_NAMED = re.compile(
    r"(?:あなた|名前|氏名)[はが、:]*\s*(?:名前は)?\s*[\u3400-\u9fff々ヶ]{1,4}"
    r"(?:\s[\u3040-\u30ff\u3400-\u9fff々]{1,5}|[\u3400-\u9fff々]{1,3})"
    r"(?:です|という|と申します|さんです)"
)
_KNOWN = "known_info"


@rule("LOC-01", "error", "the gold action needs the name {name}; the instructions do not give it")
def needed_name_not_stated(ctx: TaskContext) -> Iterator[RuleFault]:
    """A look-up by name needs characters that nobody can infer from a romanized id.

    Flags: "あなたは kaori_kato_8020 です", look-up of 加藤 香織.
    Passes: the same with "あなたの名前は加藤 香織です。"; names in Latin letters.
    Precision: finds nothing in the real tasks.
    Source: Table 9, retail 5-14, 35, 39, 45-48, 56-58, 67-69.
    """
    for step in ctx.steps:
        first, last = step.arguments.get("first_name"), step.arguments.get("last_name")
        if not (isinstance(first, str) and isinstance(last, str)) or not _LOCAL.search(
            first + last
        ):
            continue
        if not _states(ctx, first, last):
            yield RuleFault(step.argument("last_name"), name=f"{last} {first}")
            return


@rule(
    "LOC-02",
    "warning",
    "the user's name is nowhere; {id} does not tell how it is written",
    needs_replay=False,
)
def name_not_stated(ctx: TaskContext) -> Iterator[RuleFault]:
    """A localized task names its user by a romanized id or an e-mail address only.

    Flags: "ユーザーIDは sho_takagi_9065 です。"
    Passes: "あなたは高木 翔です。ユーザーIDは sho_takagi_9065 です。"; English instructions.
    Precision: finds nothing in the real tasks.
    Source: Table 9, airline 6 and 7.
    """
    if ctx.instruction.isascii() or not _LOCAL.search(ctx.instruction):
        return
    romanized = _ROMANIZED.search(ctx.instruction)
    if not romanized:
        return
    name = ctx.user.get("name") or {}
    first, last = str(name.get("first_name", "")), str(name.get("last_name", ""))
    stated = _states(ctx, first, last) if ctx.user else bool(_NAMED.search(ctx.instruction))
    if not stated and (not ctx.user or _LOCAL.search(full_name(name))):
        yield RuleFault(_place(ctx), id=romanized[0])


@rule("LOC-03", "warning", "{place} has no counterpart here", needs_replay=False)
def place_without_counterpart(ctx: TaskContext) -> Iterator[RuleFault]:
    """A localized task still speaks of a place or a people of the source culture.

    Flags: "西海岸に行きたい", "プリンストンに住んでいる".
    Passes: "東北地方に行きたい"; the same words in an English task.
    Precision: finds nothing in the real tasks.
    Source: Table 9, airline 15, 24, 39.
    """
    yield from _places(ctx, "ja", localized=True)


@rule("LOC-04", "label", "{place} will need a counterpart", needs_replay=False)
def place_to_localize(ctx: TaskContext) -> Iterator[RuleFault]:
    """A task of the source speaks of a place that is no airport, city or address of its database.

    Flags: "Since you live in Princeton", "anywhere West Coast", "You are French by birth".
    Passes: cities of airports and addresses, which are mapped.
    Precision: not judged; it says what is there.
    Source: Table 9, airline 15, 24, 39.
    """
    yield from _places(ctx, "en", localized=False)


def _places(ctx: TaskContext, language: str, *, localized: bool) -> Iterator[RuleFault]:
    texts = [text for text in ctx.instructions if bool(_LOCAL.search(text.text)) == localized]
    places = ctx.facts.profile.places.get(language, ()) if texts else ()
    words = look_for(places).held_by(ctx.said, ctx.tokens)
    if words:
        for instruction in texts:
            said = folded(instruction.text)
            for place in dict.fromkeys(said[start:end] for start, end in words.spans(said)):
                yield RuleFault(instruction.pointer, place=repr(place))


def _states(ctx: TaskContext, first: str, last: str) -> bool:
    """Whether a name stands in the instructions, in either order, with or without a space."""
    spaceless = re.sub(r"\s", "", ctx.said)
    return any(
        folded(name).replace(" ", "") in spaceless for name in (f"{last}{first}", f"{first}{last}")
    )


def _place(ctx: TaskContext) -> JsonPath:
    place: JsonPath = (*INSTRUCTIONS, _KNOWN)
    return (
        place
        if any(instruction.pointer == place for instruction in ctx.instructions)
        else INSTRUCTIONS
    )
