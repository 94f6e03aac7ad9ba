"""What a benchmark file holds, told from its name."""

from __future__ import annotations

import re

from review_app.models import SegmentKind

_KINDS: tuple[tuple[str, SegmentKind], ...] = (
    (r"policy\.md|main_policy.*\.md", "policy"),
    (r".*manual.*\.md", "manual"),
    (r".*workflow.*\.md", "workflow"),
    (r"simulation_guidelines.*\.md", "guideline"),
    (r".*\.md", "manual"),
    (r"tasks_voice\.json", "data"),
    (r"tasks.*\.json", "task"),
    (r"(user_)?tools\.json", "tool"),
    (r"db\.(json|toml)|user_db\..*", "database"),
    (r"messages\.json", "message"),
)


def file_kind(file: str) -> SegmentKind:
    """What sort of text the file holds; `data` for files that are carried along unchanged.

    Args:
        file: File name, with or without folders; only the last part counts.

    Example:
        "main_policy_solo.md" -> "policy", "split_tasks.json" -> "data"
    """
    name = file.rpartition("/")[2]
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, name)), "data")
