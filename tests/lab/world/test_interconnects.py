"""Blades behind a pair of Fabric Interconnects: paths, MAC addresses at the frontend pair, one fabric at a time."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ntc_templates.parse import parse_output

from podwright.lab.nxos.links import station
from podwright.lab.world.interconnects import Ports, carrier
from podwright.lab.world.inventory import FABRICS, Vnic
from podwright.lab.world.model import World, WorldError
from podwright.lab.world.state import snapshot
from podwright.lab.world.traffic import Flow, FlowResult
from tests.lab.rack import Rack

PORTS = Ports(
    server=frozenset({"Ethernet1/9", "Ethernet1/10"}),
    uplink=frozenset({"Ethernet1/1", "Ethernet1/2"}),
    vlans=frozenset({10, 20}),
    mtu=9216,
    bundled=frozenset({"Ethernet1/1"}),
    deployed=True,
)
FRONT = """
feature lacp
vlan 10,20
interface Ethernet1/17-18
switchport
switchport mode trunk
switchport trunk allowed vlan 10,20
mtu 9216
no shutdown
interface Ethernet1/35
switchport
switchport mode trunk
mtu 9216
no shutdown
"""


def server(number: int) -> dict[str, Any]:
    return {
        "model": "UCSX-210C-M7",
        "serial": f"FCH0000000{number}",
        "uuid": f"00000000-0000-4000-8000-00000000000{number}",
        "bmc": f"192.0.2.10{number}",
        "boot_mac": f"02:25:b5:00:00:0{number}",
        "intersight": True,
        "cpu": {"vendor": "intel", "sockets": 2, "cores": 32},
    }


def file() -> dict[str, Any]:
    switches = {
        f"front-0{n}": {
            "model": "N9K-C93600CD-GX", "serial": f"FDO0000000{n}", "release": "10.4(5)",
            "management": f"192.0.2.{n}",
        }
        for n in (1, 2)
    }  # fmt: skip
    cables = [["front-01:Ethernet1/35", "front-02:Ethernet1/35", 400]]
    for fabric, port in (("a", 17), ("b", 18)):
        cables += [[f"front-0{n}:Ethernet1/{port}", f"x-{fabric}:Ethernet1/{n}", 100] for n in (1, 2)]
        cables += [[f"x-{fabric}:Ethernet1/{n}", f"box:{fabric.upper()}{n - 8}", 100] for n in (9, 10)]
    box = {"serial": "FOX00000001", "slots": {1: "b-1", 2: "b-2"}}
    domain = {"model": "UCS-FI-6536", "serials": {"A": "FDO000000A1", "B": "FDO000000B1"}, "power": "feed-1"}
    return {
        "name": "x",
        "switches": switches,
        "servers": {f"b-{n}": server(n) for n in (1, 2)},
        "domains": {"x": {**domain, "chassis": {"box": box}}},
        "cables": cables,
        "timing": {"post_seconds": 0.01},
    }


def vnics(number: int, failover: bool = False) -> dict[str, Vnic]:
    return {
        f"eth{n}": Vnic(
            f"eth{n}", 100, f"02:25:B5:00:0{n}:0{number}", fabric=fabric, vlans=frozenset({10, 20}), native=10,
            failover=failover, mtu=9000,
        )
        for n, fabric in enumerate(FABRICS)
    }  # fmt: skip


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Rack]:
    path = tmp_path / "world.yaml"
    path.write_text(yaml.safe_dump(file()))
    made = Rack(configured=False, path=path)
    for name in ("front-01", "front-02"):
        made.type(name, *FRONT.strip().splitlines())
    for number in (1, 2):
        made.world.put_vnics(f"b-{number}", vnics(number))
        made.world.power(f"b-{number}", "On")
    for name in ("x-a", "x-b"):
        made.world.configure_interconnect(name, PORTS)
    yield made
    made.world.close()


def sent(rack: Rack, source: str, target: str, **more: Any) -> FlowResult:
    (result,) = rack.world.traffic([Flow(source, target, gbps=50, **more)], 1)
    return result


def learned(rack: Rack, switch: str) -> set[str]:
    return set(
        re.findall(r"[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}", rack.show(switch, "show mac address-table dynamic"))
    )


def test_blades_of_one_fabric_meet_in_their_interconnect(rack: Rack) -> None:
    result = sent(rack, "b-1:eth0", "b-2:eth0")
    assert result.gbps > 45 and [end.partition(":")[0] for end in result.path] == ["b-1", "x-a", "x-a", "b-2"]


def test_from_fabric_a_to_fabric_b_it_goes_over_the_frontend(rack: Rack) -> None:
    result = sent(rack, "b-1:eth0", "b-2:eth1")
    devices = [end.partition(":")[0] for end in result.path]
    assert result.gbps > 45 and devices[:3] == ["b-1", "x-a", "x-a"] and devices[-3:] == ["x-b", "x-b", "b-2"]
    assert set(devices[3:-3]) <= {"front-01", "front-02"} and devices[3:-3]
    rack.world.fault({"kind": "link", "end": f"x-b:{result.path[-3].partition(':')[2]}", "state": "down"})
    detour = sent(rack, "b-1:eth0", "b-2:eth1")
    assert detour.gbps > 45 and "front-01" in str(detour.path) and "front-02" in str(detour.path)


def test_an_unconfigured_interconnect_carries_nothing(rack: Rack) -> None:
    rack.world.configure_interconnect("x-a", Ports())
    assert "no link from box to a server port of x-a" in sent(rack, "b-1:eth0", "b-2:eth0").reason
    rack.world.configure_interconnect("x-a", Ports(server=PORTS.server, vlans=PORTS.vlans))
    assert "no uplink of x-a is up" in sent(rack, "b-1:eth0", "b-2:eth0").reason
    rack.world.configure_interconnect("x-a", Ports(server=PORTS.server, uplink=PORTS.uplink))
    assert "VLAN 10 is not configured on x-a" in sent(rack, "b-1:eth0", "b-2:eth0").reason


def test_a_fault_on_a_leaves_b(rack: Rack) -> None:
    assert learned(rack, "front-01") == {"0225.b500.0001", "0225.b500.0002", "0225.b500.0101", "0225.b500.0102"}
    for fault in (
        [{"kind": "interconnect", "interconnect": "x-a", "state": "down"}],
        [{"kind": "link", "end": f"x-a:Ethernet1/{n}", "state": "down"} for n in (1, 2)],
        [{"kind": "link", "end": f"box:A{n}", "state": "down"} for n in (1, 2)],
    ):
        for each in fault:
            rack.world.fault(each)
        assert learned(rack, "front-01") == learned(rack, "front-02") == {"0225.b500.0101", "0225.b500.0102"}
        assert sent(rack, "b-1:eth1", "b-2:eth1").gbps > 45
        assert sent(rack, "b-1:eth0", "b-2:eth0").gbps == 0
        for each in fault:
            rack.world.fault({**each, "state": "up"})
    assert len(learned(rack, "front-02")) == 4


def test_one_link_of_two_is_enough(rack: Rack) -> None:
    rack.world.fault({"kind": "link", "end": "x-a:Ethernet1/1", "state": "down"})
    rack.world.fault({"kind": "link", "end": "box:A2", "state": "down"})
    result = sent(rack, "b-1:eth0", "b-2:eth1")
    assert result.path[1:4] == ["x-a:Ethernet1/9", "x-a:Ethernet1/2", "front-02:Ethernet1/17"]


def test_an_interconnect_in_the_chassis_needs_no_cable_to_its_blades(tmp_path: Path) -> None:
    data = file()
    data["domains"]["x"]["model"] = "UCSX-S9108-100G"
    data["cables"] = [cable for cable in data["cables"] if "box" not in cable[1]]
    path = tmp_path / "world.yaml"
    path.write_text(yaml.safe_dump(data))
    rack = Rack(configured=False, path=path)
    for name in ("front-01", "front-02"):
        rack.type(name, *FRONT.strip().splitlines())
    for number in (1, 2):
        rack.world.put_vnics(f"b-{number}", vnics(number))
    assert "no link from box to a server port" in sent(rack, "b-1:eth0", "b-2:eth1").reason
    for name in ("x-a", "x-b"):
        rack.world.configure_interconnect(name, Ports(uplink=PORTS.uplink, vlans=PORTS.vlans, mtu=9216, deployed=True))
    assert sent(rack, "b-1:eth0", "b-2:eth1").gbps > 45
    assert sent(rack, "b-1:eth0", "b-2:eth0").path[1:3] == ["x-a:midplane", "x-a:midplane"]


def test_failover_moves_a_nic_to_the_other_fabric(rack: Rack) -> None:
    rack.world.put_vnics("b-1", vnics(1, failover=True))
    nic = rack.world.servers["b-1"].nics["eth0"]
    assert isinstance(nic, Vnic) and carrier(rack.world, "b-1", nic) == "A"
    rack.world.fault({"kind": "interconnect", "interconnect": "x-a", "state": "down"})
    assert carrier(rack.world, "b-1", nic) == "B" and "0225.b500.0001" in learned(rack, "front-01")
    assert snapshot(rack.world)["servers"]["b-1"]["fabrics"] == {"eth0": "B", "eth1": "B"}
    assert snapshot(rack.world)["servers"]["b-2"]["fabrics"] == {"eth0": None, "eth1": "B"}


def test_an_interconnect_hangs_on_its_feeds(rack: Rack) -> None:
    found = rack.world.fault({"kind": "power-feed", "feed": "feed-1", "state": "down"})
    assert found["interconnects"] == ["x-a", "x-b"] and sent(rack, "b-1:eth1", "b-2:eth1").gbps == 0


def test_a_vlan_that_the_switch_does_not_allow_stops_there(rack: Rack) -> None:
    rack.type("front-01", "interface Ethernet1/17-18", "switchport trunk allowed vlan 20")
    rack.type("front-02", "interface Ethernet1/17-18", "switchport trunk allowed vlan 20")
    assert "VLAN 10 is not allowed there" in sent(rack, "b-1:eth0", "b-2:eth1").reason
    assert learned(rack, "front-01") == set()


def test_a_blade_without_power_is_not_learned(rack: Rack) -> None:
    rack.world.power("b-1", "ForceOff")
    time.sleep(0.02)
    assert learned(rack, "front-01") == {"0225.b500.0002", "0225.b500.0102"}
    assert sent(rack, "b-1:eth0", "b-2:eth0").reason == "b-1 is switched off"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d["domains"]["x"]["serials"].pop("B"), "has two interconnects, A and B"),
        (lambda d: d["domains"]["x"]["chassis"]["box"]["slots"].update({9: "b-1"}), "slots 1 to 8"),
        (lambda d: d["domains"]["x"]["chassis"]["box"]["slots"].update({3: "b-9"}), "no server named 'b-9'"),
        (lambda d: d["domains"]["x"]["chassis"]["box"]["slots"].update({3: "b-1"}), "b-1 is in box slot 1 already"),
        (lambda d: d["cables"].append(["x-a:Ethernet1/30", "box:C1", 100]), "ports A1 to A8 and B1 to B8"),
        (lambda d: d["switches"].update({"x-a": d["switches"]["front-01"]}), "x-a is the name of two things"),
        (lambda d: d["domains"]["x"].update(colour="red"), "unknown key 'colour'"),
    ],
)
def test_a_domain_that_cannot_be_built_is_named(tmp_path: Path, change: Any, sentence: str) -> None:
    data = file()
    change(data)
    path = tmp_path / "world.yaml"
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(WorldError, match=sentence):
        World.load(path)


BUNDLE = [
    "feature lldp",
    "interface port-channel117",
    "switchport",
    "switchport mode trunk",
    "switchport trunk allowed vlan 10,20",
    "mtu 9216",
    "interface Ethernet1/17",
    "channel-group 117 mode active",
]


def neighbors(rack: Rack, switch: str) -> dict[str, tuple[str, str]]:
    said = rack.show(switch, "show lldp neighbors detail")
    parsed = parse_output(platform="cisco_nxos", command="show lldp neighbors detail", data=said)
    return {each["local_interface"]: (each["neighbor_name"], each["neighbor_interface"]) for each in parsed}


def test_a_switch_sees_the_interconnects_on_its_ports_by_lldp_and_who_bundles_by_lacp(rack: Rack) -> None:
    rack.type("front-01", "feature lldp")
    assert neighbors(rack, "front-01") == {"Eth1/17": ("x-A", "Eth1/1"), "Eth1/18": ("x-B", "Eth1/1")}
    assert json.loads(rack.show("front-01", "show lldp neighbors | json"))["neigh_count"] == "2"
    rack.type("front-01", *BUNDLE)
    (line,) = re.findall(r"^Eth1/17 .*$", rack.show("front-01", "show lacp neighbor"), re.MULTILINE)
    assert line.split()[1:3] == ["32768," + station("FDO000000A1").replace(".", "-"), "0x101"]
    assert line.endswith("SA")
    rack.world.fault({"kind": "link", "end": "x-b:Ethernet1/1", "state": "down"})
    assert set(neighbors(rack, "front-01")) == {"Eth1/17"}


def test_a_port_without_the_role_of_an_uplink_says_nothing_and_one_that_is_not_bundled_speaks_no_lacp(
    rack: Rack,
) -> None:
    rack.type("front-02", *BUNDLE)
    assert "Eth1/17" not in rack.show("front-02", "show lacp neighbor"), "port 2 of x-A is an uplink of its own"
    server = PORTS.server | PORTS.uplink
    rack.world.configure_interconnect("x-a", Ports(server=server, deployed=True))
    assert set(neighbors(rack, "front-02")) == {"Eth1/18"}


def test_interconnects_may_say_nothing(rack: Rack) -> None:
    rack.type("front-01", *BUNDLE)
    rack.world.variants["uplinks"] = "silent"
    assert neighbors(rack, "front-01") == {}
    assert "Eth1/17 " in rack.show("front-01", "show lacp neighbor")
