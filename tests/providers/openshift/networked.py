"""Nodes with a bond under br-ex, and the lab's NMState in memory: a request lets its handlers go a step further."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from podwright.components.providers.openshift import waiting
from podwright.components.providers.openshift.kube import KubeError
from podwright.components.providers.openshift.pools import host_network
from podwright.components.providers.protocol.kind import Context
from podwright.lab.openshift.controller import Surroundings
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.kinds import NETWORK_POLICIES, NODES, PODS
from podwright.lab.openshift.nmstate.operator import HANDLER, NAMESPACE, Nmstate
from podwright.lab.world.inventory import Bond
from tests.lab.openshift.memory_api import MemoryApi, MemoryCache

NAMES = ("gpu-01", "gpu-02", "gpu-03")


def bond(mtu: int = 9000) -> dict[str, Any]:
    options = {"mode": "802.3ad", "port": ["enp1s0", "enp2s0"]}
    return {"name": "bond0", "type": "bond", "state": "up", "mtu": mtu, "link-aggregation": options,
            "ipv4": {"enabled": False, "dhcp": False, "address": []}, "controller": "br-ex"}  # fmt: skip


def vlan(number: int, node: str, base: str = "bond0", **change: Any) -> dict[str, Any]:
    address = [{"ip": f"10.{number}.0.{NAMES.index(node) + 1}", "prefix-length": 24}]
    row = {"name": f"{base}.{number}", "type": "vlan", "state": "up", "mtu": 9000,
           "vlan": {"base-iface": base, "id": number}, "ipv4": {"enabled": True, "dhcp": False, "address": address},
           "ipv6": {"enabled": False}}  # fmt: skip
    return {**row, **change}


class Site:
    """Three nodes with a bond under br-ex, and NMState's handlers of the lab; a request lets them go a step further."""

    def __init__(self, form: str = "kept", nodes: tuple[str, ...] = NAMES, shows: str = "bare") -> None:
        self.api = MemoryApi()
        self.hosts = {name: SimpleNamespace(loses_gateway=False) for name in nodes}
        self.memory = {name: HostMemory(network={"bond0": bond(), "br-ex": bridge()}) for name in nodes}
        self.bonds: dict[str, tuple[Bond, ...]] = {}
        forms = {"nmstate-answers": form, "nmstate-shows": shows, "nic-names": "by-path"}
        world = SimpleNamespace(variants=forms, host=self.hosts.__getitem__, runs=self.bonds.__setitem__)
        around = Surroundings(
            self.api,  # type: ignore[arg-type]
            MemoryCache(self.api),  # type: ignore[arg-type]
            world,  # type: ignore[arg-type]
            lambda name: SimpleNamespace(name=name) if name in self.hosts else None,  # type: ignore[arg-type,return-value]
            SimpleNamespace(apply=lambda _api, _names: []),  # type: ignore[arg-type]
            self.memory,
        )
        self.operator = Nmstate(around)
        self.operator._served = True
        self.away: set[tuple[str, str]] = set()
        for name in nodes:
            self.join(name)

    def join(self, name: str) -> None:
        ready = [{"type": "Ready", "status": "True"}]
        meta = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        self.api.put(NODES.path(None, name), {"metadata": meta, "spec": {}, "status": {"conditions": ready}})
        pod = {"name": f"{HANDLER}-{name}", "namespace": NAMESPACE, "labels": {"app": HANDLER}}
        running = {"phase": "Running", "conditions": ready}
        body = {"metadata": pod, "spec": {"nodeName": name}, "status": running}
        self.api.put(PODS.path(NAMESPACE, f"{HANDLER}-{name}"), body)

    # --- as a provider sees it ---

    async def find(self, path: str) -> Any:
        self.operator._reported_at.clear()
        self.operator.reconcile()
        return self.api.get(path)

    async def get(self, path: str) -> Any:
        found = await self.find(path)
        if found is None:
            raise KubeError(404, {"reason": "NotFound"}, path)
        return found

    async def merge(self, path: str, change: Any) -> Any:
        return self.api.merge(path, change)

    async def remove(self, path: str) -> None:
        self.api.delete(path)

    async def request(self, method: str, path: str, body: Any) -> Any:
        assert method == "POST"
        return self.api.create(path, body)

    # --- what came of it ---

    def interfaces(self, node: str) -> set[str]:
        return set(self.memory[node].network or {}) - {"bond0", "br-ex"}

    def policies(self) -> dict[str, list[str]]:
        found = self.api.listed(NETWORK_POLICIES)
        return {
            each["metadata"]["name"]: [
                row["name"] + (" absent" if row["state"] == "absent" else "")
                for row in each["spec"]["desiredState"]["interfaces"]
            ]
            for each in found
        }

    def order(self) -> list[str]:
        """Nodes in the order in which their policies were written first."""
        written = [path.rpartition("/")[2] for _, path in self.api.writes if "policies" in path]
        return [name.removesuffix("-vlans") for name in dict.fromkeys(written)]


def bridge() -> dict[str, Any]:
    ports = {"port": [{"name": "bond0"}, {"name": "br-ex"}]}
    address = {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.1", "prefix-length": 24}]}
    return {"name": "br-ex", "type": "ovs-interface", "state": "up", "mtu": 9000, "bridge": ports, "ipv4": address}


def spec(*numbers: int, nodes: tuple[str, ...] = NAMES, **change: Any) -> dict[str, Any]:
    rows = {name: [vlan(number, name) for number in numbers] for name in nodes}
    whole = {"schema": 1, "pool": "training", "nodes": list(nodes), "interfaces": rows, "macs": {}}
    return {"spec": {**whole, "max_unavailable": 2, "soak_seconds": 0, **change}, "kubeconfig": "{}"}


def misshapen(value: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    """Fields that a structural schema does not know, lacks, or has of another type."""
    types = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    if schema.get("x-kubernetes-preserve-unknown-fields") and "properties" not in schema:
        return
    if "type" in schema and not isinstance(value, types[schema["type"]]):
        yield f"{where}: {value!r} is no {schema['type']}"
        return
    if isinstance(value, dict):
        yield from (f"{where}.{key} is missing" for key in schema.get("required", ()) if key not in value)
        for key, inner in value.items():
            known = schema.get("properties", {}).get(key) or schema.get("additionalProperties")
            if known:
                yield from misshapen(inner, known, f"{where}.{key}")
            else:
                yield f"{where}.{key} is not known"
    for index, inner in enumerate(value if isinstance(value, list) else ()):
        yield from misshapen(inner, schema["items"], f"{where}[{index}]")


WARNED: list[str] = []
"""What the provider warned of since the site of the test was made."""


def quick(monkeypatch: pytest.MonkeyPatch) -> Context:
    """A context whose waits are short."""
    monkeypatch.setattr(waiting, "LONGEST_PAUSE", 0.002)
    init = waiting.Patience.__init__

    def hasty(self: waiting.Patience, ctx: Context, seconds: float) -> None:
        init(self, ctx, min(seconds, 5.0))
        self._pause = 0.001

    monkeypatch.setattr(waiting.Patience, "__init__", hasty)
    return Context(warn=WARNED.append)


def on(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The provider reaches this site."""
    monkeypatch.setattr(host_network, "_kube", lambda _inputs, _ctx: site)
    WARNED.clear()
    return site
