"""The user's phone itself: what it finds, what it can do, what its status bar shows.

The user's database is `{"device", "surroundings"}`: the phone, and what there is around it (signal,
line, payment request), which `TelecomEnvironment.sync` fills from the agent's side.

Only a *search* re-reads the network into the phone: reboot, SIM, APN, network mode, and the
switches of data, roaming and airplane mode. A line that the agent resumed shows nothing until then.

Source: recorded behaviour of the reference; figures it never recorded are named where they stand.
"""

from __future__ import annotations

from typing import Any, Final

from review_app.core.envs.base import Environment
from review_app.core.envs.state import Record

_MBPS: Final = {"2G": 0.25, "3G": 3.0, "4G": 55.0, "5G": 275.0}
"""Best speed by technology. 3G was never recorded: between its neighbours, and slow."""
_SIGNAL_RATIO: Final = {"none": 0.0, "poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
"""Share of the best speed. `fair` was never recorded: the middle of its neighbours."""
_SPEEDS: Final = (("excellent", 100), ("good", 25), ("fair", 5), ("poor", 1))
"""Name of a speed and the Mbps it must exceed. The recorded results lie between these bounds."""
_SLOW_VPN_RATIO: Final = 0.1
_DATA_SAVER_RATIO: Final = 0.2
_ONLY: Final = {"2g_only": "2G", "3g_only": "3G"}


class Phone(Environment):
    """Reading and changing the phone; the tools stand in `telecom_user`."""

    _vpn_performance = "excellent"
    """What `connect_vpn` gets: `poor` once `break_vpn` ran.

    In the reference it is one object for the whole process. Here it belongs to an environment and
    its forks; as there, going back to an earlier state does not mend it.
    """

    @property
    def _phone(self) -> Record:
        phone: Record = self.user_db.single("device")
        return phone

    @property
    def _surroundings(self) -> Record:
        surroundings: Record = self.user_db.single("surroundings")
        return surroundings

    def _set(self, **fields: Any) -> None:
        self.user_db.edit_single("device").update(fields)

    def _edit_apn(self, **fields: Any) -> None:
        self.user_db.edit_single("device")["active_apn_settings"].update(fields)

    def _set_permission(self, app_name: str, permission: str, *, granted: bool) -> None:
        apps = self.user_db.edit_single("device")["app_statuses"]
        apps[app_name]["permissions"][permission] = granted

    def _source(self, field: str, value: str) -> str:
        """The source value for this locale's value; KeyError if it is none."""
        return {word: source for source, word in self.pack.words[field].items()}[value]

    def _search(self) -> None:
        """Read the network around into the phone."""
        word, technology = self.pack.word, "none"
        signal, connection = word("signal", "none"), word("connection", "no_service")
        if self._has_service():
            technology = self._technology()
            signal = self._surroundings["signal_strength"][word("technology", technology)]
            connection = word("connection", "connected")
        self._set(
            network_connection_status=connection,
            network_technology_connected=word("technology", technology),
            network_signal_strength=signal,
        )

    def _has_service(self) -> bool:
        """Whether a search finds a network. Fails where the APN settings are no object."""
        word, phone = self.pack.word, self._phone
        apn_works = phone["active_apn_settings"]["apn_name"] != word("apn", "broken")
        sim_works = self._sim_status() == word("sim_status", "active")
        line_active = bool(self._surroundings["line_active"])
        return not phone["airplane_mode"] and sim_works and apn_works and line_active

    def _technology(self) -> str:
        """What the phone connects to. A value that is no network mode counts as `4g_only`."""
        mode = self._phone["network_mode_preference"]
        for name, technology in _ONLY.items():
            if mode == self.pack.word("network_mode", name):
                return technology
        if mode == self.pack.word("network_mode", "4g_5g_preferred"):
            signal = self._surroundings["signal_strength"][self.pack.word("technology", "5G")]
            if signal != self.pack.word("signal", "none"):
                return "5G"
        return "4G"

    def _sim_status(self) -> str:
        if self._phone["sim_card_missing"]:
            return self.pack.word("sim_status", "missing")
        return str(self._phone["sim_card_status"])

    def _mobile_data_works(self) -> bool:
        phone, around, word = self._phone, self._surroundings, self.pack.word
        connected = (
            not phone["airplane_mode"]
            and phone["network_signal_strength"] != word("signal", "none")
            and phone["network_connection_status"] != word("connection", "no_service")
        )
        roams = phone["roaming_enabled"] and around["roaming_allowed"]
        allowed = not around["mobile_data_usage_exceeded"] and (roams or not around["is_abroad"])
        return bool(connected and phone["data_enabled"] and allowed)

    def _speed(self) -> tuple[float | None, str]:
        """Mbps and what that is called (a source value of `speed`); None without a connection."""
        if not self._mobile_data_works():
            return None, "no_connection"
        phone = self._phone
        technology = self._source("technology", phone["network_technology_connected"])
        signal = self._source("signal", phone["network_signal_strength"])
        mbps = _MBPS.get(technology, 0.0) * _SIGNAL_RATIO[signal]
        if self._vpn_is_slow():
            mbps *= _SLOW_VPN_RATIO
        if phone["data_saver_mode"]:
            mbps *= _DATA_SAVER_RATIO
        return mbps, next((name for name, bound in _SPEEDS if mbps > bound), "very_poor")

    def _vpn_is_slow(self) -> bool:
        details = self._phone["vpn_details"]
        if not self._phone["vpn_connected"] or details is None:
            return False
        return bool(details["server_performance"] == self.pack.word("performance", "poor"))

    def _can_send_mms(self) -> bool:
        """Mobile data on more than 2G, an MMSC, no MMS over Wi-Fi calling, and an app that may."""
        phone = self._phone
        on_2g = phone["network_technology_connected"] == self.pack.word("technology", "2G")
        over_wifi = phone["wifi_calling_enabled"] and phone["wifi_calling_mms_over_wifi"]
        app = phone["app_statuses"].get(self.pack.key("messaging"))
        if not self._mobile_data_works() or on_2g or over_wifi or app is None:
            return False
        permissions = app["permissions"]
        allowed = permissions[self.pack.key("storage")] and permissions[self.pack.key("sms")]
        return bool(allowed and phone["active_apn_settings"]["mmsc_url"] is not None)

    def _set_airplane_mode(self, on: bool) -> None:
        self._set(airplane_mode=on)
        self._leave_wifi()
        self._disconnect_vpn()
        self._search()

    def _leave_wifi(self) -> None:
        none = self.pack.word("signal", "none")
        self._set(wifi_connected=False, wifi_ssid=None, wifi_signal_strength=none)

    def _connect_vpn(self) -> bool:
        """False if it was connected already, whatever its details."""
        if self._phone["vpn_connected"]:
            return False
        details = {
            "server_address": self.pack.message("vpn_server"),
            "protocol": self.pack.message("vpn_protocol"),
            "server_performance": self.pack.word("performance", self._vpn_performance),
        }
        self._set(vpn_connected=True, vpn_details=details)
        return True

    def _disconnect_vpn(self) -> None:
        self._set(vpn_connected=False, vpn_details=None)

    def _granted(self, app_name: str) -> list[str] | None:
        """Permissions that an app has; None if there is no such app."""
        app = self._phone["app_statuses"].get(app_name)
        if app is None:
            return None
        return [name for name, granted in app["permissions"].items() if granted]

    # ---- how it is said --------------------------------------------------------------------------

    def _status_bar(self) -> str:
        phone, say = self._phone, self.pack.message
        parts = [say("bar_airplane_mode")] if phone["airplane_mode"] else self._network_parts()
        if phone["wifi_enabled"] and phone["wifi_connected"]:
            ssid = phone["wifi_ssid"]
            parts.append(say("bar_wifi_connected", ssid=ssid) if ssid else say("bar_wifi_enabled"))
        if phone["vpn_connected"]:
            parts.append(say("bar_vpn"))
        parts.append(say("bar_battery", level=phone["battery_level"]))
        return say("status_bar", bar=say("bar_separator").join(parts))

    def _network_parts(self) -> list[str]:
        """Signal, technology and data. Without a technology data counts as disabled."""
        phone, say = self._phone, self.pack.message
        technology = phone["network_technology_connected"]
        has_technology = technology != self.pack.word("technology", "none")
        signal = self._source("signal", phone["network_signal_strength"])
        parts = [say(f"bar_signal_{signal}")]
        if signal != "none" and has_technology:
            parts.append(technology)
        if not phone["data_enabled"] or not has_technology:
            return [*parts, say("bar_data_disabled")]
        parts.append(say("bar_data_enabled"))
        return [*parts, say("bar_data_saver")] if phone["data_saver_mode"] else parts

    def _with_bar(self, message: str, **values: object) -> str:
        return self.pack.message(message, **values) + "\n" + self._status_bar()

    def _switched(self, message: str, on: bool) -> str:
        return self._with_bar(message, state=self._on_off(on))

    def _now(self, message: str, on: bool) -> str:
        return self.pack.message(message, state=self._on_off(on))

    def _about_payment(self, message: str, request: Record) -> str:
        bill_id, amount = request["bill_id"], self.pack.price(request["amount_due"])
        return self.pack.message(message, bill_id=bill_id, amount=amount)

    def _on_off(self, on: bool) -> str:
        return self.pack.message("on" if on else "off")

    def _yes_no(self, yes: bool) -> str:
        return self.pack.message("yes" if yes else "no")

    def _listed(self, names: Any) -> str:
        return self.pack.message("list_separator").join(names)
