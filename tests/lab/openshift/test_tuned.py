"""Tuned profiles of nodes: which one is recommended, what it comes to, and what the daemon refuses."""

from typing import Any

import pytest

from podwright.components.design.platform import tuned as design
from podwright.lab.openshift import tuned
from tests.design.goldens import cluster
from tests.lab.openshift.test_pools import _pool

NODE = {"metadata": {"name": "gpu-1", "labels": {"node-role.kubernetes.io/training": ""}}}
OTHER = {"metadata": {"name": "gpu-2", "labels": {"node-role.kubernetes.io/worker": ""}}}
ROLE = {"machineconfiguration.openshift.io/role": "training"}
BELOW = "[sysctl]\nvm.stat_interval=10\n[vm]\ntransparent_hugepages=never\n"
PERFORMANCE = {
    "spec": {
        "profile": [{"name": "openshift-node-performance-training", "data": BELOW}],
        "recommend": [{"profile": "openshift-node-performance-training", "priority": 20, "machineConfigLabels": ROLE}],
    }
}
POOLS = [_pool("training")]


def _ours(gib: int, **changes: Any) -> dict[str, Any]:
    stack = cluster("lab")
    pool = stack.pools["training"].model_copy(update={"hugepages_gib": gib, **changes})
    servers = {name: each for name, each in stack.servers.items() if each.pool == "training"}
    made = design.tuned("training", pool, servers)
    assert made is not None
    return made


def _values(*tuneds: dict[str, Any]) -> tuple[str, tuned.Settings, list[str]]:
    objects = [{"spec": tuned.DEFAULT}, *tuneds]
    texts = {each["name"]: each["data"] for made in objects for each in made["spec"].get("profile", [])}
    name = tuned.recommended(NODE, objects, POOLS)
    return name, *tuned.values(name, texts)


def test_a_node_has_its_own_profile_over_that_of_its_performance_profile() -> None:
    name, settings, warnings = _values(PERFORMANCE)
    assert name == "openshift-node-performance-training"
    assert settings == {"sysctl": {"vm.stat_interval": "10"}, "vm": {"transparent_hugepages": "never"}}
    name, settings, warnings = _values(PERFORMANCE, _ours(16))
    assert (name, warnings) == ("podwright-training", [])
    own = {"vm.stat_interval": "10", "kernel.numa_balancing": "0"}
    assert settings == {"sysctl": own, "vm": {"transparent_hugepages": "always"}}


def test_without_a_performance_profile_it_is_over_the_platforms_own() -> None:
    name, settings, _ = _values(_ours(0, transparent_hugepages="madvise"))
    assert (name, settings["vm"]) == ("podwright-training", {"transparent_hugepages": "madvise"})


def test_nodes_of_other_pools_keep_what_the_platform_has() -> None:
    objects: list[dict[str, Any]] = [{"spec": tuned.DEFAULT}, PERFORMANCE, _ours(16)]
    assert tuned.recommended(OTHER, objects, POOLS) == "openshift-node"
    control = {"metadata": {"name": "cp-1", "labels": {"node-role.kubernetes.io/control-plane": ""}}}
    assert tuned.recommended(control, objects, POOLS) == "openshift-control-plane"


def test_an_include_that_nobody_defines_is_refused() -> None:
    with pytest.raises(tuned.ProfileError, match="Cannot find profile 'openshift-node-performance-training'"):
        _values(_ours(16))


def test_a_value_that_the_kernel_does_not_have_is_left_out_with_a_warning() -> None:
    _, settings, warnings = _values({
        "spec": {
            "profile": [{"name": "own", "data": "[main]\ninclude=openshift-node\n[vm]\ntransparent_hugepages=off\n"}],
            "recommend": [{"profile": "own", "priority": 1}],
        }
    })  # fmt: skip
    assert settings == {"vm": {}}
    assert warnings == ["Incorrect 'transparent_hugepages' value 'off'."]
