"""The table of Intersight properties: rows for everything that the design writes, and what two specs cost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from podwright.components import model
from podwright.components.changes.disruption import UNSURE, Disruption
from podwright.components.changes.impact import impacts
from podwright.components.changes.policies import AS_OF, ROWS
from podwright.components.changes.property_changes import property_changes, row_of, what_restarts
from podwright.components.changes.row import ChangeClass
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.intersight.table import object_types, rules_of
from podwright.components.providers.protocol.limits import refusals
from tests.design import whole
from tools.goldens import stack_file

NONE, FLAP, REBOOT, WIPE = Disruption
POLICY = "podwright:intersight:Policy"
NOT_POLICIES = {"compute.ServerSetting", "server.Profile", "server.ProfileTemplate", "chassis.Profile"}
NOT_POLICIES |= {"chassis.ProfileTemplate", "fabric.SwitchProfileTemplate", "fabric.SwitchClusterProfileTemplate"}
NOT_POLICIES |= {"fabric.SwitchProfile", "fabric.SwitchClusterProfile", "resource.Group"}


def designed() -> Iterator[dict[str, Any]]:
    for name in ("lab", "prod"):
        plan = whole.compute(model.load(stack_file(name)))
        yield from (each.spec("default") for each in (*plan.policies, *plan.pools))


def test_every_property_of_every_designed_policy_has_a_row() -> None:
    missing = set()
    for spec in designed():
        for each in (spec, *spec["children"]):
            kind = each["object_type"]
            names = {*each["properties"], *each["references"]}
            missing |= {(kind, name) for name in names if row_of(kind, name).object_type != kind}
    assert missing == set()


def test_every_type_that_can_be_written_has_rows_for_itself_and_for_properties_without_one() -> None:
    assert set(object_types()) - NOT_POLICIES - set(ROWS) == set()
    assert {kind for kind, rows in ROWS.items() if not {"", "*"} <= set(rows)} == set()


def test_rows_name_properties_that_exist_and_give_reason_and_source() -> None:
    assert date.fromisoformat(AS_OF)
    wrong = [
        (kind, name)
        for kind in set(ROWS) & set(object_types())
        for name in ROWS[kind]
        if name not in ("", "*") and name.partition(".")[0] not in rules_of(kind)
    ]
    assert wrong == []
    every = [row for rows in ROWS.values() for row in rows.values()]
    assert [row for row in every if not row.reason or not row.source] == []
    assert any(UNSURE in row.source for row in every)


def spec(kind: str, properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schema": 1, "object_type": kind, "name": "x", "organization": "o", "properties": properties, **more}


def vnics(*names: str, uplink: int = 0) -> list[dict[str, Any]]:
    properties = {"Order": 0, "Placement": {"Id": "1", "Uplink": uplink}}
    return [{"object_type": "vnic.EthIf", "name": name, "properties": properties} for name in names]


GROUP = "fabric.EthNetworkGroupPolicy"
LAN = "vnic.LanConnectivityPolicy"


@pytest.mark.parametrize(
    ("old", "new", "name", "disruption"),
    [
        (spec(GROUP, {"VlanSettings": {"AllowedVlans": "1-3", "NativeVlan": 1}}),
         spec(GROUP, {"VlanSettings": {"AllowedVlans": "1-4", "NativeVlan": 1}}), "VlanSettings.AllowedVlans", NONE),
        (spec(GROUP, {"VlanSettings": {"NativeVlan": 1}}), spec(GROUP, {"VlanSettings": {"NativeVlan": 2}}),
         "VlanSettings.NativeVlan", FLAP),
        (spec(LAN, {}, children=vnics("eth0")), spec(LAN, {}, children=vnics("eth0", "eth1")), "eth1", REBOOT),
        (spec(LAN, {}, children=vnics("eth0", "eth1")), spec(LAN, {}, children=vnics("eth0")), "eth1", REBOOT),
        (spec(LAN, {}, children=vnics("eth0")), spec(LAN, {}, children=vnics("eth0", uplink=1)),
         "eth0.Placement.Uplink", REBOOT),
        (spec("bios.Policy", {"SrIov": "enabled"}), spec("bios.Policy", {}), "SrIov", REBOOT),
        (spec("ntp.Policy", {"Enabled": True}), spec("ntp.Policy", {"Enabled": False}), "Enabled", NONE),
        (spec("storage.StoragePolicy", {"UnusedDisksState": "NoChange"}),
         spec("storage.StoragePolicy", {"UnusedDisksState": "Jbod"}), "UnusedDisksState", WIPE),
        (spec("some.Policy", {"A": 1}), spec("some.Policy", {"A": 2}), "A", REBOOT),
    ],
)  # fmt: skip
def test_what_a_change_costs(old: dict[str, Any], new: dict[str, Any], name: str, disruption: Disruption) -> None:
    (found,) = property_changes(old, new)
    assert (found.name, found.row.disruption) == (name, disruption)


def test_what_a_server_restarts_for_has_a_digest_of_its_own() -> None:
    bios, ntp = spec("bios.Policy", {"SrIov": "enabled"}), spec("ntp.Policy", {"Enabled": True})
    before = what_restarts({"b": bios, "n": ntp, "g": spec(GROUP, {"VlanSettings": {"AllowedVlans": "1"}})})
    assert before == what_restarts({"b": bios, "n": spec("ntp.Policy", {"Enabled": False})})
    assert before != what_restarts({"b": spec("bios.Policy", {"SrIov": "disabled"}), "n": ntp})


def test_what_a_property_that_only_a_new_object_is_given_would_cost_is_nothing() -> None:
    pool = spec("macpool.Pool", {"MacBlocks": [1]}, initial=["MacBlocks"])
    assert property_changes(pool, {**pool, "properties": {"MacBlocks": [2]}}) == ()


def test_data_is_lost_only_with_an_approval_and_a_link_flaps_with_a_warning() -> None:
    config: dict[str, Any] = {}
    now = datetime.now(UTC)
    disks = [spec("storage.StoragePolicy", {"UnusedDisksState": each}) for each in ("NoChange", "Jbod")]
    (lost,) = impacts(POLICY, *disks)
    assert lost.change_class is ChangeClass.REPLACED
    (failure,) = refusals([lost], config, now)
    assert "what: wipe, on: [x]" in failure.message
    native = [spec(GROUP, {"VlanSettings": {"NativeVlan": each}}) for each in (1, 2)]
    (flap,) = impacts(POLICY, *native)
    assert (flap.change_class, flap.row.verb) == (ChangeClass.DISRUPTIVE, "lose a link for a moment")
    bios = [spec("bios.Policy", {"SrIov": each}) for each in ("enabled", "disabled")]
    (restart,) = impacts(POLICY, *bios)
    assert restart.change_class is ChangeClass.LIVE
    kind = next(kind for kind in KINDS if kind.token == POLICY)
    (sentence,) = kind.notices({"spec": bios[0]}, {"spec": bios[1]})
    assert sentence.startswith("x: SrIov: servers whose profile uses it restart in their pool's roll-out: ")
