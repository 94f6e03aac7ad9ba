"""Whatever stands in a file, its reader takes it or refuses it in one line that names the file."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from curation_project import make_project
from hostile_files import damaged, held, swapped, with_a_member_twice
from hypothesis import given, settings
from hypothesis import strategies as st
from results_cases import failed, jtau_fault, results, simulation, upstream_fault

from review_app.core.formats.python.tools import python_messages, python_tools
from review_app.core.tasks.patch_files import patches_from_json
from review_app.errors import ReviewError
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.benchmark.files import read_text
from review_app.workflows.curation import validity
from review_app.workflows.localization import entity_files, published
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.review import glossary, import_domain
from review_app.workflows.review.import_domain import ImportRequest
from review_app.workflows.runs import results_files, scores, transcript

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
DOMAINS = SAMPLE / "tau2" / "domains"


def few(examples):
    return settings(max_examples=examples, deadline=None)


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    store = Store(make_project(tmp_path_factory.mktemp("readers")))
    yield store
    store.close()


# -- results -----------------------------------------------------------------------------------

TALK = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "name": "get_user_details", "arguments": {"user_id": "x"}}],
        "turn_idx": 0,
        "cost": 0.5,
        "raw_data": {"choices": [{"finish_reason": "stop"}]},
    },
    {"role": "tool", "id": "c", "content": "{}", "requestor": "assistant", "error": False},
    {"role": "user", "content": "Bye ###STOP###"},
]
REWARD = {
    "reward": 0.5,
    "reward_basis": ["DB"],
    "reward_breakdown": {"DB": 0.5},
    "db_check": {"db_match": True, "db_reward": 1.0},
    "nl_assertions": [{"nl_assertion": "x", "met": True, "justification": ""}],
    "action_checks": [{"action": {"name": "a", "arguments": {}}, "action_match": True}],
    "info": {"note": "x"},
}
TASK = json.loads((DOMAINS / "airline" / "tasks.json").read_text("utf-8"))[0]
RUN = {
    **results(
        [
            simulation("a", 0, messages=TALK, reward_info=REWARD, user_cost=0.1, seed=3),
            simulation("a", 1, **upstream_fault()),
            simulation("b", None, **jtau_fault()),
        ],
        ["a", "b"],
        2,
    ),
    "tasks": [{**TASK, "id": "a"}, {"id": "b"}],
    "info": {
        "num_trials": 2,
        "seed": 1,
        "agent_info": {"implementation": "i", "llm": "m", "llm_args": {"t": 0}},
        "user_info": {"implementation": "i"},
        "environment_info": {"domain_name": "airline", "policy": "p"},
    },
}


def everything_said(grades):
    return grades.total, grades.profiles, grades.upstream_code


def goes_round(store, path, place):
    """A results file scores the same read, imported and exported; a refusal is a line."""
    before = held(lambda: scores.score(None, path), path)
    if before is None:
        return
    imported = results_files.import_file(store, None, path, domain="airline")
    assert everything_said(scores.score(store, imported.run)) == everything_said(before)
    for unit in store.units.of_run(imported.run):
        transcript.of_trial(store, unit.id, None)
    for layout in ("json", "dir"):
        out = place / f"out-{layout}"
        try:
            results_files.export(store, imported.run, out, layout=layout)
        except ReviewError as error:
            assert layout == "dir" and ("file" in str(error) or "two trials" in str(error))
            continue
        assert everything_said(scores.score(None, out)) == everything_said(before)


@few(30)
@given(document=swapped(RUN))
def test_a_results_file_is_read_the_same_everywhere_or_refused(project, document):
    with folder() as place:
        (place / "r.json").write_text(json.dumps(document), "utf-8")
        goes_round(project, place / "r.json", place)


@few(15)
@given(record=swapped(RUN["simulations"][0]), index=swapped([{"id": "a-0"}, {"id": "b-0"}]))
def test_a_results_folder_is_read_the_same_everywhere_or_refused(project, record, index):
    with folder() as place:
        whole = place / "in"
        (whole / "simulations").mkdir(parents=True)
        for name, content in (("a", record), ("b", simulation("b", 0))):
            (whole / "simulations" / f"{name}.json").write_text(json.dumps(content), "utf-8")
        head = {**RUN, "simulations": [], "simulation_index": index}
        (whole / "results.json").write_text(json.dumps(head), "utf-8")
        goes_round(project, whole, place)


TRIALS = st.lists(
    st.builds(
        lambda task, number, end, id: {**simulation(task, number, **end), "id": id},
        st.sampled_from("ab"),
        st.sampled_from([None, 0, 0, 1, 5]),
        st.sampled_from([{}, failed(), {"reward_info": {"reward": 0.5}}, jtau_fault()]),
        st.sampled_from(["s0", "s1", "s2", "s3"]),
    ),
    max_size=5,
)


@few(25)
@given(trials=TRIALS)
def test_records_that_collide_are_all_there_before_and_after(project, trials):
    with folder() as place:
        (place / "r.json").write_text(json.dumps(results(trials, ["a"], 2)), "utf-8")
        file = results_files.read(place / "r.json")
        assert len(file.simulations) == len(trials)
        goes_round(project, place / "r.json", place)


@few(10)
@given(text=st.one_of(damaged(json.dumps(RUN)), with_a_member_twice(RUN)))
def test_a_damaged_results_file_is_read_or_refused(text):
    with folder() as place:
        (place / "r.json").write_text(text, "utf-8")
        held(lambda: scores.score(None, place / "r.json"), place)


# -- a domain's files --------------------------------------------------------------------------

FILES = [
    ("airline", "tasks.json"),
    ("retail", "db.json"),
    ("retail", "tasks.json"),
    ("retail", "split_tasks.json"),
    ("telecom", "tasks.json"),
    ("telecom", "user_tools.json"),
    ("airline", "messages.json"),
]


@st.composite
def broken_files(draw):
    """A domain, one of its files and another content for it."""
    domain, name = draw(st.sampled_from(FILES))
    document = json.loads((DOMAINS / domain / name).read_text("utf-8"))
    text = draw(st.one_of(swapped(document).map(json.dumps), with_a_member_twice(document)))
    return domain, name, text


@st.composite
def damaged_texts(draw):
    """The same of files that are no JSON."""
    domain, name = draw(
        st.sampled_from(
            [("telecom", "db.toml"), ("telecom", "user_db.toml"), ("airline", "policy.md")]
        )
    )
    return domain, name, draw(damaged((DOMAINS / domain / name).read_text("utf-8")))


@few(30)
@given(broken=st.one_of(broken_files(), broken_files(), damaged_texts()))
def test_a_domain_s_files_are_imported_and_usable_or_refused(broken):
    domain, name, text = broken
    with folder() as place:
        source = place / "domains" / domain
        shutil.copytree(DOMAINS / domain, source)
        (source / name).write_text(text, "utf-8", "surrogatepass", "")
        store = Store(place / "review.db")
        try:
            request = ImportRequest(place, domain)
            if held(lambda: import_domain.import_domain(store, request), source / name):
                held(lambda: environments.replay_domain(store, domain), domain)
                held(lambda: validity.inspect(store, domain), domain)
        finally:
            store.close()


TOOLS = '''
class Tools:
    @is_tool(ToolType.WRITE)
    def rename(self, user_id: str, names: list[str] | None = None) -> str:
        """Rename a user.

        Args:
            user_id: Who.
            names: The names, in order.

        Returns:
            What was done.
        """
        if user_id not in self.db:
            raise ValueError(f"User {user_id} not found")
        return "done"
'''


@few(25)
@given(text=damaged(TOOLS))
def test_tools_in_python_are_read_or_refused(text):
    held(lambda: (python_tools(text, "tools.py"), python_messages(text, "tools.py")), "tools.py")


# -- glossaries, entities, patches, published tasks --------------------------------------------


@pytest.fixture(scope="module")
def derived(project):
    entity_files.write_entities(project, "airline")
    return Derived(project, "airline", DerivationChoice(use="current"))


@few(10)
@given(data=st.data())
def test_glossaries_and_entities_are_read_or_refused(project, data):
    entities = entity_files.write_entities(project, "airline")
    with folder() as place:
        for name, whole in (
            ("g.csv", glossary.write_terms(project, "csv")),
            ("g.tbx", glossary.write_terms(project, "tbx")),
            ("e.csv", entities),
        ):
            path = place / name
            text = data.draw(damaged(whole[:4000]) | damaged(whole))
            path.write_text(text, "utf-8", "surrogatepass", "")
            if name == "e.csv":
                held(lambda path=path: entity_files.read_entities_file(path, "airline"), path)
            elif (
                terms := held(lambda path=path: glossary.read_terms_file(path), path)
            ) is not None:
                glossary.compare_terms(project, terms)


PATCHES = json.loads((SAMPLE / "patches.json").read_text("utf-8"))
PUBLISHED = json.loads((SAMPLE / "draft_ja" / "airline" / "tasks.json").read_text("utf-8"))


@few(20)
@given(text=st.one_of(swapped(PATCHES).map(json.dumps), with_a_member_twice(PATCHES)))
def test_patches_are_read_or_refused(text):
    with folder() as place:
        path = place / "patches.json"
        path.write_text(text, "utf-8")
        held(lambda: patches_from_json(read_text(path, place), str(path)), path)


@few(20)
@given(document=swapped(PUBLISHED))
def test_published_tasks_are_read_and_compared_or_refused(project, derived, document):
    with folder() as place:
        path = place / "tasks.json"
        path.write_text(json.dumps(document), "utf-8")
        tasks = held(lambda: published.read_tasks(path), path)
        if tasks is not None:
            published.compare(derived, tasks)
        tasks = held(lambda: entity_files.read_tasks(path), path)
        if tasks is not None:
            entity_files.infer(project, "airline", tasks)
