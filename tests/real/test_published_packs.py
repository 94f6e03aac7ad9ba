"""The Japanese packs on the published Japanese data."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from review_app.core.envs import Environment, environment_class
from review_app.core.locale.pack import Pack, parse_pack

LOCALES = Path(__file__).resolve().parents[2] / "data" / "locales"
OWNER = {"name": "田中太郎", "phone_number": "090-1234-5678"}


def pack_of(domain: str) -> Pack:
    def files(locale: str) -> dict[str, str]:
        found = (LOCALES / locale).glob(f"{domain}*.toml")
        return {path.name: path.read_text(encoding="utf-8") for path in found}

    return parse_pack(files("ja"), parse_pack(files("en")))


@pytest.fixture
def database(shared):
    return tomllib.loads((shared / "jtau/telecom_ja/db.toml").read_text("utf-8"))


@pytest.fixture
def phone(shared):
    return tomllib.loads((shared / "jtau/telecom_ja/user_db.toml").read_text("utf-8"))


@pytest.fixture
def manual(shared):
    return (shared / "jtau/telecom_ja/tech_support_manual.md").read_text("utf-8")


@pytest.fixture
def telecom(database, phone) -> Environment:
    kind, pack = environment_class("telecom"), pack_of("telecom")
    opened = kind(kind.load(database, pack), pack, kind.load_user(phone, pack))
    assert opened.run("user", "set_user_info", OWNER).ok
    return opened


def said(telecom: Environment, name: str, side="user", **arguments) -> str:
    step = telecom.call(name, arguments, side)
    assert step.ok, step.error
    return step.output


def test_every_word_of_the_published_databases_is_in_the_vocabulary(database, phone):
    pack = pack_of("telecom")
    fields = [
        ("customers", "account_status", "account_status"),
        ("lines", "status", "line_status"),
        ("bills", "status", "bill_status"),
        ("devices", "device_type", "device_type"),
    ]
    for table, key, field in fields:
        assert {row[key] for row in database[table]} <= set(pack.values(field))
    items = [item for bill in database["bills"] for item in bill["line_items"]]
    assert {item["item_type"] for item in items} <= set(pack.values("item_type"))
    methods = [m for customer in database["customers"] for m in customer["payment_methods"]]
    assert {m["method_type"] for m in methods} == set(pack.values("payment_method_type"))
    apps = {key: app["app_name"] for key, app in phone["device"]["app_statuses"].items()}
    assert apps == pack.words["app_name"]


def test_the_published_phone_says_what_the_published_manual_quotes(telecom):
    bar = "📶³ 良好 | 5G | 📱 データ有効 | 🔋 80%"
    assert said(telecom, "check_status_bar") == f"ステータスバー: {bar}"
    assert said(telecom, "check_installed_apps").endswith(": messaging、browser")
    assert "モバイル接続: 接続済み" in said(telecom, "check_network_status")
    assert "機内モード: オン\nステータスバー: ✈️ 機内モード |" in said(
        telecom, "toggle_airplane_mode"
    )
    assert said(telecom, "run_speed_test") == "スピードテストに失敗しました: 接続なし。"
    said(telecom, "toggle_airplane_mode")
    assert "（非常に速い）" in said(telecom, "run_speed_test")
    assert "通信モードを設定しました: 2g_only" in said(
        telecom, "set_network_mode_preference", mode="2g_only"
    )
    assert said(telecom, "can_send_mms") == "メッセージアプリでMMSを送信できません。"


def test_messages_read_as_the_published_manual_quotes_them(manual):
    messages = pack_of("telecom").messages
    icons = [text for name, text in messages.items() if name.startswith("bar_")]
    whole = [icon for icon in icons if "{" not in icon and icon != messages["bar_separator"]]
    assert len(whole) == 11
    for icon in whole:
        assert f"「{icon}」" in manual
    states = re.findall("「([^」]+: オン[^」]*)」", manual)
    assert len(states) == 3
    said_ones = [text.replace("{state}", messages["on"]) for text in messages.values()]
    for state in states:
        assert any(text.startswith(state) for text in said_ones), state
    assert "未挿入" in messages["sim_missing"] and "アクティブ" in messages["sim_active"]
    assert all("ロック中" in messages[f"sim_locked_{lock}"] for lock in ("pin", "puk"))


def test_a_published_bill_is_requested_and_paid_in_yen(telecom):
    bill = {"customer_id": "C1001", "bill_id": "B1002"}
    asked = said(telecom, "send_payment_request", "assistant", **bill)
    assert asked == "請求書 B1002 の支払いリクエストを顧客に送信しました"
    wanted = "請求書 B1002 について 22500円の支払いリクエストが届いています。"
    assert said(telecom, "check_payment_request") == wanted
    assert said(telecom, "make_payment") == "請求書 B1002 の 22500円を支払いました。"
    paid = telecom.call("get_details_by_id", {"id": "B1002"})
    assert (paid.value["status"], paid.value["total_due"]) == ("支払い済み", 22500.0)


def test_published_lines_are_suspended_and_refuelled_in_yen(telecom):
    line = {"customer_id": "C1001", "line_id": "L1002"}
    refuelled = telecom.call("refuel_data", {**line, "gb_amount": 2.0}).value
    assert refuelled["message"] == "回線 L1002 に 2.0 GBのデータを 600円で追加しました"
    draft = telecom.call("get_details_by_id", {"id": "B1003"}).value
    assert draft["line_items"][0]["description"] == "データ追加: 2.0 GB（1 GBあたり 300円）"
    assert (draft["line_items"][0]["item_type"], draft["total_due"]) == ("料金", 600.0)
    suspended = telecom.call("suspend_line", {**line, "reason": "紛失"}).value
    assert "月額 750円" in suspended["message"]
    assert suspended["line"]["status"] == "利用停止"
    assert "サービスなし" in said(telecom, "reboot_device") + said(telecom, "check_network_status")


def test_published_gold_actions_use_the_words_of_the_pack(shared):
    pack = pack_of("airline")
    text = (shared / "jtau/airline_ja/tasks.json").read_text("utf-8")
    tasks = json.loads(text)
    calls = [call for task in tasks for call in task["evaluation_criteria"]["actions"]]
    vocabulary = {field: pack.values(field) for field in ("cabin", "flight_type", "insurance")}
    vocabulary |= {end: tuple(pack.places) for end in ("origin", "destination")}
    for field, known in vocabulary.items():
        used = {call["arguments"][field] for call in calls if field in call["arguments"]}
        assert used and used <= set(known), field


def test_published_fees_are_those_of_the_pack(shared):
    policy = (shared / "jtau/airline_ja/policy.md").read_text("utf-8")
    pack = pack_of("airline")
    assert f"1個につき{pack.amount('bag_fee'):,}円" in policy
    assert f"1人あたり{pack.amount('insurance_fee'):,}円" in policy
