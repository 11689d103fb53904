"""The world of the production site holds what its stack file defines, and nothing is configured in it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.lab.command import WORLDS
from podwright.lab.world.interconnects import attachment
from podwright.lab.world.model import World
from tools import generated, worlds

FILE = WORLDS / "prod.yaml"
STACK: dict[str, Any] = yaml.safe_load((generated.ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]


@pytest.fixture(scope="module")
def prod() -> World:
    return World.load(FILE)


def test_it_is_fresh() -> None:
    assert generated.stale(worlds.files()) == [], "renew with: python -m tools.worlds"


def test_every_switch_and_server_stands_in_it(prod: World) -> None:
    fabric_ = STACK["fabric"]
    switches = {**fabric_["spines"], **fabric_["leaves"], **fabric_["frontend"]["leaves"]}
    assert {name: (s.model, s.serial, s.management) for name, s in prod.switches.items()} == {
        name: (s["model"], s["serial"], s["management"]) for name, s in switches.items()
    }
    assert len(prod.switches) == 12
    assert {name: (s.model, s.serial, s.boot_mac, s.address, s.rack) for name, s in prod.servers.items()} == {
        name: (s["model"], s["serial"], s["boot_mac"], s["address"], s["rack"]) for name, s in STACK["servers"].items()
    }
    for name, server in STACK["servers"].items():
        if "bmc" in server:
            assert prod.servers[name].bmc == server["bmc"]


def test_every_domain_with_its_serial_numbers_and_blades(prod: World) -> None:
    for name, domain in STACK["domains"].items():
        for side, serial in domain["serials"].items():
            box = prod.interconnects[f"{name}-{side.lower()}"]
            assert (box.model, box.serial, box.rack) == (domain["model"], serial, domain["rack"])
            for port in domain["server_ports"]:
                assert prod.cable_at(box.name, f"Ethernet1/{port}"), f"{box.name} {port}"
            ends = {prod.neighbor(box.name, f"Ethernet1/{port}") for port in domain["uplinks"]}
            port = next(
                each["port"] for each in STACK["fabric"]["frontend"]["ports"].values() if each["device"] == box.name
            )
            assert ends == {("front-01", port), ("front-02", port)}
    for name, server in STACK["servers"].items():
        box_of = attachment(prod, name)
        assert (box_of.domain if box_of else None) == server.get("domain"), name


def test_every_cable_of_the_plan(prod: World) -> None:
    """Frontend cables of rack servers, arrays and the border end at what the world does not have."""
    known = {*prod.switches, *prod.servers}
    cluster = model.load(generated.ROOT / "Pulumi.prod.yaml")
    links = [link for link in fabric.plan(cluster.network).links if link.peer in known]
    missing = [link for link in links if prod.neighbor(link.device, link.port) != (link.peer, link.peer_port)]
    assert all(link.peer_port.startswith("to-") for link in missing) and len(links) - len(missing) > 250


def test_it_is_in_factory_state(prod: World) -> None:
    assert not any(view.configured.deployed for view in prod.interconnect_views.values())
    assert {host.power for host in prod.hosts.values()} == {"Off"}
