"""World files, power and boot, faults at the rack."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.lab.world.inventory import PowerAction
from podwright.lab.world.model import World, WorldError
from tests.lab.rack import LAB

GOOD: dict[str, Any] = yaml.safe_load(LAB.read_text(encoding="utf-8"))


def load(tmp_path: Path, change: Callable[[dict[str, Any]], object] = lambda _: None) -> World:
    data = copy.deepcopy(GOOD)
    data["timing"] = {"post_seconds": 0.05}
    change(data)
    path = tmp_path / "world.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return World.load(path)


def test_the_default_world_is_the_smallest_pod() -> None:
    world = World.load(LAB)
    assert [s.model for s in world.switches.values()] == ["N9K-C9364D-GX2A"] * 3
    assert len(world.servers) == 9 and len(world.cables) == 5 * 8 + 2 * 20
    for number in range(1, 6):
        for rail in range(8):
            leaf, port = "leaf-01" if rail < 4 else "leaf-02", (number - 1) * 4 + rail % 4 + 1
            assert world.neighbor(f"gpu-0{number}", f"rail{rail}") == (leaf, f"Ethernet1/{port}")
    for index, leaf in enumerate(("leaf-01", "leaf-02")):
        for m in range(20):
            assert world.neighbor(leaf, f"Ethernet1/{33 + m}") == ("spine-01", f"Ethernet1/{index * 20 + m + 1}")
    addresses = [s.bmc for s in world.servers.values()] + [s.address for s in world.servers.values()]
    addresses += [s.management for s in world.switches.values()]
    macs = [s.boot_mac for s in world.servers.values()] + [
        n.mac for s in world.servers.values() for n in s.nics.values()
    ]
    for unique in (addresses, macs, [s.serial for s in world.servers.values()]):
        assert len(set(unique)) == len(unique)


WRONG: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("unknown key 'colour'", lambda d: d["switches"]["leaf-01"].update(colour="red")),
    ("servers.gpu-01.nics.rail0", lambda d: d["servers"]["gpu-01"]["nics"]["rail0"].pop("gbps")),
    ("servers.gpu-01", lambda d: d["servers"]["gpu-01"].pop("serial")),
    ("has no NIC 'rail9'", lambda d: d["cables"].append(["leaf-01:Ethernet1/60", "gpu-01:rail9", 400])),
    ("is not <device>:<port>", lambda d: d["cables"].append(["leaf-09:Ethernet1/60", "gpu-01:rail0", 400])),
    ("already holds a cable", lambda d: d["cables"].append(["leaf-01:Ethernet1/1", "leaf-02:Ethernet1/60", 400])),
    ("a cable is [end, end, gbps]", lambda d: d["cables"].append(["leaf-01:Ethernet1/60"])),
    ("both a switch and a server", lambda d: d["servers"].update({"leaf-01": d["servers"]["cp-01"]})),
]


@pytest.mark.parametrize(("words", "change"), WRONG, ids=[w for w, _ in WRONG])
def test_a_contradiction_in_a_world_file_is_named(
    tmp_path: Path, words: str, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(WorldError) as caught:
        load(tmp_path, change)
    assert words in str(caught.value)


def test_a_file_that_is_no_world_says_so(tmp_path: Path) -> None:
    for text in ("- a list", "{", "just words"):
        (tmp_path / "w.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(WorldError, match=r"w\.yaml"):
            World.load(tmp_path / "w.yaml")


class Boots:
    """Collects boots and waits for them."""

    def __init__(self, world: World) -> None:
        self.seen: list[tuple[str, str, Path | None]] = []
        self._news = threading.Condition()
        world.on_boot.append(self._boot)

    def _boot(self, server: str, medium: str, image: Path | None) -> None:
        with self._news:
            self.seen.append((server, medium, image))
            self._news.notify_all()

    def wait(self, count: int) -> list[tuple[str, str, Path | None]]:
        with self._news:
            assert self._news.wait_for(lambda: len(self.seen) >= count, timeout=5), self.seen
        return self.seen


def test_a_one_shot_boot_from_the_virtual_drive_then_from_the_disk(tmp_path: Path) -> None:
    world = load(tmp_path)
    boots, image = Boots(world), tmp_path / "agent.iso"
    image.write_bytes(b"image")
    world.insert_media("gpu-01", f"file://{image}")
    world.set_boot("gpu-01", "Cd", once=True)
    world.power("gpu-01", "On")
    assert boots.wait(1) == [("gpu-01", "Cd", image)]
    assert world.host("gpu-01").state == "live"
    world.write_disk("gpu-01", image)
    world.power("gpu-01", "ForceRestart")
    assert boots.wait(2)[1] == ("gpu-01", "Hdd", image)
    assert (world.host("gpu-01").state, world.host("gpu-01").boots) == ("running", 2)


def test_an_empty_disk_boots_to_nothing(tmp_path: Path) -> None:
    world = load(tmp_path)
    boots = Boots(world)
    world.power("cp-01", "On")
    assert boots.wait(1) == [("cp-01", "Hdd", None)]
    assert world.host("cp-01").state == "no-os"


def test_bios_settings_wait_for_a_reset(tmp_path: Path) -> None:
    world = load(tmp_path)
    boots = Boots(world)
    world.power("cp-01", "On")
    boots.wait(1)
    world.stage_bios("cp-01", {"NumaNodesPerSocket": "NPS4"})
    assert world.bios("cp-01") == {}
    world.power("cp-01", "ForceRestart")
    boots.wait(2)
    assert world.bios("cp-01") == {"NumaNodesPerSocket": "NPS4"}
    assert world.host("cp-01").bios_pending == {}


def test_only_the_last_press_of_the_button_counts(tmp_path: Path) -> None:
    world = load(tmp_path)
    boots, powered = Boots(world), []
    world.on_power.append(lambda server, state: powered.append((server, state)))
    presses: tuple[PowerAction, ...] = ("On", "On", "ForceRestart", "ForceOff", "On")
    for action in presses:
        world.power("cp-01", action)
    boots.wait(1)
    time.sleep(0.2)
    assert len(boots.seen) == 1
    assert powered == [("cp-01", s) for s in ("On", "Off", "On", "Off", "On")]


def test_a_host_switched_off_during_its_self_test_does_not_boot(tmp_path: Path) -> None:
    world = load(tmp_path)
    boots = Boots(world)
    world.power("cp-01", "On")
    world.power("cp-01", "GracefulShutdown")
    time.sleep(0.2)
    assert boots.seen == [] and world.host("cp-01").state == "off"


def test_only_loopback_is_ever_dialled_for_an_image(tmp_path: Path) -> None:
    world = load(tmp_path)
    boots = Boots(world)
    world.insert_media("cp-01", "http://192.0.2.250/agent.iso")
    world.set_boot("cp-01", "Cd")
    begun = time.monotonic()
    world.power("cp-01", "On")
    assert boots.wait(1) == [("cp-01", "Cd", None)]
    assert time.monotonic() - begun < 3


def test_what_hangs_on_two_feeds_goes_with_the_second(tmp_path: Path) -> None:
    world = World.load(LAB)
    both = world.servers["gpu-01"]
    both.power, both.power_b = "room-a", "room-b"
    world.servers["gpu-02"].power = "room-a"
    for name in ("gpu-01", "gpu-02"):
        world.hosts[name].power = "On"
    fault = {"kind": "power-feed", "feed": "room-a", "state": "down"}
    assert world.fault(fault)["servers"] == ["gpu-02"]
    assert world.fault({**fault, "feed": "room-b"})["servers"] == ["gpu-01"]
    assert world.hosts["gpu-01"].power == "Off"
    assert world.fault({**fault, "state": "up"})["servers"] == ["gpu-01", "gpu-02"]
    world.close()


def test_a_power_feed_takes_down_all_that_hangs_on_it(tmp_path: Path) -> None:
    world = load(tmp_path)
    asked: list[Any] = []

    def switch(body: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append((body["switch"], body["state"]))
        return {}

    world.fault_handlers["switch"] = switch
    world.fault({"kind": "power-feed", "feed": "r1-a", "state": "up"})
    assert world.host("cp-01").power == "On" and world.host("gpu-01").power == "Off"
    world.fault({"kind": "power-feed", "feed": "r1-a", "state": "down"})
    assert world.host("cp-01").power == "Off"
    assert asked == [("leaf-01", "up"), ("leaf-02", "up"), ("leaf-01", "down"), ("leaf-02", "down")]
    with pytest.raises(WorldError):
        world.fault({"kind": "power-feed", "feed": "r9"})


def test_swapped_cables_are_seen_at_all_four_ends(tmp_path: Path) -> None:
    world = load(tmp_path)
    world.fault({"kind": "swap", "a": "leaf-01:Ethernet1/1", "b": "leaf-01:Ethernet1/5"})
    assert world.neighbor("leaf-01", "Ethernet1/1") == ("gpu-02", "rail0")
    assert world.neighbor("gpu-01", "rail0") == ("leaf-01", "Ethernet1/5")
    world.fault({"kind": "swap", "a": "leaf-01:Ethernet1/1", "b": "leaf-01:Ethernet1/5"})
    assert world.neighbor("gpu-01", "rail0") == ("leaf-01", "Ethernet1/1")


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "link", "end": "leaf-01:Ethernet1/64"},
        {"kind": "swap", "a": "leaf-01:Ethernet1/1", "b": "gpu-01:rail0"},
        {"kind": "nic", "end": "leaf-01:Ethernet1/1"},
        {"kind": "server-power", "server": "nope"},
        {"kind": "server-power", "server": "cp-01", "action": "Explode"},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(tmp_path: Path, body: dict[str, str]) -> None:
    with pytest.raises(WorldError):
        load(tmp_path).fault(body)
