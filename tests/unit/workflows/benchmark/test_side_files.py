"""What lies beside a domain's texts is kept byte for byte; and the commit of a checkout."""

from __future__ import annotations

import pytest
from tiny_benchmark import dump, unchecked

from review_app.errors import BadInput
from review_app.workflows.benchmark.source_commit import commit_of
from review_app.workflows.review import import_domain

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
COMMIT = "a2c0247" + "0" * 33


def import_tiny(store, tiny):
    with unchecked():
        return import_domain.import_domain(store, tiny.request())


def kept(store):
    return {
        (file.role, file.place): store.side_files.content(file)
        for file in store.side_files.of("airline")
    }


def test_pictures_and_licence_are_kept_and_what_is_hidden_is_not(store, tiny):
    (tiny.folder / "workflows").mkdir()
    (tiny.folder / "workflows" / "a.png").write_bytes(PNG)
    (tiny.folder / "notes.txt").write_bytes(b"")
    (tiny.folder / ".git").mkdir()
    (tiny.folder / ".git" / "config").write_text("x")
    (tiny.folder / "__pycache__").mkdir()
    (tiny.folder / "__pycache__" / "a.pyc").write_bytes(b"x")
    (tiny.source / "LICENSE").write_text("MIT License")
    import_tiny(store, tiny)
    assert kept(store) == {
        ("licence", "LICENSE"): b"MIT License",
        ("side", "notes.txt"): b"",
        ("side", "workflows/a.png"): PNG,
    }


def test_a_second_import_writes_nothing_and_a_changed_picture_only_itself(store, tiny):
    picture = tiny.folder / "a.png"
    picture.write_bytes(PNG)
    import_tiny(store, tiny)
    before = dump(store.path)
    assert not import_tiny(store, tiny).changed
    assert dump(store.path) == before
    picture.write_bytes(PNG[::-1])
    report = import_tiny(store, tiny)
    assert report.changed and (report.stale, report.added) == ([], 0)
    assert kept(store) == {("side", "a.png"): PNG[::-1]}
    assert dump(store.path)["segments"] == before["segments"]
    picture.unlink()
    assert import_tiny(store, tiny).changed and kept(store) == {}


def test_a_dry_run_keeps_nothing(store, tiny):
    (tiny.folder / "a.png").write_bytes(PNG)
    import_domain.import_domain(store, tiny.request(), dry_run=True)
    assert store.side_files.of("airline") == []


def test_a_link_that_leads_out_and_a_file_that_is_too_large_are_refused(
    store, tiny, tmp_path, monkeypatch
):
    (tmp_path / "secret").write_text("x")
    (tiny.folder / "a.png").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match=r"a\.png: points outside"):
        import_tiny(store, tiny)
    (tiny.folder / "a.png").unlink()
    (tiny.folder / "a.png").write_bytes(bytes(50_000))
    monkeypatch.setattr("review_app.workflows.benchmark.files.MAX_FILE_BYTES", 40_000)
    with pytest.raises(BadInput, match=r"a\.png: has"):
        import_tiny(store, tiny)
    assert store.documents.domains() == []


@pytest.mark.parametrize(
    ("files", "commit"),
    [
        ({}, None),
        ({"HEAD": COMMIT}, COMMIT),
        ({"HEAD": "ref: refs/heads/main\n", "refs/heads/main": f"{COMMIT}\n"}, COMMIT),
        (
            {"HEAD": "ref: refs/heads/a/b", "packed-refs": f"# pack\n{COMMIT} refs/heads/a/b\n"},
            COMMIT,
        ),
        ({"HEAD": "ref: refs/heads/gone"}, None),
        ({"HEAD": "ref: refs/../../secret", "../secret": COMMIT}, None),
        ({"HEAD": "no commit"}, None),
    ],
)
def test_the_commit_of_a_checkout(tmp_path, files, commit):
    for name, text in files.items():
        path = tmp_path / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert commit_of(tmp_path) == commit


def test_an_import_notes_the_commit(store, tiny):
    (tiny.source / ".git").mkdir()
    (tiny.source / ".git" / "HEAD").write_text(COMMIT)
    import_tiny(store, tiny)
    assert store.documents.domains()[0].report["commit"] == COMMIT
