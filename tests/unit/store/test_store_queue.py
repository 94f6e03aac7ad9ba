"""The queue as rows: its order, the place of a text in it, and who is sent where."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from tiny_benchmark import unchecked

from review_app.records.review import QueueFilter
from review_app.workflows.review import import_domain

EVERYTHING, RULES = QueueFilter(), QueueFilter(file="policy.md")


def bring_in(store, request):
    """Import a domain; nothing here looks at findings."""
    with unchecked():
        import_domain.import_domain(store, request)


def with_rules(store, tiny, count):
    """The small domain with a policy of so many paragraphs."""
    path = tiny.folder / "policy.md"
    path.write_text("".join(f"Rule {n}.\n\n" for n in range(count)), encoding="utf-8")
    bring_in(store, tiny.request(draft=None))
    return [segment for segment in store.segments.all() if segment.file == "policy.md"]


def approve_file(store, *files):
    """Nobody is asked for the texts of these files any more."""
    with closing(sqlite3.connect(store.path)) as db:
        for file in files:
            db.execute(
                """UPDATE segments SET state = 'approved'
                WHERE document_id IN (SELECT id FROM documents WHERE file = ?)""",
                (file,),
            )
        db.commit()


def approve_rules(store, *positions):
    """Nobody is asked for these paragraphs of the policy any more."""
    with closing(sqlite3.connect(store.path)) as db:
        for position in positions:
            db.execute(
                """UPDATE segments SET state = 'approved' WHERE position = ?
                AND document_id IN (SELECT id FROM documents WHERE file = 'policy.md')""",
                (position,),
            )
        db.commit()


def ids(store, wanted=EVERYTHING, **page):
    return [entry.id for entry in store.queue.entries(wanted, **{"limit": 1000} | page)]


def next_of(store, wanted=RULES, seat=0, seats=3, after=None):
    """The position of the next text for whoever has this seat, or None."""
    number = store.queue.next_waiting(wanted, 1, seat=seat, seats=seats, after=after)
    return store.segments.get(number).position if number else None


# -- order -------------------------------------------------------------------------------------


def test_domains_stand_in_the_order_of_their_import_and_files_in_that_of_a_domain(
    store, tiny, crew, sample
):
    manual = tiny.folder / "tech_manual.md"
    bring_in(store, import_domain.ImportRequest(sample / "tau2", "user_simulator"))
    bring_in(store, tiny.request())
    manual.write_text("# Manual\n\nRestart the phone.\n", encoding="utf-8")
    bring_in(store, tiny.request())
    entries = store.queue.entries(EVERYTHING, limit=1000)
    files = list(dict.fromkeys((entry.domain, entry.file) for entry in entries))
    assert [file for file in files if file[0] == "airline"] == files[2:]
    assert [file for _, file in files] == [
        "simulation_guidelines.md",
        "simulation_guidelines_tools.md",
        "policy.md",
        "tech_manual.md",
        "tasks.json",
        "tools.json",
        "messages.json",
    ]
    for domain, file in files:
        positions = [
            store.segments.get(entry.id).position
            for entry in entries
            if (entry.domain, entry.file) == (domain, file)
        ]
        assert positions == list(range(len(positions)))
    whole = ids(store)
    assert [store.queue.rank(EVERYTHING, store.segments.get(here)) for here in whole] == list(
        range(len(whole))
    )
    first = store.queue.next_waiting(EVERYTHING, 1, seat=0, seats=1)
    assert (entries[0].domain, entries[0].id) == ("user_simulator", first)
    assert store.queue.entries(EVERYTHING) == entries[:20]
    assert store.queue.entries(EVERYTHING, offset=20) == entries[20:40]


def test_a_paragraph_put_on_top_is_the_first_of_the_list(imported, tiny):
    old = imported.segments.get(ids(imported)[0])
    assert imported.queue.rank(EVERYTHING, old) == 0
    tiny.change("policy.md", "# Airline Agent Policy", "Read this first.\n\n# Airline Agent Policy")
    bring_in(imported, tiny.request())
    first, second = (imported.segments.get(here) for here in ids(imported)[:2])
    assert (first.source, second.source) == ("Read this first.", old.source)
    assert [imported.queue.rank(EVERYTHING, here) for here in (first, second)] == [0, 1]
    assert imported.queue.step(EVERYTHING, first, back=True) is None
    assert imported.queue.step(EVERYTHING, first) == second.id
    assert imported.queue.rank(QueueFilter(kind="task"), first) == 0


def test_an_entry_shows_the_beginning_of_the_translation_or_else_of_the_source(store, tiny):
    tiny.change("policy.md", "Each extra bag costs $50.", "Each bag costs $50. " * 9)
    bags = QueueFilter(search="Each bag costs")
    bring_in(store, tiny.request(draft=None))
    (entry,) = store.queue.entries(bags)
    assert entry.excerpt == ("Each bag costs $50. " * 4) and entry.state == "untranslated"
    assert (entry.domain, entry.file, entry.address) == (
        "airline",
        "policy.md",
        "policy.md#baggage/1",
    )
    bring_in(store, tiny.request())
    (entry,) = store.queue.entries(bags)
    assert (entry.excerpt, entry.state) == ("追加の手荷物は1個7,500円です。", "draft")


# -- the next one ------------------------------------------------------------------------------


def test_three_people_start_at_three_runs_of_a_long_file(store, tiny, crew):
    with_rules(store, tiny, 90)
    assert sorted(next_of(store, seat=seat) for seat in range(3)) == [0, 5, 10]
    assert next_of(store, seat=3) == next_of(store, seat=0)
    assert next_of(store, seat=7, seats=0) == next_of(store, seat=0, seats=1) == 0


@pytest.mark.parametrize(("count", "starts"), [(2, [0, 0, 1]), (9, [0, 3, 6]), (14, [0, 4, 8])])
def test_the_runs_of_a_short_file_are_as_long_as_leaves_one_for_everybody(
    store, tiny, crew, count, starts
):
    with_rules(store, tiny, count)
    assert sorted(next_of(store, seat=seat) for seat in range(3)) == starts


def test_one_goes_on_behind_a_text_in_its_run_and_then_takes_the_own_runs(store, tiny, crew):
    rules = with_rules(store, tiny, 90)
    start = next_of(store, seat=0)
    foreign = next_of(store, seat=1)
    assert next_of(store, seat=0, after=rules[foreign]) == foreign + 1
    assert next_of(store, seat=0, after=rules[foreign + 2]) == foreign + 3
    assert next_of(store, seat=0, after=rules[foreign + 4]) == start
    approve_rules(store, foreign + 3)
    assert next_of(store, seat=0, after=rules[foreign + 2]) == foreign + 4
    approve_rules(store, foreign + 4)
    assert next_of(store, seat=0, after=rules[foreign + 2]) == start
    approve_rules(store, *range(start, start + 5))
    assert next_of(store, seat=0, after=rules[foreign + 2]) == start + 15


def test_whoever_is_alone_reads_runs_of_five(store, tiny, crew):
    rules = with_rules(store, tiny, 9)
    assert next_of(store, seats=1, after=rules[3]) == 4
    assert next_of(store, seats=1, after=rules[4]) == 0


def test_the_search_begins_with_the_file_that_one_comes_from_and_wraps_around(imported, tiny, crew):
    def next_file(after):
        number = imported.queue.next_waiting(EVERYTHING, 1, seat=0, seats=3, after=after)
        return imported.segments.get(number).file if number else None

    manual = tiny.folder / "tech_manual.md"
    manual.write_text("# Manual\n\nRestart the phone.\n", encoding="utf-8")
    bring_in(imported, tiny.request())
    assert next_file(None) == "policy.md"
    texts = imported.queue.entries(EVERYTHING, limit=1000)
    here = imported.segments.get(next(text.id for text in texts if text.file == "tasks.json"))
    assert next_file(here) == "tasks.json"
    for done, following in (
        (["tasks.json"], "tools.json"),
        (["tools.json", "messages.json"], "policy.md"),
        (["policy.md"], "tech_manual.md"),
        (["tech_manual.md"], None),
    ):
        approve_file(imported, *done)
        assert next_file(here) == following
