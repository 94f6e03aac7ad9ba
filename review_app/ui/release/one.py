"""One release: what it is, who signed it, whether it is sound, and its files to take along."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

import streamlit as st

from review_app.models import Person
from review_app.records.release import SIGNATURES_NEEDED, Release
from review_app.store import Store
from review_app.ui.release import list as releases_list
from review_app.ui.release import ways
from review_app.ui.shared import curation_words, downloads, links, progress, run_words, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import in_words, notice_text, text
from review_app.ui.shared.markup import items
from review_app.workflows import read_model
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.release import signatures, verify
from review_app.workflows.release.gates import GATES
from review_app.workflows.release.verify import Examined, Verification

PROBLEMS = 50
"""Problems of a check that are listed."""


@st.cache_resource(show_spinner=False)
def _verified() -> dict[tuple[str, str], tuple[str, Verification]]:
    """When a release was last verified, and what that said, by folder and manifest."""
    return {}


def show(store: Store, person: Person, name: str) -> None:
    """Facts and signatures at the left, what verifying says at the right, files below."""
    ways.back()
    release = signatures.named(store, name)
    st.html(f"<h2 class='jt-title'>{safe(release.name)} {releases_list.state(release)}</h2>")
    manifest = folder_swap.manifest(Path(release.folder))
    left, right = st.columns([11, 9], gap="large")
    with left:
        st.html(_facts(store, release, len(manifest.get("files", ()))))
        _show_signatures(store, person, release)
    with right:
        _show_verification(store, person, release)
    if not manifest:
        st.warning(text("release.gone"), icon=":material/folder_off:")
        return
    if person.role == "maintainer":
        _show_download(release, [*manifest["files"], folder_swap.MANIFEST])
    _link_to_differences(store, release)
    _show_missing(manifest["missing"])
    _show_files(manifest["files"], manifest["origins"])


def _facts(store: Store, release: Release, files: int) -> str:
    builder = read_model.person(store, release.built_by).name
    facts = {
        "note": safe(release.note),
        "revision": f"{release.revision:,}",
        "variant": safe(str(release.recipe["variant"])),
        "domains": safe(", ".join(release.domains)),
        "built": f"{safe(builder)} · {curation_words.moment(release.built_at)}",
        "folder": run_words.mono(release.folder),
        "manifest": run_words.mono(release.manifest_hash),
        "files": f"{files:,}" if files else "",
    }
    return run_words.facts({text(f"release.fact.{name}"): fact for name, fact in facts.items()})


# -- signatures --------------------------------------------------------------------------------


def _show_signatures(store: Store, person: Person, release: Release) -> None:
    st.html(curation_words.heading(text("release.signatures"), text("release.signatures_note")))
    lines = []
    for at in range(max(SIGNATURES_NEEDED, len(release.signatures))):
        signature = release.signatures[at] if at < len(release.signatures) else None
        said = text("release.waits_for_another" if at else "release.waits")
        if signature is not None:
            signer = read_model.person(store, signature.person_id).name
            said = f"{signer} · {curation_words.moment(signature.signed_at)}"
        look = "approved" if signature else "untranslated"
        word = escape(text("release.signature", number=at + 1))
        lines.append(f"<span class='jt-state jt-{look}'>● {word}</span> {safe(said)}")
    st.html(items(lines))
    if person.role != "maintainer":
        return
    if release.signed:
        st.caption(text("release.signed_by_all"))
        return
    problem = _why_not(person, release)
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.button(
        text("release.sign_second" if release.signatures else "release.sign_first"),
        key="release_sign",
        type="primary",
        icon=":material/draw:",
        on_click=_sign,
        args=(release.name,),
        disabled=bool(problem),
    )
    if problem:
        row.caption(text(f"release.{problem}"))
    session.show_notice(links.plain)


def _why_not(person: Person, release: Release) -> str:
    """Why somebody cannot sign; empty if they can."""
    if not release.complete:
        return "not_complete"
    mine = any(signature.person_id == person.id for signature in release.signatures)
    return "another_has_to" if mine else ""


def _sign(name: str) -> None:
    with session.noted(), session.opened() as store:
        signatures.sign(store, session.current_person(store), name)


# -- verifying ---------------------------------------------------------------------------------


def _show_verification(store: Store, person: Person, release: Release) -> None:
    st.html(curation_words.heading(text("release.verification")))
    key = (release.folder, release.manifest_hash)
    if person.role == "maintainer" and st.button(
        text("release.verify"), key="release_verify", icon=":material/fact_check:"
    ):
        place = st.empty()
        with place.container(), session.guard(links.plain):
            bar = progress.bar("release_verify")
            verification = verify.verify(Path(release.folder), store, progress=bar)
            _verified()[key] = (datetime.now(UTC).isoformat(), verification)
            place.empty()
    if key not in _verified():
        st.html(curation_words.quiet(text("release.never_verified")))
        return
    at, verification = _verified()[key]
    moment = curation_words.moment(at)
    if verification.ok:
        st.success(text("release.verified", at=moment), icon=":material/check_circle:")
    else:
        st.error(text("release.not_verified", at=moment), icon=":material/error:")
    st.html(items(map(_check, verification.checks)))


def _check(check: Examined) -> str:
    look, word = ("approved", "sound") if check.ok else ("error", "unsound")
    if check.not_checked is not None:
        look, word = "draft", "not_checked"
    badge = f"<span class='jt-state jt-{look}'>● {escape(text(f'release.{word}'))}</span>"
    said = [safe(in_words(problem)) for problem in check.problems[:PROBLEMS]]
    if check.not_checked is not None:
        said = [safe(notice_text(check.not_checked))]
    left = len(check.problems) - PROBLEMS
    if left > 0:
        said.append(escape(text("release.and_more", count=left)))
    lines = "".join(f"<div class='jt-muted'>{line}</div>" for line in said)
    return f"{badge} {safe(notice_text(check.title))}{lines}"


# -- files -------------------------------------------------------------------------------------


def _show_download(release: Release, files: list[str]) -> None:
    st.download_button(
        text("release.zip"),
        lambda: downloads.archive(Path(release.folder), files),
        file_name=f"{release.name}.zip",
        mime="application/zip",
        key="release_zip",
        icon=":material/download:",
        on_click="ignore",
    )


def _link_to_differences(store: Store, release: Release) -> None:
    """The way to what changed since the release before it, if there is one."""
    names = [known.name for known in releases_list.newest(store)]
    before = names[names.index(release.name) + 1 :]
    if before:
        label, pair = text("release.since", name=before[0]), f"{before[0]},{release.name}"
        ways.to("since", label, ":material/compare_arrows:", compare=pair)


def _show_missing(missing: dict[str, int]) -> None:
    """What blocked it when it was built."""
    if missing:
        st.html(curation_words.heading(text("release.was_missing")))
        rows = [
            (safe(notice_text(GATES[name]) if name in GATES else name), f"{count:,}")
            for name, count in missing.items()
        ]
        st.html(run_words.table((text("release.gate"), text("release.count")), rows, numbers=1))


def _show_files(files: dict[str, str], origins: dict[str, str]) -> None:
    rows = [
        (run_words.mono(place), escape(text(f"release.origin.{origins[place]}"))) for place in files
    ]
    table = run_words.table((text("release.file"), text("release.origin")), rows)
    st.html(curation_words.folded(text("release.files_of", count=len(files)), table))
