"""QA rules for translated text: a registry of small functions, one module a family.

Add a check: write a function in the module of its family (or a new module, imported here), with
`@check(code, severity, message)` and a docstring that has a line for `Flags` and one for `Passes`;
those examples are tests. Add its Japanese wording to `ui/shared/words/ja/findings.json`.
"""

from review_app.core.checks import amounts, markdown, terms, tokens, untranslated
from review_app.core.checks.registry import (
    ALL,
    CRASHED,
    Check,
    CheckFault,
    Context,
    check,
    ruleset,
    run,
)

RULESET = ruleset()
"""Findings stored under another value are out of date."""

FAMILIES = (tokens, terms, markdown, amounts, untranslated)

__all__ = [
    "ALL",
    "CRASHED",
    "FAMILIES",
    "RULESET",
    "Check",
    "Context",
    "CheckFault",
    "check",
    "run",
]
