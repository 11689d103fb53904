"""What the program designs for the stacks of this repository, the switch takes, and shows back line for line."""

from __future__ import annotations

import pytest

from components.design.fabric.model import SwitchPlan
from components.design.fabric.plan import plan
from components.spec.load import load
from lab.nxos.configure import find
from lab.nxos.factory import build
from lab.nxos.session import Session
from lab.nxos.syntax import Failure, tokens
from lab.world.model import Switch, World
from tests.lab.rack import LAB, ROOT

PLANS = [
    pytest.param(switch, id=f"{stack}-{switch.hostname}")
    for stack in ("lab", "prod")
    for switch in plan(load(ROOT / f"Pulumi.{stack}.yaml")).switches
]


def console(switch: SwitchPlan) -> Session:
    racked = Switch(switch.hostname, switch.model, "FDO00000001", "10.4(5)", str(switch.management))
    session = Session(build(World.load(LAB), racked, "admin", "secret", "192.0.2.1"), quiet=True)
    session.run("configure terminal")
    return session


@pytest.mark.parametrize("switch", PLANS)
def test_the_switch_takes_every_line_and_shows_it_back(switch: SwitchPlan) -> None:
    session = console(switch)
    lines = switch.text().splitlines()
    refused = {line: answer for line in lines if (answer := session.run(line))}
    assert refused == {}
    shown = set(session.run("show running-config").splitlines())
    assert [line for line in lines if line not in shown] == []


def keywords(session: Session, line: str) -> list[int]:
    """Places of the fixed words of a line, by the row that takes it in the mode where the session stands."""
    typed = tokens(line)
    for place in reversed(session.places):
        hit = find(session.device, place, typed, Failure())
        if hit is not None:
            found, negate = hit
            return [i + negate for i, exact in enumerate(found.match.exact) if exact == 2]
    raise AssertionError(f"no row takes {line!r}")


def test_a_line_with_one_keyword_misspelled_is_refused_at_it_or_after_it() -> None:
    switch = next(s for s in plan(load(ROOT / "Pulumi.lab.yaml")).switches if s.role == "leaf")
    session, judged = console(switch), set()
    for line in switch.text().splitlines():
        for index in keywords(session, line):
            if (line, index) in judged:
                continue
            judged.add((line, index))
            words = line.split()
            wrong = " ".join([*words[:index], words[index] + "zz", *words[index + 1 :]])
            column = len(session.prompt) + sum(len(w) + 1 for w in words[:index])
            caret, _, words_said = session.run(wrong).partition("^\n")
            assert words_said and len(caret) >= column, wrong
        assert session.run(line) == "", line
    assert len(judged) > 300
