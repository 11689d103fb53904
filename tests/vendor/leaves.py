"""Leaves of NVIDIA's manifests, dropped one by one as those of our own plans are.

A gate that finds something in the manifests as they are counts only for what it finds beside that.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from podwright.lab.world.model import World
from tests.lab.openshift.manifests import OPERATORS, operator
from tests.lab.openshift.rack import RAILS, Rack, world_file
from tests.leaves import gates
from tests.leaves.dropping import Leaf
from tests.leaves.reading import at, entries, title
from tests.platforms.planned import Object, of_kind
from tests.platforms.published import Published
from tests.platforms.served import Served
from tests.vendor import manifests

UNKNOWN: Final = (
    ("spec", "kataSandboxDevicePlugin"), ("spec", "sandboxWorkloads", "mode"), ("spec", "cdi", "nriPluginEnabled"),
    ("spec", "driver", "licensingConfig", "secretName"),
)  # fmt: skip
"""Fields of the bundle's ClusterPolicy that are newer than the lab's definition: nobody here can notice them."""
OPENSHIFT: Final = "4.22.0"
_HOMES: Final = (
    "openshift-sriov-network-operator", "nvidia-maintenance-operator", "nvidia-network-operator", "openshift-nfd",
    manifests.NAMESPACE,
)  # fmt: skip


class _Racked(Rack):
    """A rack of which the inventory alone is asked: nothing runs."""

    def __init__(self, folder: Path) -> None:
        self.world = World.load(world_file(folder / "world.yaml", workers=("NVIDIA-H200",) * 3))


def objects(where: Path, folder: Path) -> list[Object]:
    """The kit's objects, the bundle's ClusterPolicy, and the namespaces that their guides make."""
    rack = _Racked(folder)
    try:
        given = manifests.inventory(rack)
    finally:
        rack.world.close()
    found = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in _HOMES]
    for name, made in manifests.network(where, given, folder):
        found += [each for each in made if name]
    policy = copy.deepcopy(manifests.cluster_policy(where))
    for *steps, last in UNKNOWN:
        at(policy, *steps).pop(last, None)
    return [*found, policy]


class Judged:
    """The gates, with what they find in the manifests as they are."""

    def __init__(self, planned: list[Object], served: Served, published: Published) -> None:
        self._planned, self._served, self._published = planned, served, published
        self._findings = frozenset(gates.findings(planned))
        self._sentences = frozenset(sentences(planned))
        self.refused = [*served.refusals(planned), *published.refusals(map(_asked, planned), OPENSHIFT)]
        """What is refused as it is."""

    def gate(self, leaf: Leaf) -> str:
        """The first gate that misses a leaf; empty where none does."""
        now = leaf.dropped(self._planned)
        if set(self._served.refusals([now[leaf.at]])) - set(self.refused):
            return gates.API
        if set(self._published.refusals([_asked(now[leaf.at])], OPENSHIFT)) - set(self.refused):
            return gates.SCHEMA
        rules = (rule for rule, words in gates.findings(now, leaf.at) if (rule, words) not in self._findings)
        new = (words.partition(":")[0] for words in sentences(now) if words not in self._sentences)
        return next(rules, "") or next(new, "")


def _asked(found: Object) -> Object:
    """An object for published schemas, with the one required field that the manifest leaves to the API server."""
    if found["kind"] == "ClusterPolicy":
        spec = found["spec"]
        return {**found, "spec": {**spec, "operator": {"defaultRuntime": "crio", **(spec.get("operator") or {})}}}
    return {**found, "priority": 0} if found["kind"] == "SecurityContextConstraints" else found


def sentences(planned: list[Object]) -> Iterator[str]:
    """What our gates and those for what only their manifests have find."""
    yield from gates.incoherent(planned)
    yield from (f"vendor.addressed: {words}" for words in addressed(planned))
    yield from (f"vendor.run: {words}" for words in run(planned))
    yield from (f"vendor.exchanged: {words}" for words in exchanged(planned))


def addressed(planned: list[Object]) -> Iterator[str]:
    """Every node of the inventory has addresses on every rail, from the pool that its network names."""
    pools = {each["metadata"]["name"]: each for each in of_kind(planned, "IPPool")}
    hosts: set[str] = set()
    for each in pools.values():
        hosts |= set(_hosts(each))
    for each in pools.values():
        yield from (f"{title(each)} has nothing for {host}" for host in sorted(hosts - set(_hosts(each))))
    for each in of_kind(planned, "SriovNetwork"):
        if not any(name in str(at(each, "spec", "ipam")) for name in pools):
            yield f"{title(each)} has no addresses"
        if at(each, "spec", "networkNamespace") != manifests.NAMESPACE:
            yield f"{title(each)} is for pods of another namespace"
    for each in of_kind(planned, "SriovNetworkPoolConfig"):
        rows = entries(each, "spec", "nodeSelector", "matchExpressions")
        known = {host for row in rows for host in entries(row, "values")}
        yield from (f"{title(each)} drains {host} whenever it likes" for host in sorted(hosts - known))


def _hosts(pool: Object) -> Iterator[str]:
    for term in entries(pool, "spec", "nodeSelector", "nodeSelectorTerms"):
        for row in entries(term, "matchExpressions"):
            yield from entries(row, "values")


def run(planned: list[Object]) -> Iterator[str]:
    """Images are whole, and the kit's own pods may do what they do."""
    for each in planned:
        parts: list[Any] = {
            "NicClusterPolicy": [at(each, "spec", "nvIpam")],
            "ClusterPolicy": [part for part in (each.get("spec") or {}).values() if at(part, "repository")],
        }.get(each["kind"], [])
        for part in parts:
            if not all(at(part, key) for key in ("repository", "image", "version")):
                yield f"{title(each)}: no image {part}"
    for each in of_kind(planned, "SecurityContextConstraints"):
        allowed = set(entries(each, "allowedCapabilities"))
        if not {"IPC_LOCK", "NET_RAW"} <= allowed:
            yield f"{title(each)}: the pods of the kit's validation have both capabilities"
        volumes = set(entries(each, "volumes"))
        if not {"configMap", "downwardAPI", "emptyDir", "projected", "secret"} <= volumes:
            yield f"{title(each)} admits fewer volumes than any other constraints of OpenShift: {sorted(volumes)}"


def exchanged(planned: list[Object]) -> Iterator[str]:
    """Another version of a driver reaches its nodes, each of them emptied before."""
    for each in of_kind(planned, "NicNodePolicy"):
        for row in entries(each, "spec", "ofedDriver", "env"):
            if not row.get("name") or not row.get("value"):
                yield f"{title(each)}: {row} sets nothing"
        upgrade = at(each, "spec", "ofedDriver", "upgradePolicy") or {}
        drain = upgrade.get("drain") or {}
        if upgrade.get("autoUpgrade") and not all(drain.get(key) for key in ("enable", "force", "deleteEmptyDir")):
            yield f"{title(each)}: a driver is exchanged under pods, or its node is never empty"
        if not upgrade.get("autoUpgrade"):
            yield f"{title(each)}: another version reaches no node that has one"
    for each in of_kind(planned, "ClusterPolicy"):
        if at(each, "spec", "driver", "upgradePolicy", "autoUpgrade") is not True:
            yield f"{title(each)}: another version reaches no node that has one"


def up(rack: Rack, planned: list[Object]) -> None:
    """Operators are subscribed to, every object is taken, and GPUs and lossless functions are there."""
    for package in OPERATORS:
        rack.apply(*operator(package))
        rack.approve(package)
    for each in planned:
        kind = str(each["kind"]).lower()
        rack.wait(kind, lambda kind=kind: _served(rack, kind), 60)  # type: ignore[misc]
        rack.apply(each)
    gpus = [name for name, server in rack.world.servers.items() if server.gpus]
    nics = [rack.world.servers[name].nics[f"rail{rail}"] for name in gpus for rail in range(RAILS)]
    rack.wait("GPUs", lambda: all(rack.allocatable(name, "nvidia.com/gpu") == 8 for name in gpus), 120)

    def offered() -> bool:
        wanted = [f"openshift.io/{manifests.RESOURCE}_rail_{rail}" for rail in range(RAILS)]
        return all(rack.allocatable(name, resource) == 1 for name in gpus for resource in wanted)

    rack.wait("functions", offered, 240)
    rack.wait("a class", lambda: all(nic.trust_dscp and nic.pfc == {3} and nic.mtu == 9000 for nic in nics), 60)


def _served(rack: Rack, kind: str) -> bool:
    return "the server doesn't have a resource type" not in rack.kubectl("get", kind, "-A", check=False)
