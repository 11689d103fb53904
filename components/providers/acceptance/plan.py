"""What an acceptance run is told: which NICs send to which, over which ports, and what counts as good.

The program derives it and writes it as JSON (`components/design/acceptance`), so that it also stands in the stack's
outputs::

    {"schema": 1, "namespace": "podwright-acceptance", "service_account": "training", "image": "…@sha256:…",
     "seconds": 10, "traffic_class": 106, "gid_index": 3,
     "switches": {"leaf-01": "192.0.2.11"}, "credential": {"user": "admin", "secret": "switch-admin"},
     "tests": [{"name": "leaf-01-rail0", "link_gbps": 400, "minimum_gbps": 360,
                "receiver": {"server": "gpu-05", "rail": 0, "resource": "openshift.io/rail0", "network": "rail0", …},
                "senders": [{"server": "gpu-01", "rail": 0, "resource": "openshift.io/rail0", "network": "rail0"}, …],
                "hops": [{"switch": "leaf-01", "port": "Ethernet1/17"}, …]}]}

`hops` are every switch port that a packet of the test can cross; `link_gbps` is the speed of the receiver's link and
`minimum_gbps` the least sum over all senders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Port = tuple[str, str]
"""Switch and port."""


@dataclass(frozen=True)
class Nic:
    """A rail NIC of a node: the device-plugin resource that hands it out and the network it joins."""

    node: str
    rail: int
    resource: str
    network: str

    def __str__(self) -> str:
        return f"{self.node}:rail{self.rail}"


@dataclass(frozen=True)
class Test:
    """Senders that write to one receiver at once. Rates in Gb/s."""

    name: str
    link_gbps: int
    minimum_gbps: int
    receiver: Nic
    senders: tuple[Nic, ...]
    hops: tuple[Port, ...]


@dataclass(frozen=True)
class Plan:
    """Every test, and what they share. `switches` are management addresses by hostname."""

    namespace: str
    service_account: str
    image: str
    seconds: int
    traffic_class: int
    gid_index: int
    switches: Mapping[str, str]
    user: str
    secret: str
    tests: tuple[Test, ...]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Plan:
        """From the JSON shape above. Raises ValueError for another schema number."""
        if data.get("schema") != 1:
            raise ValueError(f"this release reads acceptance plans of schema 1, not {data.get('schema')}")
        return cls(
            namespace=data["namespace"],
            service_account=data["service_account"],
            image=data["image"],
            seconds=int(data["seconds"]),
            traffic_class=int(data["traffic_class"]),
            gid_index=int(data["gid_index"]),
            switches=dict(data["switches"]),
            user=data["credential"]["user"],
            secret=data["credential"]["secret"],
            tests=tuple(_test(test) for test in data["tests"]),
        )


def _test(data: Mapping[str, Any]) -> Test:
    return Test(
        name=data["name"],
        link_gbps=int(data["link_gbps"]),
        minimum_gbps=int(data["minimum_gbps"]),
        receiver=_nic(data["receiver"]),
        senders=tuple(_nic(sender) for sender in data["senders"]),
        hops=tuple((hop["switch"], hop["port"]) for hop in data["hops"]),
    )


def _nic(data: Mapping[str, Any]) -> Nic:
    return Nic(data["server"], int(data["rail"]), data["resource"], data["network"])
