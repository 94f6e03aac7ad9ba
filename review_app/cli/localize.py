"""Localized domains: `localize`, `verify-localization`, `compare-localization`."""

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from review_app.workflows.localization.derived_domain import DerivationChoice
    from review_app.workflows.localization.proof import Proof

_DOMAIN = option("--domain", metavar="D", required=True, help="the domain, e.g. airline")
_VARIANT = option(
    "--variant",
    metavar="V",
    default="j-tau",
    help="a recipe of data/variants.toml: "
    "tau, tau*, j-tau, j-tau-en-tool, j-tau-en-user, j-tau-no-json, mt-only (j-tau)",
)
_SEED = option(
    "--seed",
    type=int,
    metavar="N",
    help="draw names anew with this seed, for this time only (the project's)",
)
_LOCALE = option("--locale", metavar="L", help="another locale than the project's target")
_DRAFTS = option("--drafts", action="store_true", help="take translations that are not approved")
_ASSERTIONS = option(
    "--assertions",
    choices=("source", "target"),
    default="target",
    help="language of the assertions that a judge reads (target)",
)


@command(
    "localize",
    option(
        "--domain",
        metavar="D",
        required=True,
        action="append",
        dest="domains",
        help="a domain, e.g. airline; may be given more than once",
    ),
    option(
        "--out",
        metavar="DIR",
        required=True,
        help="where; domains that are there already and not named stay",
    ),
    _VARIANT,
    _SEED,
    _LOCALE,
    _DRAFTS,
    _ASSERTIONS,
    option(
        "--allow-incomplete",
        action="store_true",
        help="let the adapted source stand in for texts that have no approved translation",
    ),
    JSON,
)
def localize(arguments: Arguments) -> int:
    """Write localized domains: database, tasks, tools, messages, policies, prompts."""
    from pathlib import Path

    from review_app.workflows.localization import domain_files

    store = open_store(arguments)
    done = domain_files.write(
        store,
        arguments.domains,
        Path(arguments.out),
        _choice(arguments),
        allow_incomplete=arguments.allow_incomplete,
        progress=show_progress,
    )
    manifest = done.manifest
    content = {"folder": done.folder, **manifest, "files": dict(done.files)}
    stand_ins = sum(len(about["stand_ins"]) for about in manifest["domains"].values())
    show(arguments, content, [f"{file}  {digest[:12]}" for file, digest in done.files.items()])
    if not arguments.json:
        say(
            f"{len(done.files)} files in {done.folder}; {stand_ins} texts stand in for translations"
        )
    return 0


@command(
    "verify-localization",
    _DOMAIN,
    _VARIANT,
    _SEED,
    _LOCALE,
    _DRAFTS,
    option(
        "--records",
        metavar="DIR",
        help="recorded calls of the reference to compare too "
        "(../shared/conformance beside the checkout, if it is there)",
    ),
    JSON,
)
def verify_localization(arguments: Arguments) -> int:
    """Prove that localizing commutes with replaying and leaves nothing over; exit code 1 if not."""
    from pathlib import Path

    from review_app.config import recorded_folder
    from review_app.workflows import read_model
    from review_app.workflows.localization import proof
    from review_app.workflows.localization.derived_domain import DerivationChoice

    store = open_store(arguments)
    choice = _choice(arguments)
    records = Path(arguments.records) if arguments.records else recorded_folder()
    proven = proof.verify(store, arguments.domain, choice, records=records, progress=show_progress)
    if choice in (DerivationChoice(), DerivationChoice(use="current")):
        proof.keep(store, proven, list(read_model.segments(store, arguments.domain)))
    show(arguments, proven.as_json(), _lines(proven))
    return int(not proven.ok)


def _lines(proven: Proof) -> Iterable[str]:
    record = proven.as_json()
    yield f"{proven.domain}, {proven.variant}: {proven.tasks} tasks, {proven.calls} recorded calls"
    yield f"{len(proven.violations)} violations"
    for violation in proven.violations:
        place = f"{violation.where} {violation.record} {violation.field}".rstrip()
        yield f"  {violation.severity} {violation.code} {place}: {violation.message}"
    yield f"{len(proven.roundings)} amounts off by rounding of the prices they are made of"
    yield from (f"  {line}" for line in proven.roundings)
    off = record["amounts_off_by_rounding"]
    yield f"{len(off)} of {proven.expected_amounts} expected amounts are not the converted ones"
    for amount in off:
        what = f"{amount['source']} -> {amount['target']} ({amount['found_as']})"
        yield f"  task {amount['task_id']}: {what}"
    yield f"{proven.stand_ins} texts stand in for translations"
    if proven.accepted:
        yield f"{len(proven.accepted)} leftovers accepted"
    if proven.note:
        yield str(proven.note)


@command(
    "compare-localization",
    _DOMAIN,
    option(
        "--with",
        dest="published",
        metavar="FILE",
        required=True,
        help="tasks.json of a published localization",
    ),
    option("--without-fixes", action="store_true", help="leave the patches of tasks out"),
    _SEED,
    JSON,
)
def compare_localization(arguments: Arguments) -> int:
    """Compare gold actions and expected strings with published tasks; exit 1 if unexplained."""
    from dataclasses import asdict
    from pathlib import Path

    from review_app.workflows.localization import published as localization_published
    from review_app.workflows.localization.derived_domain import DerivationChoice, Derived

    store = open_store(arguments)
    published = localization_published.read_tasks(Path(arguments.published))
    choice = DerivationChoice(seed=arguments.seed, fixes=not arguments.without_fixes)
    comparison = localization_published.compare(Derived(store, arguments.domain, choice), published)
    unlike = (*comparison.unlike, *comparison.texts_unlike)
    show(arguments, asdict(comparison), [difference.line() for difference in unlike])
    if not arguments.json:
        say(comparison.summary())
    return int(any(not difference.why for difference in comparison.unlike))


def _choice(arguments: Arguments) -> DerivationChoice:
    from review_app.workflows.localization.derived_domain import DerivationChoice

    return DerivationChoice(
        variant=arguments.variant,
        locale=arguments.locale,
        seed=arguments.seed,
        use="current" if arguments.drafts else "approved",
        assertions=getattr(arguments, "assertions", "target"),
    )
