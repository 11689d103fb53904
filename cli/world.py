"""The rack that a stack file describes, as the lab builds it: `podwright explain world Pulumi.pod-a.yaml`.

Switches, servers, NICs and cables follow from the plan. What a stack does not define is made up in a fixed way: serial
numbers of switches without one, UUIDs, MACs of rail NICs, management addresses of servers that only Intersight
reaches, chassis and cables of domains. A server has NICs on the storage pair where the file names their addresses.
Cables from the frontend pair to rack servers and arrays are left out: the world gives those no frontend NICs.
"""

from typing import Any

import yaml

from podwright.cli import world_domains
from podwright.components import model
from podwright.components.design import fabric, hardware
from podwright.components.design.platform.images import texts
from podwright.components.model import blades
from podwright.components.model.coherence import is_place
from podwright.components.model.feeds import feeds


def world(cluster: model.Cluster, plan: fabric.FabricPlan | None = None) -> dict[str, Any]:
    """A world file's content for a cluster; `plan` is that of its network, where it was made already."""
    plan = plan or fabric.plan(cluster.network)
    shift, bmc, account = cluster.openshift, cluster.bmc, cluster.intersight
    if shift is None or bmc is None or account is None:
        raise ValueError(f"the lab stands in for whole clusters; {cluster.name} has no openshift, bmc or intersight")
    racks = {name: _power(cluster, name) for name in cluster.site.racks}
    known = {switch.hostname for switch in plan.switches} | set(cluster.servers)
    return {
        "name": cluster.name,
        "switches": _switches(cluster, plan),
        "servers": _servers(cluster, plan),
        **({"domains": world_domains.domains(cluster, racks)} if cluster.domains else {}),
        "cables": [
            [f"{link.device}:{link.port}", f"{link.peer}:{link.peer_port}", link.gbps]
            for link in plan.links
            if link.peer in known
            and (not link.peer_port.startswith("to-") or link in _stored(cluster, plan, link.peer))
        ]
        + list(world_domains.cables(cluster, plan)),
        "credentials": {
            "switch": {"user": cluster.fabric.user, "secret": cluster.fabric.credential},
            "bmc": {"user": bmc.user, "secret": bmc.password},
            "intersight": {"key_id": account.key_id, "secret": account.key},
        },
        "cluster": {
            "name": cluster.name,
            "domain": shift.domain,
            "api_vip": str(shift.api_vip),
            "ingress_vip": str(shift.ingress_vip),
            "machine_network": str(shift.machine_network),
            "openshift": shift.version,
            **({"dns": [str(each) for each in cluster.site.dns]} if cluster.site.dns else {}),
            **_signed(shift.images),
            # Organizations are an administrator's to make.
            **({"organization": account.organization} if account.organization != "default" else {}),
        },
    }


def _signed(images: model.Images | None) -> dict[str, dict[str, list[str]]]:
    """What the file verifies counts as signed by it: whether a registry's images are, no file says."""
    found = {scope: list(texts(each)) for scope, each in images.signatures.items()} if images else {}
    return {"signed": found} if found else {}


def _switches(cluster: model.Cluster, plan: fabric.FabricPlan) -> dict[str, Any]:
    return {
        switch.hostname: {
            "model": switch.model,
            "serial": switch.serial or f"FDO{90000000 + number}",
            "release": cluster.fabric.release,
            "rack": switch.rack,
            **_power(cluster, switch.rack),
            "management": str(switch.management),
        }
        for number, switch in enumerate(plan.switches, 1)
    }


def _power(cluster: model.Cluster, rack: str) -> dict[str, str]:
    """The feeds of a rack; of two, either carries what is in it."""
    return dict(zip(("power", "power_b"), feeds(cluster.site.racks[rack]), strict=False))


def _stored(cluster: model.Cluster, plan: fabric.FabricPlan, server: str) -> dict[fabric.Link, str]:
    """Cables of the storage pair to a server, each with the MAC address at its end."""
    pair, defined = cluster.fabric.storage, cluster.servers.get(server)
    if pair is None or defined is None or defined.storage_macs is None:
        return {}
    links = [link for link in plan.links if link.device in pair.leaves and link.peer == server]
    links.sort(key=lambda link: pair.leaves[link.device].index)
    return dict(zip(links, defined.storage_macs, strict=False))


def _servers(cluster: model.Cluster, plan: fabric.FabricPlan) -> dict[str, Any]:
    found: dict[str, Any] = {}
    railed = 0
    for number, (name, defined) in enumerate(cluster.servers.items(), 1):
        railed += bool(hardware.rails(defined))
        found[name] = _server(cluster, defined, number, railed)
        for link, mac in _stored(cluster, plan, name).items():
            found[name].setdefault("nics", {})[link.peer_port] = {"gbps": link.gbps, "mac": mac}
    return found


def _server(cluster: model.Cluster, defined: model.Server, number: int, railed: int) -> dict[str, Any]:
    """One server; `number` counts servers, `railed` those with rail NICs, both from 1."""
    model = hardware.server_model(defined.model)
    entry: dict[str, Any] = {
        "model": defined.model,
        # A blade that the file names by its slot has a number of its own, which nobody wrote down.
        "serial": defined.serial if not is_place(defined.serial) else f"FCH{92000000 + number}",
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "rack": defined.rack,
        **_power(cluster, defined.rack),
        # Carrier-grade NAT space: nobody's stack names it, and nobody but the world's own Intersight dials it.
        "bmc": str(defined.bmc or f"100.64.{number // 250}.{number % 250 + 1}"),
        "address": str(defined.address),
        "intersight": model.manager == "intersight",
        "cpu": {
            "vendor": model.cpu_vendor,
            "sockets": model.sockets,
            "cores": hardware.cores(defined) // model.sockets,
        },
        "memory_gib": hardware.memory_gib(defined),
        "disk": defined.disk,
        "boot_mac": defined.boot_mac,
    }
    if defined.domain is not None and not blades.slots(defined):
        entry["domain"] = defined.domain
    if defined.bmc_password:
        entry["bmc_secret"] = defined.bmc_password
    if defined.gpus:
        entry["gpus"] = {"product": defined.gpus, "count": hardware.gpu_count(defined)}
    if hardware.rails(defined):
        speed = cluster.fabric.host_gbps
        entry["nics"] = {f"rail{nic.rail}": _nic(nic, railed, speed or nic.gbps) for nic in hardware.rails(defined)}
    return entry


def _nic(nic: hardware.Nic, railed: int, gbps: int) -> dict[str, Any]:
    return {
        "pci": nic.pci,
        "device": nic.device,
        "numa": nic.numa,
        "gbps": gbps,
        "mac": f"02:00:00:{16 + railed // 256:02x}:{railed % 256:02x}:{nic.rail:02x}",
    }


def text(cluster: model.Cluster) -> str:
    """A world file for a cluster. Raises ValueError as `world` does."""
    return yaml.safe_dump(world(cluster), sort_keys=False, default_flow_style=None, width=200)
