"""Unfinished patches are kept for each person, task and layer."""

from __future__ import annotations

from review_app.workflows.curation import patch_drafts


def test_what_one_person_typed_is_there_again_and_nobody_elses(imported, crew):
    ann, ben = crew.a, crew.b
    patch_drafts.keep(
        imported, ann, "airline", "0", "repair", {"task": {"id": "0", "x": "\u2028円"}}
    )
    patch_drafts.keep(imported, ann, "airline", "0", "localization", {"task": 2})
    content, saved_at = patch_drafts.kept(imported, ann, "airline", "0", "repair")
    assert content == {"task": {"id": "0", "x": "\u2028円"}}
    assert saved_at.endswith("Z")
    assert patch_drafts.kept(imported, ben, "airline", "0", "repair") is None


def test_the_newest_text_is_kept_until_it_is_dropped(imported, crew):
    ann = crew.a
    patch_drafts.keep(imported, ann, "airline", "0", "repair", {"n": 1})
    patch_drafts.keep(imported, ann, "airline", "0", "repair", {"n": 2})
    assert patch_drafts.kept(imported, ann, "airline", "0", "repair")[0] == {"n": 2}
    patch_drafts.drop(imported, ann, "airline", "0", "repair")
    assert patch_drafts.kept(imported, ann, "airline", "0", "repair") is None
