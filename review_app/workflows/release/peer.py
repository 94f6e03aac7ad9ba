"""The benchmark itself, where it is installed: in an environment of its own, never in ours."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from review_app.config import data_folder
from review_app.notices import Notice
from review_app.workflows.release.plugin import MODULE, PLUGIN

WAIT_S = 1800
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LLM_CACHE_ENABLED": "false",
    "LOGURU_LEVEL": "ERROR",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Keeps it from the network, from its cache, and from writing beside the plugin."""


class CannotPlay(Exception):
    """The benchmark cannot be asked; carries why."""

    def __init__(self, why: Notice) -> None:
        super().__init__(str(why))
        self.why = why


def python() -> Path | None:
    """The interpreter that has the benchmark (`JTAU_PEER`, else `.peer`); None where none is."""
    path = Path(os.environ.get("JTAU_PEER") or ".peer") / "bin" / "python"
    return path if path.is_file() else None


def self_test(folder: Path) -> Iterator[Notice | str]:
    """Yield where the benchmark plays the gold actions of a release otherwise than is recorded.

    Runs the release's plugin, so its code must be the one that we ship.

    Raises:
        CannotPlay: the benchmark is not here, or the plugin is another one.
    """
    interpreter = python()
    if interpreter is None:
        raise CannotPlay(Notice("release.no_peer", "the benchmark is not installed: `make peer`"))
    if not _is_ours(folder / PLUGIN):
        raise CannotPlay(
            Notice(
                "release.other_plugin",
                "its plugin is of another version: run `python -m jtau_domains check` yourself",
            )
        )
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [str(interpreter.absolute()), "-B", "-m", MODULE, "check", "--json"],
        cwd=folder / PLUGIN,
        env=environment | QUIET,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    report = _report(done.stdout)
    if report is None:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        yield Notice("release.peer_failed", "the benchmark failed: {problem}", problem=last[0])
        return
    for task in report["differences"]:
        yield f"{task['domain']} {task['task']}: {'; '.join(map(str, task['differences']))}"


def _report(printed: str) -> dict[str, Any] | None:
    """What the self-test printed last; None if that is no report."""
    try:
        report = json.loads(printed.strip().rpartition("\n")[2])
    except ValueError:
        return None
    known: dict[str, Any] | None = report if isinstance(report, dict) else None
    return known if known is not None and "differences" in known else None


def _is_ours(plugin: Path) -> bool:
    """Whether all code of a plugin is, byte for byte, what this version ships."""
    shipped = {
        path.relative_to(data_folder() / PLUGIN): path.read_bytes()
        for path in (data_folder() / PLUGIN).rglob("*.py")
    }
    there = {path.relative_to(plugin): path.read_bytes() for path in plugin.rglob("*.py")}
    return there == shipped and not any(path.is_symlink() for path in plugin.rglob("*"))
