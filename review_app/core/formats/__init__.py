"""tau2 files to reviewable units and back, byte for byte.

Everything here is pure: text in, text out. `raw`, `source` and `draft` are the decoded text of a
file with its line ends as they are; `file` is its name, which tells what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping

from review_app.core.formats.alignment import Alignment
from review_app.core.formats.fields import NO_FIELDS, Fields, TextField, parse_fields
from review_app.core.formats.kinds import file_kind
from review_app.core.formats.markdown import markdown_units
from review_app.core.formats.markdown_alignment import align_markdown, render_markdown
from review_app.core.formats.parse_cache import read_once
from review_app.core.formats.python.tools import python_messages, python_tools
from review_app.core.formats.source_checks import check_draft, check_source
from review_app.core.formats.structured import align_structured, render_structured, structured_units
from review_app.models import Unit

__all__ = [
    "NO_FIELDS",
    "Alignment",
    "TextField",
    "Fields",
    "align",
    "check_draft",
    "check_source",
    "file_kind",
    "parse_fields",
    "python_messages",
    "python_tools",
    "read_once",
    "render",
    "units",
]


def units(file: str, raw: str, fields: Fields = NO_FIELDS) -> list[Unit]:
    """The reviewable texts of a file, in file order; none for `data` files.

    Args:
        file: File name; it tells the format and starts every address.
        raw: The decoded file.
        fields: Which strings of the domain's databases are text.

    Raises:
        BadInput: not JSON or TOML.
    """
    if file.endswith(".md"):
        return markdown_units(file, raw)
    return structured_units(file, raw, fields)


def align(file: str, source: str, draft: str, fields: Fields = NO_FIELDS) -> Alignment:
    """The draft's text of every source unit, and what has no counterpart, with reasons.

    Raises:
        BadInput: not JSON or TOML.
    """
    if file.endswith(".md"):
        return align_markdown(file, source, draft)
    return align_structured(file, source, draft, fields)


def render(
    file: str,
    source: str,
    draft: str | None,
    targets: Mapping[str, str],
    fields: Fields = NO_FIELDS,
) -> str:
    """The file with the target texts (address -> text); every other byte stays.

    With a draft, the draft is the skeleton: texts that equal the draft's are left as they are, and
    what has no target stays as drafted. Data files come back unchanged. A draft that lacks tasks or
    tools of the source is completed from it.

    Raises:
        BadInput: not JSON or TOML; a target's address is not in the source.
    """
    if file.endswith(".md"):
        return render_markdown(file, source, draft, targets)
    return render_structured(file, source, draft, targets, fields)
