"""What a patch does to texts of a task file beside `tasks.json`."""

from __future__ import annotations

import copy
import json

from tiny_benchmark import unchecked

from review_app.core.tasks.operations import Operation
from review_app.core.tasks.patches import Patch
from review_app.workflows.curation import consequences
from review_app.workflows.review import import_domain

SAID = "user_scenario/instructions/task_instructions"


def with_second_file(store, tiny):
    """The small domain with task 7 in a file of its own and task 2 in both files."""
    tasks = json.loads((tiny.folder / "tasks.json").read_text("utf-8"))
    other = copy.deepcopy(tasks[2])
    other["user_scenario"]["instructions"]["reason_for_call"] = "You ask for your money."
    more = [other, {**copy.deepcopy(tasks[0]), "id": "7"}]
    (tiny.folder / "tasks_more.json").write_text(json.dumps(more), encoding="utf-8")
    with unchecked():
        import_domain.import_domain(store, tiny.request())


def requeued(store, task_id):
    """What goes back to review if the user of a task is told something else."""
    patch = Patch(
        id=f"airline/{task_id}/repair/1",
        domain="airline",
        task_id=task_id,
        layer="repair",
        kind="language",
        base_hash="",
        operations=(Operation("replace", f"/{SAID}", "Be polite."),),
        reason="for the test",
        source="test",
    )
    return consequences.of_operations(store, patch).requeued


def test_texts_that_go_back_to_review_are_those_of_the_tasks_own_file(imported, tiny):
    with_second_file(imported, tiny)
    for task_id, file in (("7", "tasks_more.json"), ("2", "tasks.json"), ("0", "tasks.json")):
        (text,) = requeued(imported, task_id)
        assert (text.address, text.change) == (f"{file}#{task_id}/{SAID}", "changed")
        assert (text.old, text.new) == ("Be brief.", "Be polite.")
        assert text.segment == imported.segments.at("airline", text.address)
        assert text.segment.file == file
