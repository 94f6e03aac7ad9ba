"""Telecom databases as loaded: parsed `db.toml` and `user_db.toml` in the shape that is hashed.

Every field is present in the order in which tools print it, decimal numbers are floats, dates are
`2025-02-25`, date-times `2025-01-15 10:30:00`. Defaults that are words come from the pack.

Source: `telecom_pristine.json` of the conformance records; defaults of fields that both files state
are the values of the pristine database.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final, NotRequired, TypedDict

from review_app.core.envs.records import Word, fields, shaped
from review_app.core.envs.state import Record
from review_app.core.locale.pack import Pack

Signal = Annotated[str, Word("signal")]


class Plan(TypedDict):
    """What a line costs."""

    plan_id: str
    name: str
    data_limit_gb: float
    price_per_month: float
    data_refueling_price_per_gb: float


class Address(TypedDict):
    """Where bills go."""

    street: str
    city: str
    state: str
    zip_code: str


class PaymentMethod(TypedDict):
    """A stored card or account."""

    method_type: Annotated[str, Word("payment_method_type")]
    account_number_last_4: str
    expiration_date: str


class Customer(TypedDict):
    """A stored customer."""

    customer_id: str
    full_name: str
    date_of_birth: str
    email: str
    phone_number: str
    address: Address
    account_status: Annotated[str, Word("account_status")]
    payment_methods: list[PaymentMethod]
    line_ids: list[str]
    bill_ids: list[str]
    created_at: str
    last_extension_date: NotRequired[str | None]
    goodwill_credit_used_this_year: float


class Line(TypedDict):
    """A stored line."""

    line_id: str
    phone_number: str
    status: Annotated[str, Word("line_status")]
    plan_id: str
    device_id: NotRequired[str | None]
    data_used_gb: float
    data_refueling_gb: float
    roaming_enabled: bool
    contract_end_date: NotRequired[str | None]
    last_plan_change_date: NotRequired[str | None]
    last_sim_replacement_date: NotRequired[str | None]
    suspension_start_date: NotRequired[str | None]


class LineItem(TypedDict):
    """A charge on a bill."""

    description: str
    amount: float
    date: str
    item_type: str


class Bill(TypedDict):
    """A stored bill."""

    bill_id: str
    customer_id: str
    period_start: str
    period_end: str
    issue_date: str
    total_due: float
    due_date: str
    line_items: list[LineItem]
    status: Annotated[str, Word("bill_status")]


class Device(TypedDict):
    """A stored device, as the agent sees it."""

    device_id: str
    device_type: Annotated[str, Word("device_type")]
    model: str
    imei: NotRequired[str | None]
    is_esim_capable: bool
    activated: bool
    activation_date: NotRequired[str | None]
    last_esim_transfer_date: NotRequired[str | None]


class AgentDatabase(TypedDict):
    """The agent's database."""

    plans: list[Plan]
    customers: list[Customer]
    lines: list[Line]
    bills: list[Bill]
    devices: list[Device]


class APNSettings(TypedDict):
    """How a phone reaches the carrier's network."""

    apn_name: NotRequired[Annotated[str, Word("apn", named="APNNames")]]
    reset_at_reboot: NotRequired[bool]
    mms_apn: NotRequired[str | None]
    mmsc_url: NotRequired[str | None]
    mms_proxy: NotRequired[str | None]
    mms_port: NotRequired[int | None]


class VpnDetails(TypedDict):
    """The VPN a phone is connected to."""

    server_address: NotRequired[str | None]
    protocol: NotRequired[str | None]
    server_performance: Annotated[str, Word("performance")]


class Permissions(TypedDict):
    """What an app may use."""

    sms: bool
    storage: bool
    phone: bool
    network: bool


class App(TypedDict):
    """An installed app."""

    app_name: str
    permissions: Permissions


class UserDevice(TypedDict):
    """The user's phone."""

    sim_card_status: Annotated[str, Word("sim_status")]
    sim_card_missing: bool
    airplane_mode: bool
    network_signal_strength: Signal
    network_technology_connected: Annotated[str, Word("technology")]
    network_connection_status: Annotated[str, Word("connection")]
    battery_level: int
    data_enabled: bool
    roaming_enabled: bool
    network_mode_preference: Annotated[str, Word("network_mode")]
    active_apn_settings: APNSettings
    wifi_enabled: bool
    wifi_connected: bool
    wifi_ssid: NotRequired[str | None]
    wifi_signal_strength: Signal
    wifi_calling_enabled: bool
    wifi_calling_mms_over_wifi: bool
    data_saver_mode: bool
    vpn_enabled_setting: bool
    vpn_connected: bool
    vpn_details: NotRequired[VpnDetails | None]
    app_statuses: dict[str, App]


class PaymentRequest(TypedDict):
    """A bill the agent asked the user to pay."""

    bill_id: str
    amount_due: float
    paid: bool


class Surroundings(TypedDict):
    """What the phone finds around it."""

    name: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    is_abroad: bool
    roaming_allowed: bool
    signal_strength: dict[Annotated[str, Word("technology")], Signal]
    mobile_data_usage_exceeded: bool
    line_active: bool
    payment_request: NotRequired[PaymentRequest | None]


class UserDatabase(TypedDict):
    """The user's database."""

    device: UserDevice
    surroundings: Surroundings


_MOMENTS: Final = frozenset({"created_at", "activation_date", "last_esim_transfer_date"})
"""Fields that hold a date and a time."""
_AROUND: Final = {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}


def completed_agent(raw: Mapping[str, Any], pack: Pack) -> Record:
    """The agent's database with its defaults, dates as text.

    Args:
        raw: Parsed `db.toml`: lists `plans`, `customers`, `lines`, `bills`, `devices`.
        pack: Gives the defaults that are words.
    """
    whole = dict(_written(raw))
    for table, defaults in _agent_defaults(pack).items():
        rows = whole.setdefault(table, [])
        if isinstance(rows, list):
            whole[table] = [_over(defaults, row) for row in rows]
    return whole


def completed_user(raw: Mapping[str, Any], pack: Pack) -> Record:
    """The user's database with its defaults.

    Args:
        raw: Parsed `user_db.toml`: `device`, and `surroundings` where not as by default.
        pack: Gives the defaults that are words.
    """
    phone = _over(_phone_defaults(pack), raw.get("device", {}))
    if isinstance(phone, dict):
        apn = phone["active_apn_settings"]
        phone["active_apn_settings"] = _over(default_apn_settings(pack), apn)
    around = _over(_surroundings_defaults(pack), raw.get("surroundings", {}))
    return {"device": phone, "surroundings": around}


def default_apn_settings(pack: Pack) -> Record:
    """The APN settings a phone comes with."""
    return {
        "apn_name": pack.word("apn", "internet"),
        "reset_at_reboot": False,
        "mms_apn": pack.message("mms_apn"),
        "mmsc_url": pack.message("mmsc_url"),
        "mms_proxy": None,
        "mms_port": None,
    }


def apn_settings_from(raw: Mapping[str, Any], pack: Pack) -> Record:
    """APN settings that a caller gave, completed with the defaults.

    Raises:
        ValueError: an unknown field or APN name, or a value of the wrong type.
    """
    settings = {**default_apn_settings(pack), **raw}
    if unknown := settings.keys() - fields(APNSettings).keys():
        raise ValueError(f"APN settings have no {sorted(unknown)[0]!r}")
    checked: Record = shaped(settings, APNSettings, pack)
    return checked


def _over(defaults: Record, record: Any) -> Any:
    """The record with defaults for what it leaves out; what is no record stays, to be refused."""
    return {**defaults, **record} if isinstance(record, Mapping) else record


def _written(value: Any, name: str = "") -> Any:
    """The same with dates as text in the form that is hashed."""
    if isinstance(value, Mapping):
        return {key: _written(member, key) for key, member in value.items()}
    if isinstance(value, list):
        return [_written(member, name) for member in value]
    if isinstance(value, date):
        return str(value)
    return value.replace("T", " ") if name in _MOMENTS and isinstance(value, str) else value


def _agent_defaults(pack: Pack) -> dict[str, Record]:
    return {
        "plans": {},
        "customers": {
            "account_status": pack.word("account_status", "Pending Verification"),
            "payment_methods": [],
            "line_ids": [],
            "bill_ids": [],
            "created_at": "2025-01-01",
            "goodwill_credit_used_this_year": 0.0,
        },
        "lines": {
            "status": pack.word("line_status", "Pending Activation"),
            "data_used_gb": 0.0,
            "data_refueling_gb": 0.0,
            "roaming_enabled": False,
        },
        "bills": {"line_items": [], "status": pack.word("bill_status", "Draft")},
        "devices": {"is_esim_capable": False, "activated": False},
    }


def _phone_defaults(pack: Pack) -> Record:
    off = (
        "sim_card_missing",
        "airplane_mode",
        "roaming_enabled",
        "wifi_enabled",
        "wifi_connected",
        "wifi_calling_enabled",
        "wifi_calling_mms_over_wifi",
        "data_saver_mode",
        "vpn_enabled_setting",
        "vpn_connected",
    )
    return {
        **dict.fromkeys(off, False),
        "sim_card_status": pack.word("sim_status", "active"),
        "network_signal_strength": pack.word("signal", "good"),
        "network_technology_connected": pack.word("technology", "5G"),
        "network_connection_status": pack.word("connection", "connected"),
        "battery_level": 80,
        "data_enabled": True,
        "network_mode_preference": pack.word("network_mode", "4g_5g_preferred"),
        "active_apn_settings": {},
        "wifi_signal_strength": pack.word("signal", "none"),
        "app_statuses": {},
    }


def _surroundings_defaults(pack: Pack) -> Record:
    word = pack.word
    return {
        "is_abroad": False,
        "roaming_allowed": False,
        "signal_strength": {word("technology", t): word("signal", s) for t, s in _AROUND.items()},
        "mobile_data_usage_exceeded": False,
        "line_active": True,
    }
