"""How often the validity rules are right on the real tasks, by findings that a person has judged.

`make precision` runs it over the three domains in `../shared`, as imported and after the shipped
repairs. `tests/real/judged_findings.csv` has one row a finding: domain, task, code, `fault` (a hash
of place and message), verdict and why. Verdicts are

- true: a maintainer would agree that the task has this problem
- false: noise
- mended: was noise once and is not found any more; where it comes back, it is noise again

Only errors and warnings are judged: an info or a label says what is there, not that it is wrong.
Printed are findings and right ones by rule and by level, and every finding that nobody has judged.
Exit codes: 0 (also, with a word, where there are no real tasks), 1 if errors are not all right, if
less than three in four warnings are, or if a finding is not judged.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rule_cases import DATA, ROOT, money, pack, profile, violations

from review_app.core.envs import environment_class
from review_app.core.tasks.patch_files import patches_from_json
from review_app.core.tasks.patches import apply
from review_app.core.validity import ALL, DomainFacts, RuleViolation

DOMAINS = ("airline", "retail", "telecom")
JUDGED = ROOT / "tests" / "real" / "judged_findings.csv"
LEAST = {"error": 1.0, "warning": 0.75}
"""Level -> the share of its findings that must be right."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person said of one finding."""

    verdict: str
    """`true`, `false` or `mended`."""
    why: str


Key = tuple[str, str, str, str]
"""Domain, task, code and fault of a finding."""


def key_of(domain: str, violation: RuleViolation) -> Key:
    """What names a finding, however the rules around it change."""
    fault = hashlib.sha256(f"{violation.address}\n{violation.message}".encode()).hexdigest()[:12]
    return domain, violation.task_id, violation.code, fault


def judgements() -> dict[Key, Judgement]:
    """The judged findings of the repository."""
    with JUDGED.open(encoding="utf-8", newline="") as rows:
        return {
            (row["domain"], row["task"], row["code"], row["fault"]): Judgement(
                row["verdict"], row["why"]
            )
            for row in csv.DictReader(rows)
        }


def real_tasks(shared: Path, domain: str) -> list[Any]:
    """The tasks of a domain as imported."""
    text = (shared / "tau2" / "domains" / domain / "tasks.json").read_text("utf-8")
    tasks: list[Any] = json.loads(text)
    return tasks


def repaired_tasks(shared: Path, domain: str) -> list[Any]:
    """The tasks of a domain after the repairs of the shipped pack."""
    path = DATA / "patches" / "ja" / f"{domain}.json"
    tasks = {task["id"]: task for task in real_tasks(shared, domain)}
    for patch in patches_from_json(path.read_text("utf-8"), path.name) if path.exists() else ():
        if patch.layer == "repair" and patch.operations:
            tasks[patch.task_id] = apply(tasks[patch.task_id], patch)
    return list(tasks.values())


def real_facts(shared: Path, domain: str) -> DomainFacts:
    """What the rules look up for the tasks of a domain."""
    folder, kind = shared / "tau2" / "domains" / domain, environment_class(domain)
    words, user = pack(domain), None
    if domain == "telecom":
        tree = tomllib.loads((folder / "db.toml").read_text("utf-8"))
        user = kind.load_user(tomllib.loads((folder / "user_db.toml").read_text("utf-8")), words)
    elif (folder / "db.json.gz").exists():
        tree = json.loads(gzip.decompress((folder / "db.json.gz").read_bytes()))
    else:
        tree = json.loads((folder / "db.json").read_text("utf-8"))
    return DomainFacts(
        domain,
        profile(domain),
        pack=words,
        state=kind.load(tree, words),
        user_state=user,
        currency=money().source,
    )


def real_findings(shared: Path) -> dict[Key, RuleViolation]:
    """Every error and warning about the real tasks, as imported or repaired, each once."""
    return {
        key_of(domain, violation): violation
        for domain in DOMAINS
        for known in [real_facts(shared, domain)]
        for task in (*real_tasks(shared, domain), *repaired_tasks(shared, domain))
        for violation in violations(task, known)
        if violation.level in LEAST
    }


def lines(findings: dict[Key, RuleViolation], judged: dict[Key, Judgement]) -> Iterator[str]:
    """The report: rules, levels, findings without a judgement."""
    right = {key for key in findings if key in judged and judged[key].verdict == "true"}
    yield f"{'rule':<9}{'level':<9}{'name':<36}{'right':>6}{'of':>5}"
    of_rule, right_of_rule = Counter(key[2] for key in findings), Counter(key[2] for key in right)
    for code, count in sorted(of_rule.items()):
        rule = ALL[code]
        yield f"{code:<9}{rule.level:<9}{rule.name:<36}{right_of_rule[code]:>6}{count:>5}"
    for level in LEAST:
        share = f"{share_right(level, findings, judged):.0%}"
        yield f"{level}s: {share} right, {LEAST[level]:.0%} at least"
    for key in findings:
        if key not in judged:
            yield f"not judged: {','.join(key)} {findings[key].address} {findings[key].message}"


def share_right(
    level: str, findings: dict[Key, RuleViolation], judged: dict[Key, Judgement]
) -> float:
    """The share of a level's findings that are right; 1 where there are none."""
    verdicts = [
        key in judged and judged[key].verdict == "true"
        for key, violation in findings.items()
        if violation.level == level
    ]
    return sum(verdicts) / len(verdicts) if verdicts else 1.0


def precision_of(code: str, judged: dict[Key, Judgement]) -> str:
    """What the docstring of a rule says of its precision."""
    if ALL[code].level not in LEAST:
        return "Precision: not judged; it says what is there."
    verdicts = [
        judgement.verdict
        for (_, _, rule, _), judgement in judged.items()
        if rule == code and judgement.verdict != "mended"
    ]
    if not verdicts:
        return "Precision: finds nothing in the real tasks."
    return f"Precision: {verdicts.count('true')} of {len(verdicts)} on the real tasks."


def main(shared: Path = ROOT.parent / "shared") -> int:
    """Print the report; 1 if the rules are not right often enough, or nobody knows."""
    if not (shared / "tau2" / "domains").is_dir():
        print(f"skipped: no real tasks in {shared}")
        return 0
    findings, judged = real_findings(shared), judgements()
    report: Sequence[str] = list(lines(findings, judged))
    print("\n".join(report))
    enough = all(share_right(level, findings, judged) >= least for level, least in LEAST.items())
    return 0 if enough and all(key in judged for key in findings) else 1


if __name__ == "__main__":
    raise SystemExit(main())
