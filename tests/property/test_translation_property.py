"""Whatever is to do and whatever a model says."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.checks import Context
from review_app.core.locale.glossary import Glossary
from review_app.core.translation.answer import complaints, judge, parse
from review_app.core.translation.request import batches
from review_app.models import Segment

quick = settings(max_examples=80, deadline=None)
CTX = Context(Glossary([], "ja"), None, "en", "ja", "airline")
SOURCES = ["Cancel #W1234567.", "# Refunds", "Be kind.", "- one\n- two", "User {user_id} not found"]


@st.composite
def documents(draw):
    shapes = draw(st.lists(st.tuples(st.integers(0, 200), st.sampled_from("ab")), max_size=50))
    return [
        Segment(
            str(number),
            "airline",
            "ab"[number > 25],
            str(number),
            "policy",
            section,
            number,
            "x" * length,
            "",
            None,
            0,
            "untranslated",
            1,
            0,
        )
        for number, (length, section) in enumerate(shapes)
    ]


@quick
@given(documents(), st.sets(st.integers(0, 49)), st.integers(1, 400))
def test_every_wanted_text_is_in_exactly_one_batch_of_bounded_size(document, chosen, limit):
    wanted = {segment.id for segment in document if segment.position in chosen}
    cut = batches(document, wanted, limit_chars=limit)
    asked = [segment.id for batch in cut for segment in batch.wanted.values()]
    assert asked == [segment.id for segment in document if segment.id in wanted]
    for batch in cut:
        texts = list(batch.wanted.values())
        assert list(batch.wanted) == [f"k{n}" for n in range(1, len(texts) + 1)]
        assert len(texts) == 1 or sum(len(segment.source) for segment in texts) <= limit
        assert len({line.segment.file for line in batch.lines}) == 1
        positions = [line.segment.position for line in batch.lines]
        assert positions == sorted(set(positions))


@quick
@given(documents(), st.sets(st.integers(0, 49)), st.integers(1, 400))
def test_a_batch_that_is_done_changes_no_other(document, chosen, limit):
    wanted = {segment.id for segment in document if segment.position in chosen}
    cut = batches(document, wanted, limit_chars=limit)
    for done in cut[:3]:
        rest = wanted - {segment.id for segment in done.wanted.values()}
        others = [batch.wanted for batch in cut if batch is not done]
        assert [b.wanted for b in batches(document, rest, limit_chars=limit)] == others


entries = st.fixed_dictionaries(
    {},
    optional={"key": st.sampled_from(["k1", "k2", "k3", 1, None]), "text": st.none() | st.text()},
)
answers = (
    st.text()
    | st.lists(entries).map(lambda found: json.dumps({"translations": found}))
    | st.tuples(st.lists(entries).map(json.dumps), st.integers(0, 200)).map(lambda t: t[0][: t[1]])
    | st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(json.dumps)
)


@quick
@given(answers, st.booleans())
def test_every_key_has_a_text_or_a_fault_and_nothing_else_gets_in(answer, truncated):
    parsed = parse(answer, ["k1", "k2"], truncated=truncated)
    assert parsed.texts.keys() <= {"k1", "k2"}
    faulty = {fault.key for fault in parsed.faults}
    assert {"k1", "k2"} <= parsed.texts.keys() | faulty
    assert all(text.strip() for text in parsed.texts.values())


@quick
@given(st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3, unique=True), answers)
def test_what_is_not_complained_about_has_a_text_that_a_database_can_hold(sources, answer):
    wanted = {
        f"k{n}": Segment(
            str(n), "airline", "f", str(n), "policy", "", n, source, "", None, 0, "draft", 1, 0
        )
        for n, source in enumerate(sources, 1)
    }
    parsed = judge(answer, wanted, CTX)
    again = complaints(parsed, wanted)
    for key in wanted.keys() - again.keys():
        assert parsed.texts[key].strip()
        parsed.texts[key].encode("utf-8")
    assert all(complaint.faults for complaint in again.values())
