"""What the Redfish emulator sees of one server: a systems driver over the world, instead of a hypervisor."""

# ruff: noqa: ARG002 - a driver keeps the signatures of the library that calls it

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import flask
from sushy_tools import error
from sushy_tools.emulator.resources.systems.base import AbstractSystemsDriver

from podwright.lab.redfish import registry
from podwright.lab.redfish.spelling import Spelling
from podwright.lab.world.model import Server, World

TRANSITION_SECONDS = 0.2
# Redfish ResetType → (action of the world, power state shown meanwhile).
ACTIONS: dict[str, tuple[str, str]] = {
    "On": ("On", "PoweringOn"),
    "ForceOn": ("On", "PoweringOn"),
    "ForceOff": ("ForceOff", "PoweringOff"),
    "GracefulShutdown": ("GracefulShutdown", "PoweringOff"),
    "GracefulRestart": ("ForceRestart", "On"),
    "ForceRestart": ("ForceRestart", "On"),
    "PowerCycle": ("ForceRestart", "PoweringOff"),
}
NEEDS_AN_OS = ("GracefulShutdown", "GracefulRestart")
BOOT_TARGETS = ("None", "Pxe", "Hdd", "Cd")


class WorldSystem(AbstractSystemsDriver):  # type: ignore[misc]  # the library is untyped
    """One system, known by its serial number as Cisco's BMCs do it; its UUID is accepted in its place."""

    def __init__(self, world: World, server: Server) -> None:
        self.world = world
        self.server = server
        self.transition_seconds = TRANSITION_SECONDS
        self.spelling = Spelling(server, world.variants["attributes"])
        self.power_lost: list[Callable[[], None]] = []
        """Told when the rack loses power."""
        self._transition: str | None = None
        self._media_url: str | None = None

    # --- identity -------------------------------------------------------------------------------------------

    @property
    def driver(self) -> str:
        """Shown in the emulator's log."""
        return "<lab world>"

    @property
    def systems(self) -> list[str]:
        """The one system's id."""
        return [self.server.serial]

    def _known(self, identity: str) -> None:
        if identity not in (self.server.serial, self.server.uuid, self.world.system_uuid(self.server.name)):
            raise error.NotFound(f"System {identity} was not found")

    def uuid(self, identity: str) -> str:
        """SMBIOS UUID."""
        self._known(identity)
        return self.world.system_uuid(self.server.name)

    def name(self, identity: str) -> str:
        """The product id: a BMC does not know what people call the machine."""
        self._known(identity)
        return self.server.model

    def get_versions(self, identity: str) -> dict[str, str]:
        """Firmware versions."""
        self._known(identity)
        return {"BiosVersion": self.firmware("BIOS")}

    def firmware(self, component: str) -> str:
        """Version that a component runs."""
        with self.world.lock:
            return self.world.host(self.server.name).firmware.get(component, "")

    def get_total_memory(self, identity: str) -> int:
        """RAM in GiB."""
        self._known(identity)
        return self.server.memory_gib

    def get_total_cpus(self, identity: str) -> int:
        """Sockets."""
        self._known(identity)
        return self.server.cpu.sockets

    def get_nics(self, identity: str) -> list[dict[str, str]]:
        """The boot NIC and every NIC with a MAC address of its own."""
        self._known(identity)
        macs = [self.server.boot_mac, *(n.mac for n in self.server.nics.values() if n.mac)]
        return [{"id": mac, "mac": mac} for mac in dict.fromkeys(macs)]

    # --- power ----------------------------------------------------------------------------------------------

    def get_power_state(self, identity: str) -> str:
        """On, Off, and for a moment PoweringOn or PoweringOff."""
        self._known(identity)
        with self.world.lock:
            return self._transition or self.world.host(self.server.name).power

    def set_power_state(self, identity: str, state: str) -> None:
        """Press the button: acts after `transition_seconds`, as hardware does."""
        self._known(identity)
        if state == "Nmi":
            return
        if state not in ACTIONS:
            raise error.BadRequest(f"ResetType {state} is not supported")
        action, target = ACTIONS[state]
        with self.world.lock:
            host = self.world.host(self.server.name)
            if state in NEEDS_AN_OS and host.state not in ("running", "live"):
                return  # an ACPI button press: nobody is there to hear it
            if action == "On" and host.power == "On":
                return
            self._transition = target if target != "On" else None
        timer = threading.Timer(self.transition_seconds, self._act, (action,))
        timer.daemon = True
        timer.start()

    def _act(self, action: Any) -> None:
        with self.world.lock:
            self._transition = None
        self.world.power(self.server.name, action)

    # --- boot -----------------------------------------------------------------------------------------------

    def get_boot_device(self, identity: str) -> str:
        """The override target, `None` when there is none."""
        self._known(identity)
        with self.world.lock:
            host = self.world.host(self.server.name)
            return "None" if host.boot_target == "Hdd" and not host.boot_once else host.boot_target

    def boot_override(self) -> str:
        """Redfish BootSourceOverrideEnabled: Disabled, Once or Continuous."""
        with self.world.lock:
            host = self.world.host(self.server.name)
            if host.boot_once:
                return "Once"
            return "Disabled" if host.boot_target == "Hdd" else "Continuous"

    def set_boot_device(self, identity: str, boot_source: str) -> None:
        """Set the override. The emulator passes the target only, so once or always is read from the request."""
        self._known(identity)
        if boot_source not in BOOT_TARGETS:
            raise error.BadRequest(
                f"The value {boot_source} for the property BootSourceOverrideTarget is not supported"
            )
        boot = flask.request.get_json().get("Boot", {}) if flask.has_request_context() else {}
        enabled = boot.get("BootSourceOverrideEnabled", "Once")
        if boot_source == "None" or enabled == "Disabled":
            self.world.set_boot(self.server.name, "Hdd", once=False)
        else:
            self.world.set_boot(self.server.name, boot_source, once=enabled != "Continuous")  # type: ignore[arg-type]

    def get_boot_mode(self, identity: str) -> str:
        """Only UEFI: these boards have no legacy mode."""
        self._known(identity)
        return "UEFI"

    def set_boot_mode(self, identity: str, boot_mode: str) -> None:
        """Accept what is already so."""
        self._known(identity)
        if boot_mode != "UEFI":
            raise error.BadRequest(f"BootSourceOverrideMode {boot_mode} is not supported")

    def get_http_boot_uri(self, identity: str) -> str | None:
        """HTTP boot is not offered."""
        self._known(identity)
        raise error.NotSupportedError("HTTP boot is not offered")

    # --- virtual media --------------------------------------------------------------------------------------

    def get_boot_image(self, identity: str, device: str) -> tuple[str | None, bool, bool]:
        """(image, write protected, inserted)."""
        self._known(identity)
        url = self.world.host(self.server.name).media_url
        return url, True, url is not None

    def set_boot_image(
        self, identity: str, device: str, boot_image: str | None = None, write_protected: bool = True
    ) -> None:
        """The drive's own driver has told the world already (`lab.redfish.media`)."""
        self._known(identity)

    # --- BIOS -----------------------------------------------------------------------------------------------

    def get_bios(self, identity: str) -> dict[str, object]:
        """Attributes in force."""
        self._known(identity)
        return self.spelling.shown(self.world.bios(self.server.name))

    def _future(self) -> dict[str, object]:
        with self.world.lock:
            host = self.world.host(self.server.name)
            return {**host.bios, **host.bios_pending}

    def pending_bios(self) -> dict[str, object]:
        """Attributes as they will be after the next reset; where settings are a task, those alone that wait for it."""
        future = self.spelling.shown(self._future())
        if self.world.variants["settings"] != "task":
            return future
        now = self.spelling.shown(self.world.bios(self.server.name))
        return {name: value for name, value in future.items() if now.get(name) != value}

    def starting(self) -> bool:
        """True during the self-test."""
        with self.world.lock:
            return self.world.host(self.server.name).state == "post"

    def set_bios(self, identity: str, attributes: Any) -> None:
        """Stage attributes for the next reset; all of them or, when one is wrong, none (`registry.RefusalError`)."""
        self._known(identity)
        self._stage(self.spelling.taken(attributes, self._future()))

    def reset_bios(self, identity: str) -> None:
        """Stage the factory defaults."""
        self._known(identity)
        self._stage(registry.defaults(self.server))

    def _stage(self, attributes: dict[str, object]) -> None:
        with self.world.lock:
            host = self.world.host(self.server.name)
            for name, value in attributes.items():
                if host.bios.get(name) == value:
                    host.bios_pending.pop(name, None)
                else:
                    host.bios_pending[name] = value
