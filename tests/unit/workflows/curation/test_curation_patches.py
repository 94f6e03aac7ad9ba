"""Patches from proposal to approval: two people, bases that stand, texts that go back to review."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest
from curation_project import edited, make_project, people, proposal, say, waiting

from review_app.core.tasks.operations import Operation, operate
from review_app.core.tasks.patches import Patch, task_hash
from review_app.errors import BadInput, NotAllowed, ReviewError
from review_app.records.curation import Evidence, NewPatch
from review_app.store import Store
from review_app.store.curation import patches as patches_table
from review_app.workflows import project as workflows_project
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.curation import (
    consequences,
    packs,
    patches,
    similar_tasks,
    statistics,
    validity,
)
from review_app.workflows.curation.patches import BaseMoved, BreaksRules, Proposal
from review_app.workflows.curation.similar_tasks import Template
from review_app.workflows.localization import entities
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.release import export as release_export
from review_app.workflows.review import answers, import_domain

SAID = "tasks.json#10/user_scenario/instructions/task_instructions"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("curation"))


@pytest.fixture
def project(template, tmp_path):
    Store.copy(template, tmp_path / "project.db")
    store = Store(tmp_path / "project.db")
    yield store
    store.close()


def document(store, domain, file="tasks.json"):
    return next(document for document in store.documents.of(domain) if document.file == file)


def states(store, domain):
    return {
        segment.address: (segment.source, segment.state) for segment in store.segments.all(domain)
    }


def approve_text(store, domain, address):
    """Let a text be approved by somebody."""
    segment = store.segments.at(domain, address)
    annotator, _, _ = people(store)
    answers.answer(
        store, segment.id, annotator, verdict="approve", expected_version=segment.version
    )
    return store.segments.get(segment.id)


# -- the sample's broken tasks -----------------------------------------------------------------


def test_the_rules_name_every_broken_task_of_the_sample_and_no_other(project, sample):
    known = json.loads((sample / "invalid_tasks.json").read_text("utf-8"))
    hit = {
        (domain, name)
        for domain in ("airline", "retail", "telecom")
        for name, listed in validity.inspect(project, domain).items()
        if any(checked.violation.level == "error" for checked in listed)
    }
    assert hit == {(invalid["domain"], invalid["task_id"]) for invalid in known}


def test_the_proposed_patches_leave_no_error_once_they_are_approved(project):
    _, ren, _ = people(project)
    assert len(patches.waiting(project, ren)) == 6
    for stored in patches.waiting(project, ren):
        assert consequences.of_patch(project, stored).solved
        patches.approve(project, ren, stored.id)
    for domain in ("airline", "retail", "telecom"):
        inspected = validity.inspect(project, domain)
        levels = {checked.violation.level for listed in inspected.values() for checked in listed}
        assert "error" not in levels
    assert patches.waiting(project, ren) == []


# -- two people --------------------------------------------------------------------------------


def test_the_proposer_cannot_approve_nor_can_an_annotator(project):
    aoi, ren, mila = people(project)
    mine = patches.propose(project, ren, proposal(project, "retail", "0", say("Be brief.")))
    for person in (ren, aoi):
        with pytest.raises(NotAllowed):
            patches.approve(project, person, mine.id)
    done = patches.approve(project, mila, mine.id, note="right")
    assert (done.state, done.proposer_id, done.approver_id) == ("approved", ren.id, mila.id)
    assert [change.actor for change in patches.history(project, mine.id)] == [mila.name, ren.name]
    with pytest.raises(ReviewError, match="is approved"):
        patches.approve(project, mila, mine.id)


def test_a_patch_is_turned_down_with_a_reason_and_withdrawn_by_its_proposer(project):
    aoi, ren, mila = people(project)
    first, two = (
        patches.propose(project, aoi, proposal(project, "retail", "0", say(text)))
        for text in ("Be brief.", "Be long.")
    )
    with pytest.raises(ReviewError, match="reason"):
        patches.reject(project, ren, first.id, note=" ")
    assert patches.reject(project, ren, first.id, note="no defect").state == "rejected"
    assert patches.reject(project, aoi, two.id, note="my mistake").state == "rejected"
    with pytest.raises(ReviewError, match="is rejected"):
        patches.approve(project, mila, first.id)


def test_a_proposal_needs_a_reason_a_change_and_a_task(project):
    aoi, _, _ = people(project)
    sound = proposal(project, "retail", "0", say("Be brief."))
    cases = [
        ({"reason": " "}, ReviewError, "reason"),
        ({"edited": patches.task(project, "retail", "0")}, ReviewError, "nothing is changed"),
        ({"edited": {**sound.edited, "id": "99"}}, ReviewError, "ids of tasks stay"),
        ({"edited": {**sound.edited, "user_scenario": []}}, BadInput, "user_scenario"),
        ({"edited": {**sound.edited, "x": "\ud800"}}, BadInput, "half a character"),
        ({"edited": {**sound.edited, "x": float("nan")}}, BadInput, "not JSON"),
        ({"edited": None, "operations": (Operation("remove", "/nowhere"),)}, BadInput, "nowhere"),
    ]
    for change, error, said in cases:
        with pytest.raises(error, match=said):
            patches.propose(project, aoi, replace(sound, **change))
    assert len(project.patches.all("retail", "0")) == 0


def test_only_maintainers_are_asked_and_not_about_their_own_patches(project):
    aoi, ren, mila = people(project)
    own = patches.propose(project, ren, proposal(project, "retail", "0", say("Be brief.")))
    asked = {
        person.name: {stored.id for stored in patches.waiting(project, person)}
        for person in (aoi, ren, mila)
    }
    assert asked["Aoi"] == set() and asked["Mila"] == asked["Ren"] | {own.id}
    assert own.id not in asked["Ren"]
    patches.approve(project, mila, own.id)
    assert own.id not in {stored.id for stored in patches.waiting(project, mila)}


def test_patches_of_a_file_keep_their_names_and_where_the_defect_is_reported(project):
    aoi, _, _ = people(project)
    base = patches.base_hash(project, "retail", "0")
    fix = Patch(
        "retail/0/repair/7",
        "retail",
        "0",
        "repair",
        "wrong_gold",
        base,
        (Operation("add", "/ticket", "Help"),),
        "no ticket",
        "Table 10",
    )
    known = replace(fix, id="retail/0/repair/8", operations=(), upstream="fixed in 1.2", source="")
    first, second = patches.file_proposals(project, aoi, [fix, known])
    assert first.patch == fix
    assert second.patch == replace(known, source="found by Aoi")
    (again,) = patches.file_proposals(project, aoi, [fix])
    assert again.patch == replace(fix, id="retail/0/repair/own-1")


def test_one_bad_patch_of_a_file_keeps_all_of_them_out(project):
    aoi, _, _ = people(project)
    base = patches.base_hash(project, "retail", "0")
    good = Patch(
        "retail/0/repair/7",
        "retail",
        "0",
        "repair",
        "wrong_gold",
        base,
        (Operation("add", "/ticket", "Help"),),
        "no ticket",
        "Table 10",
    )
    with pytest.raises(BaseMoved):
        patches.file_proposals(project, aoi, [good, replace(good, id="x", base_hash="0" * 64)])
    assert project.patches.all("retail", "0") == []


# -- bases -------------------------------------------------------------------------------------


def test_a_base_that_moved_is_refused_with_three_versions(project):
    aoi, ren, mila = people(project)
    late = proposal(project, "retail", "0", say("Mine."))
    mine = patches.propose(project, aoi, proposal(project, "retail", "0", say("Mine, too.")))
    first = patches.propose(project, ren, proposal(project, "retail", "0", say("Theirs.")))
    start = patches.task(project, "retail", "0")
    patches.approve(project, mila, first.id)
    for act in (
        lambda: patches.propose(project, aoi, late),
        lambda: patches.approve(project, ren, mine.id),
    ):
        with pytest.raises(BaseMoved) as caught:
            act()
        assert caught.value.base == start
        assert caught.value.theirs == patches.task(project, "retail", "0")
        assert [conflict.path[-1] for conflict in caught.value.conflicts] == ["task_instructions"]
    assert not patches.fits(project, project.patches.get(mine.id))
    assert patches.fits(project, project.patches.get(first.id))


def reimported(store, folder, sample, domain, task_id, **fields):
    """Import the sample again with some fields of a task changed."""
    shutil.copytree(sample / "tau2", folder / "tau2")
    path = folder / "tau2" / "domains" / domain / "tasks.json"
    tasks = json.loads(path.read_text("utf-8"))
    next(task for task in tasks if task["id"] == task_id).update(fields)
    path.write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    import_domain.import_domain(store, import_domain.ImportRequest(folder / "tau2", domain))


def test_a_base_that_is_not_known_any_more_has_no_conflicts_to_choose_from(
    project, tmp_path, sample
):
    aoi, ren, _ = people(project)
    late = proposal(project, "retail", "0", say("Late."))
    mine = patches.propose(project, aoi, proposal(project, "retail", "0", say("Mine.")))
    reimported(project, tmp_path, sample, "retail", "0", annotations="checked")
    for act in (
        lambda: patches.propose(project, aoi, late),
        lambda: patches.approve(project, ren, mine.id),
    ):
        with pytest.raises(BaseMoved) as caught:
            act()
        assert (caught.value.base, caught.value.conflicts) == (None, ())
        assert caught.value.theirs == patches.task(project, "retail", "0")
    assert caught.value.mine is None


def test_a_patch_of_a_task_that_is_gone_fits_nothing(project, tmp_path, sample):
    aoi, ren, _ = people(project)
    waits, holds = (
        patches.propose(project, aoi, proposal(project, "retail", "0", change))
        for change in (say("Waiting."), say("In force."))
    )
    patches.approve(project, ren, holds.id)
    assert patches.fits(project, project.patches.get(holds.id))
    reimported(project, tmp_path, sample, "retail", "0", id="100")
    for stored in (waits, holds):
        assert not patches.fits(project, project.patches.get(stored.id))


def test_a_localization_whose_source_moved_is_refused_without_conflicts(project, tmp_path, sample):
    aoi, ren, _ = people(project)
    base = patches.base_hash(project, "airline", "3", "localization")
    late = Proposal(
        "airline", "3", "localization", "identity_missing", "name", base, operations=(NAME,)
    )
    stored = patches.propose(project, aoi, late)
    reimported(project, tmp_path, sample, "airline", "3", annotations="checked")
    for act in (
        lambda: patches.propose(project, aoi, late),
        lambda: patches.approve(project, ren, stored.id),
    ):
        with pytest.raises(BaseMoved) as caught:
            act()
        assert (caught.value.mine, caught.value.conflicts) == (None, ())


def overtaken(monkeypatch, store, person, meanwhile):
    """Let something happen once between what a person's next action reads and what it writes."""
    write, passed = store.write, []

    def later(actor):
        if actor == person.name and not passed:
            passed.append(actor)
            other = Store(store.path)
            meanwhile(other)
            other.close()
        return write(actor)

    monkeypatch.setattr(store, "write", later)
    return passed


@pytest.mark.parametrize("action", ["propose", "approve"])
def test_a_task_that_changes_between_reading_and_writing_is_noticed(project, monkeypatch, action):
    aoi, ren, mila = people(project)
    late = proposal(project, "retail", "0", say("Late."))
    mine, theirs = (
        patches.propose(project, aoi, proposal(project, "retail", "0", say(text)))
        for text in ("Mine.", "Theirs.")
    )
    passed = overtaken(
        monkeypatch, project, ren, lambda other: patches.approve(other, mila, theirs.id)
    )
    with pytest.raises(BaseMoved) as caught:
        if action == "propose":
            patches.propose(project, ren, late)
        else:
            patches.approve(project, ren, mine.id)
    assert passed and caught.value.theirs == patches.task(project, "retail", "0")
    states = [stored.state for stored in project.patches.all("retail", "0")]
    assert states == ["proposed", "approved"]


def test_a_patch_that_is_decided_between_reading_and_writing_is_not_decided_again(
    project, monkeypatch
):
    aoi, ren, mila = people(project)
    mine = patches.propose(project, aoi, proposal(project, "retail", "0", say("Mine.")))
    passed = overtaken(
        monkeypatch, project, ren, lambda other: patches.reject(other, mila, mine.id, note="no")
    )
    with pytest.raises(ReviewError, match="is rejected"):
        patches.approve(project, ren, mine.id)
    assert passed and project.patches.get(mine.id).state == "rejected"


def test_a_changed_source_takes_a_patch_out_of_force(project, tmp_path, sample):
    _, ren, _ = people(project)
    number = waiting(project, "airline/10/repair/1")
    patches.approve(project, ren, number)
    repaired_said = project.segments.at("airline", SAID).source
    shutil.copytree(sample / "tau2", tmp_path / "tau2")
    path = tmp_path / "tau2" / "domains" / "airline" / "tasks.json"
    text = path.read_text("utf-8").replace("You bought a ceramic pot", "You bought a clay pot")
    path.write_text(text, encoding="utf-8")
    import_domain.import_domain(project, import_domain.ImportRequest(tmp_path / "tau2", "airline"))
    assert not patches.fits(project, project.patches.get(number))
    assert project.segments.at("airline", SAID).source != repaired_said
    with pytest.raises(ReviewError):
        consequences.of_patch(project, project.patches.get(number))
    assert statistics.statistics(project, "airline").table12["airline"]["repair"] == 0


# -- rules -------------------------------------------------------------------------------------


def with_action(at, **change):
    return lambda task: task["evaluation_criteria"]["actions"][at].update(change)


def test_a_patch_that_breaks_another_rule_is_refused(project):
    aoi, _, _ = people(project)
    renamed = proposal(project, "retail", "9", with_action(3, name="modify_pending_order_items"))
    with pytest.raises(BreaksRules):
        patches.propose(project, aoi, renamed)

    def unavailable(task):
        task["evaluation_criteria"]["actions"][3]["arguments"]["new_item_ids"] = ["0000000000"]

    with pytest.raises(BreaksRules) as caught:
        patches.propose(project, aoi, proposal(project, "retail", "9", unavailable))
    assert all(violation.level == "error" for violation in caught.value.violations)


def test_a_patch_that_breaks_a_rule_by_now_is_not_approved(project):
    aoi, ren, _ = people(project)
    path = "/evaluation_criteria/actions/3/name"
    patch = Patch(
        "retail/9/repair/old",
        "retail",
        "9",
        "repair",
        "wrong_gold",
        patches.base_hash(project, "retail", "9"),
        (Operation("replace", path, "modify_pending_order_items"),),
        "no rule asked",
        "test",
    )
    with project.write("test"):
        number = project.patches.add(NewPatch(patch, "", aoi.id))
    with pytest.raises(BreaksRules):
        patches.approve(project, ren, number)
    assert project.patches.get(number).state == "proposed"


def test_absent_null_and_empty_actions_survive_an_edit_of_another_field(project):
    aoi, ren, mila = people(project)
    kept = object()
    for value in (None, [], kept):

        def change(task, value=value):
            if value is kept:
                task["evaluation_criteria"].pop("actions", None)
            else:
                task["evaluation_criteria"]["actions"] = value

        first = patches.propose(project, aoi, proposal(project, "airline", "10", change))
        patches.approve(project, ren, first.id)
        second = patches.propose(
            project, aoi, proposal(project, "airline", "10", say(f"Edited {value!r:.4}."))
        )
        patches.approve(project, mila, second.id)
        criteria = patches.task(project, "airline", "10")["evaluation_criteria"]
        assert criteria.get("actions", kept) == value


# -- consequences ------------------------------------------------------------------------------


def test_consequences_show_text_gold_end_states_rules_and_texts_that_go_back(project):
    stored = project.patches.get(waiting(project, "retail/9/repair/1"))
    done = consequences.of_patch(project, stored)
    assert {row.status for row in done.diff.actions} == {"same", "changed"}
    assert {violation.code for violation in done.solved} >= {"GOLD-01", "RET-03"}
    assert done.breaks == ()
    status = next(row for row in done.end_states if row.field == "status")
    assert (status.start, status.old_end, status.new_end, status.differs) == (
        "delivered",
        "delivered",
        "exchange requested",
        True,
    )
    assert [
        (requeued.change, requeued.address.rpartition("/")[2]) for requeued in done.requeued
    ] == [("changed", "purpose"), ("changed", "reason_for_call")]
    assert all(requeued.segment is not None for requeued in done.requeued)
    same = consequences.consequences(project, "retail", "9", done.after)
    assert same.end_states == done.end_states


# -- texts under review ------------------------------------------------------------------------


def test_a_repair_sends_exactly_its_texts_back_and_its_inverse_brings_the_verdicts_again(project):
    aoi, ren, mila = people(project)
    approve_text(project, "airline", SAID)
    approve_text(project, "airline", "tasks.json#0/user_scenario/instructions/reason_for_call")
    before, raw = (
        states(project, "airline"),
        release_export.render(project, document(project, "airline")),
    )
    assert before[SAID][1] == "approved"

    number = waiting(project, "airline/10/repair/1")
    patches.approve(project, ren, number)
    after = states(project, "airline")
    assert {key for key in before if before[key] != after[key]} == {SAID}
    assert after[SAID][1] == "stale" and after[SAID][0].endswith("ending in 0472.")

    inverse = patches.invert(project, ren, number, reason="not needed")
    assert (inverse.patch.reason, inverse.patch.upstream) == ("not needed", "")
    with pytest.raises(ReviewError, match="proposed already"):
        patches.invert(project, mila, number, reason="again")
    with pytest.raises(NotAllowed):
        patches.approve(project, ren, inverse.id)
    patches.approve(project, mila, inverse.id)
    assert project.patches.get(number).state == "inverted"
    assert states(project, "airline") == before
    assert release_export.render(project, document(project, "airline")) == raw
    assert tasks_in_force.in_force(project, "airline") == ()
    with pytest.raises(ReviewError, match="not in force"):
        patches.invert(project, ren, number, reason="again")


def test_a_repair_adds_and_removes_texts(project):
    aoi, ren, _ = people(project)

    def change(task):
        task["evaluation_criteria"]["nl_assertions"] = ["The agent is polite."]
        task["description"]["purpose"] = None

    stored = patches.propose(project, aoi, proposal(project, "retail", "10", change))
    before = states(project, "retail")
    patches.approve(project, ren, stored.id)
    after = states(project, "retail")
    added = "tasks.json#10/evaluation_criteria/nl_assertions/0"
    assert after.keys() - before.keys() == {added} and after[added][1] == "untranslated"
    assert before.keys() - after.keys() == {"tasks.json#10/description/purpose"}
    inverse = patches.invert(project, aoi, stored.id, reason="no")
    patches.approve(project, ren, inverse.id)
    assert states(project, "retail") == before


def test_importing_the_same_files_again_keeps_repairs(project, sample):
    _, ren, _ = people(project)
    patches.approve(project, ren, waiting(project, "airline/10/repair/1"))
    before = states(project, "airline")
    request = import_domain.ImportRequest(
        sample / "tau2", "airline", draft=sample / "draft_ja/airline"
    )
    assert not import_domain.import_domain(project, request).changed
    other = import_domain.ImportRequest(
        sample / "tau2",
        "airline",
        draft=sample / "draft_ja/airline",
        tools=sample / "draft_ja/airline/tools.json",
    )
    import_domain.import_domain(project, other)
    tasks = {key for key in before if key.startswith("tasks.json")}
    assert {key: states(project, "airline")[key] for key in tasks} == {
        key: before[key] for key in tasks
    }


def test_importing_changed_tasks_keeps_repairs_of_the_others(project, sample, tmp_path):
    _, ren, _ = people(project)
    patches.approve(project, ren, waiting(project, "airline/10/repair/1"))
    repaired = project.segments.at("airline", SAID).source
    shutil.copytree(sample / "tau2", tmp_path / "tau2")
    path = tmp_path / "tau2" / "domains" / "airline" / "tasks.json"
    tasks = json.loads(path.read_text("utf-8"))
    tasks[0]["user_scenario"]["instructions"]["task_instructions"] = "Say thank you."
    path.write_text(json.dumps(tasks), encoding="utf-8")
    import_domain.import_domain(project, import_domain.ImportRequest(tmp_path / "tau2", "airline"))
    changed = f"tasks.json#{tasks[0]['id']}/user_scenario/instructions/task_instructions"
    assert project.segments.at("airline", changed).source == "Say thank you."
    assert project.segments.at("airline", SAID).source == repaired


def test_an_export_holds_the_repaired_gold_and_the_drafted_texts(project):
    _, ren, _ = people(project)
    patches.approve(project, ren, waiting(project, "retail/9/repair/1"))
    tasks = json.loads(release_export.render(project, document(project, "retail")))
    task = next(listed for listed in tasks if listed["id"] == "9")
    action = task["evaluation_criteria"]["actions"][3]
    assert action["arguments"]["new_item_ids"] == ["8146927503"]
    said = task["user_scenario"]["instructions"]["reason_for_call"]
    assert (
        said
        == project.segments.at(
            "retail", "tasks.json#9/user_scenario/instructions/reason_for_call"
        ).target
    )


@pytest.mark.parametrize("drafted", [True, False], ids=["with a draft", "without a draft"])
def test_an_export_of_a_repaired_domain_differs_in_the_repaired_task_alone(
    project, tmp_path, sample, drafted
):
    store = project if drafted else Store(tmp_path / "undrafted.db")
    if not drafted:
        for name in ("Aoi", "Ren", "Mila"):
            workflows_project.add_person(store, name, "maintainer")
        import_domain.import_domain(store, import_domain.ImportRequest(sample / "tau2", "retail"))
    export = partial(release_export.export, store, domain="retail", allow_incomplete=True)
    before = export(tmp_path / "before").files
    aoi, ren, _ = people(store)
    change = with_action(0, info="looked at")
    patches.approve(
        store, ren, patches.propose(store, aoi, proposal(store, "retail", "9", change)).id
    )
    after = export(tmp_path / "after").files
    file = "data/tau2/domains/retail/tasks.json"
    assert {name for name in before if before[name] != after[name]} == {file}
    assert before.keys() == after.keys()
    old, new = (
        {task["id"]: task for task in json.loads((tmp_path / name / file).read_text("utf-8"))}
        for name in ("before", "after")
    )
    assert {name for name in old if old[name] != new[name]} == {"9"}


def test_a_patch_that_another_one_builds_on_is_taken_back_after_it(project):
    aoi, ren, mila = people(project)
    numbers = []
    for text in ("One.", "Two."):
        stored = patches.propose(project, aoi, proposal(project, "retail", "0", say(text)))
        numbers.append(patches.approve(project, ren, stored.id).id)
    with pytest.raises(ReviewError, match="builds on"):
        patches.invert(project, mila, numbers[0], reason="no")
    for number in reversed(numbers):
        inverse = patches.invert(project, mila, number, reason="no")
        patches.approve(project, ren, inverse.id)
    original = consequences.imported(project, "retail", "0").task
    assert task_hash(patches.task(project, "retail", "0")) == task_hash(dict(original))


def test_the_inverse_of_a_repair_leads_back_to_the_task_before_it(project):
    aoi, ren, _ = people(project)
    before = patches.task(project, "retail", "0")
    stored = patches.propose(project, aoi, proposal(project, "retail", "0", say("One.")))
    patches.approve(project, ren, stored.id)
    inverse = patches.invert(project, aoi, stored.id, reason=" not needed ")
    assert (inverse.inverts, inverse.patch.reason) == (stored.id, "not needed")
    now = patches.task(project, "retail", "0")
    assert inverse.patch.base_hash == task_hash(now)
    back = operate(now, inverse.patch.operations)
    assert json.dumps(back) == json.dumps(before) != json.dumps(now)
    assert consequences.of_patch(project, inverse).after == before


def test_an_inverse_is_refused_once_another_patch_builds_on_its_patch(project):
    aoi, ren, mila = people(project)
    first = patches.propose(project, aoi, proposal(project, "retail", "0", say("One.")))
    patches.approve(project, ren, first.id)
    inverse = patches.invert(project, aoi, first.id, reason="no")
    second = patches.propose(project, aoi, proposal(project, "retail", "0", say("Two.")))
    patches.approve(project, ren, second.id)
    with pytest.raises(BaseMoved):
        patches.approve(project, mila, inverse.id)
    assert project.patches.get(first.id).in_force
    assert project.patches.get(inverse.id).state == "proposed"


def test_a_rejected_inverse_can_be_proposed_again(project):
    aoi, ren, mila = people(project)
    stored = patches.propose(project, aoi, proposal(project, "retail", "0", say("One.")))
    patches.approve(project, ren, stored.id)
    inverse = patches.invert(project, aoi, stored.id, reason="no")
    patches.reject(project, mila, inverse.id, note="it is needed")
    approved = project.patches.get(stored.id)
    assert approved.in_force and approved.approver_id == ren.id
    again = patches.invert(project, aoi, stored.id, reason="really not")
    back = patches.approve(project, mila, again.id, note="agreed")
    assert project.patches.get(stored.id) == replace(
        approved, state="inverted", version=approved.version + 1
    )
    assert (back.approver_id, back.note, back.in_force) == (mila.id, "agreed", False)


def test_taking_a_patch_back_needs_a_reason_and_so_does_everybody_elses_no(project):
    aoi, ren, mila = people(project)
    stored = patches.propose(project, ren, proposal(project, "retail", "0", say("One.")))
    with pytest.raises(NotAllowed, match="maintainer or the proposer"):
        patches.reject(project, aoi, stored.id, note="I do not like it")
    with pytest.raises(ReviewError, match="not in force"):
        patches.invert(project, aoi, stored.id, reason="too early")
    patches.approve(project, mila, stored.id)
    with pytest.raises(ReviewError, match="is approved"):
        patches.reject(project, mila, stored.id, note="too late")
    with pytest.raises(ReviewError, match="needs a reason"):
        patches.invert(project, aoi, stored.id, reason=" ")
    assert [stored.state for stored in project.patches.all("retail", "0")] == ["approved"]


def upstream(store, **more):
    """A repair that the benchmark has already."""
    base = patches.base_hash(store, "retail", "0")
    return Proposal(
        "retail", "0", "repair", "wrong_gold", "the seat", base, upstream="fixed in 1.2", **more
    )


def test_a_fix_that_the_benchmark_has_is_approved_without_a_change_of_the_task(project):
    aoi, ren, _ = people(project)
    before, texts = patches.task(project, "retail", "0"), states(project, "retail")
    stored = patches.propose(project, aoi, upstream(project))
    assert stored.patch.operations == () and stored.patch.upstream == "fixed in 1.2"
    patches.approve(project, ren, stored.id)
    assert patches.task(project, "retail", "0") == before
    assert states(project, "retail") == texts
    assert statistics.statistics(project, "retail").table12["retail"]["repair"] == 1


def test_a_fix_that_the_benchmark_has_is_bound_to_its_base_too(project):
    aoi, ren, mila = people(project)
    stored, late = patches.propose(project, aoi, upstream(project)), upstream(project)
    other = patches.propose(project, aoi, proposal(project, "retail", "0", say("One.")))
    patches.approve(project, ren, other.id)
    with pytest.raises(BaseMoved):
        patches.approve(project, mila, stored.id)
    with pytest.raises(BaseMoved):
        patches.propose(project, aoi, late)


# -- localizations -----------------------------------------------------------------------------

NAME = Operation(
    "append",
    "/user_scenario/instructions/known_info",
    "\nあなたの名前は{user.family} {user.given}です。",
)


def test_a_localization_is_applied_when_a_domain_is_localized_and_taken_back(project):
    aoi, ren, mila = people(project)
    base = patches.base_hash(project, "airline", "3", "localization")
    stored = patches.propose(
        project,
        aoi,
        Proposal(
            "airline",
            "3",
            "localization",
            "identity_missing",
            "name",
            base,
            operations=(NAME,),
            evidence=(Evidence("rule", "LOC-02"),),
        ),
    )
    done = consequences.of_patch(project, stored)
    assert [change.path[-1] for change in done.diff.texts] == ["known_info"] and not done.requeued
    assert done.end_states and not any(row.differs for row in done.end_states)
    before = patches.task(project, "airline", "3", "localization")
    patches.approve(project, ren, stored.id)
    after = patches.task(project, "airline", "3", "localization")
    assert after == done.after and before == done.before
    assert "あなたの名前は" in after["user_scenario"]["instructions"]["known_info"]
    inverse = patches.invert(project, aoi, stored.id, reason="no")
    assert consequences.of_patch(project, inverse).after == before
    patches.approve(project, mila, inverse.id)
    assert patches.task(project, "airline", "3", "localization") == before


def test_two_localizations_of_a_task_follow_one_another_as_they_were_approved(project, monkeypatch):
    aoi, ren, _ = people(project)
    base = patches.base_hash(project, "airline", "3", "localization")
    first, second = (
        patches.propose(
            project,
            aoi,
            Proposal(
                "airline",
                "3",
                "localization",
                "identity_missing",
                "more to know",
                base,
                operations=(replace(NAME, value=text),),
            ),
        )
        for text in ("【先】", "【後】")
    )

    def known_info(task):
        return task["user_scenario"]["instructions"]["known_info"]

    plain = known_info(patches.task(project, "airline", "3", "localization"))
    for hour, number in enumerate((second.id, first.id)):
        monkeypatch.setattr(patches_table, "now", lambda hour=hour: f"2026-01-01T0{hour}:00:00Z")
        patches.approve(project, ren, number)
    task = patches.task(project, "airline", "3", "localization")
    assert known_info(task) == f"{plain}【後】【先】"
    done = consequences.of_patch(project, project.patches.get(second.id))
    assert (known_info(done.before), known_info(done.after)) == (
        f"{plain}【先】",
        f"{plain}【先】【後】",
    )


def test_a_localization_of_a_task_that_changed_since_can_still_be_taken_back(
    project, tmp_path, sample
):
    aoi, ren, mila = people(project)
    base = patches.base_hash(project, "airline", "3", "localization")
    stored = patches.propose(
        project,
        aoi,
        Proposal(
            "airline", "3", "localization", "identity_missing", "name", base, operations=(NAME,)
        ),
    )
    patches.approve(project, ren, stored.id)
    inverse = patches.invert(project, aoi, stored.id, reason="no")
    reimported(project, tmp_path, sample, "airline", "3", annotations="checked")
    assert not patches.fits(project, project.patches.get(stored.id))
    patches.approve(project, mila, inverse.id)
    assert project.patches.get(stored.id).state == "inverted"


def test_one_sentence_for_many_tasks_is_previewed_and_proposed_as_one_action(project):
    aoi, _, _ = people(project)
    template = Template("airline", "localization", "identity_missing", (NAME,), "name the user")
    previews = similar_tasks.similar(project, template)
    assert len(previews) > 5
    assert all("known_info" in preview.diff.texts[0].path for preview in previews)
    chosen = [preview.task_id for preview in previews[:3]]
    proposed = similar_tasks.propose_all(project, aoi, template, chosen)
    assert [stored.patch.task_id for stored in proposed] == chosen
    assert not {preview.task_id for preview in similar_tasks.similar(project, template)} & set(
        chosen
    )
    assert similar_tasks.template_of(project, proposed[0].id).operations == (NAME,)


def test_a_change_at_a_certain_character_is_no_template(project):
    aoi, _, _ = people(project)
    base = patches.base_hash(project, "retail", "0")
    path = "/user_scenario/instructions/task_instructions"
    spliced = (Operation("splice", path, "Please. ", span=(0, 0)),)
    stored = patches.propose(
        project,
        aoi,
        Proposal("retail", "0", "repair", "language", "polite", base, operations=spliced),
    )
    with pytest.raises(ReviewError, match="cannot be repeated"):
        similar_tasks.template_of(project, stored.id)


def test_a_variant_without_fixes_has_no_translation_of_a_text_that_a_repair_changes(project):
    aoi, ren, _ = people(project)
    patches.approve(project, ren, waiting(project, "airline/10/repair/1"))
    path = SAID.removeprefix("tasks.json#")
    for fixes in (True, False):
        derived = Derived(project, "airline", DerivationChoice(use="current", fixes=fixes))
        localized = derived.task(derived.tasks["10"], derived.originals["10"].task)
        said = localized.task["user_scenario"]["instructions"]["task_instructions"]
        assert (path in localized.stand_ins) == (not fixes)
        assert said.startswith("You are friendly") == (not fixes)
        assert "0472" not in said or fixes


# -- packs -------------------------------------------------------------------------------------


def test_a_pack_is_applied_where_it_fits_and_says_where_not(project):
    aoi, ren, _ = people(project)
    with pytest.raises(NotAllowed):
        packs.apply_pack(project, aoi)
    done = packs.apply_pack(project, ren)
    skipped = {name: str(why) for name, why in done.skipped.items()}
    assert done.applied == () and skipped["airline/29/repair/1"] == "there is no such task"
    assert "another version" in skipped["airline/7/repair/1"]
    with pytest.raises(ReviewError, match="no pack"):
        packs.apply_pack(project, ren, "nowhere")


# -- two processes -----------------------------------------------------------------------------

APPROVER = """
import sys
from pathlib import Path
from review_app.errors import ReviewError
from review_app.store import Store
from review_app.workflows.curation import patches

store = Store(Path(sys.argv[1]), create=False)
person = store.people.named(sys.argv[2])
numbers = [stored.id for stored in patches.waiting(store, person)]
print("ready", flush=True)
sys.stdin.readline()
done = 0
for number in numbers:
    try:
        patches.approve(store, person, number)
        done += 1
    except ReviewError:
        pass
print(done, flush=True)
"""


@pytest.mark.timeout(120)
def test_two_maintainers_approve_at_once_and_every_patch_is_decided_once(project):
    names = [person.name for person in people(project)[1:]]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", APPROVER, str(project.path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    counts = [int(process.communicate("go\n")[0]) for process in running]
    assert sum(counts) == 6
    assert {stored.state for stored in project.patches.all()} == {"approved"}
    assert all(len(patches.history(project, stored.id)) == 2 for stored in project.patches.all())
    assert project.problems() == []


def test_the_task_in_force_is_edited_and_not_the_one_that_was_imported(project):
    aoi, ren, _ = people(project)
    stored = patches.propose(project, aoi, proposal(project, "retail", "0", say("One.")))
    patches.approve(project, ren, stored.id)
    assert (
        edited(project, "retail", "0", lambda task: None)["user_scenario"]["instructions"][
            "task_instructions"
        ]
        == "One."
    )


def test_an_entity_that_a_repair_brings_in_has_a_counterpart(project):
    aoi, ren, _ = people(project)
    look_up = {
        "action_id": "new",
        "name": "find_user_id_by_name_zip",
        "arguments": {"first_name": "Quillon", "last_name": "Vandermeer", "zip": "94109"},
    }
    patch = Patch(
        "retail/3/repair/1",
        "retail",
        "3",
        "repair",
        "wrong_gold",
        patches.base_hash(project, "retail", "3"),
        (Operation("add", "/evaluation_criteria/actions/-", look_up),),
        "no rule asked",
        "test",
    )
    known = {(entity.kind, entity.source) for entity in entities.rows(project, "retail")}
    with project.write("test"):
        number = project.patches.add(NewPatch(patch, "", aoi.id))
        project.patches.decide(number, "approved", person=ren.id, expected_version=1)
    added = {(entity.kind, entity.source) for entity in entities.rows(project, "retail")} - known
    assert ("family_name", "Vandermeer") in added
    derived = Derived(project, "retail", DerivationChoice(use="current"))
    task = derived.task(derived.tasks["3"], derived.originals["3"].task).task
    assert "Vandermeer" not in str(task["evaluation_criteria"]["actions"])
