"""A folder of files written complete or absent: built beside its place, then swapped in."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from review_app.errors import BadInput
from review_app.notices import Notice

MANIFEST = "MANIFEST.json"
KEEP = ".gitkeep"
"""Holds an empty folder in git; it may lie in an export folder and stays there."""


def publish(
    folder: Path, files: Iterable[tuple[str, str]], about: Mapping[str, Any]
) -> dict[str, str]:
    """Write files and a manifest beside their place, then put them there: all or nothing.

    Args:
        folder: An earlier export is replaced; see `require_free`.
        files: (place relative to the folder, text) each.
        about: What else the manifest says; the hashes of the files are added.

    Returns:
        Place to SHA-256.

    Raises:
        OSError: the disk refuses.
        BadInput: a place is outside of the folder.
    """
    written: dict[str, str] = {}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as scratch:
        built = Path(scratch) / "built"
        built.mkdir()
        for place, text in files:
            blob = text.encode("utf-8", "surrogatepass")
            path = built / _inside(place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(blob)
            written[place] = hashlib.sha256(blob).hexdigest()
        whole = json.dumps({**about, "files": written}, indent=2, ensure_ascii=False)
        (built / MANIFEST).write_text(whole + "\n", encoding="utf-8")
        if (folder / KEEP).exists():
            (built / KEEP).touch()
        _swap(built, folder, Path(scratch))
    return written


def _inside(place: str) -> str:
    """The place, if it is one below the folder and not the manifest's."""
    parts = Path(place).parts
    if not parts or Path(place).is_absolute() or ".." in parts or parts == (MANIFEST,):
        problem = Notice("export.outside", "is no place inside the folder that is written")
        raise BadInput(problem, place)
    return place


def require_free(folder: Path) -> None:
    """Raise BadInput if a folder holds something that no export wrote."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput(Notice("export.is_file", "is a file: name a folder"), str(folder))
    inside = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    strange = inside - _written(folder) - {KEEP}
    if strange:
        problem = Notice(
            "export.foreign_file",
            "holds {file!r}, which no earlier export wrote: name another folder",
            file=min(strange),
        )
        raise BadInput(problem, str(folder))


def manifest(folder: Path) -> dict[str, Any]:
    """What an earlier export says of itself; empty where there is none.

    Raises:
        BadInput: it is no manifest of an export.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(stated["files"], dict):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        problem = Notice("export.no_manifest", "is not a manifest of an export")
        raise BadInput(problem, str(path)) from error
    known: dict[str, Any] = stated
    return known


def unchanged(folder: Path, place: str, digest: str) -> str:
    """The text of a file that an earlier export wrote.

    Raises:
        BadInput: it is gone, or was changed since.
    """
    path = folder / _inside(place)
    try:
        blob = path.read_bytes()
    except OSError:
        blob = None
    if blob is None or hashlib.sha256(blob).hexdigest() != digest:
        problem = Notice(
            "export.changed_by_hand",
            "is not as it was written: put it back, or name another folder",
        )
        raise BadInput(problem, str(path))
    return blob.decode("utf-8", "surrogatepass")


def _written(folder: Path) -> set[str]:
    """The files that an earlier export wrote, its manifest included; none without one."""
    stated = manifest(folder)
    return {MANIFEST, *stated["files"]} if stated else set()


def _swap(built: Path, folder: Path, scratch: Path) -> None:
    """Put the finished folder in place of an earlier one."""
    if folder.exists():
        folder.rename(scratch / "old")
    try:
        built.rename(folder)
    except OSError:
        if (scratch / "old").exists():
            (scratch / "old").rename(folder)
        raise
    shutil.rmtree(scratch / "old", ignore_errors=True)
