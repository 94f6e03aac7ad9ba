"""What validity rules say, in the interface's language.

English is the rules' own; Japanese stands in `words/ja/rules.json`, a message and a name for each
code. A value that is a notice is said in the reader's language, too.
"""

from __future__ import annotations

from review_app.core.validity import RuleViolation
from review_app.notices import Notice
from review_app.ui.shared.i18n import catalogue, language, notice_text


def message(violation: RuleViolation) -> str:
    """A violation's message in the interface's language."""
    template = catalogue(language(), "rules").get(violation.code)
    if template is None:
        return violation.message
    values = {
        name: notice_text(value) if isinstance(value, Notice) else value
        for name, value in violation.values.items()
    }
    try:
        return template.format(**values)
    except (KeyError, IndexError):  # kept by an older version of the rule
        return violation.message


def name(code: str, english: str) -> str:
    """A rule's name in the interface's language; `english` as it is registered."""
    words = catalogue(language(), "rules").get(f"name.{code}")
    return words or english.replace("_", " ")
