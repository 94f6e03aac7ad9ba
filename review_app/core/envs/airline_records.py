"""The airline's records: flights, users and reservations as they are stored."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from review_app.core.envs.records import Word

FlightType = Annotated[str, Word("flight_type")]
Cabin = Annotated[str, Word("cabin")]
Insurance = Annotated[str, Word("insurance")]


class FlightInfo(TypedDict):
    """A flight to book."""

    flight_number: str
    date: str


class Passenger(TypedDict):
    """A person who flies."""

    first_name: str
    last_name: str
    dob: str


class Payment(TypedDict):
    """An amount charged to a payment method; negative if refunded."""

    payment_id: str
    amount: int


class ReservationFlight(TypedDict):
    """A booked segment with the price of one seat."""

    flight_number: str
    origin: str
    destination: str
    date: str
    price: int


class Reservation(TypedDict):
    """A stored reservation."""

    reservation_id: str
    user_id: str
    origin: str
    destination: str
    flight_type: FlightType
    cabin: Cabin
    flights: list[ReservationFlight]
    passengers: list[Passenger]
    payment_history: list[Payment]
    created_at: str
    total_baggages: int
    nonfree_baggages: int
    insurance: Insurance
    status: NotRequired[Annotated[str, Word("reservation_status")] | None]


class Name(TypedDict):
    """A user's name."""

    first_name: str
    last_name: str


class Address(TypedDict):
    """A user's address."""

    address1: str
    address2: NotRequired[str | None]
    city: str
    country: str
    state: str
    zip: str


class CreditCard(TypedDict):
    """A payment method without a balance."""

    source: Annotated[str, Word("payment_source", "credit_card")]
    id: str
    brand: str
    last_four: str


class Balance(TypedDict):
    """A gift card or a certificate."""

    source: Annotated[str, Word("payment_source", ("gift_card", "certificate"))]
    id: str
    amount: float


class User(TypedDict):
    """A stored user."""

    user_id: str
    name: Name
    address: Address
    email: str
    dob: str
    payment_methods: dict[str, CreditCard | Balance]
    saved_passengers: list[Passenger]
    membership: Annotated[str, Word("membership")]
    reservations: list[str]


class Available(TypedDict):
    """A date on which a flight can be booked."""

    status: Annotated[str, Word("flight_status", "available")]
    available_seats: dict[Cabin, int]
    prices: dict[Cabin, int]


class Landed(TypedDict):
    """A date on which a flight has landed."""

    status: Annotated[str, Word("flight_status", "landed")]
    actual_departure_time_est: str
    actual_arrival_time_est: str


class Flying(TypedDict):
    """A date on which a flight is in the air."""

    status: Annotated[str, Word("flight_status", "flying")]
    actual_departure_time_est: str
    estimated_arrival_time_est: str


class Expected(TypedDict):
    """A date on which a flight is to leave on time or delayed."""

    status: Annotated[str, Word("flight_status", ("on time", "delayed"))]
    estimated_departure_time_est: str
    estimated_arrival_time_est: str


class Cancelled(TypedDict):
    """A date on which a flight does not go."""

    status: Annotated[str, Word("flight_status", "cancelled")]


class Flight(TypedDict):
    """A stored flight with its dates."""

    flight_number: str
    origin: str
    destination: str
    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str
    dates: dict[str, Available | Landed | Cancelled | Expected | Flying]


class AirlineDatabase(TypedDict):
    """The whole database."""

    flights: dict[str, Flight]
    users: dict[str, User]
    reservations: dict[str, Reservation]
