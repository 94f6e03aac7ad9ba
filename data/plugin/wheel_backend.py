"""Builds the wheel of this folder with nothing but Python: the package, and the release's data.

`pip install DIR/plugin` copies `DIR/data` into the package; `pip install -e DIR/plugin` leaves it
where it is. Nothing is written beside the sources.
"""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MODULE = "jtau_domains"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Write the wheel with a copy of the data. Returns its file name (PEP 517)."""
    files = dict(_package())
    for path in sorted((HERE.parent / "data" / "tau2").rglob("*")):
        if path.is_file():
            files[f"{MODULE}/{path.relative_to(HERE.parent).as_posix()}"] = path.read_bytes()
    return _written(Path(wheel_directory), files)


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Write a wheel that points to this folder. Returns its file name (PEP 660)."""
    return _written(Path(wheel_directory), {f"{MODULE}.pth": f"{HERE}\n".encode()})


def _package() -> Iterator[tuple[str, bytes]]:
    for path in sorted((HERE / MODULE).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(HERE).as_posix(), path.read_bytes()


def _written(folder: Path, files: dict[str, bytes]) -> str:
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    info = f"{name}-{version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    wheel = (
        "Wheel-Version: 1.0\nGenerator: wheel_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files = {
        **files,
        f"{info}/METADATA": f"{about}Summary: {project['description']}\n".encode(),
        f"{info}/WHEEL": wheel.encode(),
    }
    rows = "".join(f"{place},,\n" for place in [*files, f"{info}/RECORD"])
    file = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(folder / file, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in {**files, f"{info}/RECORD": rows.encode()}.items():
            archive.writestr(zipfile.ZipInfo(place, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return file
