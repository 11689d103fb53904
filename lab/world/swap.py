"""Another machine of the same model in the place of one: the box, and nothing of what ran on it or was set on it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podwright.lab.world.inventory import Host, Vnic, WorldError

if TYPE_CHECKING:
    from podwright.lab.world.model import World


def hardware(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"server": "gpu-01", "serial": "WZP99", "boot_mac"?: "02:…"}: a machine with that serial number takes its place.

    It stands where the other stood, on the same cables and at the address that its controller was given; serial number,
    UUID and MAC addresses are its own, its BIOS is as shipped, its disk is empty and it is off.
    """
    name, serial = str(body.get("server")), str(body.get("serial") or "")
    if name not in world.servers:
        raise WorldError(f"no server named {name!r}")
    if not serial or any(each.serial == serial for each in world.servers.values()):
        raise WorldError(f"another machine has a serial number of its own; {serial!r} is none")
    world.power(name, "ForceOff")
    with world.lock:
        server, host = world.servers[name], world.hosts[name]
        old = replace(server, nics=dict(server.nics))
        server.serial, server.uuid = serial, str(uuid.uuid5(uuid.NAMESPACE_OID, serial))
        server.boot_mac = str(body.get("boot_mac") or _mac(serial, "boot"))
        cards = {key: nic for key, nic in server.nics.items() if not isinstance(nic, Vnic)}
        server.nics = {key: replace(nic, mac=_mac(serial, key)) for key, nic in cards.items()}
        world.hosts[name] = Host(name, generation=host.generation + 1)
    for listener in list(world.on_swap):
        listener(name, old)
    return {"server": name, "serial": serial, "uuid": server.uuid, "boot_mac": server.boot_mac}


def _mac(serial: str, port: str) -> str:
    digits = hashlib.sha256(f"{serial} {port}".encode()).hexdigest()
    return ":".join(["02", *(digits[at : at + 2] for at in range(0, 10, 2))])
