"""Whatever is asked for, names are injective and stay what they were."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.locale.names import PoolName, assign, name_pool, redraw

few = settings(max_examples=60, deadline=None)

SEEDS = st.integers(-5, 2**40)
SOURCES = st.lists(st.text(max_size=4), max_size=25, unique=True)
GIVEN = name_pool("ja_JP").given


def names(
    sources: list[str], seed: int, known: dict[str, PoolName] | None = None
) -> dict[str, PoolName]:
    return assign(sources, GIVEN, seed=seed, salt="given", known=known or {})


@few
@given(SOURCES, SEEDS)
def test_names_are_total_injective_in_every_form_and_the_same_again(sources, seed):
    result = names(sources, seed)
    assert list(result) == sources and result == names(sources, seed)
    for form in ("written", "reading", "romanized"):
        assert len({getattr(name, form) for name in result.values()}) == len(sources)


@few
@given(SOURCES, SEEDS, st.text(max_size=5))
def test_a_name_added_at_the_end_changes_no_other(sources, seed, new):
    before = names(sources, seed)
    assert before.items() <= names([*sources, new], seed).items()


@few
@given(SOURCES, SEEDS, st.text(max_size=5), st.integers(0, 25))
def test_a_name_added_anywhere_changes_no_known_one(sources, seed, new, place):
    before = names(sources, seed)
    after = names([*sources[:place], new, *sources[place:]], seed, before)
    assert before.items() <= after.items()
    assert len(set(after.values())) == len(after)


@few
@given(SOURCES, SEEDS, st.dictionaries(st.text(max_size=2), st.sampled_from(GIVEN), max_size=4))
def test_a_known_name_is_kept_and_given_to_nobody_else(sources, seed, known):
    result = names(sources, seed, known)
    for source in sources:
        assert result[source] == known[source] if source in known else True
        assert source in known or result[source] not in known.values()


@few
@given(SOURCES, SEEDS)
def test_a_choice_changes_only_if_it_was_taken_before(sources, seed):
    alone = {source: names([source], seed)[source] for source in sources}
    together = names(sources, seed)
    for at, source in enumerate(sources):
        before = [together[other] for other in sources[:at]]
        assert (together[source] == alone[source]) == (alone[source] not in before)


@few
@given(st.lists(st.tuples(st.text(max_size=5), st.integers(0, 3)), max_size=20), SEEDS)
def test_persons_drawn_anew_differ_from_all_that_are_taken(persons, seed):
    pool = name_pool("ja_JP")
    written, romanized = set(), set()
    for person, draw in persons:
        a, b = redraw(person, pool, seed=seed, draw=draw, written=written, romanized=romanized)
        assert (a.written, b.written) not in written
        assert (a.romanized, b.romanized) not in romanized
        assert a in pool.given and b in pool.family
        written.add((a.written, b.written))
        romanized.add((a.romanized, b.romanized))
