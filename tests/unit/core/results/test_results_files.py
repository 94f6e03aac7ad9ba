"""Results files of the benchmark, of J-tau and of this app are read, scored and written."""

from __future__ import annotations

import asyncio
import json

import pytest
from results_cases import benchmark, failed, jtau_fault, results, simulation, upstream_fault
from rule_cases import facts, task
from trial_cases import called, played, said, scripted

from review_app.core.results.facts import OWN_KEY
from review_app.core.results.files import (
    changed_tasks,
    entries,
    finish_reasons,
    index,
    read_results,
    read_simulation,
    task_ids,
    trial_numbers,
    written,
)
from review_app.core.results.records import Played, info_record, simulation_record
from review_app.core.results.stream import members
from review_app.core.scoring.accounting import PROFILES, classify, counts
from review_app.core.scoring.reward import ScoredRun, score
from review_app.core.scoring.run_scores import summarize
from review_app.core.simulation.judges import judge_assertions
from review_app.core.simulation.records import Reply
from review_app.core.simulation.scripted import scripted_judge
from review_app.errors import BadInput
from review_app.json_paths import put


def read(value, separate=()):
    files = [(f"{at}.json", record) for at, record in enumerate(separate)]
    return read_results(members([json.dumps(value)]), files)


def scores(value, profile):
    file = read(value)
    return summarize(entries(file), PROFILES[profile], task_ids(file), file.wanted)


def percent(summary):
    return f"{100 * summary.mean:.1f}"


# -- footnote 8 ------------------------------------------------------------------------------------

WRITERS = {
    "upstream": upstream_fault(),
    "jtau": jtau_fault(),
    "jtau with stop": jtau_fault("Agent returned an empty response. finish_reason='stop'"),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    ("passes", "failures", "empty", "upstream", "tau_star"),
    [(70, 5, 75, "93.3", "46.7"), (244, 42, 56, "85.3", "71.3"), (300, 4, 38, "98.7", "87.7")],
    ids=["airline", "retail", "telecom"],
)
def test_footnote_8(writer, passes, failures, empty, upstream, tau_star):
    file = benchmark(passes, failures, empty, WRITERS[writer])
    left_out = scores(file, "upstream")
    assert (percent(left_out), left_out.counted) == (upstream, passes + failures)
    counted = scores(file, "tau-star")
    assert (percent(counted), counted.counted) == (tau_star, passes + failures + empty)
    assert counted.is_complete and percent(scores(file, "leaderboard")) == tau_star


def test_a_file_of_upstream_says_no_finish_reasons_and_that_is_said():
    file = benchmark(70, 5, 75, WRITERS["upstream"])
    assert scores(file, "upstream").gaps == {}
    [(missing, trials)] = scores(file, "tau-star").gaps.items()
    assert (str(missing), trials) == (
        "the finish reason is not recorded; counted as the agent's",
        75,
    )
    assert scores(benchmark(70, 5, 75, WRITERS["jtau"]), "tau-star").gaps == {}


def test_where_nothing_is_said_the_trial_stays_out_and_that_is_said():
    bare = {"termination_reason": "infrastructure_error", "messages": [], "info": None}
    summary = scores(benchmark(70, 5, 75, bare), "tau-star")
    assert percent(summary) == "93.3"
    gaps = {str(missing): trials for missing, trials in summary.gaps.items()}
    assert gaps == {"what went wrong is not recorded; counted as an infrastructure error": 75}
    error = {"termination_reason": "agent_error", "info": None}
    summary = scores(benchmark(70, 5, 75, error), "upstream")
    assert percent(summary) == "46.7" and sum(summary.gaps.values()) == 75


def test_two_tasks_one_all_infrastructure_errors():
    timeout = upstream_fault("timed out", kind="Timeout")
    file = results(
        [simulation("a", at) for at in range(4)]
        + [simulation("b", at, **timeout) for at in range(4)],
        ["a", "b"],
        4,
    )
    for profile in ("upstream", "tau-star", "jtau", "curation"):
        summary = scores(file, profile)
        assert summary.coverage == "over 1 of 2 tasks" and not summary.is_complete


# -- why a trial ended -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "rule", "speaker"),
    [
        (upstream_fault(), "empty_output_finish_unrecorded", "agent"),
        (upstream_fault(side="user"), "empty_output_finish_unrecorded", "user"),
        (
            upstream_fault("Expecting ',' delimiter", kind="JSONDecodeError"),
            "malformed_tool_call",
            "agent",
        ),
        (
            upstream_fault(
                "Expecting value",
                kind="JSONDecodeError",
                trace="tau2/evaluator/evaluator_nl_assertions.py",
            ),
            "no_answer",
            "",
        ),
        (upstream_fault("429", kind="RateLimitError"), "no_answer", ""),
        (upstream_fault("replay differs"), "reason_unrecorded", ""),
        (upstream_fault("empty message", trace=""), "speaker_unrecorded", ""),
        (
            upstream_fault("the user gave an empty message", trace=""),
            "empty_output_finish_unrecorded",
            "user",
        ),
        (jtau_fault(), "empty_output", "agent"),
        (jtau_fault(side="user"), "empty_output", "user"),
        (jtau_fault("empty output, finish_reason: None"), "empty_output_finish_unknown", ""),
        (jtau_fault("empty (network_error), finish_reason: stop"), "network_error", ""),
        (jtau_fault("malformed JSON in arguments"), "malformed_tool_call", "agent"),
        (jtau_fault("blank message"), "unspecified", "agent"),
        (jtau_fault("both text and a call"), "unspecified", "agent"),
        ({"termination_reason": "too_many_errors"}, "too_many_errors", ""),
        ({"reward_info": None}, "not_evaluated", ""),
    ],
)
def test_the_reason_is_read_off_what_the_file_says(record, rule, speaker):
    attribution = classify(read_simulation(simulation("a", **record)).facts())
    assert (attribution.rule_id, attribution.speaker) == (f"1:{rule}", speaker)


def test_a_person_may_blame_somebody():
    file = read(results([simulation("a", 0, **failed())], ["a"]))
    [entry] = entries(file, {"a-0": "user"})
    assert counts(entry.facts, PROFILES["curation"]) == "excluded"


# -- reading ---------------------------------------------------------------------------------------


def test_what_may_be_missing_is_none():
    bare = {"id": "s", "task_id": 7, "termination_reason": "user_stop"}
    trial = read_simulation(bare)
    assert (trial.task_id, trial.trial, trial.seed, trial.reward) == ("7", None, None, None)
    assert (trial.agent_cost, trial.duration_s, trial.messages, trial.stop_token) == (
        None,
        None,
        (),
        "",
    )


def test_trials_without_a_number_are_numbered_in_order():
    file = read(results([simulation("a", None), simulation("b", None), simulation("a", None)], []))
    assert [(e.task_id, e.trial) for e in entries(file)] == [("a", 0), ("b", 0), ("a", 1)]
    assert task_ids(file) == ("a", "b")


def test_raw_responses_are_cut_down_and_finish_reasons_stay():
    raw = {
        "model": "m",
        "usage": {"x": 1},
        "bulk": "x" * 99,
        "choices": [{"finish_reason": "length", "message": {"content": "Hi"}}],
    }
    messages = [
        {"role": "assistant", "content": "Hi", "raw_data": raw, "odd": 1},
        {"role": "user", "content": "a", "raw_data": None},
        {"role": "tool", "id": "1", "content": "b"},
    ]
    trial = read_simulation(simulation("a", messages=messages))
    kept = {"model": "m", "usage": {"x": 1}, "choices": [{"finish_reason": "length"}]}
    assert trial.messages[0] == {**messages[0], "raw_data": kept}
    assert finish_reasons(trial) == ("length", None)


def test_the_stop_token_is_found():
    assert read_simulation(simulation("a")).stop_token == "###STOP###"


def test_both_layouts_hold_the_same():
    single_file = results([simulation("a", 0), simulation("b", 0)], ["a", "b"])
    whole = read(single_file)
    head = {**single_file, "simulations": None, "simulation_index": index(whole.simulations)}
    parts = read(head, single_file["simulations"])
    assert parts.simulations == whole.simulations and parts.tasks == whole.tasks


@pytest.mark.parametrize("there", [[], ["a"], ["a", "b", "c"]], ids=str)
def test_an_index_that_does_not_match_the_folder_is_refused(there):
    listed = index(read(results([simulation(name) for name in "ab"], [])).simulations)
    head = {"info": {}, "tasks": [], "simulation_index": listed}
    with pytest.raises(BadInput, match="only"):
        read(head, [simulation(name) for name in there])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": None}, "'id' is missing"),
        ({"termination_reason": None}, "'termination_reason' is missing"),
        ({"mode": "full_duplex"}, "text runs only"),
        ({"messages": "Hi"}, "must be a list"),
    ],
)
def test_a_broken_record_is_refused_with_its_place(change, said):
    file = results([simulation("a"), {**simulation("b"), **change}], [])
    with pytest.raises(BadInput, match=said) as error:
        read(file)
    assert error.value.address == "simulations/1"


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("info", "num_trials"), "3", "info/num_trials: must be a whole number"),
        (("info", "num_trials"), 10**12, "info/num_trials: must be from 1 to 10000"),
        (("info", "num_trials"), 0, "info/num_trials: must be from 1 to 10000"),
        (("info", "agent_info"), [], "info/agent_info: must be an object"),
        (("info", "agent_info", "llm"), 5, "info/agent_info/llm: must be text, is 5"),
        (("simulation_index",), 5, "simulation_index: must be a list, is 5"),
        (("simulation_index",), ["s"], "simulation_index/0: must be an object, is 's'"),
        (("tasks", 0), "a", "tasks/0: must be an object"),
        (("tasks", 0, "id"), None, "tasks/0/id: must not be null"),
        (("tasks", 0, "evaluation_criteria"), [], "tasks/0/evaluation_criteria: must be an object"),
        (("simulations", 0, "id"), True, "simulations/0: 'id' is missing"),
        (("simulations", 0, "termination_reason"), 1, "termination_reason: must be text"),
        (("simulations", 0, "trial"), True, "simulations/0/trial: must be a whole number"),
        (("simulations", 0, "trial"), -1, "simulations/0/trial: must be from 0 to 10000"),
        (("simulations", 0, "seed"), 2**63, "simulations/0/seed: must be a whole number of at"),
        (("simulations", 0, "duration"), "1 s", "simulations/0/duration: must be a number"),
        (("simulations", 0, "agent_cost"), float("nan"), "simulations/0/agent_cost: nan is no num"),
        (("simulations", 0, "user_cost"), float("inf"), "simulations/0/user_cost: inf is no num"),
        (("simulations", 0, "user_cost"), True, "simulations/0/user_cost: must be a number"),
        (("simulations", 0, "info"), "x", "simulations/0/info: must be an object, is 'x'"),
        (("simulations", 0, "reward_info"), 1, "simulations/0/reward_info: must be an object"),
        (("simulations", 0, "reward_info", "reward"), "1", "reward_info/reward: must be a number"),
        (("simulations", 0, "reward_info", "reward"), 2.0, "reward_info/reward: must be from 0 to"),
        (("simulations", 0, "reward_info", "reward_basis"), "DB", "reward_basis: must be a list"),
        (("simulations", 0, "messages", 1), None, "simulations/0: 'messages' must be a list of"),
        (("simulations", 0, "messages", 1, "content"), 7, "messages/1/content: must be text, is 7"),
        (
            ("simulations", 0, "messages", 1, "content"),
            "\ud800",
            "messages/1/content: holds half a",
        ),
        (("simulations", 0, "odd"), {"\ud800": 1}, "simulations/0/odd/\\ud800: holds half a"),
    ],
    ids=str,
)
def test_a_value_of_a_wrong_type_is_refused_with_its_place(path, value, says):
    file = put(results([simulation("a")], ["a"]), path, value)
    with pytest.raises(BadInput) as error:
        read(file)
    assert f"results.json#{error.value.address}: " in str(error.value) and says in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_nested_too_deep_is_refused_but_in_a_raw_response():
    deep = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(BadInput, match="simulations/0/odd/0/0: nested too deep"):
        read(results([simulation("a", odd=deep)], []))
    messages = [{"role": "assistant", "content": "Hi", "raw_data": {"bulk": deep}}]
    [trial] = read(results([simulation("a", messages=messages)], [])).simulations
    assert trial.messages[0]["raw_data"] == {"choices": []}


def test_whole_numbers_where_numbers_are_wanted_and_missing_members_are_fine():
    file = results([simulation("a", agent_cost=0, duration=2, info=None)], ["a"])
    del file["info"]["num_trials"], file["simulations"][0]["reward_info"]["reward_basis"]
    [trial] = read(file).simulations
    assert (trial.agent_cost, trial.duration_s) == (0.0, 2.0)


# -- records that collide --------------------------------------------------------------------------


def test_two_trials_of_one_number_are_both_counted_and_that_is_said():
    sims = [simulation("a", 0), simulation("a", 0, **failed()), simulation("b", 0)]
    file = read(results(sims, ["a", "b"], 2))
    assert [(entry.task_id, entry.trial) for entry in entries(file)] == [
        ("a", 0),
        ("a", 1),
        ("b", 0),
    ]
    summary = scores(results(sims, ["a", "b"], 2), "jtau")
    assert summary.counted == 3 and summary.mean == pytest.approx(2 / 3)
    shared = "another trial of the task bears the same number; both are counted"
    assert {str(remark): count for remark, count in summary.gaps.items()} == {shared: 1}


@pytest.mark.parametrize(
    ("stated", "numbers"),
    [
        ([0, 1, 2], (0, 1, 2)),
        ([None, 0], (1, 0)),
        ([0, 0, 1], (0, 2, 1)),
        ([5, 5, None], (5, 6, 7)),
        ([None, None], (0, 1)),
    ],
    ids=str,
)
def test_every_trial_of_a_task_has_a_number_of_its_own(stated, numbers):
    file = read(results([simulation("a", number) for number in stated], []))
    assert trial_numbers(file.simulations) == numbers


def test_a_task_that_is_there_twice_is_one_or_refused():
    file = results([], ["a", "b", "a"])
    assert task_ids(read(file)) == ("a", "b") and len(read(file).tasks) == 2
    file["tasks"][2]["ticket"] = "x"
    with pytest.raises(BadInput, match="tasks/2: task 'a' is there twice, with other content"):
        read(file)


def test_a_simulation_that_is_twice_in_the_folder_and_once_in_the_index_is_refused():
    listed = index(read(results([simulation("a")], [])).simulations)
    head = {"info": {}, "tasks": [], "simulation_index": listed}
    with pytest.raises(BadInput, match="'a-0' is 1 times in the index and 2 times in the folder"):
        read(head, [simulation("a"), simulation("a")])


def test_the_folder_is_read_in_the_order_of_the_index():
    listed = index(read(results([simulation(name) for name in "ba"], [])).simulations)
    head = {"info": {}, "tasks": [], "simulation_index": listed}
    parts = read(head, [simulation(name) for name in "ab"])
    assert [trial.id for trial in parts.simulations] == ["b-0", "a-0"]


def test_a_file_that_holds_simulations_takes_none_from_the_folder():
    listed = index(read(results([simulation("a")], [])).simulations)
    file = {**results([simulation("a")], []), "simulation_index": listed}
    with pytest.raises(BadInput, match="take one of them away"):
        read(file, [simulation("a")])
    beside = [("0.json", simulation("b"))]
    parts = read_results(members([json.dumps(file)]), beside, file="mine.json")
    assert [trial.id for trial in parts.simulations] == ["a-0"]


def test_a_member_that_is_there_twice_is_refused():
    with pytest.raises(BadInput, match="member 'info' is there twice"):
        list(members(['{"info": {}, "info": {}}']))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("[]", "no JSON object"),
        ("[" * 5000, "no JSON object"),
        ("{} {}", "follows"),
    ],
    ids=lambda text: text[:6],
)
def test_what_is_no_results_file_is_told_apart(text, says):
    with pytest.raises(BadInput, match=says):
        list(members([text]))


def test_broken_json_is_told_with_the_record_that_breaks():
    text = json.dumps(results([simulation("a"), simulation("b")], []))
    with pytest.raises(BadInput) as error:
        list(members([text[:-9]]))
    assert error.value.address == "simulations/1"


def test_tasks_that_differ_today_are_named():
    tasks = [{"id": name, "n": 1} for name in "abc"]
    file = read({**results([], []), "tasks": tasks})
    assert changed_tasks(file, {"a": {"n": 1, "id": "a"}, "b": {"id": "b", "n": 2}}) == ("b", "c")


# -- streaming -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_a_text_cut_anywhere_is_read_alike(size):
    value = {"n": 12, "t": True, "tasks": [{"a": 'é]\\"'}, {}], "simulations": [], "x": [1, [2]]}
    text = json.dumps(value, indent=1)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    assert list(members(chunks)) == [
        ("n", 12),
        ("t", True),
        ("tasks", {"a": 'é]\\"'}),
        ("tasks", {}),
        ("x", [1, [2]]),
    ]


def test_elements_come_before_the_rest_is_there():
    def chunks():
        yield '{"simulations": [{"id": 1},'
        raise AssertionError("read on too early")

    assert next(members(chunks())) == ("simulations", {"id": 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"a"',
        '{"a": 1',
        '{"a": 1,}',
        '{"tasks": [1,]}',
        '{"tasks": [1',
        '{"a": 1} 2',
        "{1: 2}",
        '{"a": tru}',
        '{"a": ' + "[" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_broken_json_is_refused(text):
    with pytest.raises(BadInput):
        list(members([text]))


# -- writing ---------------------------------------------------------------------------------------


def record(trial, document, domain="airline", number=0):
    wanted = (document.get("evaluation_criteria") or {}).get("nl_assertions") or ()
    judging = judge_assertions(scripted_judge(wanted), "", wanted, trial.messages)
    verdict = asyncio.run(judging)
    run = ScoredRun(trial.messages, trial.termination_reason, nl_met=verdict.met)
    result = score(document, run, facts(domain).open())
    ids = Played("s1", document["id"], number, "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", 60.0)
    return simulation_record(ids, trial, result, document, verdict)


def file_of(*records, tasks=()):
    info = info_record(
        "airline",
        "Be kind.",
        {"implementation": "llm_agent"},
        {"implementation": "user"},
        num_trials=3,
        max_steps=200,
        max_errors=10,
        seed=1,
    )
    return "".join(written({"timestamp": "2026", "info": info}, tasks, records))


def test_a_trial_is_written_and_read_back():
    document = task("retail", "0")
    written_record = record(scripted("retail", document), document, "retail")
    [trial_read] = read_results(members([file_of(written_record, tasks=[document])])).simulations
    assert trial_read.raw == json.loads(json.dumps(written_record))
    assert (trial_read.reward, trial_read.reward_basis, trial_read.db_match) == (
        1.0,
        ("DB", "NL_ASSERTION"),
        True,
    )
    assert (trial_read.agent_cost, trial_read.stop_token) == (0.0, "###STOP###")
    reward = written_record["reward_info"]
    assert len(reward["action_checks"]) == 5 and all(e["met"] for e in reward["nl_assertions"])


@pytest.mark.parametrize(
    "output",
    [
        Reply(finish_reason="length", thought=True),
        Reply(finish_reason=""),
        Reply(finish_reason="stop", provider_reason="network_error"),
        called(("calculate", "{")),
        Reply(error="timeout", error_detail="60 s"),
    ],
    ids=["cut", "no reason", "network", "malformed", "no answer"],
)
@pytest.mark.parametrize("side", ["agent", "user"])
def test_the_facts_of_a_fault_survive_writing(output, side):
    sides = ([output], [said("Hi")]) if side == "agent" else ([said("Ok")], [output])
    trial = played(*sides)
    written_record = record(trial, {"id": "0"})
    [trial_read] = read_results(members([file_of(written_record)])).simulations
    assert trial_read.fault == trial.fault and trial_read.facts() == trial.facts(0.0)
    stripped = {
        **written_record,
        "info": {k: v for k, v in written_record["info"].items() if k != OWN_KEY},
    }
    theirs, ours = (
        classify(read_simulation(written).facts()) for written in (stripped, written_record)
    )
    assert (theirs.kind, theirs.speaker) == (ours.kind, ours.speaker)


def test_a_file_without_records_is_json():
    assert json.loads(file_of())["simulations"] == []
    assert json.loads(file_of(tasks=[{"id": "日"}]))["tasks"] == [{"id": "日"}]


def test_an_undecided_reward_is_written_as_none():
    document = {
        "id": "0",
        "evaluation_criteria": {
            "nl_assertions": ["x"],
            "reward_basis": ["NL_ASSERTION"],
            "actions": [],
        },
    }
    trial = played([said("Ok")], [said("###STOP###")])
    result = score(
        document, ScoredRun(trial.messages, trial.termination_reason), facts("airline").open()
    )
    ids = Played("s", "0", 0, "", "", 0.0)
    written_record = simulation_record(ids, trial, result, document)
    assert (
        written_record["reward_info"] is None
        and written_record["info"][OWN_KEY]["rule_id"] == "1:not_evaluated"
    )
