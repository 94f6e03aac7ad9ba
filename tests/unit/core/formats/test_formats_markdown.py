"""Markdown files: blocks, addresses, alignment, writing back."""

from __future__ import annotations

import pytest

from review_app.core.formats import align, file_kind, render, units
from review_app.errors import BadInput

FILE = "policy.md"


def texts(raw):
    return [unit.text for unit in units(FILE, raw)]


def addresses(raw):
    return [unit.address.removeprefix("policy.md#") for unit in units(FILE, raw)]


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("policy.md", "policy"),
        ("main_policy_solo.md", "policy"),
        ("tech_support_manual.md", "manual"),
        ("tech_support_workflow_solo.md", "workflow"),
        ("simulation_guidelines_tools.md", "guideline"),
        ("notes.md", "manual"),
        ("tasks_small.json", "task"),
        ("tasks_voice.json", "data"),
        ("user_tools.json", "tool"),
        ("user_db.toml", "database"),
        ("messages.json", "message"),
        ("split_tasks.json", "data"),
        ("some/folder/db.json", "database"),
    ],
)
def test_a_file_name_tells_the_kind(file, kind):
    assert file_kind(file) == kind


def test_blocks_are_numbered_within_the_nearest_heading():
    raw = "before\n\n# Top\n\nfirst\n- a\n  - nested\n- b\n\n## Refunds & more!\n\nlast\n"
    assert list(zip(addresses(raw), texts(raw), strict=True)) == [
        ("_/0", "before"),
        ("top/0", "# Top"),
        ("top/1", "first"),
        ("top/2", "- a\n  - nested"),
        ("top/3", "- b"),
        ("refunds-more/0", "## Refunds & more!"),
        ("refunds-more/1", "last"),
    ]


def test_equal_headings_get_different_slugs():
    assert addresses("# A\n# A\n# A 2\n# !\n") == ["a/0", "a-2/0", "a-2-2/0", "section/0"]


def test_the_section_is_the_heading_path_without_the_title():
    raw = "# Title\nt\n## One\n### Deep\nd\n## Two\nx\n"
    assert [unit.section for unit in units(FILE, raw)] == [
        "Title",
        "Title",
        "One",
        "One > Deep",
        "One > Deep",
        "Two",
        "Two",
    ]


def test_a_heading_inside_a_fence_is_no_heading():
    assert texts("```sh\n# no\n\n```\n\n# Yes") == ["```sh\n# no\n\n```", "# Yes"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("---\n\na\n\n***\n", ["a"]),
        ("[x]: /url\n\ntext\n", ["text"]),
        ("| a |\n|---|\n| 1 |\n\n> q\n> r\n", ["| a |\n|---|\n| 1 |", "> q\n> r"]),
        ("    code\n\n    more\n\n", ["    code\n\n    more"]),
        ("\ufeff# Head\r\n\r\ntext  \r\n", ["# Head", "text  "]),
        ("one\rtwo\r\rthree", ["one\rtwo", "three"]),
        ("a\x0cb\x85c\u2028d\n\ne", ["a\x0cb\x85c\u2028d", "e"]),
        ("a\x00b\n", ["a\x00b"]),
        ("", []),
    ],
    ids=["rules", "references", "table", "code", "crlf", "cr", "separators", "nul", "empty"],
)
def test_text_is_exact_source_lines(raw, expected):
    assert texts(raw) == expected
    assert render(FILE, raw, None, {}) == raw


def test_a_replaced_block_gets_the_line_ends_of_its_file():
    raw = "one\r\n\r\ntwo\r\n"
    assert render(FILE, raw, None, {"policy.md#_/1": "x\ny"}) == "one\r\n\r\nx\r\ny\r\n"


def test_line_feeds_from_a_browser_are_no_change():
    raw = "one\r\ntwo\rthree\r\n"
    assert render(FILE, raw, None, {"policy.md#_/0": "one\ntwo\nthree"}) == raw


def test_an_unknown_address_is_refused():
    with pytest.raises(BadInput, match="policy.md#nowhere/1"):
        render(FILE, "# A\n", None, {"policy.md#nowhere/1": "x"})


SOURCE = "# A\n\nintro\n\n## B\n\np\n\n- one\n- two\n- three\n\nend\n\n## C\n\nq\n"
DRAFT = "# あ\n\n序\n\n## い\n\n段\n\n* 一\n* 二と三\n\n終\n\n## う\n\n文\n"


def test_translated_headings_align_by_structure():
    alignment = align(FILE, SOURCE, DRAFT)
    assert alignment.pairs == {
        "policy.md#a/0": "# あ",
        "policy.md#a/1": "序",
        "policy.md#b/0": "## い",
        "policy.md#b/1": "段",
        "policy.md#b/5": "終",
        "policy.md#c/0": "## う",
        "policy.md#c/1": "文",
    }
    assert {str(entry.reason) for entry in alignment.unaligned} == {
        "section 'B': 3 list items in the source, 2 in the draft"
    }
    assert [entry.address for entry in alignment.unaligned if entry.side == "source"] == [
        "policy.md#b/2",
        "policy.md#b/3",
        "policy.md#b/4",
    ]
    assert [(e.address, e.text) for e in alignment.unaligned if e.side == "draft"] == [
        ("い", "* 一"),
        ("い", "* 二と三"),
    ]


def test_paragraphs_turned_into_headings_align_by_count():
    alignment = align(FILE, "# A\n\n## B\n\nHow:\n\ntext\n", "# A\n\n## B\n\n### How\n\nText\n")
    assert alignment.pairs["policy.md#b/1"] == "### How"
    assert alignment.unaligned == ()


def test_a_section_of_another_make_is_reported_but_for_its_heading():
    alignment = align(FILE, "# A\n\np\n\n- x\n", "# あ\n\n- x\n")
    assert alignment.pairs == {"policy.md#a/0": "# あ"}
    assert str(alignment.unaligned[0].reason) == (
        "section 'A': 2 blocks in the source, 1 in the draft, "
        "not of the same kinds in the same order"
    )


def test_an_unaligned_run_with_a_target_is_written_from_the_source():
    rendered = render(FILE, SOURCE, DRAFT, {"policy.md#b/3": "- 二", "policy.md#c/1": "別"})
    assert rendered == DRAFT.replace("* 一\n* 二と三", "- one\n- 二\n- three").replace("文", "別")


@pytest.mark.parametrize(
    ("source", "draft", "address", "rendered"),
    [
        ("# A\n\np\n", "# あ\n", "a/1", "# あ\n\nT\n"),
        ("# A\np\n# B\n", "# あ\r\n# い\r\n", "a/1", "# あ\r\n\r\nT\r\n# い\r\n"),
        ("p\n\n# A\n", "# A\n", "_/0", "T\n\n# A\n"),
        ("p\n", "", "_/0", "T\n\n"),
    ],
    ids=["after the heading", "between headings", "before the first heading", "empty draft"],
)
def test_a_text_the_draft_lacks_is_inserted(source, draft, address, rendered):
    assert render(FILE, source, draft, {f"policy.md#{address}": "T"}) == rendered
