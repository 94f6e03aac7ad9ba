"""Round trips of every format, over generated files."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.formats import align, parse_fields, render, units
from review_app.core.formats.edits import splice
from review_app.core.formats.glossary import (
    terms_from_csv,
    terms_from_tbx,
    terms_to_csv,
    terms_to_tbx,
)
from review_app.core.formats.json_text import literal, spans
from review_app.models import Term

quick = settings(max_examples=50, deadline=None)

PIECES = (
    "# Title",
    "## Sub section",
    "###",
    "Plain words here.",
    "two\nlines",
    "- item",
    "1. one\n   - nested\n\n   para",
    "```\n# no heading\n```",
    "~~~",
    "    four spaces",
    "\ttab",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> quoted",
    "<div>\nhtml\n</div>",
    "---",
    "===",
    "trailing  ",
    "\x0c",
    "form\x0cfeed",
    "next\x85line",
    "line\u2028sep",
    "\x00",
    "",
    " ",
    "#hash",
    "* item\n  more",
    "[ref]: /url",
    "- ",
    "1)",
    "```",
    "<!-- open",
    "a\\",
    "\u3000",
    "# 日本語の見出し",
    "+ x\n+ y",
    "\x0b",
    "\x1c",
)
newlines = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\n \n", "\n\t\n"])


@st.composite
def markdown(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.tuples(st.sampled_from(PIECES), newlines), max_size=12))
    end = draw(st.sampled_from(["", "last line", "\n\n\n", "  "]))
    return draw(st.sampled_from(["", "", "\ufeff"])) + "".join(map("".join, pieces)) + end


@quick
@given(markdown())
def test_markdown_comes_back_byte_for_byte(raw):
    cut = units("policy.md", raw)
    texts = {unit.address: unit.text for unit in cut}
    assert len(texts) == len(cut)
    assert render("policy.md", raw, None, {}) == raw
    assert render("policy.md", raw, None, texts) == raw
    assert all(unit.text.strip(" \t\r\n") for unit in cut)


@quick
@given(markdown(), markdown())
def test_a_markdown_draft_comes_back_byte_for_byte(source, draft):
    alignment = align("policy.md", source, draft)
    assert render("policy.md", source, draft, alignment.pairs) == draft
    assert render("policy.md", source, draft, {}) == draft
    addresses = [unit.address for unit in units("policy.md", source)]
    reported = [entry.address for entry in alignment.unaligned if entry.side == "source"]
    assert sorted([*alignment.pairs, *reported]) == sorted(addresses)
    lost = [entry.text for entry in alignment.unaligned if entry.side == "draft"]
    assert sorted([*alignment.pairs.values(), *lost]) == sorted(
        unit.text for unit in units("policy.md", draft)
    )


@quick
@given(markdown(), markdown())
def test_every_target_is_in_the_rendered_draft(source, draft):
    targets = {unit.address: f"T{n}." for n, unit in enumerate(units("policy.md", source))}
    rendered = render("policy.md", source, draft, targets)
    assert all(target in rendered for target in targets.values())


@quick
@given(markdown(), st.data())
def test_a_replaced_paragraph_is_read_again(raw, data):
    plain = [u for u in units("policy.md", raw) if u.text in ("Plain words here.", "last line")]
    if plain:
        address = data.draw(st.sampled_from(plain)).address
        changed = render("policy.md", raw, None, {address: "Neuer Text"})
        before = {unit.address: unit.text for unit in units("policy.md", raw)}
        after = {unit.address: unit.text for unit in units("policy.md", changed)}
        assert after == before | {address: "Neuer Text"}


names = st.sampled_from(["a", "b", "é", "x/y", "~", "", "\u2028", '"'])
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=15,
)


def string_paths(value, path=()):
    if isinstance(value, str):
        yield path
    children = value.items() if isinstance(value, dict) else ()
    children = enumerate(value) if isinstance(value, list) else children
    for step, child in children:
        yield from string_paths(child, (*path, step))


def replaced(value, path, text):
    if not path:
        return text
    copied = value.copy()
    copied[path[0]] = replaced(value[path[0]], path[1:], text)
    return copied


@quick
@given(values, st.sampled_from([None, 0, 2, "\t"]), st.booleans(), st.text(max_size=8), st.data())
def test_splicing_json_changes_one_string_only(value, indent, ascii_only, text, data):
    raw = " \r\n" + json.dumps(value, indent=indent, ensure_ascii=ascii_only) + "\n"
    paths = list(string_paths(value))
    if paths:
        path = data.draw(st.sampled_from(paths))
        start, end = spans(raw, paths)[path]
        changed = splice(raw, [((start, end), literal(text, ascii_only=ascii_only))])
        assert json.loads(changed) == replaced(value, path, text)
        assert (changed.startswith(raw[:start]), changed.endswith(raw[end:])) == (True, True)


nullable = st.none() | st.sampled_from(["", " ", "text", "日本", 'q"\\\n'])
tasks = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["0", "1", "[a]b|c/~"])},
        optional={
            "description": st.none() | st.fixed_dictionaries({}, optional={"notes": nullable}),
            "ticket": nullable,
            "user_scenario": st.fixed_dictionaries(
                {"instructions": nullable | st.fixed_dictionaries({"known_info": nullable})}
            ),
            "evaluation_criteria": st.fixed_dictionaries(
                {
                    "nl_assertions": st.none() | st.lists(nullable, max_size=3),
                    "actions": st.just([]),
                }
            ),
        },
    ),
    unique_by=lambda task: task["id"],
    max_size=3,
)
written = st.builds(
    lambda value, indent, ascii_only: json.dumps(value, indent=indent, ensure_ascii=ascii_only),
    tasks,
    st.sampled_from([None, 1, 4]),
    st.booleans(),
)


@quick
@given(written, written)
def test_a_task_draft_comes_back_or_is_completed(source, draft):
    alignment = align("tasks.json", source, draft)
    rendered = render("tasks.json", source, draft, alignment.pairs)
    ids = [[task["id"] for task in json.loads(raw)] for raw in (source, draft)]
    if set(ids[0]) <= set(ids[1]):
        assert rendered == draft
    else:
        assert [task["id"] for task in json.loads(rendered)] == ids[0]
    addresses = [unit.address for unit in units("tasks.json", source)]
    reported = [entry.address for entry in alignment.unaligned if entry.side == "source"]
    assert sorted([*alignment.pairs, *reported]) == sorted(addresses)


@quick
@given(written, written)
def test_targets_of_all_tasks_are_read_again(source, draft):
    targets = {u.address: f"T{n} ü" for n, u in enumerate(units("tasks.json", source))}
    rendered = render("tasks.json", source, draft, targets)
    after = {unit.address: unit.text for unit in units("tasks.json", rendered)}
    assert targets.items() <= after.items()


FIELDS = parse_fields('[[d."db.toml"]]\naddress="p/{id}/name"\npaths=["p/*{id}/name"]', "d")


@quick
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8))
def test_toml_takes_any_text(text):
    raw = '# head\r\n[[p]]\r\nid = "1"\r\nname = "old" # why\r\n\r\n[[p]]\r\nid="2"\r\n'
    changed = render("db.toml", raw, None, {"db.toml#p/1/name": text}, FIELDS)
    left, right = raw.split('"old"')
    assert changed.startswith(left)
    assert changed.endswith(right)
    if text.strip():
        assert [unit.text for unit in units("db.toml", changed, FIELDS)] == [text]


cells = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6
) | st.sampled_from(
    ["=1+1", "'=x", "-", "@a", "a|b", "\\", "\\e", "l1\r\nl2", "\r", '"', ",", " x "]
)
terms = st.builds(
    Term,
    source=cells.filter(bool),
    target=cells,
    mode=st.sampled_from(["exact", "prose", "keep", "forbidden"]),
    domain=st.none() | st.sampled_from(["airline", "retail"]),
    category=cells,
    variants=st.lists(cells, max_size=3).map(tuple),
    accepted=st.lists(cells, max_size=3).map(tuple),
    exceptions=st.lists(cells, max_size=3).map(tuple),
    note=cells,
)


@quick
@given(st.lists(terms, max_size=4))
def test_csv_glossary_comes_back(glossary):
    assert terms_from_csv(terms_to_csv(glossary), "g.csv") == glossary


def in_xml(text):
    return all(c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") for c in text)


def all_in_xml(term):
    lists = (*term.variants, *term.accepted, *term.exceptions)
    return all(map(in_xml, (term.source, term.target, term.category, term.note, *lists)))


@quick
@given(st.lists(terms.filter(all_in_xml), max_size=4), st.sampled_from(["ja", "en"]))
def test_tbx_glossary_comes_back(glossary, target_locale):
    assert terms_from_tbx(terms_to_tbx(glossary, "en", target_locale), "g.tbx") == glossary
