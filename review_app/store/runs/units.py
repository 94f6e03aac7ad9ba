"""Units: the trials of a run, their trajectories, and what judges and people say of them."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence

from review_app.errors import NotFound
from review_app.json_types import Json
from review_app.records.runs import (
    NewTrialUnit,
    NewTrialVerdict,
    TrialResult,
    TrialUnit,
    TrialVerdict,
)
from review_app.store.connection import Table, now

_JSON = ("reward_info", "fault", "usage", "extras")


class Units(Table):
    """Reads and writes of trials."""

    def get(self, unit: int) -> TrialUnit:
        """The trial with this id."""
        row = self._row("SELECT * FROM units WHERE id = ?", (unit,))
        if row is None:
            raise NotFound("run_row.trial_unknown", "no trial {trial!r}", trial=unit)
        return _unit(row)

    def of_run(self, run: int) -> list[TrialUnit]:
        """The trials of a run by task, trial and attempt."""
        rows = self._rows(
            """SELECT u.* FROM units u JOIN run_tasks t USING (run_id, task_id) WHERE run_id = ?
            ORDER BY t.position, trial, attempt""",
            (run,),
        )
        return [_unit(row) for row in rows]

    def of_task(self, task_hash: str) -> list[TrialUnit]:
        """The finished trials of a task with this content, in any run."""
        rows = self._rows(
            "SELECT * FROM units WHERE task_hash = ? AND state = 'done' ORDER BY id", (task_hash,)
        )
        return [_unit(row) for row in rows]

    def attempts(self, run: int, task_id: str, trial: int) -> list[TrialUnit]:
        """The attempts at one trial of a task, in order."""
        rows = self._rows(
            """SELECT * FROM units WHERE run_id = ? AND task_id = ? AND trial = ?
            ORDER BY attempt""",
            (run, task_id, trial),
        )
        return [_unit(row) for row in rows]

    def spent_usd(self, run: int) -> float:
        """What a run has cost so far, as far as it has prices: trials, replies, verdicts."""
        row = self._row(
            """SELECT coalesce((SELECT sum(cost_usd) FROM units WHERE run_id = :run), 0)
            + coalesce((SELECT sum(json_extract(reply, '$.cost_usd')) FROM unit_replies r
                JOIN units u ON u.id = r.unit_id WHERE u.run_id = :run), 0)
            + coalesce((SELECT sum(v.cost_usd) FROM verdicts v
                JOIN units u ON u.id = v.unit_id WHERE u.run_id = :run), 0) AS usd""",
            {"run": run},
        )
        return 0.0 if row is None else float(row["usd"])

    def counts(self, run: int) -> dict[str, int]:
        """Trials of a run by state."""
        rows = self._rows(
            "SELECT state, count(*) AS n FROM units WHERE run_id = ? GROUP BY state", (run,)
        )
        return {row["state"]: row["n"] for row in rows}

    def add(self, run: int, units: Iterable[NewTrialUnit]) -> None:
        """Add trials to be played; one that is there already stays as it is."""
        self._db.executemany(
            """INSERT INTO units(run_id, task_id, task_hash, state_hash, trial, attempt, seed,
            state) VALUES (?,?,?,?,?,?,?,'waiting') ON CONFLICT DO NOTHING""",
            [
                (run, u.task_id, u.task_hash, u.state_hash, u.trial, u.attempt, u.seed)
                for u in units
            ],
        )

    def add_done(
        self, run: int, new: NewTrialUnit, result: TrialResult, messages: Sequence[Json]
    ) -> int:
        """Add a trial that was played elsewhere; returns its id."""
        self.add(run, [new])
        row = self._row(
            "SELECT id FROM units WHERE run_id = ? AND task_id = ? AND trial = ? AND attempt = ?",
            (run, new.task_id, new.trial, new.attempt),
        )
        assert row is not None
        self.finish(row["id"], result, messages)
        return int(row["id"])

    def begin(self, unit: int) -> None:
        """Note that a trial is under way."""
        self._db.execute(
            """UPDATE units SET state = 'running', started_at = ?, version = version + 1
            WHERE id = ? AND state <> 'done'""",
            (now(), unit),
        )

    def put_back(self, run: int) -> None:
        """Let the trials wait that nobody plays any more."""
        self._db.execute(
            """UPDATE units SET state = 'waiting', version = version + 1
            WHERE run_id = ? AND state = 'running'""",
            (run,),
        )

    def finish(self, unit: int, result: TrialResult, messages: Sequence[Json]) -> bool:
        """Keep what a trial came to; the first result stays. Its single replies are dropped."""
        values = {name: getattr(result, name) for name in TrialResult.__dataclass_fields__}
        values |= {name: None if values[name] is None else _packed(values[name]) for name in _JSON}
        values["finished_at"] = result.finished_at or now()
        started = values.pop("started_at")
        setters = ", ".join(f"{name} = :{name}" for name in values)
        changed = self._db.execute(
            f"""UPDATE units SET {setters}, started_at = coalesce(:started, started_at),
            state = 'done', version = version + 1 WHERE id = :unit AND state <> 'done'""",
            {**values, "unit": unit, "started": started},
        ).rowcount
        if not changed:
            return False
        self._db.execute(
            "INSERT INTO trajectories(unit_id, messages) VALUES (?, ?)",
            (unit, zlib.compress(_packed(list(messages)).encode(), 6)),
        )
        self._db.execute("DELETE FROM unit_replies WHERE unit_id = ?", (unit,))
        return True

    def put_reward(
        self, unit: int, reward: float | None, reward_info: Json | None, rule_id: str
    ) -> None:
        """Note what a finished trial is worth by the judge's present verdicts."""
        info = None if reward_info is None else _packed(reward_info)
        self._db.execute(
            """UPDATE units SET reward = ?, reward_info = ?, rule_id = ?, version = version + 1
            WHERE id = ? AND state = 'done'""",
            (reward, info, rule_id, unit),
        )

    def messages(self, unit: int) -> list[Json]:
        """The messages of a finished trial; empty if it is not finished."""
        row = self._row("SELECT messages FROM trajectories WHERE unit_id = ?", (unit,))
        return [] if row is None else list(json.loads(zlib.decompress(row["messages"])))

    # -- replies of models that an unfinished trial has paid for -------------------------------

    def replies(self, unit: int) -> dict[int, Json]:
        """Number of the request in the trial -> the reply to it."""
        rows = self._rows("SELECT number, reply FROM unit_replies WHERE unit_id = ?", (unit,))
        return {row["number"]: json.loads(row["reply"]) for row in rows}

    def keep_reply(self, unit: int, number: int, reply: Json) -> None:
        """Keep a reply before anything is done with it."""
        self._db.execute(
            "INSERT INTO unit_replies VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (unit, number, _packed(reply)),
        )

    # -- verdicts ------------------------------------------------------------------------------

    def add_verdict(self, unit: int, new: NewTrialVerdict) -> int:
        """Add a verdict; returns its id."""
        values = {name: getattr(new, name) for name in NewTrialVerdict.__dataclass_fields__}
        values |= {"content": _packed(new.content), "unit_id": unit, "created_at": now()}
        marks = ", ".join(f":{name}" for name in values)
        query = f"INSERT INTO verdicts({', '.join(values)}) VALUES ({marks})"
        return self._db.execute(query, values).lastrowid or 0

    def verdicts(self, *, unit: int | None = None, run: int | None = None) -> list[TrialVerdict]:
        """All verdicts of a trial or of a run, the oldest first."""
        rows = self._rows(
            """SELECT v.* FROM verdicts v JOIN units u ON u.id = v.unit_id
            WHERE v.unit_id = coalesce(?, v.unit_id) AND u.run_id = coalesce(?, u.run_id)
            ORDER BY v.id""",
            (unit, run),
        )
        return [_verdict(row) for row in rows]


def _packed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unit(row: sqlite3.Row) -> TrialUnit:
    values = dict(row)
    loaded = {name: None if values[name] is None else json.loads(values[name]) for name in _JSON}
    return TrialUnit(**values | loaded)


def _verdict(row: sqlite3.Row) -> TrialVerdict:
    values = dict(row)
    return TrialVerdict(**values | {"content": json.loads(values["content"])})
