"""Four who take nodes away, at once, on 32 nodes: the Machine Config Operator, NIC firmware through the Maintenance
Operator, virtual functions through the SR-IOV operator, and our roll-out of another GPU driver. The API server's audit
log shows who was away after each write, and whether a service had a ready endpoint.

Operators' objects are applied and the provider's kind is called here, not by the engine: installing 32 servers by an
`up` would be most of the time, and the roll-out is the same code.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from podwright.components.providers.openshift import drain
from podwright.components.providers.openshift.pools import budget
from podwright.components.providers.openshift.pools.drivers import DriverRolloutKind
from podwright.components.providers.protocol.kind import Context, Incomplete
from tests.audit_log import State, after, beyond, read, silent, taken
from tests.lab.openshift.manifests import (
    POOL_TAINT,
    SRIOV_NAMESPACE,
    cluster_policy,
    feature_discovery,
    maintenance_config,
    nic_cluster_policy,
    nic_template,
    node_policy,
    operator,
    operator_config,
)
from tests.lab.openshift.rack import Rack, node_ready
from tests.lab.openshift.test_driver import driver

COUNT, BUDGET = 32, 4
MAINTENANCE = BUDGET - 1
"""What the design gives the Maintenance Operator: the SR-IOV operator counts nobody's nodes, and takes one on top."""
SERVICE = "default/chat"
SHAPE = {"masters": 1, "workers": ("NVIDIA-H200",) * COUNT}
NODES = tuple(f"gpu-{number}.lab.example.com" for number in range(COUNT, 0, -1))
"""From the other end than the Machine Config Operator begins: a node that both want counts once."""
POLICY = "/apis/nvidia.com/v1/clusterpolicies/gpu-cluster-policy"
OPERATORS = (
    "nfd",
    "sriov-network-operator",
    "gpu-operator-certified",
    "nvidia-network-operator",
    "nvidia-maintenance-operator",
)
MAJOR, WAIT = "nvidia.com/cuda.driver.major", "network.nvidia.com/operator.nic-configuration.wait"
# 74 s alone; beside other clusters on two processors one run took more than 600.
pytestmark = [pytest.mark.rough, pytest.mark.timeout(1500)]


def rollout(cluster: Rack, version: str, **change: Any) -> dict[str, Any]:
    asked = {"namespace": "nvidia-gpu-operator", "component": "nvidia-driver", "policy": POLICY, "version": version}
    spec = {"schema": 1, "pool": "worker", "nodes": list(NODES), "driver": asked, "trigger": version}
    return {"spec": {**spec, "max_unavailable": BUDGET, **change}, "kubeconfig": cluster.kubeconfig().read_text()}


def machine_config(argument: str) -> dict[str, Any]:
    """A kernel argument for every worker: a drain and a restart of each."""
    role = {"machineconfiguration.openshift.io/role": "worker"}
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
        "metadata": {"name": "50-arguments", "labels": role},
        "spec": {"config": {"ignition": {"version": "3.5.0"}}, "kernelArguments": [argument]},
    }  # fmt: skip


def service(name: str, replicas: int, unavailable: int) -> list[dict[str, Any]]:
    """Replicas on as many nodes, and how many of them may be away."""
    labels = {"app": name}
    apart = [{"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}]
    pod = {
        "containers": [{"name": "main", "image": "registry.example.com/chat", "ports": [{"containerPort": 8000}]}],
        "tolerations": [POOL_TAINT], "nodeSelector": {"node-role.kubernetes.io/worker": ""},
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}},
    }  # fmt: skip
    meta = {"name": name, "namespace": "default"}
    template = {"metadata": {"labels": labels}, "spec": pod}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta,
         "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}},
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta,
         "spec": {"maxUnavailable": unavailable, "selector": {"matchLabels": labels}}},
        {"apiVersion": "v1", "kind": "Service", "metadata": meta,
         "spec": {"selector": labels, "ports": [{"port": 8000}]}},
    ]  # fmt: skip


class Seen:
    """What the audit log shows of a cluster from now on."""

    def __init__(self, cluster: Rack) -> None:
        plane = cluster.side.cluster.plane
        assert plane is not None
        self._log = plane.audit_log
        self._begin = int(json.loads(cluster.kubectl("get", "--raw", "/api/v1/nodes"))["metadata"]["resourceVersion"])

    def states(self) -> list[State]:
        """All states since the beginning."""
        return after(read(self._log), self._begin)


def _away(cluster: Rack) -> set[str]:
    """Nodes of the pool that are cordoned or not ready now."""
    nodes = [node for node in cluster.items("nodes") if node["metadata"]["name"] in NODES]
    return {
        node["metadata"]["name"] for node in nodes if node["spec"].get("unschedulable") or node_ready(node) != "True"
    }


async def until(what: str, condition: Any, seconds: float) -> None:
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    while not await asyncio.to_thread(condition):
        assert clock() < end, what
        await asyncio.sleep(0.05)


def _labels(cluster: Rack, key: str) -> list[str]:
    nodes = [each for each in cluster.items("nodes") if each["metadata"]["name"] in NODES]
    return [str(each["metadata"]["labels"].get(key)) for each in nodes]


def _updated(cluster: Rack) -> bool:
    pool = cluster.get("mcp", "worker")
    rows = {row["type"]: row["status"] for row in pool["status"]["conditions"]}
    return (
        rows.get("Updated") == "True"
        and pool["spec"]["configuration"]["name"] == pool["status"]["configuration"]["name"]
    )


def _settled(cluster: Rack) -> bool:
    """Nobody has, or wants, anything of a node any more."""
    devices = cluster.items("nicdevices", "-n", "nvidia-network-operator")
    rows = [row for each in devices if each["status"]["type"] == "a2dc" for row in each["status"]["conditions"]]
    done = [row["reason"] == "UpdateSuccessful" for row in rows if row["type"] == "ConfigUpdateInProgress"]
    return (
        len(done) == 2 * COUNT and all(done) and set(_labels(cluster, WAIT)) == {"false"}
        and not cluster.items("nodemaintenances", "-A") and _updated(cluster)
    )  # fmt: skip


def _functions(cluster: Rack, count: int) -> bool:
    """The SR-IOV operator has made so many functions everywhere, and asks for no node."""
    states = cluster.items("sriovnetworknodestates", "-n", SRIOV_NAMESPACE)
    notes = [each["metadata"].get("annotations") or {} for each in states]
    idle = all(each.get(f"sriovnetwork.openshift.io/{word}-state") == "Idle"
               for each in notes for word in ("desired", "current"))  # fmt: skip
    synced = all((each.get("status") or {}).get("syncStatus") == "Succeeded" for each in states)
    offers = [node["status"]["allocatable"].get("openshift.io/rail0") for node in cluster.items("nodes")
              if node["metadata"]["name"] in NODES]  # fmt: skip
    return len(states) >= COUNT and idle and synced and set(offers) == {str(count)}


@pytest.fixture(scope="module")
def busy(cluster: Rack) -> Rack:
    """A cluster whose operators run, whose service answers, and that nobody has asked for anything yet."""
    for package in OPERATORS:
        cluster.apply(*operator(package))
        cluster.approve(package)
    cluster.kubectl("patch", "mcp", "worker", "--type=merge", "-p", f'{{"spec":{{"maxUnavailable":{BUDGET}}}}}')
    cluster.apply(
        feature_discovery(), cluster_policy(), nic_cluster_policy(), *service("chat", 2, 1), operator_config(),
        node_policy(0), maintenance_config(maxParallelOperations=MAINTENANCE, maxUnavailable=MAINTENANCE),
    )  # fmt: skip
    policy = ("clusterpolicy", "gpu-cluster-policy")
    cluster.wait("driver", lambda: (cluster.get(*policy).get("status") or {}).get("state") == "ready", 120)
    home = "nvidia-network-operator"
    cluster.wait("NICs", lambda: len(cluster.items("nicdevices", "-n", home)) >= 2 * COUNT, 120)
    cluster.wait("functions", lambda: _functions(cluster, 1), 120)
    assert set(_labels(cluster, MAJOR)) == {"595"}
    cluster.wait("service", lambda: cluster.get("deployment", "chat")["status"].get("readyReplicas") == 2, 60)
    return cluster


async def test_driver_configuration_nics_and_functions_at_once_keep_to_the_budget_together(busy: Rack) -> None:
    cluster = busy
    before = {name: host.boots for name, host in cluster.world.hosts.items() if name.startswith("gpu")}
    seen = Seen(cluster)
    cluster.apply(machine_config("iommu=pt"), nic_template(), driver("580.95.05"), node_policy(0, numVfs=2))
    # Not before the others have taken what there is but for the place that is kept for the SR-IOV operator.
    await until("the budget is spent", lambda: len(_away(cluster)) >= MAINTENANCE, 120)
    kind, ctx = DriverRolloutKind(), Context(log=print)
    await kind.update("worker", rollout(cluster, "580.95.05"), rollout(cluster, "none"), {}, ctx)
    await until("all settled", lambda: _settled(cluster) and _functions(cluster, 2), 1800)
    assert set(_labels(cluster, MAJOR)) == {"580"}
    afterwards = {name: cluster.world.hosts[name].boots for name in before}
    assert all(afterwards[name] >= before[name] + 2 for name in before), "for its configuration and for its NICs"
    found = seen.states()
    assert beyond(found, NODES, BUDGET) == []
    assert silent(found, SERVICE) == []
    order = taken(found)
    assert all(order.count(name) >= 3 for name in NODES), "each node was away for several of them"
    assert max(len(each.away & {*NODES}) for each in found) > 1, "the budget is used"
    assert not cluster.get("mcp", "worker")["spec"].get("paused")


async def test_a_driver_that_does_not_run_stays_one_nodes_trouble(busy: Rack) -> None:
    cluster = busy
    seen = Seen(cluster)
    cluster.apply(driver("580.99.99"))
    ctx = Context(log=print, timeout=15)
    with pytest.raises(Incomplete, match=rf"{NODES[0]}: driver .*580\.99\.99"):
        await DriverRolloutKind().update(
            "worker", rollout(cluster, "580.99.99"), rollout(cluster, "580.95.05"), {}, ctx
        )
    found = seen.states()
    assert taken(found) == [NODES[0]]
    assert set().union(*(each.away for each in found)) == {NODES[0]}
    assert found[-1].cordoned == {NODES[0]}
    assert silent(found, SERVICE) == []
    assert _labels(cluster, MAJOR).count("580") >= COUNT - 1
    assert not cluster.get("mcp", "worker")["spec"].get("paused")


async def test_the_log_shows_a_roll_out_that_does_not_count_what_others_took(
    busy: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drill can fail: pods that nobody may evict keep the Machine Config Operator's nodes away meanwhile."""
    cluster = busy
    cluster.apply(*service("stuck", COUNT - 1, 0))
    ready = COUNT - 1
    cluster.wait("stuck", lambda: cluster.get("deployment", "stuck")["status"].get("readyReplicas") == ready, 120)
    seen = Seen(cluster)
    cluster.apply(machine_config("iommu=off"), cluster_policy(driver={"enabled": True}))

    async def roll() -> None:
        # At first one of them is the node that the driver before this one left.
        await until("the budget is spent", lambda: len(_away(cluster)) == BUDGET, 120)
        with pytest.raises(Incomplete):
            asked, before, ctx = rollout(cluster, ""), rollout(cluster, "none"), Context(log=print, timeout=15)
            await DriverRolloutKind().update("worker", asked, before, {}, ctx)

    await roll()
    assert beyond(seen.states(), NODES, BUDGET) == []
    monkeypatch.setattr(budget, "is_away", lambda live, name, _: drain.CORDONED in notes_of(live.nodes[name]))
    monkeypatch.setattr(budget, "is_served", lambda *_: False)
    await roll()
    assert len(beyond(seen.states(), NODES, BUDGET)) > 0


def notes_of(node: Any) -> Any:
    """A node's annotations."""
    return node["metadata"].get("annotations") or {}
