"""compute.ServerSetting: power and the one-time boot device of a server, as orders that read back as done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from podwright.lab.intersight import effects, errors
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.intersight.workflows import Workflows
from podwright.lab.world.model import Server, World

POWER: Mapping[str, Any] = {
    "PowerOn": "On",
    "PowerOff": "ForceOff",
    "PowerCycle": "ForceRestart",
    "HardReset": "ForceRestart",
    "Shutdown": "GracefulShutdown",
    "Reboot": "ForceRestart",
}
APPLY_SECONDS = 0.1
LATER_SECONDS = 0.4
"""Until the workflow of an order begins, in the variant `orders=later`."""
NEEDS_AN_OS = ("Shutdown", "Reboot")


class Settings:
    """Hooks of the service."""

    def __init__(
        self,
        store: Store,
        world: World,
        clock: Clock,
        workflows: Workflows,
        machine: Callable[[Mo | None], Server | None],
        boot_order: Callable[[Mo], Mo | None],
    ) -> None:
        self._store = store
        self._world = world
        self._clock = clock
        self._workflows = workflows
        self._machine = machine
        self._boot_order = boot_order

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse a boot device that the boot order in force does not have: a staged one waits for a reboot."""
        if kind.name != "compute.ServerSetting" or mo is None or not values.get("OneTimeBootDevice"):
            return
        unit = self._store.target(mo["Server"])
        policy = self._boot_order(unit) if unit else None
        if policy is None or effects.boot_target(policy, values["OneTimeBootDevice"]) is None:
            raise errors.bad_value("compute.ServerSetting.OneTimeBootDevice", "The boot order has no such device.")

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """Carry the order out."""
        unit = self._store.target(mo["Server"]) if mo["ObjectType"] == "compute.ServerSetting" else None
        server = self._machine(unit)
        if unit is None or server is None:
            return
        device, order = values.get("OneTimeBootDevice"), values.get("AdminPowerState", "Policy")
        policy = self._boot_order(unit)
        if device and policy is not None:
            self._world.set_boot(server.name, effects.boot_target(policy, device), once=True)
        if not device and order == "Policy":
            return
        if self._world.variants["orders"] == "later":
            self._clock.after(LATER_SECONDS, lambda: self._begin(mo, server, order))
        else:
            self._begin(mo, server, order)

    def _begin(self, mo: Mo, server: Server, order: str) -> None:
        workflow = self._workflows.start("Server Operation", mo, (order,))
        self._workflows.reached(workflow, order)
        self._store.update(mo, {"ConfigState": "Applying", "RunningWorkflow": ref(workflow)})
        self._clock.after(APPLY_SECONDS, lambda: self._apply(mo, server, order, workflow))

    def _apply(self, mo: Mo, server: Server, order: str, workflow: Mo) -> None:
        host = self._world.host(server.name)
        heard = order not in NEEDS_AN_OS or host.state in ("running", "live")
        if order in POWER and heard:
            press(self._world, server.name, POWER[order])
        self._workflows.end(workflow)
        values = {
            "AdminPowerState": "Policy",
            "OneTimeBootDevice": "",
            "ConfigState": "Applied",
            "RunningWorkflow": None,
        }
        self._store.update(mo, values)


def press(world: World, server: str, action: Any) -> None:
    """Press a server's button from a thread of its own: whoever listens to power must not hold up the API."""
    threading.Thread(target=world.power, args=(server, action), name=f"press-{server}", daemon=True).start()
