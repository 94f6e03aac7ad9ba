"""A release is built by a job as by a call, beside the project's database."""

from __future__ import annotations

import shutil

import pytest
from release_project import contents, make_ready, manifest, team

from review_app.errors import BadInput, NotAllowed, ReviewError
from review_app.store import Store
from review_app.workflows import job_kinds
from review_app.workflows.background import jobs
from review_app.workflows.background.reporter import JobCancelled, Reporter
from review_app.workflows.release import build, build_job, signatures
from review_app.workflows.release.build import BuildOrder


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_ready(tmp_path_factory.mktemp("project"), "airline", "retail")


@pytest.fixture
def store(project, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_spawn", lambda store, job: None)
    shutil.copy(project, tmp_path / "review.db")
    opened = Store(tmp_path / "review.db")
    yield opened
    opened.close()


def order(store, name="first", **choice):
    return BuildOrder(name=name, out=build_job.exports(store), **choice)


def test_a_job_builds_what_was_ordered(store, tmp_path):
    wanted = order(store, domains=("retail",), variant="j-tau", note="why", with_names=True)
    job = build_job.start(store, team(store).m, wanted)
    ended = jobs.run(store, job, job_kinds.KINDS)
    assert ended.state == "done" and ended.note.code == "release.written"
    folder = tmp_path / "exports" / "first"
    release = signatures.named(store, "first")
    assert (release.folder, release.built_by) == (str(folder), team(store).m.id)
    assert (release.domains, release.recipe["variant"]) == (("retail",), "j-tau")
    assert f"{len(manifest(folder)['files'])} files" in str(ended.note)
    build.build(
        store, team(store).m, BuildOrder("first", tmp_path / "b", ("retail",), "j-tau", "why")
    )
    by_call = contents(tmp_path / "b" / "first")
    assert by_call.keys() == contents(folder).keys()
    named = {place for place, blob in contents(folder).items() if blob != by_call[place]}
    assert "review/people.csv" in named and named <= {
        "MANIFEST.json",
        "review/decisions.jsonl",
        "review/people.csv",
        "TASK_CHANGES.md",
        "TASK_CHANGES_EN.md",
        "changes.json",
    } | {place for place in by_call if place.endswith(("README.md", "croissant.json"))}


def test_a_dry_run_writes_nothing(store):
    job = build_job.start(store, team(store).m, order(store), dry_run=True)
    ended = jobs.run(store, job, job_kinds.KINDS)
    assert ended.note.code == "release.would_write" and " 0 places block" in str(ended.note)
    assert not build_job.exports(store).exists() and signatures.releases(store) == []


def test_a_job_that_is_told_to_stop_leaves_nothing(store, monkeypatch):
    def told_to_stop(reporter):
        raise JobCancelled

    monkeypatch.setattr(Reporter, "stop_if_cancelled", told_to_stop)
    job = build_job.start(store, team(store).m, order(store))
    assert jobs.run(store, job, job_kinds.KINDS).state == "cancelled"
    assert not build_job.exports(store).exists()


def test_what_cannot_be_built_is_no_job(store):
    people = team(store)
    with pytest.raises(BadInput):
        build_job.start(store, people.m, order(store, "../first"))
    with pytest.raises(NotAllowed):
        build_job.start(store, people.a, order(store))
    assert store.jobs.list() == []
    build_job.start(store, people.m, order(store))
    with pytest.raises(ReviewError, match="unfinished"):
        build_job.start(store, people.n, order(store, "second"))
