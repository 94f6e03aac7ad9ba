"""The shop's tools: look up, change, cancel, return and exchange orders.

What decides scores is kept as the reference does it and said in the docstrings.
"""

from __future__ import annotations

from typing import Any

from review_app.core.envs.base import CalculatingEnvironment, tool
from review_app.core.envs.records import shaped
from review_app.core.envs.retail_records import Address, RetailDatabase
from review_app.core.envs.state import Record, copied


class RetailEnvironment(CalculatingEnvironment):
    """Shop database and tools.

    Balances and exchange differences are rounded to the currency's digits, payments of a changed
    order are not. The payment history keeps its order: a return goes by its first entry.
    """

    domain = "retail"
    database = RetailDatabase
    tables = ("products", "users", "orders")
    unordered = frozenset(
        {
            "users/*/orders",
            "orders/*/items",
            "orders/*/fulfillments",
            "orders/*/fulfillments/*/tracking_id",
            "orders/*/fulfillments/*/item_ids",
            "orders/*/exchange_items",
            "orders/*/exchange_new_items",
            "orders/*/return_items",
        }
    )

    @tool("read")
    def find_user_id_by_email(self, email: str) -> str:
        """The id of the user with an e-mail address, in any case of letters."""
        for user_id, user in self.db.rows("users"):
            if user["email"].lower() == email.lower():
                return str(user_id)
        return self.refuse("user_not_found")

    @tool("read")
    def find_user_id_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:
        """The id of the first user with a name, in any case of letters, and a postal code."""
        for user_id, user in self.db.rows("users"):
            if (
                user["name"]["first_name"].lower() == first_name.lower()
                and user["name"]["last_name"].lower() == last_name.lower()
                and user["address"]["zip"] == zip
            ):
                return str(user_id)
        return self.refuse("user_not_found")

    @tool("read")
    def get_user_details(self, user_id: str) -> Record:
        """A user with payment methods and order ids."""
        return self._user(user_id)

    @tool("read")
    def get_order_details(self, order_id: str) -> Record:
        """An order as stored."""
        return self._order(order_id)

    @tool("read")
    def get_product_details(self, product_id: str) -> Record:
        """A product with all its items."""
        return self._product(product_id)

    @tool("read")
    def get_item_details(self, item_id: str) -> Record:
        """An item of whatever product it belongs to."""
        for _, product in self.db.rows("products"):
            if item_id in product["variants"]:
                variant: Record = product["variants"][item_id]
                return variant
        return self.refuse("item_not_found")

    @tool("read")
    def list_all_product_types(self) -> str:
        """Names of all products with their ids, sorted by name."""
        products = {product["name"]: key for key, product in self.db.rows("products")}
        return self.render(dict(sorted(products.items())))

    @tool("write")
    def cancel_pending_order(self, order_id: str, reason: str) -> Record:
        """Cancel an order that is exactly pending and refund every entry of its payment history.

        Refunds among them are refunded too. Only gift cards get the money at once.
        """
        order = self._order(order_id)
        if order["status"] != self.pack.word("order_status", "pending"):
            self.refuse("cancel_not_pending")
        if reason not in set(self.pack.values("cancel_reason")):
            self.refuse("invalid_reason")
        refunds = []
        for payment in order["payment_history"]:
            refunds.append(self._refund(payment["amount"], payment["payment_method_id"]))
            self._add_to_gift_card(
                order["user_id"], payment["payment_method_id"], payment["amount"]
            )
        order = self.db.edit("orders", order_id)
        order["status"] = self.pack.word("order_status", "cancelled")
        order["cancel_reason"] = reason
        order["payment_history"].extend(refunds)
        return order

    @tool("write")
    def modify_pending_order_address(
        self,
        order_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Record:
        """Set where a pending order goes, also one whose items were changed."""
        self._pending_order(order_id)
        address = self._address(address1, address2, city, state, country, zip)
        order: Record = self.db.edit("orders", order_id)
        order["address"] = address
        return order

    @tool("write")
    def modify_pending_order_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Record:
        """Exchange items of an order that is exactly pending for others of the same products, once.

        Every item of the call gets the price and the options of the LAST new item (ids are right),
        the difference is not rounded, and a difference of 0 is a refund of 0.
        """
        order = self._order(order_id)
        if order["status"] != self.pack.word("order_status", "pending"):
            self.refuse("modify_not_pending")
        self._check_owned(order, item_ids, "modify_item_not_found")
        if len(item_ids) != len(new_item_ids):
            self.refuse("modify_count_differs")
        difference, variant = self._price_difference(order, item_ids, new_item_ids, same=False)
        method = self._payment_method(order["user_id"], payment_method_id)
        self._check_balance(method, difference, "modify_balance")
        kind = self.pack.word("transaction_type", "payment" if difference > 0 else "refund")
        payment = self._payment(kind, abs(difference), payment_method_id)
        self._add_to_gift_card(order["user_id"], payment_method_id, -difference)
        order = self.db.edit("orders", order_id)
        order["payment_history"].append(payment)
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
            item = self._item(order, item_id)
            item["item_id"] = new_item_id
            item["price"] = variant["price"]
            item["options"] = copied(variant["options"])
        order["status"] = self.pack.word("order_status", "pending (item modified)")
        return order

    @tool("write")
    def modify_pending_order_payment(self, order_id: str, payment_method_id: str) -> Record:
        """Pay a pending order with another payment method and refund the first one."""
        order = self._pending_order(order_id)
        method = self._payment_method(order["user_id"], payment_method_id)
        history = order["payment_history"]
        paid = self.pack.word("transaction_type", "payment")
        if len(history) != 1 or history[0]["transaction_type"] != paid:
            self.refuse("payment_not_single")
        first, amount = history[0]["payment_method_id"], history[0]["amount"]
        if first == payment_method_id:
            self.refuse("payment_same")
        self._check_balance(method, amount, "payment_balance")
        order = self.db.edit("orders", order_id)
        order["payment_history"].append(self._payment(paid, amount, payment_method_id))
        order["payment_history"].append(self._refund(amount, first))
        self._add_to_gift_card(order["user_id"], payment_method_id, -amount)
        self._add_to_gift_card(order["user_id"], first, amount)
        return order

    @tool("write")
    def modify_user_address(
        self,
        user_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Record:
        """Set a user's own address. Orders keep theirs."""
        self._user(user_id)
        address = self._address(address1, address2, city, state, country, zip)
        user: Record = self.db.edit("users", user_id)
        user["address"] = address
        return user

    @tool("write")
    def return_delivered_order_items(
        self, order_id: str, item_ids: list[str], payment_method_id: str
    ) -> Record:
        """Ask for the return of items of a delivered order.

        The refund goes to the method of the first payment or to any gift card of the user. An
        empty list is accepted.
        """
        order = self._order(order_id)
        if order["status"] != self.pack.word("order_status", "delivered"):
            self.refuse("return_not_delivered")
        method = self._payment_method(order["user_id"], payment_method_id)
        first = order["payment_history"][0]["payment_method_id"]
        if not self._is_gift_card(method) and payment_method_id != first:
            self.refuse("return_payment")
        self._check_owned(order, item_ids, "return_item_not_found")
        returned = sorted(item_ids)
        order = self.db.edit("orders", order_id)
        order["status"] = self.pack.word("order_status", "return requested")
        order["return_items"] = returned
        order["return_payment_method_id"] = payment_method_id
        return order

    @tool("write")
    def exchange_delivered_order_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Record:
        """Ask for the exchange of items of a delivered order for others of the same products.

        Old and new ids are sorted apart, so the pairing is lost. An item may be exchanged for
        itself, and an empty list is accepted. Nothing is paid yet, though a gift card must cover
        the difference.
        """
        order = self._order(order_id)
        if order["status"] != self.pack.word("order_status", "delivered"):
            self.refuse("exchange_not_delivered")
        self._check_owned(order, item_ids, "exchange_item_not_found")
        if len(item_ids) != len(new_item_ids):
            self.refuse("exchange_count_differs")
        difference, _ = self._price_difference(order, item_ids, new_item_ids, same=True)
        difference = self._rounded(difference)
        method = self._payment_method(order["user_id"], payment_method_id)
        self._check_balance(method, difference, "exchange_balance")
        given, wanted = sorted(item_ids), sorted(new_item_ids)
        order = self.db.edit("orders", order_id)
        order["status"] = self.pack.word("order_status", "exchange requested")
        order["exchange_items"] = given
        order["exchange_new_items"] = wanted
        order["exchange_payment_method_id"] = payment_method_id
        order["exchange_price_difference"] = difference
        return order

    def _user(self, user_id: str) -> Record:
        user: Record | None = self.db.find("users", user_id)
        return self.refuse("user_not_found") if user is None else user

    def _order(self, order_id: str) -> Record:
        order: Record | None = self.db.find("orders", order_id)
        return self.refuse("order_not_found") if order is None else order

    def _product(self, product_id: str) -> Record:
        product: Record | None = self.db.find("products", product_id)
        return self.refuse("product_not_found") if product is None else product

    def _pending_order(self, order_id: str) -> Record:
        order = self._order(order_id)
        pending = ("pending", "pending (item modified)")
        if order["status"] not in [self.pack.word("order_status", status) for status in pending]:
            self.refuse("modify_not_pending")
        return order

    def _payment_method(self, user_id: str, payment_method_id: str) -> Record:
        method: Record | None = self._user(user_id)["payment_methods"].get(payment_method_id)
        return self.refuse("payment_method_not_found") if method is None else method

    def _is_gift_card(self, method: Record) -> bool:
        return bool(method["source"] == self.pack.word("payment_source", "gift_card"))

    def _item(self, order: Record, item_id: str) -> Record:
        items: list[Record] = order["items"]
        for item in items:
            if item["item_id"] == item_id:
                return item
        return self.refuse("item_not_found")

    def _check_owned(self, order: Record, item_ids: list[str], message: str) -> None:
        """Refuse unless the order holds every item as often as it is named."""
        held = [item["item_id"] for item in order["items"]]
        for item_id in item_ids:
            if item_ids.count(item_id) > held.count(item_id):
                self.refuse(message, item_id=item_id)

    def _price_difference(
        self, order: Record, item_ids: list[str], new_item_ids: list[str], *, same: bool
    ) -> tuple[float, Record]:
        """What the new items cost more, unrounded, and the last of them."""
        difference: float = 0
        variant: Record = {}
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
            if not same and item_id == new_item_id:
                self.refuse("modify_same_item")
            item = self._item(order, item_id)
            variant = self._product(item["product_id"])["variants"].get(new_item_id)
            if variant is None:
                self.refuse("variant_not_found")
            if not variant["available"]:
                self.refuse("new_item_not_available", item_id=new_item_id)
            difference += variant["price"] - item["price"]
        return difference, variant

    def _check_balance(self, method: Record, amount: float, message: str) -> None:
        if self._is_gift_card(method) and method["balance"] < amount:
            self.refuse(message)

    def _add_to_gift_card(self, user_id: str, payment_method_id: str, amount: float) -> None:
        if self._is_gift_card(self._payment_method(user_id, payment_method_id)):
            method = self.db.edit("users", user_id)["payment_methods"][payment_method_id]
            method["balance"] = self._rounded(method["balance"] + amount)

    def _rounded(self, amount: float) -> float:
        return round(amount, int(self.pack.amount("currency_digits")))

    def _payment(self, kind: str, amount: float, payment_method_id: str) -> Record:
        return {
            "transaction_type": kind,
            "amount": float(amount),
            "payment_method_id": payment_method_id,
        }

    def _refund(self, amount: float, payment_method_id: str) -> Record:
        refunded = self.pack.word("transaction_type", "refund")
        return self._payment(refunded, amount, payment_method_id)

    def _address(self, *values: Any) -> Record:
        names = ("address1", "address2", "city", "state", "country", "zip")
        address: Record = shaped(dict(zip(names, values, strict=True)), Address, self.pack)
        return address
