"""Rows of two ends on a fabric of production's size: twelve switches changed together, under flows that never pause.

What a row promises is measured: which flows are lost and for how long, and that sessions, routes and ports stand again
afterwards as they stood before.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from podwright.cli.split import fabric_file
from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.nxos.read.health import Health, health_of
from podwright.lab.nxos.session import Session
from podwright.lab.world.traffic import Flow, FlowResult
from tests.e2e.site import ROOT, Site
from tests.lab.nxos.test_frontend import OUTSIDE, PEERS, follow, host
from tests.lab.prepared import prepared
from tests.providers.nxos.rack import Rack, in_order, rack

# Three updates over every switch, each watched: more than 540 s at a load of eleven.
pytestmark = [pytest.mark.e2e, pytest.mark.rough, pytest.mark.timeout(1500)]

APPROVED = {"changes": {"approve": [{"what": "two-ended", "until": "2099-01-01T00:00:00Z"}]}}
RAILS = range(0, 8, 4)
OVER = [Flow(f"gpu-01:rail{n}", f"gpu-02:rail{(n + 1) % 8}", gbps=10) for n in RAILS]
"""From leaf to leaf, over a spine."""
INSIDE = [Flow(f"gpu-03:rail{n}", f"gpu-04:rail{n}", gbps=10) for n in RAILS]
"""Within a leaf: no link between switches carries them."""
EVERY = 1.0
"""Seconds between two looks at the flows."""


@dataclass
class Watch:
    """Looks at the flows and at the way out of the frontend, one after the other, while something is changed."""

    site: Fabric
    started: float = field(default_factory=time.monotonic)
    looks: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    """Looks in which a flow, or a peer's way out, was not there."""

    def __enter__(self) -> Watch:
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self.lasted = time.monotonic() - self.started

    def _run(self) -> None:
        while not self._end.wait(EVERY):
            self.looks += 1
            for kind, flows in (("over", OVER), ("inside", INSIDE)):
                self.lost[kind] += any(lossy(each) for each in self.site.traffic(flows))
            self.lost["out"] += any(not way[-1].startswith("border") for way in self.site.ways_out())

    def seconds(self, kind: str) -> float:
        """For how long one of the kind was not there, by the share of looks."""
        return self.lasted * self.lost[kind] / self.looks


def lossy(result: FlowResult) -> bool:
    return bool(result.drops or result.reason or result.gbps < 9)


class Fabric:
    """A stack of production's network, its switches, and routers behind the frontend."""

    def __init__(self, site: Site, switches: Rack) -> None:
        self.site, self.rack, self.world = site, switches, prepared(switches.leaf.world)
        self.text = site.stack_file.read_text()

    def change(self, changes: Mapping[str, Any]) -> Watch:
        """One update of everything at once, watched; afterwards nothing is left to do and the devices agree."""
        self.site.edit({**changes, **APPROVED})
        with Watch(self) as watched:
            self.site.pulumi("up", "--yes", "--skip-preview")
        self.as_planned()
        return watched

    def as_planned(self) -> None:
        assert self.site.preview() == []
        status = self.site.run([sys.executable, "-m", "podwright.cli", "status", "prod"], check=False)
        assert status.returncode == 0, status.stdout

    def refused(self, changes: Mapping[str, Any]) -> None:
        """Without an approval nothing is begun."""
        self.site.edit(changes)
        self.site.edit({"changes": None})
        done = self.site.pulumi("preview", check=False)
        said = " ".join(f"{done.stdout} {done.stderr}".split())
        assert done.returncode
        assert "two-ended: " in said
        assert "above this stack's limit, disruptive" in said

    def hosts_pause(self, priority: int) -> None:
        """Hosts follow: what their pool's roll-out leads to."""
        for number in range(1, 6):
            self.world.fault({"kind": "nic", "end": f"gpu-0{number}:rail0", "pfc": [priority]})

    def traffic(self, flows: list[Flow]) -> list[FlowResult]:
        return self.world.traffic(flows, 0.01)

    def incast(self, dscp: int) -> list[FlowResult]:
        """Four servers send to a fifth on one rail, more than its port takes."""
        return self.traffic([Flow(f"gpu-0{n}:rail0", "gpu-05:rail0", dscp=dscp) for n in range(1, 5)])

    def show(self, name: str, command: str) -> str:
        return Session(self.rack.side.devices[name], dont_ask=True, quiet=True).run(command)

    def ways_out(self) -> list[list[str]]:
        """Where a packet goes that a host has sent to each peer of the frontend."""
        seen = SimpleNamespace(show=self.show, devices=self.rack.side.devices, world=self.world)
        return [follow(cast(Any, seen), name, OUTSIDE) for name in PEERS]

    def health(self) -> dict[str, Health]:
        asked = ("interface", "ip bgp summary", "ip ospf neighbors", "ip route")
        return {name: health_of(*(self.show(name, f"show {what}") for what in asked)) for name in self.names()}

    def names(self) -> list[str]:
        return list(self.rack.side.devices)

    def configurations(self) -> dict[str, list[str]]:
        """By switch; the lines of a block in order: classes of network-qos come back behind those that stayed, and are
        found by their type. Where the order of classes decides, a preview is not empty."""
        return {name: in_order(self.rack.text_of(name).splitlines(), 0) for name in self.names()}


def counts(health: Mapping[str, Health]) -> dict[str, tuple[int, int, set[str]]]:
    """Sessions whatever their protocol, routes, and ports; the peer link has the number of the vPC domain."""
    return {
        name: (
            len({*each.sessions, *each.adjacencies}),
            each.routes,
            {"peer link" if port in ("port-channel10", "port-channel77") else port for port in each.ports},
        )
        for name, each in health.items()
    }


def cabled(cluster: model.Cluster) -> dict[str, Any]:
    """Production's rack, with a router behind each frontend peer and one server on both."""
    plan = fabric.plan(cluster.network)
    made = world(cluster, plan)
    for link in plan.links:
        if link.device not in PEERS or link.peer not in ("border-01", "border-02", "gpu-01"):
            continue
        known = made["servers"].get(link.peer) or host(200 + len(made["servers"]), {})
        made["servers"][link.peer] = known
        fresh = host(len(made["cables"]) % 250, {link.peer_port: link.gbps})["nics"]
        known["nics"] = {**known["nics"], **fresh}
        made["cables"].append([f"{link.device}:{link.port}", f"{link.peer}:{link.peer_port}", link.gbps])
    return made


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    folder = tmp_path_factory.mktemp("fabric")
    (folder / "rack").mkdir()
    whole = (ROOT / "Pulumi.prod.yaml").read_text()
    with rack(folder / "rack", yaml.safe_dump(cabled(model.load(ROOT / "Pulumi.prod.yaml")))) as switches:
        site = Site(folder / "site", stack="prod")
        site.lay_out(re.sub(" *moved_from: .*\n", "", fabric_file(whole, "", "a/b/c")))
        site.edit({"fabric/rollout": {"canary": "leaf-01", "batch": 6, "soak_seconds": 0}, "protect": False})
        switches.write_reach(site.lab / "reach.json")
        site.init()
        made = Fabric(site, switches)
        for name in made.world.servers:
            made.world.power(name, "On")
        site.pulumi("up", "--yes", "--skip-preview")
        made.as_planned()
        yield made


ROUTING = {
    "fabric/addressing/links": "10.77.0.0/16",
    **{f"fabric/leaves/leaf-0{n}/asn": 64700 + n for n in range(1, 9)},
    **{f"fabric/spines/spine-0{n}/asn": 65009 for n in (1, 2)},
}
CLASSES = {
    "fabric/frontend/vlans/services/id": 31,
    "fabric/frontend/ports/x-series-a/vlans": [10, 20, 31],
    "fabric/frontend/ports/x-series-b/vlans": [10, 20, 31],
    "fabric/lossless/mtu": 9100,
    "fabric/lossless/dscp": 34,
    "fabric/lossless/priority": 4,
    "fabric/frontend/vpc/domain": 77,
}
PROTOCOL = {"fabric/underlay": {"kind": "ospf"}, **{f"fabric/leaves/leaf-0{n}/asn": 65009 for n in range(1, 9)}}


BASELINE = {
    "release": "2026.11",
    "management": ["203.0.113.0/24"],
    "users": {"ops": {"password": "switch-ops"}},
    "snmp_users": {"monitor": {"authentication": "snmp-a", "privacy": "snmp-p"}},
    "bgp_password": {"secret": "fabric-bgp"},
}
CANARIES = {"switch-ops": "Ops-canary-1", "snmp-a": "Sign-canary-2", "snmp-p": "Cipher-canary-3", "fabric-bgp": "Bgp-4"}


def test_a_baseline_is_adopted_rotated_and_given_up_under_flows(standing: Fabric) -> None:
    before, texts = counts(standing.health()), standing.configurations()
    folder = standing.rack.reach.secrets
    assert folder is not None
    for name, value in CANARIES.items():
        (folder / name).write_text(value)

    # Sessions get TTL security and a password at both ends, in one wave; nobody else notices.
    adopted = {"fabric/baseline": BASELINE}
    rotated = {"fabric/baseline": BASELINE | {"bgp_password": {"secret": "fabric-bgp", "generation": 2}}}
    for changes in (adopted, rotated, {"fabric/baseline": None}):
        if changes is rotated:
            (folder / "fabric-bgp").write_text("Bgp-5")
        standing.refused(changes)
        watched = standing.change(changes)
        assert (watched.lost["inside"], watched.lost["out"]) == (0, 0)
        assert watched.lost["over"] * 2 <= watched.looks, "for one push, not for a roll-out"
        assert not any(map(lossy, standing.traffic(OVER)))
        assert counts(standing.health()) == before
        kept = json.dumps(standing.site.export())
        assert [each for each in (*CANARIES.values(), "Bgp-5", "$5$", "localizedkey") if each in kept] == []
        leaf = standing.rack.side.devices["leaf-01"]
        assert leaf.check_password("ops", CANARIES["switch-ops"]) is (
            "baseline" in standing.site.stack_file.read_text()
        )
    assert standing.configurations() == texts


def test_rows_of_two_ends_keep_what_they_promise_on_twelve_switches(standing: Fabric) -> None:
    before, texts = counts(standing.health()), standing.configurations()
    assert len(texts) == 12
    assert not any(map(lossy, standing.traffic(OVER + INSIDE)))

    # AS numbers and link addresses: sessions go and come again; what stays in a leaf, or leaves the frontend, does not.
    watched = standing.change(ROUTING)
    assert (watched.lost["inside"], watched.lost["out"]) == (0, 0)
    assert watched.lost["over"] * 2 <= watched.looks, "for one push, not for a roll-out"
    assert not any(map(lossy, standing.traffic(OVER)))
    assert counts(standing.health()) == before

    # What packets are classed and bundled by, and a VLAN's number: what does not queue is never lost.
    standing.refused(CLASSES)
    watched = standing.change(CLASSES)
    assert watched.lost.total() == 0, watched
    assert counts(standing.health()) == before
    # Hosts are ends too: the class is lossy until they mark and pause as the switches do.
    assert all("goes to qos-group 0" in each.reason for each in standing.incast(26))
    assert all("the NIC has no pause on priority 4" in each.reason for each in standing.incast(34))
    standing.hosts_pause(4)
    assert not any(each.drops for each in standing.incast(34))

    # Another protocol below: adjacencies in place of sessions, as many as there were.
    watched = standing.change(PROTOCOL)
    assert (watched.lost["inside"], watched.lost["out"]) == (0, 0)
    assert watched.lost["over"] * 2 <= watched.looks
    assert not any(map(lossy, standing.traffic(OVER)))
    assert {name: row[2] for name, row in counts(standing.health()).items()} == {n: row[2] for n, row in before.items()}

    # All of it back at once.
    standing.site.stack_file.write_text(standing.text)
    watched = standing.change({})
    assert (watched.lost["inside"], watched.lost["out"]) == (0, 0)
    standing.hosts_pause(3)
    assert not any(each.drops for each in standing.incast(26))
    assert counts(standing.health()) == before
    assert standing.configurations() == texts

    # The frontend stays reachable over what is left: without a border link by the other peer, without a peer at all.
    standing.world.fault({"kind": "link", "end": "front-01:Ethernet1/29", "state": "down"})
    assert standing.ways_out() == [["front-01", "front-02", "border-02"], ["front-02", "border-02"]]
    standing.world.fault({"kind": "switch", "switch": "front-01", "state": "down"})
    assert standing.ways_out()[1] == ["front-02", "border-02"]
