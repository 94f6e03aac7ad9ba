"""The shop's records: products, users and orders as they are stored."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from review_app.core.envs.records import Word


class Address(TypedDict):
    """Where a user lives or an order goes."""

    address1: str
    address2: str
    city: str
    country: str
    state: str
    zip: str


class Name(TypedDict):
    """A user's name."""

    first_name: str
    last_name: str


class CreditCard(TypedDict):
    """A card without a balance."""

    source: Annotated[str, Word("payment_source", "credit_card")]
    id: str
    brand: str
    last_four: str


class GiftCard(TypedDict):
    """A card with a balance."""

    source: Annotated[str, Word("payment_source", "gift_card")]
    id: str
    balance: float


class Paypal(TypedDict):
    """An account."""

    source: Annotated[str, Word("payment_source", "paypal")]
    id: str


class User(TypedDict):
    """A stored user."""

    user_id: str
    name: Name
    address: Address
    email: str
    payment_methods: dict[str, CreditCard | GiftCard | Paypal]
    orders: list[str]


class Variant(TypedDict):
    """One item of a product."""

    item_id: str
    options: dict[str, str]
    available: bool
    price: float


class Product(TypedDict):
    """A stored product with its items."""

    name: str
    product_id: str
    variants: dict[str, Variant]


class OrderItem(TypedDict):
    """An item in an order, with the price at which it was bought."""

    name: str
    product_id: str
    item_id: str
    price: float
    options: dict[str, str]


class OrderPayment(TypedDict):
    """A payment or a refund."""

    transaction_type: Annotated[str, Word("transaction_type")]
    amount: float
    payment_method_id: str


class Fulfillment(TypedDict):
    """A parcel and what is in it."""

    tracking_id: list[str]
    item_ids: list[str]


class Order(TypedDict):
    """A stored order."""

    order_id: str
    user_id: str
    address: Address
    items: list[OrderItem]
    status: Annotated[str, Word("order_status")]
    fulfillments: list[Fulfillment]
    payment_history: list[OrderPayment]
    cancel_reason: NotRequired[Annotated[str, Word("cancel_reason")] | None]
    exchange_items: NotRequired[list[str] | None]
    exchange_new_items: NotRequired[list[str] | None]
    exchange_payment_method_id: NotRequired[str | None]
    exchange_price_difference: NotRequired[float | None]
    return_items: NotRequired[list[str] | None]
    return_payment_method_id: NotRequired[str | None]


class RetailDatabase(TypedDict):
    """The whole database."""

    products: dict[str, Product]
    users: dict[str, User]
    orders: dict[str, Order]
