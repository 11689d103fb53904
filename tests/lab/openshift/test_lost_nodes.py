"""A node without power no longer holds a gang up: podwright's plan of lost nodes on the cluster's own controllers.

Times are shorter than a site's: a node is given up after twelve seconds, and pods are evicted after three. Which one
comes first is as on a site, where it decides: a node that is given up first keeps its pods for ever.
"""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest

from podwright.components.design.operators import Operator
from podwright.components.design.platform.names import POOL_LABEL, tolerations
from podwright.components.model import Cluster
from podwright.components.providers.openshift.drain import EXCLUDED, cordon, uncordon
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.status.lost_nodes import troubles
from podwright.components.providers.status.snapshot import Snapshot, take
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.model.changes import LAB, Said, both, put

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("",) * 7}
POOLS = {"training": ("gpu-1", "gpu-2", "gpu-3", "gpu-4"), "unwatched": ("gpu-5", "gpu-6", "gpu-7")}
CHANGED = both(
    put("openshift/lost_nodes", {"pools": ["training"], "max_lost": 2}),
    put("operators/release", "2026.10"),
    put("openshift/version", "4.22.0"),
    put("workloads/training/pretrain/nodes", 2),
)
OUT = "node.kubernetes.io/out-of-service"


def _stack() -> Cluster:
    written: Said = copy.deepcopy(LAB)
    CHANGED(written)
    return Cluster.model_validate(written)


STACK = _stack()


def _node(name: str) -> str:
    return f"{name}.lab.example.com"


def _install(cluster: Rack, planned: Operator) -> None:
    """As a person does it: subscribe, approve, wait until it runs and has made what it makes, then configure it."""
    subscribe(cluster, planned)
    brought = (planned.approval or {}).get("brings", [])
    cluster.wait("its own objects", lambda: all("NotFound" not in cluster.kubectl("get", "--raw", each, check=False)
                                                for each in brought))  # fmt: skip
    for each in planned.settings:
        cluster.apply(_sooner(each))


def _sooner(planned: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(planned)
    for row in made["spec"].get("unhealthyConditions", []):
        row["duration"] = "12s"
    return made


def _job(pool: str) -> dict[str, Any]:
    """The planned job of two members on nodes of a pool, by any account."""
    planned = next(each for each in whole.workloads(STACK) if each["kind"] == "Job")
    job: dict[str, Any] = copy.deepcopy(planned)
    job["metadata"] = {"name": pool, "namespace": "default"}
    pod = job["spec"]["template"]["spec"]
    job["spec"]["template"]["metadata"] = {"labels": {"gang": pool}}
    for key in ("serviceAccountName", "priorityClassName", "volumes"):
        pod.pop(key, None)
    pod["nodeSelector"] = {POOL_LABEL: pool}
    evicted = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
    pod["tolerations"] = [*tolerations(pool), {**evicted, "tolerationSeconds": 3}]
    apart = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    apart[0]["labelSelector"] = {"matchLabels": {"gang": pool}}
    (box,) = pod["containers"]
    for key in ("resources", "volumeMounts"):
        box.pop(key, None)
    box["securityContext"]["capabilities"].pop("add", None)
    return job


def _members(cluster: Rack, pool: str) -> dict[str, tuple[str, str]]:
    """Pods of a gang by name: the member, and its node."""
    return {
        pod["metadata"]["name"]: (
            pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"],
            pod["spec"].get("nodeName", ""),
        )
        for pod in cluster.items("pods", "-n", "default", "-l", f"gang={pool}")
        if pod["status"]["phase"] in {"Pending", "Running"}
    }


def _pod(cluster: Rack, name: str) -> dict[str, Any]:
    return dict(cluster.get("pod", name, "-n", "default"))


def _runs(cluster: Rack, pool: str) -> bool:
    found = cluster.items("pods", "-n", "default", "-l", f"gang={pool}", "--field-selector=status.phase=Running")
    return len([pod for pod in found if "deletionTimestamp" not in pod["metadata"]]) == 2


def _server(cluster: Rack, pool: str, member: str) -> str:
    (node,) = (node for index, node in _members(cluster, pool).values() if index == member)
    return node.partition(".")[0]


def _taints(cluster: Rack, server: str) -> set[str]:
    taints = cluster.get("node", _node(server))["spec"].get("taints", [])
    return {each["key"] for each in taints if each["key"] != POOL_LABEL}


def _check(cluster: Rack) -> dict[str, Any]:
    return dict(cluster.get("nodehealthcheck", "training").get("status", {}))


def _seen(cluster: Rack) -> Snapshot:
    return asyncio.run(take(cluster.kubeconfig().read_text(), 10))


@pytest.fixture(scope="module")
def watched(cluster: Rack) -> Rack:
    """Two pools with a gang of two on each, and servers to spare in both; nodes of one of them are watched."""
    for pool, servers in POOLS.items():
        for server in servers:
            cluster.kubectl("label", "node", _node(server), f"{POOL_LABEL}={pool}")
            cluster.kubectl("taint", "node", _node(server), f"{POOL_LABEL}={pool}:NoSchedule")
    names = ("self-node-remediation", "node-healthcheck-operator")
    for planned in (each for each in whole.operators(STACK) if each.name in names):
        _install(cluster, planned)
    cluster.apply(*map(_job, POOLS))
    agents = ("pods", "-n", "openshift-workload-availability", "-l", "app.kubernetes.io/component=agent")
    cluster.wait("agents on tainted nodes", lambda: {_node(each) for each in POOLS["training"]} <= {
        pod["spec"].get("nodeName") for pod in cluster.items(*agents) if pod["status"]["phase"] == "Running"
    }, 60)  # fmt: skip
    for pool in POOLS:
        cluster.wait(f"{pool} runs", lambda: _runs(cluster, pool), 60)  # noqa: B023
    cluster.wait("all is well", lambda: _check(cluster)["healthyNodes"] == 4)
    return cluster


def _silent(cluster: Rack, server: str) -> None:
    """Switch a server off; on return the cluster evicts its pods. It does so for one node in ten seconds."""
    cluster.world.power(server, "ForceOff")
    cluster.wait(f"{server} is silent", lambda: ("node.kubernetes.io/unreachable", "NoExecute") in {
        (each["key"], each["effect"]) for each in cluster.get("node", _node(server))["spec"]["taints"]
    }, 30)  # fmt: skip


def test_a_gang_gets_its_lost_member_on_another_server_and_without_the_key_waits_for_the_power(watched: Rack) -> None:
    cluster, kube = watched, Kube(watched.kubeconfig().read_text())
    lost, other = _server(cluster, "training", "1"), _server(cluster, "training", "0")
    taken, spare = sorted(set(POOLS["training"]) - {lost, other})
    kept, before = _server(cluster, "unwatched", "1"), _members(cluster, "unwatched")
    asyncio.run(cordon(kube, _node(taken)))  # as a roll-out does that is about to restart it
    assert cluster.label(taken, EXCLUDED) == "true"

    for server in (lost, taken, kept):
        _silent(cluster, server)
    moved = ("1", _node(spare))
    cluster.wait("the member has another server", lambda: moved in _members(cluster, "training").values())
    cluster.wait("the gang is whole again", lambda: _runs(cluster, "training"))
    gone = next(name for name, (index, _) in before.items() if index == "1")
    cluster.wait("the other gang's member is lost", lambda: "deletionTimestamp" in _pod(cluster, gone)["metadata"])
    assert _members(cluster, "unwatched") == before, "nobody takes its place"
    cluster.wait("both are lost", lambda: {each["name"] for each in _check(cluster)["unhealthyNodes"]} == {
        _node(lost), _node(taken)
    })  # fmt: skip

    cluster.wait("it is out of service no more", lambda: OUT not in _taints(cluster, lost))
    on_it = cluster.items("pods", "-A", f"--field-selector=spec.nodeName={_node(lost)}")
    assert [pod["metadata"]["name"] for pod in on_it if "deletionTimestamp" in pod["metadata"]] == []
    (given_up,) = cluster.items("selfnoderemediations", "-A")
    assert given_up["metadata"]["annotations"]["remediation.medik8s.io/node-name"] == _node(lost)
    cluster.wait("status has its end", lambda: next(troubles(_seen(cluster))).endswith(": Fencing-Completed"))
    (shown,) = troubles(_seen(cluster))
    assert shown.startswith(f"node {_node(lost)} is given up since ")

    members = _members(cluster, "training")
    for server in (lost, taken, kept):
        cluster.world.power(server, "On")
    asyncio.run(uncordon(kube, _node(taken)))
    cluster.wait("all are back", lambda: all(_taints(cluster, each) == set() for each in (lost, taken, kept)))
    cluster.wait("its remediation is gone", lambda: cluster.items("selfnoderemediations", "-A") == [])
    cluster.wait(
        "the other gang too", lambda: _runs(cluster, "unwatched") and gone not in _members(cluster, "unwatched")
    )
    assert _members(cluster, "training") == members, "nothing is doubled, and nothing moves back"
    cluster.wait("all is well", lambda: _check(cluster)["healthyNodes"] == 4 and list(troubles(_seen(cluster))) == [])


def test_a_member_whose_server_starts_again_by_itself_is_made_anew_and_the_others_go_on(watched: Rack) -> None:
    """Sooner than the cluster notices, so that nothing is evicted and nobody is given up."""
    before = _members(watched, "training")
    lost = _server(watched, "training", "0")
    watched.world.power(lost, "ForceRestart")
    watched.wait("its member is another one", lambda: _runs(watched, "training") and len(
        before.keys() - _members(watched, "training").keys()) == 1)  # fmt: skip
    after = _members(watched, "training")
    assert {name: each for name, each in before.items() if name in after} == {
        name: each for name, each in before.items() if each[0] == "1"
    }
    gone = next(name for name, (index, _) in before.items() if index == "0")
    (box,) = _pod(watched, gone)["status"]["containerStatuses"]
    assert box["state"]["terminated"]["exitCode"] == 137
    assert watched.items("selfnoderemediations", "-A") == []


def test_a_node_is_reported_again_though_nothing_has_changed(watched: Rack) -> None:
    """What the node controller could not write at one report, it writes after the next."""

    def ready(node: dict[str, Any]) -> dict[str, Any]:
        return next(dict(row) for row in node["status"]["conditions"] if row["type"] == "Ready")

    (one, *_) = watched.items("nodes", "-l", "node-role.kubernetes.io/master")
    watched.wait("it is reported", lambda: ready(watched.get("node", one["metadata"]["name"])) != ready(one), 120)
    again = ready(watched.get("node", one["metadata"]["name"]))
    assert again.pop("lastHeartbeatTime") > ready(one)["lastHeartbeatTime"]
    assert again == {key: value for key, value in ready(one).items() if key != "lastHeartbeatTime"}


def test_what_the_operators_refuse(watched: Rack) -> None:
    refused = watched.kubectl("patch", "nodehealthcheck", "training", "--type=merge", "-p",
                              '{"spec": {"minHealthy": 1}}', check=False)  # fmt: skip
    assert "minHealthy and maxUnhealthy cannot be specified at the same time" in refused
