"""The published benchmark files: round trips, alignment counts, time."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from review_app.core.formats import (
    align,
    check_draft,
    check_source,
    file_kind,
    parse_fields,
    render,
    units,
)
from review_app.errors import BadInput


@pytest.fixture(scope="module")
def fields(sample):
    text = (sample.parent / "formats" / "fields.toml").read_text("utf-8")
    return lambda domain: parse_fields(text, domain)


def read(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def real_files(shared):
    """Name as the app sees it, domain, decoded text."""
    for folder in ("tau2", "jtau"):
        for path in sorted((shared / folder).rglob("*.*")):
            domain = path.parent.name.removesuffix("_ja")
            yield path.name.removesuffix(".gz"), domain, read(path)
    for path in sorted((shared / "tools_schema").glob("*.json")):
        yield "tools.json", path.stem.split("_")[0], read(path)


def test_all_files_come_back_byte_for_byte(shared, fields):
    seen = 0
    for file, domain, raw in real_files(shared):
        check_source(file, raw, domain)
        cut = units(file, raw, fields(domain))
        texts = {unit.address: unit.text for unit in cut}
        assert len(texts) == len(cut)
        assert render(file, raw, None, {}, fields(domain)) == raw
        assert render(file, raw, None, texts, fields(domain)) == raw
        seen += bool(cut)
    assert seen > 20


def test_changed_texts_are_read_again(shared, fields):
    for file, domain, raw in real_files(shared):
        if not file.endswith(".md"):
            cut = units(file, raw, fields(domain))
            targets = {unit.address: f"{unit.text} ü" for unit in cut}
            changed = render(file, raw, None, targets, fields(domain))
            after = [unit.text for unit in units(file, changed, fields(domain))]
            assert after == list(targets.values())


@pytest.mark.parametrize(
    ("file", "source", "draft", "count", "reasons"),
    [
        (
            "policy.md",
            "domains/airline",
            "airline_ja",
            111,
            {"section 'Reservation': 9 list items in the source, 8 in the draft"},
        ),
        (
            "simulation_guidelines.md",
            "user_simulator",
            "user_simulator",
            13,
            {
                "section 'Task Completion': 4 blocks in the source, 5 in the draft, "
                "not of the same kinds in the same order"
            },
        ),
        ("main_policy.md", "domains/telecom", "telecom_ja", 114, set()),
        ("tech_support_manual.md", "domains/telecom", "telecom_ja", 119, set()),
        ("tasks.json", "domains/airline", "airline_ja", 332, set()),
        ("db.toml", "domains/telecom", "telecom_ja", 26, set()),
    ],
)
def test_published_translations_align(shared, fields, file, source, draft, count, reasons):
    domain = source.partition("/")[2]
    ours = read(shared / "tau2" / source / file)
    theirs = read(shared / "jtau" / draft / file)
    check_draft(file, ours, theirs, domain)
    alignment = align(file, ours, theirs, fields(domain))
    alone = [entry for entry in alignment.unaligned if entry.side == "source"]
    assert {str(entry.reason) for entry in alignment.unaligned} == reasons
    assert len(alignment.pairs) + len(alone) == count == len(units(file, ours, fields(domain)))
    assert len(alone) == {"policy.md": 9, "simulation_guidelines.md": 4}.get(file, 0)
    assert render(file, ours, theirs, alignment.pairs, fields(domain)) == theirs
    assert render(file, ours, theirs, {}, fields(domain)) == theirs


def test_a_task_of_another_domain_is_no_draft(shared):
    domains = shared / "tau2" / "domains"
    airline, retail = (read(domains / name / "tasks.json") for name in ("airline", "retail"))
    with pytest.raises(BadInput, match="'retail'"):
        check_draft("tasks.json", airline, retail, "airline")


def test_all_products_are_found_and_written_everywhere(shared, fields):
    raw = read(shared / "tau2" / "domains" / "retail" / "db.json")
    retail = fields("retail")
    names = [u for u in units("db.json", raw, retail) if u.address.endswith("/name")]
    assert len(names) == len(json.loads(raw)["products"]) == 50
    shirt = "db.json#products/9523456873/name"
    changed = render("db.json", raw, None, {shirt: "Tシャツ"}, retail)
    assert changed == raw.replace('"T-Shirt"', '"Tシャツ"')


def test_units_cost_little_more_than_reading_json(shared, fields):
    files = [entry for entry in real_files(shared) if not entry[0].endswith(".md")]
    started = time.perf_counter()
    for file, domain, raw in files:
        units(file, raw, fields(domain))
    ours = time.perf_counter() - started
    started = time.perf_counter()
    for file, _, raw in files:
        if file.endswith(".json") and file_kind(file) != "data":
            json.loads(raw)
    assert ours < 6 * (time.perf_counter() - started) + 0.5
