"""Translate a domain by a model: what is to do, what it will cost, and doing it.

A text that a person wrote, answered or is typing is never touched. Every answer is stored before
anything is done with it, and a request that was answered once is not sent again.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from types import FrameType

from review_app import llm
from review_app.core.translation import answer as model_answer
from review_app.core.translation import request
from review_app.core.translation.answer import Complaint
from review_app.core.translation.request import Batch
from review_app.llm import LlmError
from review_app.models import KINDS, Segment
from review_app.notices import Notice
from review_app.pacing import Limiter
from review_app.records.localization import Translation
from review_app.records.project import Job, StoredAnswer
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.localization import adapted_source, translation_report
from review_app.workflows.localization.translation_plan import (
    CONCURRENCY,
    TranslationOrder,
    TranslationPlan,
    TranslationSetup,
    plan_at,
)
from review_app.workflows.localization.translation_report import TranslationReport
from review_app.workflows.review import answers, checks

RETRIES = 2
"""How often faulty texts are asked for again."""
GRACE_S = 5.0
"""How long a cancel waits for answers that are under way: they are paid for."""
ACTOR = "translation"


# -- translating -------------------------------------------------------------------------------


def translate(
    store: Store,
    order: TranslationOrder,
    reporter: Reporter,
    job: int | None = None,
    *,
    progress: Progress = silent,
) -> TranslationReport:
    """Translate what is to do; each batch is saved as soon as it is answered.

    A batch that gets no answer is left for the next run and does not stop the others. Cancelling
    keeps what is done and paid for.

    Args:
        store: The review database.
        order: What to translate.
        reporter: Hears of progress and cost; asked whether to stop.
        job: The job on whose behalf answers are kept.
        progress: Hears the same as the reporter.

    Raises:
        LlmError: the key was refused; what was done before is kept.
        NotFound: no such domain or address.
    """
    store.documents.require(order.domain)
    setup = TranslationSetup(store, order)
    run = _Run(store, order, setup, plan_at(store, order, setup), reporter, job, progress)
    asyncio.run(run.all())
    if run.refused is not None:
        raise run.refused
    return run.report


@dataclass
class _Best:
    """The best text so far for one key."""

    text: str = ""
    faults: tuple[Notice, ...] = (model_answer.NO_ANSWER,)

    def offer(self, text: str, faults: tuple[Notice, ...]) -> None:
        if (not self.text and text) or (text and len(faults) < len(self.faults)):
            self.text, self.faults = text, faults
        elif not self.text:
            self.faults = faults


class _Run:
    """One translation under way."""

    def __init__(
        self,
        store: Store,
        order: TranslationOrder,
        setup: TranslationSetup,
        what: TranslationPlan,
        reporter: Reporter,
        job: int | None,
        progress: Progress,
    ) -> None:
        self.store, self.order, self.setup, self.plan = store, order, setup, what
        self.reporter, self.job, self.progress = reporter, job, progress
        self.report = TranslationReport(len(what.made_from))
        self.refused: LlmError | None = None
        self.limiter = Limiter(order.concurrency, order.endpoint.requests_per_minute)
        self.queue: Iterator[Batch] = iter(what.batches)
        self.started = monotonic()
        self.asked_to_stop: float | None = None

    async def all(self) -> None:
        """Let so many batches be under way at a time until all are done."""
        self._report_progress()
        await asyncio.gather(*(self._work() for _ in range(max(1, self.order.concurrency))))
        self.report.cancelled = self.reporter.cancelled()
        self.report.spent = self.reporter.pulse().spent
        for batch in self.queue:
            self.report.leave(translation_report.NOT_ASKED, len(batch.wanted))

    async def _work(self) -> None:
        for batch in self.queue:
            await self._translate(batch)
            self._report_progress()
            if self.refused is not None or self.reporter.cancelled():
                return

    async def _translate(self, batch: Batch) -> None:
        best = {key: _Best() for key in batch.wanted}
        complaints: dict[str, Complaint] | None = None
        try:
            for retry in range(1 + RETRIES):
                complaints = await self._ask(batch, complaints, best, retry)
                if not complaints:
                    break
            settled = best
        except LlmError as error:
            settled = {key: text for key, text in best.items() if not text.faults}
            self.report.leave(error.kind, len(best) - len(settled))
            if error.kind == "authentication":
                self.refused = error
        self._save(batch, settled)

    async def _ask(
        self,
        batch: Batch,
        complaints: Mapping[str, Complaint] | None,
        best: Mapping[str, _Best],
        retry: int,
    ) -> dict[str, Complaint]:
        """Ask for a batch, or for its faulty texts again; returns what is still wrong."""
        wanted = {k: s for k, s in batch.wanted.items() if complaints is None or k in complaints}
        attempt = max(self.plan.attempts[segment.id] for segment in batch.wanted.values())
        name = self.setup.request_hash(batch, complaints, (attempt, retry))
        answer = self.store.jobs.answer(name)
        if answer is None:
            answer = await self._answer(batch, complaints, name)
        else:
            self.report.reused += 1
        parsed = model_answer.judge(
            answer.response, wanted, self.setup.context, truncated=answer.finish_reason == "length"
        )
        faulty = model_answer.complaints(parsed, wanted)
        for key in wanted:
            faults = faulty[key].faults if key in faulty else ()
            best[key].offer(parsed.texts.get(key, ""), faults)
        return faulty

    async def _answer(
        self, batch: Batch, complaints: Mapping[str, Complaint] | None, name: str
    ) -> StoredAnswer:
        """The model's answer, kept before anything else happens."""
        if self.reporter.cancelled() or self.refused is not None:
            raise LlmError("cancelled")
        keys = list(batch.wanted if complaints is None else complaints)
        # Servers without JSON schemas get another form by the endpoint's parameters.
        has_form = "response_format" in self.order.endpoint.parameters
        reply = await llm.complete(
            self.order.endpoint,
            self.setup.messages(batch, complaints),
            response_format=None if has_form else request.response_format(keys),
            cancelled=self._is_over,
            limiter=self.limiter,
        )
        version = self.setup.templates[batch.kind].version
        answer = StoredAnswer(
            request_hash=name,
            job_id=self.job,
            model=self.order.endpoint.model,
            prompt_version=version,
            response=_whole(reply.text),
            finish_reason=reply.finish_reason,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cost_usd=reply.cost_usd,
            latency_s=reply.latency_s,
        )
        with self.store.write(ACTOR):
            self.store.jobs.keep_answer(answer)
        self.report.calls += 1
        self.reporter.spent(reply)
        return answer

    def _is_over(self) -> bool:
        """Whether even answers that are under way are given up."""
        if not self.reporter.cancelled():
            return False
        self.asked_to_stop = self.asked_to_stop or monotonic()
        return monotonic() - self.asked_to_stop > GRACE_S

    def _save(self, batch: Batch, settled: Mapping[str, _Best]) -> None:
        version = self.setup.templates[batch.kind].version
        saved = []
        with self.store.write(ACTOR):
            for key, best in settled.items():
                planned = batch.wanted[key]
                if not self._is_untouched(planned):
                    self.report.skipped += 1
                    continue
                self._put(planned, best, version)
                saved.append(planned.id)
        checks.check_segments(self.store, saved, self.setup.rules, actor=ACTOR)

    def _is_untouched(self, planned: Segment) -> bool:
        """Whether the segment is as it was when the model was asked, and nobody's by now."""
        now = self.store.segments.get(planned.id)
        return (
            (now.version, now.source_hash) == (planned.version, planned.source_hash)
            and bool(self.store.segments.review_row(planned.id)["active"])
            and not self.store.translations.is_persons(planned.id)
        )

    def _put(self, planned: Segment, best: _Best, prompt_version: str) -> None:
        version = planned.version
        if best.text:
            version = answers.put_draft(self.store, planned.id, best.text).version
        outcome = Translation(
            segment_id=planned.id,
            made_from=self.plan.made_from[planned.id],
            model=self.order.endpoint.model,
            prompt_version=prompt_version,
            source_hash=planned.source_hash,
            version=version,
            faults=best.faults,
        )
        self.store.translations.add([outcome])
        if not best.text:
            self.report.missing += 1
        elif best.faults:
            self.report.flagged += 1
        else:
            self.report.translated += 1

    def _report_progress(self) -> None:
        done, texts = self.report.done, self.report.texts
        left = (texts - done) * (monotonic() - self.started) / done if done else None
        note = translation_report.progress_note(self.reporter.pulse().spent, left)
        self.reporter.progress(done, texts, note)
        self.progress(done, texts, note)


def _whole(text: str) -> str:
    """The text with U+FFFD for half a surrogate pair: JSON can escape one, nothing can hold it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# -- as a job ----------------------------------------------------------------------------------


def order_of(store: Store, domain: str, params: Mapping[str, object]) -> TranslationOrder:
    """The order that a job's parameters state; endpoint and key come from the settings.

    Raises:
        BadInput: a setting, or a file of the domain or the locale, cannot be used.
        NotFound: no such domain.
    """
    model = params.get("model")
    return TranslationOrder(
        domain=domain,
        endpoint=llm.endpoint("translate", model=str(model) if model else None),
        again=bool(params.get("again")),
        addresses=_listed(params.get("addresses")),
        kinds=tuple(kind for kind in KINDS if kind in _listed(params.get("kinds"))),
        concurrency=int(str(params.get("concurrency") or CONCURRENCY)),
        adapt=adapted_source.adapted(store, domain),
        waits=adapted_source.waiting(store, domain),
    )


def _listed(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, Sequence) else ()


def run_job(
    store: Store, job: Job, reporter: Reporter, *, progress: Progress = silent
) -> TranslationReport:
    """Do a job of kind `translate`; its last note says what came of it."""
    order = order_of(store, job.domain, job.params)
    report = translate(store, order, reporter, job.id, progress=progress)
    reporter.progress(report.done, report.texts, translation_report.summary(report))
    return report


def translate_here(
    store: Store, domain: str, params: Mapping[str, object], *, progress: Progress = silent
) -> TranslationReport:
    """Translate in this process, as a job that others see; Ctrl+C cancels it cleanly.

    Raises:
        ReviewError: a translation of this domain is under way.
        LlmError: the key was refused; what was done before is kept.
    """
    reports = []

    def work(store: Store, job: Job, reporter: Reporter) -> None:
        with _stopped_by_sigint(reporter):
            reports.append(run_job(store, job, reporter, progress=progress))

    jobs.reap(store)
    with store.write(ACTOR):
        job = store.jobs.create("translate", domain, params, None)
    jobs.run(store, job, {"translate": work})
    return reports[0]


@contextmanager
def _stopped_by_sigint(reporter: Reporter) -> Iterator[None]:
    """Let the first Ctrl+C stop the work in an orderly way, and the second one at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        reporter.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
