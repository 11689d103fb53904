"""What a CNI plugin's `ipam` gives a pod: one address of a range, or of its node's part of a pool of NVIDIA's."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Collection
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.daemons import works_on
from podwright.lab.openshift.ipam import blocks, pool
from podwright.lab.openshift.ipam.operator import DAEMON
from podwright.lab.openshift.kinds import CIDR_POOLS, IP_POOLS


class NoAddressError(RuntimeError):
    """Why a pod gets none; the message is the plugin's."""


def configured(definition: Object) -> tuple[str, dict[str, Any]]:
    """The network's name and the `ipam` of a NetworkAttachmentDefinition."""
    config = json.loads(definition["spec"].get("config") or "{}")
    inner: dict[str, Any] = next((p["ipam"] for p in config.get("plugins", []) if p.get("ipam")), {})
    return str(config.get("name", "")), config.get("ipam") or inner


def address(cache: Cache, definition: Object, node: str, taken: Collection[tuple[str, str]]) -> str | None:
    """The next free address for a pod on `node`; None where the network gives none. Raises NoAddressError.

    `taken` are addresses of pods with their nodes. Whereabouts counts over all of them, NVIDIA's IPAM over those of
    the node: each daemon keeps a file of its own.
    """
    name, ipam = configured(definition)
    if ipam.get("type") == "nv-ipam":
        return _of_node(cache, name, ipam, node, {each for each, place in taken if place == node})
    text = ipam.get("range") or ipam.get("subnet")
    if not text:
        return None
    return _of_range(ipam, str(text), {each for each, _ in taken})


def _of_node(cache: Cache, network: str, ipam: dict[str, Any], node: str, taken: Collection[str]) -> str:
    home = running(cache, "nvidia-network-operator")
    broken = 'failed to set up IPAM plugin type "nv-ipam" from the device "": '
    if home is None or node not in works_on(cache, home, DAEMON):
        raise NoAddressError(broken + 'failed to find plugin "nv-ipam" in path [/var/lib/cni/bin]')
    # As the plugin does: an IPPool unless told otherwise, and the network's own name.
    kind, wanted = str(ipam.get("poolType") or "ippool").lower(), str(ipam.get("poolName") or network)
    if kind not in ("ippool", "cidrpool"):
        supported = f"unsupported poolType {kind}, supported values: ippool, cidrpool"
        raise NoAddressError(f"{broken}command preparation failed: failed to load config. {supported}")
    found = cache.get(CIDR_POOLS if kind == "cidrpool" else IP_POOLS, wanted, home)
    rows = ((found or {}).get("status") or {}).get("allocations") or []
    own = next((row for row in rows if row["nodeName"] == node), None)
    failed = f"{broken}grpc call failed: rpc error: code = "
    if own is None:
        message = f'NotFound desc = configuration for pool "{wanted}", poolType "{kind}" not found'
        raise NoAddressError(failed + message)
    places = blocks.addresses((found or {})["spec"], own) if kind == "ippool" else pool.addresses(own)
    free = next((each for each in places if each not in taken), None)
    if free is None:
        message = f'ResourceExhausted desc = no free addresses in the pool "{wanted}", poolType "{kind}"'
        raise NoAddressError(failed + message)
    return free


def _of_range(ipam: dict[str, Any], text: str, taken: Collection[str]) -> str:
    first, _, last = text.partition("-")
    network = ipaddress.ip_network(last if last else first, strict=False)
    begin = ipaddress.ip_address(ipam.get("range_start") or ipam.get("rangeStart") or (first if last else network[1]))
    excluded = [ipaddress.ip_network(str(e), strict=False) for e in ipam.get("exclude") or []]
    for host in network.hosts():
        outside = int(host) < int(begin) or any(host in e for e in excluded)
        if not outside and str(host) not in taken and str(host) != ipam.get("gateway"):
            return str(host)
    raise NoAddressError(f"no free address in {text}")
