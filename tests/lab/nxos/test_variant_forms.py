"""What a switch of the lab does in the forms of variants that are not its first ones."""

from __future__ import annotations

from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.world.model import World
from tests.lab.rack import LAB, SWITCHED

QUEUES = ("class type queuing c-out-8q-q3", "class type queuing c-out-8q-q-default", "class type queuing c-out-8q-q7")


def configuring(**forms: str) -> Session:
    """A switch of these forms in configuration mode."""
    world = World.load(LAB, variants=dict(SWITCHED) | forms)
    session = Session(build(world, world.switches["leaf-01"], "admin", "x", "192.0.2.1"), quiet=True, dont_ask=True)
    session.run("configure terminal")
    return session


def typed(session: Session, *lines: str) -> str:
    return "".join(session.run(line) for line in lines)


def test_an_address_that_another_interface_has() -> None:
    lines = ("interface Ethernet1/1", "no switchport", "ip address 192.0.2.0/31", "interface Ethernet1/2",
             "no switchport", "ip address 192.0.2.1/31")  # fmt: skip
    assert "overlaps with address" in typed(configuring(), *lines)
    assert typed(configuring(overlap="taken"), *lines) == ""


def test_another_map_for_a_port_that_is_broken_out() -> None:
    lines = [f"interface breakout module 1 port 5 map {word}" for word in ("200g-2x", "100g-4x")]
    assert "remove that first" in typed(configuring(), *lines)
    session = configuring(remap="taken")
    assert typed(session, *lines) == ""
    assert [name for name in session.device.interfaces("Ethernet") if name.startswith("Ethernet1/5/")] == [
        f"Ethernet1/5/{lane}" for lane in (1, 2, 3, 4)
    ]
    assert "map 200g-2x" not in session.run("show running-config")


def test_classes_of_a_queuing_policy() -> None:
    for form, order in (("as-entered", QUEUES), ("by-name", sorted(QUEUES))):
        session = configuring(classes=form)
        assert typed(session, "policy-map type queuing EGRESS", *QUEUES) == ""
        shown = session.run("show running-config")
        assert sorted(QUEUES, key=shown.index) == list(order)


def test_a_rollback_whose_additions_come_first_fails_on_what_is_in_the_way() -> None:
    for form, ended in (("removals-first", "completed successfully"), ("additions-first", "Rollback failed")):
        session = configuring(patch=form)
        before = ("interface Ethernet1/1", "no switchport", "ip address 192.0.2.0/31")
        after = ("interface Ethernet1/1", "no ip address 192.0.2.0/31", "interface Ethernet1/2", "no switchport",
                 "ip address 192.0.2.0/31")  # fmt: skip
        assert typed(session, *before, "end", "checkpoint one", "configure terminal", *after, "end").count("%") == 0
        assert ended in session.run("rollback running-config checkpoint one")
        port = session.run("show running-config interface Ethernet1/2")
        assert ("192.0.2.0/31" in port) is (form == "additions-first")
