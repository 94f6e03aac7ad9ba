"""When a text is approved, contested or stale: the review rules, as functions of the answers.

Answers count for exactly the version (and source) they name. See ARCHITECTURE, "Decision".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from review_app.models import Decision, Person, SegmentKind, SegmentState, Verdict

THREE_READERS: frozenset[SegmentKind] = frozenset({"policy", "manual", "workflow"})


def text_hash(text: str) -> str:
    """16 hex digits that change when the text does."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def segment_id(domain: str, file: str, address: str) -> str:
    """The id of the segment at an address: 16 hex digits, the same at every import."""
    return text_hash(f"{domain}\0{file}\0{address}")


def needed_approvals(domain: str, kind: SegmentKind) -> int:
    """How many people must approve a text of this kind.

    Source: paper, appendix B.3: all three annotators read the policies; telecom's three experts
    also read the manual and the tools.
    """
    return 3 if kind in THREE_READERS or (domain == "telecom" and kind == "tool") else 1


def standing_answers(
    decisions: Iterable[Decision], *, version: int, source_hash: str, counts_from: int = 0
) -> dict[int, Verdict]:
    """Each person's answer that counts for this version of text and source.

    Args:
        decisions: All decisions on one segment, in the order they were made.
        version: The version in force.
        source_hash: Of the source in force; answers about another source do not count.
        counts_from: Decisions up to this id were set aside when the segment went back to review.

    Returns:
        Person id to verdict. An undone answer gives way to the same person's answer before it.
    """
    answers: dict[int, list[Decision]] = {}
    for decision in decisions:
        stack = answers.setdefault(decision.person_id, [])
        if decision.verdict == "undo":
            stack[:] = [answer for answer in stack if answer.id != decision.undoes]
        else:
            stack.append(decision)
    standing: dict[int, Verdict] = {}
    for person, stack in answers.items():
        counting = [
            answer.verdict
            for answer in stack
            if (answer.version, answer.source_hash) == (version, source_hash)
            and answer.id > counts_from
        ]
        if counting:
            standing[person] = counting[-1]
    return standing


def review_state(
    answers: Mapping[int, Verdict],
    *,
    needed: int,
    author: int | None,
    translated: bool = True,
    recheck: bool = False,
) -> SegmentState:
    """The state of a segment, from the answers that count for its current version.

    Args:
        answers: As `standing_answers` gives them.
        needed: How many people must approve.
        author: Who wrote the current version; None for a machine draft. The author's own answer
            is one of several, never the only one.
        translated: Whether there is a target at all.
        recheck: Whether the source or a term changed since the last approval.
    """
    if not translated:
        return "untranslated"
    if any(verdict == "adjudicate" and who != author for who, verdict in answers.items()):
        return "approved"
    refused = sum(verdict == "request_change" for verdict in answers.values())
    agreed = [who for who, verdict in answers.items() if verdict != "request_change"]
    if refused and (agreed or len(answers) >= needed):
        return "contested"
    if not refused and len(agreed) >= needed and any(who != author for who in agreed):
        return "approved"
    if recheck:
        return "stale"
    return "in_review" if answers or author is not None else "draft"


def waits_for(
    state: SegmentState,
    person: int,
    answers: Mapping[int, Verdict],
    *,
    needed: int,
    author: int | None,
) -> bool:
    """Whether this person is asked for an answer about the current version."""
    if state in ("approved", "contested") or person in answers:
        return False
    return not (needed == 1 and person == author)


def may_settle(state: SegmentState, person: Person) -> bool:
    """Whether reviewers disagree about a text and this person may settle it."""
    return state == "contested" and person.role == "maintainer"
