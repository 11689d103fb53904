"""VLANs of hosts that are installed already: what the Kubernetes NMState Operator brings to nodes that stand.

From the same desired state as the installation image's. Only what is beside the machine network: OVN-Kubernetes keeps
that on br-ex, and neither br-ex nor what is under it, the bond included, may be changed on a running node
(https://github.com/openshift/openshift-docs/pull/68605). One policy a node, since each has its own address; a handler
undoes what fails or loses the default gateway (https://nmstate.io/kubernetes-nmstate/user-guide/102-configuration).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design.compute import host_network
from podwright.components.design.compute.host_network import BOND, Frontend
from podwright.components.design.platform.names import Manifest
from podwright.components.model import OpenShift, Server, Site

API = "nmstate.io/v1"
HOSTNAME = "kubernetes.io/hostname"
NO_BOND = "it has no bond: on a node, its interface has a name that the file does not know; write bond_mac"
UNDER_MACHINE = "untagged beside the machine network, which runs on br-ex there: bring it tagged"


@dataclass(frozen=True)
class Standing:
    """Policies by node, and why a VLAN of a server has none, by server."""

    policies: tuple[Manifest, ...]
    left_out: Mapping[str, str]


def standing(servers: Mapping[str, Server], openshift: OpenShift, site: Site, frontend: Frontend) -> Standing:
    """Policies of all `servers` that have an address beside the machine network."""
    policies, left_out = [], {}
    for name, server in servers.items():
        state = host_network.spec(name, server, openshift, site, frontend).get("network", {}).get("state")
        if state is None:
            continue
        beside = _beside(state)
        tagged = [each for each in beside if each["type"] == "vlan" and each["vlan"]["base-iface"] == BOND]
        if tagged:
            policies.append(_policy(name, tagged))
        if len(tagged) < len(beside):
            left_out[name] = UNDER_MACHINE if server.bond_mac else NO_BOND
    return Standing(tuple(policies), left_out)


def _beside(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Interfaces with an address that the default route does not leave by."""
    leading = {route["next-hop-interface"] for route in state["routes"]["config"]}
    return [each for each in state["interfaces"] if each["ipv4"]["enabled"] and each["name"] not in leading]


def _policy(name: str, interfaces: list[dict[str, Any]]) -> Manifest:
    return {
        "apiVersion": API,
        "kind": "NodeNetworkConfigurationPolicy",
        "metadata": {"name": f"{name}-vlans"},
        "spec": {"nodeSelector": {HOSTNAME: name}, "desiredState": {"interfaces": interfaces}},
    }
