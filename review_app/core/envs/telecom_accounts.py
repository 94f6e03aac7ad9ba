"""The customers, lines and bills that the telecom agent's tools read and change.

Dates are fixed as in the reference: today is 2025-02-25.

Source: recorded behaviour of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from review_app.core.envs.base import Environment
from review_app.core.envs.state import Record

TODAY: Final = "2025-02-25"
LAST_MONTH: Final = {
    "period_start": "2025-01-01",
    "period_end": "2025-01-31",
    "issue_date": "2025-01-01",
    "due_date": "2025-01-15",
}
_NEXT_MONTH: Final = {
    "period_start": "2025-03-01",
    "period_end": "2025-03-31",
    "issue_date": "2025-03-01",
    "due_date": "2025-03-15",
}
_FIRST_DRAFT: Final = 0xDEADBEEF
KINDS: Final = {
    "line": ("lines", "line_id"),
    "device": ("devices", "device_id"),
    "bill": ("bills", "bill_id"),
    "customer": ("customers", "customer_id"),
    "plan": ("plans", "plan_id"),
}

DraftIds = Callable[[Collection[str]], str]
"""Gives the 8 hex digits of a new draft bill, given the bill ids that exist."""


def next_draft_id(taken: Collection[str]) -> str:
    """`deadbeef`, the records' stand-in for random digits, or the next number that is free."""
    number = _FIRST_DRAFT
    while any(bill_id.endswith(f"{number:08x}") for bill_id in taken):
        number += 1
    return f"{number:08x}"


class Accounts(Environment):
    """Reading and changing the agent's records; the tools stand in `telecom`."""

    _draft_ids: DraftIds

    def _find(self, table: str, field: str, value: Any) -> Record | None:
        return next((record for _, record in self.db.rows(table) if record[field] == value), None)

    def _get(self, kind: str, id: Any) -> Record:
        table, field = KINDS[kind]
        return self._find(table, field, id) or self.refuse(f"{kind}_not_found", id=id)

    def _edit(self, table: str, record: Record) -> Record:
        """The same record, to be changed in place."""
        key = next(key for key, row in self.db.rows(table) if row is record)
        edited: Record = self.db.edit(table, key)
        return edited

    def _line_of(self, customer_id: str, line_id: str) -> Record:
        customer = self._get("customer", customer_id)
        if line_id not in customer["line_ids"]:
            self.refuse("line_not_of_customer", line_id=line_id, customer_id=customer_id)
        return self._get("line", line_id)

    def _line_numbers(self, customer: Record) -> list[str]:
        return [self._get("line", line_id)["phone_number"] for line_id in customer["line_ids"]]

    def _bills(self, customer: Record, status: str | None = None) -> list[Record]:
        """The customer's bills in the order of the customer's list, all or with a status."""
        bills = [self._get("bill", bill_id) for bill_id in customer["bill_ids"]]
        if status is None:
            return bills
        return [b for b in bills if b["status"] == self.pack.word("bill_status", status)]

    def _set_status(self, bill_id: str, status: str) -> None:
        bill = self._edit("bills", self._get("bill", bill_id))
        bill["status"] = self.pack.word("bill_status", status)

    def _item(self, amount: float, description: str) -> Record:
        return {
            "description": description,
            "amount": amount,
            "date": TODAY,
            "item_type": self.pack.word("item_type", "Charge"),
        }

    def _charge(self, customer_id: str, amount: float, description: str) -> None:
        """Put an amount on the customer's first draft bill, or on a new one."""
        customer, item = self._get("customer", customer_id), self._item(amount, description)
        drafts = self._bills(customer, "Draft")
        if drafts:
            bill = self._edit("bills", drafts[0])
            bill["line_items"].append(item)
            bill["total_due"] += amount
            return
        digits = self._draft_ids([bill["bill_id"] for _, bill in self.db.rows("bills")])
        bill_id = self.pack.word("id_prefix", "bill") + digits
        self._add_bill(customer, bill_id, [item], status="Draft", **_NEXT_MONTH)

    def _add_bill(
        self, customer: Record, bill_id: str, items: list[Record], *, status: str, **dates: str
    ) -> None:
        self._edit("customers", customer)["bill_ids"].append(bill_id)
        bill = {
            "bill_id": bill_id,
            "customer_id": customer["customer_id"],
            "period_start": dates["period_start"],
            "period_end": dates["period_end"],
            "issue_date": dates["issue_date"],
            "total_due": sum(item["amount"] for item in items),
            "due_date": dates["due_date"],
            "line_items": items,
            "status": self.pack.word("bill_status", status),
        }
        self.db.append("bills", bill)
