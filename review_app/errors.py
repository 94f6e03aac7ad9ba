"""What can go wrong in front of a person.

    ReviewError            shown as one line: command line exit code 2, st.error in the browser
    ├── BadInput           a file or field cannot be read; names file and address
    ├── NotAllowed         the person may not do this (role, own text, nobody chosen)
    ├── StaleEdit          the text changed since it was read; carries what is there now
    ├── ExportBlocked      carries the list of what is missing
    └── NotFound           no such project, domain, segment, term or person

Each carries a `Notice`, which the interface says in the reader's language; `str(error)` is the
English line. Expected outcomes (a failed check, a refused tool call) are values, not exceptions.
`ReviewError` is caught in two places only: `cli.main` and `ui.session.guard`.
"""

from __future__ import annotations

from collections.abc import Sequence

from review_app.notices import Notice, Template, Value


class ReviewError(Exception):
    """Something a person has to act on. The notice says what and what to do next.

    Args:
        notice: The notice, or its code: `ReviewError("area.what", "English with {slot}", slot=…)`.
        english: With a code, what the notice says.
        values: With a code, what fills its slots.
    """

    def __init__(
        self, notice: Notice | str, english: Template | None = None, /, **values: Value
    ) -> None:
        if isinstance(notice, str):
            if english is None:
                raise TypeError(f"give the sentence {notice!r} a code: what to say, and its values")
            notice = Notice(notice, english, **values)
        self.notice: Notice = notice
        super().__init__(notice)


class BadInput(ReviewError):
    """A file or a field in it cannot be used.

    Args:
        problem: What is wrong and what to do, one line.
        file: The file as the user named it.
        address: Where in the file (JSON path, line), if known.
    """

    def __init__(self, problem: Notice, file: str = "", address: str = "") -> None:
        self.problem, self.file, self.address = problem, file, address
        place = f"{file}#{address}" if file and address else file or address
        if place:
            super().__init__("input.at_place", "{place}: {problem}", place=place, problem=problem)
        else:
            super().__init__(problem)


class NotAllowed(ReviewError):
    """Not for this person to do; the message says who may."""


class NotFound(ReviewError):
    """Nothing has this name or id."""


class StaleEdit(ReviewError):
    """Somebody saved another version after this one was read. Nothing was written.

    Args:
        base: The text both started from.
        theirs: The text that is stored now.
        version: The version number of `theirs`.
    """

    def __init__(self, base: str, theirs: str, version: int) -> None:
        super().__init__(
            "review.stale_edit",
            "somebody saved version {version} while you were writing; your text is kept, "
            "compare the two and save again",
            version=version,
        )
        self.base, self.theirs, self.version = base, theirs, version


class ExportBlocked(ReviewError):
    """The export would be incomplete.

    Args:
        missing: One line for each segment that is not releasable: address and reason.
    """

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(
            "export.blocked",
            (
                "1 segment is not approved: {first}; review it, or export with --allow-incomplete",
                "{count} segments are not approved, first: {first}; review them, "
                "or export with --allow-incomplete",
            ),
            count=len(missing),
            first=missing[0],
        )
        self.missing = tuple(missing)
