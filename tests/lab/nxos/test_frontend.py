"""A pair's border link goes down: what the design writes keeps service addresses reachable through the other peer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.design import fabric
from tests.lab.rack import ROOT, Rack

OUTSIDE = "203.0.113.77"
"""A client of the services, somewhere behind the border."""
PEERS = ("front-01", "front-02")
STACK = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]


def stack(backup: bool) -> model.Cluster:
    said = json.loads(json.dumps(STACK))
    if not backup:
        del said["fabric"]["frontend"]["vpc"]["backup"]
    return model.load(said)


def rack(folder: Path, cluster: model.Cluster) -> Rack:
    """The two peers, a border router on each, one server on both; routers stand in the world as servers."""
    plan = fabric.plan(cluster.network)
    near = {name: plan.switch(name) for name in PEERS}
    switches = {
        name: {
            "model": each.model,
            "serial": f"FDO0000000{n}",
            "release": "10.4(5)",
            "management": str(each.management),
        }
        for n, (name, each) in enumerate(near.items(), 1)
    }
    links = [
        link
        for link in plan.links
        if link.device in PEERS and (link.role in ("peer", "uplink") or link.peer == "gpu-01")
    ]
    ports: dict[str, dict[str, int]] = {}
    for link in links:
        if link.peer not in PEERS:
            ports.setdefault(link.peer, {})[link.peer_port] = link.gbps
    servers = {name: host(n, nics) for n, (name, nics) in enumerate(ports.items(), 1)}
    cables = [[f"{link.device}:{link.port}", f"{link.peer}:{link.peer_port}", link.gbps] for link in links]
    path = folder / "world.yaml"
    path.write_text(yaml.safe_dump({"name": "pair", "switches": switches, "servers": servers, "cables": cables}))
    made = Rack(configured=False, path=path)
    for name, each in near.items():
        made.type(name, *each.text().splitlines())
    return made


def host(number: int, nics: dict[str, int]) -> dict[str, Any]:
    return {
        "model": "UCSC-C225-M8N",
        "serial": f"WZP{number:08d}",
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "bmc": f"192.0.2.{100 + number}",
        "address": f"192.0.2.{20 + number}",
        "boot_mac": f"02:00:00:00:00:{number:02x}",
        "cpu": {"vendor": "amd", "sockets": 1, "cores": 32},
        "memory_gib": 128,
        "nics": {
            name: {
                "gbps": gbps,
                "mac": f"02:00:00:01:{number:02x}:{place:02x}",
                "pci": f"0000:0{place}:00.0",
                "device": "1017",
            }
            for place, (name, gbps) in enumerate(nics.items(), 1)
        },
    }


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Rack]:
    made = rack(tmp_path, stack(backup=True))
    yield made
    made.world.close()


def way(rack: Rack, name: str, address: str) -> dict[str, Any] | None:
    """The best way that a switch has to an address."""
    found = json.loads(rack.show(name, f"show ip route {address} | json") or "{}")
    rows = found.get("TABLE_vrf", {}).get("ROW_vrf", {}).get("TABLE_addrf", {}).get("ROW_addrf", {})
    row = rows.get("TABLE_prefix", {}).get("ROW_prefix")
    if not row:
        return None
    path = row["TABLE_path"]["ROW_path"]
    return dict(path[0] if isinstance(path, list) else path)


def follow(rack: Rack, name: str, address: str) -> list[str]:
    """Where a packet goes that a host has sent to this peer: peers, then the router; or it is dropped."""
    taken = [name]
    while (found := way(rack, taken[-1], address)) is not None:
        hop = ip_address(address if found["clientname"] == "direct" else found["ipnexthop"])
        here = rack.devices[taken[-1]]
        for device in PEERS:
            own = (block.value("ip address", "address") for block in rack.devices[device].interfaces().values())
            if any(each and ip_address(each.partition("/")[0]) == hop for each in own):
                taken.append(device)
                break
        else:
            (port,) = (
                port
                for port, block in here.interfaces().items()
                if (text := block.value("ip address", "address")) and hop in ip_network(text, strict=False)
            )
            far = rack.world.neighbor(here.switch.name, port)
            return [*taken, far[0] if far else "nowhere"]
        if len(taken) > 4:
            return [*taken, "in a circle"]
    return [*taken, "dropped"]


def cut(rack: Rack, number: int) -> None:
    rack.world.fault({"kind": "link", "end": f"front-0{number}:Ethernet1/29", "state": "down"})


def test_both_peers_go_out_by_their_own_link(pair: Rack) -> None:
    assert [follow(pair, name, OUTSIDE) for name in PEERS] == [["front-01", "border-01"], ["front-02", "border-02"]]


def test_a_peer_without_its_border_link_goes_by_the_other(pair: Rack) -> None:
    cut(pair, 1)
    assert follow(pair, "front-01", OUTSIDE) == ["front-01", "front-02", "border-02"]
    assert follow(pair, "front-02", OUTSIDE) == ["front-02", "border-02"]
    found = way(pair, "front-01", OUTSIDE)
    assert found is not None
    assert (found["pref"], found["clientname"]) == ("20", "bgp-" + pair_asn("front-01"))


def pair_asn(name: str) -> str:
    return str(stack(backup=True).fabric.frontend.leaves[name].asn)  # type: ignore[union-attr]  # prod has a pair


def test_the_link_to_the_other_router_is_reached_too(pair: Rack) -> None:
    assert follow(pair, "front-01", "10.255.0.2") == ["front-01", "front-02", "border-02"]


def test_without_any_border_link_nothing_goes_in_circles(pair: Rack) -> None:
    cut(pair, 1)
    cut(pair, 2)
    assert [follow(pair, name, OUTSIDE)[-1] for name in PEERS] == ["dropped", "dropped"]


def test_without_a_path_between_the_peers_it_is_dropped(tmp_path: Path) -> None:
    made = rack(tmp_path, stack(backup=False))
    cut(made, 1)
    assert follow(made, "front-01", OUTSIDE) == ["front-01", "dropped"]
    made.world.close()
