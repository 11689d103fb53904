"""Switches judged together: which port faces which, and what both ends must then have."""

from pathlib import Path

import pytest

from podwright.cli.lint.judge import Finding, judge, read
from tests.cli.lint.examples import capture

TABLE = """leaf-01# show lldp neighbors | no-more
Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
Device ID            Local Intf      Hold-time  Capability  Port ID
{device:<20} Eth1/17         120        BR          {port}
gpu-01               Eth1/1          120                    0c42.a100.0001
Total entries displayed: 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return capture("lab", tmp_path)


def rewrite(path: Path, old: str, new: str, count: int = -1) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, count))


def judged(folder: Path) -> list[Finding]:
    return judge(read(sorted(folder.iterdir())))


def links(folder: Path, name: str) -> dict[str, tuple[str, str]]:
    found = {each.device.name: each.device for each in read(sorted(folder.iterdir())).configurations}
    return {port: (end.device, end.port) for port, end in found[name].links.items()}


def test_descriptions_that_name_a_switch_and_a_port_are_cables(folder: Path) -> None:
    found = links(folder, "leaf-01")
    assert found
    for port, (device, far) in found.items():
        assert device == "spine-01"
        assert links(folder, "spine-01")[far] == ("leaf-01", port)


def test_leaf_1_is_not_found_in_leaf_10(tmp_path: Path) -> None:
    port = "hostname {0}\nfeature lldp\ninterface Ethernet1/1\n  description {1}\n"
    for name, text in (("leaf-1", "gpu"), ("leaf-10", "Eth1/1 of spine-1!"), ("spine-1", "To_LEAF-10_e1/1 (spare)")):
        (tmp_path / f"{name}.cfg").write_text(port.format(name, text))
    assert links(tmp_path, "spine-1") == {"Ethernet1/1": ("leaf-10", "Ethernet1/1")}
    assert links(tmp_path, "leaf-10") == {"Ethernet1/1": ("spine-1", "Ethernet1/1")}
    assert links(tmp_path, "leaf-1") == {}


def test_a_description_the_other_end_contradicts_is_no_cable(folder: Path) -> None:
    port, (_, far) = next(iter(links(folder, "leaf-01").items()))
    rewrite(folder / "spine-01.cfg", f"description leaf-01 {port}\n", f"description leaf-02 {port}\n")
    assert port not in links(folder, "leaf-01")
    assert far not in links(folder, "spine-01")


def test_lldp_tells_more_than_descriptions(folder: Path) -> None:
    """In the switch's own file or in one beside it that carries its name."""
    for path in folder.glob("*.cfg"):
        path.write_text("".join(line for line in path.read_text().splitlines(True) if "  description " not in line))
    assert links(folder, "leaf-01") == {}
    (folder / "anything.txt").write_text(TABLE.format(device="spine-01.example.com", port="Ethernet1/1"))
    assert links(folder, "leaf-01") == {"Ethernet1/17": ("spine-01", "Ethernet1/1")}
    (folder / "anything.txt").unlink()
    table = TABLE.format(device="spine-01", port="Eth1/1").partition("\n")[2]
    (folder / "leaf-01.lldp.txt").write_text(table)
    assert links(folder, "leaf-01") == {"Ethernet1/17": ("spine-01", "Ethernet1/1")}


DETAIL = """
Chassis id: 0012.3456.789a
Port id: Ethernet1/1
Local Port id: Eth1/17
Port Description: leaf-01 Ethernet1/17
System Name: spine-01.example.com
Total entries displayed: 1
"""
ROW = (
    '{"TABLE_nbor_detail": {"ROW_nbor_detail": {"l_port_id": "Eth1/17", "sys_name": "spine-01", "port_id": "Eth1/1"}}}'
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("leaf-01.txt", DETAIL),
        ("leaf-01.json", ROW),
        ("log.txt", f"leaf-01# show lldp neighbors detail{DETAIL}leaf-01# exit\n"),
    ],
)
def test_captures_for_verify_cabling_serve_here_too(name: str, text: str, folder: Path) -> None:
    for path in folder.glob("*.cfg"):
        path.write_text("".join(line for line in path.read_text().splitlines(True) if "  description " not in line))
    (folder / name).write_text(text)
    assert links(folder, "leaf-01") == {"Ethernet1/17": ("spine-01", "Ethernet1/1")}


def test_a_hop_without_the_class_is_found_from_its_neighbour(folder: Path) -> None:
    """A switch that says nothing about RoCE at all, on the path of those that do."""
    spine = folder / "spine-01.cfg"
    kept = ("feature", "router", "neighbor", "remote-as", "interface", "description", "no switchport", "ip ", "no shut")
    lines = spine.read_text().splitlines(True)
    spine.write_text("".join(line for line in lines if line.strip().startswith(kept)))
    rules = {each.rule.id for each in judged(folder) if each.path == spine}
    assert {"fabric-pfc-on-every-hop", "fabric-pfc-watchdog", "fabric-ecn-on-lossless-queue"} <= rules
    assert "fabric-mtu-agrees-on-path" in rules


def test_one_switch_with_another_dscp_stands_out(folder: Path) -> None:
    rewrite(folder / "leaf-02.cfg", "match dscp 26", "match dscp 34")
    told = [
        (each.rule.id, each.flaw.device) for each in judged(folder) if each.rule.id == "fabric-one-class-everywhere"
    ]
    assert told == [("fabric-one-class-everywhere", "leaf-02")]


def test_the_same_switch_saved_twice_is_judged_once(folder: Path) -> None:
    (folder / "a-leaf-01.cfg").write_text("hostname leaf-01\n" + (folder / "leaf-01.cfg").read_text())
    reading = read(sorted(folder.iterdir()))
    assert sorted(each.device.name for each in reading.configurations) == ["leaf-01", "leaf-02", "spine-01"]
    assert [path.name for path, _ in reading.skipped] == ["a-leaf-01.cfg"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("maximum-threshold 1500 kbytes", "maximum-threshold 1501 kbytes"),
        ("maximum-threshold 3000 kbytes", "maximum-threshold 2999 kbytes"),
        ("priority level 1", "priority level 2"),
    ],
)
def test_queues_of_vpc_peers_are_compared(old: str, new: str, tmp_path: Path) -> None:
    """Two of them are enough: packets of one bond pass either."""
    capture("pairs", tmp_path, "stor-*")
    rewrite(tmp_path / "stor-02.cfg", old, new, 1)
    assert {each.rule.id for each in judged(tmp_path)} == {"fabric-queues-set-alike"}


@pytest.mark.parametrize("timer", ["watch-dog interval 150", "watch-dog shutdown-multiplier 2"])
def test_one_switch_with_other_watchdog_timers_stands_out(timer: str, folder: Path) -> None:
    with (folder / "leaf-02.cfg").open("a") as file:
        file.write(f"priority-flow-control {timer}\n")
    (found,) = judged(folder)
    assert (found.rule.id, found.flaw.device) == ("fabric-queues-set-alike", "leaf-02")


def test_vpc_peers_are_compared(tmp_path: Path) -> None:
    capture("prod", tmp_path, "front-*")
    rewrite(tmp_path / "front-02.cfg", "switchport trunk allowed vlan 10,20\n", "switchport trunk allowed vlan 10\n")
    found = judged(tmp_path)
    assert {each.rule.id for each in found} == {"fabric-vpc-peers-alike"}
    assert "do not carry the same VLANs: 20 on one of them only" in found[0].flaw.message
