"""The glossary: `glossary list`, `import`, `export`."""

from __future__ import annotations

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
from review_app.errors import ReviewError


@command(
    "glossary",
    option("action", choices=("list", "import", "export"), help="what to do"),
    option("file", nargs="?", help="a .csv or .tbx file"),
    option("--as", dest="person", metavar="NAME", help="who imports (a maintainer)"),
    JSON,
)
def glossary(arguments: Arguments) -> int:
    """List, import or export the glossary (CSV or TBX)."""
    from dataclasses import asdict
    from pathlib import Path

    from review_app.workflows import read_model
    from review_app.workflows.review import glossary as review_glossary

    store = open_store(arguments)
    if arguments.action == "list":
        terms = read_model.terms(store)
        lines = (f"{t.domain or '*'} {t.source} -> {t.target} ({t.mode})" for t in terms)
        show(arguments, [asdict(term) for term in terms], lines)
        return 0
    if not arguments.file:
        raise ReviewError(
            "cli.needs_file", "{command} needs a file name", command=f"glossary {arguments.action}"
        )
    path = Path(arguments.file)
    if arguments.action == "export":
        review_glossary.write_terms_file(store, path)
        say(f"wrote {path}")
        return 0
    person = read_model.person_named(store, arguments.person or "")
    terms = review_glossary.read_terms_file(path)
    done = review_glossary.import_terms(store, person, terms, progress=show_progress)
    content = {"added": len(done.added), "changed": len(done.changed), "same": done.same}
    show(arguments, content, [f"{k}: {v}" for k, v in content.items()])
    return 0
