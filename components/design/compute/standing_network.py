"""VLANs of hosts that are installed already: what the Kubernetes NMState Operator brings to nodes that stand.

From the same desired state as the installation image's. Only what is beside the machine network: OVN-Kubernetes keeps
that on br-ex, and neither br-ex nor what is under it, the frontend's bond included, may be changed on a running node
(https://github.com/openshift/openshift-docs/pull/68605). The bond on a storage pair is not under it. One policy a node,
since each has its own address; a handler undoes what fails or loses the default gateway
(https://nmstate.io/kubernetes-nmstate/user-guide/102-configuration).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design.compute import host_network
from podwright.components.design.compute.host_network import BOND, NICS, STORAGE_NICS, Pairs, on_storage
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.platform.names import Manifest
from podwright.components.model import OpenShift, Pool, Server, Site
from podwright.components.model.platform import PoolRollout

API = "nmstate.io/v1"
HOSTNAME = "kubernetes.io/hostname"
NO_BOND = (
    "it has no bond: on a node, its interface has a name that the file does not know; write bond_mac, or let `up` read "
    "the name (openshift.host_network: managed)"
)
UNDER_MACHINE = "untagged beside the machine network, which runs on br-ex there: bring it tagged"
UNKNOWN_NICS = (
    "its interfaces on the storage pair have names on the node that the file does not know; let `up` read them "
    "(openshift.host_network: managed)"
)


@dataclass(frozen=True)
class Standing:
    """Policies by node, and why a VLAN of a server has none, by server."""

    policies: tuple[Manifest, ...]
    left_out: Mapping[str, str]


def standing(servers: Mapping[str, Server], openshift: OpenShift, site: Site, pairs: Pairs) -> Standing:
    """Policies of all `servers` that have an address beside the machine network on the frontend."""
    policies, left_out = [], {}
    for name, server in servers.items():
        state = host_network.spec(name, server, openshift, site, pairs).get("network", {}).get("state")
        if state is None:
            continue
        beside = _beside(state)
        tagged = [each for each in beside if each["type"] == "vlan" and each["vlan"]["base-iface"] == BOND]
        if tagged:
            policies.append(_policy(name, tagged))
        if len(tagged) < len(beside):
            left_out[name] = UNDER_MACHINE if server.bond_mac else NO_BOND
        if any(map(on_storage, state["interfaces"])):
            left_out[name] = "; ".join(filter(None, (left_out.get(name), UNKNOWN_NICS)))
    return Standing(tuple(policies), left_out)


def rollouts(
    nodes: Mapping[str, Server],
    pools: Mapping[str, Pool],
    openshift: OpenShift,
    site: Site,
    pairs: Pairs | None,
) -> dict[str, dict[str, Any]]:
    """By pool, spec of what brings its nodes to their VLANs; none where NMState is not `managed`, or nothing is there.

    A pool is there with no VLAN too: those that left the file go from its nodes.
    """
    if openshift.host_network != "managed" or pairs is None:
        return {}
    found: dict[str, dict[str, Any]] = {}
    for name, server in nodes.items():
        network = host_network.spec(name, server, openshift, site, pairs).get("network", {})
        spec = found.setdefault(server.pool, _rollout(server.pool, pools.get(server.pool)))
        spec["nodes"].append(name)
        state: dict[str, Any] = network.get("state") or {"interfaces": [], "routes": {"config": []}}
        tagged = [each for each in _beside(state) if each["type"] == "vlan"]
        stored = [each for each in state["interfaces"] if on_storage(each)]
        spec["interfaces"][name] = [*tagged, *stored]
        # A bond has its own name everywhere; a NIC has the one that the node's kernel gives it.
        named = [*(NICS if tagged and not server.bond_mac else ()), *(STORAGE_NICS if stored else ())]
        macs = network.get("interfaces", {})
        spec["macs"][name] = {nic: macs[nic] for nic in named if nic in macs}
    return found


def _rollout(name: str, pool: Pool | None) -> dict[str, Any]:
    """The control plane has no section: one host at a time."""
    spec: dict[str, Any] = {"schema": SCHEMA, "pool": name, "nodes": [], "interfaces": {}, "macs": {}}
    if pool is None:
        return {**spec, "max_unavailable": 1, "soak_seconds": PoolRollout().soak_seconds}
    paused = {"pause": True} if pool.rollout.pause else {}
    return {**spec, "max_unavailable": pool.max_unavailable, "soak_seconds": pool.rollout.soak_seconds, **paused}


def interfaces(name: str, server: Server, openshift: OpenShift, site: Site, pairs: Pairs) -> tuple[dict[str, Any], ...]:
    """All that a host would be installed with today, as nmstate's desired state has it."""
    state = host_network.spec(name, server, openshift, site, pairs).get("network", {}).get("state") or {}
    return tuple(state.get("interfaces", ()))


def _beside(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Interfaces of the frontend with an address that the default route does not leave by."""
    leading = {route["next-hop-interface"] for route in state["routes"]["config"]}
    addressed = [each for each in state["interfaces"] if each["ipv4"]["enabled"] and not on_storage(each)]
    return [each for each in addressed if each["name"] not in leading]


def _policy(name: str, interfaces: list[dict[str, Any]]) -> Manifest:
    return {
        "apiVersion": API,
        "kind": "NodeNetworkConfigurationPolicy",
        "metadata": {"name": f"{name}-vlans"},
        "spec": {"nodeSelector": {HOSTNAME: name}, "desiredState": {"interfaces": interfaces}},
    }
