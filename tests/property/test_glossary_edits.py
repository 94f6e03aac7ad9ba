"""The fast way to the texts that an edit of the glossary affects finds what the slow way does."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from review_app.core.locale.glossary import Glossary, mentions
from review_app.models import Term

few = settings(max_examples=100, deadline=None)

STEMS = st.sampled_from(["day", "business", "bus", "one", "way", "gift", "kit", "Straße", "搭乗"])
SPELLINGS = st.lists(STEMS, min_size=1, max_size=2).flatmap(
    lambda stems: st.sampled_from([" ", "_", "-", " - "]).map(lambda between: between.join(stems))
)
RESPELT = st.sampled_from(
    [
        str,
        str.upper,
        str.title,
        lambda text: text + "s",
        lambda text: text + "ES",
        lambda text: text.replace("_", " "),
        lambda text: text.replace(" ", "-\n"),
        lambda text: text.replace("s", "ſ").replace("k", "K"),
        lambda text: text.replace("i", "İ"),
    ]
)
TERMS = st.builds(
    Term,
    source=SPELLINGS,
    target=st.just("訳"),
    mode=st.sampled_from(["exact", "prose", "keep", "forbidden"]),
    variants=st.lists(SPELLINGS, max_size=1).map(tuple),
    exceptions=st.lists(SPELLINGS, max_size=1).map(tuple),
)
WORDS = st.one_of(
    st.builds(lambda text, respell: respell(text), SPELLINGS, RESPELT),
    st.sampled_from(["a", "'", '"', "re", "、", "the"]),
)
TEXTS = st.lists(st.builds(" ".join, st.lists(WORDS, max_size=6)), min_size=1, max_size=8)


def applied(terms: list[Term], text: str) -> tuple[object, object]:
    """Everything that a glossary says about a source text."""
    glossary = Glossary(terms, "ja")
    return glossary.in_source(text, "airline"), glossary.forbidden(text, "訳", "airline")


@few
@given(old=st.none() | TERMS, new=st.none() | TERMS, texts=TEXTS)
@example(old=None, new=Term("gift card", "訳", "prose"), texts=["GIFT-CARDS", "gift", "giftcard"])
def test_the_texts_that_use_a_term_are_all_found(
    old: Term | None, new: Term | None, texts: list[str]
) -> None:
    edited = [term for term in (old, new) if term is not None]
    slowly = [
        at for at, text in enumerate(texts) if any(any(applied([term], text)) for term in edited)
    ]
    assert Glossary([], "ja").affected_by(old, new, texts) == slowly


@few
@given(
    others=st.lists(TERMS, max_size=4), old=st.none() | TERMS, new=st.none() | TERMS, texts=TEXTS
)
@example(
    others=[Term("day", "日")],
    old=None,
    new=Term("business", "ビジネス", exceptions=("business day",)),
    texts=["five business days", "one day"],
)
def test_texts_that_mention_no_edited_term_are_matched_as_before(
    others: list[Term], old: Term | None, new: Term | None, texts: list[str]
) -> None:
    edited = [term for term in (old, new) if term is not None]
    touched = mentions(edited, texts)
    for at, text in enumerate(texts):
        if at not in touched:
            before, after = [[*others, term] if term else others for term in (old, new)]
            assert applied(before, text) == applied(after, text)


def test_a_word_forbidden_everywhere_touches_every_text() -> None:
    assert mentions([Term("", "訳", "forbidden")], ["a", ""]) == [0, 1]
    assert mentions([], ["a"]) == []
