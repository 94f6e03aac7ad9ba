"""Benchmark files from disk: found, bounded, decoded, checked."""

from __future__ import annotations

import gzip
import json

import pytest

from review_app.config import MAX_FILE_BYTES
from review_app.errors import BadInput
from review_app.workflows.benchmark import files


def read(tiny, **options):
    return files.read_source(tiny.source, "airline", **options)


def test_a_domain_is_found_from_checkout_data_folder_and_its_own_folder(tiny, tmp_path):
    checkout = tmp_path / "checkout"
    (checkout / "data").mkdir(parents=True)
    expected = dict(read(tiny).files)
    assert files.read_source(tiny.folder, "airline").files == expected
    tiny.source.rename(checkout / "data" / "tau2")
    assert files.read_source(checkout, "airline").files == expected
    assert files.read_source(checkout / "data" / "tau2", "airline").files == expected


def test_files_come_in_reading_order(tiny):
    assert list(read(tiny).files) == [
        "policy.md",
        "tasks.json",
        "tools.json",
        "messages.json",
        "split_tasks.json",
    ]


def test_texts_are_decoded_with_their_line_ends(tiny):
    (tiny.folder / "policy.md").write_bytes("# A\r\n\rB\u2028\n".encode())
    assert read(tiny).files["policy.md"] == "# A\r\n\rB\u2028\n"


def test_packed_files_are_read_unless_the_unpacked_one_is_there(tiny):
    (tiny.folder / "db.json.gz").write_bytes(gzip.compress(b'{"packed": 1}'))
    assert read(tiny).files["db.json"] == '{"packed": 1}'
    (tiny.folder / "db.json").write_text('{"plain": 1}')
    assert read(tiny).files["db.json"] == '{"plain": 1}'


def test_tools_that_are_given_replace_the_folders(tiny, tmp_path):
    other = tmp_path / "other.json"
    other.write_text("[]")
    assert read(tiny, tools=other, user_tools=other).files["user_tools.json"] == "[]"
    other.write_text("[")
    with pytest.raises(BadInput) as caught:
        read(tiny, tools=other)
    assert (caught.value.file, caught.value.address) == (str(other), "line 1 column 2")
    with pytest.raises(BadInput, match="cannot be read"):
        read(tiny, tools=tmp_path / "missing.json")


def test_a_domain_that_is_not_there_is_named(tiny):
    (tiny.source / "README.md").write_text("# The benchmark")
    with pytest.raises(BadInput, match="holds no domain 'retail'"):
        files.read_source(tiny.source, "retail")
    with pytest.raises(BadInput, match="no domain name"):
        files.read_source(tiny.source, "../airline")
    with pytest.raises(BadInput, match="not a folder"):
        files.read_source(tiny.source / "nowhere", "airline")


def test_the_guidelines_of_the_user_simulator_need_no_tasks(sample):
    guides = files.read_source(sample / "tau2", "user_simulator")
    assert all(name.endswith(".md") for name in guides.files)


def test_a_folder_of_another_domain_is_refused(tiny):
    with pytest.raises(BadInput, match="'airline', but the domain here is 'retail'"):
        files.read_source(tiny.folder, "retail")


def test_a_draft_needs_something_of_the_source(tiny, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "main_policy.md").write_text("# x")
    with pytest.raises(BadInput, match="none of the source's files"):
        files.read_draft(other, read(tiny), "airline")
    with pytest.raises(BadInput, match="not a folder"):
        files.read_draft(other / "main_policy.md", read(tiny), "airline")


def test_a_broken_packed_file_is_named_as_it_lies_there(tiny):
    (tiny.folder / "db.json.gz").write_bytes(gzip.compress(b"{"))
    with pytest.raises(BadInput) as caught:
        read(tiny)
    assert caught.value.file == str(tiny.folder / "db.json.gz")


def test_a_file_as_large_as_allowed_is_read_and_one_byte_more_is_not(tiny):
    path = tiny.folder / "data.json"
    path.write_bytes(b"{}".ljust(MAX_FILE_BYTES))
    assert len(files.read_text(path, tiny.folder)) == MAX_FILE_BYTES
    path.write_bytes(b"{}".ljust(MAX_FILE_BYTES + 1))
    with pytest.raises(BadInput, match="64 MB"):
        files.read_text(path, tiny.folder)


def test_links_may_point_within_the_source_and_not_out_of_it(tiny, tmp_path):
    policy = tiny.folder / "policy.md"
    inside = tiny.source / "shared_policy.md"
    policy.rename(inside)
    policy.symlink_to(inside)
    assert read(tiny).files["policy.md"].startswith("# Airline")
    outside = tmp_path / "secret.md"
    inside.rename(outside)
    policy.unlink()
    policy.symlink_to(outside)
    with pytest.raises(BadInput, match="outside the source"):
        read(tiny)


def test_a_linked_domain_folder_outside_of_the_source_is_refused(tiny, tmp_path):
    (tmp_path / "b" / "domains").mkdir(parents=True)
    (tmp_path / "b" / "domains" / "airline").symlink_to(tiny.folder)
    with pytest.raises(BadInput, match="outside the source"):
        files.read_source(tmp_path / "b", "airline")


def test_unknown_members_and_nulls_are_fine(tiny):
    path = tiny.folder / "tasks.json"
    tasks = json.loads(path.read_text())
    tasks[0] |= {"annotations": {"x": None}, "initial_state": None, "new": [1]}
    path.write_text(json.dumps(tasks))
    assert "annotations" in read(tiny).files["tasks.json"]
