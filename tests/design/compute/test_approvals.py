"""Approvals by role and by server: the names they hold for, and what the profile says of data on disks."""

from datetime import UTC, datetime
from typing import Any

import pytest

from podwright.components.changes.impact import impacts
from podwright.components.design.compute.model import DISKS, digest
from podwright.components.limits import limits
from podwright.components.model import Cluster, load
from podwright.components.model.problems import Loc
from podwright.components.providers.protocol.configuration import configuration_failures
from podwright.components.providers.protocol.limits import refusals
from tests.design import whole
from tests.model.changes import PROD
from tools.generated import ROOT

PROFILE = "podwright:intersight:ServerProfile"
LATER, EARLIER = "2099-01-31T00:00:00Z", "2001-01-31T00:00:00Z"
NOW = datetime(2050, 1, 1, tzinfo=UTC)
MIRROR = {"M2VirtualDrive": {"Enable": True, "ControllerSlot": "MSTOR-RAID-1", "Name": "system"}}


def approval(what: str, until: str = LATER) -> dict[str, Any]:
    return {"what": what, "until": until, "reason": "new drives"}


def stack(role: dict[str, Any], servers: dict[str, Any] | None = None, **more: Any) -> Cluster:
    said = load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json") | more
    said["compute"]["roles"] = {"serving": {"pools": ["inference"], **role}}
    for name, settings in (servers or {}).items():
        said["servers"][name] |= settings
    return load(said)


def at(place: Loc) -> str:
    return f"Pulumi.prod.yaml:{len(place)}"


def refused(cluster: Cluster, before: Cluster, now: datetime = NOW) -> dict[str, str]:
    """By server, why a change from `before` to this one is refused."""
    old, new = ({each.name: each.spec for each in whole.compute(one).profiles} for one in (before, cluster))
    config = limits(cluster, at)
    assert configuration_failures({key: value for key, value in config.items() if value}) == []
    found = {name: refusals(impacts(PROFILE, old[name], new[name]), config, now) for name in new}
    return {name: each[0].message for name, each in found.items() if each}


def test_disks_of_a_role_are_changed_with_its_approval_alone() -> None:
    before = stack({})
    found = refused(stack({"disks": MIRROR}), before)
    assert set(found) == {"inf-01", "inf-02", "inf-03"}
    assert "inf-01: wipe_digest: replaced: drives change their state" in found["inf-01"]
    assert (
        "no limit lets that pass. To let it pass, write below compute.roles.serving (Pulumi.prod.yaml:3): "
        in (found["inf-01"])
    )
    assert 'approve: [{what: wipe, until: "<time>", reason: "<why>"}]' in found["inf-01"]
    assert refused(stack({"disks": MIRROR, "approve": [approval("wipe")]}), before) == {}
    for other in ("reboot", "flap"):
        assert set(refused(stack({"disks": MIRROR, "approve": [approval(other)]}), before)) == set(found)
    without = stack({"disks": MIRROR}, changes={"limit": "replaced"})
    assert set(refused(without, before)) == set(found), "no limit lets data go"


def test_taking_the_disks_back_is_one_too_and_another_name_of_the_policy_is_none() -> None:
    mirrored = stack({"disks": MIRROR})
    assert set(refused(stack({}), mirrored)) == {"inf-01", "inf-02", "inf-03"}
    of_one = stack({"disks": MIRROR}, {"inf-02": {"disks": MIRROR}})
    assert refused(of_one, mirrored) == {}


def test_an_ended_approval_approves_nothing_and_is_named() -> None:
    found = refused(stack({"disks": MIRROR, "approve": [approval("wipe", EARLIER)]}), stack({}))
    assert set(found) == {"inf-01", "inf-02", "inf-03"}
    place = "its approval (compute.roles.serving.approve[0], Pulumi.prod.yaml:5) ended at 2001-01-31T00:00:00Z"
    assert all(place in sentence for sentence in found.values())


def test_a_servers_own_approval_holds_for_it_alone() -> None:
    servers = {"inf-02": {"approve": [approval("wipe")]}}
    assert set(refused(stack({"disks": MIRROR}, servers), stack({}))) == {"inf-01", "inf-03"}
    listed = {"approve": [{**approval("wipe"), "on": ["inf-01", "inf-03"]}]}
    assert refused(stack({"disks": MIRROR}, servers, changes=listed), stack({})) == {}


def test_a_server_without_a_role_is_approved_by_itself() -> None:
    found = refused(stack({}, {"cp-01": {"disks": MIRROR}}), stack({}))
    assert "write below servers.cp-01 (Pulumi.prod.yaml:2): approve: [" in found["cp-01"]


def test_a_role_approves_for_what_its_servers_alone_use() -> None:
    (given,) = limits(stack({"disks": MIRROR, "approve": [approval("wipe")]}), at)["changes"]["approve"]
    assert {"inf-01", "prod-storage-serving"} < set(given["on"])
    assert not {"cp-01", "prod-kvm", "prod-ntp"} & set(given["on"]), "others have these too"
    assert given["key"] == "compute.roles.serving.approve[0]"


def test_without_approvals_an_instance_has_the_inputs_it_had() -> None:
    assert limits(load(PROD), lambda _: "")["changes"] is None
    for one in ("lab", "prod"):
        plan = whole.compute(load(ROOT / f"Pulumi.{one}.yaml"))
        assert all("wipe_digest" not in each.spec for each in plan.profiles)
    before = {"what": "two-ended", "on": ["leaf-01"], "until": LATER, "reason": "new AS numbers"}
    assert limits(stack({}, changes={"approve": [before]}), at)["changes"] == {"approve": [before]}


def test_a_digest_that_an_earlier_release_left_out_is_no_change() -> None:
    spec = {"name": "a", "digest": "1"}
    assert impacts(PROFILE, spec, {**spec, "wipe_digest": digest(DISKS)}) == ()


@pytest.mark.parametrize("what", ["disruptive", "wipes"])
def test_a_role_approves_what_happens_to_servers_and_nothing_else(what: str) -> None:
    with pytest.raises(Exception, match=r"compute\.roles\.serving\.approve\[0\]\.what"):
        stack({"approve": [approval(what)]})
