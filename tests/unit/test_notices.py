"""Notices: a code with values, said in the reader's language; and every one that the code makes."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from collections import defaultdict
from decimal import Decimal
from functools import cache

import notices_in_code
import pytest
from notices_in_code import Errors, Module, Site

from review_app.errors import BadInput, ExportBlocked, NotFound, ReviewError, StaleEdit
from review_app.notices import ENGLISH, Notice, Tongue, as_it_is
from review_app.ui.shared import i18n

NOBODY = Notice("people.nobody", "nobody yet")
FOLDER = (i18n.SHARED / "ja" / i18n.NOTICES).relative_to(notices_in_code.ROOT).as_posix()

# -- what a notice says ------------------------------------------------------------------------


def tongue(**templates):
    words = {code.replace("__", "."): template for code, template in templates.items()}
    return Tongue(words.get, comma="、", quote=lambda value: f"「{value}」")


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        pytest.param("no task {task!r}", {"task": "7"}, "no task '7'", id="a quoted value"),
        pytest.param("{n:,} left", {"n": 1234}, "1,234 left", id="a format"),
        pytest.param("{x!r:.4}", {"x": "abcdef"}, "'abc", id="quoted, then cut"),
        pytest.param("{p}", {"p": Decimal("1.50")}, "1.50", id="money"),
        pytest.param("is {x}", {"x": None}, "is None", id="nothing"),
        pytest.param("{of!r}", {"of": ("a", "b")}, "'a', 'b'", id="several"),
        pytest.param("{of!r: or }", {"of": ("a", "b")}, "'a' or 'b'", id="joined otherwise"),
        pytest.param("{of}", {"of": ()}, "", id="none of them"),
        pytest.param("there: {who!r}", {"who": NOBODY}, "there: nobody yet", id="a reason inside"),
        pytest.param("{{x}} {x}", {"x": "{y} %s {0}"}, "{x} {y} %s {0}", id="a value with braces"),
        pytest.param("{self} {code}", {"self": 1, "code": 2}, "1 2", id="any name"),
        pytest.param("half {x}", {"x": "\ud800"}, "half \\ud800", id="half a character"),
    ],
)
def test_english_is_the_template_with_its_values(template, values, said):
    assert str(Notice("area.what", template, **values)) == said


@pytest.mark.parametrize(("count", "said"), [(1, "1 task"), (0, "0 tasks"), (2000, "2,000 tasks")])
def test_the_count_chooses_the_form(count, said):
    assert str(Notice("area.what", ("1 task", "{count:,} tasks"), count=count)) == said


def test_another_language_says_the_reasons_inside_too():
    why = Notice("people.nobody", "nobody yet")
    notice = Notice("area.what", "{who!r} and {why}", who=("a", "b"), why=(why, why))
    japanese = tongue(area__what="{who!r}と{why}", people__nobody="まだいません")
    assert notice.sentence(japanese) == "「a」、「b」とまだいません、まだいません"


@pytest.mark.parametrize(
    "template", ["{gone}", "{x.__class__}", "{x[0]}", "{}", "{x:%}", "{x", "{x:{x}}", None], ids=str
)
def test_a_template_that_does_not_fit_gives_way_to_english(template):
    notice = Notice("area.what", "it is {x}", x="here")
    assert notice.sentence(Tongue({"area.what": template}.get)) == "it is here"


def test_english_that_does_not_fit_is_shown_as_it_is():
    assert str(Notice("area.what", "it is {gone}")) == "it is {gone}"


def test_a_notice_is_frozen_comparable_and_hashable():
    notice = Notice("area.what", "{a} {b}", a=1, b=(2, NOBODY))
    assert notice == Notice("area.what", "{a} {b}", b=(2, NOBODY), a=1)
    assert notice != Notice("area.what", "{a} {b}", a=1, b=3) and notice != str(notice)
    assert len({notice, copy.deepcopy(notice), pickle.loads(pickle.dumps(notice))}) == 1
    assert repr(NOBODY) == "Notice('people.nobody', 'nobody yet')"
    with pytest.raises(AttributeError, match="make another"):
        notice.code = "area.other"


def test_what_is_quoted_can_be_put_on_one_line():
    notice = Notice("area.what", "{a} {of!r} {n}", a="x\n y", of=("p\tq", NOBODY), n=2)
    assert str(notice.in_one_line()) == "x y 'p q', nobody yet 2"


# -- stored ------------------------------------------------------------------------------------


def test_a_notice_is_stored_as_json_in_ascii():
    values = {"p": Decimal("1.50"), "of": ("a", 1, None), "why": NOBODY, "half": "\ud800"}
    notice = Notice("area.what", ("one {p}", "{count} {p}"), count=2, **values)
    assert notice.to_json().isascii()
    assert Notice.from_json(notice.to_json()) == notice
    assert repr(Notice.from_json(notice.to_json())) == repr(notice)


@pytest.mark.parametrize(
    "stored",
    [
        "the key is refused {401}",
        "",
        "12",
        "{}",
        '["a"]',
        '{"code": 1, "english": "", "values": {}}',
        '{"code": "a.b", "english": ["x"], "values": {}}',
        '{"code": "a.b", "english": "x"}',
        '{"code": "a.b", "english": "x", "values": {"x": {"decimal": "y"}}}',
        "[" * 99_999,
    ],
    ids=lambda stored: stored[:40],
)
def test_a_sentence_that_is_stored_already_is_shown_as_it_is(stored):
    notice = Notice.from_json(stored)
    assert (notice.code, str(notice)) == ("text", stored)
    assert notice.sentence(i18n.TONGUES["ja"]) == stored


# -- errors ------------------------------------------------------------------------------------


def test_an_error_carries_a_notice_and_is_its_english_line():
    named = NotFound("area.what", "no task {task!r}", task="7")
    assert named.notice == Notice("area.what", "no task {task!r}", task="7")
    assert str(pickle.loads(pickle.dumps(named))) == "no task '7'"
    error = NotFound(NOBODY)
    assert (error.notice, str(error)) == (NOBODY, "nobody yet")
    with pytest.raises(TypeError, match="a code"):
        ReviewError("a plain sentence")


@pytest.mark.parametrize(
    ("file", "address", "said"),
    [
        ("", "", ""),
        ("a.json", "", "a.json: "),
        ("", "line 3", "line 3: "),
        ("a.json", "7/id", "a.json#7/id: "),
    ],
)
def test_the_place_stands_before_the_sentence(file, address, said):
    error = BadInput(Notice("area.what", "{x!r} is missing", x="id"), file, address)
    assert (str(error), str(error.problem)) == (f"{said}'id' is missing", "'id' is missing")
    japanese = tongue(area__what="{x!r}がありません", input__at_place="{place}：{problem}")
    assert error.notice.sentence(japanese) == f"{said.replace(': ', '：')}「id」がありません"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.problem, again.file) == (str(error), error.problem, file)


def test_errors_that_make_their_own_notice():
    stale = StaleEdit("a", "b", 3)
    assert (stale.notice.code, stale.notice.values) == ("review.stale_edit", {"version": 3})
    assert str(ExportBlocked(["p/1: draft"])).startswith("1 segment is not approved: p/1: draft;")
    assert str(ExportBlocked(["p/1: draft"] * 2)).startswith("2 segments are not approved, first: ")


# -- the interface -----------------------------------------------------------------------------


@pytest.fixture
def japanese(monkeypatch):
    monkeypatch.setattr(i18n, "language", lambda: "ja")


def test_the_interface_says_it_in_japanese(japanese):
    notice = Notice("people.unknown", "…", name="x\n\u3000y", known=("あき", "みお"))
    assert i18n.notice_text(notice) == (
        "「x\\n\\u3000y」という名前のメンバーはいません。登録済みのメンバー：「あき」、「みお」"
    )
    unheard_of = Notice("area.unheard_of", "{who!r} and {why}", who=("a", "b"), why=NOBODY)
    assert i18n.notice_text(unheard_of) == "'a', 'b' and nobody yet"
    assert i18n.notice_text(as_it_is("{x}")) == "{x}"


@pytest.mark.parametrize(("count", "said"), [(1, "1 error"), (2, "2 errors"), ("2", "2 errors")])
def test_words_of_the_interface_are_counted_by_the_same_value(monkeypatch, count, said):
    monkeypatch.setattr(i18n, "language", lambda: "en")
    assert i18n.text("curation.count.error", count=count) == said


def test_a_language_without_plurals_has_one_form(japanese):
    assert i18n.text("curation.count.error", count=1) == "エラー 1件"


# -- every notice in the code ------------------------------------------------------------------


@cache
def trees():
    return notices_in_code.trees()


@cache
def errors() -> Errors:
    return notices_in_code.errors(trees())


@cache
def modules() -> tuple[Module, ...]:
    return tuple(notices_in_code.module(name, tree, errors()) for name, tree in trees().items())


def sites() -> tuple[Site, ...]:
    return tuple(site for module in modules() for site in module.sites)


def in_japanese():
    """Every template by code, as the files have it; a key that stands twice is refused."""
    templates = {}
    for path in sorted((i18n.SHARED / "ja" / i18n.NOTICES).glob("*.json")):
        pairs = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
        templates |= {f"{path.stem}.{key}": template for key, template in pairs.items()}
    return templates


def once(pairs):
    assert len(dict(pairs)) == len(pairs), f"a key stands twice: {sorted(key for key, _ in pairs)}"
    return dict(pairs)


def test_every_notice_is_made_of_literals_with_a_value_for_every_slot():
    assert sites()
    assert [fault for module in modules() for fault in module.faults] == []


def test_a_code_has_one_template():
    places = defaultdict(lambda: defaultdict(list))
    for site in sites():
        places[site.code][site.english].append(site.where)
    assert [
        f"{code!r} says different things at {' and '.join(map(str, said.values()))}: "
        "give them different codes"
        for code, said in places.items()
        if len(said) > 1
    ] == []


def test_every_notice_is_said_in_japanese_with_the_same_slots():
    assert list(notices_in_code.untranslated(sites(), in_japanese(), FOLDER)) == []


def test_a_module_that_makes_notices_raises_no_plain_sentence():
    """So a module is converted as a whole; this will hold for every module one day."""
    assert [
        f"{place}: give the sentence a code, as the others of this module have"
        for module in modules()
        for place in module.sentences
    ] == []


def test_every_error_for_people_hands_its_notice_up():
    assert {"BadInput", "StaleEdit", "ExportBlocked", *errors().by_code} < errors().family.keys()
    assert {"ReviewError", "NotAllowed", "NotFound"} <= errors().by_code
    assert list(notices_in_code.unnoticed(errors())) == []


def test_counted_words_have_both_forms():
    for path in i18n.PAGES.rglob("*.json"):
        for key, words in json.loads(path.read_text(encoding="utf-8")).items():
            assert isinstance(words, str) or words.keys() == {"one", "other"}, (path.name, key)
            assert isinstance(words, str) or "{count" in words["other"], (path.name, key)


# -- the walk itself ---------------------------------------------------------------------------

ERRORS = """class Lost(ReviewError): ...
class BadInput(ReviewError):
    def __init__(self, problem): super().__init__(problem)
"""


def walked(code: str) -> Module:
    known = {"a.py": ast.parse(ERRORS + code)}
    return notices_in_code.module("a.py", known["a.py"], notices_in_code.errors(known))


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ('Notice(code, "x")', "write Notice("),
        ('Notice("a.b")', "write Notice("),
        ('Notice("What", "x")', "must be area.what"),
        ('Notice("a.b", f"{x}")', "one literal"),
        ('Notice("a.b", ("x", "y", "z"))', "one literal"),
        ('Notice("a.b", "x", **more)', "name every value"),
        ('Notice("a.b", "{x}")', "pass x="),
        ('Notice("a.b", "x", y=1)', "write {y}"),
        ('Notice("a.b", ("1", "{n}"), n=1)', "pass count="),
        ('Notice("a.b", "{x.y}", x=1)', "plain name"),
        ('Notice("a.b", "{x!s}", x=1)', "plain name"),
        ('raise Lost("a.b", f"{x}")', "one literal"),
        ('raise Lost("a.b", "{x}")', "pass x="),
        ('raise Lost(code, "x")', "write Lost("),
        ("class Gone(Lost):  super().__init__(code, 'x')", "write super().__init__("),
    ],
)
def test_the_walk_says_what_is_wrong_with_a_notice(code, fault):
    (message,) = walked(code).faults
    assert message.startswith("a.py:4: ") and fault in message


@pytest.mark.parametrize("sentence", ['"x"', 'f"{x}"', '"x" + y', '"x" if y else z'])
def test_the_walk_finds_plain_sentences(sentence):
    assert walked(f"raise Lost({sentence})").sentences == ("a.py:4",)
    inside = f"class Gone(Lost):\n    def __init__(self): super().__init__({sentence})"
    assert walked(inside).sentences == ("a.py:5",)
    assert walked(f"raise BadInput({sentence}, 'a.json')").sentences == ("a.py:4",)
    assert walked("raise Lost(why)\nraise ValueError('x')").sentences == ()


def test_an_error_with_an_init_of_its_own_takes_what_it_likes():
    own = "class Gone(Lost):\n    def __init__(self, kind): super().__init__('a.b', 'x')\n"
    module = walked(f"{own}raise Gone('kind')\nraise Gone('kind', 'detail')")
    assert (module.sentences, module.faults, len(module.sites)) == ((), (), 1)
    mute = ast.parse(own.replace("'a.b', 'x'", ""))
    (message,) = notices_in_code.unnoticed(
        notices_in_code.errors({"": ast.parse(ERRORS), "a": mute})
    )
    assert message.startswith("class Gone: hand a code")


@pytest.mark.parametrize(
    ("japanese", "fault"),
    [
        ({}, 'a.py:4: add "b": "…" to ja/a.json, the Japanese of \'{x} is odd\' (slots: {x})'),
        ({"a.b": "変です"}, "ja/a.json, 'b': use exactly the slots {x} of a.py:4"),
        ({"a.b": "{x}は{y}"}, "ja/a.json, 'b': use exactly the slots {x} of a.py:4"),
        ({"a.b": "{x.y}は変です"}, "ja/a.json, 'b': {x.y} must be a plain name"),
        ({"a.b": "{x} is odd"}, "ja/a.json, 'b': is not Japanese yet"),
        ({"a.b": "{x}は変", "c.d": "古"}, "ja/c.json: remove 'd', no code makes a notice 'c.d'"),
    ],
)
def test_the_walk_says_what_the_catalogue_lacks(japanese, fault):
    module = walked('Notice("a.b", "{x} is odd", x=1)')
    (message,) = notices_in_code.untranslated(module.sites, japanese, "ja")
    assert message.startswith(fault)


def test_every_language_shown_has_its_way_of_saying_notices():
    assert i18n.LANGUAGES.keys() == {"en", *i18n.TONGUES}
    assert ENGLISH.template("people.nobody") is None
