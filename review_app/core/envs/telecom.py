"""The telecom domain: the agent's tools, and what agent's side and user's phone tell one another.

The agent's database holds five lists, `plans`, `customers`, `lines`, `bills`, `devices`; the user's
is described in `telecom_phone`.

Source: recorded behaviour of the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Self

from review_app.core.envs.base import function, tool
from review_app.core.envs.state import Pristine, Record, State
from review_app.core.envs.telecom_accounts import (
    KINDS,
    LAST_MONTH,
    TODAY,
    Accounts,
    DraftIds,
    next_draft_id,
)
from review_app.core.envs.telecom_setup import (
    AgentDatabase,
    UserDatabase,
    completed_agent,
    completed_user,
)
from review_app.core.envs.telecom_user import UserPhone
from review_app.core.locale.pack import Pack

_CYCLE_END: Final = "2025-02-28"
_TOLERANCE_GB: Final = 1e-6


class TelecomEnvironment(Accounts, UserPhone):
    """Customers, lines and bills for the agent, and the phone of the user who calls.

    Args:
        state: The agent's database.
        pack: The locale pack.
        user_state: The user's database.
        draft_ids: Source of the digits of new draft bills. The reference draws them at random; no
            gold action needs one.
    """

    domain = "telecom"
    database = AgentDatabase
    user_database = UserDatabase
    tables = ("plans", "customers", "lines", "bills", "devices")
    unordered = frozenset({*tables, "customers/*/payment_methods", "customers/*/line_ids"})

    def __init__(
        self,
        state: Pristine | State,
        pack: Pack,
        user_state: Pristine | State | None = None,
        *,
        draft_ids: DraftIds = next_draft_id,
    ) -> None:
        self._draft_ids = draft_ids
        super().__init__(state, pack, user_state)

    @classmethod
    def normalize(
        cls, tree: Mapping[str, Any], pack: Pack, *, any_word: bool = False
    ) -> Mapping[str, Any]:
        """Parsed `db.toml` as it is hashed. Raises BadInput."""
        return super().normalize(completed_agent(tree, pack), pack, any_word=any_word)

    @classmethod
    def normalize_user(
        cls, tree: Mapping[str, Any], pack: Pack, *, any_word: bool = False
    ) -> Mapping[str, Any]:
        """Parsed `user_db.toml` as it is hashed. Raises BadInput."""
        return super().normalize_user(completed_user(tree, pack), pack, any_word=any_word)

    def fork(self) -> Self:
        """An environment that goes on from here on its own, its VPN as slow as this one's."""
        twin = super().fork()
        twin._draft_ids, twin._vpn_performance = self._draft_ids, self._vpn_performance
        return twin

    def sync(self) -> None:
        """Carry the line to the phone, a payment request to the user and a payment back.

        Nothing happens until the user's number is known. A number without a line is refused after
        the tool has written, as in the reference (`error_where` is sync).
        """
        phone_number = self._surroundings["phone_number"]
        if phone_number is None:
            return
        line = self._find("lines", "phone_number", phone_number)
        if line is None:
            self.refuse("line_with_phone_not_found", phone_number=phone_number)
        limit = self._get("plan", line["plan_id"])["data_limit_gb"] + line["data_refueling_gb"]
        facts = {
            "line_active": line["status"] == self.pack.word("line_status", "Active"),
            "roaming_allowed": line["roaming_enabled"],
            "mobile_data_usage_exceeded": line["data_used_gb"] >= limit,
            "payment_request": self._synced_payment(line),
        }
        if any(self._surroundings[name] != value for name, value in facts.items()):
            self.user_db.edit_single("surroundings").update(facts)

    def _synced_payment(self, line: Record) -> Record | None:
        """The request the user should see. A paid one settles its bill and is gone."""
        request: Record | None = self._surroundings["payment_request"]
        if request is not None and request["paid"]:
            self._set_status(request["bill_id"], "Paid")
            return None
        owners = (c for _, c in self.db.rows("customers") if line["line_id"] in c["line_ids"])
        customer = next(owners, None)
        if customer is None:
            self.refuse("line_not_found", id=line["line_id"])
        awaited = self._bills(customer, "Awaiting Payment")
        if not awaited:
            return request
        return {
            "bill_id": awaited[0]["bill_id"],
            "amount_due": awaited[0]["total_due"],
            "paid": False,
        }

    # ---- the agent's tools -----------------------------------------------------------------------

    @tool("read")
    def get_customer_by_phone(self, phone_number: str) -> Record:
        """The first customer who has the number, as contact or on a line."""
        customers: Iterator[Record] = (customer for _, customer in self.db.rows("customers"))
        for customer in customers:
            if phone_number in (customer["phone_number"], *self._line_numbers(customer)):
                return customer
        return self.refuse("customer_with_phone_not_found", phone_number=phone_number)

    @tool("read")
    def get_customer_by_id(self, customer_id: str) -> Record:
        """The customer with an id."""
        return self._get("customer", customer_id)

    @tool("read")
    def get_customer_by_name(self, full_name: str, dob: str) -> list[Record]:
        """All customers with a name (case aside) and a date of birth; may be none."""
        name = full_name.lower()
        return [
            customer
            for _, customer in self.db.rows("customers")
            if customer["full_name"].lower() == name and customer["date_of_birth"] == dob
        ]

    @tool("read")
    def get_details_by_id(self, id: str) -> Record:
        """The customer, line, device, bill or plan with an id, told apart by the first letter."""
        for kind in KINDS:
            if id.startswith(self.pack.word("id_prefix", kind)):
                return self._get(kind, id)
        return self.refuse("unknown_id", id=id)

    @tool("write")
    def suspend_line(self, customer_id: str, line_id: str, reason: str) -> Record:
        """Suspend an active line. The reason is not stored, the holding fee not charged."""
        line = self._line_of(customer_id, line_id)
        if line["status"] != self.pack.word("line_status", "Active"):
            self.refuse("line_not_active")
        line = self._edit("lines", line)
        line["status"] = self.pack.word("line_status", "Suspended")
        line["suspension_start_date"] = TODAY
        message = self.pack.message("line_suspended", fee=self.pack.amount("holding_fee"))
        return {"message": message, "line": line}

    @tool("write")
    def resume_line(self, customer_id: str, line_id: str) -> Record:
        """Activate a line that is suspended or waits for activation."""
        line = self._line_of(customer_id, line_id)
        resumable = ("Suspended", "Pending Activation")
        if line["status"] not in [self.pack.word("line_status", status) for status in resumable]:
            self.refuse("line_not_suspended")
        line = self._edit("lines", line)
        line["status"] = self.pack.word("line_status", "Active")
        line["suspension_start_date"] = None
        return {"message": self.pack.message("line_resumed"), "line": line}

    @tool("read")
    def get_bills_for_customer(self, customer_id: str, limit: int = 12) -> list[Record]:
        """The newest bills first; a limit below 0 leaves out that many, as a Python slice does."""
        bills = self._bills(self._get("customer", customer_id))
        return sorted(bills, key=lambda bill: str(bill["issue_date"]), reverse=True)[:limit]

    @tool("write")
    def send_payment_request(self, customer_id: str, bill_id: str) -> str:
        """Ask for a payment, also of a paid bill. The sync that follows tells the user."""
        customer = self._get("customer", customer_id)
        if self._bills(customer, "Awaiting Payment"):
            self.refuse("bill_already_awaiting_payment")
        if bill_id not in customer["bill_ids"]:
            self.refuse("bill_not_of_customer", bill_id=bill_id, customer_id=customer_id)
        self._set_status(bill_id, "Awaiting Payment")
        return self.pack.message("payment_requested", bill_id=bill_id)

    @tool("read")
    def get_data_usage(self, customer_id: str, line_id: str) -> Record:
        """Numbers as text, as in the reference."""
        line = self._line_of(customer_id, line_id)
        return {
            "line_id": line_id,
            "data_used_gb": str(line["data_used_gb"]),
            "data_limit_gb": str(self._get("plan", line["plan_id"])["data_limit_gb"]),
            "data_refueling_gb": str(line["data_refueling_gb"]),
            "cycle_end_date": _CYCLE_END,
        }

    @tool("write")
    def enable_roaming(self, customer_id: str, line_id: str) -> str:
        """Allow roaming on a line, whatever its status."""
        line = self._line_of(customer_id, line_id)
        if line["roaming_enabled"]:
            return self.pack.message("roaming_already_enabled")
        self._edit("lines", line)["roaming_enabled"] = True
        return self.pack.message("roaming_enabled")

    @tool("write")
    def disable_roaming(self, customer_id: str, line_id: str) -> str:
        """Forbid roaming on a line, whatever its status."""
        line = self._line_of(customer_id, line_id)
        if not line["roaming_enabled"]:
            return self.pack.message("roaming_already_disabled")
        self._edit("lines", line)["roaming_enabled"] = False
        return self.pack.message("roaming_disabled")

    @tool("write")
    def refuel_data(self, customer_id: str, line_id: str, gb_amount: float) -> Record:
        """Add data and charge it on the draft bill, which is made if there is none.

        The line need not be active, other than the description says; charges are not rounded.
        """
        line = self._line_of(customer_id, line_id)
        if gb_amount <= 0:
            self.refuse("refuel_not_positive")
        price = self._get("plan", line["plan_id"])["data_refueling_price_per_gb"]
        charge, total = gb_amount * price, line["data_refueling_gb"] + gb_amount
        shown_price = self.pack.price(price)
        item = self.pack.message("refuel_line_item", gb=gb_amount, price=shown_price)
        self._charge(customer_id, charge, item)
        self._edit("lines", line)["data_refueling_gb"] = total
        shown = f"{charge:.{self.pack.amount('money_decimals')}f}"
        return {
            "message": self.pack.message("refuelled", gb=gb_amount, line_id=line_id, charge=shown),
            "new_data_refueling_gb": str(total),
            "charge": str(charge),
        }

    # ---- how tasks set the agent's side up -------------------------------------------------------

    @function("assistant")
    def get_available_plan_ids(self) -> list[str]:
        """Ids of all plans."""
        return [plan["plan_id"] for _, plan in self.db.rows("plans")]

    @function("assistant")
    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> str:
        """Set what a line has used; stored as it came, `15` is not made `15.0`."""
        line = self._line_of(customer_id, line_id)
        self._edit("lines", line)["data_used_gb"] = data_used_gb
        return self.pack.message("data_usage_set", gb=data_used_gb, line_id=line_id)

    @function("assistant")
    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> str:
        """Suspend a line and add last month's unpaid bill. The line need not be the customer's."""
        line = self._get("line", line_id)
        if line["status"] != self.pack.word("line_status", "Active"):
            self.refuse("line_not_active_for_overdue")
        customer = self._get("customer", customer_id)
        if self._bills(customer, "Overdue"):
            self.refuse("overdue_bill_already")
        price = self._get("plan", line["plan_id"])["price_per_month"]
        item = self._item(price, self.pack.message("overdue_line_item", line_id=line_id))
        self._add_bill(customer, new_bill_id, [item], status="Overdue", **LAST_MONTH)
        line = self._edit("lines", line)
        line["status"] = self.pack.word("line_status", "Suspended")
        line["suspension_start_date"] = TODAY
        if contract_ended:
            line["contract_end_date"] = LAST_MONTH["period_end"]
        values = {"line_id": line_id, "bill_id": new_bill_id, "ended": contract_ended}
        return self.pack.message("line_suspended_for_overdue", **values)

    # ---- what tasks assert about the agent's side ------------------------------------------------

    @function("assistant")
    def assert_data_refueling_amount(
        self, customer_id: str, line_id: str, expected_amount: float
    ) -> bool:
        """Whether so much data was added to the line."""
        line = self._line_of(customer_id, line_id)
        return bool(abs(line["data_refueling_gb"] - expected_amount) < _TOLERANCE_GB)

    @function("assistant")
    def assert_line_status(self, customer_id: str, line_id: str, expected_status: str) -> bool:
        """Whether the line has this status."""
        return bool(self._line_of(customer_id, line_id)["status"] == expected_status)

    @function("assistant")
    def assert_overdue_bill_exists(self, customer_id: str, overdue_bill_id: str) -> bool:
        """True, or refused: the reference raises where there is none."""
        if overdue_bill_id not in self._get("customer", customer_id)["bill_ids"]:
            self.refuse("overdue_bill_not_found", bill_id=overdue_bill_id)
        status = self._get("bill", overdue_bill_id)["status"]
        if status != self.pack.word("bill_status", "Overdue"):
            self.refuse("bill_not_overdue", bill_id=overdue_bill_id)
        return True

    @function("assistant")
    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Whether the bill is paid, or does not exist."""
        bill = self._find("bills", "bill_id", overdue_bill_id)
        return bill is None or bool(bill["status"] == self.pack.word("bill_status", "Paid"))
