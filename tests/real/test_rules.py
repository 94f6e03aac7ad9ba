"""The validity rules on the real tasks: what a person found, and how long it takes."""

from __future__ import annotations

import copy
import gc
import json
import time
from collections import defaultdict

import precision
import pytest
from precision import DOMAINS, real_facts, real_tasks, repaired_tasks
from rule_cases import profile, violations

from review_app.core.tasks.replay import replay_task
from review_app.core.validity import ALL, DomainFacts, TaskContext, inspect

NAMED = {
    "airline": {
        "7": ("AMT-01", "1628 counts XEHM4B and 59XX6W"),
        "29": ("PAY-01", "nothing says to pay with credit_card_8003957"),
        "32": ("PAY-05", "nothing says to keep to credit_card_9659780"),
        "33": ("PAY-05", "nothing says to keep to gift_card_6941833"),
        "39": ("AIR-01", "the instructions state no reason of health or weather"),
        "44": ("AIR-11", "KC18K6 takes 7 hours; the instructions allow 3"),
    },
    "retail": {
        "18": ("RET-07", "the user asks for 8069050545 again"),
        "25": ("ASK-02", "the gold neither does it nor hands over"),
        "26": ("ASK-03", "the gold hands over after return_delivered_order_items"),
        "38": ("PAY-03", "nothing says to cancel because 'no longer needed'"),
        "64": ("RET-10", "6700049080 changes color, which nobody asked for"),
        "91": ("RET-07", "the user asks for 9494281769 again"),
        "105": ("RET-03", "gift_card_7245904 holds 17.0; the difference is 21.10"),
        "107": ("RET-07", "the user asks for 1615379700 again"),
        "110": ("GOLD-05", "modify_user_address changes nothing"),
    },
}
"""Task -> a rule that names it and the reason it gives (Table 10)."""
TABLE_10 = {
    "airline": {"7", "29", "32", "33", "39", "44"},
    "retail": {"18", "25", "26", "28", "38", "64", "91", "99", "104", "105", "107", "110"},
}
ERRORS = {
    "airline": {"7": {"AMT-01"}, "29": {"PAY-01"}, "39": {"AIR-01"}, "44": {"AIR-11"}},
    "retail": {"64": {"GOLD-01", "RET-01"}, "105": {"GOLD-01", "RET-03"}},
    "telecom": {},
}
"""All of them are defects that Table 10 lists."""
NO_CHANGE_PASSES = {"10", "12", "24", "25", "50", "57", "62", "65", "67", "68", "105"}
NAME_SENTENCE = "あなたの名前は"


@pytest.fixture(scope="module")
def violations_by_domain(shared):
    """Domain -> task id -> violations."""
    result = {}
    for domain in DOMAINS:
        known = real_facts(shared, domain)
        result[domain] = {
            task["id"]: violations(task, known) for task in real_tasks(shared, domain)
        }
    return result


@pytest.mark.parametrize(
    ("domain", "task_id"), [(d, t) for d, named in NAMED.items() for t in named]
)
def test_tasks_that_people_repaired_are_named_with_the_reason(
    violations_by_domain, domain, task_id
):
    code, reason = NAMED[domain][task_id]
    messages = [
        violation.message
        for violation in violations_by_domain[domain][task_id]
        if violation.code == code
    ]
    assert any(reason in message for message in messages), messages
    assert ALL[code].level in ("error", "warning")


@pytest.mark.parametrize("domain", DOMAINS)
def test_errors_are_proven_defects_only(violations_by_domain, domain):
    errors = defaultdict(set)
    for task_id, listed in violations_by_domain[domain].items():
        for violation in listed:
            if violation.level == "error":
                errors[task_id].add(violation.code)
    assert errors == ERRORS[domain]


def test_no_rule_fails_on_a_real_task(violations_by_domain):
    assert [
        violation
        for by_task in violations_by_domain.values()
        for listed in by_task.values()
        for violation in listed
        if violation.code == "RULE-00"
    ] == []


def test_an_agent_that_does_nothing_passes_the_database_part_of_these_retail_tasks(
    violations_by_domain,
):
    passing = {
        t
        for t, listed in violations_by_domain["retail"].items()
        if "GOLD-07" in {o.code for o in listed}
    }
    assert passing == NO_CHANGE_PASSES


def test_hits_by_code_and_domain(violations_by_domain, capsys):
    table = defaultdict(dict)
    for domain, by_task in violations_by_domain.items():
        for listed in by_task.values():
            for violation in listed:
                table[violation.code][domain] = table[violation.code].get(domain, 0) + 1
    with capsys.disabled():
        print(f"\n{'':<9}{'level':<9}{'rule':<34}" + "".join(f"{d:>9}" for d in DOMAINS))
        for code, counts in sorted(table.items()):
            row = "".join(f"{counts.get(domain, 0) or '-':>9}" for domain in DOMAINS)
            print(f"{code:<9}{ALL[code].level:<9}{ALL[code].name:<34}{row}")
    assert table


def test_published_japanese_tasks_state_names_and_local_places(shared):
    known = DomainFacts("airline", profile("airline"))
    tasks = json.loads((shared / "jtau" / "airline_ja" / "tasks.json").read_text("utf-8"))
    assert {o.code for t in tasks for o in violations(t, known, ["LOC-02", "LOC-03"])} == set()
    for task in tasks:
        said = task["user_scenario"]["instructions"]
        if task["id"] in ("6", "7"):
            said["known_info"] = said["known_info"].split(NAME_SENTENCE)[0]
            assert [violation.code for violation in violations(task, known, ["LOC-02"])] == [
                "LOC-02"
            ]


def seconds(work):
    """As `timeit` does: without the garbage collector, whose walks the test's own data decide."""
    gc.disable()
    try:
        started = time.process_time()
        work()
        return time.process_time() - started
    finally:
        gc.enable()


def test_all_rules_take_less_than_four_times_the_replays(shared, capsys):
    """The replay that the rules of a task look at is counted on their side, too.

    The median of several rounds, because other work on the machine must not decide.
    """
    known = {domain: real_facts(shared, domain) for domain in DOMAINS}
    tasks = [(known[d], t) for d in DOMAINS for t in real_tasks(shared, d)]
    rounds = []
    for _ in range(7):
        replays = seconds(lambda: [replay_task(facts.open(), task) for facts, task in tasks])
        rules = seconds(lambda: [inspect(t, TaskContext(t, facts)) for facts, t in tasks])
        rounds.append((rules / replays, rules, replays))
    ratio, rules, replays = sorted(rounds)[len(rounds) // 2]
    with capsys.disabled():
        print(f"\nall rules {rules:.2f} s, all replays {replays:.2f} s: {ratio:.1f} x")
    assert ratio < 4


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_after_the_repairs_the_tasks_of_table_10_have_no_error_and_no_warning(shared, domain):
    known, left = real_facts(shared, domain), {}
    for task in repaired_tasks(shared, domain):
        wanted = ("error", "warning") if task["id"] in TABLE_10[domain] else ("error",)
        listed = [fault.code for fault in violations(task, known) if fault.level in wanted]
        if listed:
            left[task["id"]] = listed
    assert left == {}


def hose_mistyped(criteria):
    calculation = criteria["actions"][10]["arguments"]
    calculation["expression"] = calculation["expression"].replace("96.35", "95.36")


def other_card_charged(criteria):
    for action in criteria["actions"]:
        action["arguments"]["payment_method_id"] = "credit_card_8105988"


def item_of_another_order(criteria):
    criteria["actions"][1]["arguments"]["item_ids"] = ["4900661478"]


@pytest.mark.parametrize(
    ("task_id", "put_back", "codes"),
    [
        ("28", hose_mistyped, {"GOLD-13"}),
        ("99", other_card_charged, {"PAY-06"}),
        ("104", item_of_another_order, {"GOLD-01", "RET-09", "ASK-01"}),
    ],
)
def test_what_table_10_says_upstream_has_mended_would_be_found(shared, task_id, put_back, codes):
    """The benchmark has repaired these three itself: a fault of the kind is put back."""
    known = real_facts(shared, "retail")
    task = next(task for task in real_tasks(shared, "retail") if task["id"] == task_id)
    faulty = copy.deepcopy(task)
    put_back(faulty["evaluation_criteria"])
    severe = [fault for fault in violations(faulty, known) if fault.level in ("error", "warning")]
    assert {fault.code for fault in severe} == codes


def without(at):
    def change(task):
        del task["evaluation_criteria"]["actions"][at]

    return change


def friend_renamed(task):
    told = task["user_scenario"]["instructions"]
    told["task_instructions"] = told["task_instructions"].replace("for Raj,", "for Omar,")


def order_of_somebody_else(task):
    task["evaluation_criteria"]["actions"][2]["arguments"]["order_id"] = "#W9583042"


@pytest.mark.parametrize(
    ("domain", "task_id", "change", "message"),
    [
        ("airline", "23", friend_renamed, "the instructions speak of Omar"),
        ("retail", "40", order_of_somebody_else, "#W9583042 is looked up"),
        ("retail", "41", without(4), "the address of #W9583042"),
        ("retail", "41", without(6), "the user's own address"),
        ("retail", "41", without(9), "Jigsaw Puzzle"),
    ],
)
def test_faults_put_into_sound_tasks_are_found(shared, domain, task_id, change, message):
    known = real_facts(shared, domain)
    task = next(task for task in real_tasks(shared, domain) if task["id"] == task_id)
    before = {fault.message for fault in violations(task, known)}
    changed = copy.deepcopy(task)
    change(changed)
    new = [
        fault.message
        for fault in violations(changed, known)
        if fault.message not in before and fault.level in ("error", "warning")
    ]
    assert [said for said in new if message in said], new


def test_errors_are_always_right_and_three_in_four_warnings_at_least(shared, capsys):
    assert precision.main(shared) == 0
    report = capsys.readouterr().out
    assert "errors: 100% right" in report
    assert "not judged" not in report


def test_a_noisy_finding_that_comes_back_counts_as_noise(shared):
    findings, judged = precision.real_findings(shared), precision.judgements()
    warning = next(key for key, fault in findings.items() if fault.level == "warning")
    worse = judged | {warning: precision.Judgement("mended", "was noise once")}
    assert precision.share_right("warning", findings, worse) < 1
    assert precision.share_right("error", findings, worse) == 1
    unjudged = {key: verdict for key, verdict in judged.items() if key != warning}
    assert f"not judged: {','.join(warning)}" in "\n".join(precision.lines(findings, unjudged))
