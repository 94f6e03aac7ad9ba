"""Which commit of a checkout is imported, read from git's own files."""

from __future__ import annotations

import re
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REFERENCE = re.compile(r"ref: (refs/[\w-][\w./-]*)")


def commit_of(source: Path) -> str | None:
    """The commit that a checkout is at; None where the folder is none."""
    git = source / ".git"
    head = _text(git / "HEAD")
    reference = _REFERENCE.fullmatch(head)
    if reference and ".." not in head:
        head = _text(git / reference[1]) or _packed(git, reference[1])
    return head if _COMMIT.fullmatch(head) else None


def _packed(git: Path, reference: str) -> str:
    lines = (line.split(" ") for line in _text(git / "packed-refs").splitlines())
    return next((line[0] for line in lines if line[1:] == [reference]), "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
