"""Ports of interconnects that are Fibre Channel or broken out: which may be, and that the interconnect starts anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight import effects, errors
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Store
from podwright.lab.world.interconnects import Ports
from podwright.lab.world.model import World

MODE = "fabric.PortMode"
ROLES = ("fabric.ServerRole", "fabric.UplinkRole", "fabric.UplinkPcRole", "fabric.ApplianceRole")
_CHANNEL, _LANES, _CHANNEL_LANES = ("FibreChannel",), ("BreakoutEthernet",), ("BreakoutFibreChannel",)
RANGES: Mapping[str, tuple[tuple[tuple[str, ...], int, int], ...]] = {
    "UCS-FI-6454": ((_CHANNEL, 1, 16), (_LANES, 49, 54)),
    "UCS-FI-64108": ((_CHANNEL, 1, 16), (_LANES, 97, 108)),
    "UCS-FI-6536": ((_LANES, 1, 36), (_CHANNEL_LANES, 33, 36)),
    "UCS-FI-6664": ((_CHANNEL, 25, 40),),
    "UCSX-S9108-100G": ((_CHANNEL_LANES, 1, 2),),
}
"""Beginnings of modes and their ports, by model [cisco.intersight 2.21.0, intersight_port_policy]."""


class PortModes:
    """Hook of the service that refuses, and what a deployment of other modes does to an interconnect."""

    def __init__(self, store: Store, world: World, clock: Clock) -> None:
        self._store = store
        self._world = world
        self._clock = clock
        self.seconds = 0.2
        """Until an interconnect is back (some ten minutes in a rack)."""

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Refuse a mode that the model's port does not take, and two uses of one port."""
        if kind.name != MODE and kind.name not in ROLES:
            return
        whole = {**(mo or {}), **values}
        policy = self._store.target(whole.get("PortPolicy"))
        if policy is None:
            return
        if kind.name == MODE:
            _check_range(str(policy.get("DeviceModel")), whole)
        own = _ports(kind.name, whole)
        for other in (mo for each in (ROLES if kind.name == MODE else (MODE,)) for mo in self._store.of(each)):
            if other is not mo and self._store.target(other.get("PortPolicy")) is policy:
                for port in sorted(own & _ports(other["ObjectType"], other)):
                    text = f"Port {port} is used by {other['ObjectType']} in the same port policy."
                    raise errors.invalid("lab_port_in_use", text, str(port), other["ObjectType"])

    def configure(self, name: str, ports: Ports) -> None:
        """Bring an interconnect to its ports; with other modes than before it starts anew, and is away meanwhile."""
        view = self._world.interconnect_views[name]
        anew = view.configured.modes != ports.modes and self._world.variants["port-mode"] == "restart"
        self._world.configure_interconnect(name, ports, restarts=anew)
        if anew:
            self._clock.after(self.seconds, lambda: self._world.interconnect_started(name))


def modes(store: Store, profile: Mo) -> frozenset[tuple[int, str]]:
    """Number and mode of each port that the policies of a switch profile give one."""
    attached = effects.policies(store, profile).values()
    found = (each for policy in attached for each in effects.closure(store, policy) if each["ObjectType"] == MODE)
    return frozenset((port, str(each["CustomMode"])) for each in found for port in _ports(MODE, each))


def _check_range(model: str, mode: Mapping[str, Any]) -> None:
    first, last, name = int(mode.get("PortIdStart") or 0), int(mode.get("PortIdEnd") or 0), str(mode.get("CustomMode"))
    if last < first:
        raise errors.bad_value("PortIdEnd", "The range ends before it begins.")
    taken = [(low, high) for names, low, high in RANGES.get(model, ()) if name.startswith(names)]
    if model in RANGES and not any(low <= first and last <= high for low, high in taken):
        raise errors.bad_value("CustomMode", f"Ports {first} to {last} of {model} do not support '{name}'.")
    if name in _CHANNEL and taken and first != taken[0][0]:
        raise errors.bad_value("PortIdStart", f"Fibre Channel ports of {model} begin with {taken[0][0]}.")


def _ports(kind: str, mo: Mapping[str, Any]) -> set[int]:
    """Numbers of whole ports that an object of a port policy is about; a lane is no whole port."""
    if kind == MODE:
        return set(range(int(mo.get("PortIdStart") or 0), int(mo.get("PortIdEnd") or 0) + 1))
    listed = mo.get("Ports") if kind == "fabric.UplinkPcRole" else [mo]
    return {int(each.get("PortId") or 0) for each in listed or [] if not each.get("AggregatePortId")}
