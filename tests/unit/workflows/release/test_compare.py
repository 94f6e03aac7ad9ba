"""What differs between two releases, down to the word."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest
from curation_project import proposal, say
from release_project import built, manifest, team

from review_app.errors import BadInput
from review_app.workflows.curation import patches
from review_app.workflows.release import compare
from review_app.workflows.review import answers, glossary

DOMAIN = "data/tau2/domains/retail_ja"


def approved(store, text, target):
    people = team(store)
    answers.edit(store, text.id, people.m, target=target, expected_version=text.version)
    for person in (people.a, people.b, people.c):
        now = store.segments.get(text.id)
        if now.state != "approved":
            answers.answer(store, now.id, person, verdict="approve", expected_version=now.version)


@pytest.fixture
def before(ready, tmp_path):
    """The first release."""
    built(ready, tmp_path)
    return tmp_path / "first"


def after(store, before, **order):
    """What differs between the first release and the project now."""
    built(store, before.parent, "second", **order)
    return compare.compare(before, before.parent / "second")


def test_two_builds_of_one_state_do_not_differ(ready, before):
    diff = after(ready, before)
    assert diff.differences == () and set(diff.counts().values()) == {0}
    assert "## tasks (0)" in diff.markdown()


@pytest.mark.parametrize(
    ("kind", "area", "file"), [("policy", "texts", "policy.md"), ("task", "tasks", "tasks.json")]
)
def test_one_changed_word_is_exactly_what_differs(ready, before, kind, area, file):
    text = next(
        text
        for text in ready.segments.all("retail")
        if text.kind == kind and " the " in text.target
    )
    word = "the"
    approved(ready, text, text.target.replace(" the ", " everybody ", 1))
    diff = after(ready, before)
    (difference,) = diff.differences
    inside = text.address.partition("#")[2]
    assert (difference.area, difference.place) == (area, f"{DOMAIN}/{file}#{inside}")
    assert difference.words == ((word, "everybody"),)
    assert list(diff.lines()) == [f"{area} {DOMAIN}/{file}#{inside}: 'the' -> 'everybody'"]
    old, new = ((before.parent / n / DOMAIN / file).read_bytes() for n in ("first", "second"))
    assert len(new) - len(old) == len("everybody") - len(word)
    start = next(at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    assert old[:start] + b"everybody" + old[start + len(word) :] == new
    changed = [
        place
        for place, sha in manifest(before)["files"].items()
        if place.startswith("data/") and manifest(before.parent / "second")["files"][place] != sha
    ]
    assert changed == [f"{DOMAIN}/{file}"]


def test_a_changed_value_of_the_database_is_named_by_its_record(ready, before, tmp_path):
    shutil.copytree(before, tmp_path / "other")
    path = tmp_path / "other" / DOMAIN / "db.json"
    tree = json.loads(path.read_text("utf-8"))
    key = next(iter(tree["orders"]))
    tree["orders"][key]["status"] = "x"
    edited(tmp_path / "other", f"{DOMAIN}/db.json", json.dumps(tree, ensure_ascii=False))
    (difference,) = compare.compare(before, tmp_path / "other").differences
    assert (difference.area, difference.place, difference.new) == (
        "database",
        f"{DOMAIN}/db.json#orders/{key}/status",
        "x",
    )


def edited(folder, place, text):
    (folder / place).write_text(text, encoding="utf-8")
    stated = manifest(folder)
    stated["files"][place] = "0"
    (folder / "MANIFEST.json").write_text(json.dumps(stated), encoding="utf-8")


def test_terms_and_patches_are_named(ready, before):
    people = team(ready)
    term = replace(
        glossary.terms_of("ja")[0],
        source="zzz",
        target="訳",
        mode="prose",
        category="Test",
        domain=None,
        id=0,
    )
    glossary.save_term(ready, people.m, None, term)
    patch = patches.propose(ready, people.m, proposal(ready, "retail", "1", say("Be very brief.")))
    patches.approve(ready, people.n, patch.id)
    diff = after(ready, before, allow_incomplete=True)
    assert diff.counts()["glossary"] == 1 and diff.counts()["patches"] == 1
    by_area = {difference.area: difference for difference in diff.differences}
    assert by_area["glossary"].place == "glossary/glossary.csv#Test/zzz/prose"
    assert by_area["patches"].place == f"changes.json#{patch.patch.id}"
    assert by_area["patches"].old is None and "for the test" in by_area["patches"].new
    assert by_area["tasks"].place.startswith(f"{DOMAIN}/tasks.json#1/user_scenario")


def test_files_that_came_or_went_are_named(before, tmp_path):
    shutil.copytree(before, tmp_path / "other")
    stated = manifest(tmp_path / "other")
    picture = f"{DOMAIN}/workflows/steps.png"
    del stated["files"][picture]
    (tmp_path / "other" / "MANIFEST.json").write_text(json.dumps(stated), encoding="utf-8")
    (gone,) = compare.compare(before, tmp_path / "other").differences
    (new,) = compare.compare(tmp_path / "other", before).differences
    assert (gone.area, gone.place, gone.old, gone.new) == ("files", picture, "768 bytes", None)
    assert (new.old, new.new) == (None, "768 bytes")
    assert compare.said(gone) == "gone: '768 bytes'"


def test_another_form_of_the_same_content_is_a_difference(before, tmp_path):
    shutil.copytree(before, tmp_path / "other")
    place = f"{DOMAIN}/tasks.json"
    text = json.dumps(json.loads((before / place).read_text("utf-8")))
    edited(tmp_path / "other", place, text)
    (difference,) = compare.compare(before, tmp_path / "other").differences
    assert difference.place == place


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a red car", "a blue car", (("red", "blue"),)),
        ("返金は24時間以内", "返金は48時間以内", (("24", "48"),)),
        ("往復の航空券", "片道の航空券", (("往復", "片道"),)),
        ("キャンセル料", "キャンペーン料", (("キャンセル", "キャンペーン"),)),
        ("same", "same", ()),
        ("", "new", (("", "new"),)),
        ("one two three", "one three", (("two ", ""),)),
    ],
)
def test_the_words_that_changed(old, new, words):
    assert compare.word_changes(old, new) == words


def test_markdown_escapes_what_would_break_a_table(tmp_path):
    difference = compare.ReleaseDifference(area="texts", place="a|b", old="x\ny", new=None)
    diff = compare.ReleaseDiff("a", "b", (difference,))
    assert "| a\\|b | x y |  |" in diff.markdown()
    compare.write_markdown(diff, tmp_path / "diff.md")
    assert (tmp_path / "diff.md").read_text("utf-8") == diff.markdown()
    with pytest.raises(BadInput, match="cannot be written"):
        compare.write_markdown(diff, tmp_path / "none" / "diff.md")


def test_a_folder_without_a_release_is_refused(before, tmp_path):
    with pytest.raises(BadInput, match="holds no release"):
        compare.compare(before, tmp_path)


@pytest.mark.parametrize("place", [f"{DOMAIN}/tasks.json", "changes.json", f"{DOMAIN}/policy.md"])
def test_a_file_that_cannot_be_read_is_named(before, tmp_path, place):
    shutil.copytree(before, tmp_path / "other")
    edited(tmp_path / "other", place, "x")
    (tmp_path / "other" / place).write_bytes(b'[{"id"\xff')
    with pytest.raises(BadInput, match=place.rpartition("/")[2]):
        compare.compare(before, tmp_path / "other")
