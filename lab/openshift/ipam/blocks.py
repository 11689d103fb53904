"""An IPPool as NVIDIA's IPAM reads it: a subnet in blocks of as many addresses for each node.

After Mellanox/nvidia-k8s-ipam (api/v1alpha1/ippool_validate.go, pkg/ipam-controller/allocator). Exclusions of a node's
index and routes are not modelled: see lab/FIDELITY.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from podwright.lab.openshift.ipam.pool import NAME, selector_problems

Spec = Mapping[str, Any]


def problems(name: str, spec: Spec) -> list[str]:
    """Everything that is wrong with a pool, as the field errors name it. Such a pool allocates nothing."""
    reason = "invalid IP pool name, should be compatible with CNI network name"
    found = [] if NAME.fullmatch(name) else [f'metadata.name: Invalid value: "{name}": {reason}']
    try:
        subnet = ip_network(spec["subnet"], strict=False)
    except ValueError:
        return [*found, f'spec.subnet: Invalid value: "{spec["subnet"]}": is invalid subnet']
    size = int(spec["perNodeBlockSize"])
    if size < 1:
        found.append(f"spec.perNodeBlockSize: Invalid value: {size}: must be at least 1")
    elif len(_places(subnet)) < size:
        found.append(
            f"spec.perNodeBlockSize: Invalid value: {size}: is larger then amount of IPs available in the subnet"
        )
    for number, row in enumerate(spec.get("exclusions") or []):
        for key in ("startIP", "endIP"):
            found += _outside(f"spec.exclusions[{number}].{key}", row[key], subnet, f"the {subnet} subnet")
    if spec.get("gateway"):
        found += _outside("spec.gateway", spec["gateway"], subnet, "the subnet")
    return [*found, *selector_problems(spec.get("nodeSelector"))]


def _outside(path: str, text: str, subnet: IPv4Network | IPv6Network, where: str) -> Iterator[str]:
    try:
        inside = ip_address(text) in subnet
    except ValueError:
        yield f'{path}: Invalid value: "{text}": is invalid IP address'
        return
    if not inside:
        yield f'{path}: Invalid value: "{text}": is not part of {where}'


def _places(subnet: IPv4Network | IPv6Network) -> range:
    """Numbers of the addresses that blocks are cut from: neither the network's nor the broadcast address."""
    first, count = int(subnet.network_address), subnet.num_addresses
    if count <= 2:
        return range(first, first + count)
    last = first + count - (subnet.version == 4)
    return range(first + 1, last)


def allocated(
    spec: Spec, existing: Sequence[Mapping[str, str]], nodes: Iterable[str]
) -> tuple[list[dict[str, str]], list[str]]:
    """The block of each node, by name, and the nodes that there is none for. A block that is still right stays."""
    blocks = list(_blocks(spec))
    wanted, whole = sorted(nodes), {row["startIP"]: row for row in blocks}
    kept: dict[str, dict[str, str]] = {}
    for row in existing:
        block = whole.get(row["startIP"])
        if row["nodeName"] in wanted and block is not None and block["endIP"] == row["endIP"]:
            del whole[row["startIP"]]
            kept[row["nodeName"]] = block
    left_out = []
    for node in wanted:
        if node in kept:
            continue
        start = next(iter(whole), "")
        if not start:
            left_out.append(node)
            continue
        kept[node] = whole.pop(start)
    return [{"nodeName": node, **kept[node]} for node in sorted(kept)], left_out


def _blocks(spec: Spec) -> Iterator[dict[str, str]]:
    """Blocks in order, without those that are excluded whole."""
    subnet, size = ip_network(spec["subnet"], strict=False), int(spec["perNodeBlockSize"])
    places = _places(subnet)
    for start in range(places.start, places.stop - size + 1, size):
        row = {"startIP": str(_at(subnet, start)), "endIP": str(_at(subnet, start + size - 1))}
        gateway_alone = size == 1 and row["startIP"] == spec.get("gateway")
        if not gateway_alone and any(True for _ in _free(spec, row)):
            yield row


def _at(subnet: IPv4Network | IPv6Network, number: int) -> IPv4Address | IPv6Address:
    return subnet[number - int(subnet.network_address)]


def _free(spec: Spec, block: Mapping[str, str]) -> Iterator[str]:
    first, last = ip_address(block["startIP"]), ip_address(block["endIP"])
    excluded = [
        (int(ip_address(row["startIP"])), int(ip_address(row["endIP"]))) for row in spec.get("exclusions") or []
    ]
    for number in range(int(first), int(last) + 1):
        if not any(low <= number <= high for low, high in excluded):
            yield str(type(first)(number))


def addresses(spec: Spec, block: Mapping[str, str]) -> Iterator[str]:
    """What pods of a node may have, in order: its block without exclusions and the gateway."""
    return (each for each in _free(spec, block) if each != spec.get("gateway"))
