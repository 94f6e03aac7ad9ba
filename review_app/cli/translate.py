"""Localization: `translate`."""

from __future__ import annotations

from review_app.cli.registry import (
    JSON,
    Arguments,
    command,
    open_store,
    option,
    say,
    show,
    show_progress,
)
from review_app.errors import BadInput
from review_app.notices import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from review_app.store import Store


@command(
    "translate",
    option("--domain", metavar="D", required=True, help="the domain, e.g. airline"),
    option(
        "--model",
        metavar="M",
        help="as litellm names it (default: JTAU_TRANSLATE_MODEL, else Gemini 3.1 Pro)",
    ),
    option("--dry-run", action="store_true", help="say what it would do and cost; call nobody"),
    option(
        "--again",
        action="store_true",
        help="also machine drafts of an older source, glossary, "
        "model or prompt, and what was given up",
    ),
    option("--concurrency", type=int, default=4, metavar="N", help="requests at once (4)"),
    option("--segments", nargs="+", default=[], metavar="ADDRESS", help="only these segments"),
    option("--background", action="store_true", help="do it in a process of its own: see jobs"),
    JSON,
)
def translate(arguments: Arguments) -> int:
    """Translate a domain by a language model; exit code 1 if texts are left."""
    if arguments.concurrency < 1:
        raise BadInput(Notice("cli.at_least_one", "must be 1 or more"), "--concurrency")
    store = open_store(arguments)
    params = {
        "model": arguments.model,
        "again": arguments.again,
        "concurrency": arguments.concurrency,
        "addresses": arguments.segments,
    }
    if arguments.dry_run:
        return _plan(arguments, store, params)
    if arguments.background:
        return _start(arguments, store, params)
    return _translate(arguments, store, params)


def _plan(arguments: Arguments, store: Store, params: Mapping[str, object]) -> int:
    from review_app.workflows.localization import translation, translation_plan

    plan = translation_plan.plan(store, translation.order_of(store, arguments.domain, params))
    content = {
        "texts": len(plan.made_from),
        "requests": len(plan.batches),
        "tokens_in": plan.tokens_in,
        "tokens_out": plan.tokens_out,
        "cost_usd": plan.cost_usd,
        "segments": plan.counts,
        "undecided": plan.undecided,
    }
    cost = "unpriced" if plan.cost_usd is None else f"{plan.cost_usd:.2f} USD"
    lines = [
        f"{len(plan.made_from)} texts in {len(plan.batches)} requests, about {plan.tokens_in:,} "
        f"tokens in and {plan.tokens_out:,} out: {cost}",
        *(f"{reason}: {count}" for reason, count in plan.counts.items()),
    ]
    if plan.undecided:
        lines.append(
            f"mentions without a counterpart: {plan.undecided}, see `jtau-review undecided`"
        )
    show(arguments, content, lines)
    return 0


def _start(arguments: Arguments, store: Store, params: Mapping[str, object]) -> int:
    from review_app.workflows.background import jobs

    job = jobs.start(store, None, "translate", arguments.domain, params)
    show(
        arguments, {"job": job}, [f"job {job} has started: `jtau-review jobs` shows how far it is"]
    )
    return 0


def _translate(arguments: Arguments, store: Store, params: Mapping[str, object]) -> int:
    from dataclasses import asdict

    from review_app.workflows.localization import translation, translation_report

    report = translation.translate_here(store, arguments.domain, params, progress=show_progress)
    show(arguments, asdict(report), [str(translation_report.summary(report))])
    if report.cancelled:
        say("jtau-review: stopped; what is done is kept, the same command goes on")
        return 130
    return int(bool(report.left))
