"""What changes in a task is written anew into its file, every other byte stays."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.tasks.task_files import with_tasks

TASKS = [
    {"id": "0", "text": "Zürich 東京", "list": [1, {"a": None}], "empty": {}},
    {"id": "1", "text": "plain", "list": []},
]


def forms():
    for indent in (None, 2, 4):
        for ascii_only in (True, False):
            text = json.dumps(TASKS, indent=indent, ensure_ascii=ascii_only)
            yield text
            yield text + "\n"
            yield text.replace("\n", "\r\n")
            yield "\ufeff" + text


@pytest.mark.parametrize("raw", list(forms()))
def test_a_task_is_written_in_the_form_of_its_file(raw):
    changed = copy.deepcopy(TASKS[0])
    written = with_tasks(raw, {"0": {**changed, "text": "Bern 大阪"}})
    back = with_tasks(written, {"0": changed})
    assert back == raw
    plain = written.removeprefix("\ufeff")
    assert json.loads(plain)[0]["text"] == "Bern 大阪"
    assert written.partition('"id": "1"')[2] == raw.partition('"id": "1"')[2]


def test_what_is_not_changed_keeps_its_own_form():
    raw = '[ {"id":"0",  "a" : 1.0},\n  {"id": "1", "b": 2}\n]'
    assert with_tasks(raw, {}) == raw
    assert with_tasks(raw, {"0": {"id": "0", "a": 1.0}, "9": {"id": "9"}}) == raw
    assert with_tasks(raw, {"1": {"id": "1", "b": 3}}) == raw.replace("2}", "3}")


@settings(max_examples=50, deadline=None)
@given(st.text(), st.integers(0, 4), st.booleans())
def test_any_text_comes_back(text, indent, ascii_only):
    raw = json.dumps(TASKS, indent=indent or None, ensure_ascii=ascii_only)
    new = {**TASKS[1], "text": text}
    assert json.loads(with_tasks(raw, {"1": new})) == [TASKS[0], new]


ODD = (
    '[ {"id":"0", "text" : "caf\\u00e9 on\\/off \\ud83d\\ude00 a red car,  a \\u0062ox"\n'
    ' ,"list": [1,2 ], "deep" : {"a":1.0e1,"b":[ ]} },\n\t{"id": "1"} ]'
)
"""A file as nobody's program writes it."""


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ({"text": "café on/off 😀 a blue car,  a box"}, "red", "blue"),
        ({"text": "café on/off 😁 a red car,  a box"}, "\\ud83d\\ude00", "\\ud83d\\ude01"),
        ({"text": "café on/off 😀 a red car,  a box."}, "\\u0062ox", "\\u0062ox."),
        ({"text": 'café on/off 😀 a red car,  a "box'}, "\\u0062ox", '\\"\\u0062ox'),
        ({"deep": {"a": 10, "b": []}}, "1.0e1", "10"),
        ({"deep": {"a": 10.0, "b": ["c"]}}, "[ ]", '["c"]'),
        ({"list": [1, 3]}, "[1,2 ]", "[1,3 ]"),
        ({"list": [1, 2, 3]}, "[1,2 ]", "[1, 2, 3]"),
    ],
)
def test_a_change_touches_its_own_bytes_only(change, old, new):
    task = json.loads(ODD)[0] | change
    assert with_tasks(ODD, {"0": task}) == ODD.replace(old, new)


def test_a_list_that_gets_an_entry_is_written_with_the_indentation_of_the_file():
    for indent in (2, 4, "\t"):
        raw = json.dumps(TASKS, indent=indent, ensure_ascii=False)
        new = [{**TASKS[0], "list": [1, {"a": None}, {"b": [2]}], "empty": {"c": 1}}, TASKS[1]]
        after = json.dumps(new, indent=indent, ensure_ascii=False)
        assert with_tasks(raw, {"0": new[0]}) == after
