"""Any sequence of answers, edits, settlements and undos keeps the promises of the review."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tiny_benchmark import add_crew, write_tiny

from review_app.core.review import rules
from review_app.errors import NotAllowed, ReviewError, StaleEdit
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.review import answers as review_answers
from review_app.workflows.review import import_domain, standing

POLICY = "policy.md#refunds/1"
TASK = "tasks.json#0/user_scenario/instructions/reason_for_call"
SEGMENTS = st.sampled_from([POLICY, TASK])
PEOPLE = st.integers(0, 4)
TEXTS = st.sampled_from(["甲", "乙", "丙"])
MAINTAINERS = {3, 4}


class Review(RuleBasedStateMachine):
    """Five people, two of them maintainers, on a policy (three readers) and a task (one)."""

    template: Path

    @initialize()
    def open_database(self):
        self.folder = Path(tempfile.mkdtemp(prefix="review-machine-"))
        shutil.copytree(self.template, self.folder, dirs_exist_ok=True)
        self.store = Store(self.folder / "review.db")
        self.people = self.store.people.all()
        self.tiny = write_tiny(self.folder / "tiny")
        self.sources = 0
        self.written = {}
        """(address, version) to (text, who wrote it), as this test saw it happen."""
        for address in (POLICY, TASK):
            segment = self.at(address)
            self.written[address, 1] = (segment.target, None)

    def teardown(self):
        problems = self.store.problems()
        self.store.close()
        shutil.rmtree(self.folder)
        assert problems == []

    def at(self, address):
        return self.store.segments.at("airline", address)

    @rule(address=SEGMENTS, who=PEOPLE, verdict=st.sampled_from(["approve", "request_change"]))
    def answer(self, address, who, verdict):
        segment = self.at(address)
        own = self.written[address, segment.version][1] == who
        try:
            review_answers.answer(
                self.store,
                segment.id,
                self.people[who],
                verdict=verdict,
                note="why",
                expected_version=segment.version,
            )
        except NotAllowed:
            assert verdict == "approve" and own and segment.needed == 1

    @rule(address=SEGMENTS, who=PEOPLE, text=TEXTS)
    def edit(self, address, who, text):
        before = self.at(address)
        try:
            after = review_answers.edit(
                self.store,
                before.id,
                self.people[who],
                target=text,
                expected_version=before.version,
            )
        except NotAllowed:
            assert text == before.target and before.needed == 1
            return
        assert after.target == text
        if text != before.target:
            newest = max(version for where, version in self.written if where == address)
            assert after.version == newest + 1
            assert after.state != "approved"
            self.written[address, after.version] = (text, who)

    @rule(address=SEGMENTS, who=PEOPLE, text=TEXTS)
    def edit_from_an_older_version(self, address, who, text):
        segment = self.at(address)
        if text == segment.target:
            return
        with pytest.raises(StaleEdit) as caught:
            review_answers.edit(
                self.store,
                segment.id,
                self.people[who],
                target=text,
                expected_version=segment.version + 1,
            )
        assert (caught.value.theirs, caught.value.version) == (segment.target, segment.version)
        assert self.store.reviews.draft(segment.id, self.people[who].id).target == text

    @rule(address=SEGMENTS, who=PEOPLE, text=st.one_of(st.none(), TEXTS))
    def adjudicate(self, address, who, text):
        before = self.at(address)
        try:
            after = review_answers.adjudicate(
                self.store,
                before.id,
                self.people[who],
                target=text,
                expected_version=before.version,
            )
        except NotAllowed:
            own = self.written[address, before.version][1] == who
            keeps = text in (None, before.target)
            assert who not in MAINTAINERS or before.state != "contested" or (own and keeps)
            return
        assert who in MAINTAINERS and before.state == "contested"
        if after.version != before.version:
            authors = [
                by
                for (where, _), (had, by) in sorted(self.written.items())
                if where == address and had == text
            ]
            author = authors[-1] if authors else who
            self.written[address, after.version] = (text, author)
            assert (after.state == "approved") == (author != who)
        else:
            assert after.state == "approved"

    @rule(who=PEOPLE)
    def undo(self, who):
        try:
            segment = review_answers.undo(self.store, self.people[who])
        except ReviewError:
            return
        assert segment.target == self.written[segment.address, segment.version][0]

    @rule()
    def change_the_source(self):
        self.sources += 1
        self.tiny.change("policy.md", "within", f"{self.sources} within")
        self.tiny.change("tasks.json", "You want to cancel", f"{self.sources} You want to cancel")
        report = import_domain.import_domain(self.store, self.tiny.request())
        assert report.stale == [POLICY, TASK]
        assert {self.at(POLICY).state, self.at(TASK).state} == {"stale"}

    @rule(address=SEGMENTS)
    def send_back(self, address):
        segment = self.at(address)
        with self.store.write("test"):
            newest = self.store.reviews.newest_decision(segment.id)
            self.store.segments.send_back(segment.id, counts_from=newest, reason="term x")
            after = standing.refresh_state(self.store, segment.id)
        assert (after.state, after.answered) == ("stale", 0)

    @invariant()
    def approved_means_that_enough_people_said_so_about_this_very_text(self):
        for address in (POLICY, TASK):
            segment = self.at(address)
            answers = self.answers_about(segment)
            author = self.written[address, segment.version][1]
            names = {self.people[author].id} if author is not None else set()
            settled = any(
                verdict == "adjudicate" and who not in names for who, verdict in answers.items()
            )
            for_it = {who for who, verdict in answers.items() if verdict != "request_change"}
            enough = len(for_it) >= segment.needed and for_it - names
            agreed = enough and "request_change" not in answers.values()
            assert (segment.state == "approved") == bool(settled or agreed)

    def answers_about(self, segment):
        """Each person's newest answer that was not taken back, read from the raw history."""
        with sqlite3.connect(self.store.path) as db:
            rows = db.execute(
                """SELECT d.person_id, d.verdict FROM decisions d JOIN segments s
                ON s.id = d.segment_id WHERE d.segment_id = ? AND d.version = s.version
                AND d.source_hash = s.source_hash AND d.id > s.counts_from
                AND d.verdict <> 'undo' AND d.id NOT IN (
                    SELECT undoes FROM decisions WHERE undoes IS NOT NULL) ORDER BY d.id""",
                (segment.id,),
            ).fetchall()
        db.close()
        return dict(rows)

    @invariant()
    def the_cached_state_is_the_one_the_decisions_give(self):
        for address in (POLICY, TASK):
            segment = self.at(address)
            row = self.store.segments.review_row(segment.id)
            answers = rules.standing_answers(
                self.store.reviews.decisions(segment.id),
                version=segment.version,
                source_hash=segment.source_hash,
                counts_from=row["counts_from"],
            )
            assert answers == self.store.reviews.answers(segment.id)
            assert segment.answered == len(answers)
            assert segment.state == rules.review_state(
                answers,
                needed=segment.needed,
                author=row["author_id"],
                recheck=row["recheck"] is not None,
            )

    @invariant()
    def versions_are_consecutive_and_every_text_is_kept(self):
        for address in (POLICY, TASK):
            segment = self.at(address)
            revisions = self.store.reviews.revisions(segment.id)
            assert [r.version for r in revisions] == list(range(1, len(revisions) + 1))
            kept = {r.version: r.target for r in revisions}
            written = {
                v: text for (where, v), (text, _) in self.written.items() if where == address
            }
            assert kept == written


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with a database to copy: the small domain imported, five people."""
    folder = tmp_path_factory.mktemp("template")
    store = Store(folder / "review.db")
    add_crew(store)
    project.add_person(store, "Nao", "maintainer")
    tiny = write_tiny(tmp_path_factory.mktemp("tiny"))
    import_domain.import_domain(store, tiny.request())
    store.close()
    return folder


def test_no_path_leads_to_approval_without_the_needed_answers(template):
    Review.template = template
    Review.TestCase.settings = settings(
        max_examples=15,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    Review.TestCase("runTest").runTest()
