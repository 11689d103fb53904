"""From one example's switch to another's: every line is taken by the lab's switch, and nothing is left to do after."""

from pathlib import Path

import pytest
import yaml

from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.nxos.read.blocks import parse
from podwright.components.providers.nxos.read.spelling import tidy_config
from podwright.components.providers.nxos.write.remediation import Config, remediation
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.world.model import World
from tests.providers.nxos.forms import FORMS, config
from tools import goldens


def planned(example: str, hostname: str) -> fabric.SwitchPlan:
    return fabric.plan(model.load(goldens.stack_file(example)).network).switch(hostname)


def shown(session: Session, form: str) -> Config:
    return config(session.run("show running-config"), form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("hostname", ["leaf-01", "spine-01"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "evpn"),
        (None, "vrf"),
        (None, "unnumbered"),
        ("evpn", "ospf"),
        ("vrf", "unnumbered"),
        ("unnumbered", "vrf"),
        ("vrf", "ospf"),
        ("ospf", "vrf"),
        ("ospf", "evpn"),
        ("unnumbered", "pairs"),
        ("ospf", "breakout"),
        ("breakout", "pairs"),
    ],
)
def test_a_switch_turns_into_another_variant(
    before: str | None, after: str, hostname: str, form: str, tmp_path: Path
) -> None:
    rack = tmp_path / "world.yaml"
    rack.write_text(yaml.safe_dump(world(model.load(goldens.stack_file(after)))))
    stood = World.load(rack, variants={"ports": form})
    session = Session(build(stood, stood.switches[hostname], "admin", "Lab-Passw0rd", "192.0.2.254"))
    old = planned(before, hostname).config if before else {}
    session.run("configure terminal")
    for line in planned(before, hostname).text().splitlines() if before else ():
        session.run(line)
    session.run("end")
    want = config(planned(after, hostname).text(), form)
    gone = [line for line in tidy_config(parse("\n".join(old))) if line not in want]

    session.run("configure terminal")
    typed = [line for section in remediation(shown(session, form), want, gone) for line in str(section).splitlines()]
    answers = [(line, session.run(line)) for line in typed]
    assert [line for line, answer in answers if "%" in answer or "ERROR" in answer] == []
    session.run("end")
    live = shown(session, form)
    assert [str(section) for section in remediation(live, want, [line for line in gone if line in live])] == []
