"""A folder of files written complete or absent: built beside its place, then swapped in.

Whoever builds holds a lock on the folder that it builds in. What a killed build left behind has
none any more: the next one clears it.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from review_app.errors import BadInput
from review_app.notices import Notice

MANIFEST = "MANIFEST.json"
KEEP = ".gitkeep"
"""Holds an empty folder in git; it may lie in an export folder and stays there."""
SCRATCH = ".export-"
"""How the folder begins in which something is being built; it is hidden."""
_OWNER = ".jtau-build"
"""In it: the name of the folder that is built. What has none is somebody else's."""
_SAME_PLACE, _EXCHANGE = -100, 2
"""Of Linux: paths as they are given; let two change places."""


def publish(
    folder: Path, files: Iterable[tuple[str, str | bytes]], about: Mapping[str, Any]
) -> dict[str, str]:
    """Write files and a manifest beside their place, then put them there: all or nothing.

    Args:
        folder: An earlier export is replaced; see `require_free`.
        files: (place relative to the folder, text or bytes) each.
        about: What else the manifest says; the hashes of the files are added. Read when all files
            are written.

    Returns:
        Place to SHA-256.

    Raises:
        OSError: the disk refuses.
        BadInput: a place is outside of the folder.
    """
    written: dict[str, str] = {}
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(folder.parent)
    with _scratch(folder) as scratch:
        built = scratch / "built"
        built.mkdir()
        for place, content in files:
            blob = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
            path = built / _inside(place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(blob)
            written[place] = hashlib.sha256(blob).hexdigest()
        whole = json.dumps({**about, "files": written}, indent=2, ensure_ascii=False)
        (built / MANIFEST).write_text(whole + "\n", encoding="utf-8", newline="")
        if (folder / KEEP).exists():
            (built / KEEP).touch()
        _swap(built, folder, scratch)
    return written


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A folder to build in, locked while it is used and gone afterwards."""
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=SCRATCH))
    with _locked(scratch):
        try:
            (scratch / _OWNER).write_text(folder.name, encoding="utf-8")
            yield scratch
        finally:
            _remove(scratch)


def _remove(scratch: Path) -> None:
    """Remove a folder that was built in; whose it is goes last, should this be killed, too."""
    for path in scratch.iterdir():
        if path.name != _OWNER:
            shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _locked(scratch: Path) -> Iterator[bool]:
    """Hold the lock of a folder, if nobody else does; says whether it was free."""
    if sys.platform == "win32":  # no such locks: nothing is taken for a leftover
        yield False
        return
    import fcntl

    handle = os.open(scratch, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def _clear_leftovers(parent: Path) -> None:
    """Remove what killed builds left; a folder that one had moved aside goes back first."""
    for scratch in parent.glob(f"{SCRATCH}*"):
        if scratch.is_symlink() or not scratch.is_dir():
            continue
        is_owned = (scratch / _OWNER).is_file()
        if not is_owned and any(scratch.iterdir()):
            continue
        with _locked(scratch) as is_free:
            if is_free and is_owned:
                _put_back(scratch)
            if is_free:
                _remove(scratch)


def _put_back(scratch: Path) -> None:
    """Put the folder back that a killed build had moved aside and not yet replaced."""
    place = scratch.parent / Path((scratch / _OWNER).read_text(encoding="utf-8")).name
    if (scratch / "old").is_dir() and not place.exists():
        (scratch / "old").rename(place)


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


def damage(folder: Path) -> list[Notice]:
    """How a folder differs from what its manifest says; empty if it does not.

    Raises:
        BadInput: it has no manifest.
    """
    stated = manifest(folder)
    if not stated:
        raise BadInput(Notice("export.no_manifest", "is not a manifest of an export"), str(folder))
    problems = [_fault(folder, place, digest) for place, digest in stated["files"].items()]
    inside = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    strange = sorted(inside - {*stated["files"], MANIFEST, KEEP})
    problems += [
        Notice("export.file_added", "{file}: the manifest does not name it", file=file)
        for file in strange
    ]
    return [problem for problem in problems if problem is not None]


def _fault(folder: Path, place: str, digest: str) -> Notice | None:
    path = folder / _inside(place)
    if not path.is_file():
        return Notice("export.file_gone", "{file}: is not there", file=place)
    try:
        blob = b"" if path.is_symlink() else path.read_bytes()
    except OSError:
        blob = b""
    if path.is_symlink() or hashlib.sha256(blob).hexdigest() != digest:
        return Notice("export.file_changed", "{file}: is not as it was written", file=place)
    return None


def _written(folder: Path) -> set[str]:
    """The files that an earlier export wrote, its manifest included; none without one."""
    stated = manifest(folder)
    return {MANIFEST, *stated["files"]} if stated else set()


def _swap(built: Path, folder: Path, scratch: Path) -> None:
    """Put the finished folder in place of an earlier one, in one step where the system can."""
    if folder.exists():
        if exchanged(built, folder):
            return
        folder.rename(scratch / "old")
    try:
        built.rename(folder)
    except OSError:
        if (scratch / "old").exists():
            (scratch / "old").rename(folder)
        raise
    shutil.rmtree(scratch / "old", ignore_errors=True)


def exchanged(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; False, and nothing done, where that cannot be."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        return False
    places = (os.fsencode(one), os.fsencode(other))
    return bool(rename(_SAME_PLACE, places[0], _SAME_PLACE, places[1], _EXCHANGE) == 0)
