"""Gangs start whole: podwright's plan of queues on the real Kueue, the real Job controller and the real scheduler."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.operators import Operator
from podwright.components.model import Cluster
from podwright.components.providers.openshift.queues_ready import QueuesReadyKind, why_not
from podwright.components.providers.protocol.kind import Context
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.verdict import Expected
from tests.design import whole
from tests.lab.openshift import elastic, lending, lost_kueue, slices, train_jobs
from tests.lab.openshift.gangs import conditions, ends_with, members, placed, seen
from tests.lab.openshift.manifests import cluster_policy, feature_discovery, operator
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import IN_TURN, SECOND
from tests.model.sliced_cases import CUT

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("NVIDIA-H200",) * 5}
NODES = {f"gpu-0{index}": f"gpu-{index}.lab.example.com" for index in range(1, 6)}
SMALL_RACK = {"gpu-2.lab.example.com", "gpu-4.lab.example.com"}
FEW = {**SECOND, "nodes": 2, "cpus": 8, "memory_gib": 128}
CHANGED = both(
    IN_TURN,
    put("pools/training/rails", False),
    put("operators/release", "2026.10"),
    put("openshift/version", "4.22.0"),
    put("workloads/training/few", FEW),
    put("workloads/training/sweep", {**SECOND, "priority": "batch"}),
    *(put(f"servers/gpu-0{index}/rack", "r2" if index in {2, 4} else "r1") for index in range(1, 6)),
)
"""Two jobs of three servers, one that gives way, and one of two, on five servers in two racks: the second has two."""
AS_SETS = both(
    CHANGED, *(put(f"workloads/training/{job}/kind", "jobset") for job in ("pretrain", "second")),
    put("workloads/training/pretrain/give_up_on", [2]),
)  # fmt: skip


def _stack(changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    changes(written)
    return Cluster.model_validate(written)


STACK, SETS = _stack(CHANGED), _stack(AS_SETS)
LENT = _stack(both(CHANGED, put("openshift/queues/borrow", True)))


def _operator(name: str, stack: Cluster = STACK) -> Operator:
    (found,) = (each for each in whole.operators(stack) if each.name == name)
    return found


def _nodes(cluster: Rack) -> None:
    """GPUs on offer, and where each node is."""
    for package in ("nfd", "gpu-operator-certified"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    cluster.apply(feature_discovery(), cluster_policy())
    for node in whole.platform(STACK).nodes:
        name, labels = NODES.get(node["metadata"]["name"]), node["metadata"]["labels"]
        ours = [f"{key}={value}" for key, value in labels.items() if key.startswith("podwright.io/")]
        if name:
            cluster.kubectl("label", "node", name, *ours)
    for index in range(1, 6):
        cluster.wait("GPUs", lambda: cluster.allocatable(f"gpu-{index}", "nvidia.com/gpu") == 8, 90)  # noqa: B023


def _team(cluster: Rack) -> None:
    kinds = ("Namespace", "ServiceAccount", "PriorityClass", "ResourceQuota", "SecurityContextConstraints")
    planned = [each for each in whole.platform(STACK).manifests if each["kind"] in kinds]
    cluster.apply(*(each for each in planned if each["metadata"].get("namespace", "research") == "research"))


def _job(name: str, stack: Cluster = STACK) -> list[dict[str, Any]]:
    return [each for each in whole.workloads(stack) if each["metadata"]["name"] == name]


def _end(cluster: Rack, jobs: Iterable[str]) -> None:
    for job in jobs:
        cluster.kubectl("annotate", "pod", "-n", "research", "-l", f"app.kubernetes.io/name={job}",
                        "pod-complete.stage.kwok.x-k8s.io/delay=1s")  # fmt: skip


@pytest.fixture(scope="module")
def queues(cluster: Rack) -> Rack:
    """The cluster with Kueue and the plan's queues, and nodes as operators leave them."""
    kueue = _operator("kueue-operator")
    _nodes(cluster)
    _team(cluster)
    subscribe(cluster, kueue)
    first, *rest = kueue.settings
    cluster.apply(first)
    missing = "please make sure that cert-manager is installed on your cluster"
    cluster.wait("it is missed", lambda: conditions(cluster, "kueue", "cluster")["Degraded"]["message"] == missing)
    subscribe(cluster, _operator("openshift-cert-manager-operator"))
    cluster.wait("Kueue", lambda: conditions(cluster, "kueue", "cluster")["Available"]["status"] == "True", 60)
    cluster.apply(*rest)
    cluster.wait("queue", lambda: conditions(cluster, "clusterqueue", "research")["Active"]["status"] == "True")
    return cluster


def test_two_gangs_of_three_on_five_servers_run_one_after_the_other(queues: Rack) -> None:
    queues.apply(*_job("pretrain"))
    queues.wait("the first gang", lambda: len(placed(queues, "pretrain")) == 3)
    queues.apply(*_job("second"))

    def words() -> list[tuple[str, str]]:
        found = diagnose(seen(queues), [Expected("Job", "research", "second", 3)])
        return [(each.state, each.reason) for each in found if each.name == "second"]

    queues.wait("it waits", lambda: "insufficient unused quota for nvidia.com/gpu" in words()[0][1])
    assert words()[0][0] == "Waits" and words()[0][1].startswith("waits in queue research/training: ")
    assert placed(queues, "second") == [] and not queues.get("job", "second", "-n", "research")["status"].get("active")

    refused = queues.kubectl("label", "job", "pretrain", "-n", "research", "--overwrite",
                             "kueue.x-k8s.io/queue-name=other", check=False)  # fmt: skip
    assert 'admission webhook "vjob.kb.io" denied the request' in refused

    _end(queues, ["pretrain"])
    queues.wait("the second gang", lambda: len(placed(queues, "second")) == 3)
    assert len(set(placed(queues, "second"))) == 3
    _end(queues, ["second"])
    queues.wait("its end", lambda: "Complete" in conditions(queues, "job", "second", "-n", "research"))


def test_a_job_starts_with_the_members_that_there_is_room_for(queues: Rack, tmp_path: Path) -> None:
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    stack = _stack(both(CHANGED, put("workloads/training/sweep", elastic.SWEEP)))
    queues.apply(*_job("pretrain"))
    queues.wait("a whole gang", lambda: len(placed(queues, "pretrain")) == 3)
    with elastic.made(queues, _job("sweep", stack), tmp_path) as site:
        elastic.starts_with_two(queues, site)
        elastic.others_wait_whole(queues, _job("second"))
        _end(queues, ["pretrain"])
        elastic.stays_with_two(queues, site)
        elastic.starts_anew_with_three(queues, site)


def test_a_batch_job_gives_way_with_all_of_its_members_and_comes_back(queues: Rack) -> None:
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    queues.apply(*_job("sweep"))
    queues.wait("the batch job", lambda: len(placed(queues, "sweep")) == 3)
    queues.apply(*_job("second"))
    queues.wait("the other job", lambda: len(placed(queues, "second")) == 3, 60)
    assert placed(queues, "sweep") == []
    said = {each.name: each for each in diagnose(seen(queues), [Expected("Job", "research", "sweep", 3)])}
    assert said["sweep"].state == "Waits" and said["sweep"].reason.startswith("waits in queue research/training: ")
    _end(queues, ["second"])
    queues.wait("it is back", lambda: len(placed(queues, "sweep")) == 3, 60)
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    queues.wait("its servers are free", lambda: not queues.items("pods", "-n", "research"))


def test_nothing_starts_beside_kueue_while_its_host_has_no_power(queues: Rack) -> None:
    lost_kueue.lost_and_back(queues, _job("few"))


def test_a_gang_is_placed_by_racks_and_without_the_topology_somewhere_else(queues: Rack) -> None:
    """The small rack is the one that two servers fit; the scheduler by itself prefers nodes with less on them."""
    for number, node in enumerate(sorted(SMALL_RACK)):
        queues.apply({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"busy-{number}", "namespace": "default"},
            "spec": {
                "nodeName": node,
                "containers": [{"name": "main", "image": "x", "resources": {"requests": {"cpu": "64"}}}],
            },
        })  # fmt: skip
    queues.apply(*_job("few"))
    queues.wait("the gang", lambda: len(placed(queues, "few")) == 2)
    assert set(placed(queues, "few")) == SMALL_RACK

    queues.kubectl("delete", "job", "few", "-n", "research")
    (flavor,) = (each for each in _operator("kueue-operator").settings if each["kind"] == "ResourceFlavor")
    plain = copy.deepcopy(flavor)
    plain["metadata"]["name"] = "plain"
    del plain["spec"]["topologyName"]
    (queue,) = (each for each in _operator("kueue-operator").settings if each["kind"] == "ClusterQueue")
    spread = copy.deepcopy(queue)
    spread["spec"]["resourceGroups"][0]["flavors"][0]["name"] = "plain"
    queues.apply(plain, spread)
    (service, job) = copy.deepcopy(_job("few"))
    job["spec"]["template"]["metadata"].pop("annotations")
    queues.apply(service, job)
    queues.wait("the gang", lambda: len(placed(queues, "few")) == 2)
    assert not set(placed(queues, "few")) & SMALL_RACK


def test_a_queue_that_borrowed_gives_way_to_the_owner_with_all_of_itsmembers(queues: Rack) -> None:
    """Two queues in one cohort: what one leaves idle the other takes, and loses again, whole. A job that is larger than
    all of its team's own stops the team's batch job too."""
    planned = {each["kind"]: each for each in _operator("kueue-operator").settings}
    lent = {each["kind"]: each for each in _operator("kueue-operator", LENT).settings}["ClusterQueue"]
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    queues.apply(*lending.two_queues(planned, 24, 16, {"reclaimWithinCohort": "Any"}))
    (service, job) = copy.deepcopy(_job("pretrain"))
    job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = lending.OTHER
    queues.apply(service, job)
    queues.wait("a gang of 24 on 16 of its own", lambda: len(placed(queues, "pretrain")) == 3)
    queues.apply(*_job("second"))
    queues.wait("the owner's gang", lambda: len(placed(queues, "second")) == 3, 60)
    assert placed(queues, "pretrain") == []
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    queues.apply(*lending.two_queues(planned, 16, 24, lent["spec"]["preemption"]), *_job("sweep"))
    queues.wait("the batch job on 16 of its own", lambda: len(placed(queues, "sweep")) == 3)
    queues.apply(*_job("second"))
    queues.wait("the other job", lambda: len(placed(queues, "second")) == 3, 60)
    assert placed(queues, "sweep") == []


def test_a_queue_that_lends_nothing_looks_again_when_a_job_of_another_one_has_gone(queues: Rack) -> None:
    lending.hands_over(queues, _operator("kueue-operator").settings, _job("pretrain"), _job("second"))


def _said(cluster: Rack, job: str) -> list[tuple[str, str]]:
    asked = [Expected("JobSet", "research", job, 3)]
    return [(each.state, each.reason) for each in diagnose(seen(cluster), asked) if each.name == job]


def test_a_set_is_looked_after_once_kueue_has_started_anew_for_it(queues: Rack) -> None:
    """The first set on a site with queues. What is written before Kueue's webhooks answer again is refused."""
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    subscribe(queues, _operator("job-set", SETS))
    queues.apply(*_operator("job-set", SETS).settings)
    queues.wait("JobSet", lambda: conditions(queues, "jobsetoperator", "cluster")["Available"]["status"] == "True", 60)
    kueue = _operator("kueue-operator", SETS)
    asked = {"spec": kueue.answers, "kubeconfig": queues.kubeconfig().read_text()}
    assert asyncio.run(why_not(asked, Context())) == "a set that names a queue would start at once"
    queues.apply(kueue.settings[0])
    asyncio.run(QueuesReadyKind().create(asked, Context(timeout=120)))
    queues.apply(*kueue.settings[1:], *_job("pretrain", SETS), *_job("second", SETS))
    queues.wait("a whole set", lambda: len(members(queues, "pretrain") | members(queues, "second")) == 3, 60)


def test_of_two_sets_one_waits_whole_and_all_members_are_made_again_when_one_fails(queues: Rack) -> None:
    first, second = sorted(("pretrain", "second"), key=lambda job: -len(members(queues, job)))
    queues.wait("it waits", lambda: "insufficient unused quota" in _said(queues, second)[0][1])
    assert _said(queues, second)[0][0] == "Waits" and members(queues, second) == {}
    before = members(queues, first)
    assert len(set(before.values())) == 3 and _said(queues, first) == []
    (service,) = (each for each in queues.items("services", "-n", "research") if each["metadata"]["name"] == first)
    assert service["spec"]["clusterIP"] == "None" and service["spec"]["publishNotReadyAddresses"] is True
    assert {name.rpartition("-")[0] for name in before} == {f"{first}-member-0-{index}" for index in range(3)}

    ends_with(queues, min(before), 1)
    queues.wait("all are made again", lambda: len(set(members(queues, first)) - set(before)) == 3, 60)
    assert not set(members(queues, first)) & set(before) and members(queues, second) == {}
    assert _said(queues, first) == [("Running", "all members were made again once, 1 of 3 for errors")]

    before = members(queues, first)
    evicted = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": min(before), "namespace": "research"},
    }
    queues.kubectl("create", "--raw", f"/api/v1/namespaces/research/pods/{min(before)}/eviction", "-f", "-",
                   stdin=json.dumps(evicted))  # fmt: skip
    queues.wait("and again", lambda: len(set(members(queues, first)) - set(before)) == 3, 60)
    assert _said(queues, first) == [("Running", "all members were made again 2 times, 1 of 3 for errors")]


def test_an_exit_code_that_is_given_up_on_ends_the_set_and_the_other_one_starts(queues: Rack) -> None:
    queues.kubectl("delete", "jobsets", "--all", "-n", "research")
    queues.wait("those before are gone", lambda: not queues.items("pods", "-n", "research"))
    queues.apply(*_job("pretrain", SETS))
    queues.wait("a whole set", lambda: len(members(queues, "pretrain")) == 3, 60)
    queues.apply(*_job("second", SETS))
    queues.wait("it waits", lambda: "insufficient unused quota" in _said(queues, "second")[0][1])
    ends_with(queues, min(members(queues, "pretrain")), 2)
    queues.wait("the other set", lambda: len(members(queues, "second")) == 3, 60)
    ((state, words),) = _said(queues, "pretrain")
    assert state == "Failed" and "FailJobSet" in words and "exit code 2" in words
    queues.kubectl("delete", "jobsets", "--all", "-n", "research")


def test_a_train_job_waits_starts_whole_and_is_made_again_elsewhere_when_a_node_is_lost(queues: Rack) -> None:
    train_jobs.installed(queues, _stack(both(CHANGED, train_jobs.AS_TRAIN_JOBS)))
    train_jobs.refused(queues)
    train_jobs.in_turn(queues)
    train_jobs.without_a_node(queues)
    train_jobs.given_up(queues)
    train_jobs.changed(queues)


def test_jobs_on_slices_wait_when_those_of_their_team_are_used_up(queues: Rack) -> None:
    stack = _stack(both(CHANGED, CUT, *(drop(f"workloads/training/{job}") for job in ("second", "few", "sweep"))))
    slices.in_turn(queues, stack, _operator("kueue-operator", stack))
