"""The pages of runs over a finished scripted run and an imported file, driven by AppTest."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from curation_desk import ANNOTATOR, REN, keys, page_of, person, press, shown
from results_cases import failed, jtau_fault, results, simulation
from streamlit.testing.v1 import AppTest

from review_app.records.project import Pulse
from review_app.records.runs import NewTrialVerdict
from review_app.store import Store
from review_app.ui.shared import i18n, session
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.benchmark import environments
from review_app.workflows.runs import lifecycle, play, results_files
from review_app.workflows.runs.lifecycle import RunPlan

UI = Path(__file__).resolve().parents[2] / "review_app" / "ui"
HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = ("runs", "transcript", "candidates", "scores")
SCRIPTED, IMPORTED = 1, 2
"""The two runs, by id."""


@pytest.fixture(scope="module")
def made(curated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with a run of the script, and a run that a results file brought."""
    folder = tmp_path_factory.mktemp("runs")
    path = folder / "runs.db"
    shutil.copy(curated, path)
    store = Store(path)
    plan = RunPlan("airline", variant="tau", agent="scripted")
    play.play_run(store, lifecycle.prepare(store, None, plan), Reporter(Pulse()))
    tasks = [dict(gold.task) for gold in environments.tasks(store, "airline").values()]
    (folder / "glm.json").write_text(json.dumps(recorded(tasks)), encoding="utf-8")
    results_files.import_file(store, None, folder / "glm.json")
    store.close()
    return path


def recorded(tasks: list[dict[str, object]]) -> dict[str, object]:
    """Task 1 fails three times, task 2 by empty outputs, task 3 has no valid trial."""
    talk = [
        {"role": "assistant", "content": "Hi! How can I help you today?"},
        {"role": "user", "content": f"{HOSTILE} cancel it"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "a",
                    "name": "cancel_reservation",
                    "arguments": {"reservation_id": "K7QD2M", "why": HOSTILE},
                },
                {
                    "id": "a",
                    "name": "cancel_reservation",
                    "arguments": {"reservation_id": "K7QD2M"},
                },
            ],
        },
        {"role": "tool", "id": "a", "content": f"Error: {HOSTILE}", "error": True},
        {"role": "tool", "id": "a", "content": '{"status": "cancelled"}', "error": False},
        {"role": "user", "content": "Bye ###STOP###"},
    ]
    ends = {"1": {**failed(), "messages": talk}, "2": jtau_fault(), "3": jtau_fault(side="user")}
    sims = [
        simulation(str(task["id"]), trial, **ends.get(str(task["id"]), {}))
        for task in tasks
        for trial in range(3)
    ]
    file = results(sims, [])
    info = {"num_trials": 3, "agent_info": {"llm": "glm"}, "user_info": {"llm": "glm"}}
    return {**file, "tasks": tasks, "info": info | {"environment_info": {"domain_name": "airline"}}}


@pytest.fixture
def store(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A copy of it that the app opens."""
    path = tmp_path / "review.db"
    shutil.copy(made, path)
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    opened = Store(path)
    yield opened
    opened.close()


def unit_of(store: Store, run: int, task: str) -> int:
    return next(one.id for one in store.units.of_run(run) if one.task_id == task)


# -- runs --------------------------------------------------------------------------------------


def test_the_list_says_who_played_and_how_it_went(store: Store):
    table = page_of("runs").dataframe[0].value
    assert list(table["run"]) == [IMPORTED, SCRIPTED]
    scripted = table[table["run"] == SCRIPTED].iloc[0]
    assert scripted["agent"] == "scripted, not a model"
    assert (scripted["state"], scripted["passed"], scripted["failed"]) == ("done", "30", "6")


def test_a_run_has_a_cell_for_every_trial_that_opens_it(store: Store):
    said = shown(page_of("runs", run=str(SCRIPTED)))
    links = re.findall(r"title='Trial \d: (\w+) [^>]*href='/transcript\?unit=(\d+)", said)
    words = [word for word, _ in links]
    assert (words.count("passed"), words.count("failed")) == (30, 6)
    assert len({unit for _, unit in links}) == 36


def test_a_run_says_what_was_left_out_and_why(store: Store):
    said = shown(page_of("runs", run=str(IMPORTED)))
    assert "user simulator: empty output" in said
    assert "33 of 36 trials count" in said


def test_without_a_model_the_script_plays_and_nothing_is_missing(store: Store):
    page = page_of("runs", section="start")
    assert page.button_group(key="runs_agent").value == "scripted"
    said = shown(page)
    assert "12 × 3 = 36" in said
    assert not page.button(key="runs_start").disabled


def test_a_model_that_is_not_configured_is_asked_for_by_variable(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    for name in ("AGENT_API_KEY", "AGENT_API_BASE", "API_KEY", "API_BASE"):
        monkeypatch.delenv(f"JTAU_{name}", raising=False)
    monkeypatch.setenv("JTAU_USER_API_KEY", "sk-nobody-may-see-this")
    page = page_of("runs", section="start")
    page.button_group(key="runs_agent").set_value("model").run()
    said = shown(page)
    assert "JTAU\\_AGENT\\_API\\_BASE" in said
    assert "JTAU\\_USER\\_API\\_BASE" not in said
    assert "key from JTAU_USER_API_KEY" in said
    assert "sk-nobody" not in said
    assert page.button(key="runs_start").disabled


def test_chosen_tasks_only_are_played(store: Store):
    page = page_of("runs", section="start")
    page.button_group(key="runs_tasks").set_value("chosen").run()
    assert page.button(key="runs_start").disabled
    page.multiselect(key="runs_ids_airline").set_value(["1", "2"]).run()
    assert "2 × 3 = 6" in shown(page)


def test_a_results_file_comes_in_by_its_path(store: Store, made: Path):
    page = page_of("runs", section="import")
    press(page, "runs_import")
    assert "Choose a file" in shown(page)
    page.text_input(key="runs_path").set_value(str(made.with_name("glm.json"))).run()
    press(page, "runs_import")
    assert "36 trials of 12 tasks" in shown(page)
    assert page.query_params["run"] == "3"


# -- transcript --------------------------------------------------------------------------------


def test_a_transcript_shows_a_write_with_what_it_changed_beside_the_gold(store: Store):
    said = shown(page_of("transcript", unit=str(unit_of(store, SCRIPTED, "1"))))
    assert "cancel_reservation(" in said
    assert "cancelled" in said
    assert "as gold leaves it" in said
    assert "###STOP###" in said


def test_text_of_models_never_becomes_markup(store: Store):
    said = shown(page_of("transcript", unit=str(unit_of(store, IMPORTED, "1"))))
    assert "&lt;img" in said
    assert HOSTILE not in said


def test_results_belong_to_calls_by_order_not_by_id(store: Store):
    said = shown(page_of("transcript", unit=str(unit_of(store, IMPORTED, "1"))))
    calls = re.findall(r"<summary>.*?</summary>", said)
    assert ["refused" in calls[0], "refused" in calls[1]] == [True, False]


def test_the_judge_and_the_others_are_heard_after_me(store: Store):
    unit = unit_of(store, IMPORTED, "1")
    judge = NewTrialVerdict("judge", "cause", "user", note="the user lied", raw="{}", model="oss")
    other = NewTrialVerdict("human", "cause", "task", note="gold is wrong", person_id=5)
    with store.write("test"):
        store.units.add_verdict(unit, judge)
        store.units.add_verdict(unit, other)
    page = page_of("transcript", unit=str(unit))
    assert "the user lied" not in shown(page) and "gold is wrong" not in shown(page)
    press(page, "verdict_say")
    assert "Choose whose fault" in shown(page)
    page.button_group(key=f"verdict_cause_{unit}").set_value("agent")
    page.number_input(key=f"verdict_turn_{unit}").set_value(2)
    page.text_input(key=f"verdict_note_{unit}").set_value(HOSTILE)
    press(page, "verdict_say")
    [mine] = [one for one in store.units.verdicts(unit=unit) if one.person_id == REN]
    assert (mine.cause, mine.turn, mine.note) == ("agent", 2, HOSTILE)
    assert "gold is wrong" in shown(page) and HOSTILE not in shown(page)
    page.toggle(key=f"verdict_judge_{unit}").set_value(True).run()
    assert "the user lied" in shown(page)


def test_next_goes_to_the_next_task(store: Store):
    page = page_of("transcript", unit=str(unit_of(store, SCRIPTED, "0")))
    press(page, "transcript_next")
    assert page.query_params["unit"] == str(unit_of(store, SCRIPTED, "1"))


# -- candidates --------------------------------------------------------------------------------


def test_candidates_say_why_and_an_agents_errors_point_at_the_model(store: Store):
    page = page_of("candidates", run=str(IMPORTED))
    said = shown(page)
    assert "12 tasks, 2 candidates, 2 to look at" in said
    assert "model or settings" in said
    assert "3 × empty output by the agent" in said
    assert page.button(key="candidate_flag_2").disabled
    assert not page.button(key="candidate_flag_1").disabled


def test_one_click_flags_a_candidate_with_the_evidence(store: Store):
    page = page_of("candidates", run=str(SCRIPTED))
    assert "PAY-01" in shown(page)
    press(page, "candidate_flag_10")
    [flag] = store.flags.all("airline", "10")
    assert {one.kind for one in flag.evidence} >= {"run", "rule"}
    assert "candidate_flag_10" not in keys(page)


def test_a_candidate_is_dismissed_with_a_reason(store: Store):
    page = page_of("candidates", run=str(SCRIPTED))
    press(page, "candidate_dismiss_11")
    press(page, "candidates_send")
    assert "needs a reason" in shown(page)
    page.text_input(key="candidates_reason").set_value("the comma is known")
    press(page, "candidates_send")
    [flag] = store.flags.all("airline", "11")
    assert (flag.state, flag.resolution) == ("not_a_defect", "the comma is known")
    assert "candidate_dismiss_11" not in keys(page)
    page.toggle(key="candidates_answered").set_value(True).run()
    assert "the comma is known" in shown(page)


# -- scores ------------------------------------------------------------------------------------


def row_of(page: AppTest, run: int) -> str:
    [table] = [one.value for one in page.get("html") if "95 % interval" in one.value]
    return next(row for row in table.split("<tr>") if f"<b>{run} · " in row)


def test_a_number_never_stands_without_its_coverage(store: Store):
    page = page_of("scores")
    assert "over 11 of 12 tasks" in row_of(page, IMPORTED)
    assert "3 × user simulator: empty output" in row_of(page, IMPORTED)
    assert "over 12 of 12 tasks" in row_of(page, SCRIPTED)
    assert "83.3 %" in row_of(page, SCRIPTED)


def test_the_profile_changes_how_trials_are_counted(store: Store):
    page = page_of("scores", profile="upstream")
    assert "over 10 of 12 tasks" in row_of(page, IMPORTED)
    page.button_group(key="scores_profile").set_value("leaderboard").run()
    assert "over 12 of 12 tasks" in row_of(page, IMPORTED)
    assert page.query_params["profile"] == "leaderboard"


def test_where_upstream_s_code_counts_otherwise_is_said(store: Store):
    said = shown(page_of("scores"))
    assert "own code says" in said and f"Run {IMPORTED}: upstream" in said
    assert "its code counts agent_error with an empty or malformed output" in said
    assert f"Run {SCRIPTED}: upstream" not in said
    said = shown(page_of("scores", lang="ja"))
    assert "upstream のコードそのものでは" in said
    assert "出力が空または壊れていたuser_errorを数えますが" in said


def test_two_runs_are_compared_by_the_tasks_that_changed_sides(store: Store):
    said = shown(page_of("scores"))
    assert "2 better, 1 worse, 7 alike" in said
    assert "(2 only in one of them)" in said  # upstream leaves out what the speakers broke
    assert "2 better, 2 worse, 7 alike" in shown(page_of("scores", profile="jtau"))


def test_causes_that_people_named_are_counted(store: Store):
    unit = unit_of(store, IMPORTED, "1")
    with store.write("test"):
        store.units.add_verdict(unit, NewTrialVerdict("human", "cause", "agent", person_id=REN))
    assert "Nobody has judged" not in shown(page_of("scores"))


# -- passes that prove nothing -----------------------------------------------------------------


def test_passes_that_prove_nothing_have_their_name_on_every_page_of_runs(store: Store):
    """The scripted run has 2 tasks that an idle agent passes; the imported one early ends only."""
    table = page_of("runs").dataframe[0].value
    counts = dict(zip(table["run"], table["empty"], strict=True))
    assert (counts[SCRIPTED], counts[IMPORTED]) == ("6", "27")
    said = shown(page_of("runs", run=str(SCRIPTED)))
    assert "6 passes prove nothing: 6 × a do-nothing agent passes too" in said
    assert "passed but proves nothing (attempt 1): a do-nothing agent passes too" in said
    for page in (page_of("runs", run=str(IMPORTED)), page_of("scores")):
        assert "27 passes prove nothing: 27 × nothing asked of the agent" in shown(page)
        assert "9 tasks are not shown solvable: 0, 4, 5" in shown(page)
    said = shown(page_of("candidates", run=str(IMPORTED)))
    assert "9 tasks are not shown solvable" in said


def test_a_transcript_names_what_a_pass_lacks(store: Store):
    said = shown(page_of("transcript", unit=str(unit_of(store, IMPORTED, "0"))))
    assert "Proves nothing" in said and "nothing asked of the agent" in said
    failed = shown(page_of("transcript", unit=str(unit_of(store, IMPORTED, "1"))))
    assert "Proves nothing" not in failed and "user stopped early" not in failed


def test_the_overview_and_the_statistics_say_what_the_latest_run_shows(store: Store):
    said = shown(page_of("overview"))
    assert "airline, run 2: 0 tasks shown solvable, 9 only by passes that prove nothing." in said
    said = shown(page_of("statistics"))
    assert "Tasks shown solvable" in said and "<b>airline</b> 2" in said


# -- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_annotators_are_told_that_runs_are_for_maintainers(store: Store, name: str):
    assert "for maintainers" in shown(page_of(name, me=ANNOTATOR))
    assert person(store, ANNOTATOR).role == "annotator"


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_page_names_the_next_step(desk: Store, name: str):
    said = shown(page_of(name))
    assert "12 × 3 = 36" in said if name == "runs" else "import a results file" in said


@pytest.mark.parametrize("name", NAMES)
def test_pages_speak_japanese(store: Store, name: str):
    said = shown(page_of(name, lang="ja"))
    words = i18n.catalogue("en", name).values()
    assert [one for one in words if len(one) > 12 and one.isascii() and one in said] == []


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_words(name: str):
    english, japanese = (i18n.catalogue(tongue, name) for tongue in ("en", "ja"))
    assert set(english) == set(japanese)
    assert [key for key in english if fields(english[key]) != fields(japanese[key])] == []


def test_every_page_stands_in_one_menu():
    listed = [name for names in session.SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(session.PAGES)


def fields(words: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", words))


def test_every_word_that_the_pages_ask_for_is_in_the_catalogue():
    code = "".join(path.read_text("utf-8") for path in UI.rglob("*.py"))
    for name in NAMES:
        asked = set(re.findall(rf'text\(\s*"{name}\.([\w.]+)"', code))
        assert asked - set(i18n.catalogue("en", name)) == set()
        assert asked
