"""Faults of cables, optics, NICs and servers. Faults of switches and APIs are their sides' own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from podwright.lab.world import gpus, swap
from podwright.lab.world.inventory import Cable, End, Interconnect, Server, Switch, WorldError

if TYPE_CHECKING:
    from podwright.lab.world.model import World


def register(world: World) -> None:
    """Make the world's own faults known to POST /fault."""
    world.fault_handlers.update(
        {
            "link": lambda body: _link(world, body),
            "optic": lambda body: _optic(world, body),
            "pfc-storm": lambda body: _storm(world, body),
            "swap": lambda body: _swap(world, body),
            "power-feed": lambda body: _feed(world, body),
            "server-power": lambda body: _power(world, body),
            "nic": lambda body: _nic(world, body),
            "interconnect": lambda body: _interconnect(world, body),
            "gpu-state": lambda body: gpus.fault(world.servers, world.gpu_states, body),
            "replace": lambda body: swap.hardware(world, body),
        }
    )


def _end(world: World, text: Any) -> End:
    device, _, port = str(text).partition(":")
    if world.cable_at(device, port) is None:
        raise WorldError(f"no cable at {text!r}")
    return device, port


def _link(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"end", "state": "down"|"up"}: light gone at one end."""
    end = _end(world, body.get("end"))
    with world.lock:
        (world.cut.add if body.get("state") == "down" else world.cut.discard)(end)
    return {"end": ":".join(end), "up": world.link_up(*end)}


def _optic(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"end", "loss": 0.001}: that share of frames arrives damaged; 0 heals."""
    end, loss = _end(world, body.get("end")), float(body.get("loss", 0))
    with world.lock:
        world.bad_optics.pop(end, None)
        if loss:
            world.bad_optics[end] = loss
    return {"end": ":".join(end), "loss": loss}


def _storm(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"end": "gpu-01:rail0", "state": "on"|"off"}: a NIC that sends pause without end."""
    end = _end(world, body.get("end"))
    with world.lock:
        (world.storms.add if body.get("state", "on") == "on" else world.storms.discard)(end)
    return {"storms": sorted(":".join(e) for e in world.storms)}


def _swap(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"a": end, "b": end}: the two cables change places at these ends."""
    a, b = _end(world, body.get("a")), _end(world, body.get("b"))
    with world.lock:
        first, second = world.cable_at(*a), world.cable_at(*b)
        if first is None or second is None or first is second:
            raise WorldError("a swap needs two cables")
        far_a, far_b = first.other(a), second.other(b)
        if far_a is None or far_b is None:
            raise WorldError("a swap needs two cables with both ends plugged in")
        rest = [cable for cable in world.cables if cable not in (first, second)]
        world.recable([*rest, Cable(b, far_a, first.gbps), Cable(a, far_b, second.gbps)])
    return {"swapped": [":".join(a), ":".join(b)]}


def _power(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"server", "action": "ForceOff"|"On"|...}: somebody at the rack presses the button."""
    server = str(body.get("server"))
    world.power(server, body.get("action", "ForceOff"))
    return {"server": server, "power": world.host(server).power}


def _interconnect(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"interconnect": "x-series-a", "state": "down"|"up"}: it loses its power; what it carried is gone until then."""
    name = str(body.get("interconnect"))
    if name not in world.interconnect_views:
        raise WorldError(f"no interconnect named {name!r}; known: {', '.join(world.interconnect_views) or 'none'}")
    with world.lock:
        world.interconnect_views[name].down = body.get("state", "down") == "down"
    return {"interconnect": name, "alive": world.interconnect_views[name].alive}


def _feed(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"feed": "r1-b", "state": "down"|"up"}: what hangs on one power feed alone goes, or comes back; what hangs on two
    goes when both are down."""
    feed, down = str(body.get("feed")), body.get("state", "down") == "down"
    hanging: list[Server | Switch | Interconnect] = [
        *world.servers.values(),
        *world.switches.values(),
        *world.interconnects.values(),
    ]
    if not any(feed in (each.power, each.power_b) for each in hanging):
        raise WorldError(f"nothing hangs on power feed {feed!r}")
    others = world.dark_feeds - {feed}
    world.dark_feeds = others | ({feed} if down else set())

    def last(each: Server | Switch | Interconnect) -> bool:
        """This feed decides: there is no other, or the other one is down."""
        rest = {each.power, each.power_b} - {feed, ""}
        return feed in (each.power, each.power_b) and rest <= others

    servers = [each.name for each in world.servers.values() if last(each)]
    switches = [each.name for each in world.switches.values() if last(each)]
    for name in servers:
        world.power(name, "ForceOff" if down else "On")
    for name in switches:
        world.fault({"kind": "switch", "switch": name, "state": "down" if down else "up"})
    interconnects = [each.name for each in world.interconnects.values() if last(each)]
    for name in interconnects:
        _interconnect(world, {"interconnect": name, "state": "down" if down else "up"})
    return {"servers": servers, "switches": switches, **({"interconnects": interconnects} if interconnects else {})}


def _nic(world: World, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """{"end", "trust_dscp"?, "pfc"?: [..], "mtu"?}: the host's own configuration of a NIC changes."""
    device, port = _end(world, body.get("end"))
    if device not in world.servers:
        raise WorldError(f"{device} is not a server")
    with world.lock:
        nic = world.servers[device].nics[port]
        nic.trust_dscp = bool(body.get("trust_dscp", nic.trust_dscp))
        nic.pfc = frozenset(int(p) for p in body.get("pfc", nic.pfc))
        nic.mtu = int(body.get("mtu", nic.mtu))
        return {"trust_dscp": nic.trust_dscp, "pfc": sorted(nic.pfc), "mtu": nic.mtu}
