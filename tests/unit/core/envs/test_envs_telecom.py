"""The telecom environment: agent tools, phone, sync, set-up functions, assertions, packs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from review_app.core.envs.telecom import TelecomEnvironment
from review_app.core.envs.telecom_accounts import next_draft_id
from review_app.core.locale.pack import parse_pack
from review_app.errors import BadInput

LOCALES = Path(__file__).resolve().parents[4] / "data" / "locales" / "en"
ENGLISH = parse_pack(
    {name: (LOCALES / name).read_text("utf-8") for name in ("telecom.toml", "telecom_user.toml")}
)
JAPANESE = parse_pack(
    {
        "ja.toml": """
[pack]
locale = "ja"
escape = false
[words.line_status]
"Active" = "有効"
"Suspended" = "利用停止"
[words.bill_status]
"Paid" = "支払い済み"
"Awaiting Payment" = "支払い待ち"
[words.signal]
none = "圏外"
poor = "弱い"
fair = "やや弱い"
good = "良好"
excellent = "非常に良好"
[words.connection]
connected = "接続済み"
no_service = "サービスなし"
[words.network_mode]
4g_5g_preferred = "4G/5G優先"
2g_only = "2Gのみ"
[words.speed]
excellent = "非常に速い"
[amounts]
holding_fee = 750
money_decimals = 0
[messages]
on = "オン"
off = "オフ"
status_bar = "ステータスバー: {bar}"
bar_airplane_mode = "✈️ 機内モード"
bar_signal_none = "📵 圏外"
bar_signal_excellent = "📶⁴ 非常に良好"
bar_data_enabled = "📱 データ有効"
bar_data_disabled = "📵 データ無効"
airplane_mode_now = "機内モードは{state}になりました。"
speed_result = "速度テスト: {mbps} Mbps({speed})。{advice}"
speed_excellent = "接続は非常に高速です。"
line_suspended = "回線を停止しました。月額{fee}円がかかります。"
refuelled = "回線{line_id}に{gb}GBを{charge}円で追加しました"
network_mode_invalid = "'{mode}' は無効です。次から選んでください: {modes}"
list_separator = "、"
"""
    },
    ENGLISH,
)

AGENT = """
[[plans]]
plan_id = "P1"
name = "Plain"
data_limit_gb = 10
price_per_month = 40.0
data_refueling_price_per_gb = 2.0

[[lines]]
line_id = "L1"
phone_number = "555-0001"
status = "{active}"
plan_id = "P1"
data_used_gb = 8.0
roaming_enabled = true
contract_end_date = 2026-12-31

[[lines]]
line_id = "L2"
phone_number = "555-0002"
status = "{suspended}"
plan_id = "P1"

[[customers]]
customer_id = "C1"
full_name = "Ada Example"
date_of_birth = 1985-06-15
email = "ada@example.com"
phone_number = "555-1000"
created_at = 2025-01-15T10:30:00
line_ids = ["L1", "L2"]
bill_ids = ["B1"]
[customers.address]
street = "1 Road"
city = "Town"
state = "CA"
zip_code = "90000"

[[bills]]
bill_id = "B1"
customer_id = "C1"
period_start = "2025-01-01"
period_end = "2025-01-31"
issue_date = "2025-01-05"
total_due = 40
due_date = "2025-01-19"
status = "{paid}"

[[devices]]
device_id = "D1"
device_type = "{phone}"
model = "One"
activation_date = "2025-01-20T14:30:00"
"""
USER = """
[device.app_statuses.messaging]
app_name = "messaging"
permissions = { sms = true, storage = true, phone = true, network = false }
"""
LINE = {"customer_id": "C1", "line_id": "L1"}


def raw_agent(pack=ENGLISH):
    return tomllib.loads(
        AGENT.format(
            active=pack.word("line_status", "Active"),
            suspended=pack.word("line_status", "Suspended"),
            paid=pack.word("bill_status", "Paid"),
            phone=pack.word("device_type", "phone"),
        )
    )


def opened(pack=ENGLISH, *, known=True, **options):
    """A fresh environment; the user is known unless said otherwise."""
    agent = TelecomEnvironment.load(raw_agent(pack), pack)
    user = TelecomEnvironment.load_user(tomllib.loads(USER), pack)
    environment = TelecomEnvironment(agent, pack, user, **options)
    if known:
        run(environment, "user", "set_user_info", name="Ada", phone_number="555-0001")
    return environment


def run(environment, side, function, /, **arguments):
    step = environment.run(side, function, arguments)
    assert step.ok, step.output
    return step.value


def user(environment, tool, /, **arguments):
    return environment.call(tool, arguments, "user")


def agent(environment, tool, /, **arguments):
    return environment.call(tool, arguments)


def device(environment):
    return environment.states()[1].find(("device",))


def surroundings(environment):
    return environment.states()[1].find(("surroundings",))


def hashes(environment):
    state, user_state = environment.states()
    return state.hash, user_state.hash


# ---- loading ---------------------------------------------------------------------------------


def test_loaded_databases_have_every_field_in_order_and_dates_as_text():
    tree = TelecomEnvironment.load(raw_agent(), ENGLISH).tree
    assert list(tree) == ["plans", "customers", "lines", "bills", "devices"]
    assert tree["plans"][0]["data_limit_gb"] == 10.0
    assert isinstance(tree["plans"][0]["data_limit_gb"], float)
    customer, (active, _) = tree["customers"][0], tree["lines"]
    assert list(customer)[-3:] == [
        "created_at",
        "last_extension_date",
        "goodwill_credit_used_this_year",
    ]
    assert customer["created_at"] == "2025-01-15 10:30:00"
    assert customer["date_of_birth"] == "1985-06-15"
    assert customer["account_status"] == "Pending Verification"
    assert active["contract_end_date"] == "2026-12-31"
    assert active["suspension_start_date"] is None
    assert tree["devices"][0]["activation_date"] == "2025-01-20 14:30:00"


def test_defaults_that_are_words_come_from_the_pack():
    tree = TelecomEnvironment.load_user({}, JAPANESE).tree
    assert tree["device"]["network_signal_strength"] == "良好"
    assert tree["surroundings"]["signal_strength"]["2G"] == "弱い"


@pytest.mark.parametrize(
    ("table", "field", "value", "address"),
    [
        pytest.param("bills", "total_due", "much", "/bills/0/total_due", id="wrong type"),
        pytest.param("lines", "status", "Aktiv", "/lines/0/status", id="word not of the pack"),
        pytest.param("plans", None, "no row", "/plans/0", id="no record"),
    ],
)
def test_a_broken_database_is_refused_with_its_address(table, field, value, address):
    raw = raw_agent()
    if field is None:
        raw[table][0] = value
    else:
        raw[table][0][field] = value
    with pytest.raises(BadInput) as error:
        TelecomEnvironment.load(raw, ENGLISH)
    assert error.value.address == address


# ---- sync ------------------------------------------------------------------------------------


def test_nothing_is_synced_until_the_user_is_known():
    environment = opened(known=False)
    agent(environment, "send_payment_request", customer_id="C1", bill_id="B1")
    assert surroundings(environment)["payment_request"] is None
    run(environment, "user", "set_user_info", name="Ada", phone_number="555-0001")
    assert surroundings(environment)["payment_request"] == {
        "bill_id": "B1",
        "amount_due": 40.0,
        "paid": False,
    }
    assert surroundings(environment)["roaming_allowed"] is True


def test_a_payment_settles_the_bill_and_takes_the_request_away():
    environment = opened()
    agent(environment, "send_payment_request", customer_id="C1", bill_id="B1")
    assert "B1 of 40.0 USD" in user(environment, "check_payment_request").output
    second = agent(environment, "send_payment_request", customer_id="C1", bill_id="B1")
    assert second.output == "Error: A bill is already awaiting payment for this customer"
    assert "Payment of 40.0 USD" in user(environment, "make_payment").output
    bill = agent(environment, "get_details_by_id", id="B1").value
    assert bill["status"] == "Paid"
    assert user(environment, "make_payment").output == "You do not have a payment request."


def test_without_sync_the_phone_learns_nothing():
    environment = opened()
    environment.call("suspend_line", {**LINE, "reason": ""}, sync=False)
    assert surroundings(environment)["line_active"] is True


def test_a_number_without_a_line_fails_after_the_tool_has_written():
    environment = opened(known=False)
    step = environment.run("user", "set_user_info", {"name": "X", "phone_number": "0"})
    assert (step.ok, step.error_where) == (False, "sync")
    assert surroundings(environment)["phone_number"] == "0"
    step = user(environment, "toggle_data_saver_mode")
    assert step.output == "Error: Line with phone number 0 not found"
    assert device(environment)["data_saver_mode"] is True


def test_used_up_data_stop_the_connection_until_they_are_refuelled():
    environment = opened()
    run(environment, "assistant", "set_data_usage", **LINE, data_used_gb=10)
    assert user(environment, "run_speed_test").output == "Speed test failed: No Connection."
    agent(environment, "refuel_data", **LINE, gb_amount=0.5)
    assert user(environment, "run_speed_test").output.startswith("Speed Test Result: 220.00 Mbps")


# ---- the agent's tools -----------------------------------------------------------------------


def test_a_suspended_line_can_be_resumed_and_only_once():
    environment = opened()
    step = agent(environment, "suspend_line", **LINE, reason="travel")
    assert '"message": "Line suspended successfully. $5/month holding fee' in step.output
    assert step.value["line"]["suspension_start_date"] == "2025-02-25"
    again = agent(environment, "suspend_line", **LINE, reason="travel")
    assert again.output == "Error: Line must be active to suspend"
    assert agent(environment, "resume_line", **LINE).ok
    again = agent(environment, "resume_line", **LINE)
    assert again.output == "Error: Line must be suspended to resume"


def test_refuelling_charges_one_draft_bill_and_does_not_round():
    environment = opened()
    first = agent(environment, "refuel_data", **LINE, gb_amount=0.1)
    assert first.value["message"].endswith("for $0.20")
    agent(environment, "refuel_data", **LINE, gb_amount=True)
    bills = agent(environment, "get_bills_for_customer", customer_id="C1").value
    assert [bill["bill_id"] for bill in bills] == ["Bdeadbeef", "B1"]
    assert bills[0]["total_due"] == 2.2
    assert [item["description"] for item in bills[0]["line_items"]] == [
        "Data refueling: 0.1 GB at $2.0/GB",
        "Data refueling: True GB at $2.0/GB",
    ]


@pytest.mark.parametrize("amount", [0, -1, "2", None, [2], 2**2000])
def test_a_refused_refuelling_changes_nothing(amount):
    environment = opened()
    before = hashes(environment)
    assert not agent(environment, "refuel_data", **LINE, gb_amount=amount).ok
    assert hashes(environment) == before


def test_draft_bills_take_their_ids_from_the_given_source():
    environment = opened(draft_ids=lambda taken: f"{len(taken):08x}")
    twin = environment.fork()
    agent(twin, "refuel_data", **LINE, gb_amount=1)
    newest = agent(twin, "get_bills_for_customer", customer_id="C1", limit=1).value
    assert newest[0]["bill_id"] == "B00000001"
    assert next_draft_id(["Bdeadbeef"]) == "deadbef0"


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (-1, 1), (None, 2), (True, 1)])
def test_the_bill_limit_is_a_python_slice(limit, count):
    environment = opened()
    agent(environment, "refuel_data", **LINE, gb_amount=1)
    step = agent(environment, "get_bills_for_customer", customer_id="C1", limit=limit)
    assert len(step.value) == count


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("get_details_by_id", {"id": "X1"}, "Unknown ID format or type: X1"),
        ("get_details_by_id", {"id": "D9"}, "Device with ID D9 not found"),
        ("get_customer_by_id", {"customer_id": ["C1"]}, "Customer with ID ['C1'] not found"),
        ("get_customer_by_phone", {"phone_number": 1}, "Customer with phone number 1 not found"),
        ("get_data_usage", {**LINE, "line_id": "L9"}, "Line L9 not found for customer C1"),
        (
            "send_payment_request",
            {"customer_id": "C1", "bill_id": "B9"},
            "Bill B9 not found for customer C1",
        ),
        ("toggle_data", {}, "Tool 'toggle_data' not found."),
        ("set_data_usage", {**LINE, "data_used_gb": 1}, "Tool 'set_data_usage' not found."),
    ],
)
def test_what_is_not_found_is_named(name, arguments, error):
    assert agent(opened(), name, **arguments).output == f"Error: {error}"


def test_customers_are_found_by_contact_number_line_number_and_name():
    environment = opened()
    for number in ("555-1000", "555-0002"):
        customer = agent(environment, "get_customer_by_phone", phone_number=number).value
        assert customer["customer_id"] == "C1"
    by_name = {"full_name": "ADA example", "dob": "1985-06-15"}
    assert len(agent(environment, "get_customer_by_name", **by_name).value) == 1
    assert agent(environment, "get_customer_by_name", **{**by_name, "dob": "x"}).output == "[]"


# ---- the phone -------------------------------------------------------------------------------


def test_a_resumed_line_shows_nothing_until_the_phone_searches():
    environment = opened()
    agent(environment, "suspend_line", **LINE, reason="")
    assert "Good" in user(environment, "check_status_bar").output
    assert "No Signal" in user(environment, "reboot_device").output
    agent(environment, "resume_line", **LINE)
    assert "No Signal" in user(environment, "check_status_bar").output
    assert "Excellent | 5G" in user(environment, "toggle_roaming").output


@pytest.mark.parametrize(
    ("functions", "bar"),
    [
        ([], "📶³ Good | 5G | 📱 Data Enabled | 🔋 80%"),
        (["turn_data_off"], "📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 80%"),
        (["turn_data_saver_mode_on"], "📶³ Good | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 80%"),
        (["unseat_sim_card"], "📵 No Signal | 📵 Data Disabled | 🔋 80%"),
        (["break_vpn"], "📶³ Good | 5G | 📱 Data Enabled | 🔒 VPN Connected | 🔋 80%"),
        (["turn_airplane_mode_on"], "✈️ Airplane Mode | 🔋 80%"),
    ],
)
def test_the_status_bar_shows_what_is_on(functions, bar):
    environment = opened()
    for name in functions:
        run(environment, "user", name)
    assert user(environment, "check_status_bar").output == f"Status Bar: {bar}"


@pytest.mark.parametrize(
    ("functions", "result"),
    [
        ([("simulate_network_search", {})], "275.00 Mbps (Excellent)"),
        ([("turn_data_saver_mode_on", {})], "44.00 Mbps (Good)"),
        ([("break_vpn", {})], "22.00 Mbps (Fair)"),
        ([("break_vpn", {}), ("turn_data_saver_mode_on", {})], "4.40 Mbps (Poor)"),
        ([("set_network_mode_preference", {"mode": "2g_only"})], "0.05 Mbps (Very Poor)"),
        ([("set_user_location", {"abroad": True})], "No Connection"),
    ],
)
def test_speed_follows_signal_technology_vpn_and_data_saver(functions, result):
    environment = opened()
    for name, arguments in functions:
        run(environment, "user", name, **arguments)
    assert result in user(environment, "run_speed_test").output


def test_roaming_needs_the_phone_and_the_line():
    environment = opened()
    run(environment, "user", "set_user_location", abroad=True)
    user(environment, "toggle_roaming")
    assert run(environment, "user", "assert_mobile_data_status", expected_status=True)
    agent(environment, "disable_roaming", **LINE)
    assert run(environment, "user", "assert_mobile_data_status", expected_status=False)


@pytest.mark.parametrize("mode", [5, True, ["4g_only"], {"a": 1}])
def test_a_network_mode_of_another_type_is_stored_and_then_refused(mode):
    environment = opened()
    assert not user(environment, "set_network_mode_preference", mode=mode).ok
    assert device(environment)["network_mode_preference"] == mode
    assert device(environment)["network_technology_connected"] == "4G"


def test_a_network_mode_of_null_is_stored_and_called_invalid():
    environment = opened()
    step = user(environment, "set_network_mode_preference", mode=None)
    assert step.ok
    assert step.output.startswith("Failed to set network mode: 'None' is not a valid option.")
    assert device(environment)["network_mode_preference"] is None


def test_an_unknown_network_mode_changes_nothing():
    environment = opened()
    before = hashes(environment)
    step = user(environment, "set_network_mode_preference", mode="5g_only")
    assert "4g_5g_preferred, 4g_only, 3g_only, 2g_only\nStatus Bar: " in step.output
    assert hashes(environment) == before


@pytest.mark.parametrize("settings", [None, "internet", [], 5])
def test_apn_settings_of_another_type_are_stored_and_then_refused(settings):
    environment = opened()
    step = user(environment, "set_apn_settings", apn_settings=settings)
    assert not step.ok
    assert device(environment)["active_apn_settings"] == settings
    assert not user(environment, "reboot_device").ok


@pytest.mark.parametrize(
    "settings", [{"apn_name": "other"}, {"apn_name": None}, {"mms_port": "x"}, {"unknown": 1}]
)
def test_apn_settings_that_do_not_fit_change_nothing(settings):
    environment = opened()
    before = hashes(environment)
    assert not user(environment, "set_apn_settings", apn_settings=settings).ok
    assert hashes(environment) == before


def test_apn_settings_are_completed_with_the_defaults():
    environment = opened()
    run(environment, "user", "break_apn_settings")
    step = user(environment, "set_apn_settings", apn_settings={"mms_port": "80"})
    assert step.output.startswith("APN settings set to: internet\nStatus Bar: 📶⁴ Excellent")
    assert device(environment)["active_apn_settings"]["mms_port"] == 80


def test_apn_settings_are_reset_at_the_next_reboot():
    environment = opened()
    run(environment, "user", "break_apn_settings")
    assert "No Signal" in user(environment, "reset_apn_settings").output
    rebooted = user(environment, "reboot_device").output.split("\n")
    assert rebooted[:2] == ["Resetting APN settings...", "Restarting network services..."]
    assert "Excellent" in rebooted[2]
    assert "Resetting" not in user(environment, "reboot_device").output


def test_a_broken_vpn_stays_slow_in_this_environment_and_its_forks_only():
    environment = opened()
    run(environment, "user", "break_vpn")
    user(environment, "disconnect_vpn")
    for slow in (environment, environment.fork()):
        user(slow, "connect_vpn")
        assert "<PerformanceLevel.POOR: 'poor'>" in user(slow, "check_vpn_status").output
    other = opened()
    user(other, "connect_vpn")
    assert "<PerformanceLevel.EXCELLENT: 'excellent'>" in user(other, "check_vpn_status").output


def test_airplane_mode_drops_a_vpn_and_its_end_keeps_one_made_meanwhile():
    environment = opened()
    user(environment, "connect_vpn")
    assert "VPN" not in user(environment, "toggle_airplane_mode").output
    user(environment, "connect_vpn")
    assert "VPN Connected" in user(environment, "toggle_airplane_mode").output
    run(environment, "user", "turn_airplane_mode_off")
    assert user(environment, "check_vpn_status").output == "VPN is turned OFF."


@pytest.mark.parametrize(
    ("side", "name", "arguments"),
    [
        ("user", "set_network_mode_preference", {"mode": "2g_only"}),
        ("user", "break_apn_mms_setting", {}),
        ("user", "set_wifi_calling", {"enabled": True, "mms_over_wifi": True}),
        ("user", "remove_app_permission", {"app_name": "messaging", "permission": "sms"}),
        ("user", "remove_app_permission", {"app_name": "messaging", "permission": "storage"}),
        ("user", "turn_data_off", {}),
        ("assistant", "set_data_usage", {**LINE, "data_used_gb": 10}),
    ],
)
def test_mms_fails_for_each_of_its_reasons(side, name, arguments):
    environment = opened()
    assert run(environment, "user", "assert_can_send_mms", expected_status=True)
    run(environment, side, name, **arguments)
    assert "cannot send MMS" in user(environment, "can_send_mms").output


def test_permissions_are_granted_without_regard_to_case_and_unknown_ones_named():
    environment = opened()
    grant = {"app_name": "messaging", "permission": "NETWORK"}
    assert (
        "Success. Permission 'network'" in user(environment, "grant_app_permission", **grant).output
    )
    status = user(environment, "check_app_status", app_name="messaging").output
    assert status.split("\n")[2:] == ["   - sms", "   - storage", "   - phone", "   - network"]
    unknown = user(environment, "grant_app_permission", app_name="messaging", permission="x")
    assert unknown.ok
    assert "available permissions: ['sms', 'storage', 'phone', 'network']" in unknown.output
    assert user(environment, "check_app_status", app_name="x").output.startswith(
        "App 'x' not found"
    )
    assert not user(environment, "check_app_status", app_name={"a": 1}).ok


# ---- set-up functions and assertions ---------------------------------------------------------


def test_an_overdue_bill_suspends_the_line_and_is_asserted():
    environment = opened()
    overdue = {**LINE, "new_bill_id": "B7", "contract_ended": True}
    text = run(environment, "assistant", "suspend_line_for_overdue_bill", **overdue)
    assert text == "Line L1 suspended for unpaid bill B7. Contract ended: True"
    assert surroundings(environment)["line_active"] is False
    line = agent(environment, "get_details_by_id", id="L1").value
    assert line["contract_end_date"] == "2025-01-31"
    exists = {"customer_id": "C1", "overdue_bill_id": "B7"}
    assert run(environment, "assistant", "assert_overdue_bill_exists", **exists) is True
    assert run(environment, "assistant", "assert_no_overdue_bill", overdue_bill_id="B7") is False
    missing = environment.run(
        "assistant", "assert_overdue_bill_exists", {**exists, "overdue_bill_id": "B8"}
    )
    assert missing.error == "Overdue bill B8 not found"


def test_functions_belong_to_one_side_and_are_no_tools():
    environment = opened()
    assert not environment.run("assistant", "break_vpn", {}).ok
    assert not user(environment, "break_vpn").ok
    assert environment.run("user", "check_status_bar", {}).ok


def test_an_unknown_sim_lock_locks_nothing_but_searches():
    environment = opened()
    text = run(environment, "user", "lock_sim_card", mode="x")
    assert text == "SIM card locked successfully in x mode."
    assert device(environment)["sim_card_status"] == "active"
    assert device(environment)["network_signal_strength"] == "excellent"


def test_an_assertion_about_an_unknown_connection_is_refused():
    step = opened().run("user", "assert_service_status", {"expected_status": "bogus"})
    assert step.error == "'bogus' is not a valid NetworkStatus"


# ---- every tool ------------------------------------------------------------------------------

HALF_WRITING = {"set_network_mode_preference", "set_apn_settings"}
READS = [key for key, entry in TelecomEnvironment.tools.items() if entry.kind != "write"]
HOSTILE = [None, "", 5, -1.5, True, [], ["x"], {"a": {"b": []}}, "\ud800", "x" * 10_000, 10**400]


def test_both_sides_have_their_tools():
    sides = [requestor for requestor, _ in TelecomEnvironment.tools]
    assert (sides.count("assistant"), sides.count("user")) == (13, 30)


@pytest.mark.parametrize("key", READS, ids="/".join)
def test_reading_tools_never_change_a_state(key):
    environment = opened()
    before = hashes(environment)
    for value in HOSTILE:
        names = TelecomEnvironment.tools[key].method.__annotations__
        arguments = {name: value for name in names if name != "return"}
        environment.call(key[1], arguments, key[0])
    assert hashes(environment) == before


@pytest.mark.parametrize("key", TelecomEnvironment.tools, ids="/".join)
def test_refused_calls_change_nothing_but_where_documented(key):
    environment = opened()
    names = [n for n in TelecomEnvironment.tools[key].method.__annotations__ if n != "return"]
    for value in HOSTILE:
        before = hashes(environment)
        step = environment.call(key[1], dict.fromkeys(names, value), key[0])
        if not step.ok and key[1] not in HALF_WRITING:
            assert hashes(environment) == before


# ---- packs -----------------------------------------------------------------------------------


def test_a_japanese_pack_speaks_and_compares_japanese():
    environment = opened(JAPANESE)
    bar = user(environment, "reboot_device").output.split("\n")[-1]
    assert bar == "ステータスバー: 📶⁴ 非常に良好 | 5G | 📱 データ有効 | 🔋 80%"
    assert (
        "275.00 Mbps(非常に速い)。接続は非常に高速です。"
        in user(environment, "run_speed_test").output
    )
    on = user(environment, "toggle_airplane_mode").output
    assert on == "機内モードはオンになりました。\nステータスバー: ✈️ 機内モード | 🔋 80%"
    user(environment, "toggle_airplane_mode")
    invalid = user(environment, "set_network_mode_preference", mode="2g_only").output
    assert invalid.startswith(
        "'2g_only' は無効です。次から選んでください: 4G/5G優先、4g_only、3g_only、2Gのみ\n"
    )
    assert user(environment, "set_network_mode_preference", mode="2Gのみ").ok
    assert device(environment)["network_signal_strength"] == "弱い"
    suspended = agent(environment, "suspend_line", **LINE, reason="").output
    assert suspended.startswith('{"message": "回線を停止しました。月額750円がかかります。"')
    assert '"status": "利用停止"' in suspended
    assert "📵 圏外 | 📵 データ無効" in user(environment, "reboot_device").output
    assert device(environment)["network_connection_status"] == "サービスなし"
    refuelled = agent(environment, "refuel_data", **LINE, gb_amount=2).value["message"]
    assert refuelled == "回線L1に2GBを4円で追加しました"


def marked():
    """A pack that shares no word and no text with English: all in brackets, named by their keys."""
    lines = ["[pack]", 'locale = "xx"', "escape = false", "[messages]"]
    for name, text in ENGLISH.messages.items():
        places = "".join(re.findall(r"\{\w+\}", text))
        lines.append(f'{name} = "«{name}{places}»"')
    for field, values in ENGLISH.words.items():
        if field != "id_prefix":
            lines.append(f"[words.{field}]")
            lines += [f'"{value}" = "«{field}:{value}»"' for value in values]
    return parse_pack({"xx.toml": "\n".join(lines)}, ENGLISH)


def outside_brackets(text):
    while (shorter := re.sub("«[^«»]*»", "", text)) != text:
        text = shorter
    return text.strip()


SCENARIO = [
    ("user", "set_user_info", {"name": "Ada", "phone_number": "555-0001"}),
    *[(side, name, {}) for side, name in TelecomEnvironment.tools if side == "user"],
    ("user", "check_app_status", {"app_name": "messaging"}),
    ("user", "set_wifi_calling", {"enabled": True, "mms_over_wifi": False}),
    ("user", "lock_sim_card", {"mode": ("sim_lock", "puk")}),
    ("user", "check_sim_status", {}),
    ("user", "check_network_status", {}),
    ("user", "unseat_sim_card", {}),
    ("user", "check_sim_status", {}),
    ("user", "set_network_mode_preference", {"mode": ("network_mode", "3g_only")}),
    ("user", "set_apn_settings", {"apn_settings": {}}),
    ("user", "break_apn_mms_setting", {}),
    ("user", "check_apn_settings", {}),
    ("user", "break_vpn", {}),
    ("user", "check_vpn_status", {}),
    ("user", "assert_service_status", {"expected_status": ("connection", "no_service")}),
    ("assistant", "suspend_line", {**LINE, "reason": ""}),
    ("assistant", "get_details_by_id", {"id": "L1"}),
    ("assistant", "resume_line", LINE),
    ("assistant", "assert_line_status", {**LINE, "expected_status": ("line_status", "Active")}),
    ("assistant", "disable_roaming", LINE),
    ("assistant", "enable_roaming", LINE),
    ("assistant", "refuel_data", {**LINE, "gb_amount": 1.5}),
    ("assistant", "get_data_usage", LINE),
    (
        "assistant",
        "suspend_line_for_overdue_bill",
        {**LINE, "new_bill_id": "B7", "contract_ended": False},
    ),
    ("assistant", "send_payment_request", {"customer_id": "C1", "bill_id": "B7"}),
    ("user", "check_payment_request", {}),
    ("user", "make_payment", {}),
    ("assistant", "get_bills_for_customer", {"customer_id": "C1"}),
    ("assistant", "get_customer_by_id", {"customer_id": "C1"}),
]


def test_no_tool_holds_a_literal_that_a_pack_may_change():
    english, other = opened(known=False), opened(marked(), known=False)
    for side, name, arguments in SCENARIO:
        steps = []
        for environment in (english, other):
            word = environment.pack.word
            given = {k: word(*v) if isinstance(v, tuple) else v for k, v in arguments.items()}
            steps.append(environment.run(side, name, given))
        expected, step = steps
        assert (step.ok, step.value is None) == (expected.ok, expected.value is None), name
        if step.ok and not isinstance(step.value, str | dict):
            assert isinstance(step.value, list) or step.value == expected.value, name
        text = step.value.get("message", "") if isinstance(step.value, dict) else step.value
        if isinstance(text, str):
            assert outside_brackets(text) == "", name
    state, user_state = (state.tree() for state in other.states())
    assert TelecomEnvironment.load(state, other.pack).tree == state
    assert TelecomEnvironment.load_user(user_state, other.pack).tree == user_state
    items = [item for bill in state["bills"] for item in bill["line_items"]]
    assert len(items) == 2
    assert all(outside_brackets(item["description"] + item["item_type"]) == "" for item in items)
