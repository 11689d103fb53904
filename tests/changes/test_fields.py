"""Fields of the stack file and the class of what follows from them, on the fabric of twelve switches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from podwright.components import model
from podwright.components.changes.row import ChangeClass
from tools.field_changes import between, found
from tools.goldens import stack_file

Fabric = dict[str, Any]


def above_ospf(fabric: Fabric) -> None:
    fabric["underlay"] = {"kind": "ospf"}
    for leaf in fabric["leaves"].values():
        leaf["asn"] = 65001


TWO_ENDED: dict[str, Callable[[Fabric], Any]] = {
    "a leaf's AS": lambda fabric: fabric["leaves"]["leaf-01"].update(asn=64699),
    "the spines' AS": lambda fabric: [spine.update(asn=65009) for spine in fabric["spines"].values()],
    "the link pool": lambda fabric: fabric["addressing"].update(links="10.8.0.0/16"),
    "the loopbacks": lambda fabric: fabric["addressing"].update(loopbacks="10.0.7.0/24"),
    "an underlay without addresses": lambda fabric: fabric.update(underlay={"kind": "ebgp-unnumbered"}),
    "OSPF below": above_ospf,
    "the vPC domain": lambda fabric: fabric["frontend"]["vpc"].update(domain=77),
    "the DSCP": lambda fabric: fabric["lossless"].update(dscp=27),
    "the priority": lambda fabric: fabric["lossless"].update(priority=4, dscp=34),
    "a baseline": lambda fabric: fabric.update(baseline={"release": "2026.11"}),
    "the MTU": lambda fabric: fabric["lossless"].update(mtu=9100),
}


@pytest.mark.parametrize("change", TWO_ENDED.values(), ids=TWO_ENDED)
def test_what_two_ends_share_is_two_ended_on_twelve_switches(change: Callable[[Fabric], Any]) -> None:
    before = model.load(stack_file("prod"))
    dumped = before.model_dump(mode="json")
    change(dumped["fabric"])
    impacts = between(before.network, model.load(dumped).network)
    both = [each for each in impacts if each.change_class is ChangeClass.TWO_ENDED]
    assert both
    assert {each.device for each in both} <= {
        *dumped["fabric"]["leaves"],
        *dumped["fabric"]["spines"],
        "front-01",
        "front-02",
    }
    assert max(each.change_class for each in impacts) is ChangeClass.TWO_ENDED


def test_one_more_server_is_no_change_of_two_ends() -> None:
    whole = model.load(stack_file("prod")).network
    last = max(name for name in whole.hosts if name.startswith("gpu"))
    rest = {name: host for name, host in whole.hosts.items() if name != last}
    without = whole.model_copy(update={"hosts": rest})
    assert max(each.change_class for each in between(without, whole)) <= ChangeClass.DISRUPTIVE
    assert max(each.change_class for each in between(whole, without)) <= ChangeClass.DISRUPTIVE


def test_fields_are_found_by_changing_them() -> None:
    table = found(("lab",), ("fabric", "lossless"))
    classes = {
        name: max(each.change_class for each in one.found) if one and one.found else None for name, one in table.items()
    }
    assert classes["fabric.lossless.dscp"] is ChangeClass.TWO_ENDED
    assert classes["fabric.lossless.pfc"] is ChangeClass.DISRUPTIVE
    assert classes["fabric.lossless.watchdog"] is ChangeClass.LIVE
    assert classes["fabric.lossless.longest_cable_m"] is None
