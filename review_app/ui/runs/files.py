"""Results files of the benchmark: import one as a run, take a run along as one."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import streamlit as st

from review_app.models import Person
from review_app.records.runs import Run
from review_app.store import Store
from review_app.ui.shared import curation_words, downloads, links, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.benchmark.files import naming
from review_app.workflows.runs import results_files


def show_import(store: Store, domains: list[str]) -> None:
    """Upload a file, or name one on this computer; large ones are read piece by piece."""
    with st.container(border=True, key="runs-import"):
        st.html(curation_words.quiet(text("runs.import_note")))
        turn = st.session_state.get("runs_turn", 0)
        st.file_uploader(text("runs.upload"), type=["json"], key=f"runs_upload_{turn}")
        st.text_input(text("runs.path"), key="runs_path", placeholder="results/run.json")
        row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
        row.selectbox(
            text("runs.domain_if_missing"),
            ["", *domains],
            key="runs_import_domain",
            width=260,
            format_func=lambda name: name or text("runs.domain_of_file"),
        )
        row.text_input(text("runs.name"), key="runs_import_name", width=300)
        st.button(
            text("runs.import"),
            key="runs_import",
            type="primary",
            icon=":material/upload:",
            on_click=_import,
        )


def _import() -> None:
    with session.noted(), session.opened() as store:
        person = session.current_person(store)
        turn = st.session_state.get("runs_turn", 0)
        upload = st.session_state.get(f"runs_upload_{turn}")
        path = str(st.session_state.get("runs_path") or "").strip()
        if upload is None and not path:
            st.session_state["notice"] = ("warning", text("runs.no_file"))
            return
        if upload is None:
            _take(store, person, Path(path).expanduser(), "")
        else:
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / "results.json"
                copy.write_bytes(upload.getvalue())
                with naming(upload.name):
                    _take(store, person, copy, Path(upload.name).stem)
        st.session_state["runs_turn"] = turn + 1


def _take(store: Store, person: Person, path: Path, name: str) -> None:
    imported = results_files.import_file(
        store,
        person,
        path,
        domain=str(st.session_state.get("runs_import_domain") or ""),
        name=str(st.session_state.get("runs_import_name") or "").strip() or name,
    )
    words = text("runs.imported_now", trials=imported.trials, tasks=imported.tasks)
    if imported.changed or imported.gone:
        words += " " + text("runs.differs", changed=len(imported.changed), gone=len(imported.gone))
    st.session_state["notice"] = ("success", words)
    links.keep_in_url("run", str(imported.run))


def show_export(store: Store, run: Run) -> None:
    """The run's finished trials as a results file, in either layout."""
    if not read_model.trial_counts(store, run.id).get("done"):
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    for layout, ending, mime in (
        ("json", "json", "application/json"),
        ("dir", "zip", "application/zip"),
    ):
        row.download_button(
            text(f"runs.download.{layout}"),
            partial(_written, run.id, layout),
            file_name=f"run{run.id}_{run.domain}.{ending}",
            mime=mime,
            key=f"runs_download_{layout}",
            icon=":material/download:",
            on_click="ignore",
            type="tertiary",
        )


def _written(run: int, layout: str) -> bytes:
    with session.opened() as store, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / ("results.json" if layout == "json" else f"run{run}")
        if layout == "json":
            results_files.export(store, run, target)
            return target.read_bytes()
        results_files.export(store, run, target, layout="dir")
        files = [str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()]
        return downloads.archive(target, files)
