"""Each line that any example's switch receives has a source: a row of the command table that names where it was read.

The table belongs to the lab, which is written from the vendor's documents; an invented line has no row there.
"""

from collections.abc import Iterator
from functools import cache

import pytest

from podwright.components import model
from podwright.components.design import fabric
from podwright.lab.nxos.configure import find
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.syntax import Failure, tokens
from podwright.lab.nxos.table import table
from podwright.lab.world.model import Switch, World
from tests.lab.rack import LAB
from tools import goldens

ROLES = [
    (example, switch)
    for example in goldens.examples()
    for switch in {
        each.role: each for each in fabric.plan(model.load(goldens.stack_file(example)).network).switches
    }.values()
]
"""One switch of each role of each example: the others differ in names, numbers and addresses."""


def sources(model: str, text: str) -> Iterator[tuple[str, str | None]]:
    """Each line of a device text with the source of the row that takes it; None where no row does."""
    racked = Switch("golden", model, "FDO00000001", "10.5(3)", "192.0.2.11")
    session = Session(build(World.load(LAB), racked, "admin", "secret", "192.0.2.1"), quiet=True)
    session.run("configure terminal")
    for line in text.splitlines():
        yield line, _source(session, line)
        session.run(line)


def _source(session: Session, line: str) -> str | None:
    for place in reversed(session.places):
        hit = find(session.device, place, tokens(line), Failure())
        if hit is not None:
            return hit[0].command.source
    return None


@cache
def documents() -> dict[str, object]:
    return dict(table().sources)


@pytest.mark.parametrize(("example", "switch"), ROLES, ids=[f"{name}-{each.hostname}" for name, each in ROLES])
def test_every_line_names_the_document_it_was_read_in(example: str, switch: fabric.SwitchPlan) -> None:
    found = dict(sources(switch.model, switch.text()))
    assert [line for line, source in found.items() if source is None] == []
    assert {source for source in found.values() if source is not None} <= documents().keys()


@pytest.mark.parametrize(
    "line",
    [
        "hardware qos ecn",
        "priority-flow-control watch-dog-interval maybe",
        "interface Ethernet1/1\n  priority-flow-control mode always",
        "router bgp 65001\n  maximum-paths many",
        "made up",
    ],
)
def test_a_line_without_a_source_is_found(line: str) -> None:
    """The test above can fail: an invented line, and a right one with a wrong word, have none."""
    text = "feature bgp\n" + line
    assert [each for each, source in sources("N9K-C9364D-GX2A", text) if source is None] == [line.splitlines()[-1]]
