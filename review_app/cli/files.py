"""Files in and out: `import`, `export`."""

from __future__ import annotations

from review_app.cli.registry import (
    DOMAIN,
    JSON,
    Arguments,
    command,
    open_store,
    option,
    say,
    show,
    show_progress,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from review_app.workflows.review.import_domain import ImportReport, ImportRequest


@command(
    "import",
    option("source", help="a tau2-bench checkout, its data/tau2, or a domain folder"),
    option("--domain", metavar="D", required=True, help="the domain, e.g. airline"),
    option("--draft", metavar="DIR", help="a translation of the same files"),
    option("--tools", metavar="FILE", help="tool schemas, if not tools.json in the folder"),
    option("--user-tools", metavar="FILE", help="the user's tool schemas"),
    option("--dry-run", action="store_true", help="say what would happen and write nothing"),
    JSON,
)
def import_(arguments: Arguments) -> int:
    """Import a domain's files, with a draft translation if there is one."""
    from pathlib import Path

    from review_app.workflows.review import import_domain

    paths = {
        name: Path(value) if (value := getattr(arguments, name)) else None
        for name in ("draft", "tools", "user_tools")
    }
    request = import_domain.ImportRequest(
        source=Path(arguments.source), domain=arguments.domain, **paths, with_guides=True
    )
    if arguments.dry_run:
        report = _plan(arguments, request)
    else:
        store = open_store(arguments, create=True)
        report = import_domain.import_domain(
            store, request, progress=show_progress, checking=show_progress, indexing=show_progress
        )
    show(arguments, report.to_json(), _import_lines(report.to_json()))
    return 0


def _plan(arguments: Arguments, request: ImportRequest) -> ImportReport:
    """What an import would do; a database that is not there yet stands as an empty one."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from review_app.config import db_path
    from review_app.store import Store
    from review_app.workflows.review import import_domain

    with TemporaryDirectory(prefix="jtau-import-") as folder:
        path = db_path(arguments.db)
        store = Store(path if path.exists() else Path(folder) / "empty.db")
        try:
            return import_domain.import_domain(store, request, dry_run=True, progress=show_progress)
        finally:
            store.close()


def _import_lines(report: dict[str, Any]) -> Iterable[str]:
    if not report["changed"]:
        yield f"{report['domain']}: nothing changed"
    would = "would be " if report["dry_run"] else ""
    counts = ", ".join(f"{count} {kind}" for kind, count in report["segments"].items())
    yield f"{report['domain']}: {counts or 'no segments'}"
    for key in ("added", "translated", "redrafted", "removed"):
        if report[key]:
            yield f"  {report[key]} {would}{key}"
    for key in ("stale", "kept"):
        yield from (f"  {would}{key}: {address}" for address in report[key])
    for item in report["unaligned"]:
        yield f"  not aligned ({item['side']}): {item['address']}: {item['reason']}"
    yield from (f"  note: {note}" for note in report["notes"])
    if report["guides"]:
        yield from _import_lines(report["guides"])


@command(
    "export",
    option("folder", help="where to; new, empty, or an earlier export"),
    DOMAIN,
    option("--allow-incomplete", action="store_true", help="also what is not approved yet"),
    JSON,
)
def export(arguments: Arguments) -> int:
    """Write the reviewed files in the benchmark's own layout."""
    from pathlib import Path

    from review_app.workflows.release import export as release_export

    report = release_export.export(
        open_store(arguments),
        Path(arguments.folder),
        domain=arguments.domain,
        allow_incomplete=arguments.allow_incomplete,
        progress=show_progress,
    )
    content = {"folder": report.folder, "files": report.files, "missing": report.missing}
    show(arguments, content, [f"{len(report.files)} files in {report.folder}"])
    if report.missing:
        say(f"{len(report.missing)} segments are not approved; written as they are")
    return 0
