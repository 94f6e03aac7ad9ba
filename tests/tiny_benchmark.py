"""A small benchmark on disk, people to review it, and a way to compare databases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from review_app.models import Person
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.review import checks
from review_app.workflows.review.import_domain import ImportRequest

POLICY = """# Airline Agent Policy

You help customers to change their flights.

## Refunds

- Refund a booking only within 24 hours.
- A refund takes 5 business days.

## Baggage

Each extra bag costs $50.

```
baggage = 2
```
"""
POLICY_JA = """# 航空会社エージェントの規定

お客様の航空便の変更を手伝います。

## 返金

- 予約の返金は24時間以内に限ります。
- 返金には5営業日かかります。

## 手荷物

追加の手荷物は1個7,500円です。

```
baggage = 2
```
"""


def _task(number: str, reason: str, known: str, **more: object) -> dict[str, object]:
    said = {
        "domain": "airline",
        "reason_for_call": reason,
        "task_instructions": more.pop("say", "Be brief."),
        "known_info": known,
        "unknown_info": None,
    }
    action = {"action_id": f"{number}_0", "name": "get_user", "arguments": {"user_id": "ann_1"}}
    return {
        "id": number,
        "user_scenario": {"persona": None, "instructions": said},
        "evaluation_criteria": {"actions": [action], **more},
        "annotations": None,
    }


def _tool(name: str, description: str, cabin: str, values: list[str]) -> dict[str, object]:
    cabins = {"description": cabin, "enum": values, "type": "string"}
    parameters = {"properties": {"cabin": cabins}, "required": ["cabin"], "type": "object"}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _write(folder: Path, files: dict[str, object]) -> Path:
    folder.mkdir(parents=True)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


@dataclass(frozen=True)
class Tiny:
    """One small domain on disk, with a draft of every text."""

    source: Path
    """In the layout of `data/tau2`."""
    draft: Path

    @property
    def folder(self) -> Path:
        """The domain's own folder."""
        return self.source / "domains" / "airline"

    def request(self, **more: Any) -> ImportRequest:
        """What imports it, with the draft unless another one is named."""
        return ImportRequest(
            **{"source": self.source, "domain": "airline", "draft": self.draft} | more
        )

    def change(self, file: str, old: str, new: str, *, draft: bool = False) -> None:
        """Put another text into a file."""
        path = (self.draft if draft else self.folder) / file
        text = path.read_bytes().decode("utf-8")
        assert old in text
        path.write_bytes(text.replace(old, new).encode("utf-8"))


def write_tiny(folder: Path) -> Tiny:
    """The small domain and its draft, written into a folder."""
    _write(
        folder / "tau2" / "domains" / "airline",
        {
            "policy.md": POLICY,
            "tasks.json": [
                _task("0", "You want to cancel your flight.", "You are Ann."),
                _task(
                    "1", "You want a window seat.", "You are Bob.", nl_assertions=["Agent is kind."]
                ),
                _task("2", "You ask for a refund.", "You are Cem."),
            ],
            "tools.json": [_tool("book", "Book a flight.", "The cabin.", ["economy", "business"])],
            "messages.json": {"user_not_found": "User {user_id} not found"},
            "split_tasks.json": {"base": ["0", "1", "2"]},
        },
    )
    _write(
        folder / "draft_ja",
        {
            "policy.md": POLICY_JA,
            "tasks.json": [
                _task("0", "航空便を取り消したいです。", "あなたはAnnです。", say="手短に。"),
                _task(
                    "1",
                    "窓側の席がほしいです。",
                    "あなたはBobです。",
                    say="手短に。",
                    nl_assertions=["エージェントは親切です。"],
                ),
                _task("2", "返金を頼みます。", "あなたはCemです。", say="手短に。"),
            ],
            "tools.json": [
                _tool("book", "航空便を予約します。", "座席クラス。", ["エコノミー", "ビジネス"])
            ],
            "messages.json": {"user_not_found": "ユーザー{user_id}が見つかりません"},
        },
    )
    return Tiny(folder / "tau2", folder / "draft_ja")


@dataclass(frozen=True)
class Crew:
    """Three annotators and a maintainer."""

    a: Person
    b: Person
    c: Person
    m: Person


def add_crew(store: Store) -> Crew:
    """Three annotators and a maintainer, added to a database."""
    add = project.add_person
    annotators = (add(store, name, "annotator") for name in ("Aki", "Ben", "Chie"))
    return Crew(*annotators, add(store, "Mio", "maintainer"))


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of a database."""
    with closing(sqlite3.connect(path)) as db:
        names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in names}


@contextmanager
def unchecked() -> Iterator[None]:
    """Let workflows save texts without checking and indexing them, to look at what waits for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "recheck", lambda *arguments, **options: None)
        patch.setattr(checks, "index_search", lambda *arguments, **options: None)
        yield
