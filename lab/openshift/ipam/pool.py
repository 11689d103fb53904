"""A CIDRPool as NVIDIA's IPAM reads it: what it refuses, and which part of it each node has.

After Mellanox/nvidia-k8s-ipam v0.4.0 (api/v1alpha1/cidrpool_validate.go, pkg/ipam-controller/controllers/cidrpool).
Exclusions are neither checked nor subtracted: see lab/FIDELITY.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from podwright.lab.openshift.selectors import expression

Network = IPv4Network | IPv6Network
Spec = Mapping[str, Any]
Allocation = dict[str, str]
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.\-]*")
"""A CNI network's name."""


def gateway(network: Network, index: int) -> str:
    """The address of that index; empty where it is no host's: the first and last one of more than two addresses."""
    short = network.prefixlen >= network.max_prefixlen - 1
    if (index == 0 and not short) or index >= network.num_addresses:
        return ""
    found = network[index]
    last = isinstance(network, IPv4Network) and not short and found == network.broadcast_address
    return "" if last else str(found)


def problems(name: str, spec: Spec) -> list[str]:
    """Everything that is wrong with a pool, as the field errors name it. Such a pool allocates nothing."""
    found = [] if NAME.fullmatch(name) else [f'metadata.name: Invalid value: "{name}": invalid CIDR pool name']
    found += selector_problems(spec.get("nodeSelector"))
    if spec.get("gatewayIndex") is None:
        for key in ("defaultGateway", "routes"):
            if spec.get(key):
                found.append(f"spec.{key}: cannot be set if spec.gatewayIndex is not set")
    whole = _network(str(spec["cidr"]))
    if isinstance(whole, str):
        return [*found, f'spec.cidr: Invalid value: "{spec["cidr"]}": {whole}']
    for number, route in enumerate(spec.get("routes") or []):
        found += _route(f"spec.routes[{number}].dst", str(route["dst"]), whole)
    return [*found, *_sizes(spec, whole)]


def _network(text: str) -> Network | str:
    """The network, or what is wrong with it."""
    try:
        loose = ip_network(text, strict=False)
    except ValueError:
        return "is invalid cidr"
    if "/" not in text:
        return "is invalid cidr"
    return loose if str(loose.network_address) == text.partition("/")[0] else "network prefix has host bits set"


def _route(path: str, text: str, whole: Network) -> Iterator[str]:
    try:
        far = ip_network(text, strict=False)
    except ValueError:
        yield f'{path}: Invalid value: "{text}": is invalid subnet'
        return
    if far.version != whole.version:
        yield f'{path}: Invalid value: "{text}": is not same address family IPv4/IPv6'


def _sizes(spec: Spec, whole: Network) -> Iterator[str]:
    length, index = int(spec["perNodeNetworkPrefix"]), spec.get("gatewayIndex")
    if index is not None and index < 0:
        yield f"spec.gatewayIndex: Invalid value: {index}: must not be negative"
    elif not whole.prefixlen <= length <= whole.max_prefixlen or length == 0:
        yield (
            f"spec.perNodeNetworkPrefix: Invalid value: {length}: "
            'must be less or equal than network prefix size in the "cidr" field'
        )
    else:
        first = ip_network(f"{whole.network_address}/{length}")
        if index is not None and not gateway(first, index):
            yield f"spec.gatewayIndex: Invalid value: {index}: gateway index is outside of the node prefix"
        yield from _static(spec, whole, length)


def _static(spec: Spec, whole: Network, length: int) -> Iterator[str]:
    rows = spec.get("staticAllocations") or []
    for number, row in enumerate(rows):
        path, text = f"spec.staticAllocations[{number}].prefix", str(row["prefix"])
        part = _network(text)
        if isinstance(part, str):
            reason = "is not a valid network prefix" if part == "is invalid cidr" else part
        elif part.version != whole.version or part.network_address not in whole:
            reason = "prefix is not part of the pool cidr"
        elif part.prefixlen != length:
            reason = "prefix size doesn't match spec.perNodeNetworkPrefix"
        elif row.get("gateway") and ip_address(row["gateway"]) not in part:
            path, text, reason = path.replace(".prefix", ".gateway"), row["gateway"], "is outside of the node prefix"
        else:
            continue
        yield f'{path}: Invalid value: "{text}": {reason}'
    for what, key in (("node", "nodeName"), ("prefix", "prefix")):
        counts = Counter(str(row[key]) for row in rows if row.get(key))
        for each in sorted(each for each, count in counts.items() if count > 1):
            yield f"spec.staticAllocations: contains multiple entries for {what} {each}"


def selector_problems(selector: Mapping[str, Any] | None) -> Iterator[str]:
    """Node selectors are checked as a pod's affinity is: one name for each field, and no other field."""
    if selector is None:
        return
    path = "spec.nodeSelectorTerms"
    if not selector.get("nodeSelectorTerms"):
        yield f"{path}: Required value: must have at least one node selector term"
    for number, term in enumerate(selector.get("nodeSelectorTerms") or []):
        for row in term.get("matchFields") or []:
            if row["key"] != "metadata.name":
                yield f'{path}[{number}].matchFields: Invalid value: "{row["key"]}": not a valid field selector key'
            if row["operator"] in ("In", "NotIn") and len(row.get("values") or []) != 1:
                yield f"{path}[{number}].matchFields: Required value: must be only one value"
        for row in term.get("matchExpressions") or []:
            if row["operator"] in ("In", "NotIn") and not row.get("values"):
                yield f"{path}[{number}].matchExpressions: Required value: must be specified when `operator` is 'In'"


def selects(spec: Spec, name: str, labels: Mapping[str, str]) -> bool:
    """Whether a pool is for a node: one of its terms is fulfilled; without a selector it is for every node."""
    selector = spec.get("nodeSelector")
    if selector is None:
        return True
    return any(
        (term.get("matchFields") or term.get("matchExpressions"))
        and all(expression(row, {"metadata.name": name}) for row in term.get("matchFields") or [])
        and all(expression(row, labels) for row in term.get("matchExpressions") or [])
        for term in selector["nodeSelectorTerms"]
    )


def allocated(
    spec: Spec, existing: Sequence[Mapping[str, str]], nodes: Iterable[str]
) -> tuple[list[Allocation], list[str]]:
    """What each node has now, by name, and the nodes that there is nothing left for.

    A node keeps what it has while that is still right. A static allocation is its own; any other node takes the first
    part that nobody has, static allocations of absent nodes included.
    """
    wanted = sorted(nodes)
    static = {row["nodeName"]: row for row in spec.get("staticAllocations") or [] if row.get("nodeName")}
    reserved = {str(ip_network(row["prefix"])) for row in spec.get("staticAllocations") or []}
    kept = {
        row["nodeName"]: dict(row)
        for row in existing
        if row["nodeName"] in wanted and _still_right(spec, row, static, reserved)
    }
    taken = {row["prefix"] for row in kept.values()} | reserved
    length = int(spec["perNodeNetworkPrefix"])
    free = (str(part) for part in ip_network(spec["cidr"]).subnets(new_prefix=length))
    left_out = []
    for node in wanted:
        if node in kept:
            continue
        part = static[node]["prefix"] if node in static else next((each for each in free if each not in taken), "")
        if not part:
            left_out.append(node)
            continue
        kept[node] = _row(spec, node, part, static.get(node, {}).get("gateway", ""))
        taken.add(part)
    return [kept[node] for node in sorted(kept)], left_out


def _row(spec: Spec, node: str, prefix: str, own: str) -> Allocation:
    index = spec.get("gatewayIndex")
    way = own or (gateway(ip_network(prefix), index) if index is not None else "")
    return {"nodeName": node, "prefix": prefix, **({"gateway": way} if way else {})}


def _still_right(
    spec: Spec, row: Mapping[str, str], static: Mapping[str, Mapping[str, str]], reserved: set[str]
) -> bool:
    own = static.get(row["nodeName"])
    if own is not None:
        return dict(row) == _row(spec, row["nodeName"], own["prefix"], own.get("gateway", ""))
    whole, part = ip_network(spec["cidr"]), ip_network(row["prefix"])
    inside = part.version == whole.version and part.network_address in whole
    fits = inside and part.prefixlen == int(spec["perNodeNetworkPrefix"]) and row["prefix"] not in reserved
    return fits and dict(row) == _row(spec, row["nodeName"], row["prefix"], "")


def addresses(allocation: Mapping[str, str]) -> Iterator[str]:
    """What pods of a node may have, in order: every host address of its part but the gateway."""
    part = ip_network(allocation["prefix"])
    # ipaddress lists both addresses of a /31 and the one of a /32, as nv-ipam does.
    return (str(each) for each in part.hosts() if str(each) != allocation.get("gateway"))
