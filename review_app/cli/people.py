"""The people of the project: `people list`, `add`."""

from __future__ import annotations

from review_app.cli.registry import JSON, Arguments, command, open_store, option, show


@command(
    "people",
    option("action", choices=("list", "add"), nargs="?", default="list", help="what to do"),
    option("name", nargs="?", help="whom to add"),
    option("--role", choices=("annotator", "maintainer"), default="annotator"),
    JSON,
)
def people(arguments: Arguments) -> int:
    """List the project's people, or add one."""
    from dataclasses import asdict

    from review_app.workflows import project, read_model

    store = open_store(arguments, create=arguments.action == "add")
    if arguments.action == "add":
        project.add_person(store, arguments.name or "", arguments.role)
    everybody = read_model.people(store)
    lines = (f"{p.name} ({p.role}{'' if p.active else ', inactive'})" for p in everybody)
    show(arguments, [asdict(person) for person in everybody], lines)
    return 0
