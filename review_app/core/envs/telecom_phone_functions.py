"""How tasks set the user's phone up, and what they assert about it.

Source: recorded behaviour of the reference.
"""

from __future__ import annotations

from review_app.core.envs.base import function
from review_app.core.envs.telecom_phone import Phone


class ScriptedPhone(Phone):
    """The phone with the functions that a task's initial state and assertions call."""

    # ---- set up ----------------------------------------------------------------------------------

    @function("user")
    def set_user_info(self, name: str, phone_number: str) -> None:
        """Say whose phone it is. An unknown number is stored; the sync that follows fails."""
        self.user_db.edit_single("surroundings").update(name=name, phone_number=phone_number)

    @function("user")
    def set_user_location(self, abroad: bool) -> None:
        """Say whether the user is abroad. The phone notices in use, without a search."""
        self.user_db.edit_single("surroundings")["is_abroad"] = abroad

    @function("user")
    def simulate_network_search(self) -> None:
        """Search."""
        self._search()

    @function("user")
    def turn_airplane_mode_on(self) -> str:
        """Airplane mode on."""
        self._set_airplane_mode(True)
        return self._now("airplane_mode_now", True)

    @function("user")
    def turn_airplane_mode_off(self) -> str:
        """Also where it was off; other than the switch it leaves Wi-Fi and VPN."""
        self._set_airplane_mode(False)
        return self._now("airplane_mode_now", False)

    @function("user")
    def turn_data_on(self) -> str:
        """Without a search, other than turning it off."""
        self._set(data_enabled=True)
        return self.pack.message("data_restored")

    @function("user")
    def turn_data_off(self) -> str:
        """Mobile data off, and search."""
        self._set(data_enabled=False)
        self._search()
        return self.pack.message("data_broken")

    @function("user")
    def turn_roaming_on(self) -> str:
        """Data roaming on, and search."""
        self._set(roaming_enabled=True)
        self._search()
        return self._now("roaming_now", True)

    @function("user")
    def turn_roaming_off(self) -> str:
        """Data roaming off, and search."""
        self._set(roaming_enabled=False)
        self._search()
        return self._now("roaming_now", False)

    @function("user")
    def turn_data_saver_mode_on(self) -> str:
        """Data saver on."""
        self._set(data_saver_mode=True)
        return self._now("data_saver_now", True)

    @function("user")
    def turn_data_saver_mode_off(self) -> str:
        """Data saver off."""
        self._set(data_saver_mode=False)
        return self._now("data_saver_now", False)

    @function("user")
    def unseat_sim_card(self) -> str:
        """Take the SIM card out, and search."""
        self._set(sim_card_missing=True)
        self._search()
        return self.pack.message("sim_unseated")

    @function("user")
    def lock_sim_card(self, mode: str) -> str:
        """Lock with `pin` or `puk`; another mode locks nothing and says that it did."""
        for lock in ("pin", "puk"):
            if mode == self.pack.word("sim_lock", lock):
                self._set(sim_card_status=self.pack.word("sim_status", f"locked_{lock}"))
        self._search()
        return self.pack.message("sim_locked", mode=mode)

    @function("user")
    def break_apn_settings(self) -> str:
        """Set an APN that does not work, and search."""
        self._edit_apn(apn_name=self.pack.word("apn", "broken"))
        self._search()
        return self.pack.message("apn_broken")

    @function("user")
    def break_apn_mms_setting(self) -> str:
        """Remove the MMSC URL, without a search."""
        self._edit_apn(mmsc_url=None)
        return self.pack.message("apn_mms_broken")

    @function("user")
    def break_vpn(self) -> str:
        """Connect the VPN and make it slow, and with it every later connection of this environment.

        Where it was connected without details it fails, as in the reference.
        """
        self._connect_vpn()
        if self._phone["vpn_details"] is None:
            raise TypeError("the VPN is connected without details")
        poor = self.pack.word("performance", "poor")
        self.user_db.edit_single("device")["vpn_details"]["server_performance"] = poor
        self._vpn_performance = "poor"
        return self.pack.message("vpn_broken")

    @function("user")
    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> str:
        """Set Wi-Fi calling and, if given, MMS over it."""
        self._set(wifi_calling_enabled=enabled)
        text = self._now("wifi_calling_now", enabled)
        if mms_over_wifi is None:
            return text
        self._set(wifi_calling_mms_over_wifi=mms_over_wifi)
        return text + "\n" + self._now("mms_over_wifi_now", mms_over_wifi)

    @function("user")
    def remove_app_permission(self, app_name: str, permission: str) -> tuple[bool, str]:
        """Take a permission from an app: whether that was possible, and the text."""
        app = self._phone["app_statuses"].get(app_name)
        if app is None:
            return False, self.pack.message("remove_app_not_found", app=app_name)
        permission = permission.lower()
        values = {"permission": permission, "app": app_name}
        if permission not in app["permissions"]:
            return False, self.pack.message("remove_not_tracked", **values)
        self._set_permission(app_name, permission, granted=False)
        return True, self.pack.message("permission_removed", **values)

    # ---- assert ----------------------------------------------------------------------------------

    @function("user")
    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        """Whether airplane mode is so."""
        return bool(self._phone["airplane_mode"] == expected_status)

    @function("user")
    def assert_can_send_mms(self, expected_status: bool) -> bool:
        """Whether MMS works or does not, as expected."""
        return self._can_send_mms() == expected_status

    @function("user")
    def assert_internet_not_excellent(self) -> bool:
        """Whether the speed is anything but excellent; no connection is too."""
        return self._speed()[1] != "excellent"

    @function("user")
    def assert_internet_speed(
        self, expected_speed: float, expected_desc: str | None = None
    ) -> bool:
        """Whether the speed is at least this (no connection counts as 0) and is called so."""
        mbps, speed = self._speed()
        if expected_desc is not None:
            called = self.pack.word("speed", speed)
            if called.lower() != expected_desc.lower():
                return False
        return (mbps or 0) >= expected_speed

    @function("user")
    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        """Whether the data saver is so."""
        return bool(self._phone["data_saver_mode"] == expected_status)

    @function("user")
    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        """Whether mobile data works or does not, as expected."""
        return self._mobile_data_works() == expected_status

    @function("user")
    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        """Whether the data are used up, as far as the phone knows."""
        return bool(self._surroundings["mobile_data_usage_exceeded"] == expected_status)

    @function("user")
    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        """Whether data roaming is so."""
        return bool(self._phone["roaming_enabled"] == expected_status)

    @function("user")
    def assert_service_status(self, expected_status: str) -> bool:
        """Whether the phone is connected so. Refuses what is no such status."""
        if expected_status not in self.pack.values("connection"):
            self.refuse("not_a_connection", value=expected_status)
        return bool(self._phone["network_connection_status"] == expected_status)
