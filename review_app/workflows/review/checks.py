"""Run the text checks where a text, a term or a rule changed, and list what they found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from review_app.config import data_text
from review_app.core import checks
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.money import MoneyRule, money_rule
from review_app.core.locale.tokens import renamed_endings
from review_app.core.proof import leftovers
from review_app.core.proof.leftovers import ProofViolation
from review_app.core.translation.answer import doubt
from review_app.models import Finding
from review_app.notices import Notice
from review_app.records.localization import Translation
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent

CHECKING = Notice("check.checking", "checks")
INDEXING = Notice("check.indexing", "search index")

BATCH = 100
"""Segments checked for each write transaction: others can write in between."""


@dataclass(frozen=True)
class Rules:
    """What the checks go by, made once and used for many segments."""

    glossary: Glossary
    money: MoneyRule
    source_locale: str
    target_locale: str
    endings: tuple[tuple[str, str], ...]
    """Endings of field names that the locale changes: `_est` to `_jst`."""
    key: str
    """Changes when a term, a check or a locale does: findings of another key are stale."""

    def context(self, domain: str) -> checks.Context:
        """What the checks of one domain's texts need."""
        return checks.Context(
            glossary=self.glossary,
            money=self.money,
            source_locale=self.source_locale,
            target_locale=self.target_locale,
            domain=domain,
            endings=self.endings,
        )


def _in_force(store: Store) -> tuple[str, str]:
    return str(store.path), rules_key(store)


@cached(LRUCache(4), key=_in_force, lock=Lock())
def rules(store: Store) -> Rules:
    """The rules in force: the project's glossary, its locales and the registered checks.

    Made once for each database and edition of its glossary.
    """
    project = store.people.project()
    locale = project.target_locale
    rules_text = data_text("locales", locale, "locale.toml")
    return Rules(
        glossary=Glossary(store.terms.all(), locale),
        money=money_rule(rules_text),
        source_locale=project.source_locale,
        target_locale=locale,
        endings=renamed_endings(rules_text),
        key=rules_key(store),
    )


def rules_key(store: Store) -> str:
    """Names the rules in force: `Rules.key`, without making them."""
    locale = store.people.project().target_locale
    return f"{checks.RULESET}-{store.terms.edition()}-{locale}"


def refresh(
    store: Store, domain: str | None = None, *, progress: Progress = silent, actor: str = "checks"
) -> int:
    """Check every segment whose findings are out of date; returns how many that were."""
    waiting = store.findings.unchecked(rules_key(store), domain)
    recheck(store, waiting, progress=progress, actor=actor)
    return len(waiting)


def recheck(
    store: Store, segments: Sequence[str], *, progress: Progress = silent, actor: str = "checks"
) -> None:
    """Check many segments, in batches that let others write in between."""
    in_force = rules(store)
    for start in range(0, len(segments), BATCH):
        progress(start, len(segments), CHECKING)
        check_segments(store, segments[start : start + BATCH], in_force, actor=actor)
    progress(len(segments), len(segments), CHECKING)


def bring_up_to_date(store: Store, segments: Sequence[str]) -> None:
    """Check those of these segments whose findings are of another text or of other rules.

    Every workflow that saves texts ends with it.
    """
    outdated = store.findings.outdated(rules_key(store), segments)
    if outdated:
        recheck(store, outdated)


def after_term_edit(store: Store, old_key: str, touched: Iterable[str]) -> None:
    """Keep the findings of every segment that an edit of the glossary cannot have changed.

    Called in the transaction of the edit, so that nobody else's edit comes in between. `refresh`,
    or `recheck` of the touched ones, does the rest.

    Args:
        store: The review database.
        old_key: `rules_key` before the edit.
        touched: Ids of segments in which a spelling of an edited term occurs.
    """
    store.findings.carry_over(old_key, rules_key(store), touched)


def check_segments(
    store: Store, segments: Iterable[str], in_force: Rules, *, actor: str = "checks"
) -> None:
    """Check these segments and keep the findings."""
    texts = [store.segments.get(segment) for segment in segments]
    doubtful = store.translations.faulty([text.id for text in texts])
    unproved = store.violations.of_segments([text.id for text in texts])
    checked = [
        (
            text,
            [
                *checks.run(text, in_force.context(text.domain)),
                *_doubts(doubtful.get(text.id)),
                *map(as_finding, unproved.get(text.id, ())),
            ],
        )
        for text in texts
    ]
    with store.write(actor):
        for text, findings in checked:
            if store.segments.get(text.id).version == text.version:
                store.findings.put(text.id, findings, in_force.key)


def _doubts(outcome: Translation | None) -> list[Finding]:
    """What machine translation could not settle, until a person writes another version."""
    return [] if outcome is None else [doubt(outcome.version, outcome.faults)]


def as_finding(violation: ProofViolation) -> Finding:
    """What a proof of the localization found, as a finding among those of the checks."""
    return Finding(
        code=violation.code,
        name=leftovers.RULES[violation.code],
        severity=violation.severity,
        message=violation.message,
        values=dict(violation.values),
    )


def index_search(store: Store, *, progress: Progress = silent, actor: str = "search") -> None:
    """Bring the search index up to the last import."""
    left, done = 1, 0
    while left:
        with store.write(actor):
            left = store.segments.index_search()
        done += 1
        progress(done, done + left // 2000, INDEXING)


def open_findings(store: Store, domain: str | None = None) -> list[dict[str, Any]]:
    """Open findings as plain records: code, severity, domain, file, address, span, message."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity,
            "domain": where,
            "file": file,
            "address": address,
            "span": list(finding.span) if finding.span else None,
            "in_source": finding.in_source,
            "message": finding.message,
        }
        for where, file, address, finding in store.findings.open(domain)
    ]
