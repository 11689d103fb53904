"""What an acceptance run is told: which NICs send to which, over which ports, and what counts as good.

The program derives it and writes it as JSON (`components/design/acceptance`), so that it also stands in the stack's
outputs::

    {"schema": 1, "namespace": "podwright-acceptance", "service_account": "training", "image": "…@sha256:…",
     "seconds": 10, "traffic_class": 106, "gid_index": 3, "notifications": {"dscp": 48, "group": 7},
     "switches": {"leaf-01": "192.0.2.11"}, "credential": {"user": "admin", "secret": "switch-admin"},
     "tests": [{"name": "leaf-01-rail0", "link_gbps": 400, "minimum_gbps": 360,
                "receiver": {"server": "gpu-05", "rail": 0, "resource": "openshift.io/rail0", "network": "rail0", …},
                "senders": [{"server": "gpu-01", "rail": 0, "resource": "openshift.io/rail0", "network": "rail0"}, …],
                "hops": [{"switch": "leaf-01", "port": "Ethernet1/17"}, …],
                "spare_senders": ["gpu-07:rail0", …], "spare_receivers": ["gpu-07:rail0", …]}],
     "nics": {"gpu-07:rail0": {"server": "gpu-07", "rail": 0, …, "leaf": "leaf-01", "port": "Ethernet1/25"}, …}}

`hops` are every switch port that a packet of the test can cross; spares, by name, take over from NICs in use;
`link_gbps` is the speed of the receiver's link and `minimum_gbps` the least sum over all senders.
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
    port: Port = ("", "")
    """The leaf's port that it is cabled to."""

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
    spare_senders: tuple[Nic, ...] = ()
    spare_receivers: tuple[Nic, ...] = ()


@dataclass(frozen=True)
class Notifications:
    """What receivers mark congestion notifications with, and the QoS group that switches send those in."""

    dscp: int
    group: int


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
    notifications: Notifications | None = None
    """None: a plan of an earlier release, whose notifications nobody looks for."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Plan:
        """From the JSON shape above. Raises ValueError for another schema number."""
        if data.get("schema") != 1:
            raise ValueError(f"this release reads acceptance plans of schema 1, not {data.get('schema')}")
        nics = {name: _nic(nic) for name, nic in (data.get("nics") or {}).items()}
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
            tests=tuple(_test(test, nics) for test in data["tests"]),
            notifications=Notifications(**known) if (known := data.get("notifications")) else None,
        )


def _test(data: Mapping[str, Any], nics: Mapping[str, Nic]) -> Test:
    return Test(
        name=data["name"],
        link_gbps=int(data["link_gbps"]),
        minimum_gbps=int(data["minimum_gbps"]),
        receiver=_nic(data["receiver"]),
        senders=tuple(_nic(sender) for sender in data["senders"]),
        hops=tuple((hop["switch"], hop["port"]) for hop in data["hops"]),
        spare_senders=tuple(nics[name] for name in data.get("spare_senders") or ()),
        spare_receivers=tuple(nics[name] for name in data.get("spare_receivers") or ()),
    )


def _nic(data: Mapping[str, Any]) -> Nic:
    port = (str(data.get("leaf") or ""), str(data.get("port") or ""))
    return Nic(data["server"], int(data["rail"]), data["resource"], data["network"], port)
