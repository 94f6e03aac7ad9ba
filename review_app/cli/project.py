"""The database and the app: `backup`, `restore`, `doctor`, `sample`, `app`."""

from __future__ import annotations

import sys

from review_app.cli.registry import (
    JSON,
    Arguments,
    command,
    open_store,
    option,
    say,
    show,
    show_progress,
)


@command("backup", option("file", help="a new file"))
def backup(arguments: Arguments) -> int:
    """Copy the database while others work."""
    from pathlib import Path

    from review_app.workflows import project

    project.back_up(open_store(arguments), Path(arguments.file))
    say(f"wrote {arguments.file}")
    return 0


@command("restore", option("file", help="a backup"))
def restore(arguments: Arguments) -> int:
    """Put a backup in place of the database; the state before is kept beside it."""
    from pathlib import Path

    from review_app.config import db_path
    from review_app.workflows import project

    before = project.restore(db_path(arguments.db), Path(arguments.file))
    say("restored" + (f"; the state before is in {before}" if before else ""))
    return 0


@command("doctor", JSON)
def doctor(arguments: Arguments) -> int:
    """Check the database: integrity, foreign keys, orphans; exit code 1 if something is wrong."""
    problems = list(map(str, open_store(arguments).problems()))
    show(arguments, problems, problems or ["the database is sound"])
    return int(bool(problems))


@command("sample")
def sample(arguments: Arguments) -> int:
    """Fill an empty database with the sample project."""
    from review_app.config import db_path
    from review_app.workflows import project

    project.make_sample(db_path(arguments.db), progress=show_progress)
    return 0


@command(
    "app",
    option("--port", type=int, default=8501, help="where the browser finds it (8501)"),
    option("--sample", action="store_true", help="fill the database with the sample if it is new"),
)
def app(arguments: Arguments) -> int:
    """Open the app in the browser."""
    import os
    from pathlib import Path

    from review_app.config import DB_VARIABLE, db_path
    from review_app.workflows import read_model

    path = db_path(arguments.db).resolve()
    store = open_store(arguments, create=True)
    is_empty = not read_model.domains(store)
    store.close()
    if arguments.sample and is_empty:
        sample(arguments)
    root = Path(__file__).parents[2]
    if (root / ".streamlit").is_dir():
        os.chdir(root)  # Streamlit reads its settings from the working directory
    words = [sys.executable, "-m", "streamlit", "run", str(root / "review_app" / "app.py")]
    words += [f"--server.port={arguments.port}", "--server.address=127.0.0.1"]
    os.execve(sys.executable, words, os.environ | {DB_VARIABLE: str(path)})
