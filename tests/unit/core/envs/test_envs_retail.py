"""What the shop's tools do, quirks included."""

from pathlib import Path

import pytest

from review_app.core.envs import open_environment
from review_app.core.locale.pack import parse_pack

LOCALE = Path(__file__).resolve().parents[4] / "data" / "locales" / "en" / "retail.toml"
PACK = parse_pack({"retail.toml": LOCALE.read_text("utf-8")})
ADDRESS = {
    "address1": "1 A St",
    "address2": "",
    "city": "B",
    "country": "USA",
    "state": "C",
    "zip": "1",
}


def variant(item_id, price, color, *, available=True):
    return {"item_id": item_id, "options": {"color": color}, "available": available, "price": price}


def item(item_id, price, product="mug"):
    return {
        "name": product.title(),
        "product_id": product,
        "item_id": item_id,
        "price": price,
        "options": {},
    }


def order(order_id, status, *items, paid="card"):
    total = sum(item["price"] for item in items)
    return {
        "order_id": order_id,
        "user_id": "ann_lee_1",
        "address": ADDRESS,
        "items": list(items),
        "status": status,
        "fulfillments": [],
        "payment_history": [
            {"transaction_type": "payment", "amount": total, "payment_method_id": paid}
        ],
    }


@pytest.fixture
def retail():
    database = {
        "products": {
            "mug": {
                "name": "Mug",
                "product_id": "mug",
                "variants": {
                    "m1": variant("m1", 10, "red"),
                    "m2": variant("m2", 20.1, "blue"),
                    "m3": variant("m3", 30.2, "grey"),
                    "m4": variant("m4", 5, "pink", available=False),
                },
            },
            "cup": {
                "name": "Cup",
                "product_id": "cup",
                "variants": {"c1": variant("c1", 7, "red")},
            },
        },
        "users": {
            "ann_lee_1": {
                "user_id": "ann_lee_1",
                "name": {"first_name": "Ann", "last_name": "Lee"},
                "address": ADDRESS,
                "email": "Ann@example.com",
                "payment_methods": {
                    "card": {
                        "source": "credit_card",
                        "id": "card",
                        "brand": "visa",
                        "last_four": "1",
                    },
                    "gift": {"source": "gift_card", "id": "gift", "balance": 15},
                    "pal": {"source": "paypal", "id": "pal"},
                },
                "orders": ["#P", "#D", "#G"],
            }
        },
        "orders": {
            "#P": order("#P", "pending", item("m1", 10), item("m2", 20.1)),
            "#D": order("#D", "delivered", item("m1", 10), item("m1", 10), item("m2", 20.1)),
            "#G": order("#G", "pending", item("m1", 10), paid="gift"),
        },
    }
    return open_environment("retail", database, PACK)


def balance(retail):
    return retail.db.find("users", "ann_lee_1")["payment_methods"]["gift"]["balance"]


def swap(order_id, old, new, method="card"):
    return {"order_id": order_id, "item_ids": old, "new_item_ids": new, "payment_method_id": method}


def test_users_are_found_in_any_case(retail):
    name = {"first_name": "ANN", "last_name": "lee", "zip": "1"}
    assert retail.call("find_user_id_by_name_zip", name).output == "ann_lee_1"
    assert retail.call("find_user_id_by_email", {"email": "ANN@EXAMPLE.COM"}).output == "ann_lee_1"
    assert retail.call("find_user_id_by_email", {"email": "x"}).output == "Error: User not found"
    assert not retail.call("find_user_id_by_email", {"email": None}).ok


def test_products_and_items_are_looked_up(retail):
    assert retail.call("list_all_product_types", {}).output == '{"Cup": "cup", "Mug": "mug"}'
    assert retail.call("get_item_details", {"item_id": "c1"}).value["price"] == 7.0
    assert retail.call("get_item_details", {"item_id": "x"}).error == "Item not found"
    assert retail.call("get_product_details", {"product_id": "x"}).error == "Product not found"


def test_cancelling_refunds_every_entry_and_gift_cards_at_once(retail):
    step = retail.call("cancel_pending_order", {"order_id": "#G", "reason": "no longer needed"})
    assert [p["transaction_type"] for p in step.value["payment_history"]] == ["payment", "refund"]
    assert (step.value["status"], step.value["cancel_reason"]) == ("cancelled", "no longer needed")
    assert balance(retail) == 25.0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("#D", "no longer needed"), "Non-pending order cannot be cancelled"),
        (("#P", "because"), "Invalid reason"),
        (("#X", "because"), "Order not found"),
    ],
)
def test_a_refused_cancellation_changes_nothing(retail, call, error):
    step = retail.call("cancel_pending_order", {"order_id": call[0], "reason": call[1]})
    assert step.output == f"Error: {error}"
    assert step.after == step.before


def test_changed_items_all_get_the_price_and_options_of_the_last(retail):
    call = swap("#P", ["m1", "m2"], ["m3", "m1"])
    step = retail.call("modify_pending_order_items", call)
    items = step.value["items"]
    assert [item["item_id"] for item in items] == ["m3", "m1"]
    assert [item["price"] for item in items] == [10.0, 10.0]
    assert items[0]["options"] == {"color": "red"}
    assert step.value["payment_history"][-1]["amount"] == (30.2 - 10) + (10 - 20.1)
    assert step.value["status"] == "pending (item modified)"
    again = retail.call("modify_pending_order_items", swap("#P", [], []))
    assert again.error == "Non-pending order cannot be modified"


def test_a_new_item_that_is_also_an_old_one_is_changed_again(retail):
    call = swap("#P", ["m1", "m2"], ["m2", "m3"])
    items = retail.call("modify_pending_order_items", call).value["items"]
    assert [item["item_id"] for item in items] == ["m3", "m2"]


def test_a_change_for_nothing_is_a_refund_of_nothing(retail):
    step = retail.call("modify_pending_order_items", swap("#P", [], []))
    assert step.value["payment_history"][-1] == {
        "transaction_type": "refund",
        "amount": 0.0,
        "payment_method_id": "card",
    }


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (swap("#D", [], []), "Non-pending order cannot be modified"),
        (swap("#P", ["x"], ["m1"]), "x not found"),
        (swap("#P", ["m1"], []), "The number of items to be exchanged should match"),
        (swap("#P", ["m1"], ["m1"]), "The new item id should be different from the old item id"),
        (swap("#P", ["m1"], ["c1"]), "Variant not found"),
        (swap("#P", ["m1"], ["m4"]), "New item m4 not found or available"),
        (swap("#P", ["m1"], ["m3"], "x"), "Payment method not found"),
        (
            swap("#P", ["m1"], ["m3"], "gift"),
            "Insufficient gift card balance to pay for the new item",
        ),
    ],
)
def test_a_refused_change_of_items_changes_nothing(retail, call, error):
    step = retail.call("modify_pending_order_items", call)
    assert step.output == f"Error: {error}"
    assert step.after == step.before


def test_an_exchange_loses_the_pairing(retail):
    step = retail.call(
        "exchange_delivered_order_items", swap("#D", ["m2", "m1"], ["m1", "m2"], "gift")
    )
    assert step.value["exchange_items"] == ["m1", "m2"]
    assert step.value["exchange_new_items"] == ["m1", "m2"]
    assert step.value["exchange_price_difference"] == 0.0
    assert balance(retail) == 15.0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (swap("#P", [], []), "Non-delivered order cannot be exchanged"),
        (swap("#D", ["m2", "m2"], ["m1", "m1"]), "Number of m2 not found."),
        (swap("#D", ["m2"], []), "The number of items to be exchanged should match."),
        (
            swap("#D", ["m1"], ["m3"], "gift"),
            "Insufficient gift card balance to pay for the price difference",
        ),
    ],
)
def test_a_refused_exchange_changes_nothing(retail, call, error):
    step = retail.call("exchange_delivered_order_items", call)
    assert step.output == f"Error: {error}"
    assert step.after == step.before


def test_a_return_goes_to_the_first_payment_or_any_gift_card(retail):
    call = {"order_id": "#D", "item_ids": ["m2", "m1"], "payment_method_id": "pal"}
    assert retail.call("return_delivered_order_items", call).error == (
        "Payment method should be the original payment method"
    )
    assert (
        retail.call(
            "return_delivered_order_items", call | {"item_ids": ["x"], "payment_method_id": "card"}
        ).error
        == "Some item not found"
    )
    step = retail.call("return_delivered_order_items", call | {"payment_method_id": "gift"})
    assert (step.value["return_items"], step.value["status"]) == (["m1", "m2"], "return requested")


def test_paying_with_another_method_refunds_the_first(retail):
    step = retail.call(
        "modify_pending_order_payment", {"order_id": "#G", "payment_method_id": "pal"}
    )
    assert [p["payment_method_id"] for p in step.value["payment_history"]] == [
        "gift",
        "pal",
        "gift",
    ]
    assert balance(retail) == 25.0
    again = retail.call(
        "modify_pending_order_payment", {"order_id": "#G", "payment_method_id": "card"}
    )
    assert again.error == "There should be exactly one payment for a pending order"


@pytest.mark.parametrize(
    ("order_id", "method", "error"),
    [
        ("#P", "card", "The new payment method should be different from the current one"),
        ("#P", "gift", "Insufficient gift card balance to pay for the order"),
        ("#D", "gift", "Non-pending order cannot be modified"),
    ],
)
def test_a_refused_payment_change_changes_nothing(retail, order_id, method, error):
    call = {"order_id": order_id, "payment_method_id": method}
    step = retail.call("modify_pending_order_payment", call)
    assert step.output == f"Error: {error}"
    assert step.after == step.before


def test_addresses_are_set_whole_and_must_be_text(retail):
    new = ADDRESS | {"city": "東京"}
    assert (
        retail.call("modify_user_address", {"user_id": "ann_lee_1", **new}).value["address"] == new
    )
    assert (
        retail.call("modify_pending_order_address", {"order_id": "#P", **new}).value["address"]
        == new
    )
    step = retail.call("modify_pending_order_address", {"order_id": "#P", **new, "zip": 1})
    assert not step.ok
    assert step.after == step.before


def test_sold_items_do_not_change_with_the_product_they_were_copied_from(retail):
    retail.call("modify_pending_order_items", swap("#P", ["m1"], ["m3"]))
    sold = retail.db.find("orders", "#P")["items"][0]["options"]
    assert sold is not retail.db.find("products", "mug")["variants"]["m3"]["options"]
