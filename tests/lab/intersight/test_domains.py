"""From an unconfigured pair of interconnects to blades with a path: roles, discovery, vNICs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.intersight.blades import WORLD, deployed, discovered, port, profile, summaries
from tests.lab.intersight.conftest import Bench
from tests.lab.rack import Rack
from tests.waiting import until


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, WORLD)
    bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
    yield bench
    bench.close()


def test_a_pair_is_one_device_and_no_port_has_a_role(domain: Bench) -> None:
    (device,) = domain.client.list("asset/DeviceRegistrations", filter="PlatformType eq 'UCSFIISM'")
    assert sorted(device["Serial"]) == ["FDO000000A1", "FDO000000B1"]
    ports = domain.client.list("ether/PhysicalPorts")
    assert len(ports) == 72 and {(p["Role"], p["OperState"], p["AdminState"]) for p in ports} == {
        ("unknown", "down", "Disabled")
    }
    assert summaries(domain, "FCH00000001") == [] and domain.client.list("equipment/Chasses") == []
    assert summaries(domain, "WZP00000021")[0]["Lifecycle"] == "Active"


def test_only_chassis_on_server_ports_are_found(domain: Bench) -> None:
    deployed(domain)
    blade = discovered(domain, "FCH00000001")
    assert (blade["ChassisId"], blade["SlotId"], blade["Name"]) == ("1", 3, "x-1-3")
    (chassis,) = domain.client.list("equipment/Chasses")
    assert chassis["Serial"] == "FOX00000001" and len(chassis["Ioms"]) == 2 and len(chassis["Blades"]) == 1
    own = domain.client.get(f"asset/DeviceRegistrations/{blade['RegisteredDevice']['Moid']}")
    assert own["PlatformType"] == "IMCBlade" and own["ParentConnection"]["Moid"]
    assert summaries(domain, "FCH00000002") == []
    assert (port(domain, "A", 9)["Role"], port(domain, "A", 9)["Mode"], port(domain, "A", 9)["OperState"]) == (
        "Server",
        "fex-fabric",
        "up",
    )
    assert (port(domain, "A", 1)["Role"], port(domain, "A", 1)["OperState"]) == ("Uplink", "down")


def test_a_blade_is_listed_while_it_is_discovered(domain: Bench) -> None:
    domain.world.fault({"kind": "intersight", "discovery": 0.3})
    deployed(domain)
    assert summaries(domain, "FCH00000001") == []
    seen = until(lambda: summaries(domain, "FCH00000001"))
    assert seen[0]["Lifecycle"] == "DiscoveryInProgress"
    discovered(domain, "FCH00000001")


def test_a_cable_that_comes_up_later_is_noticed(domain: Bench) -> None:
    domain.world.fault({"kind": "link", "end": "x-a:Ethernet1/20", "state": "down"})
    deployed(domain, (9, 20), "A")
    discovered(domain, "FCH00000001")
    assert summaries(domain, "FCH00000002") == []
    domain.world.fault({"kind": "link", "end": "x-a:Ethernet1/20", "state": "up"})
    assert discovered(domain, "FCH00000002")["Name"] == "x-2-1"


def test_a_rack_server_on_a_server_port_is_found_too(domain: Bench) -> None:
    deployed(domain, (21,), "A")
    found = discovered(domain, "WZP00000031")
    assert (found["Name"], found["ManagementMode"], found["SourceObjectType"]) == (
        "x-1",
        "Intersight",
        "compute.RackUnit",
    )
    assert len(domain.client.list("adapter/Units")) == 1


def test_unassigned_switch_profiles_take_the_roles_away(domain: Bench) -> None:
    profile = deployed(domain, fabrics="A")["A"]
    path = f"fabric/SwitchProfiles/{profile['Moid']}"
    domain.client.ok("PATCH", path, {"Action": "Unassign"})
    assert domain.until_state(path, "Not-assigned")["AssignedSwitch"] is None
    assert port(domain, "A", 9)["Role"] == "unknown"


def test_a_profile_in_force_makes_vnics_of_the_adapter(domain: Bench) -> None:
    deployed(domain)
    made = profile(domain)
    seen = {each["Name"]: each for each in domain.client.list("adapter/HostEthInterfaces")}
    assert {name: each["MacAddress"] for name, each in seen.items()} == {
        "eth0": "02:25:b5:00:00:01",
        "eth1": "00:25:b5:11:00:00",
    }
    # No uplink is cabled in this world.
    assert {each["OperState"] for each in seen.values()} == {"down"}
    nics = domain.world.servers["b-1"].nics
    assert (nics["eth0"].mtu, nics["eth1"].mac) == (9000, "00:25:b5:11:00:00")
    domain.client.ok("PATCH", f"server/Profiles/{made['Moid']}", {"Action": "Unassign"})
    domain.wait(made["Moid"], "Not-assigned")
    assert domain.world.servers["b-1"].nics == {} and domain.client.list("adapter/HostEthInterfaces") == []


def test_a_policy_with_a_static_address_is_one_profile_s(domain: Bench) -> None:
    deployed(domain)
    made = profile(domain)
    second = domain.named("b-2", TargetPlatform="FIAttached", PolicyBucket=made["PolicyBucket"])
    assert domain.client.refused("POST", "server/Profiles", second) == (400, "lab_static_mac_shared")


FRONT = """
  front-01: {model: N9K-C93600CD-GX, serial: FDO00000001, release: "10.4(5)", management: 192.0.2.1}
"""
UPLINKS = """
  - ["front-01:Ethernet1/1", "x-a:Ethernet1/1", 100]
  - ["front-01:Ethernet1/2", "x-b:Ethernet1/1", 100]
"""


def test_what_profiles_bring_about_is_seen_at_the_frontend_switch(tmp_path: Path) -> None:
    text = WORLD.replace("servers:", f"switches:{FRONT}servers:", 1).replace("cables:", f"cables:{UPLINKS}", 1)
    bench = Bench(tmp_path, text)
    try:
        rack = Rack(configured=False, path=tmp_path / "world.yaml", world=bench.world)
        trunk = ["switchport", "switchport mode trunk", "switchport trunk allowed vlan 10", "no shutdown"]
        rack.type("front-01", "vlan 10", "interface Ethernet1/1-2", *trunk)

        def learned() -> list[tuple[str, str]]:
            shown = rack.show("front-01", "show mac address-table dynamic")
            return re.findall(r"([0-9a-f]{4}[.][0-9a-f]{4}[.][0-9a-f]{4}).* (Eth1/[12])", shown)

        bench.world.fault({"kind": "intersight", "validate": 0.02, "configure": 0.02, "discovery": 0.05})
        deployed(bench)
        assert (port(bench, "A", 1)["Role"], port(bench, "A", 1)["OperState"]) == ("Uplink", "up")
        assert learned() == []
        profile(bench)
        blade_a, blade_b = ("0225.b500.0001", "Eth1/1"), ("0025.b511.0000", "Eth1/2")
        assert set(learned()) == {blade_a, blade_b}
        bench.world.fault({"kind": "interconnect", "interconnect": "x-a", "state": "down"})
        assert learned() == [blade_b]
        states = {each["Name"]: each["OperState"] for each in bench.client.list("adapter/HostEthInterfaces")}
        assert states == {"eth0": "down", "eth1": "up"}
    finally:
        bench.close()
