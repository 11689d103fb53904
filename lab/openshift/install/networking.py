"""install-config's `networking`: defaults, and what the installer refuses of it.

After openshift/installer `pkg/types/validation/installconfig.go` and its tests
(https://github.com/openshift/installer/tree/main/pkg/types/validation), whose sentences these are; the join subnet's
room is the cluster network operator's own check, which the installer repeats.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
CLUSTER = ({"cidr": "10.128.0.0/14", "hostPrefix": 23},)
SERVICE = ("172.30.0.0/16",)
RESERVED = {"internal": "100.64.0.0/16", "transit": "100.88.0.0/16", "masquerade": "169.254.0.0/17"}
"""Default subnets of OVN-Kubernetes, of which the first has an address for every node."""


def networks(install: Mapping[str, Any]) -> tuple[str, str]:
    """Of services and of pods, as an install-config has them."""
    given = install.get("networking") or {}
    service = (given.get("serviceNetwork") or SERVICE)[0]
    return str(service), str((given.get("clusterNetwork") or CLUSTER)[0]["cidr"])


def problems(given: Mapping[str, Any], machine: Sequence[Network]) -> list[str]:
    """Everything wrong with `networking` beside its machine networks."""
    found: list[str] = []
    services = list(_networks("serviceNetwork", given.get("serviceNetwork") or SERVICE, found))
    rows = given.get("clusterNetwork") or CLUSTER
    clusters = list(_networks("clusterNetwork", [row.get("cidr") for row in rows], found, ".cidr"))
    if len(services) > 1:
        found.append("networking.serviceNetwork: Invalid value: only one service network can be specified")
    found += [each for index, network in enumerate(machine) for each in _reserved("machineNetwork", index, network)]
    for index, service in services:
        path = f"networking.serviceNetwork[{index}]: Invalid value: {str(service)!r}"
        if any(service.overlaps(each) for each in machine):
            found.append(f"{path}: service network must not overlap with any of the machine networks")
        found += _reserved("serviceNetwork", index, service)
    for index, cluster in clusters:
        path = f"networking.clusterNetwork[{index}].cidr: Invalid value: {str(cluster)!r}"
        if any(cluster.overlaps(each) for each in machine):
            found.append(f"{path}: cluster network must not overlap with any of the machine networks")
        found += [
            f"{path}: cluster network must not overlap with service network {number}"
            for number, service in services
            if cluster.overlaps(service)
        ]
        found += _reserved("clusterNetwork", index, cluster)
    return found + _prefixes(rows, clusters)


def _networks(
    field: str, texts: Sequence[Any], found: list[str], leaf: str = ""
) -> Iterator[tuple[int, ipaddress.IPv4Network]]:
    for index, text in enumerate(texts):
        try:
            yield index, ipaddress.IPv4Network(str(text))
        except ValueError as bad:
            found.append(f"networking.{field}[{index}]{leaf}: Invalid value: {text!r}: {bad}")


def _reserved(field: str, index: int, network: Network) -> list[str]:
    return [
        f"networking.{field}[{index}]: Invalid value: {str(network)!r}: "
        f"must not overlap with OVNKubernetes default {name} subnet {subnet}"
        for name, subnet in RESERVED.items()
        if network.overlaps(ipaddress.ip_network(subnet))
    ]


def _prefixes(rows: Sequence[Mapping[str, Any]], clusters: Sequence[tuple[int, ipaddress.IPv4Network]]) -> list[str]:
    found, nodes = [], 0
    for index, cluster in clusters:
        length = rows[index].get("hostPrefix", CLUSTER[0]["hostPrefix"])
        path = f"networking.clusterNetwork[{index}].hostPrefix: Invalid value: {length}"
        if not isinstance(length, int) or length < cluster.prefixlen:
            found.append(f"{path}: cluster network host subnetwork prefix must not be larger size than CIDR {cluster}")
        elif length > 32:
            found.append(f"{path}: cluster network host subnetwork prefix must be at most 32")
        else:
            nodes += 1 << (length - cluster.prefixlen)
    join = ipaddress.ip_network(RESERVED["internal"])
    if nodes >= join.num_addresses - 3:
        found.append(
            f"networking.clusterNetwork: Invalid value: {nodes} nodes: the default internal subnet {join} is not large "
            "enough for the maximum number of nodes which can be supported by ClusterNetwork"
        )
    return found
