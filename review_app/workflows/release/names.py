"""Which names a release may have: one folder, the same on every system, legible everywhere."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from review_app.errors import BadInput
from review_app.notices import Notice

LONGEST = 64
"""Characters; in UTF-8 at most the 255 bytes that a file system takes, whatever the script."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def require_name(name: str) -> str:
    """The name, if a release may have it.

    Letters and digits of any script in their composed form, `-`, `_` and `.`; the first character
    is a letter or a digit, the last one no dot. So there are no emoji and nothing invisible in it,
    it names a folder and no path, and Windows has no device of that name.

    Raises:
        BadInput: it is another one; says what is wrong.
    """
    if problem := _problem(name):
        shown = name if len(name) <= LONGEST else f"{name[:LONGEST]}..."
        raise BadInput(problem, ascii(shown) if not shown.isprintable() else repr(shown))
    return name


def _problem(name: str) -> Notice | None:
    if not name:
        return Notice("release.name_missing", "a release needs a name")
    if len(name) > LONGEST:
        return Notice(
            "release.name_long",
            "has {length} characters: a name has at most {limit}",
            length=len(name),
            limit=LONGEST,
        )
    if odd := [sign for sign in name if not (sign.isalnum() or sign in "-_.")]:
        return Notice(
            "release.name_signs",
            "a name has letters, digits, - _ and . only, not {sign}",
            sign=ascii(odd[0]) if ord(odd[0]) > 127 or not odd[0].isprintable() else repr(odd[0]),
        )
    if not name[0].isalnum() or name.endswith("."):
        return Notice(
            "release.name_ends", "a name begins with a letter or a digit and does not end in a dot"
        )
    if unicodedata.normalize("NFC", name) != name:
        return Notice(
            "release.name_not_composed", "a name is written in composed characters: type it anew"
        )
    if _DEVICE.fullmatch(unicodedata.normalize("NFKC", name)):
        return Notice("release.name_device", "Windows keeps this name for a device: name another")
    return None


def folder_of(out: Path, name: str) -> Path:
    """The folder of a release below the one that holds them all.

    Raises:
        BadInput: the name may not be one, or a link stands in its place.
    """
    if "\0" in str(out):
        raise BadInput(Notice("release.out_null", "is no name of a folder"), ascii(str(out)))
    folder = out / require_name(name)
    if folder.is_symlink():
        problem = Notice(
            "release.is_link", "is a link to somewhere else: remove it, or choose another name"
        )
        raise BadInput(problem, str(folder))
    return folder
