"""`podwright export STACK`: what a stack's switches count, for Prometheus, with what the plan knows of them."""

import asyncio
import contextlib
import os
import re
import sys

from podwright.components import model
from podwright.components.design import fabric, hardware
from podwright.components.design.fabric import FabricPlan, SwitchPlan
from podwright.components.providers.status.export import metrics
from podwright.components.providers.status.export.collector import SwitchCollector
from podwright.components.providers.status.export.http import serving
from podwright.components.providers.status.export.scrape import Target

LEAST = 5.0
"""Seconds between two looks that a switch is not bothered by."""
_UNICAST = re.compile(r"^( *)neighbor [^\n]+\n(?:\1 +[^\n]*\n)*?\1 +address-family ipv4 unicast$", re.MULTILINE)
"""A BGP neighbour with whom IPv4 routes are exchanged; one for EVPN alone does not stand in the unicast summary."""


def run(cluster: model.Cluster, listen: str, once: bool, interval: float) -> bool:
    """Serve until interrupted, or print one look; True when every switch answered. Raises ValueError for people."""
    if interval < LEAST:
        raise ValueError(f"--interval {interval:g} is too short: a look takes seconds; {LEAST:g} is the least")
    defined = cluster.fabric
    collector = SwitchCollector(targets(cluster), (defined.user, defined.credential), os.environ, interval)
    if once:
        asyncio.run(collector.once())
        sys.stdout.write(collector.text())
        return all(not each.problem and not any(each.errors.values()) for each in collector.looks.values())
    with serving(listen, collector.registry) as url:
        print(f"{cluster.name}: metrics at {url}", file=sys.stderr, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(collector.forever())
    return True


def targets(cluster: model.Cluster) -> tuple[Target, ...]:
    """Every switch of the plan."""
    plan = fabric.plan(cluster.network)
    ends: dict[str, dict[str, tuple[str, str, str]]] = {switch.hostname: {} for switch in plan.switches}
    for link in plan.links:
        for (device, port), far in (
            ((link.device, link.port), (link.peer, link.peer_port)),
            ((link.peer, link.peer_port), (link.device, link.port)),
        ):
            if device in ends:
                ends[device][port] = (link.role, *far)
    return tuple(_target(cluster, plan, switch, ends[switch.hostname]) for switch in plan.switches)


def _target(
    cluster: model.Cluster, plan: FabricPlan, switch: SwitchPlan, ends: dict[str, tuple[str, str, str]]
) -> Target:
    return Target(
        name=switch.hostname,
        management=str(switch.management),
        commands=tuple(command for command in metrics.COMMANDS if _answers(switch, command)),
        ports={port: _host(cluster, far) for port, (_, *far) in ends.items()},
        info={port: _info(cluster, role, far) for port, (role, *far) in ends.items()},
        neighbors=_neighbors(plan, switch.hostname, ends),
    )


def _answers(switch: SwitchPlan, command: str) -> bool:
    """False where the plan does not switch on what the command shows: a switch refuses it, or has nothing to say."""
    if command in (metrics.PFC, metrics.WATCHDOG):
        return switch.lossless is not None
    if command == metrics.BGP:
        return any(line.startswith("router bgp ") and _UNICAST.search(body) for line, body in switch.config.items())
    return command != metrics.BFD or "feature bfd" in switch.config


def _host(cluster: model.Cluster, far: list[str]) -> dict[str, str]:
    """Server and rail behind a port; nothing at a port between switches."""
    device, nic = far
    if device not in cluster.servers:
        return {}
    rail = nic.removeprefix("rail")
    return {"server": device, "rail": rail if nic.startswith("rail") and rail.isdigit() else ""}


def _info(cluster: model.Cluster, role: str, far: list[str]) -> dict[str, str]:
    device, port = far
    product = hardware.gpu(cluster.servers[device]) if device in cluster.servers else None
    gpu = product.name if product is not None and port.startswith("rail") else ""
    return {"role": role, "peer": device, "peer_port": port, "gpu": gpu}


def _neighbors(plan: FabricPlan, name: str, ends: dict[str, tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    """Who a BGP neighbour is, by address where uplinks are numbered and by own port where not."""
    found = {port: {"peer": far, "port": port} for port, (role, far, _) in ends.items() if role == "fabric"}
    for uplink in plan.uplinks:
        if uplink.leaf == name:
            found[str(uplink.spine_address)] = {"peer": uplink.spine, "port": uplink.leaf_port}
        elif uplink.spine == name:
            found[str(uplink.leaf_address)] = {"peer": uplink.leaf, "port": uplink.spine_port}
    return found
