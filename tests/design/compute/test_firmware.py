"""Firmware: a policy per family, a profile that knows its approval, and no restart of a server of another family."""

import copy
from typing import Any

import pytest

from podwright.components.design.compute import digest, redfish_server, restarted_for
from podwright.components.design.platform import node_pool
from podwright.components.model import Cluster
from podwright.components.model.coherence import own_firmware_problems
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tests.model import controller_firmware_cases as controller
from tests.model.changes import PROD, both, put
from tests.model.firmware_cases import APPROVED, NEWER, SET, VERSIONS, own_policy

BLADES = ("cp-01", "cp-02", "cp-03", "inf-01", "inf-02", "inf-03")


def redfish(said: Any) -> list[dict[str, Any]]:
    """Specs of the servers that Redfish reaches."""
    cluster = Cluster.model_validate(said)
    of = {name: each for name, each in cluster.servers.items() if each.model == controller.MODEL}
    assert cluster.bmc is not None
    return [redfish_server(name, each, cluster.bmc) for name, each in of.items()]


def plan(version: str) -> Any:
    said = copy.deepcopy(PROD)
    both(APPROVED, put("intersight/firmware/versions", {"UCSX-210C-M7": version}))(said)
    return whole.compute(Cluster.model_validate(said))


def test_each_profile_has_the_policy_of_its_family_and_what_permits_it() -> None:
    found = plan(VERSIONS["UCSX-210C-M7"])
    (policy,) = (each for each in found.policies if each.object_type == "firmware.Policy")
    assert policy.properties["TargetPlatform"] == "FIAttached"
    assert [each["BundleVersion"] for each in policy.properties["ModelBundleCombo"]] == [VERSIONS["UCSX-210C-M7"]]
    permitted = {"version": VERSIONS["UCSX-210C-M7"], "until": "2999-01-01", "source": "CHG-1"}
    kinds = {kind.token: kind for kind in KINDS}
    for profile in found.profiles:
        assert profile.spec["firmware"] == permitted
        assert policy.reference in profile.spec["policies"]
        assert kinds["podwright:intersight:ServerProfile"].check({"spec": profile.spec}, CheckContext()) == []
    assert kinds["podwright:intersight:Policy"].check({"spec": policy.spec("o")}, CheckContext()) == []


def test_another_version_waits_for_the_next_restart_of_each_server_of_the_family() -> None:
    before, after = plan(VERSIONS["UCSX-210C-M7"]), plan(NEWER)
    assert all(before.digests[name] != after.digests[name] for name in BLADES)
    assert all(each.spec["action"] == "stage" for each in after.profiles)


@pytest.mark.parametrize("spelling", [NEWER, f"{NEWER}B"])
def test_a_firmware_policy_of_the_sites_own_takes_its_place_and_needs_the_same_approval(spelling: str) -> None:
    said = copy.deepcopy(PROD)
    both(SET, put("servers/inf-01/policies", {"newest": own_policy(spelling)}))(said)
    profiles = {each.spec["name"]: each for each in whole.compute(Cluster.model_validate(said)).profiles}
    kinds = [each.object_type for each in profiles["inf-01"].policies]
    assert kinds.count("firmware.Policy") == 1
    assert profiles["inf-01"].spec["firmware"] == {"version": NEWER, "until": "2999-01-01", "source": "CHG-1"}
    assert profiles["inf-02"].spec["firmware"]["version"] == VERSIONS["UCSX-210C-M7"]


def test_a_policy_of_the_sites_own_without_the_server_s_family_changes_no_firmware() -> None:
    said = copy.deepcopy(PROD)
    other = own_policy(NEWER, "UCSX-410C-M7")
    both(SET, put("servers/inf-01/policies", {"newest": other}))(said)
    cluster = Cluster.model_validate(said)
    profiles = {each.spec["name"]: each for each in whole.compute(cluster).profiles}
    assert "firmware" not in profiles["inf-01"].spec
    assert own_firmware_problems(cluster.intersight.firmware, cluster.servers, {}) == []  # type: ignore[union-attr]


def test_a_file_without_versions_makes_no_policy() -> None:
    found = whole.compute(Cluster.model_validate(PROD))
    assert not [each for each in found.policies if each.object_type == "firmware.Policy"]
    assert not [each for each in found.profiles if "firmware" in each.spec]


def test_a_server_with_a_controller_of_its_own_is_told_what_it_is_compared_with() -> None:
    said = copy.deepcopy(PROD)
    both(controller.APPROVED, put("bmc/firmware/versions", {controller.MODEL: "1.1(0.250022)"}))(said)
    machines = {each["name"]: each for each in redfish(said)}
    components = {"BIOS": "4.4", "BMC": "1.1.9"}
    permitted = {"version": "1.1(0.250022)", "until": "2999-01-01", "source": "CHG-2", "components": components}
    assert {name: each.get("firmware") for name, each in machines.items() if each["model"] == controller.MODEL} == {
        name: permitted for name, each in machines.items() if each["model"] == controller.MODEL
    }
    assert any(each["model"] == controller.MODEL for each in machines.values())
    plain = redfish(PROD)
    assert not [each for each in plain if "firmware" in each]


def test_a_release_with_images_is_brought_by_the_roll_out_and_moving_an_image_restarts_nobody() -> None:
    def planned(**change: object) -> tuple[dict[str, Any], dict[str, Any]]:
        said = copy.deepcopy(PROD)
        release = controller.approval("1.1(0.250022)", images=[{**controller.IMAGE, **change}])
        put("bmc/firmware/approved", {controller.MODEL: [release]})(said)
        put("bmc/firmware/versions", {controller.MODEL: "1.1(0.250022)"})(said)
        machine = next(each for each in redfish(said) if each["model"] == controller.MODEL)
        cluster = Cluster.model_validate(said)
        host = machine["name"]
        server = cluster.servers[host]
        plan = node_pool(server.pool, cluster.pools[server.pool], {host: server}, cluster.bmc, cluster.intersight)
        return machine, plan.rollout["nodes"][0]

    machine, node = planned()
    image = {**controller.IMAGE, "components": ["BIOS", "BMC"]}
    assert machine["firmware"]["images"] == [image]
    assert node["firmware"] == machine["firmware"]
    moved, _ = planned(url="http://192.0.2.3/c885a.bin")
    assert digest(restarted_for(moved)) == digest(restarted_for(machine))
    other = {**machine, "firmware": {**machine["firmware"], "components": {"BIOS": "4.5"}}}
    assert digest(restarted_for(other)) != digest(restarted_for(machine))
    compared = {**machine, "firmware": {key: machine["firmware"][key] for key in ("components", "version")}}
    assert digest(restarted_for(compared)) == digest(machine["bios"]), "what is compared only restarts nobody"
