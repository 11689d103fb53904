"""Limits of containers on a cluster of the lab: what the operators make of them, and what they refuse."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest

from podwright.components.design.platform import containers as planned
from podwright.components.model import Containers
from podwright.lab.openshift.kubelet_configs import settings
from podwright.lab.openshift.kubelet_start import KubeletError, check
from podwright.lab.openshift.runtime_configs import STORAGE
from tests.lab.openshift.rack import Rack

LIMITS = Containers.model_validate({"pids": 16384, "log_mib": 200, "log_files": 10, "layer_gib": 100})
MCO = "machineconfiguration.openshift.io/v1"


def _object(kind: str, name: str, pool: str, **spec: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"podwright.io/pool": pool}}
    return {
        "apiVersion": MCO, "kind": kind, "metadata": {"name": name},
        "spec": {"machineConfigPoolSelector": selector, **spec},
    }  # fmt: skip


def _last(cluster: Rack, name: str) -> str:
    return str(cluster.get("containerruntimeconfig", name)["status"]["conditions"][-1]["message"])


def test_a_kubelet_does_not_start_that_is_to_keep_one_log_file() -> None:
    check(planned.kubelet(LIMITS))
    with pytest.raises(KubeletError, match="invalid MaxFiles 1, must be > 1"):
        check({"containerLogMaxFiles": 1})


@pytest.mark.rough
def test_nodes_restart_once_with_the_planned_limits_and_what_the_operator_refuses_reaches_none(cluster: Rack) -> None:
    before = {name: cluster.world.hosts[name].boots for name in ("gpu-1", "gpu-2")}
    runtime = planned.runtime_config("worker", LIMITS)
    assert runtime is not None
    # Nodes are taken when the pool is let go, and both files come with one restart.
    cluster.kubectl("label", "mcp", "worker", "podwright.io/pool=worker")
    cluster.kubectl("patch", "mcp", "worker", "--type=merge", "-p", '{"spec": {"paused": true}}')
    cluster.apply(runtime, _object("KubeletConfig", "worker", "worker", kubeletConfig=planned.kubelet(LIMITS)))
    wanted = {"99-worker-generated-kubelet", "99-worker-generated-containerruntime"}

    def named() -> set[str]:
        return {row["name"] for row in cluster.get("mcp", "worker")["spec"]["configuration"]["source"]}

    cluster.wait("rendered", lambda: wanted <= named(), 60)
    cluster.kubectl("patch", "mcp", "worker", "--type=merge", "-p", '{"spec": {"paused": false}}')
    memory = cluster.side.cluster.memory

    def files(name: str) -> dict[str, str]:
        config = memory[f"{name}.lab.example.com"].config or {}
        rows = config["config"]["storage"]["files"]
        return {row["path"]: unquote(row["contents"]["source"]) for row in rows}

    cluster.wait("both nodes have them", lambda: all(STORAGE in files(name) for name in before), 120)
    assert all('size = "100Gi"' in files(name)[STORAGE] for name in before)
    for name in before:
        config = memory[f"{name}.lab.example.com"].config
        assert planned.kubelet(LIMITS).items() <= settings(config).items()
    assert {name: cluster.world.hosts[name].boots - count for name, count in before.items()} == {"gpu-1": 1, "gpu-2": 1}

    cluster.apply(_object("ContainerRuntimeConfig", "few", "worker", containerRuntimeConfig={"pidsLimit": 4}))
    cluster.apply(_object("ContainerRuntimeConfig", "nobody", "none", containerRuntimeConfig={"logLevel": "debug"}))
    cluster.wait("few", lambda: "cannot be less than 20" in _last(cluster, "few"))
    cluster.wait("nobody", lambda: "could not find any MachineConfigPool" in _last(cluster, "nobody"))
    assert len([name for name in named() if "containerruntime" in name]) == 1
