"""First contact with a real model: `make babble` lets one that only babbles play and translate.

Ten tasks of the airline are played twice with agent, user and judge at one endpoint, and twenty of
its texts translated, all by the product's own command line. The model is a base model of 270
million parameters on this machine: it can solve nothing, so it is known what must come of it. Takes
half an hour; `make babble ARGS=--check` looks again at what the last time left.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import judged
import parts

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".babble"
DB, REPLIES = FOLDER / "review.db", FOLDER / "replies.jsonl"
TASKS, TRIALS, TEXTS = 10, 2, 20
ROLES = ("AGENT", "USER", "JUDGE", "TRANSLATE")


def main(words: list[str]) -> int:
    """Play, translate and judge; returns the exit code."""
    if "--check" not in words:
        parts.bring(FOLDER)
        for old in (DB, REPLIES, *FOLDER.glob("review.db-*")):
            old.unlink(missing_ok=True)
        with served() as url:
            settings = settings_for(url)
            played(settings)
            translated(settings)
    summary = judged.summary(DB, REPLIES)
    print("\n".join(summary.lines))
    for problem in summary.problems:
        print(f"WRONG: {problem}")
    return int(bool(summary.problems))


@contextmanager
def served() -> Iterator[str]:
    """The address of the model while it runs."""
    here = Path(__file__).parent / "server.mjs"
    # Modules are looked for beside the script.
    script = FOLDER / "server.mjs"
    script.write_bytes(here.read_bytes())
    words = [parts.node(FOLDER), script, FOLDER / parts.WEIGHTS, REPLIES]
    with subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if not url:
                raise SystemExit("make babble: the model does not start; its words stand above")
            yield url
        finally:
            server.terminate()


def settings_for(url: str) -> dict[str, str]:
    """The environment of the commands: every role at one address, with much patience."""
    own = {"JTAU_REVIEW_DB": str(DB), "JTAU_API_BASE": url, "JTAU_API_KEY": "none"}
    for role in ROLES:
        own |= {f"JTAU_{role}_MODEL": "openai/babble", f"JTAU_{role}_ATTEMPTS": "1"}
        own |= {f"JTAU_{role}_{name}_S": "600" for name in ("TIMEOUT", "DEADLINE")}
    return {**os.environ, **own}


def jtau(settings: dict[str, str], *words: str, codes: tuple[int, ...] = (0,)) -> Any:
    """What a command of the product answers as JSON."""
    command = [sys.executable, "-m", "review_app.cli", *words, "--json"]
    done = subprocess.run(
        command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode not in codes:
        raise SystemExit(f"make babble: `{' '.join(words[:2])}` ended with {done.returncode}")
    return json.loads(done.stdout)


def played(settings: dict[str, str]) -> None:
    """A run over the airline, and the verdicts of its judge."""
    shared = ROOT.parent / "shared" / "tau2"
    source = shared if shared.is_dir() else ROOT / "data" / "sample" / "tau2"
    for domain in ("airline", "user_simulator"):
        jtau(settings, "import", str(source), "--domain", domain)
    tasks = [task["id"] for task in json.loads((source / "domains/airline/tasks.json").read_text())]
    run = ["run", "start", "--domain", "airline", "--variant", "tau*", "--agent", "model"]
    run += ["--judge", "--trials", str(TRIALS), "--tasks", *tasks[:TASKS], "--wait"]
    jtau(settings, *run, "--max-steps", "6", "--concurrency", "1")


def translated(settings: dict[str, str]) -> None:
    """Some texts of the airline as machine drafts."""
    segments = jtau(settings, "segments", "--domain", "airline", "--limit", str(TEXTS))
    addresses = [segment["address"] for segment in segments]
    # 1: the answer is that texts are left.
    words = ("translate", "--domain", "airline", "--concurrency", "1", "--segments", *addresses)
    jtau(settings, *words, codes=(0, 1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
