"""Files of a domain that carry no text to review: pictures, sound, tables; and the licence.

They are read at import and leave again in a release as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from review_app.records.release import SideFile, SideRole
from review_app.workflows.benchmark import files as benchmark_files

LICENCES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING", "NOTICE")
"""Files of the source's licence, at its top."""


def read(source: Path, domain: str) -> list[tuple[SideFile, bytes]]:
    """What lies in a domain's folder beside its benchmark files, and the source's licence.

    What is hidden (its name begins with a dot) and what Python keeps is left out.

    Raises:
        BadInput: a file is too large, unreadable, or a link that leads out of the source.
    """
    folder, root = benchmark_files.domain_folder(source, domain)
    texts = set(benchmark_files.top_files(folder))
    listed = [
        _read(domain, "side", path, path.relative_to(folder).as_posix(), root)
        for path in _below(folder)
        if path not in texts and not (root == folder and path.name in LICENCES)
    ]
    licences = (root / name for name in LICENCES)
    listed += [
        _read(domain, "licence", path, path.name, root) for path in licences if path.is_file()
    ]
    return listed


def same(known: Iterable[SideFile], files: Iterable[tuple[SideFile, bytes]]) -> bool:
    """Whether the project has these files already."""
    return set(known) == {file for file, _ in files}


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
        elif path.is_file() or path.is_symlink():
            yield path


def _read(
    domain: str, role: SideRole, path: Path, place: str, root: Path
) -> tuple[SideFile, bytes]:
    content = benchmark_files.read_bytes(path, root)
    digest = hashlib.sha256(content).hexdigest()
    return SideFile(domain=domain, place=place, role=role, hash=digest), content
