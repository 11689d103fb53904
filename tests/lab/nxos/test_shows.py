"""What the switch shows: public templates parse it, `| json` is JSON, light, errors and logs follow what happens."""

from __future__ import annotations

import json
import re

import pytest
from ntc_templates.parse import parse_output

from podwright.lab.nxos import filters
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.syntax import Match
from podwright.lab.nxos.table import Command, Found, table
from podwright.lab.world.inventory import Bond
from podwright.lab.world.traffic import Flow
from tests.lab.nxos.test_overlay import EVPN
from tests.lab.prepared import prepared
from tests.lab.rack import Rack

SVI = ["feature hsrp", "interface Vlan10", "hsrp version 2", "hsrp 10", "priority 110", "preempt", "ip 10.20.0.254"]
VPC = ["feature vpc", "feature lacp", "vpc domain 10", "peer-keepalive destination 192.0.2.12 source 192.0.2.11",
       "default interface Ethernet1/1", "interface port-channel101", "switchport mode trunk", "vpc 101",
       "interface Ethernet1/1", "switchport mode trunk", "channel-group 101 mode active"]  # fmt: skip


def _bonded(rack: Rack, switch: str, port: str) -> None:
    """The host at the far end of a port speaks LACP."""
    server, nic = rack.world.neighbor(switch, port) or ("", "")
    rack.world.hosts[server].state = "running"
    rack.world.runs(server, (Bond("802.3ad", frozenset({rack.world.servers[server].nics[nic].mac})),))


@pytest.fixture(scope="module")
def rack() -> Rack:
    """Leaf-01 with everything on it that can be shown."""
    rack = Rack()
    _bonded(rack, "leaf-01", "Ethernet1/1")
    evpn = [line.replace("65200", "64601") for line in EVPN.splitlines()]
    rack.type("leaf-01", *[line for line in evpn if "remote-as" not in line], *SVI, *VPC, "feature scheduler")
    return rack


@pytest.mark.parametrize(
    ("command", "key", "value"),
    [
        ("show interface transceiver", "type", "QSFP-DD-400G-DR4"),
        ("show interface transceiver", "status", "not present"),
        ("show interface transceiver details", "lane", "4"),
        ("show interface description", "port", "Eth1/1"),
        ("show environment", "power_supply_status", "Ok"),
        ("show vrf", "name", "blue"),
        ("show vrf interface", "name", "blue"),
        ("show nve vni", "vni", "10010"),
        ("show ip interface brief", "interface", "Lo1"),
        ("show port-channel summary", "bundle_name", "Po101"),
        ("show lldp neighbors", "neighbor_name", "spine-01"),
        ("show lldp neighbors detail", "neighbor_name", "spine-01"),
        ("show ip bgp summary", "state_pfxrcd", "80"),
        ("show vpc", "vpc_keepalive_status", None),
        ("show interface switchport", "mode", "trunk"),
        ("show mac address-table", "ports", "Po101"),
        ("show ip arp", "interface", "Ethernet1/33"),
        ("show module", "model", "N9K-C9364D-GX2A"),
        ("show clock", "timezone", "UTC"),
        ("show hostname", "hostname", "leaf-01"),
    ],
)
def test_ntc_templates_parse_it(rack: Rack, command: str, key: str, value: str | None) -> None:
    parsed = parse_output(platform="cisco_nxos", command=command, data=rack.show("leaf-01", command))
    assert parsed
    assert value is None or value in {str(row.get(key)) for row in parsed}, parsed[0]


@pytest.mark.parametrize(
    ("pipe", "shown"),
    [
        ("grep Uplink", ["2 Uplink", "4 uplink Uplink"]),
        ("grep -i uplink", ["2 Uplink", "3 uplink", "4 uplink Uplink"]),
        ("egrep -v -i uplink", ["1 host"]),
        ("egrep -c 'Up|host'", ["3"]),
        ("head lines 1", ["1 host"]),
        ("last 2", ["3 uplink", "4 uplink Uplink"]),
        ("last 0", []),
        ("grep -i uplink | last 1", ["4 uplink Uplink"]),
    ],
)
def test_unix_filters_of_a_pipe(pipe: str, shown: list[str]) -> None:
    found = Found(table().rows["exec"][0], Match((), {}, 0, ()))
    output = Output("1 host\n2 Uplink\n3 uplink\n4 uplink Uplink\n")
    assert filters.apply(output, found, pipe).splitlines() == shown


@pytest.mark.parametrize("pipe", ["grep", "grep -x a", "head 1 2", "last lots", "grep ["])
def test_a_filter_that_the_switch_does_not_take_is_refused(rack: Rack, pipe: str) -> None:
    assert "% Invalid command" in rack.show("leaf-01", f"show clock | {pipe}")


def test_trunks_name_their_bundle_and_the_vlans_that_cross(rack: Rack) -> None:
    rows = json.loads(rack.show("leaf-01", "show interface trunk | json"))["TABLE_interface"]["ROW_interface"]
    found = {row["interface"]: (row["status"], row["portchannel"]) for row in rows}
    assert found["port-channel101"] == ("trunking", "0")
    assert found["Ethernet1/1"] == ("trnk-bndl", "Po101")
    text = rack.show("leaf-01", "show interface trunk")
    assert "\nPo101         1" in text[text.index("STP Forwarding") :]


def test_ospf_neighbours_parse(rack: Rack) -> None:
    for name, port in (("leaf-01", "Ethernet1/33"), ("spine-01", "Ethernet1/1")):
        rack.type(name, "feature ospf", "router ospf UNDERLAY", f"interface {port}", "ip router ospf UNDERLAY area 0")
    text = rack.show("leaf-01", "show ip ospf neighbors")
    assert "Total number of neighbors:" in text
    assert parse_output(platform="cisco_nxos", command="show ip ospf neighbor", data=text) is not None


STRUCTURED = [row for row in table().rows["exec"] if row.json]


@pytest.mark.parametrize("row", STRUCTURED, ids=lambda row: row.text)
def test_what_says_it_is_structured_is(rack: Rack, row: Command) -> None:
    command = re.sub(r"\s+", " ", re.sub(r"\[[^\[\]]*\]", "", row.text)).strip()
    data = json.loads(rack.show("leaf-01", f"{command} | json"))
    assert isinstance(data, dict)
    pretty = rack.show("leaf-01", f"{command} | json-pretty")
    assert json.loads(pretty).keys() == data.keys() and (not data or "\n    " in pretty)


def rx(rack: Rack, name: str, port: str) -> list[float]:
    data = json.loads(rack.show(name, f"show interface {port} transceiver details | json"))
    lanes = data["TABLE_interface"]["ROW_interface"]["TABLE_lane"]["ROW_lane"]
    return [float(lane["rx_pwr"]) for lane in lanes]


def test_light_follows_cables_and_faults() -> None:
    rack = Rack()
    uplink = next(c for c in rack.world.cables if c.a[0] == "leaf-01" and c.b[0] == "spine-01")
    port, far = uplink.a[1], ":".join(uplink.b)
    healthy = rx(rack, "leaf-01", port)
    assert all(-1 < power < 1 for power in healthy)
    rack.world.fault({"kind": "optic", "end": far, "loss": 0.001})
    assert rx(rack, "leaf-01", port) == [-10.0] * 4
    assert "dBm --" in rack.show("leaf-01", f"show interface {port} transceiver details")
    rack.world.fault({"kind": "optic", "end": far, "loss": 1e-6})
    assert rx(rack, "leaf-01", port) == [-7.0] * 4
    rack.world.fault({"kind": "optic", "end": far})
    assert rx(rack, "leaf-01", port) == healthy
    rack.world.fault({"kind": "link", "end": far, "state": "down"})
    assert rx(rack, "leaf-01", port) == [-40.0] * 4
    assert "transceiver is not present" in rack.show("leaf-01", "show interface Ethernet1/66 transceiver")


def test_damaged_frames_are_counted_where_they_arrive() -> None:
    rack = Rack()
    rack.world.fault({"kind": "optic", "end": "leaf-01:Ethernet1/1", "loss": 0.001})
    prepared(rack.world).traffic([Flow("gpu-01:rail0", "gpu-02:rail0")], 1.0)
    data = json.loads(rack.show("leaf-01", "show interface Ethernet1/1 counters errors | json"))
    row = data["TABLE_interface"]["ROW_interface"]
    full = json.loads(rack.show("leaf-01", "show interface Ethernet1/1 | json"))["TABLE_interface"]["ROW_interface"]
    assert int(row["eth_fcs_err"]) == int(full["eth_crc"]) == rack.world.counters["leaf-01", "Ethernet1/1"]["crc"] > 0
    assert row["eth_fcs_err"] in rack.show("leaf-01", "show interface Ethernet1/1 counters errors")


def test_the_log_tells_of_links_and_of_people() -> None:
    rack = Rack(configured=False)
    first = rack.show("leaf-01", "show logging logfile")
    assert "%ETHPORT-5-IF_UP: Interface Ethernet1/1 is up" in first
    rack.type("leaf-01", "interface Ethernet1/1", "shutdown", "end")
    rack.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/2", "state": "down"})
    last = rack.show("leaf-01", "show logging last 3")
    assert "%VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured from vty by admin" in last
    assert "IF_DOWN_ADMIN_DOWN: Interface Ethernet1/1 is down (Administratively down)" in last
    assert "IF_DOWN_LINK_FAILURE: Interface Ethernet1/2 is down (Link failure)" in last
    rack.show("leaf-01", "clear logging logfile")
    assert rack.show("leaf-01", "show logging logfile") == ""


def test_the_better_hsrp_priority_is_active_while_it_is_up() -> None:
    rack = Rack(configured=False)
    for name, address, priority in (("leaf-01", "10.20.0.2/24", "110"), ("leaf-02", "10.20.0.3/24", "100")):
        rack.type(name, "feature interface-vlan", "feature hsrp", "vlan 10", "interface Ethernet1/1",
                  "switchport access vlan 10", "interface Vlan10", f"ip address {address}", "no shutdown", "hsrp 10",
                  f"priority {priority}", "ip 10.20.0.1")  # fmt: skip
    states = [json.loads(rack.show(name, "show hsrp brief | json"))["TABLE_grp_detail"]["ROW_grp_detail"]
              ["sh_group_state"] for name in ("leaf-01", "leaf-02")]  # fmt: skip
    assert states == ["Active", "Standby"]
    rack.type("leaf-01", "interface Vlan10", "shutdown")
    assert " Active " in rack.show("leaf-02", "show hsrp brief")
