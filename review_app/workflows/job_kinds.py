"""What each kind of background job does. On top of all workflows, which never import it."""

from __future__ import annotations

from collections.abc import Mapping

from review_app import llm
from review_app.errors import ReviewError
from review_app.notices import Notice
from review_app.records.project import Job
from review_app.store import Store
from review_app.workflows.background.jobs import JobWork
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.review import checks


def check(store: Store, job: Job, reporter: Reporter) -> None:
    """Run the text checks of a domain, or of all, wherever they are out of date."""

    def progress(done: int, total: int, what: str | Notice) -> None:
        reporter.progress(done, total, what)
        reporter.stop_if_cancelled()

    checks.refresh(store, job.domain or None, progress=progress)


def translate(store: Store, job: Job, reporter: Reporter) -> None:
    """Translate a domain by the model of the settings; what is answered is saved batch by batch."""
    from review_app.workflows.localization import translation

    translation.run_job(store, job, reporter)


def preflight(store: Store, job: Job, reporter: Reporter) -> None:
    """Ask the model for translation something tiny; fails with what is wrong and what to do."""
    endpoint = llm.endpoint("translate")
    wrong = llm.preflight(endpoint)
    if wrong:
        raise ReviewError(wrong)
    answers = Notice("job.model_answers", "{model} answers", model=endpoint.model)
    reporter.progress(1, 1, answers)


def run_trials(store: Store, job: Job, reporter: Reporter) -> None:
    """Play the trials of a run; what is done and paid for is kept as soon as it is there."""
    from review_app.workflows.runs import play

    play.run_job(store, job, reporter)


def judge(store: Store, job: Job, reporter: Reporter) -> None:
    """Let the judge speak on the trials of a run."""
    from review_app.workflows.runs import play

    play.judge_job(store, job, reporter)


def release(store: Store, job: Job, reporter: Reporter) -> None:
    """Build a release: its folder is there when all is well, and not before."""
    from review_app.workflows.release import build_job

    build_job.run_job(store, job, reporter)


KINDS: Mapping[str, JobWork] = {
    "check": check,
    "judge": judge,
    "preflight": preflight,
    "release": release,
    "run": run_trials,
    "translate": translate,
}
"""Every kind of job. A kind whose imports are slow imports them when it runs."""
