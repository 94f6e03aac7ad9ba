"""A notice with any values is said in every language, and comes back from the store as it was."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from review_app.notices import Notice, Tongue, as_it_is
from review_app.ui.shared import i18n

many = settings(max_examples=150, deadline=None)

TEXTS = st.one_of(st.text(), st.text(alphabet="{}!:%x0.[]\\'\n「」"))
TEMPLATES = st.one_of(TEXTS, st.tuples(TEXTS, TEXTS), st.just("{x!r} {y:,} {z} {count}"))
NAMES = st.sampled_from(["x", "y", "z", "count", "self", "code", "english"])
SIMPLE = st.one_of(
    TEXTS, st.integers(), st.floats(), st.decimals(allow_nan=None), st.none(), st.booleans()
)


def notices_of(values):
    return st.builds(
        lambda code, english, held: Notice(code, english, **held),
        st.sampled_from(["people.nobody", "people.unknown", "text", "area.what"]),
        TEMPLATES,
        st.dictionaries(NAMES, values, max_size=4),
    )


VALUES = st.recursive(
    SIMPLE,
    lambda inside: st.one_of(st.lists(inside, max_size=3).map(tuple), notices_of(inside)),
    max_leaves=12,
)
NOTICES = notices_of(VALUES)


@many
@given(notice=NOTICES, template=st.one_of(st.none(), TEMPLATES))
def test_saying_it_never_raises(notice, template):
    hostile = Tongue(lambda code: template)
    for sentence in (str(notice), notice.sentence(i18n.TONGUES["ja"]), notice.sentence(hostile)):
        sentence.encode("utf-8")


@many
@given(value=TEXTS)
@example(value="{x.__class__}")
def test_a_value_is_never_read_as_a_template(value):
    notice = Notice("area.what", "{x}|{x!r}|{of}|{why}", x=value, of=(value,), why=as_it_is(value))
    assert str(notice) == f"{value}|{value!r}|{value}|{value}"


@many
@given(notice=NOTICES)
def test_it_comes_back_from_the_store(notice):
    back = Notice.from_json(notice.to_json())
    assert repr(back) == repr(notice)
    assert (str(back), back.to_json()) == (str(notice), notice.to_json())
