"""Switches of the lab in this process, and a `Switch` kind that reaches them over real SSH."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.protocol.kind import Context, Created
from podwright.components.providers.reach import Reach
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.side import NxosSide
from podwright.lab.pki import Authority
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World

WORLD = """
name: rack
switches:
  leaf-01:
    {model: N9K-C9364D-GX2A, serial: FDO00000001, release: "10.4(5)", rack: r1, power: a, management: 192.0.2.11}
  leaf-02:
    {model: N9K-C9364D-GX2A, serial: FDO00000002, release: "10.4(5)", rack: r1, power: a, management: 192.0.2.12}
servers: {}
cables: [["leaf-01:Ethernet1/32", "leaf-02:Ethernet1/32", 400]]
credentials: {switch: {user: admin, secret: switch-admin}}
cluster: {name: lab, domain: example.com, api_vip: 192.0.2.200, machine_network: 192.0.2.0/24}
"""

CONFIG = {
    "feature bgp": "",
    "feature bfd": "",
    "priority-flow-control watch-dog-interval on": "",
    "class-map type qos match-any ROCEv2": "match dscp 26",
    "class-map type qos match-any CNP": "match dscp 48",
    "policy-map type qos QOS_CLASSIFICATION": (
        "class ROCEv2\n  set qos-group 3\nclass CNP\n  set qos-group 7\nclass class-default\n  set qos-group 0"
    ),
    "policy-map type network-qos qos_network": (
        "class type network-qos c-8q-nq3\n  mtu 9216\n  pause pfc-cos 3\n"
        "class type network-qos c-8q-nq-default\n  mtu 9216"
    ),
    "policy-map type queuing QOS_EGRESS_PORT": (
        "class type queuing c-out-8q-q3\n  bandwidth remaining percent 50\n"
        "  random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn\n"
        "class type queuing c-out-8q-q-default\n  bandwidth remaining percent 50\n"
        "class type queuing c-out-8q-q7\n  priority level 1"
    ),
    "system qos": ("service-policy type queuing output QOS_EGRESS_PORT\nservice-policy type network-qos qos_network"),
    "interface Ethernet1/1": (
        "description gpu-01 rail0\nno switchport\nmtu 9216\npriority-flow-control mode on\n"
        "priority-flow-control watch-dog-interval on\nservice-policy type qos input QOS_CLASSIFICATION\n"
        "ip address 10.2.0.0/31\nno shutdown"
    ),
    "interface loopback0": "ip address 10.0.0.1/32",
    "router bgp 64601": (
        "router-id 10.0.0.1\naddress-family ipv4 unicast\n  maximum-paths 64\n"
        "neighbor 10.2.0.1\n  remote-as 65001\n  bfd\n  address-family ipv4 unicast"
    ),
}


def inputs(config: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    """A switch's inputs with `config` in place of CONFIG and fields changed."""
    spec = {
        "schema": 1,
        "hostname": "leaf-01",
        "management": "192.0.2.11",
        "model": "N9K-C9364D-GX2A",
        "release": "10.4(5)",
        "role": "leaf",
        "credential": "switch-admin",
        "generation": 1,
        "config": dict(CONFIG if config is None else config),
        "links": {},
        "lossless": None,
    }
    return {"spec": spec | changes}


class Rack:
    """The running lab switches and a kind to drive them."""

    def __init__(self, side: NxosSide, reach: Reach) -> None:
        self.side = side
        self.reach = reach
        self.kind = Switch()
        self.said: list[str] = []

    def write_reach(self, path: Path, known_hosts: Path | None = None) -> None:
        """A reach file for a plugin in a process of its own."""
        reach = {
            "forward": dict(self.reach.forward),
            "known_hosts": str(known_hosts or self.reach.known_hosts),
            "secrets": str(self.reach.secrets),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(reach))

    @property
    def leaf(self) -> Device:
        return self.side.devices["leaf-01"]

    def context(self, **changes: Any) -> Context:
        given: dict[str, Any] = {
            "config": {"credentials": {"user": "admin", "secret": "switch-admin"}},
            "reach": self.reach,
            "identity": "podwright/lab",
            "warn": self.said.append,
        }
        return Context(**(given | changes))

    def type(self, *lines: str) -> str:
        """Somebody else types at the console of leaf-01."""
        session = Session(self.leaf, user="operator", dont_ask=True, quiet=True)
        return "".join(session.run(line) for line in lines)

    def edit(self, *lines: str) -> None:
        """Somebody else configures leaf-01."""
        answer = self.type("configure terminal", *lines, "end")
        assert "%" not in answer, answer

    def text_of(self, name: str) -> str:
        """The running configuration of any switch without its header."""
        return self._settled(Session(self.side.devices[name], dont_ask=True, quiet=True).run("show running-config"))

    def running(self) -> str:
        """The running configuration of leaf-01 without its header."""
        return self._settled(self.type("show running-config"))

    def startup(self) -> str:
        return self._settled(self.type("show startup-config"))

    def _settled(self, text: str) -> str:
        return _settled(text, ordered=self.leaf.form("order") == "as-entered")

    async def up(self, given: dict[str, Any] | None = None) -> Created:
        return await self.kind.create(given or inputs(), self.context())


def _settled(text: str, *, ordered: bool) -> str:
    """A configuration from its hostname on; a `system qos` that was entered and holds nothing says nothing.

    With `ordered` the lines of each block are put in order: a switch that shows them as they were typed shows one that
    was taken away and put back in another place.
    """
    lines = text[text.index("hostname") :].splitlines()
    empty = [at for at, line in enumerate(lines) if line == "system qos" and not lines[at + 1].startswith(" ")]
    lines = [line for at, line in enumerate(lines) if at not in empty]
    return "\n".join(in_order(lines, 0) if ordered else lines)


def in_order(lines: list[str], depth: int) -> list[str]:
    """Lines with those below each in order; those at the left margin stay where they are."""
    indent = "  " * depth
    parts: list[list[str]] = []
    for line in lines:
        if line.startswith(f"{indent} "):
            parts[-1].append(line)
        else:
            parts.append([line])
    whole = [[first, *in_order(below, depth + 1)] for first, *below in parts]
    return [line for part in (sorted(whole) if depth else whole) for line in part]


@contextmanager
def rack(folder: Path, text: str = WORLD, variants: Mapping[str, str] = MappingProxyType({})) -> Iterator[Rack]:
    """The switches of a world, two by default, on loopback as day-0 left them, and reach to them."""
    (folder / "world.yaml").write_text(text)
    for name in ("secrets", "logs", "nxos"):
        (folder / name).mkdir(exist_ok=True)
    context = LabContext(folder, folder / "secrets", Authority(folder / "ca", "rack"), folder / "logs")
    world = World.load(folder / "world.yaml", variants=variants)
    side = NxosSide(world, context)
    known_hosts = folder / "known_hosts"
    known_hosts.write_text("\n".join(context.known_hosts) + "\n")
    errors = _Errors(logging.ERROR)
    logging.getLogger("lab").addHandler(errors)
    try:
        yield Rack(side, Reach(forward=side.forward, known_hosts=known_hosts, secrets=folder / "secrets"))
    finally:
        logging.getLogger("lab").removeHandler(errors)
        side.stop()
        world.close()
    assert errors.found == [], "the lab itself failed"


class _Errors(logging.Handler):
    """What the lab's log tells of bugs of the lab."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(f"{record.getMessage()}: {record.exc_info and record.exc_info[1]!r}")


NET = re.compile(
    r"^(scheduler job name podwright-net\n.*?^end-job|scheduler schedule name podwright-net(\n  [^\n]*)*"
    r"|feature scheduler|cli alias name podwright(?:net|writer)[^\n]*)$",
    re.DOTALL | re.MULTILINE,
)


def without_net(text: str) -> list[str]:
    """The lines of a configuration without what a lost session leaves: the net armed, and its writer's line."""
    return [line for line in NET.sub("", text).splitlines() if line]
