"""Whether a release is what it says; every check finds a fault put in by hand."""

from __future__ import annotations

import hashlib
import json

import pytest
from release_project import built, contents, manifest

from review_app.errors import BadInput
from review_app.workflows.release import verify
from review_app.workflows.review import glossary

DOMAIN = "data/tau2/domains/retail_ja"


@pytest.fixture
def released(ready, tmp_path):
    """A release of the project, and the project."""
    built(ready, tmp_path)
    return tmp_path / "first", ready


def named(done, name):
    return next(check for check in done.checks if check.name == name)


def problems(done):
    return {check.name: list(map(str, check.problems)) for check in done.checks if check.problems}


def rewritten(folder, place, text):
    """Change a file so that the checksums agree with it."""
    (folder / place).write_text(text, encoding="utf-8")
    stated = manifest(folder)
    stated["files"][place] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "MANIFEST.json").write_text(json.dumps(stated), encoding="utf-8")


def test_a_fresh_release_verifies_clean_and_is_left_alone(released):
    folder, store = released
    before = contents(folder)
    done = verify.verify(folder, store)
    assert done.ok and problems(done) == {}
    assert all(check.not_checked is None for check in done.checks)
    assert contents(folder) == before
    assert json.loads(json.dumps(done.as_json()))["ok"] is True


@pytest.mark.parametrize("place", [f"{DOMAIN}/db.json", f"{DOMAIN}/workflows/steps.png", "LICENSE"])
def test_one_changed_byte_is_found(released, place):
    folder, _ = released
    blob = bytearray((folder / place).read_bytes())
    blob[len(blob) // 2] ^= 1
    (folder / place).write_bytes(blob)
    done = verify.verify(folder)
    assert not done.ok
    assert problems(done)["checksums"] == [f"{place}: is not as it was written"]


def test_a_file_that_is_gone_added_or_a_link_is_found(released, tmp_path):
    folder, _ = released
    (folder / "STATISTICS.md").unlink()
    (folder / "more.txt").write_text("x")
    (tmp_path / "same").write_bytes((folder / "README.md").read_bytes())
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(tmp_path / "same")
    assert problems(verify.verify(folder)) == {
        "checksums": [
            "STATISTICS.md: is not there",
            "README.md: is not as it was written",
            "more.txt: the manifest does not name it",
        ]
    }


def test_a_database_that_is_no_database_is_found(released):
    folder, _ = released
    tree = json.loads((folder / DOMAIN / "db.json").read_text("utf-8"))
    del next(iter(tree["orders"].values()))["status"]
    rewritten(folder, f"{DOMAIN}/db.json", json.dumps(tree, ensure_ascii=False))
    done = verify.verify(folder)
    assert named(done, "checksums").ok
    assert "status" in problems(done)["form"][0] and "gold" in problems(done)


def test_gold_actions_that_do_something_else_are_found(released):
    folder, _ = released
    tasks = json.loads((folder / DOMAIN / "tasks.json").read_text("utf-8"))
    task = next(
        task
        for task in tasks
        if any(a["name"].startswith("cancel") for a in task["evaluation_criteria"]["actions"])
    )
    task["evaluation_criteria"]["actions"].pop()
    rewritten(folder, f"{DOMAIN}/tasks.json", json.dumps(tasks, ensure_ascii=False))
    done = verify.verify(folder)
    assert [problem.partition(":")[0] for problem in problems(done)["gold"]] == [
        f"retail_ja/{task['id']}"
    ]


def test_a_task_without_a_record_is_found(released):
    folder, _ = released
    record = json.loads((folder / "outcomes.json").read_text("utf-8"))
    record["retail_ja"].pop("3")
    rewritten(folder, "outcomes.json", json.dumps(record))
    found = problems(verify.verify(folder))["gold"]
    assert found[0].endswith("the record of outcomes is of other tasks") and len(found) == 2


def test_what_the_proof_finds_is_said(released, monkeypatch):
    folder, store = released
    check = verify.proof.verify

    def broken(*given, **options):
        done = check(*given, **options)
        done.violations += [
            verify.proof.leftovers.kept("1", "x", "Word"),
            verify.proof.leftovers.ProofViolation(
                code="LOC001", severity="error", where="task", record="1", field="", message="odd"
            ),
        ]
        return done

    monkeypatch.setattr(verify.proof, "verify", broken)
    assert problems(verify.verify(folder, store)) == {"proof": ["retail 1: LOC001 odd"]}


def test_without_the_project_or_at_another_state_nothing_is_proved_anew(released):
    folder, store = released
    assert named(verify.verify(folder), "proof").not_checked is not None
    terms = glossary.terms_of("ja")
    with store.write("test"):
        store.terms.add(terms[:1])
    done = verify.verify(folder, store)
    assert done.ok and named(done, "proof").not_checked is not None
    assert done.as_json()["checks"][-1]["not_checked"].startswith("the project is not here")


@pytest.mark.parametrize("text", ["{}", "[]", '{"files": {}}', "", '{"files": {}, "domains": 3}'])
def test_what_is_no_release_is_refused(tmp_path, text):
    with pytest.raises(BadInput, match="holds no release"):
        verify.verify(tmp_path)
    (tmp_path / "MANIFEST.json").write_text(text)
    with pytest.raises(BadInput):
        verify.verify(tmp_path)


def test_a_manifest_that_leads_out_of_the_folder_is_refused(released, tmp_path):
    folder, _ = released
    (tmp_path / "secret").write_text("x")
    stated = manifest(folder)
    stated["files"]["../secret"] = "0"
    stated["domains"]["retail"]["name"] = "../../../../../secret"
    (folder / "MANIFEST.json").write_text(json.dumps(stated), encoding="utf-8")
    found = problems(verify.verify(folder))
    assert "no place inside" in found["checksums"][0] and "form" in found and "gold" in found


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("outcomes.json", "[]"),
        ("outcomes.json", "{"),
        ("outcomes.json", '{"retail_ja": 3}'),
        (f"{DOMAIN}/tasks.json", "{}"),
        (f"{DOMAIN}/tasks.json", '[{"x": 1}]'),
        (f"{DOMAIN}/db.json", "[" * 5000),
    ],
)
def test_a_file_of_another_form_is_a_problem_and_no_crash(released, place, text):
    folder, _ = released
    rewritten(folder, place, text)
    assert problems(verify.verify(folder))["gold"]


@pytest.mark.parametrize("member", ["domains", "recipe", "revision"])
def test_a_manifest_that_lacks_something_is_refused(released, member):
    folder, _ = released
    stated = manifest(folder)
    del stated[member]
    (folder / "MANIFEST.json").write_text(json.dumps(stated), encoding="utf-8")
    with pytest.raises(BadInput, match=rf"MANIFEST\.json: is not as a release has it .*{member}"):
        verify.verify(folder)
