"""The validity rules on the real tasks: what a person found, and how long it takes."""

from __future__ import annotations

import gc
import gzip
import json
import time
import tomllib
from collections import defaultdict

import pytest
from rule_cases import DATA, pack, profile, violations

from review_app.core.envs import environment_class
from review_app.core.tasks.patch_files import patches_from_json
from review_app.core.tasks.patches import apply
from review_app.core.tasks.replay import replay_task
from review_app.core.validity import ALL, DomainFacts, TaskContext, inspect

DOMAINS = ("airline", "retail", "telecom")
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
        "38": ("PAY-03", "nothing says to cancel because 'no longer needed'"),
        "64": ("RET-10", "6700049080 changes color, which nobody asked for"),
        "91": ("RET-07", "the user asks for 9494281769 again"),
        "105": ("RET-03", "gift_card_7245904 holds 17.0; the difference is 21.10"),
        "107": ("RET-07", "the user asks for 1615379700 again"),
        "110": ("GOLD-05", "modify_user_address changes nothing"),
    },
}
"""Task -> a rule that names it and the reason it gives (Table 10)."""
ERRORS = {
    "airline": {"7": {"AMT-01"}, "29": {"PAY-01"}, "39": {"AIR-01"}, "44": {"AIR-11"}},
    "retail": {"64": {"GOLD-01", "RET-01"}, "105": {"GOLD-01", "RET-03"}},
    "telecom": {},
}
"""All of them are defects that Table 10 lists."""
NO_CHANGE_PASSES = {"10", "12", "24", "25", "50", "57", "62", "65", "67", "68", "105"}
NAME_SENTENCE = "あなたの名前は"


def real_tasks(shared, domain):
    text = (shared / "tau2" / "domains" / domain / "tasks.json").read_text("utf-8")
    return json.loads(text)


def real_facts(shared, domain):
    folder, kind, words = (
        shared / "tau2" / "domains" / domain,
        environment_class(domain),
        pack(domain),
    )
    user = None
    if domain == "telecom":
        tree = tomllib.loads((folder / "db.toml").read_text("utf-8"))
        user = kind.load_user(tomllib.loads((folder / "user_db.toml").read_text("utf-8")), words)
    elif (folder / "db.json.gz").exists():
        tree = json.loads(gzip.decompress((folder / "db.json.gz").read_bytes()))
    else:
        tree = json.loads((folder / "db.json").read_text("utf-8"))
    return DomainFacts(
        domain, profile(domain), pack=words, state=kind.load(tree, words), user_state=user
    )


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
def test_after_the_repairs_no_error_is_left(shared, domain):
    path = DATA / "patches" / "ja" / f"{domain}.json"
    patches = patches_from_json(path.read_text("utf-8"), path.name)
    known, left = real_facts(shared, domain), {}
    for task in real_tasks(shared, domain):
        for patch in patches:
            if (patch.task_id, patch.layer) == (task["id"], "repair") and patch.operations:
                task = apply(task, patch)
        errors = [
            violation.code for violation in violations(task, known) if violation.level == "error"
        ]
        if errors:
            left[task["id"]] = errors
    assert left == {}
