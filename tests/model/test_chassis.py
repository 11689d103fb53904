"""A chassis: how much stands in it, and what its supplies do when a feed is lost."""

import copy

import pytest

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.failures import effects
from podwright.components.model import coherence
from podwright.components.model.coherence import management
from podwright.components.model.expand import expand
from podwright.components.model.problems import dotted
from tests.model.changes import PROD, Said, both, put
from tests.model.hardware_cases import HOT, INSIDE


def eight(gpus: int) -> Said:
    """Eight blades in one chassis, the first of them with GPUs beside them."""
    said = copy.deepcopy(PROD)
    INSIDE(said)
    base = said["servers"]["cp-01"] | {"pool": "inference"}
    for number in range(3, 9):
        said["servers"][f"b-{number}"] = base | {
            "index": 50 + number,
            "serial": f"FCH2629000{number}",
            "address": f"198.51.100.{60 + number}",
            "boot_mac": f"02:25:b5:00:09:0{number}",
            "slot": f"x-1/{number}",
            **({"gpus": "NVIDIA-L40S"} if number < 3 + gpus else {}),
        }
    said["pools"]["inference"].pop("mig")
    put("site/watts", {"UCSX-210C-M7": 1000})(said)
    return said


def judged(said: Said) -> list[str]:
    cluster = model.Cluster.model_validate(said)
    found = (each for check in coherence.CHECKS for each in check(cluster))
    return [f"{dotted(each.loc)}: {each.message}" for each in found if "chassis" in each.loc or "slot" in each.loc]


def test_pcie_nodes_take_slots_too() -> None:
    said = eight(0)
    said["servers"]["inf-01"].pop("gpus")
    assert judged(said) == []
    found = judged(eight(1))
    assert found == [
        "domains.x-series.chassis.x-1: 8 slots of blades and 2 PCIe nodes with their GPUs are more than 8 slots"
    ]


@pytest.mark.parametrize(
    ("redundancy", "enough"), [("Grid", False), ("N+1", True), ("N+2", True), ("NotRedundant", True)]
)
def test_a_mode_leaves_what_it_does_not_keep_back(redundancy: str, enough: bool) -> None:
    said = copy.deepcopy(PROD)
    both(INSIDE, HOT, put("domains/x-series/chassis/x-1/redundancy", redundancy))(said)
    assert (judged(said) == []) is enough


@pytest.mark.parametrize(("watts", "lost"), [(4200, set()), (4300, {"inf-01", "cp-01"})])
def test_a_lost_feed_takes_the_blades_that_three_supplies_do_not_carry(watts: int, lost: set[str]) -> None:
    said = copy.deepcopy(PROD)
    both(INSIDE, put("site/watts", {"UCSX-210C-M7": watts}), put("domains/x-series/chassis/x-1/redundancy", "N+1"))(
        said
    )
    cluster = model.Cluster.model_validate(said)
    found = effects(cluster.network, fabric.plan(cluster.network))
    for feed in ("feed-a", "feed-b"):
        (loss,) = (each.loss for each in found if (each.loss.kind, each.loss.name) == ("feed", feed))
        assert loss.devices & {"inf-01", "cp-01"} == lost


def profiled(said: Said, **profile: object) -> Said:
    said["domains"]["x-series"]["chassis"]["x-1"]["profile"] = {"serial": "FOX2629000X"} | profile
    return said


def test_a_limit_below_what_blades_draw_and_a_reserve_that_is_none_are_refused() -> None:
    said = copy.deepcopy(PROD)
    INSIDE(said)
    assert judged(profiled(said)) == []
    assert "slowed down, or stay off" in judged(profiled(said, limit_watts=100))[0]
    put("domains/x-series/chassis/x-1/redundancy", "NotRedundant")(said)
    assert judged(profiled(said, lends_reserve=True)) == [
        "domains.x-series.chassis.x-1.profile.lends_reserve: under NotRedundant nothing is kept back that could be lent"
    ]


def test_its_name_and_serial_number_are_its_own() -> None:
    said = copy.deepcopy(PROD)
    INSIDE(said)
    taken = said["domains"]["x-series"]["serials"]["A"]
    assert judged(profiled(said, serial=taken)) == [
        f"domains.x-series.chassis.x-1.profile.serial: the serial number {taken} is taken by domains.x-series.serials.A"
    ]


def test_it_takes_an_address_of_the_pool_too() -> None:
    said = copy.deepcopy(PROD)
    INSIDE(said)
    cluster = model.Cluster.model_validate(profiled(said))
    count = len(management.attached(cluster.servers))
    said["intersight"]["management"]["addresses"] = {"range": f"192.0.2.64-{63 + count}/24"}
    cluster = model.Cluster.model_validate(said)
    found = [each.message for check in coherence.CHECKS for each in check(cluster) if "range" in each.loc]
    assert found == [f"{count} addresses for {count} servers and 1 chassis behind Fabric Interconnects"]


def uuids(said: Said) -> list[str]:
    cluster = model.Cluster.model_validate(said)
    found = (each for check in coherence.CHECKS for each in check(cluster))
    return [f"{dotted(each.loc)}: {each.message}" for each in found if "uuids" in each.loc]


def test_a_pool_of_uuids_has_takers_and_ends_where_uuids_do() -> None:
    said = copy.deepcopy(PROD)
    said["intersight"]["uuids"] = {}
    assert uuids(said) == []
    said["intersight"]["uuids"] = {"first": "ffff-ffffffffff01"}
    assert uuids(said) == ["intersight.uuids.first: fewer than the 256 UUIDs of a block are left after this one"]
    for server in said["servers"].values():
        server["own_uuid"] = True
    said["intersight"]["uuids"] = {}
    assert "no server takes a UUID" in uuids(said)[0]


def seated(*names: str) -> Said:
    """Blades without serial numbers, in the slots of a chassis that has one."""
    said = copy.deepcopy(PROD)
    INSIDE(said)
    profiled(said)
    for name in names:
        said["servers"][name].pop("serial")
    return said


def test_a_blade_without_a_serial_number_is_the_one_in_its_slot() -> None:
    servers = expand(seated("inf-01")).value["servers"]
    assert servers["inf-01"]["serial"] == "FOX2629000X/1"
    assert servers["cp-01"]["serial"] == PROD["servers"]["cp-01"]["serial"]


def test_two_blades_of_one_slot_are_one_finding() -> None:
    said = seated("inf-01", "cp-01")
    put("servers/cp-01/slot", "x-1/1")(said)
    with pytest.raises(model.SpecErrors) as refused:
        model.load(said)
    about = [each.message for each in refused.value.problems if {"slot", "serial"} & set(each.loc)]
    assert about == ["slot 1 of x-1 is taken by cp-01"]


def test_a_slot_of_a_chassis_without_a_profile_names_no_blade() -> None:
    said = seated("inf-01")
    said["domains"]["x-series"]["chassis"]["x-1"].pop("profile")
    with pytest.raises(model.SpecErrors) as refused:
        model.load(said)
    (found,) = (each for each in refused.value.problems if dotted(each.loc) == "servers.inf-01.serial")
    assert "of a blade with a slot: its chassis's `profile.serial` and the slot" in found.hint
