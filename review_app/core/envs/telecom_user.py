"""What the user can do with the phone: the user's tools.

The phone itself, and when it reads its network again, is `telecom_phone`; what tasks do with it,
`telecom_phone_functions`.

Source: recorded behaviour of the reference.
"""

from __future__ import annotations

from typing import Annotated

from review_app.core.envs.base import tool
from review_app.core.envs.records import Word
from review_app.core.envs.state import Record
from review_app.core.envs.telecom_phone_functions import ScriptedPhone
from review_app.core.envs.telecom_setup import APNSettings, apn_settings_from, default_apn_settings

NetworkModePreference = Annotated[str, Word("network_mode", named="NetworkModePreference")]


class UserPhone(ScriptedPhone):
    """The user's half of the telecom environment."""

    closed = {APNSettings: default_apn_settings}

    @tool("read", "user")
    def check_status_bar(self) -> str:
        """The icons on top of the screen."""
        return self._status_bar()

    @tool("read", "user")
    def check_network_status(self) -> str:
        """Airplane mode, SIM, cellular network and Wi-Fi, one a line."""
        phone, say = self._phone, self.pack.message
        text = say(
            "network_status",
            airplane_mode=self._on_off(phone["airplane_mode"]),
            sim=self._sim_status(),
            connection=phone["network_connection_status"],
            signal=phone["network_signal_strength"],
            technology=phone["network_technology_connected"],
            data=self._yes_no(phone["data_enabled"]),
            roaming=self._yes_no(phone["roaming_enabled"]),
            wifi=self._on_off(phone["wifi_enabled"]),
            wifi_connected=self._yes_no(phone["wifi_connected"]),
        )
        if phone["wifi_connected"]:
            text += "\n" + say("network_status_ssid", ssid=phone["wifi_ssid"])
        return text

    @tool("read", "user")
    def check_network_mode_preference(self) -> str:
        """The network mode that is set."""
        return self.pack.message("network_mode", mode=self._phone["network_mode_preference"])

    @tool("write", "user")
    def set_network_mode_preference(self, mode: NetworkModePreference | str) -> str:
        """Choose the network mode and search.

        As in the reference, only text is checked: null is stored and searched with before it is
        called invalid, any other type is stored and searched with before the call fails.
        """
        modes = self.pack.values("network_mode")
        if isinstance(mode, str) and mode not in modes:
            return self._with_bar("network_mode_invalid", mode=mode, modes=self._listed(modes))
        self._set(network_mode_preference=mode)
        self._search()
        if mode is None:
            return self._with_bar("network_mode_invalid", mode=mode, modes=self._listed(modes))
        if not isinstance(mode, str):
            raise TypeError(f"{mode!r} is no network mode")
        return self._with_bar("network_mode_set", mode=mode)

    @tool("read", "user")
    def run_speed_test(self) -> str:
        """Download speed, its name and what it is good for. Changes nothing."""
        mbps, speed = self._speed()
        word = self.pack.word("speed", speed)
        if mbps is None:
            return self.pack.message("speed_failed", speed=word)
        advice = self.pack.message(f"speed_{speed}")
        return self.pack.message("speed_result", mbps=f"{mbps:.2f}", speed=word, advice=advice)

    @tool("write", "user")
    def toggle_airplane_mode(self) -> str:
        """Switch airplane mode. On leaves Wi-Fi and VPN; off leaves a VPN made meanwhile alone."""
        self._set(airplane_mode=not self._phone["airplane_mode"])
        if self._phone["airplane_mode"]:
            self._leave_wifi()
            self._disconnect_vpn()
        self._search()
        return self._switched("airplane_mode_now", self._phone["airplane_mode"])

    @tool("read", "user")
    def check_sim_status(self) -> str:
        """Whether the SIM card works, is missing or locked."""
        return self.pack.message(f"sim_{self._source('sim_status', self._sim_status())}")

    @tool("write", "user")
    def reseat_sim_card(self) -> str:
        """Take the SIM card out, put it back and search. Unlocks nothing."""
        self._set(sim_card_missing=False)
        self._search()
        return self._with_bar("sim_reseated")

    @tool("write", "user")
    def toggle_data(self) -> str:
        """Switch mobile data and search."""
        self._set(data_enabled=not self._phone["data_enabled"])
        self._search()
        return self._switched("data_now", self._phone["data_enabled"])

    @tool("write", "user")
    def toggle_roaming(self) -> str:
        """Switch data roaming and search."""
        self._set(roaming_enabled=not self._phone["roaming_enabled"])
        self._search()
        return self._switched("roaming_now", self._phone["roaming_enabled"])

    @tool("read", "user")
    def check_data_restriction_status(self) -> str:
        """Whether the data saver is on."""
        name = "data_saver_on" if self._phone["data_saver_mode"] else "data_saver_off"
        return self.pack.message(name)

    @tool("write", "user")
    def toggle_data_saver_mode(self) -> str:
        """Switch the data saver."""
        self._set(data_saver_mode=not self._phone["data_saver_mode"])
        return self._switched("data_saver_now", self._phone["data_saver_mode"])

    @tool("read", "user")
    def check_apn_settings(self) -> str:
        """Name and MMSC URL of the APN."""
        apn = self._phone["active_apn_settings"]
        mmsc_url = apn["mmsc_url"] or self.pack.message("apn_not_set")
        return self.pack.message("apn_settings", name=apn["apn_name"], mmsc_url=mmsc_url)

    @tool("write", "user")
    def set_apn_settings(self, apn_settings: APNSettings | Record) -> str:
        """Replace the APN settings and search.

        As in the reference, an object is completed with defaults and checked, but any other type
        is stored as it is before the call fails. Until an object is set again, whatever searches
        writes and then fails too.
        """
        if isinstance(apn_settings, dict):
            apn_settings = apn_settings_from(apn_settings, self.pack)
        self._set(active_apn_settings=apn_settings)
        self._search()
        return self._with_bar("apn_set", name=apn_settings["apn_name"])

    @tool("write", "user")
    def reset_apn_settings(self) -> str:
        """Have the next reboot restore the default APN settings, and search."""
        self._edit_apn(reset_at_reboot=True)
        self._search()
        return self._with_bar("apn_reset_pending")

    @tool("read", "user")
    def check_wifi_status(self) -> str:
        """Whether Wi-Fi is on and what it is connected to."""
        phone, say = self._phone, self.pack.message
        if not phone["wifi_enabled"]:
            return say("wifi_off")
        if not phone["wifi_connected"]:
            return say("wifi_not_connected")
        return say("wifi_connected", ssid=phone["wifi_ssid"], signal=phone["wifi_signal_strength"])

    @tool("write", "user")
    def toggle_wifi(self) -> str:
        """Switch Wi-Fi, but not in airplane mode. Off leaves the network, on joins none."""
        if self._phone["airplane_mode"]:
            return self._with_bar("wifi_in_airplane_mode")
        self._set(wifi_enabled=not self._phone["wifi_enabled"])
        if not self._phone["wifi_enabled"]:
            self._leave_wifi()
        return self._switched("wifi_now", self._phone["wifi_enabled"])

    @tool("read", "user")
    def check_wifi_calling_status(self) -> str:
        """Whether Wi-Fi calling is on."""
        state = self._on_off(self._phone["wifi_calling_enabled"])
        return self.pack.message("wifi_calling", state=state)

    @tool("write", "user")
    def toggle_wifi_calling(self) -> str:
        """Switch Wi-Fi calling."""
        self._set(wifi_calling_enabled=not self._phone["wifi_calling_enabled"])
        return self._switched("wifi_calling_now", self._phone["wifi_calling_enabled"])

    @tool("read", "user")
    def check_vpn_status(self) -> str:
        """What the VPN does; the details are written as Python shows them, as in the reference."""
        phone, say = self._phone, self.pack.message
        if not phone["vpn_connected"]:
            return say("vpn_not_connected" if phone["vpn_enabled_setting"] else "vpn_off")
        details = phone["vpn_details"]
        if details is None:
            return say("vpn_without_details")
        performance = details["server_performance"]
        return say(
            "vpn_details",
            server=details["server_address"],
            protocol=details["protocol"],
            level=self._source("performance", performance).upper(),
            performance=performance,
        )

    @tool("write", "user")
    def connect_vpn(self) -> str:
        """Connect the VPN, unless it is connected."""
        if not self._connect_vpn():
            return self.pack.message("vpn_already_connected")
        return self._with_bar("vpn_connected")

    @tool("write", "user")
    def disconnect_vpn(self) -> str:
        """Disconnect the VPN."""
        if not self._phone["vpn_connected"]:
            return self._with_bar("vpn_nothing_to_disconnect")
        self._disconnect_vpn()
        return self._with_bar("vpn_disconnected")

    @tool("read", "user")
    def check_installed_apps(self) -> str:
        """Names of the apps."""
        return self.pack.message("apps_installed", apps=self._listed(self._phone["app_statuses"]))

    @tool("read", "user")
    def check_app_status(self, app_name: str) -> str:
        """An app with its permissions, one a line. An unknown app is no error."""
        say, granted = self.pack.message, self._granted(app_name)
        if granted is None:
            return say("app_not_found", app=app_name)
        lines = [say("app_status", app=app_name)]
        if granted:
            lines.append(say("app_permissions_granted"))
            lines += [say("app_permission_granted", permission=name) for name in granted]
        else:
            lines.append(say("app_no_permission_granted"))
        return "\n".join(lines)

    @tool("read", "user")
    def check_app_permissions(self, app_name: str) -> str:
        """The permissions of an app in one line. An unknown app is no error."""
        say, granted = self.pack.message, self._granted(app_name)
        if granted is None:
            return say("app_not_found", app=app_name)
        if not granted:
            return say("app_no_permissions", app=app_name)
        return say("app_permissions", app=app_name, permissions=self._listed(granted))

    @tool("write", "user")
    def grant_app_permission(self, app_name: str, permission: str) -> str:
        """Give an app a permission, case aside. What is unknown is no error, but says so."""
        app = self._phone["app_statuses"].get(app_name)
        if app is None:
            return self._with_bar("grant_app_not_found", app=app_name)
        permission = permission.lower()
        tracked = list(app["permissions"])
        if permission not in tracked:
            return self._with_bar(
                "grant_not_tracked", permission=permission, app=app_name, permissions=tracked
            )
        self._set_permission(app_name, permission, granted=True)
        return self._with_bar("permission_granted", permission=permission, app=app_name)

    @tool("read", "user")
    def can_send_mms(self) -> str:
        """Whether the messaging app can send MMS."""
        return self.pack.message("mms_works" if self._can_send_mms() else "mms_fails")

    @tool("write", "user")
    def reboot_device(self) -> str:
        """Restore the APN settings if that was asked for, and search."""
        lines = []
        if self._phone["active_apn_settings"]["reset_at_reboot"]:
            lines.append(self.pack.message("apn_resetting"))
            self._set(active_apn_settings=default_apn_settings(self.pack))
        lines.append(self.pack.message("network_restarting"))
        self._search()
        return "\n".join([*lines, self._status_bar()])

    @tool("read", "user")
    def check_payment_request(self) -> str:
        """The bill the agent asks to be paid."""
        request = self._surroundings["payment_request"]
        if request is None:
            return self.pack.message("no_payment_request")
        if request["paid"]:
            return self.pack.message("payment_made_already", bill_id=request["bill_id"])
        return self._about_payment("payment_request", request)

    @tool("write", "user")
    def make_payment(self) -> str:
        """Pay what the agent asked for; the bill becomes paid in the sync that follows."""
        request = self._surroundings["payment_request"]
        if request is None:
            return self.pack.message("nothing_to_pay")
        if request["paid"]:
            return self.pack.message("payment_made_already", bill_id=request["bill_id"])
        self.user_db.edit_single("surroundings")["payment_request"]["paid"] = True
        return self._about_payment("payment_made", request)
