"""What can go wrong in front of a person.

    ReviewError            shown as one line: command line exit code 2, st.error in the browser
    ├── BadInput           a file or field cannot be read; names file and address
    ├── NotAllowed         the person may not do this (role, own text, nobody chosen)
    ├── StaleEdit          the text changed since it was read; carries what is there now
    ├── ExportBlocked      carries the list of what is missing
    └── NotFound           no such project, domain, segment, term or person

Expected outcomes (a failed check, a refused tool call) are values, not exceptions. `ReviewError` is
caught in two places only: `cli.main` and `ui.session.guard`.
"""

from __future__ import annotations

from collections.abc import Sequence


class ReviewError(Exception):
    """Something a person has to act on. The message says what and what to do next."""


class BadInput(ReviewError):
    """A file or a field in it cannot be used.

    Args:
        problem: What is wrong and what to do, one line.
        file: The file as the user named it.
        address: Where in the file (JSON path, line), if known.
    """

    def __init__(self, problem: str, file: str = "", address: str = "") -> None:
        place = f"{file}#{address}" if file and address else file or address
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem, self.file, self.address = problem, file, address


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
            f"somebody saved version {version} while you were writing; your text is kept, "
            "compare the two and save again"
        )
        self.base, self.theirs, self.version = base, theirs, version


class ExportBlocked(ReviewError):
    """The export would be incomplete.

    Args:
        missing: One line for each segment that is not releasable: address and reason.
    """

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(
            f"{len(missing)} segments are not approved, first: {missing[0]}; review them, "
            "or export with --allow-incomplete"
        )
        self.missing = tuple(missing)
