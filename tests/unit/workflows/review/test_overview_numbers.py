"""Numbers of the overview: what waits, who did what, how far it is, how terms are used."""

from __future__ import annotations

from review_app.models import Term
from review_app.records.review import QueueFilter
from review_app.workflows import read_model
from review_app.workflows.review import answers, import_domain, overview

TASKS = "tasks.json"


def texts(store, file=TASKS):
    return [text for text in store.segments.all("airline") if text.file == file]


def answer(store, segment, person, verdict="approve", **more):
    now = store.segments.get(segment.id)
    return answers.answer(
        store, segment.id, person, verdict=verdict, expected_version=now.version, **more
    )


def test_what_waits_is_counted_for_each_person(imported, crew):
    total, first, second, third = imported.queue.count(QueueFilter()), *texts(imported)[:3]
    nothing = overview.Waiting(review=total, stale=0, contested=0, drafts=0, done_today=0)
    assert overview.waiting(imported, crew.a) == nothing
    answer(imported, first, crew.a)
    answer(imported, second, crew.a, "request_change", note="読みにくい")
    answer(imported, third, crew.a)
    answers.undo(imported, crew.a)
    answers.save_draft(imported, third.id, crew.a, target="書きかけ", base_version=1)
    assert overview.waiting(imported, crew.a) == overview.Waiting(
        review=total - 2, stale=0, contested=0, drafts=1, done_today=2
    )
    assert read_model.decided_today(imported, crew.a.id) == 2
    assert overview.waiting(imported, crew.m) == overview.Waiting(
        review=total - 2, stale=0, contested=1, drafts=0, done_today=0
    )


def test_a_changed_source_waits_as_stale(imported, tiny, crew):
    first = texts(imported)[0]
    answer(imported, first, crew.a)
    tiny.change(TASKS, "You want to cancel", "You would like to cancel")
    import_domain.import_domain(imported, tiny.request())
    assert overview.waiting(imported, crew.a).stale == 1


def test_work_and_agreement_of_everybody_who_is_active_or_did_something(imported, crew):
    rule, other = texts(imported, "policy.md")[:2]
    answer(imported, rule, crew.a)
    answer(imported, rule, crew.b)
    answer(imported, rule, crew.c, "request_change", note="読みにくい")
    segment = imported.segments.get(other.id)
    answers.edit(imported, other.id, crew.a, target="# 規定です", expected_version=segment.version)
    work = {done.person.name: done for done in overview.people_work(imported)}
    counts = {
        name: (done.answered, done.edited, done.requested, done.compared, done.agreed)
        for name, done in work.items()
    }
    assert counts == {
        "Aki": (2, 1, 0, 2, 1),
        "Ben": (1, 0, 0, 2, 1),
        "Chie": (1, 0, 1, 2, 0),
        "Mio": (0, 0, 0, 0, 0),
    }
    assert work["Aki"].agreement == 0.5 and work["Mio"].agreement is None


def test_what_blocks_a_release_and_how_far_it_is(imported, crew):
    first, second = texts(imported)[:2]
    answer(imported, first, crew.a)
    answer(imported, second, crew.a, "request_change", note="読みにくい")
    files = overview.progress(imported)
    ready = overview.readiness(imported, files)
    assert ready.total == sum(file.total for file in files) == imported.queue.count(QueueFilter())
    assert ready.states["contested"] == 1 and "approved" not in ready.states
    assert sum(ready.states.values()) == ready.total - 1
    (day,) = overview.burn_up(imported)
    assert (day.decisions, day.approved) == (2, 1)


def test_a_term_is_violated_where_a_finding_about_it_is_open(imported, crew):
    first, second = (
        text
        for text in texts(imported)
        if "reason_for" in text.address and text.address[11] in "01"
    )
    with imported.write("test"):
        imported.terms.add(
            [
                Term("flight", "フライト", domain="airline"),
                Term("flight", "航空便", mode="forbidden", domain="airline"),
                Term("seat", "シート", mode="forbidden"),
                Term("seat", "座席"),
            ]
        )
    for segment, words in ((first, "航空便を取り消したいです!"), (second, "窓側のシートがほしい!")):
        answers.edit(imported, segment.id, crew.a, target=words, expected_version=1)
    counts = overview.term_violations(imported)
    named = {
        (term.source, term.target): counts[term.id]
        for term in imported.terms.all()
        if term.id in counts
    }
    assert named == {
        ("flight", "フライト"): 1,
        ("flight", "航空便"): 1,
        ("seat", "シート"): 1,
        ("seat", "座席"): 1,
    }


def test_a_term_is_used_by_the_source_texts_of_its_domain(imported, tiny, sample):
    tiny.change("policy.md", "A refund takes 5", "A refund of a refund takes 5")
    import_domain.import_domain(imported, tiny.request())
    request = import_domain.ImportRequest(sample / "tau2", "user_simulator")
    import_domain.import_domain(imported, request)
    texts = [(text.domain, text.source.casefold()) for text in imported.segments.all()]

    def holding(word, *domains):
        return sum(word in source for domain, source in texts if domain in domains)

    with imported.write("test"):
        imported.terms.add(
            [
                Term("Agent", "エージェント"),
                Term("Refund", "返金", domain="airline"),
                Term("Refund", "払い戻し", domain="user_simulator"),
                Term("window seat", "窓側の席", variants=("seat by the window",)),
                Term("Refund", "リファンド", mode="forbidden", domain="airline"),
                Term("Agent", "代理人", mode="forbidden"),
                Term("Agent", "仲介人", mode="forbidden", domain="airline"),
                Term("submarine", "潜水艦"),
            ]
        )
    used = overview.term_use(imported)
    counts = {(term.source, term.target): used.get(term.id, 0) for term in imported.terms.all()}
    agents, own = holding("agent", "airline", "user_simulator"), holding("agent", "airline")
    assert agents > own > 1 and holding("refund", "airline") == 4
    assert counts[("Agent", "エージェント")] == agents
    assert counts[("Refund", "返金")] == 4
    assert counts[("Refund", "払い戻し")] == 0 == holding("refund", "user_simulator")
    assert counts[("window seat", "窓側の席")] == 1
    assert counts[("Refund", "リファンド")] == 4
    assert counts[("Agent", "代理人")] == agents
    assert counts[("Agent", "仲介人")] == own
    assert counts[("submarine", "潜水艦")] == 0
