"""Prove that localizing broke nothing, and keep what the proof found where people see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from review_app.core.formats.fields import TASK_FIELDS
from review_app.core.formats.slots import slots
from review_app.core.localize.expected_amounts import Figure, number
from review_app.core.localize.gathered import calls
from review_app.core.localize.prose.genders import stated_genders
from review_app.core.localize.stated_amounts import contradictions
from review_app.core.localize.tasks import LocalizedTask
from review_app.core.localize.values import Place
from review_app.core.proof import amounts as proof_amounts
from review_app.core.proof import leftovers
from review_app.core.proof.leftovers import LEFTOVERS, ProofViolation, Where
from review_app.core.proof.people import misgendered
from review_app.core.proof.recorded import KINDS, replayed
from review_app.core.proof.square import Square, SquareDifference
from review_app.errors import NotFound
from review_app.models import Segment
from review_app.notices import Notice
from review_app.records.localization import AcceptedMention, ProofInfo, StoredViolation
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import conformance, environments, files
from review_app.workflows.benchmark.environments import GoldTask
from review_app.workflows.localization import entities as localization_entities
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived, Use
from review_app.workflows.review import checks

STEP = 20
"""Tasks or calls between two reports of progress."""


@dataclass
class Proof:
    """What the proof of one domain found."""

    domain: str
    variant: str
    tasks: int = 0
    calls: int = 0
    violations: list[ProofViolation] = field(default_factory=list)
    roundings: list[Notice] = field(default_factory=list)
    """Amounts that differ because they were computed from rounded prices."""
    figures: list[tuple[str, Figure]] = field(default_factory=list)
    """Task id and expected amount, where it is not the converted one."""
    expected_amounts: int = 0
    """How many amounts the tasks expect to be said."""
    origins: Counter[str] = field(default_factory=Counter)
    """How the amounts of the tasks came to be: from the database, a sum, converted."""
    stand_ins: int = 0
    accepted: list[ProofViolation] = field(default_factory=list)
    """Leftovers that a person accepted, with a reason."""
    note: Notice | None = None
    """Why recorded calls were not compared."""

    @property
    def ok(self) -> bool:
        """Whether nothing is violated that must hold; warnings are for people to weigh."""
        return all(violation.severity != "error" for violation in self.violations)

    def as_json(self) -> dict[str, Any]:
        """The record that the command line writes."""
        return {
            "domain": self.domain,
            "variant": self.variant,
            "tasks": self.tasks,
            "calls": self.calls,
            "violations": [asdict(violation) for violation in self.violations],
            "by_code": dict(Counter(violation.code for violation in self.violations)),
            "roundings": list(map(str, self.roundings)),
            "expected_amounts": self.expected_amounts,
            "amounts_by_origin": dict(sorted(self.origins.items())),
            "amounts_off_by_rounding": [
                {
                    "task_id": task,
                    "source": str(figure.source),
                    "target": str(figure.target),
                    "found_as": figure.origin,
                }
                for task, figure in self.figures
            ],
            "stand_ins": self.stand_ins,
            "accepted": [asdict(violation) for violation in self.accepted],
            "note": str(self.note or ""),
        }


def verify(
    store: Store,
    domain: str,
    choice: DerivationChoice | None = None,
    *,
    records: Path | None = None,
    progress: Progress = silent,
) -> Proof:
    """Everything that must hold of a localized domain, checked.

    Args:
        store: The review database.
        domain: An imported domain with tools.
        choice: Variant, locale and seed.
        records: Folder of recorded calls, to compare these too.
        progress: Called every few tasks and calls.

    Raises:
        NotFound, BadInput: as `Derived`.
    """
    progress(0, 1, Notice("proof.localizing", "{domain}: localize", domain=domain))
    derived = Derived(store, domain, choice)
    proof = Proof(domain, derived.variant.name)
    _check_data(derived, proof)
    _check_tasks(derived, proof, progress)
    if records is not None:
        _check_calls(derived, proof, records, progress)
    _check_texts(derived, proof)
    _check_people(derived, proof)
    set_accepted_apart(proof, store.violations.accepted(domain))
    return proof


def keep(store: Store, proof: Proof, segments: Iterable[Segment], actor: str = "proof") -> None:
    """Put a proof's violations where people look: texts, tasks, entities."""
    by_address = {segment.address: segment for segment in segments}
    rows = []
    for violation in proof.violations:
        segment = by_address.get(violation.record) if violation.where == "text" else None
        rows.append((violation, segment.id if segment else None, segment.version if segment else 0))
    summary = {k: v for k, v in proof.as_json().items() if k != "violations"}
    summary["roundings"] = [rounding.to_json() for rounding in proof.roundings]
    with store.write(actor):
        touched = store.violations.put(proof.domain, rows, summary)
    checks.recheck(store, touched, actor=actor)


def prove(
    store: Store,
    domain: str,
    *,
    use: Use = "approved",
    records: Path | None = None,
    progress: Progress = silent,
) -> Proof:
    """`verify` the domain as the project has it, and `keep` what was found."""
    proof = verify(store, domain, DerivationChoice(use=use), records=records, progress=progress)
    keep(store, proof, list(store.segments.all(domain)))
    return proof


def violations(store: Store, domain: str) -> list[StoredViolation]:
    """What the last proof of a domain found."""
    return store.violations.of(domain)


def kind_of_leftover(store: Store, domain: str, source: str, record: str) -> str:
    """Of which kind a leftover is that the last proof found at a place.

    Raises:
        NotFound: it found none there.
    """
    for stored in store.violations.of(domain):
        violation = stored.violation
        if (violation.record, violation.values.get("found")) == (record, source):
            return violation.values["kind"]
    raise NotFound(
        "proof.no_such_leftover",
        "the last check found no {source!r} at {record!r}: run it again, or see its list",
        source=source,
        record=record,
    )


def last(store: Store, domain: str) -> ProofInfo | None:
    """When the domain was proved last, and the figures of that proof."""
    return store.violations.proof(domain)


# -- parts -------------------------------------------------------------------------------------


def _check_data(derived: Derived, proof: Proof) -> None:
    """Vocabulary, mappings, references, and what is left over in the databases."""
    localizer = derived.derivation.localizer
    for place, source, target in derived.trees():
        proof.violations += leftovers.vocabulary(localizer, place, source)
        if derived.variant.entities == "target":
            proof.violations += _unmapped(derived, place, source)
        if _is_whole(derived):
            texts = leftovers.database_texts(place, target)
            proof.violations += leftovers.leftovers(derived.derivation.mentions, texts)
    proof.violations += leftovers.injectivity(localizer.entities, derived.ids)
    proof.violations += leftovers.references(localizer.rules, derived.database, localizer.pack)


def _unmapped(derived: Derived, place: Place, tree: Any) -> Iterator[ProofViolation]:
    """What has no counterpart, but for products where the variant keeps the source's."""
    for violation in leftovers.unmapped(derived.derivation.localizer, place, tree):
        is_product = violation.values["kind"] in ("product", "option")
        if derived.variant.returns == "target" or not is_product:
            yield violation


def _check_tasks(derived: Derived, proof: Proof, progress: Progress) -> None:
    square = Square(derived.derivation.localizer)
    chosen = [task for task in derived.tasks.values() if task.file == environments.TASKS]
    for at, gold in enumerate(chosen, 1):
        task_id = str(gold.task["id"])
        with files.naming(f"{derived.domain}/{gold.file}"):
            source, target = derived.replays(gold)
            localized = derived.localized(gold, derived.originals[task_id].task, source, target)
        _add_differences(proof, square.differences(source, target), "task", task_id)
        _add_figures(derived, proof, gold, localized)
        proof.violations += _task_vocabulary(derived, gold)
        proof.violations += _task_leftovers(derived, gold, localized)
        proof.tasks += 1
        proof.stand_ins += len(localized.stand_ins)
        if at % STEP == 0 or at == len(chosen):
            progress(
                at, len(chosen), Notice("proof.tasks", "{domain}: tasks", domain=derived.domain)
            )


def _add_differences(
    proof: Proof, differences: Iterable[SquareDifference], where: Where, record: str
) -> None:
    for difference in differences:
        if difference.kind == "rounding":
            place = "/".join(part for part in (difference.record, difference.field) if part)
            rounding = Notice(
                "proof.rounding",
                "{record}: {call} {place}: {expected} expected, {actual} found",
                record=record,
                call=difference.call,
                place=place,
                expected=str(difference.expected),
                actual=str(difference.actual),
            )
            proof.roundings.append(rounding)
        else:
            proof.violations.append(leftovers.broken(difference, where, record))


def _add_figures(derived: Derived, proof: Proof, gold: GoldTask, localized: LocalizedTask) -> None:
    money = derived.derivation.localizer.money
    criteria = gold.task.get("evaluation_criteria") or {}
    expected = {number(info) for info in criteria.get("communicate_info") or ()}
    for figure in localized.figures:
        if figure.source in expected:
            proof.expected_amounts += 1
            if money and figure.target != money.expected(figure.source):
                proof.figures.append((str(gold.task["id"]), figure))
    proof.origins.update(figure.origin for figure in localized.figures)
    proof.violations += [
        proof_amounts.contradicting(str(gold.task["id"]), contradiction)
        for contradiction in contradictions(localized.figures)
    ]


def _task_vocabulary(derived: Derived, gold: GoldTask) -> Iterator[ProofViolation]:
    for call in calls([gold.task]):
        name = call.get("name") or call.get("func_name") or ""
        tree = {name: call.get("arguments") or {}}
        # A repaired or a hostile call may hold anything; the square says what a tool refuses.
        yield from leftovers.vocabulary(
            derived.derivation.localizer, "arguments", tree, str(gold.task["id"])
        )


def _task_leftovers(
    derived: Derived, gold: GoldTask, localized: LocalizedTask
) -> Iterator[ProofViolation]:
    """What a localized task still names of the source: on its text where it is a translation."""
    if not _is_whole(derived):
        return
    task_id = str(gold.task["id"])
    stand_ins = set(localized.stand_ins)
    texts: list[tuple[Where, str, str, str]] = []
    translations: list[tuple[Where, str, str, str]] = []
    for slot in slots([localized.task], TASK_FIELDS):
        if slot.address in stand_ins:
            texts.append(("task", task_id, slot.address.removeprefix(f"{task_id}/"), slot.text))
        else:
            translations.append(("text", f"{gold.file}#{slot.address}", "", slot.text))
    criteria = localized.task.get("evaluation_criteria") or {}
    for at, info in enumerate(criteria.get("communicate_info") or ()):
        if isinstance(info, str) and number(info) is None:
            place = f"evaluation_criteria/communicate_info/{at}"
            texts.append(("task", task_id, place, info))
            if info not in derived.values and (kept := leftovers.kept(task_id, place, info)):
                yield kept
    yield from leftovers.leftovers(derived.derivation.mentions, texts)
    yield from leftovers.leftovers(derived.derivation.traces, translations)
    yield from proof_amounts.unread(derived.derivation.mentions, [*texts, *translations])


def _check_calls(derived: Derived, proof: Proof, records: Path, progress: Progress) -> None:
    """The square for every recorded call, if the records start from the imported database."""
    square, localizer = Square(derived.derivation.localizer), derived.derivation.localizer
    known = list(conformance.records_of(records, derived.domain))
    if not any(_starts_here(derived, record) for record in known):
        proof.note = Notice(
            "proof.records_of_another",
            "the records of {folder} are not of this database: not compared",
            folder=str(records),
        )
        return
    chosen = [record for record in known if record["kind"] in KINDS]
    for at, record in enumerate(chosen, 1):
        source = replayed(record, derived.source.open())
        target = replayed(record, derived.open(), localizer)
        _add_differences(proof, square.differences(source, target), "call", str(record["id"]))
        proof.calls += 1
        if at % (STEP * 10) == 0 or at == len(chosen):
            note = Notice("proof.calls", "{domain}: recorded calls", domain=derived.domain)
            progress(at, len(chosen), note)


def _starts_here(derived: Derived, record: Any) -> bool:
    states = derived.source.open().states()
    hashes = {"agent": states[0].hash, "user": states[1].hash if states[1] else None}
    return bool(record.get("kind") == "meta" and record.get("pristine_hash") == hashes)


def _check_texts(derived: Derived, proof: Proof) -> None:
    """Policies, tools and all other texts but those of tasks."""
    if _is_whole(derived):
        derivation = derived.derivation
        for mentions, stand_in in ((derivation.mentions, True), (derivation.traces, False)):
            texts: list[tuple[Where, str, str, str]] = [
                ("text", address, "", derived_text.text)
                for address, derived_text in derived.texts.items()
                if derived_text.stands_in == stand_in
            ]
            proof.violations += leftovers.leftovers(mentions, texts)
            proof.violations += proof_amounts.unread(mentions, texts)
    proof.stand_ins += sum(1 for text in derived.texts.values() if text.stands_in)
    proof.violations += leftovers.spelling(
        derived.derivation.localizer.entities, derived.database_translations()
    )


def set_accepted_apart(proof: Proof, accepted: Iterable[AcceptedMention]) -> None:
    """Leftovers that people accepted, at their place or everywhere, are no violations."""
    marks = {(mention.record, mention.kind, mention.source) for mention in accepted}

    def is_accepted(violation: ProofViolation) -> bool:
        kind, source = violation.values.get("kind", "amount"), violation.values.get("found")
        return violation.code in LEFTOVERS and any(
            (record, kind, source) in marks for record in ("", violation.record)
        )

    proof.accepted = list(filter(is_accepted, proof.violations))
    proof.violations = [v for v in proof.violations if not is_accepted(v)]


def _check_people(derived: Derived, proof: Proof) -> None:
    """Whether names are of the gender that the texts of tasks say."""
    entities = derived.derivation.localizer.entities
    people = [row.source.rpartition(" ") for row in entities.of("person")]
    tasks = [gold.task for gold in derived.tasks.values()]
    pairs = [(given, family) for given, _, family in people]
    if stated := stated_genders(tasks, pairs, localization_entities.grammar()):
        pool = derived.derivation.locale.name_pool()
        proof.violations += misgendered(entities, stated, pool)


def _is_whole(derived: Derived) -> bool:
    """Whether nothing of the source may be left: some variants keep parts on purpose."""
    variant = derived.variant
    return {variant.entities, variant.values, variant.texts} == {"target"}
