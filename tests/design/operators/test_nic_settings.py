"""NICs of the lossless class: one definition, on every rail, in the words of NVIDIA's operators."""

from typing import Any

import pytest

from podwright.components.design import hardware, operators
from podwright.components.design.operators import nic_settings, readiness
from podwright.components.model import Cluster, Lossless
from tests.design import whole
from tests.design.goldens import STACKS, cluster


@pytest.fixture(params=STACKS)
def defined(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _settings(of: Cluster, kind: str) -> list[dict[str, Any]]:
    return [each for operator in whole.operators(of) for each in operator.settings if each["kind"] == kind]


def _with(lossless: dict[str, Any]) -> Cluster:
    lab = cluster("lab")
    changed = lab.fabric.lossless.model_copy(update=lossless)
    return lab.model_copy(update={"fabric": lab.fabric.model_copy(update={"lossless": changed})})


def _template(of: Cluster) -> dict[str, Any]:
    (found,) = _settings(of, "NicConfigurationTemplate")
    template: dict[str, Any] = found["spec"]["template"]
    return template


def _firmware(of: Cluster) -> dict[str, str]:
    return {row["name"]: row["value"] for row in _template(of)["rawNvConfig"]}


def test_every_rail_nic_is_selected_by_exactly_one_template(defined: Cluster) -> None:
    """A device that two templates select is given the settings of neither."""
    found = _settings(defined, "NicConfigurationTemplate")
    for name, server in defined.nodes.items():
        for nic in hardware.rails(server) if defined.pools.get(server.pool or "") else ():
            selecting = [
                each["metadata"]["name"] for each in found
                if each["spec"]["nodeSelector"] == {"podwright.io/pool": server.pool}
                and each["spec"]["nicSelector"]["nicType"] == nic.device
                and nic.pci in each["spec"]["nicSelector"]["pciAddresses"]
            ]  # fmt: skip
            assert len(selecting) == 1, f"{name} rail {nic.rail}: {selecting}"


def test_nics_trust_and_pause_what_the_switches_do() -> None:
    assert _template(cluster("lab"))["roceOptimized"] == {
        "enabled": True, "qos": {"trust": "dscp", "pfc": "0,0,0,1,0,0,0,0", "tos": 106},
    }  # fmt: skip
    other = _template(_with({"dscp": 34, "priority": 4}))["roceOptimized"]["qos"]
    assert other == {"trust": "dscp", "pfc": "0,0,0,0,1,0,0,0", "tos": 34 << 2 | 2}
    assert _template(_with({"pfc": "off"}))["roceOptimized"]["qos"]["pfc"] == "0,0,0,0,0,0,0,0"


@pytest.mark.parametrize(("dscp", "priority"), [(48, "6"), (46, "5"), (40, "5")])
def test_notifications_carry_the_mark_that_switches_classify(dscp: int, priority: str) -> None:
    """Without raw values the operator writes DSCP 4 and priority 6."""
    marked = _firmware(_with({"cnp_dscp": dscp}))
    assert marked == {
        "CNP_DSCP_P1": str(dscp), "CNP_802P_PRIO_P1": priority, "CNP_DSCP_P2": str(dscp), "CNP_802P_PRIO_P2": priority,
    }  # fmt: skip


def test_firmware_and_policies_agree_on_functions(defined: Cluster) -> None:
    policies = {each["spec"]["numVfs"] for each in _settings(defined, "SriovNetworkNodePolicy")}
    templates = {each["spec"]["template"]["numVfs"] for each in _settings(defined, "NicConfigurationTemplate")}
    links = {each["spec"]["template"]["linkType"] for each in _settings(defined, "NicConfigurationTemplate")}
    assert (policies, templates, links) == ({1}, {1}, {"Ethernet"})


def test_firmware_has_one_writer_and_functions_wait_for_it(defined: Cluster) -> None:
    (config,) = _settings(defined, "SriovOperatorConfig")
    assert config["spec"]["disablePlugins"] == ["mellanox"]
    assert config["spec"]["configDaemonNodeSelector"] == {
        "node-role.kubernetes.io/worker": "",
        "network.nvidia.com/operator.mofed.wait": "false",
        "network.nvidia.com/operator.nic-configuration.wait": "false",
    }
    (policy,) = _settings(defined, "NicClusterPolicy")
    assert set(policy["spec"]["nicConfigurationOperator"]) == {"operator", "configurationDaemon"}
    names = [operator.name for operator in whole.operators(defined)]
    assert names == [
        "nfd", "nvidia-maintenance-operator", "nvidia-network-operator", "sriov-network-operator",
        "gpu-operator-certified",
    ]  # fmt: skip


def test_restarts_keep_to_the_narrowest_budget_and_leave_a_place_for_functions() -> None:
    (config,) = _settings(cluster("lab"), "MaintenanceOperatorConfig")
    assert config["spec"] == {"logLevel": "info", "maxParallelOperations": 1, "maxUnavailable": 1}
    pools = [
        pool.model_copy(update={"name": str(width), "max_unavailable": width})
        for pool in whole.rail_pools(cluster("lab"))[:1] for width in (5, 4)
    ]  # fmt: skip
    section = cluster("lab").operators
    assert section is not None
    (shared,) = operators.maintenance(section, pools).settings
    assert (shared["spec"]["maxParallelOperations"], shared["spec"]["maxUnavailable"]) == (3, 3)


def test_functions_wait_until_each_rail_shows_these_settings() -> None:
    pool = next(each for each in whole.rail_pools(cluster("lab")) if each.nics)
    spec = readiness.configured(pool, Lossless())
    assert spec["resources"] == {}
    assert spec["nics"]["rails"] == {str(each.rail): list(each.pci) for each in pool.nics}
    assert spec["nics"]["template"] == nic_settings.settings_of(Lossless())
    other = readiness.configured(pool, Lossless(cnp_dscp=46))
    assert other["trigger"] != spec["trigger"]
