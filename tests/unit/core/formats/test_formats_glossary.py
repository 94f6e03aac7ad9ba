"""Glossaries as CSV and TBX: what is written, what is refused."""

from __future__ import annotations

import pytest

from review_app.core.formats.glossary import (
    terms_from_csv,
    terms_from_tbx,
    terms_to_csv,
    terms_to_tbx,
)
from review_app.errors import BadInput
from review_app.models import Term

HEADER = "source,target,mode,domain,category,variants,accepted,exceptions,note\n"
TERM = Term(
    "business",
    "ビジネス",
    "exact",
    "airline",
    "cabin",
    ("biz",),
    ("ビジネスクラス",),
    ("business day",),
    "as the tool says",
    id=3,
    version=2,
)


def test_csv_is_readable_by_spreadsheets():
    formula = Term("=1+1", "a|b", variants=("x|y", "z"))
    assert terms_to_csv([TERM, formula]) == (
        "\ufeffsource,target,mode,domain,category,variants,accepted,exceptions,note\r\n"
        "business,ビジネス,exact,airline,cabin,biz,ビジネスクラス,business day,as the tool says\r\n"
        "'=1+1,a|b,prose,,,x\\|y|z,,,\r\n"
    )


def test_columns_may_come_in_any_order():
    text = "note,source,target,mode,domain,category,variants,accepted,exceptions\nn,a,b,keep,,,,,\n"
    assert terms_from_csv(text, "g.csv") == [Term("a", "b", "keep", note="n")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: missing columns source"),
        (HEADER.replace("note", "remark"), "missing columns note"),
        (HEADER.replace("note", "note,remark"), "unknown columns 'remark'"),
        (HEADER.replace("note", "note,note"), "occurs twice"),
        (HEADER + 'a,"b\nc",prose,,,,,,\na,b,maybe,,,,,,\n', "g.csv#line 4: unknown mode 'maybe'"),
        (HEADER + "a,b\n", "line 2: 2 cells"),
        (HEADER + ",b,prose,,,,,,\n", "line 2: the source is empty"),
        (HEADER + 'a,"b\n', "not CSV"),
    ],
    ids=["empty", "missing", "unknown", "twice", "mode", "short", "source", "quote"],
)
def test_broken_csv_is_refused_with_its_line(text, message):
    with pytest.raises(BadInput, match=message):
        terms_from_csv(text, "g.csv")


def test_tbx_marks_forbidden_terms():
    written = terms_to_tbx([Term("agent", "代理", "forbidden"), TERM], "en", "ja")
    assert written.count("deprecatedTerm-admn-sts") == 1
    assert '<descrip type="subjectField">cabin</descrip>' in written
    assert terms_from_tbx(written, "g.tbx")[1] == Term(
        "business",
        "ビジネス",
        "exact",
        "airline",
        "cabin",
        ("biz",),
        ("ビジネスクラス",),
        ("business day",),
        "as the tool says",
    )


FOREIGN = """<?xml version="1.0"?>
<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="1">
  <langSec xml:lang="ja">
    <termSec><term>係員</term></termSec>
    <termSec><term>代理</term>
      <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec>
    <termSec><term>担当者</term></termSec>
  </langSec>
  <langSec xml:lang="en"><termSec><term>agent</term></termSec></langSec>
</conceptEntry></body></text></tbx>"""


def test_tbx_of_other_tools_gives_preferred_and_forbidden_terms():
    assert terms_from_tbx(FOREIGN, "g.tbx") == [
        Term("agent", "係員", "prose", accepted=("担当者",)),
        Term("agent", "代理", "forbidden"),
    ]


ENTRY = "<tbx><conceptEntry id='c1'>{}</conceptEntry></tbx>"
TWO = "<langSec><termSec><term>a</term></termSec></langSec>" * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]><tbx/>', "document types"),
        ("<tbx>", "not XML"),
        ("<martif/>", "outermost element must be tbx, is 'martif'"),
        (ENTRY.format(""), "conceptEntry c1: needs two languages"),
        (ENTRY.format("<langSec/><langSec/>"), "needs a term in both"),
        (ENTRY.format(f"<admin type='x-mode'>maybe</admin>{TWO}"), "unknown mode 'maybe'"),
    ],
    ids=["doctype", "no xml", "other root", "no languages", "no terms", "mode"],
)
def test_broken_tbx_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        terms_from_tbx(text, "g.tbx")


def test_characters_that_xml_cannot_hold_are_refused():
    with pytest.raises(BadInput, match="export CSV"):
        terms_to_tbx([Term("a\x0b", "b")], "en", "ja")
