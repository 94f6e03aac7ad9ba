"""The airline's tools: search, book, change and cancel.

The tools check little: membership, bag allowance and cabin rules stand in the policy only. What
decides scores is kept as the reference does it and said in the docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from review_app.core.envs.airline_records import (
    AirlineDatabase,
    Balance,
    Cabin,
    FlightInfo,
    FlightType,
    Insurance,
    Passenger,
    Payment,
    Reservation,
)
from review_app.core.envs.base import CalculatingEnvironment, tool
from review_app.core.envs.records import shaped
from review_app.core.envs.state import Record, copied

NEW_RESERVATION_IDS = ("HATHAT", "HATHAU", "HATHAV")
NEW_CERTIFICATE_IDS = tuple(f"certificate_{number}" for number in (3221322, 3221323, 3221324))


class AirlineEnvironment(CalculatingEnvironment):
    """Airline database and tools.

    Nothing here checks a date against today, a membership or an allowance. Booking lowers the
    seats; changing and cancelling never touch them. Passengers, saved passengers, reservation ids
    and the parts of a payment are sets; flights are in the order in which they are flown.
    """

    domain = "airline"
    tables = ("flights", "users", "reservations")
    database = AirlineDatabase
    unordered = frozenset(
        {
            "users/*/saved_passengers",
            "users/*/reservations",
            "reservations/*/passengers",
            "reservations/*/payment_history",
        }
    )

    @tool("read")
    def get_user_details(self, user_id: str) -> Record:
        """A user with payment methods, saved passengers and reservation ids."""
        return self._user(user_id)

    @tool("read")
    def get_reservation_details(self, reservation_id: str) -> Record:
        """A reservation as stored."""
        return self._reservation(reservation_id)

    @tool("read")
    def list_all_airports(self) -> list[Record]:
        """Codes and cities of all airports."""
        return [{"iata": code, "city": city} for code, city in self.pack.places.items()]

    @tool("read")
    def get_flight_status(self, flight_number: str, date: str) -> str:
        """The status of a flight on a date."""
        return str(self._flight_on(flight_number, date)["status"])

    @tool("read")
    def search_direct_flight(self, origin: str, destination: str, date: str) -> list[Record]:
        """Flights with seats from an origin to a destination on a date; null stands for any."""
        return list(self._direct(origin, destination, date))

    @tool("read")
    def search_onestop_flight(self, origin: str, destination: str, date: str) -> list[list[Record]]:
        """Pairs of flights that can be booked, the second leaving after the first has landed.

        Times are compared as text, so a landing marked `+1` is before any departure that starts
        with a greater digit; the date after such a landing has no leading zero.
        """
        mark = self.pack.message("next_day_mark")
        arrival_key = self.pack.key("scheduled_arrival_time_est")
        pairs = []
        for first in self._direct(origin, None, date):
            arrival = first[arrival_key]
            next_date = date
            if mark in arrival:
                next_date = self.pack.message("next_day", day=int(date[-2:]) + 1)
            for second in self._direct(first["destination"], destination, next_date, after=arrival):
                pairs.append([{**first, "date": date}, {**second, "date": next_date}])
        return pairs

    @tool("write")
    def book_reservation(  # noqa: PLR0913 - a tool's parameters are given
        self,
        user_id: str,
        origin: str,
        destination: str,
        flight_type: FlightType,
        cabin: Cabin,
        flights: list[FlightInfo | dict[str, Any]],
        passengers: list[Passenger | dict[str, Any]],
        payment_methods: list[Payment | dict[str, Any]],
        total_baggages: int,
        nonfree_baggages: int,
        insurance: Insurance,
    ) -> Record:
        """Book flights for passengers, charge the payment methods, lower the seats.

        Each payment is checked against its own balance, not the sum. A certificate is used up
        whole. Half-write: a certificate listed twice is gone, payments before it are charged,
        nothing is booked. Numbers in the reservation are coerced as the data model does; the price
        uses them as they came.
        """
        wanted = self._objects(flights, FlightInfo)
        people = self._objects(passengers, Passenger)
        payments = self._objects(payment_methods, Payment)
        user = self._user(user_id)
        draft = {
            "reservation_id": self._new_reservation_id(),
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": [],
            "passengers": people,
            "payment_history": payments,
            "created_at": self.pack.message("now"),
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        }
        reservation: Record = shaped(draft, Reservation, self.pack)
        reservation["flights"] = [self._seat(flight, cabin, len(people)) for flight in wanted]
        price = sum(flight["price"] for flight in reservation["flights"]) * len(people)
        if insurance == self.pack.word("insurance", "yes"):
            price += self.pack.amount("insurance_fee") * len(people)
        price += self.pack.amount("bag_fee") * nonfree_baggages
        self._check_payments(user, payments, price)
        self._charge(user_id, payments)
        for flight in reservation["flights"]:
            stored = self.db.edit("flights", flight["flight_number"])
            stored["dates"][flight["date"]]["available_seats"][cabin] -= len(people)
        self.db.add("reservations", reservation["reservation_id"], reservation)
        self.db.edit("users", user_id)["reservations"].append(reservation["reservation_id"])
        return reservation

    @tool("write")
    def cancel_reservation(self, reservation_id: str) -> Record:
        """Mark a reservation cancelled and append each payment negated.

        Seats are not given back, gift cards are not refunded, and cancelling twice negates
        everything again.
        """
        self._reservation(reservation_id)
        reservation: Record = self.db.edit("reservations", reservation_id)
        history = reservation["payment_history"]
        history.extend([{**payment, "amount": -payment["amount"]} for payment in history])
        reservation["status"] = self.pack.word("reservation_status", "cancelled")
        return reservation

    @tool("write")
    def update_reservation_baggages(
        self, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
    ) -> Record:
        """Set the bags of a reservation and charge the added paid ones; stored as they came."""
        reservation = self._reservation(reservation_id)
        added = max(0, nonfree_baggages - reservation["nonfree_baggages"])
        self._pay(reservation_id, payment_id, self.pack.amount("bag_fee") * added)
        reservation = self.db.edit("reservations", reservation_id)
        reservation["total_baggages"] = total_baggages
        reservation["nonfree_baggages"] = nonfree_baggages
        return reservation

    @tool("write")
    def update_reservation_flights(
        self,
        reservation_id: str,
        cabin: Cabin,
        flights: list[FlightInfo | dict[str, Any]],
        payment_id: str,
    ) -> Record:
        """Set the flights and the cabin of a reservation and charge or refund the difference.

        A segment already booked keeps its old price only when the cabin stays the same. Seats are
        not touched; a difference of 0 adds no payment, yet the payment method is checked.
        """
        wanted = self._objects(flights, FlightInfo)
        reservation = self._reservation(reservation_id)
        count = len(reservation["passengers"])
        booked = [
            copied(kept)
            if (kept := _kept(reservation, flight, cabin))
            else self._seat(flight, cabin, count)
            for flight in wanted
        ]
        old_price = sum(flight["price"] for flight in reservation["flights"])
        new_price = sum(flight["price"] for flight in booked)
        self._pay(reservation_id, payment_id, (new_price - old_price) * count)
        reservation = self.db.edit("reservations", reservation_id)
        reservation["flights"] = booked
        reservation["cabin"] = cabin
        return reservation

    @tool("write")
    def update_reservation_passengers(
        self, reservation_id: str, passengers: list[Passenger | dict[str, Any]]
    ) -> Record:
        """Replace the passengers of a reservation by as many others."""
        people = self._objects(passengers, Passenger)
        reservation = self._reservation(reservation_id)
        if len(people) != len(reservation["passengers"]):
            self.refuse("passengers_do_not_match")
        reservation = self.db.edit("reservations", reservation_id)
        reservation["passengers"] = people
        return reservation

    @tool("write")
    def send_certificate(self, user_id: str, amount: int) -> str:
        """Give a user a certificate; three for each user at most."""
        methods = self._user(user_id)["payment_methods"]
        new_id = next((free for free in NEW_CERTIFICATE_IDS if free not in methods), "")
        if not new_id:
            self.refuse("too_many_certificates")
        source = self.pack.word("payment_source", "certificate")
        certificate = shaped({"source": source, "id": new_id, "amount": amount}, Balance, self.pack)
        self.db.edit("users", user_id)["payment_methods"][new_id] = certificate
        return self.pack.message(
            "certificate_added", certificate_id=new_id, user_id=user_id, amount=amount
        )

    def _user(self, user_id: str) -> Record:
        user: Record | None = self.db.find("users", user_id)
        return self.refuse("user_not_found", user_id=user_id) if user is None else user

    def _reservation(self, reservation_id: str) -> Record:
        reservation: Record | None = self.db.find("reservations", reservation_id)
        if reservation is None:
            self.refuse("reservation_not_found", reservation_id=reservation_id)
        return reservation

    def _flight_on(self, flight_number: str, date: str) -> Record:
        flight = self.db.find("flights", flight_number)
        if flight is None:
            self.refuse("flight_not_found", flight_number=flight_number)
        day: Record | None = flight["dates"].get(date)
        if day is None:
            self.refuse("flight_not_found_on_date", flight_number=flight_number, date=date)
        return day

    def _direct(
        self, origin: str | None, destination: str | None, date: str, after: str = ""
    ) -> Iterator[Record]:
        available = self.pack.word("flight_status", "available")
        departure = self.pack.key("scheduled_departure_time_est")
        arrival = self.pack.key("scheduled_arrival_time_est")
        for number, flight in self.db.rows("flights"):
            if origin not in (None, flight["origin"]):
                continue
            if destination not in (None, flight["destination"]):
                continue
            day = flight["dates"].get(date)
            if day and day["status"] == available and flight[departure] >= after:
                yield {
                    "flight_number": number,
                    "origin": flight["origin"],
                    "destination": flight["destination"],
                    "status": available,
                    departure: flight[departure],
                    arrival: flight[arrival],
                    "date": None,
                    "available_seats": day["available_seats"],
                    "prices": day["prices"],
                }

    def _objects(self, values: Any, record: type) -> list[Any]:
        """Objects in the record's shape; anything else goes on to the code, as in the reference."""
        return [
            shaped(value, record, self.pack) if isinstance(value, dict) else value
            for value in values
        ]

    def _seat(self, wanted: Mapping[str, Any], cabin: str, count: int) -> Record:
        number, date = wanted["flight_number"], wanted["date"]
        day = self._flight_on(number, date)
        if day["status"] != self.pack.word("flight_status", "available"):
            self.refuse("flight_not_available", flight_number=number, date=date)
        if day["available_seats"][cabin] < count:
            self.refuse("not_enough_seats", flight_number=number)
        flight = self.db.find("flights", number)
        return {
            "flight_number": number,
            "origin": flight["origin"],
            "destination": flight["destination"],
            "date": date,
            "price": day["prices"][cabin],
        }

    def _new_reservation_id(self) -> str:
        for new_id in NEW_RESERVATION_IDS:
            if self.db.find("reservations", new_id) is None:
                return new_id
        return self.refuse("too_many_reservations")

    def _check_payments(self, user: Record, payments: list[Record], price: int | float) -> None:
        for payment in payments:
            payment_id = payment["payment_id"]
            method = user["payment_methods"].get(payment_id)
            if method is None:
                self.refuse("payment_method_unknown", payment_id=payment_id)
            if "amount" in method and method["amount"] < payment["amount"]:
                self.refuse("not_enough_balance", payment_id=payment_id)
        paid = sum(payment["amount"] for payment in payments)
        if paid != price:
            self.refuse("payment_does_not_add_up", total_price=price, paid=paid)

    def _charge(self, user_id: str, payments: list[Record]) -> None:
        for payment in payments:
            methods = self.db.find("users", user_id)["payment_methods"]
            method = methods[payment["payment_id"]]
            if method["source"] == self.pack.word("payment_source", "gift_card"):
                methods = self.db.edit("users", user_id)["payment_methods"]
                methods[payment["payment_id"]]["amount"] -= payment["amount"]
            elif method["source"] == self.pack.word("payment_source", "certificate"):
                del self.db.edit("users", user_id)["payment_methods"][payment["payment_id"]]

    def _pay(self, reservation_id: str, payment_id: str, price: int | float) -> None:
        """Charge a change (or refund it, if negative) and note it in the payment history."""
        user_id = self._reservation(reservation_id)["user_id"]
        method = self._user(user_id)["payment_methods"].get(payment_id)
        if method is None:
            self.refuse("payment_method_not_found")
        if method["source"] == self.pack.word("payment_source", "certificate"):
            self.refuse("certificate_not_accepted")
        is_gift_card = method["source"] == self.pack.word("payment_source", "gift_card")
        if is_gift_card and method["amount"] < price:
            self.refuse("gift_card_not_enough")
        payment = {"payment_id": payment_id, "amount": price}
        if price != 0:
            payment = shaped(payment, Payment, self.pack)
        if is_gift_card:
            self.db.edit("users", user_id)["payment_methods"][payment_id]["amount"] -= price
        if price != 0:
            history = self.db.edit("reservations", reservation_id)["payment_history"]
            history.append(payment)


def _kept(reservation: Record, wanted: Mapping[str, Any], cabin: str) -> Record | None:
    if cabin != reservation["cabin"]:
        return None
    for flight in reservation["flights"]:
        if (flight["flight_number"], flight["date"]) == (wanted["flight_number"], wanted["date"]):
            kept: Record = flight
            return kept
    return None
