"""Rules over a project's tasks: kept by content, accepted warnings, the project's own profile."""

from __future__ import annotations

import json
import time

import pytest
from curation_project import make_project, people, proposal, say, waiting

from review_app import cli
from review_app.core.validity import RuleViolation
from review_app.errors import BadInput, NotAllowed, NotFound, ReviewError
from review_app.notices import Notice
from review_app.records.curation import NewFlag
from review_app.store import Store
from review_app.store.curation.validations import fingerprint
from review_app.workflows.curation import consequences, patches, statistics, validity
from review_app.workflows.curation import flags as curation_flags

DOMAINS = ("airline", "retail", "telecom")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("curation"))


@pytest.fixture
def project(template, tmp_path):
    Store.copy(template, tmp_path / "project.db")
    store = Store(tmp_path / "project.db")
    yield store
    store.close()


def kept(store):
    return len(store._db.execute("SELECT 1 FROM validations").fetchall())


def warning(store, domain="retail"):
    """Some warning of the project: one that the tests make if the sample has none."""
    return RuleViolation("PAY-05", "made_for_the_test", "warning", "0", "/x", "m", {"method": "y"})


def test_results_are_kept_by_content_and_a_changed_task_is_looked_at_again(project):
    first = validity.inspect(project, "airline")
    count = kept(project)
    assert validity.inspect(project, "airline") == first and kept(project) == count
    _, ren, _ = people(project)
    patches.approve(project, ren, waiting(project, "airline/11/repair/1"))
    after = validity.inspect(project, "airline")
    assert [checked.violation.code for checked in first["11"]][0] == "CRIT-01"
    assert "CRIT-01" not in {checked.violation.code for checked in after["11"]}
    assert validity.inspect(project, "airline", repaired=False) == first


def test_rules_read_amounts_as_the_projects_locale_knows_the_source_to_write_them(project):
    known = validity.facts(project, "airline")
    assert (known.currency.code, known.currency) == ("USD", validity.currency(project))
    assert "$" in known.currency.prefixes
    assert consequences.LocalizedDomain(project, "airline").facts.currency.code == "JPY"


def test_one_task_is_answered_from_what_is_kept_in_milliseconds(project):
    whole = validity.inspect(project, "retail")
    started = time.process_time()
    for _ in range(10):
        alone = validity.inspect(project, "retail", "9")
    assert time.process_time() - started < 0.5
    assert alone == {"9": whole["9"]}
    with pytest.raises(NotFound):
        validity.inspect(project, "retail", "99")


def test_the_worst_comes_first(project):
    listed = validity.inspect(project, "retail")["9"]
    order = ["error", "warning", "info", "label"]
    levels = [order.index(checked.violation.level) for checked in listed]
    assert levels == sorted(levels) and validity.worst(listed) == "error"
    assert validity.worst([]) == ""


def test_a_warning_is_accepted_with_a_reason_until_it_is_withdrawn(project):
    aoi, _, _ = people(project)
    accepted_warning = warning(project)
    with pytest.raises(ReviewError, match="reason"):
        validity.acknowledge(project, aoi, "retail", accepted_warning, reason=" ")
    validity.acknowledge(project, aoi, "retail", accepted_warning, reason="it is said elsewhere")
    (accepted,) = project.validations.acknowledged("retail", "0").values()
    assert (accepted.person_id, accepted.reason) == (aoi.id, "it is said elsewhere")
    validity.withdraw(project, aoi, "retail", accepted_warning)
    assert project.validations.acknowledged("retail") == {}


def test_an_accepted_warning_of_a_task_is_open_no_more_in_that_task_alone(project):
    aoi, ren, mila = people(project)
    known = "You are Ivo Brandt. Your user id is ivo_brandt_7730. It is R4XW9T or ZZ9ZZ9."

    def change(task):
        task["user_scenario"]["instructions"]["known_info"] = known

    patch = patches.propose(project, ren, proposal(project, "airline", "1", change))
    patches.approve(project, mila, patch.id)
    (open_one,) = [
        checked
        for checked in validity.inspect(project, "airline", "1")["1"]
        if checked.violation.level == "warning"
    ]
    assert open_one.open and open_one.acknowledged is None
    validity.acknowledge(project, aoi, "airline", open_one.violation, reason="made up on purpose")
    for inspected in (
        validity.inspect(project, "airline", "1"),
        validity.inspect(project, "airline"),
    ):
        (accepted,) = [
            checked for checked in inspected["1"] if checked.violation == open_one.violation
        ]
        assert not accepted.open and accepted.acknowledged.reason == "made up on purpose"


def test_what_is_said_in_words_is_kept_as_a_notice_and_older_phrases_as_they_are(project):
    problem = Notice("rule.takes_no", "takes no argument {name}", name="'x'")
    spoken, older = (
        RuleViolation("GOLD-03", "unknown_argument", "error", "0", "/x", "m", {"problem": value})
        for value in (problem, str(problem))
    )
    with project.write("rules"):
        project.validations.keep({"spoken": [spoken], "older": [older]}, "state", "rules")
    assert project.validations.kept(["spoken", "older"], "state", "rules") == {
        "spoken": [spoken],
        "older": [older],
    }
    assert fingerprint(spoken) == fingerprint(older)


def test_an_error_is_accepted_by_nobody(project):
    _, ren, _ = people(project)
    error = validity.inspect(project, "retail", "9")["9"][0]
    assert error.violation.level == "error" and error.open
    with pytest.raises(ReviewError, match="only warnings"):
        validity.acknowledge(project, ren, "retail", error.violation, reason="please")


def test_a_project_lays_its_own_profile_over_the_shipped_one(project):
    aoi, ren, _ = people(project)
    with pytest.raises(NotAllowed):
        validity.set_profile(project, aoi, "retail", "max_gift_cards = 1")
    with pytest.raises(BadInput):
        validity.set_profile(project, ren, "retail", "unknown = 1")
    before = validity.profile(project, "retail").version
    changed = validity.set_profile(project, ren, "retail", 'same_item_exchange = "allowed"')
    assert changed.same_item_exchange == "allowed" and changed.version != before
    assert validity.set_profile(project, ren, "retail", "").version == before


# -- counts ------------------------------------------------------------------------------------


def test_statistics_count_groups_rule_hits_and_flags(project):
    aoi, ren, _ = people(project)
    for stored in patches.waiting(project, ren)[:2]:
        patches.approve(project, ren, stored.id)
    curation_flags.raise_flag(project, aoi, NewFlag("airline", "0", "odd", severity=2))
    counted = statistics.statistics(project)
    airline = counted.table12["airline"]
    assert (airline["total"], airline["repair"], airline["unmodified"]) == (12, 2, 10)
    assert counted.table12["retail"]["repair"] == 0
    hit = next(hit for hit in counted.rule_hits if hit["code"] == "CRIT-01")
    assert (hit["domain"], hit["before"], hit["after"]) == ("airline", 1, 0)
    assert counted.flags == [
        {
            "domain": "airline",
            "state": "open",
            "severity": 2,
            "count": 1,
            "oldest_days": 0,
            "median_days": 0,
        }
    ]


def test_the_list_of_tasks_says_what_waits_for_each(project):
    aoi, ren, _ = people(project)
    patches.approve(project, ren, waiting(project, "retail/9/repair/1"))
    patches.propose(project, aoi, proposal(project, "retail", "0", say("Be brief.")))
    curation_flags.raise_flag(project, aoi, NewFlag("retail", "1", "odd"))
    rows = {row.task_id: row for row in statistics.task_rows(project, "retail")}
    assert (rows["9"].group, rows["9"].patch_state) == ("repair", "approved")
    assert (rows["0"].group, rows["0"].patch_state) == ("unmodified", "proposed")
    assert rows["1"].flags == 1 and rows["1"].patch_state is None
    assert rows["11"].levels["error"] == 2 and rows["11"].does_nothing_pass
    assert rows["9"].purpose.startswith("Exchange for a slightly dearer item")


# -- command line ------------------------------------------------------------------------------


def run(project, capsys, *words):
    """Exit code and JSON of a command."""
    code = cli.main([*words, "--db", str(project.path), "--json"])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else None


def test_validate_writes_records_and_exits_1_on_errors(project, capsys):
    code, violations = run(project, capsys, "validate", "--domain", "retail", "--task", "9")
    assert code == 1
    assert set(violations[0]) == {"code", "level", "domain", "task_id", "address", "message"}
    assert {violation["code"] for violation in violations} >= {"GOLD-01", "RET-03"}
    assert run(project, capsys, "validate", "--domain", "retail", "--task", "0")[0] == 0


def test_patches_are_decided_on_the_command_line(project, capsys, tmp_path):
    code, listed = run(project, capsys, "patches", "--domain", "retail")
    assert code == 0 and {patch["state"] for patch in listed} == {"proposed"}
    number = str(waiting(project, "retail/9/repair/1"))
    _, shown = run(project, capsys, "patches", "show", number)
    assert any("GOLD-01" in line for line in shown["solved"]) and shown["end_states"]
    assert run(project, capsys, "patches", "approve", number)[0] == 2
    assert run(project, capsys, "patches", "approve", number, "--as", "Aoi")[0] == 2
    assert run(project, capsys, "patches", "approve", number, "--as", "Ren")[1]["state"] == (
        "approved"
    )
    assert run(project, capsys, "validate", "--domain", "retail", "--task", "9")[0] == 0
    args = ("validate", "--domain", "retail", "--task", "9", "--as-imported")
    assert run(project, capsys, *args)[0] == 1
    undone = run(project, capsys, "patches", "invert", number, "--as", "Ren", "--reason", "no")[1]
    assert undone["inverts"] == int(number) and undone["operations"]
    rejected = ("patches", "reject", str(undone["id"]), "--as", "Mila", "--reason", "keep it")
    assert run(project, capsys, *rejected)[1]["state"] == "rejected"
    _, done = run(project, capsys, "patches", "apply", "--pack", "ja", "--as", "Ren")
    assert done["applied"] == [] and done["skipped"]


def test_a_file_of_patches_is_proposed_all_or_none(project, capsys, sample, tmp_path):
    text = (sample / "patches.json").read_text("utf-8")
    before = len(project.patches.all())
    _, proposed = run(
        project, capsys, "patches", "propose", str(sample / "patches.json"), "--as", "Ren"
    )
    assert [patch["name"].rpartition("/")[2] for patch in proposed] == ["own-1"] * 6
    broken = tmp_path / "broken.json"
    listed = json.loads(text)
    listed[-1]["base_hash"] = "0" * 64
    broken.write_text(json.dumps(listed), encoding="utf-8")
    assert run(project, capsys, "patches", "propose", str(broken), "--as", "Ren")[0] == 2
    assert len(project.patches.all()) == before + 6


def test_flags_live_on_the_command_line(project, capsys, tmp_path):
    def flags(*words):
        return run(project, capsys, "flags", *words)

    where = ("--domain", "retail", "--task", "3")
    raised = flags("raise", *where, "--as", "Aoi", "--text", "odd", "--severity", "2")[1][0]
    number = str(raised["id"])
    assert flags("triage", number, "--as", "Ren")[0] == 2
    kind = ("--kind", "wrong_gold", "--severity", "2", "--owner", "Aoi")
    assert flags("triage", number, "--as", "Ren", *kind)[1][0]["state"] == "triaged"
    flags("comment", number, "--as", "Aoi", "--text", "hm")
    closing = ("--outcome", "not_a_defect", "--text", "it is fine")
    assert flags("close", number, "--as", "Ren", *closing)[1][0]["state"] == "triaged"
    assert flags("close", number, "--as", "Mila", *closing)[1][0]["state"] == "not_a_defect"
    assert len(flags("show", number)[1]["remarks"]) == 3
    assert flags("reopen", number, "--as", "Aoi", "--text", "no")[1][0]["state"] == "triaged"
    assert flags("import", "--domain", "retail", "--as", "Ren")[1] == []
    out = tmp_path / "tasks.json"
    assert flags("export", "--domain", "retail", "--out", str(out))[0] == 0
    tasks = {task["id"]: task for task in json.loads(out.read_text("utf-8"))}
    assert [issue["status"] for issue in tasks["3"]["issues"]] == ["open"]
    assert flags("close", "--as", "Ren")[0] == 2


def test_stats_are_plain_data(project, capsys):
    code, content = run(project, capsys, "stats", "--domain", "airline")
    assert code == 0 and content["table12"]["airline"]["total"] == 12
    assert {hit["domain"] for hit in content["rule_hits"]} == {"airline"}


def test_a_warning_is_accepted_on_the_command_line_only_if_there_is_one(project, capsys):
    words = ("acknowledge", "--domain", "retail", "9", "GOLD-01", "--as", "Ren", "--reason", "x")
    assert cli.main([*words, "--db", str(project.path)]) == 2
    missing = ("acknowledge", "--domain", "retail", "9", "PAY-99", "--as", "Ren", "--reason", "x")
    assert cli.main([*missing, "--db", str(project.path)]) == 2
