"""What is wrong with the spec of an installation before anything is dialled."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.openshift.install.files import ARCHITECTURES
from podwright.components.providers.openshift.install.network import addresses, judge_network
from podwright.components.providers.protocol.kind import Failure, Values
from podwright.components.providers.protocol.shape import judge_spec

REQUIRED: Mapping[str, type] = {
    "cluster": str,
    "domain": str,
    "version": str,
    "api_vip": str,
    "ingress_vip": str,
    "machine_network": str,
    "gateway": str,
    "pull_secret": str,
    "ssh_key": str,
    "publish": dict,
    "hosts": list,
}
OPTIONAL: Mapping[str, type] = {
    "dns": list,
    "ntp": list,
    "architecture": str,
    "intersight": dict,
    "networks": dict,
    "taints": dict,
    "mirror": dict,
}
NETWORK_KEYS: Mapping[str, type] = {"cluster": str, "host_prefix": int, "service": str}
HOST_REQUIRED = ("name", "role", "pool", "serial", "boot_mac", "address", "disk")
HOST_OPTIONAL = ("bmc", "intersight", "credential", "model", "network")
QUORUMS = (1, 3, 4, 5)
"""Control-plane sizes that OpenShift supports (4 and 5 since 4.18)."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def judge(inputs: Values) -> list[Failure]:
    """Everything wrong, all at once."""
    found = judge_spec(inputs, 1, REQUIRED, OPTIONAL)
    if found:
        return found
    spec = inputs["spec"]
    found += _publish(spec["publish"])
    if spec.get("architecture", "x86_64") not in ARCHITECTURES:
        found.append(Failure(("spec", "architecture"), f"must be one of {', '.join(ARCHITECTURES)}"))
    found += _networks(spec)
    found += _mirror(spec)
    found += [f for index, host in enumerate(spec["hosts"]) for f in _host(host, index)]
    return found or [*_addresses(spec), *_roles(spec), *_twice(spec["hosts"])]


def _publish(publish: Mapping[str, Any]) -> Iterator[Failure]:
    for key in ("directory", "url"):
        if not isinstance(publish.get(key), str):
            yield Failure(("spec", "publish", key), f"{key} is missing")


def _networks(spec: Mapping[str, Any]) -> Iterator[Failure]:
    """Pods and services have networks of their own, and every host a subnet of the first."""
    networks, trail = spec.get("networks"), ("spec", "networks")
    if networks is None:
        return
    wrong = [key for key, kind in NETWORK_KEYS.items() if type(networks.get(key)) is not kind]
    if wrong or set(networks) != set(NETWORK_KEYS):
        yield Failure(trail, "has three keys: cluster and service, networks, and host_prefix, a number")
        return
    try:
        found = {key: ipaddress.ip_network(networks[key]) for key in ("cluster", "service")}
    except ValueError as bad:
        yield Failure(trail, str(bad))
        return
    spare = networks["host_prefix"] - found["cluster"].prefixlen
    if spare < 0 or 1 << spare < len(spec["hosts"]):
        size = f"/{networks['host_prefix']}"
        message = f"{found['cluster']} has no subnet of {size} for each of {len(spec['hosts'])} hosts"
        yield Failure((*trail, "host_prefix"), message)
    if found["cluster"].overlaps(found["service"]):
        yield Failure((*trail, "service"), f"{found['service']} overlaps the pods' {found['cluster']}")


def _mirror(spec: Mapping[str, Any]) -> Iterator[Failure]:
    """Sources with their mirrors, as an install-config takes them, and PEM text."""
    mirror, trail = spec.get("mirror"), ("spec", "mirror")
    if mirror is None:
        return
    if set(mirror) - {"sources", "trust"} or not mirror.get("sources"):
        yield Failure(trail, "has two keys: sources, a list that is not empty, and trust, certificates as PEM text")
        return
    if not isinstance(mirror.get("trust", ""), str):
        yield Failure((*trail, "trust"), "must be certificates as PEM text")
    for index, each in enumerate(mirror["sources"]):
        if not isinstance(each, Mapping) or set(each) != {"source", "mirrors"} or not each["mirrors"]:
            yield Failure((*trail, "sources", index), "has two keys: source, and mirrors, a list that is not empty")


def _host(host: Any, index: int) -> Iterator[Failure]:
    trail = ("spec", "hosts", index)
    if not isinstance(host, Mapping):
        yield Failure(trail, "must be an object")
        return
    for key in HOST_REQUIRED:
        if not isinstance(host.get(key), str):
            yield Failure((*trail, key), f"{key} is missing or no text")
    for key in host:
        if key not in (*HOST_REQUIRED, *HOST_OPTIONAL):
            yield Failure((*trail, key), f"there is no key {key!r} here")
    if bool(host.get("bmc")) == bool(host.get("intersight")):
        yield Failure(trail, f"{host.get('name')}: say how to boot it, either bmc or intersight: true")
    if "network" in host:
        yield from judge_network(host["network"], (*trail, "network"), str(host.get("boot_mac")))
    if host.get("role") not in ("master", "worker"):
        yield Failure((*trail, "role"), f"must be master or worker, not {host.get('role')!r}")


def _addresses(spec: Mapping[str, Any]) -> Iterator[Failure]:
    """Every address lies in the machine network, and no two things share one."""
    try:
        network: Network = ipaddress.ip_network(spec["machine_network"])
    except ValueError as wrong:
        yield Failure(("spec", "machine_network"), str(wrong))
        return
    places: list[tuple[tuple[str | int, ...], str]] = [
        (("spec", key), spec[key]) for key in ("api_vip", "ingress_vip", "gateway")
    ]
    places += [(("spec", "hosts", i, "address"), host["address"]) for i, host in enumerate(spec["hosts"])]
    single = sum(host["role"] == "master" for host in spec["hosts"]) == 1
    seen: dict[Any, tuple[str | int, ...]] = {}
    for trail, text in places:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            yield Failure(trail, f"{text!r} is no IP address")
            continue
        if address not in network:
            yield Failure(trail, f"{address} is not in the machine network {network}")
        if address in seen and not single:
            yield Failure(trail, f"{address} is also that of {'.'.join(map(str, seen[address][1:]))}")
        seen[address] = trail


def _roles(spec: Mapping[str, Any]) -> Iterator[Failure]:
    masters = sum(host["role"] == "master" for host in spec["hosts"])
    if masters not in QUORUMS:
        yield Failure(
            ("spec", "hosts"), f"{masters} control-plane hosts make no quorum; have {', '.join(map(str, QUORUMS))}"
        )


def _twice(entries: list[Mapping[str, Any]]) -> Iterator[Failure]:
    macs = Counter(mac for host in entries for mac in {str(host["boot_mac"]).lower(), *addresses(host)})
    for index, host in enumerate(entries):
        for mac in addresses(host):
            if macs[mac] > 1:
                yield Failure(("spec", "hosts", index, "network", "interfaces"), f"{mac} is used by more than one host")
    for key in ("name", "serial", "boot_mac", "bmc"):
        counts = Counter(str(host[key]).lower() for host in entries if host.get(key))
        for index, host in enumerate(entries):
            if host.get(key) and counts[str(host[key]).lower()] > 1:
                yield Failure(("spec", "hosts", index, key), f"{host[key]} is used by more than one host")
