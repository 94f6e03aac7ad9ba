"""Which names a release may have, and where it is written."""

from __future__ import annotations

import unicodedata

import pytest

from review_app.errors import BadInput
from review_app.workflows.release import names


@pytest.mark.parametrize(
    "name", ["first", "v1.0", "2026-12_ja", "Release-1", "最初の版", "ver.2", "consul", "a" * 64]
)
def test_names_that_a_person_would_give(name, tmp_path):
    assert names.require_name(name) == name
    assert names.folder_of(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "needs a name"),
        ("../x", "not '/'"),
        ("..", "begins with"),
        (".", "begins with"),
        ("/etc/x", "not '/'"),
        ("a/b", "not '/'"),
        ("a\\b", "not"),
        ("C:x", "not ':'"),
        ("CON", "Windows"),
        ("nul.txt", "Windows"),
        ("com1", "Windows"),
        ("LPT9.tar.gz", "Windows"),
        ("COM¹", "Windows"),
        ("ＣＯＮ", "Windows"),
        ("x" * 300, "300 characters"),
        ("a\nb", "not"),
        ("a\tb", "not"),
        ("a\0b", "not"),
        ("a\x1b[31m", "not"),
        ("a b", "not"),
        ("trailing.", "end in a dot"),
        (".hidden", "begins with"),
        ("-rf", "begins with"),
        ("🚀", "not"),
        ("v1❤️", "not"),
        ("a\u200bb", "not"),
        ("a\u202eb", "not"),
        (unicodedata.normalize("NFD", "版が"), "not|composed"),
        ("v\u212b", "composed"),
        ("\ud800", "not"),
    ],
    ids=ascii,
)
def test_hostile_names_are_refused_in_one_printable_line(name, why, tmp_path):
    with pytest.raises(BadInput, match=why) as caught:
        names.folder_of(tmp_path, name)
    said = str(caught.value)
    assert said.isprintable() and len(said) < 250
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_its_place_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    for target in ("elsewhere", "nowhere"):
        link = tmp_path / "first"
        link.symlink_to(tmp_path / target)
        with pytest.raises(BadInput, match="is a link"):
            names.folder_of(tmp_path, "first")
        link.unlink()
