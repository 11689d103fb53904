"""Every line of every golden, typed into the lab's switch: each is taken, and the running-config shows it unchanged.

The lab's command table was written from Cisco's references without knowledge of this program, so a line both agree on
has two readers behind it.
"""

from functools import cache
from pathlib import Path

import pytest
import yaml

from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import SwitchPlan
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.variants import VARIANTS
from podwright.lab.world.model import World
from tests.kept import as_kept
from tools import goldens

CASES = [(example, hostname) for example in goldens.examples() for hostname in goldens.texts(example)]


@cache
def planned_of(example: str) -> dict[str, SwitchPlan]:
    """The switches of an example, by hostname."""
    return {switch.hostname: switch for switch in fabric.plan(model.load(goldens.stack_file(example)).network).switches}


@cache
def world_of(example: str) -> str:
    """The world file in which an example's switches stand."""
    return yaml.safe_dump(world(model.load(goldens.stack_file(example))))


def typed(switch: SwitchPlan) -> list[str]:
    """What a person types to enter the plan's text."""
    lines = ["configure terminal"]
    for line, children in switch.config.items():
        lines += as_kept("\n".join((line, children))).splitlines()
    return [*lines, "end"]


def blocks(running: str) -> dict[str, set[tuple[str, ...]]]:
    """Top-level lines of a running-config with the paths of the lines below each."""
    found: dict[str, set[tuple[str, ...]]] = {}
    path: list[str] = []
    for raw in running.splitlines():
        if not raw.strip() or raw.startswith("!"):
            continue
        depth = (len(raw) - len(raw.lstrip(" "))) // 2
        path = [*path[:depth], raw.strip()]
        found.setdefault(path[0], set())
        if depth:
            found[path[0]].add(tuple(path[1:]))
    return found


def gateway_line(line: str) -> bool:
    """Whether a line belongs to a frontend pair's HSRP, which the lab may refuse: it models the backend."""
    first = line.split(maxsplit=1)[0]
    return first in {"hsrp", "preempt", "priority"} or (line.startswith("  ip ") and "/" not in line)


def left_out(below: set[tuple[str, ...]], form: str) -> set[tuple[str, ...]]:
    """What a switch does not show of a block, because its ports are so by default."""
    layer, admin = form.split("-")
    hidden = {("switchport",)} if layer == "layer2" else {("no switchport",)}
    if ("no switchport",) in below:
        return hidden | {("shutdown",)}
    return hidden | ({("no shutdown",)} if admin == "up" and ("switchport",) in below else set())


@pytest.mark.parametrize("form", VARIANTS["ports"].forms)
@pytest.mark.parametrize(("example", "hostname"), CASES)
def test_every_line_is_taken_and_shown_back(example: str, hostname: str, form: str, tmp_path: Path) -> None:
    planned = planned_of(example)[hostname]
    rack = tmp_path / "world.yaml"
    rack.write_text(world_of(example))
    stood = World.load(rack, variants={"ports": form})
    device = build(stood, stood.switches[hostname], "admin", "Lab-Passw0rd", "192.0.2.254")
    session = Session(device)

    answers = [(line, session.run(line)) for line in typed(planned)]
    refused = {line.strip(): line for line, answer in answers if "%" in answer or "ERROR" in answer}
    assert [line for line in refused.values() if not gateway_line(line)] == []

    shown = blocks(session.run("show running-config"))
    wanted = blocks(as_kept(planned.text()))
    assert [line for line in wanted if line not in shown] == []
    missing = {
        line: {path for path in below - shown[line] - left_out(below, form) if refused.keys().isdisjoint(path)}
        for line, below in wanted.items()
    }
    assert {line: below for line, below in missing.items() if below} == {}
    extra = {line: shown[line] - below for line, below in wanted.items()}
    assert {line: below for line, below in extra.items() if below} == {}
