"""Steps of the drill of TrainJobs: podwright's plan on the real Kubeflow Trainer, JobSet and Kueue."""

from __future__ import annotations

import asyncio
import copy
import json
import re
from typing import Any

from podwright.components.design.operators import Operator
from podwright.components.design.workloads import former, runtime_known
from podwright.components.model import Cluster
from podwright.components.providers.openshift.conditions import is_true
from podwright.components.providers.openshift.former_job import FormerJobEndedKind
from podwright.components.providers.openshift.queues_ready import QueuesReadyKind, why_not
from podwright.components.providers.openshift.runtime_known import RuntimeKnownKind, unknown
from podwright.components.providers.protocol.kind import Context
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.verdict import Expected
from tests.design import whole
from tests.lab.openshift.gangs import conditions, ends_with, members, seen
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.model.changes import both, put

JOBS = ("pretrain", "second")
AS_TRAIN_JOBS = both(
    put("openshift/data_science", {"components": ["trainer"], "teams": ["research"]}),
    *(put(f"workloads/training/{job}/kind", "trainjob") for job in JOBS),
    put("workloads/training/pretrain/give_up_on", [2]),
)
OUT = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
_SPACE = ("-n", "research")


_MADE: dict[str, list[dict[str, Any]]] = {}


def installed(cluster: Rack, planned: Cluster) -> None:
    """OpenShift AI with Trainer alone, then Kueue, which starts anew for TrainJobs: before it they start at once."""
    for job in JOBS:
        own = [each for each in whole.workloads(planned) if each["metadata"]["labels"]["app.kubernetes.io/name"] == job]
        _MADE[job] = own
    operators = {each.name: each for each in whole.operators(planned)}
    names = list(operators)
    assert names.index("job-set") < names.index("rhods-operator") < names.index("kueue-operator")
    for kind in ("jobs", "jobsets"):
        cluster.kubectl("delete", kind, "--all", *_SPACE, check=False)
    subscribe(cluster, operators["job-set"])
    cluster.apply(*operators["job-set"].settings)
    cluster.wait("JobSet", lambda: is_true(cluster.get("jobsetoperator", "cluster"), "Available"), 60)
    _data_science(cluster, operators["rhods-operator"])
    kueue = operators["kueue-operator"]
    asked = {"spec": kueue.answers, "kubeconfig": cluster.kubeconfig().read_text()}
    # Of a Kueue that looks after no sets either, sets are what it says first.
    assert asyncio.run(why_not(asked, Context())).endswith(" that names a queue would start at once")
    cluster.apply(kueue.settings[0])
    asyncio.run(QueuesReadyKind().create(asked, Context(timeout=120)))


def _data_science(cluster: Rack, planned: Operator) -> None:
    subscribe(cluster, planned)
    for stage in planned.stages:
        cluster.apply(*stage)
    cluster.wait("Trainer", lambda: is_true(cluster.get("datasciencecluster", "default-dsc"), "Ready"), 60)


def refused(cluster: Rack) -> None:
    """What the webhooks of Trainer, and the rules of its kinds, do not take."""
    runtime, job = _MADE["second"]

    def said(thing: dict[str, Any]) -> str:
        return cluster.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(thing), check=False)

    # Webhooks of Trainer and of Kueue are asked at once, and the first refusal is shown.
    name = runtime["metadata"]["name"]
    unheard = re.compile(f"\"{name}\" not found: .* must be created before the TrainJob|runtime '{name}' not found")
    assert unheard.search(refusal := said(job)), refusal
    assert unheard.search(refusal := asyncio.run(unknown(_asked("second", cluster), Context()))), refusal
    other = copy.deepcopy(runtime)
    other["metadata"]["name"] = "other"
    (box,) = _pod(other)["containers"]
    box["name"] = "train"
    assert "must contain the required container for the ancestor: trainer" in said(other)


def _pod(runtime: dict[str, Any]) -> dict[str, Any]:
    (member,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    spec: dict[str, Any] = member["template"]["spec"]["template"]["spec"]
    return spec


def _said(cluster: Rack, job: str) -> list[tuple[str, str]]:
    found = diagnose(seen(cluster), [Expected("TrainJob", "research", job, 3)])
    return [(each.state, each.reason) for each in found if each.name == job]


def _asked(job: str, cluster: Rack) -> dict[str, Any]:
    return {"spec": runtime_known(*_MADE[job]), "kubeconfig": cluster.kubeconfig().read_text()}


def _write(cluster: Rack, job: str) -> None:
    """As `up` writes them: the job once Trainer knows its runtime, which it may not yet right behind it."""
    runtime, own = _MADE[job]
    cluster.apply(runtime)
    asyncio.run(RuntimeKnownKind().create(_asked(job, cluster), Context(timeout=60)))
    cluster.apply(own)


def in_turn(cluster: Rack) -> None:
    """Of two one waits whole, and its members are those of the plan."""
    _write(cluster, "pretrain")
    cluster.wait("a whole gang", lambda: len(members(cluster, "pretrain")) == 3, 60)
    _write(cluster, "second")
    cluster.wait("it waits", lambda: "insufficient unused quota" in (_said(cluster, "second") or [("", "")])[0][1], 60)
    assert _said(cluster, "second")[0][0] == "Waits" and members(cluster, "second") == {}
    cluster.wait("nothing is amiss", lambda: _said(cluster, "pretrain") == [])
    runtime, job = _MADE["pretrain"]
    (pod, *_) = cluster.items("pods", *_SPACE, "-l", "app.kubernetes.io/name=pretrain")
    assert {name.rpartition("-")[0] for name in members(cluster, "pretrain")} == {
        f"pretrain-node-0-{index}" for index in range(3)
    }
    (planned,), (box,) = _pod(runtime)["containers"], pod["spec"]["containers"]
    assert [each["name"] for each in box["env"] if each["name"].startswith("PET_")] == [
        each["name"] for each in planned["env"] if each["name"].startswith("PET_")
    ], "Trainer adds no second rendezvous"
    assert box["command"] == planned["command"]
    another = {"spec": {"runtimeRef": {"name": "torch-distributed"}}}
    change = cluster.kubectl(
        "patch", "trainjob", "pretrain", *_SPACE, "--type=merge", "-p", json.dumps(another), check=False
    )
    assert "field is immutable" in change
    # What a later plan applies is what is there: the fields that Kueue and Trainer wrote are theirs.
    before = cluster.get("trainjob", "pretrain", *_SPACE)["metadata"]["generation"]
    cluster.apply(job)
    assert cluster.get("trainjob", "pretrain", *_SPACE)["metadata"]["generation"] == before


def without_a_node(cluster: Rack) -> None:
    """A member's server has no power, and is given up as Self Node Remediation does it: all members start elsewhere."""
    before = members(cluster, "pretrain")
    lost = before[min(before)]
    cluster.world.power(lost.partition(".")[0], "ForceOff")
    cluster.wait("it is silent", lambda: conditions(cluster, "node", lost)["Ready"]["status"] != "True", 90)
    cluster.kubectl("taint", "nodes", lost, OUT)
    cluster.wait("all are made again", lambda: len(set(members(cluster, "pretrain")) - set(before)) == 3, 120)
    after = members(cluster, "pretrain")
    assert not set(after) & set(before) and lost not in after.values()
    again = [("Running", "all members were made again once, 0 of 3 for errors")]
    cluster.wait("it says so", lambda: _said(cluster, "pretrain") == again)


def given_up(cluster: Rack) -> None:
    """An exit code that is given up on ends the job, in its own words."""
    ends_with(cluster, min(members(cluster, "pretrain")), 2, "node")
    cluster.wait("it is given up", lambda: (_said(cluster, "pretrain") or [("", "")])[0][0] == "Failed", 60)
    ((_, words),) = _said(cluster, "pretrain")
    assert "FailJobSet" in words and "exit code 2" in words
    cluster.wait("its own word", lambda: is_true(cluster.get("trainjob", "pretrain", *_SPACE), "Failed"))
    cluster.wait("the other one", lambda: len(members(cluster, "second")) == 3, 60)


def changed(cluster: Rack) -> None:
    """What ends a job before its next form is made leaves nothing behind that has its names: TrainJob, JobSet, pods."""
    before, own = set(members(cluster, "second")), ("-l", "app.kubernetes.io/name=second")
    cluster.kubectl("annotate", "pod", *_SPACE, *own, "pod-stop.stage.kwok.x-k8s.io/delay=3s")
    cluster.kubectl("label", "trainjob", "second", *_SPACE, "podwright.io/stack=lab")
    spec = former(_MADE["second"][1], "lab")
    asked = {"spec": spec, "kubeconfig": cluster.kubeconfig().read_text()}
    of_before = {**asked, "spec": {**spec, "digest": "another"}}
    asyncio.run(FormerJobEndedKind().update("second", asked, of_before, {}, Context(timeout=60)))
    assert not [cluster.items(kind, *_SPACE, *own) for kind in ("pods", "jobs") if cluster.items(kind, *_SPACE, *own)]
    assert "second" not in {each["metadata"]["name"] for each in cluster.items("jobsets", *_SPACE)}
    _write(cluster, "second")
    cluster.wait("members of the next", lambda: len(set(members(cluster, "second")) - before) == 3, 60)
    cluster.kubectl("delete", "trainjobs", "--all", *_SPACE)
