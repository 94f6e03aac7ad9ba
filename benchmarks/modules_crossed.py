"""How many modules of the app a use case crosses; prints figures and has no bound.

    python benchmarks/modules_crossed.py [--names]

Each use case is one command on the airline domain of the sample, in a process and a database of its
own, in the order of `USE_CASES`: what one command has stored, the next one finds. JSON goes to
standard output, a table to standard error; `--names` puts the names of the modules into the JSON.

What is counted: the distinct files of `review_app` with a function (method, lambda, comprehension)
that was called in the command's process, in its threads, or in a process that it started, as a
trial's. The command line counts like the rest. What is not counted: the body of a module; whatever
runs while a module of `review_app` is being imported, because that is no step of the use case; and
functions that nobody wrote, as the `__init__` of a dataclass, because they are in no file. So a
module that is only imported is not counted, nor is one that only declares records.

The app is known to this script by its command line alone, `python -m review_app.cli`, so that
figures before and after a change of its packages can be compared.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = f"{ROOT / 'review_app'}{os.sep}"
SAMPLE = ROOT / "data" / "sample"
FOLDER = "MODULES_CROSSED"
"""The variable that tells a watched process where to write what it crossed."""

PEOPLE = {"Aoi": "annotator", "Ren": "maintainer", "Mila": "maintainer"}
PATCH = "airline/10/repair/1"
USE_CASES = {
    "import of a domain": ("import", str(SAMPLE / "tau2"), "--domain", "airline",
                           "--draft", str(SAMPLE / "draft_ja" / "airline")),
    "answer": ("answer", "airline/tasks.json#0/user_scenario/instructions/reason_for_call",
               "approve", "--as", "Aoi"),
    "proposal of a patch": ("patches", "propose", "patch.json", "--as", "Ren"),
    "approval of a patch": ("patches", "approve", "1", "--as", "Mila"),
    "scripted trial": ("run", "start", "--domain", "airline", "--agent", "scripted",
                       "--tasks", "0", "--trials", "1", "--wait"),
    "export": ("export", "out", "--domain", "airline", "--allow-incomplete"),
}  # fmt: skip
"""Name to the words of the command."""

PATIENCE_S = 30.0
"""How long a process that a command has started may outlive the command."""


# -- in a watched process ----------------------------------------------------------------------


def watch() -> None:
    """Note from now on which modules this process crosses; written down when it ends."""
    notes = Path(os.environ[FOLDER], f"{os.getpid()}.started")
    notes.touch()
    known: dict[int, CodeType] = {}  # codes that are decided; kept, so that no id is used again
    crossed: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or id(code) in known:
            return
        if code.co_name == "<module>" or not code.co_filename.startswith(PACKAGE):
            known[id(code)] = code
        elif not is_importing(frame):
            known[id(code)] = code
            crossed.add(code.co_filename.removeprefix(PACKAGE))

    def write() -> None:
        sys.setprofile(None)
        notes.write_text(json.dumps(sorted(crossed)), "utf-8")
        notes.rename(notes.with_suffix(".json"))

    atexit.register(write)
    threading.setprofile(note)
    sys.setprofile(note)


def is_importing(frame: FrameType | None) -> bool:
    """Whether a frame belongs to the import of a module of the app; `python -m` is no import."""
    while frame is not None:
        code = frame.f_code
        is_body = code.co_name == "<module>" and code.co_filename.startswith(PACKAGE)
        if is_body and frame.f_globals["__name__"] != "__main__":
            return True
        frame = frame.f_back
    return False


# -- in the process that measures --------------------------------------------------------------


def run(folder: Path, words: tuple[str, ...], watched: Path | None = None) -> None:
    """Run a command on the project in a folder."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("JTAU_")}
    paths = [str(ROOT), environment.get("PYTHONPATH", "")]
    if watched is not None:
        environment[FOLDER] = str(watched)
        paths.insert(0, str(folder / "hook"))
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [sys.executable, "-m", "review_app.cli", *words, "--db", "review.db"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")


def prepare(folder: Path) -> None:
    """A project with people and no domain, a file with one patch, and what makes Python watch."""
    for name, role in PEOPLE.items():
        run(folder, ("people", "add", name, "--role", role))
    patches = json.loads((SAMPLE / "patches.json").read_text("utf-8"))
    chosen = [patch for patch in patches if patch["id"] == PATCH]
    (folder / "patch.json").write_text(json.dumps(chosen), "utf-8")
    (folder / "hook").mkdir()
    hook = f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\n"
    hook += "import modules_crossed\nsys.path.pop()\nmodules_crossed.watch()\n"
    (folder / "hook" / "sitecustomize.py").write_text(hook, "utf-8")


def crossed(folder: Path, words: tuple[str, ...]) -> list[str]:
    """The modules that a command crosses, by name, those of the processes it started included."""
    with tempfile.TemporaryDirectory(dir=folder) as notes:
        run(folder, words, Path(notes))
        last = time.monotonic() + PATIENCE_S
        while any(Path(notes).glob("*.started")):
            if time.monotonic() > last:
                raise SystemExit(f"{' '.join(words)}: a process that it started does not end")
            time.sleep(0.05)
        files = set[str]()
        for path in Path(notes).glob("*.json"):
            files.update(json.loads(path.read_text("utf-8")))
    return sorted(module(file) for file in files)


def module(file: str) -> str:
    """The dotted name of a file, below the package."""
    name = file.removesuffix(".py").replace(os.sep, ".")
    return name.removesuffix("__init__").removesuffix(".") or "review_app"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", action="store_true", help="also the names of the modules")
    arguments = parser.parse_args()
    figures: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        prepare(Path(scratch))
        for use_case, words in USE_CASES.items():
            names = crossed(Path(scratch), words)
            packages = Counter(name.split(".")[0] for name in names)
            figures[use_case] = {"modules": len(names), "by_package": dict(packages.most_common())}
            if arguments.names:
                figures[use_case]["names"] = names
            parts = ", ".join(f"{package} {count}" for package, count in packages.most_common())
            print(f"{use_case:20} {len(names):3}  {parts}", file=sys.stderr)
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
