"""Sums of a plan compared with the file's, worked out here: processors, huge pages, functions, quotas, addresses."""

from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from itertools import combinations
from json import loads
from typing import Any

from tests.platforms.nodes import HARDWARE, gpus, has_two_threads, numbers, ports
from tests.platforms.planned import Object, of_kind


def wrong(file: dict[str, Any], found: list[Object]) -> list[str]:
    """What does not agree, one sentence each."""
    return [*_profiles(file, found), *_functions(file, found), *_quotas(file, found), *_addresses(file, found)]


def _profiles(file: dict[str, Any], found: list[Object]) -> Iterator[str]:
    """Reserved and isolated processors are all of them, none twice, and both threads of a core in one list."""
    planned = {each["metadata"]["name"]: each["spec"] for each in of_kind(found, "PerformanceProfile")}
    wanted = {name for name, pool in file["pools"].items() if pool.get("hugepages_gib")}
    if set(planned) != wanted:
        yield f"profiles of {sorted(planned)}, huge pages in {sorted(wanted)}"
    for name, spec in planned.items():
        server = next(each for each in file["servers"].values() if each["pool"] == name)
        cores = server.get("cores", HARDWARE[server["model"]][0])
        threads = cores * (2 if has_two_threads(name, file) else 1)
        reserved, isolated = numbers(spec["cpu"]["reserved"]), numbers(spec["cpu"]["isolated"])
        if reserved & isolated or reserved | isolated != set(range(threads)):
            yield f"profile {name}: {spec['cpu']} are not the {threads} threads, each once"
        if {each % cores for each in reserved} & {each % cores for each in isolated}:
            yield f"profile {name}: a core is in both lists"
        pages = {each["size"]: each["count"] for each in spec["hugepages"]["pages"]}
        if pages != {"1G": file["pools"][name]["hugepages_gib"]}:
            yield f"profile {name}: huge pages {pages}"


def _functions(file: dict[str, Any], found: list[Object]) -> Iterator[str]:
    """A policy for each rail of each pool on the rails, for the NIC of that rail and no other."""
    policies = {
        (each["spec"]["nodeSelector"]["podwright.io/pool"], each["spec"]["resourceName"], address)
        for each in of_kind(found, "SriovNetworkNodePolicy")
        for address in each["spec"]["nicSelector"]["rootDevices"]
    }
    railed = {name for name, pool in file["pools"].items() if pool.get("rails")}
    wanted = {
        (server["pool"], f"rail{rail}", address)
        for server in file["servers"].values()
        if server["pool"] in railed
        for rail, address in enumerate(ports(server))
    }
    if policies != wanted:
        yield f"policies {sorted(policies - wanted)} too many, {sorted(wanted - policies)} missing"


def _quotas(file: dict[str, Any], found: list[Object]) -> Iterator[str]:
    """Of what the file gives a team, and nothing of whatever else a server hands out: what has no key has no limit."""
    planned = {each["metadata"]["namespace"]: each["spec"]["hard"] for each in of_kind(found, "ResourceQuota")}
    handed = {what for each in file["servers"].values() for what in gpus(each, file["pools"].get(each["pool"], {}))}
    none = {f"requests.{what}": "0" for what in handed}
    wanted = {
        name: none
        | {"requests.nvidia.com/gpu": str(team["gpus"])}
        | {f"requests.nvidia.com/mig-{profile.replace('+', '.')}": str(n) for profile, n in team["slices"].items()}
        | {f"requests.nvidia.com/{_shared(what)}": str(n) for what, n in team["shares"].items()}
        for name, team in file["openshift"]["teams"].items()
    }
    if planned != wanted:
        yield f"quotas {planned}, teams {wanted}"


def _shared(what: str) -> str:
    return "gpu.shared" if what == "gpu" else f"mig-{what.replace('+', '.')}.shared"


def _addresses(file: dict[str, Any], found: list[Object]) -> Iterator[str]:
    """No two rails share an address; no pod is given a server's or the leaf's."""
    ranges: dict[tuple[str, str], IPv4Network] = {}
    for each in of_kind(found, "SriovNetwork"):
        ipam = loads(each["spec"]["ipam"])
        if ipam["type"] != "whereabouts":
            continue
        name = each["metadata"]["name"].removeprefix(f"{each['spec']['networkNamespace']}-")
        network = IPv4Network(ipam["range"])
        if ranges.setdefault(("", name), network) != network:
            yield f"{name} has {network} and {ranges['', name]}"
        held = [IPv4Network(one) for one in ipam["exclude"]]
        indexes = [s["index"] for s in file["servers"].values() if f"group{s.get('group')}-" in name]
        for index in indexes:
            own = network.network_address + index
            if not any(own in one for one in held):
                yield f"{name}: {own}, which is a server's, is given to pods"
    for (one, first), (other, second) in combinations(ranges.items(), 2):
        if first.overlaps(second):
            yield f"{one[1]} and {other[1]} share addresses"
    links = [ip_network(a["prefix"]) for each in of_kind(found, "CIDRPool") for a in each["spec"]["staticAllocations"]]
    if len(set(links)) != len(links):
        yield "two nodes have one link"
