"""Databases, and what tasks lay over them, before they are imported: every value of its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from review_app.core import formats
from review_app.core.envs import environment_class, has_environment
from review_app.core.formats.structured import parse_structured
from review_app.core.tasks.replay import require_initial_data
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.workflows.benchmark.environments import DATABASES, USER_DATABASES, packs
from review_app.workflows.benchmark.files import naming


def require_types(folder: Path, files: Mapping[str, str], domain: str) -> None:
    """Nothing, if a domain's databases have its types, and with each task's own data still have.

    Words and names of fields may be those of any language there is a pack for: a localized domain
    is imported like any other.

    Args:
        folder: Where the files lie, for messages.
        files: Name -> text; what is not there is not asked for.
        domain: One without an environment is passed over.

    Raises:
        BadInput: a value is missing or of a wrong type; names the file and the place in it.
    """
    if not has_environment(domain):
        return
    kind = environment_class(domain)
    sides = (
        ("agent_data", DATABASES, kind.normalize),
        ("user_data", USER_DATABASES, kind.normalize_user),
    )
    for side, names, normalize in sides:
        require = partial(_require, domain, normalize)
        for name in (name for name in names if name in files):
            tree = parse_structured(name, files[name])
            with naming(_on_disk(folder, name)):
                require(tree)
            for task_file in (file for file in files if formats.file_kind(file) == "task"):
                with naming(_on_disk(folder, task_file)):
                    for task in parse_structured(task_file, files[task_file]):
                        require_initial_data(task, side, tree, require)


def _require(domain: str, normalize: Callable[..., object], tree: Json) -> None:
    first: BadInput | None = None
    for pack in packs(domain):
        try:
            normalize(tree, pack, any_word=True)
        except BadInput as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


def _on_disk(folder: Path, name: str) -> Path:
    """The file of this name as it lies there, packed or not."""
    packed = folder / f"{name}.gz"
    return packed if packed.is_file() and not (folder / name).is_file() else folder / name
