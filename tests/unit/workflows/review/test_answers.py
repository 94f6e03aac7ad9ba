"""Answers, edits, adjudication, undo, comments, queue and search on a real database."""

from __future__ import annotations

import pytest
from tiny_benchmark import dump

from review_app.errors import NotAllowed, NotFound, ReviewError, StaleEdit
from review_app.models import Mark
from review_app.records.review import QueueFilter
from review_app.workflows import project
from review_app.workflows.review import answers, checks, import_domain, remarks, standing
from review_app.workflows.review import card as review_card
from review_app.workflows.review import queue as review_queue

POLICY = "policy.md#refunds/1"
TASK = "tasks.json#0/user_scenario/instructions/reason_for_call"


def at(store, address):
    return store.segments.at("airline", address)


def approve(store, address, *people):
    for person in people:
        segment = at(store, address)
        answers.answer(
            store, segment.id, person, verdict="approve", expected_version=segment.version
        )
    return at(store, address)


def request(store, address, person, note="読みにくい"):
    segment = at(store, address)
    return answers.answer(
        store,
        segment.id,
        person,
        verdict="request_change",
        note=note,
        expected_version=segment.version,
    )


def edit(store, address, person, text):
    segment = at(store, address)
    return answers.edit(store, segment.id, person, target=text, expected_version=segment.version)


def settle(store, address, person, text=None, note=""):
    segment = at(store, address)
    return answers.adjudicate(
        store, segment.id, person, target=text, note=note, expected_version=segment.version
    )


def versions(store, address):
    return [r.version for r in store.reviews.revisions(at(store, address).id)]


# -- approval ----------------------------------------------------------------------------------


def test_a_policy_is_approved_by_the_third_person(imported, crew):
    assert approve(imported, POLICY, crew.a, crew.b).state == "in_review"
    approved = approve(imported, POLICY, crew.c)
    assert (approved.state, approved.answered) == ("approved", 3)


def test_one_person_approving_three_times_is_one_person(imported, crew):
    segment = approve(imported, POLICY, crew.a, crew.a, crew.a)
    assert (segment.state, segment.answered) == ("in_review", 1)


def test_an_edit_takes_the_earlier_approvals_out(imported, crew):
    approve(imported, POLICY, crew.a, crew.b)
    edited = edit(imported, POLICY, crew.c, "- 新しい訳。")
    assert (edited.state, edited.version, edited.answered) == ("in_review", 2, 1)
    assert approve(imported, POLICY, crew.a).state == "in_review"
    assert approve(imported, POLICY, crew.b).state == "approved"


def test_an_edit_of_an_approved_text_opens_it_again(imported, crew):
    approve(imported, TASK, crew.a)
    assert edit(imported, TASK, crew.b, "別の訳").state == "in_review"
    assert approve(imported, TASK, crew.a).state == "approved"


def test_the_author_is_never_the_only_approver(imported, crew):
    edit(imported, TASK, crew.a, "別の訳")
    with pytest.raises(NotAllowed, match="somebody else"):
        approve(imported, TASK, crew.a)
    assert at(imported, TASK).state == "in_review"
    assert approve(imported, TASK, crew.b).state == "approved"


def test_saving_the_text_as_it_is_approves_it(imported, crew):
    segment = edit(imported, TASK, crew.a, at(imported, TASK).target)
    assert (segment.version, segment.state) == (1, "approved")


def test_a_browsers_line_feeds_are_no_edit_of_a_windows_text(store, tiny, crew):
    tiny.change("policy.md", "\n", "\r\n", draft=True)
    import_domain.import_domain(store, tiny.request())
    address = "policy.md#baggage/2"
    assert "\r\n" in at(store, address).target
    assert edit(store, address, crew.a, "```\nbaggage = 2\n```").version == 1


def test_a_text_without_translation_cannot_be_approved(store, tiny, crew):
    import_domain.import_domain(store, tiny.request(draft=None))
    with pytest.raises(NotAllowed, match="no translation"):
        approve(store, TASK, crew.a)
    written = edit(store, TASK, crew.a, "訳")
    assert (written.version, written.state) == (1, "in_review")
    assert answers.undo(store, crew.a).state == "untranslated"
    assert edit(store, TASK, crew.a, "訳").version == 2
    assert store.problems() == []


@pytest.mark.parametrize("text", ["", "  \n", "　"])
def test_an_empty_translation_is_refused(imported, crew, text):
    with pytest.raises(ReviewError, match="empty"):
        edit(imported, TASK, crew.a, text)
    assert at(imported, TASK).version == 1


def test_a_change_request_needs_a_reason(imported, crew):
    with pytest.raises(ReviewError, match="reason"):
        request(imported, TASK, crew.a, note=" ")
    assert request(imported, TASK, crew.a).state == "contested"


def test_a_retracted_request_lets_the_text_through(imported, crew):
    request(imported, POLICY, crew.a)
    assert approve(imported, POLICY, crew.b).state == "contested"
    assert approve(imported, POLICY, crew.a).state == "in_review"
    assert approve(imported, POLICY, crew.c).state == "approved"


def test_a_new_version_answers_a_change_of_the_source(imported, tiny, crew):
    approve(imported, POLICY, crew.a, crew.b, crew.c)
    tiny.change("policy.md", "24 hours", "48 hours")
    import_domain.import_domain(imported, tiny.request())
    assert at(imported, POLICY).state == "stale"
    assert approve(imported, POLICY, crew.b).state == "stale"
    edited = edit(imported, POLICY, crew.a, "- 予約の返金は48時間以内に限ります。")
    assert (edited.state, edited.answered) == ("in_review", 1)


def test_authors_may_turn_their_own_text_down_and_count_as_one_of_three(imported, crew):
    edit(imported, TASK, crew.a, "訳")
    assert request(imported, TASK, crew.a).state == "contested"
    edit(imported, POLICY, crew.a, "- 訳。")
    assert request(imported, POLICY, crew.a).state == "in_review"
    again = approve(imported, POLICY, crew.a)
    assert (again.state, again.answered) == ("in_review", 1)
    assert approve(imported, POLICY, crew.b, crew.c).state == "approved"


def test_a_decision_keeps_its_reason_and_its_marks(imported, crew):
    segment = at(imported, TASK)
    mark = Mark("accuracy/omission", "major", (0, 3), "where to?")
    answers.answer(
        imported,
        segment.id,
        crew.a,
        verdict="request_change",
        expected_version=1,
        note="  短すぎる\n",
        marks=[mark],
    )
    settle(imported, TASK, crew.m, note=" これでよい ")
    first, second = imported.reviews.decisions(segment.id)
    assert (first.note, first.marks) == ("短すぎる", (mark,))
    assert (second.note, second.marks, second.verdict) == ("これでよい", (), "adjudicate")


def test_a_text_sent_back_asks_everybody_again(imported, crew):
    approve(imported, POLICY, crew.a, crew.b, crew.c)
    with imported.write("rule"):
        sent = standing.send_back(imported, at(imported, POLICY).id, "term cabin")
    assert (sent.state, sent.answered, sent.version) == ("stale", 0, 1)
    assert approve(imported, POLICY, crew.a, crew.b).state == "stale"
    assert approve(imported, POLICY, crew.c).state == "approved"


def test_a_text_that_the_source_lost_takes_no_more_answers(imported, tiny, crew):
    segment = at(imported, "messages#user_not_found")
    edit(imported, segment.address, crew.a, "訳")
    request(imported, segment.address, crew.b)
    (tiny.folder / "messages.json").unlink()
    import_domain.import_domain(imported, tiny.request())
    before = dump(imported.path)["decisions"]
    for act in (
        lambda: answers.answer(imported, segment.id, crew.c, verdict="approve", expected_version=2),
        lambda: answers.edit(imported, segment.id, crew.c, target="別", expected_version=2),
        lambda: answers.adjudicate(imported, segment.id, crew.m, expected_version=2),
    ):
        with pytest.raises(NotAllowed, match="does not have this text any more"):
            act()
    assert dump(imported.path)["decisions"] == before


def test_a_machines_text_is_a_new_version_only_if_it_says_something_new(imported, tiny, crew):
    segment = at(imported, TASK)

    def draft(text):
        with imported.write("machine"):
            return answers.put_draft(imported, segment.id, text)

    assert draft(segment.target).version == 1
    tiny.change("tasks.json", "You want to cancel your flight.", "You want to cancel your trip.")
    import_domain.import_domain(imported, tiny.request())
    assert at(imported, TASK).state == "stale"
    again = draft(segment.target)
    assert (again.version, again.state) == (2, "draft")
    assert draft(segment.target).version == 2
    assert draft("別の訳").version == 3
    assert versions(imported, TASK) == [1, 2, 3]


# -- two at once -------------------------------------------------------------------------------


def test_a_save_from_an_older_version_is_refused_and_loses_nothing(imported, crew):
    base = at(imported, POLICY).target
    edit(imported, POLICY, crew.a, "- 先の訳。")
    segment = at(imported, POLICY)
    with pytest.raises(StaleEdit) as caught:
        answers.edit(imported, segment.id, crew.b, target="- 後の訳。", expected_version=1)
    error = caught.value
    assert (error.base, error.theirs, error.version) == (base, "- 先の訳。", 2)
    draft = imported.reviews.draft(segment.id, crew.b.id)
    assert (draft.target, draft.base_version) == ("- 後の訳。", 1)
    assert at(imported, POLICY) == segment
    saved = answers.edit(
        imported, segment.id, crew.b, target="- 後の訳。", expected_version=error.version
    )
    assert saved.version == 3
    assert imported.reviews.draft(segment.id, crew.b.id) is None


def test_error_marks_are_kept_with_the_answer(imported, crew):
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    marks = (Mark("terminology", "minor", (0, 2), "not our word"),)
    answers.answer(
        imported,
        segment.id,
        crew.a,
        verdict="request_change",
        note="see the mark",
        marks=marks,
        expected_version=1,
    )
    [decision] = imported.reviews.decisions(segment.id)
    assert decision.marks == marks


@pytest.mark.parametrize("verdict", ["approve", "request_change"])
def test_an_answer_about_an_older_version_is_refused(imported, crew, verdict):
    edit(imported, POLICY, crew.a, "- 先の訳。")
    before = dump(imported.path)
    with pytest.raises(StaleEdit):
        answers.answer(
            imported, at(imported, POLICY).id, crew.b, verdict=verdict, note="n", expected_version=1
        )
    assert dump(imported.path) == before


def test_drafts_are_kept_for_each_person_until_saved_or_dropped(imported, crew):
    segment = at(imported, TASK)
    answers.save_draft(imported, segment.id, crew.a, target="書きかけ", base_version=1)
    answers.save_draft(imported, segment.id, crew.b, target="他の", base_version=1)
    assert review_card.card(imported, segment.id, crew.a).draft.target == "書きかけ"
    assert imported.queue.count(QueueFilter(mine="drafted"), crew.a.id) == 1
    answers.drop_draft(imported, segment.id, crew.a)
    assert review_card.card(imported, segment.id, crew.a).draft is None
    assert review_card.card(imported, segment.id, crew.b).draft.target == "他の"
    answers.save_draft(imported, segment.id, crew.b, target=segment.target, base_version=1)
    assert imported.queue.count(QueueFilter(mine="drafted"), crew.b.id) == 0


def test_an_answer_drops_the_own_draft_and_nobody_elses(imported, crew):
    segment = at(imported, TASK)
    for who in (crew.a, crew.b):
        answers.save_draft(imported, segment.id, who, target="書きかけ", base_version=1)
    approve(imported, TASK, crew.a)
    drafts = [imported.reviews.draft(segment.id, who.id) for who in (crew.a, crew.b)]
    assert drafts[0] is None and drafts[1].target == "書きかけ"
    request(imported, TASK, crew.b)
    assert imported.reviews.draft(segment.id, crew.b.id) is None


# -- blind until answered ----------------------------------------------------------------------


def test_what_others_said_is_hidden_until_one_has_answered(imported, crew):
    segment = edit(imported, POLICY, crew.a, "- 訳。")
    approve(imported, POLICY, crew.b)
    remarks.comment(imported, segment.id, crew.b, "いいと思います")
    before = review_card.card(imported, segment.id, crew.c)
    assert (before.decisions, before.comments, before.hidden) == ((), (), 3)
    assert {revision.author_id for revision in before.revisions} == {None}
    assert before.waits and before.my_answer is None
    approve(imported, POLICY, crew.c)
    after = review_card.card(imported, segment.id, crew.c)
    assert [d.person_id for d in after.decisions] == [crew.a.id, crew.b.id, crew.c.id]
    assert [c.body for c in after.comments] == ["いいと思います"]
    assert (after.hidden, after.my_answer) == (0, "approve")


def test_a_maintainer_sees_the_answers_of_a_contested_text_only(imported, crew):
    request(imported, POLICY, crew.a)
    segment = at(imported, POLICY)
    assert review_card.card(imported, segment.id, crew.m).decisions == ()
    approve(imported, POLICY, crew.b)
    assert len(review_card.card(imported, segment.id, crew.m).decisions) == 2
    assert review_card.card(imported, segment.id, crew.c).decisions == ()


def test_after_another_version_one_is_blind_again_and_knows_what_one_judged(imported, crew):
    approve(imported, POLICY, crew.a)
    segment = edit(imported, POLICY, crew.b, "- 訳。")
    card = review_card.card(imported, segment.id, crew.a)
    assert (card.judged, card.my_answer, card.waits, card.hidden) == (1, None, True, 1)
    assert [d.verdict for d in card.decisions] == ["approve"]


def test_a_card_shows_the_neighbours_of_the_file(imported, crew):
    card = review_card.card(imported, at(imported, POLICY).id, crew.a)
    assert [s.address for s in card.context] == [
        "policy.md#refunds/0",
        "policy.md#refunds/1",
        "policy.md#refunds/2",
    ]
    first = review_card.card(imported, card.context[0].id, crew.a)
    assert len(first.context) == 3


def test_a_link_to_another_project_is_said_so(imported, crew):
    with pytest.raises(NotFound, match="another"):
        review_card.card(imported, "0" * 16, crew.a)


# -- adjudication ------------------------------------------------------------------------------


def contest(store, crew, address=POLICY):
    edit(store, address, crew.a, "- 争われる訳。")
    request(store, address, crew.b)
    assert at(store, address).state == "contested"


def test_a_maintainer_settles_on_the_version_in_force(imported, crew):
    contest(imported, crew)
    settled = settle(imported, POLICY, crew.m, note="これでよい")
    assert (settled.state, settled.version) == ("approved", 2)


def test_a_maintainer_settles_on_an_older_version(imported, crew):
    first = at(imported, POLICY).target
    contest(imported, crew)
    settled = settle(imported, POLICY, crew.m, first)
    assert (settled.state, settled.version, settled.target) == ("approved", 3, first)
    assert imported.reviews.revisions(settled.id)[-1].author_id is None


def test_a_maintainers_own_text_needs_another_reader(imported, crew):
    contest(imported, crew, TASK)
    settled = settle(imported, TASK, crew.m, "裁定の訳")
    assert (settled.state, settled.version) == ("in_review", 3)
    assert approve(imported, TASK, crew.a).state == "approved"


def test_a_maintainer_cannot_settle_on_the_own_older_text_alone(imported, crew):
    edit(imported, TASK, crew.m, "私の訳")
    edit(imported, TASK, crew.a, "別の訳")
    request(imported, TASK, crew.b)
    assert settle(imported, TASK, crew.m, "私の訳").state == "in_review"


def test_a_maintainer_cannot_keep_the_own_text_against_others(imported, crew):
    edit(imported, TASK, crew.m, "私の訳")
    request(imported, TASK, crew.a)
    with pytest.raises(NotAllowed, match="another maintainer"):
        settle(imported, TASK, crew.m)
    with pytest.raises(NotAllowed, match="another maintainer"):
        settle(imported, TASK, crew.m, "私の訳")
    assert at(imported, TASK).state == "contested"


def test_a_settled_text_is_no_draft_any_more(imported, crew):
    contest(imported, crew)
    segment = at(imported, POLICY)
    answers.save_draft(imported, segment.id, crew.m, target="書きかけ", base_version=2)
    settle(imported, POLICY, crew.m)
    assert imported.reviews.draft(segment.id, crew.m.id) is None
    edit(imported, POLICY, crew.c, "- 別。")
    request(imported, POLICY, crew.a)
    settle(imported, POLICY, crew.m, "- 裁定。")
    assert imported.reviews.draft(segment.id, crew.m.id) is None


def test_annotators_do_not_adjudicate(imported, crew):
    contest(imported, crew)
    with pytest.raises(NotAllowed, match="maintainer"):
        settle(imported, POLICY, crew.c)


def test_where_nobody_disagrees_a_maintainer_answers_like_everybody(imported, crew):
    with pytest.raises(NotAllowed, match="nobody disagrees"):
        settle(imported, POLICY, crew.m)
    assert at(imported, POLICY).state == "draft"


def test_a_refused_adjudication_keeps_the_text(imported, crew):
    contest(imported, crew)
    segment = at(imported, POLICY)
    with pytest.raises(StaleEdit):
        answers.adjudicate(imported, segment.id, crew.m, target="裁定", expected_version=1)
    assert imported.reviews.draft(segment.id, crew.m.id).target == "裁定"


def test_an_edit_after_the_adjudication_opens_the_text_again(imported, crew):
    contest(imported, crew)
    settle(imported, POLICY, crew.m)
    assert edit(imported, POLICY, crew.c, "- 別。").state == "in_review"


# -- undo --------------------------------------------------------------------------------------


def test_an_approval_can_be_taken_back(imported, crew):
    approve(imported, TASK, crew.a)
    undone = answers.undo(imported, crew.a)
    assert (undone.address, undone.state) == (TASK, "draft")
    assert [d.verdict for d in imported.reviews.decisions(undone.id)] == ["approve", "undo"]


def test_an_undone_edit_gives_way_to_the_version_before_it_and_its_approvals(imported, crew):
    first = at(imported, POLICY).target
    approve(imported, POLICY, crew.a, crew.b)
    edit(imported, POLICY, crew.c, "- 別。")
    approve(imported, POLICY, crew.a)
    undone = answers.undo(imported, crew.c)
    assert (undone.version, undone.target, undone.answered) == (1, first, 2)
    assert approve(imported, POLICY, crew.c).state == "approved"
    assert versions(imported, POLICY) == [1, 2]


def test_versions_stay_consecutive_after_an_undone_edit(imported, crew):
    edit(imported, POLICY, crew.a, "- 一。")
    answers.undo(imported, crew.a)
    assert edit(imported, POLICY, crew.b, "- 二。").version == 3
    assert answers.undo(imported, crew.b).version == 1
    assert edit(imported, POLICY, crew.b, "- 三。").version == 4
    assert versions(imported, POLICY) == [1, 2, 3, 4]
    assert imported.problems() == []


def test_an_edit_is_not_undone_when_somebody_wrote_since(imported, crew):
    edit(imported, POLICY, crew.a, "- 一。")
    edit(imported, POLICY, crew.b, "- 二。")
    before = dump(imported.path)
    with pytest.raises(NotAllowed, match="version 3"):
        answers.undo(imported, crew.a)
    assert dump(imported.path) == before


def test_undoing_goes_back_step_by_step_until_nothing_is_left(imported, crew):
    approve(imported, TASK, crew.a)
    request(imported, TASK, crew.a)
    assert answers.undo(imported, crew.a).state == "approved"
    assert answers.undo(imported, crew.a).state == "draft"
    with pytest.raises(ReviewError, match="nothing"):
        answers.undo(imported, crew.a)


def test_an_undone_adjudication_is_contested_again(imported, crew):
    contest(imported, crew)
    settle(imported, POLICY, crew.m)
    assert answers.undo(imported, crew.m).state == "contested"
    settle(imported, POLICY, crew.m, "- 裁定。")
    undone = answers.undo(imported, crew.m)
    assert (undone.state, undone.version) == ("contested", 2)
    assert imported.problems() == []


def test_undoing_the_choice_of_a_text_leaves_the_text_of_its_author(imported, crew):
    other = project.add_person(imported, "Nao", "maintainer")
    contest(imported, crew, TASK)
    settle(imported, TASK, crew.m, "裁定の訳")
    request(imported, TASK, crew.a)
    assert settle(imported, TASK, other).state == "approved"
    undone = answers.undo(imported, other)
    assert (undone.state, undone.version, undone.target) == ("contested", 3, "裁定の訳")


# -- findings, comments ------------------------------------------------------------------------


def found(store, address, code):
    checks.refresh(store)
    listed = store.findings.of(at(store, address).id)
    return next((one for one in listed if one.finding.code.startswith(code)), None)


def test_dismissals_need_a_reason_and_can_be_withdrawn(imported, crew):
    segment = edit(imported, "policy.md#baggage/1", crew.a, "追加の手荷物は1個50ドルです。")
    finding = found(imported, segment.address, "AMT")
    assert finding is not None
    with pytest.raises(ReviewError, match="reason"):
        remarks.dismiss(imported, segment.id, finding, crew.a, reason=" ")
    open_before = len(checks.open_findings(imported))
    remarks.dismiss(imported, segment.id, finding, crew.a, reason="そのまま")
    assert found(imported, segment.address, "AMT").dismissed.reason == "そのまま"
    assert len(checks.open_findings(imported)) == open_before - 1
    remarks.dismiss(imported, segment.id, finding, crew.b, reason="", withdraw=True)
    assert found(imported, segment.address, "AMT").dismissed is None
    assert len(dump(imported.path)["dismissals"]) == 2


def test_a_remark_about_a_text_of_another_project_is_refused(imported, crew):
    with pytest.raises(NotFound, match="another"):
        remarks.comment(imported, "0" * 16, crew.a, "用語は?")


def test_comments_are_kept_in_order_and_can_be_resolved(imported, crew):
    segment = at(imported, TASK)
    first = remarks.comment(imported, segment.id, crew.a, " 用語は? ")
    remarks.comment(imported, segment.id, crew.a, "わかりました")
    with pytest.raises(ReviewError, match="empty"):
        remarks.comment(imported, segment.id, crew.a, "\n")
    remarks.resolve_comment(imported, first, crew.b, resolved=True)
    comments = review_card.card(imported, segment.id, crew.a).comments
    assert [(c.body, c.resolved) for c in comments] == [("用語は?", True), ("わかりました", False)]
    remarks.resolve_comment(imported, first, crew.b, resolved=False)
    assert not review_card.card(imported, segment.id, crew.a).comments[0].resolved


# -- queue -------------------------------------------------------------------------------------


def test_three_people_start_at_different_segments(imported, crew):
    starts = {
        review_queue.next_segment(imported, who, QueueFilter()) for who in (crew.a, crew.b, crew.c)
    }
    assert len(starts) == 3


def test_people_are_spread_over_a_long_file(store, tiny, crew):
    (tiny.folder / "policy.md").write_text("".join(f"Rule {n}.\n\n" for n in range(90)))
    import_domain.import_domain(store, tiny.request(draft=None))
    wanted, begun = QueueFilter(file="policy.md"), {}
    for who in (crew.a, crew.b, crew.c):
        here, mine = None, []
        for _ in range(30):
            here = review_queue.next_segment(store, who, wanted, after=here)
            mine.append(here)
            edit(store, store.segments.get(here).address, who, f"{who.name} {here}")
        begun[who.name] = set(mine)
    assert not begun["Aki"] & begun["Ben"] and not begun["Aki"] & begun["Chie"]
    assert len(set().union(*begun.values())) == 90


def test_everybody_is_asked_for_every_text_of_a_three_reader_file(imported, crew):
    wanted = QueueFilter(file="policy.md")
    for who in (crew.a, crew.b, crew.c):
        seen, here = [], review_queue.next_segment(imported, who, wanted)
        while here:
            seen.append(here)
            approve(imported, imported.segments.get(here).address, who)
            here = review_queue.next_segment(imported, who, wanted, after=here)
        assert len(seen) == len(set(seen)) == 8
    assert imported.queue.count(QueueFilter(file="policy.md", state="approved")) == 8


def test_nobody_is_asked_about_the_own_text_where_another_must_read_it(imported, crew):
    edit(imported, TASK, crew.a, "訳")
    segment = at(imported, TASK)
    waiting = QueueFilter(mine="waiting")

    def ids(who):
        return {entry.id for entry in imported.queue.entries(waiting, who.id, limit=100)}

    assert segment.id not in ids(crew.a)
    assert segment.id in ids(crew.b)
    assert segment.id not in {e.id for e in imported.queue.entries(QueueFilter(mine="answered"), 2)}


def test_the_queue_asks_for_exactly_what_the_rules_say(imported, crew):
    approve(imported, POLICY, crew.a, crew.b)
    edit(imported, TASK, crew.a, "訳")
    request(imported, "messages#user_not_found", crew.c)
    approve(imported, "tools.json#book/description", crew.b)
    for who in (crew.a, crew.b, crew.c, crew.m):
        rule = {
            s.id for s in imported.segments.all() if review_card.card(imported, s.id, who).waits
        }
        queue = imported.queue.entries(QueueFilter(mine="waiting"), who.id, limit=100)
        assert {entry.id for entry in queue} == rule


def test_an_author_whose_source_changed_waits_for_another_reader(imported, tiny, crew):
    edit(imported, TASK, crew.a, "訳")
    edit(imported, POLICY, crew.a, "規定")
    tiny.change("tasks.json", "cancel your flight", "cancel your trip")
    tiny.change("policy.md", "within 24 hours", "within 48 hours")
    import_domain.import_domain(imported, tiny.request())
    for address, asked in ((TASK, [crew.b, crew.c]), (POLICY, [crew.a, crew.b, crew.c])):
        segment = at(imported, address)
        assert (segment.state, segment.answered) == ("stale", 0)
        for who in (crew.a, crew.b, crew.c):
            waiting = imported.queue.entries(QueueFilter(mine="waiting"), who.id, limit=100)
            assert (segment.id in {entry.id for entry in waiting}) is (who in asked)
            card = review_card.card(imported, segment.id, who)
            assert (card.waits, card.my_answer) == (who in asked, None)


def test_previous_and_next_walk_through_the_filter_both_ways(imported):
    wanted = QueueFilter(kind="task")
    forward = [entry.id for entry in imported.queue.entries(wanted, limit=100)]
    assert len(forward) == 10
    for number, here in enumerate(forward):
        segment = imported.segments.get(here)
        before = forward[number - 1] if number else None
        after = forward[number + 1] if number + 1 < len(forward) else None
        assert imported.queue.step(wanted, segment, back=True) == before
        assert imported.queue.step(wanted, segment) == after
        assert imported.queue.rank(wanted, segment) == number


def test_filters_narrow_together(imported, crew):
    approve(imported, TASK, crew.a)
    count = imported.queue.count
    assert count(QueueFilter(domain="airline")) == 23 and count(QueueFilter(domain="retail")) == 0
    assert count(QueueFilter(kind="task", state="approved")) == 1
    assert count(QueueFilter(kind="policy", state="approved")) == 0
    assert count(QueueFilter(mine="answered"), crew.a.id) == 1
    assert count(QueueFilter(mine="answered"), crew.b.id) == 0
    assert count(QueueFilter(mine="waiting", file="policy.md"), crew.b.id) == 8


def test_the_filter_by_finding_leaves_dismissed_ones_out(imported, crew):
    wrong = "Each extra bag costs 50ドル."  # two findings: one stays open
    segment = edit(imported, "policy.md#baggage/1", crew.a, wrong)
    finding = found(imported, segment.address, "AMT")
    code = finding.finding.code
    assert imported.queue.count(QueueFilter(finding=code)) == 1
    remarks.dismiss(imported, segment.id, finding, crew.a, reason="よい")
    assert imported.queue.count(QueueFilter(finding=code)) == 0
    remarks.dismiss(imported, segment.id, finding, crew.a, reason="", withdraw=True)
    assert imported.queue.count(QueueFilter(finding=code)) == 1


def test_pages_of_the_queue_stay_within_it(imported, crew):
    first, total = review_queue.page_of(imported, crew.a, QueueFilter(), page=0)
    last, _ = review_queue.page_of(imported, crew.a, QueueFilter(), page=99)
    assert (len(first), total, len(last)) == (20, 23, 3)
    assert review_queue.page_of(imported, crew.a, QueueFilter(search="zzz"), page=5) == ([], 0)
    one_more, _ = review_queue.page_of(imported, crew.a, QueueFilter(), page=99, size=11)
    none_more, _ = review_queue.page_of(imported, crew.a, QueueFilter(), page=99, size=23)
    assert (len(one_more), len(none_more)) == (1, 23)


@pytest.fixture
def wide(imported, sample):
    """The small domain and after it the files of another one."""
    request = import_domain.ImportRequest(sample / "tau2", "user_simulator")
    import_domain.import_domain(imported, request)
    return imported


def listed(store, wanted, who=None):
    entries = store.queue.entries(wanted, who.id if who else None, limit=1000)
    return [store.segments.get(entry.id) for entry in entries]


def test_the_queue_lists_domains_files_and_texts_in_order(wide):
    whole = listed(wide, QueueFilter())
    assert whole == list(wide.segments.all())
    assert [segment.domain for segment in whole] == ["airline"] * 23 + ["user_simulator"] * (
        len(whole) - 23
    )
    assert len({segment.file for segment in whole if segment.domain != "airline"}) == 2
    ends = [None, *[segment.id for segment in whole], None]
    for number, segment in enumerate(whole):
        assert wide.queue.rank(QueueFilter(), segment) == number
        assert wide.queue.step(QueueFilter(), segment, back=True) == ends[number]
        assert wide.queue.step(QueueFilter(), segment) == ends[number + 2]


def test_a_text_that_the_source_lost_is_in_no_list(imported, tiny, crew):
    gone = at(imported, "messages#user_not_found")
    last = at(imported, "policy.md#baggage/2")
    (tiny.folder / "messages.json").unlink()
    tiny.change("policy.md", "```\nbaggage = 2\n```\n", "")
    import_domain.import_domain(imported, tiny.request())
    left = listed(imported, QueueFilter())
    assert len(left) == imported.queue.count(QueueFilter()) == 21
    assert not {gone.id, last.id} & {segment.id for segment in left}
    assert imported.queue.rank(QueueFilter(), left[-1]) == 20
    seen, here = [], review_queue.next_segment(imported, crew.a, QueueFilter())
    while here:
        seen.append(here)
        edit(imported, imported.segments.get(here).address, crew.a, f"訳 {len(seen)}")
        here = review_queue.next_segment(imported, crew.a, QueueFilter(), after=here)
    assert sorted(seen) == sorted(segment.id for segment in left)


def test_nobody_is_sent_to_a_text_that_is_decided_or_their_own(imported, crew):
    edit(imported, "messages#user_not_found", crew.a, "訳")
    request(imported, TASK, crew.c)
    approve(imported, "tools.json#book/description", crew.b)
    for wanted in (
        QueueFilter(kind="message"),
        QueueFilter(state="contested"),
        QueueFilter(state="approved"),
    ):
        assert imported.queue.count(wanted) == 1
        assert review_queue.next_segment(imported, crew.a, wanted) is None
    waiting = listed(imported, QueueFilter(mine="waiting"), crew.a)
    assert len(waiting) == 23 - 3
    assert review_queue.next_segment(imported, crew.b, QueueFilter(kind="message")) is not None


def test_one_goes_on_behind_a_text_and_then_to_the_other_files_and_back(wide, crew):
    files = list(dict.fromkeys(segment.file for segment in listed(wide, QueueFilter())))
    start = next(s for s in listed(wide, QueueFilter()) if s.file == files[-1])
    seen, here = [start.file], start.id
    while here:
        version = wide.segments.get(here).version
        answers.edit(wide, here, crew.a, target=f"訳 {len(seen)}", expected_version=version)
        here = review_queue.next_segment(wide, crew.a, QueueFilter(), after=here)
        seen += [wide.segments.get(here).file] if here else []
    assert list(dict.fromkeys(seen)) == [files[-1], *files[:-1]]
    assert len(seen) == len(listed(wide, QueueFilter()))


def test_the_next_text_is_one_that_passes_the_filter(wide, crew):
    for wanted in (
        QueueFilter(domain="user_simulator"),
        QueueFilter(file="tools.json"),
        QueueFilter(kind="message"),
        QueueFilter(search="refund"),
        QueueFilter(state="draft", kind="task"),
    ):
        found = review_queue.next_segment(wide, crew.b, wanted)
        assert found in {segment.id for segment in listed(wide, wanted)}
    assert review_queue.next_segment(wide, crew.b, QueueFilter(domain="retail")) is None
    assert review_queue.next_segment(wide, crew.b, QueueFilter(file="no.md")) is None


def test_the_text_that_one_comes_from_is_not_the_next_one(imported, crew):
    wanted = QueueFilter(kind="message")
    only = at(imported, "messages#user_not_found")
    assert review_queue.next_segment(imported, crew.a, wanted) == only.id
    assert review_queue.next_segment(imported, crew.a, wanted, after=only.id) is None


def test_neighbours_are_read_in_runs_of_five(store, tiny, crew):
    (tiny.folder / "policy.md").write_text("".join(f"Rule {n}.\n\n" for n in range(90)))
    import_domain.import_domain(store, tiny.request(draft=None))
    wanted, here, seen = QueueFilter(file="policy.md"), None, []
    for number in range(10):
        here = review_queue.next_segment(store, crew.b, wanted, after=here)
        seen.append(store.segments.get(here).position)
        edit(store, store.segments.get(here).address, crew.b, f"訳 {number}")
    first, second = seen[:5], seen[5:]
    assert first == list(range(first[0], first[0] + 5)) and first[0] % 5 == 0
    assert second == list(range(second[0], second[0] + 5)) and second[0] == first[0] + 15


def test_the_filter_by_any_finding_has_the_texts_with_an_open_one(imported, crew):
    segment = edit(imported, "policy.md#baggage/1", crew.a, "追加の手荷物は1個50ドルです。")
    finding = found(imported, segment.address, "AMT")
    wanted = QueueFilter(finding="any")
    others = imported.queue.count(wanted) - 1
    assert segment.id in {s.id for s in listed(imported, wanted)}
    for recorded in imported.findings.of(segment.id):
        remarks.dismiss(imported, segment.id, recorded, crew.a, reason="よい")
    assert imported.queue.count(wanted) == others
    assert segment.id not in {s.id for s in listed(imported, wanted)}
    remarks.dismiss(imported, segment.id, finding, crew.a, reason="", withdraw=True)
    assert imported.queue.count(wanted) == others + 1


def test_a_dismissal_holds_for_one_fault_of_one_text(imported, tiny, crew):
    tiny.change("policy.md", "costs $50.", "costs $50, a heavy one $70.")
    tiny.change("policy.md", "5 business days.", "5 business days and $50.")
    import_domain.import_domain(imported, tiny.request())
    one = edit(imported, "policy.md#baggage/1", crew.a, "手荷物は50ドル、重いものは70ドルです。")
    other = edit(imported, "policy.md#refunds/2", crew.a, "- 返金には5営業日と50ドルかかります。")
    finding = found(imported, one.address, "AMT")
    wanted = QueueFilter(finding=finding.finding.code)
    same = [f for f in imported.findings.of(one.id) if f.finding.code == finding.finding.code]
    assert len(same) == 2 and len({f.fingerprint for f in same}) == 2
    assert {s.id for s in listed(imported, wanted)} == {one.id, other.id}
    remarks.dismiss(imported, one.id, same[0], crew.a, reason="よい")
    assert {s.id for s in listed(imported, wanted)} == {one.id, other.id}
    remarks.dismiss(imported, one.id, same[1], crew.a, reason="よい")
    assert {s.id for s in listed(imported, wanted)} == {other.id}
    assert imported.queue.count(QueueFilter(finding="NONE-1")) == 0


# -- search ------------------------------------------------------------------------------------

NASTY = "「100%」の_注_と\"引用\"と'単'と\\と*と(A AND B)と😀"


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "not indexed yet"])
@pytest.mark.parametrize(
    ("words", "hits"),
    [
        pytest.param("24時間", 1, id="Japanese"),
        pytest.param("返金", 4, id="two characters"),
        pytest.param("席", 2, id="one character"),
        pytest.param("REFUND", 4, id="English, any case"),
        pytest.param("extra bag", 1, id="a phrase"),
        pytest.param("bag extra", 0, id="words in another order"),
        pytest.param("0%", 1, id="two characters with %"),
        pytest.param("100%", 1, id="%"),
        pytest.param("_注_", 1, id="_"),
        pytest.param("_", 2, id="_ alone is a character, no wildcard"),
        pytest.param("%", 1, id="% alone"),
        pytest.param('"引用"', 1, id="double quotes"),
        pytest.param('"', 1, id="one double quote"),
        pytest.param("'単'", 1, id="single quotes"),
        pytest.param("\\", 1, id="backslash"),
        pytest.param("(A AND B)", 1, id="query syntax"),
        pytest.param("と*と", 1, id="star"),
        pytest.param("と😀", 1, id="beyond the basic plane"),
        pytest.param("  24時間 ", 1, id="spaces around"),
        pytest.param("zebra", 0, id="nothing"),
    ],
)
def test_search_finds_texts_of_both_languages(imported, crew, indexed, words, hits):
    edit(imported, "policy.md#airline-agent-policy/1", crew.a, NASTY)
    if indexed:
        checks.index_search(imported)
    assert imported.queue.count(QueueFilter(search=words)) == hits


def test_search_follows_edits_and_new_sources(imported, tiny, crew):
    checks.index_search(imported)
    edit(imported, POLICY, crew.a, "- 払い戻しの規則。")
    assert imported.queue.count(QueueFilter(search="払い戻し")) == 1
    assert imported.queue.count(QueueFilter(search="24時間")) == 0
    tiny.change("policy.md", "24 hours", "two days")
    import_domain.import_domain(imported, tiny.request())
    assert imported.queue.count(QueueFilter(search="two days")) == 1
    assert imported.queue.count(QueueFilter(search="24 hours")) == 0
