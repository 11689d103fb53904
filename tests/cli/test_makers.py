"""What an object made is found once, at its maker, by rules that look there; by others where it is."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.cli import audit
from podwright.components.providers.status.everything import Everything

Thing = dict[str, Any]
BOX: Thing = {"name": "c", "image": "registry.example.com/x:1"}
BAD: Thing = {"spec": {"containers": [BOX]}}
DIGEST, BUDGET, MEMORY = "workloads-image-by-digest", "workloads-budget-lets-one-go", "workloads-memory-volumes-fit"


def made(version: str, kind: str, name: str, spec: Thing, by: Thing | None = None, **labels: Any) -> Thing:
    """An object, with the one whose controller made it."""
    owners = [{"uid": by["metadata"]["uid"], "controller": True}] if by else []
    meta = {"name": name, "namespace": "chat", "uid": f"{kind}-{name}", "labels": labels, "ownerReferences": owners}
    return {"apiVersion": version, "kind": kind, "metadata": meta, "spec": spec}


def pod(name: str, by: Thing | None = None, spec: Thing = BAD["spec"]) -> Thing:
    return made("v1", "Pod", name, spec, by)


def places(rule: str, *objects: Thing) -> list[str]:
    found = audit.judge(Everything(objects)).found
    return [each.place for each in found if each.rule.id == rule]


RAY = made("ray.io/v1", "RayCluster", "r", {"headGroupSpec": {"template": BAD}})
TORCH = made("kubeflow.org/v1", "PyTorchJob", "t", {"pytorchReplicaSpecs": {"Worker": {"template": BAD}}})
VOLCANO = made("batch.volcano.sh/v1alpha1", "Job", "v", {"tasks": [{"template": BAD}]})
TRAIN = made("trainer.kubeflow.org/v1alpha1", "TrainJob", "t", {"runtimeRef": {"name": "torch-distributed"}})
GROUP = made("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "g", {"leaderWorkerTemplate": {"workerTemplate": BAD}})
NOTEBOOK = made("kubeflow.org/v1", "Notebook", "n", {"template": BAD})
GRAFANA = made("grafana.integreatly.org/v1beta1", "Grafana", "g", {"config": {}})
DRIVER = pod("spark-driver", spec={"containers": [{**BOX, "image": f"registry.example.com/x@sha256:{'0' * 64}"}]})
SET: Thing = {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": BAD}}}]}


@pytest.mark.parametrize(
    ("maker", "version", "kind", "spec"),
    [
        (RAY, "v1", "Pod", BAD["spec"]),
        (TORCH, "v1", "Pod", BAD["spec"]),
        (VOLCANO, "v1", "Pod", BAD["spec"]),
        (DRIVER, "v1", "Pod", BAD["spec"]),
        (TRAIN, "jobset.x-k8s.io/v1alpha2", "JobSet", SET),
        (GROUP, "apps/v1", "StatefulSet", {"template": BAD}),
        (NOTEBOOK, "apps/v1", "StatefulSet", {"template": BAD}),
        (GRAFANA, "apps/v1", "Deployment", {"template": BAD}),
    ],
)
def test_what_a_kind_that_a_rule_does_not_read_made_is_found_where_it_is(
    maker: Thing, version: str, kind: str, spec: Thing
) -> None:
    assert places(DIGEST, maker, made(version, kind, "x", spec, maker)) == [f"{kind}/chat/x"]


def test_between_them_there_may_be_another_one() -> None:
    config = made("apps.openshift.io/v1", "DeploymentConfig", "c", {"template": BAD})
    controller = made("v1", "ReplicationController", "c-1", {"template": BAD}, config)
    assert places(DIGEST, config, controller, pod("c-1-x", controller)) == ["Pod/chat/c-1-x"]
    deployment = made("apps/v1", "Deployment", "d", {"template": BAD})
    replicas = made("apps/v1", "ReplicaSet", "d-1", {"template": BAD}, deployment)
    assert places(DIGEST, deployment, replicas, pod("d-1-x", replicas)) == ["Deployment/chat/d"]
    assert audit.judge(Everything((deployment, replicas, pod("d-1-x", replicas)))).objects == 1


def test_a_budget_of_an_operator_is_its_operator_s_own_idea() -> None:
    served = made("serving.kserve.io/v1beta1", "InferenceService", "s", {"predictor": BAD["spec"]})
    for maker in (GRAFANA, served):
        budget = made("policy/v1", "PodDisruptionBudget", "b", {"maxUnavailable": 0}, maker)
        assert set(places(BUDGET, maker, budget)) == {"PodDisruptionBudget/chat/b"}
    target = {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "s-predictor"}}
    scalers = [made("autoscaling/v2", "HorizontalPodAutoscaler", name, target, served) for name in ("one", "two")]
    assert places("workloads-one-scales-a-service", served, *scalers) == ["HorizontalPodAutoscaler/chat/two"]


FULL: Thing = {
    "containers": [
        {**BOX, "resources": {"limits": {"memory": "1Gi"}}, "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}
    ],
    "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}],
}


def test_a_rule_about_every_maker_finds_it_once() -> None:
    ray = made("ray.io/v1", "RayCluster", "r", {"headGroupSpec": {"template": {"spec": FULL}}})
    assert places(MEMORY, ray, pod("r-head", ray, FULL)) == ["RayCluster/chat/r"]
    assert places(MEMORY, GRAFANA, pod("g", GRAFANA, FULL)) == ["Pod/chat/g"]


def test_a_train_job_of_a_runtime_is_found_at_itself_and_not_at_its_set_again() -> None:
    jobs = {"replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": FULL}}}}]}
    runtime = made("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "torch-distributed", {
        "template": {"spec": jobs},
    })  # fmt: skip
    of_it = made("jobset.x-k8s.io/v1alpha2", "JobSet", "t", jobs, TRAIN)
    assert places(MEMORY, TRAIN, of_it) == ["JobSet/chat/t"]
    assert places(MEMORY, runtime, TRAIN, of_it) == [
        "ClusterTrainingRuntime/chat/torch-distributed", "TrainJob/chat/t",
    ]  # fmt: skip


def test_workers_of_a_group_are_not_what_its_leader_is() -> None:
    leaders = made("apps/v1", "StatefulSet", "g", {"template": {"spec": DRIVER["spec"]}}, GROUP)
    leader = pod("g-0", leaders, DRIVER["spec"])
    workers = made("apps/v1", "StatefulSet", "g-0", {"template": BAD}, leader)
    assert places(DIGEST, GROUP, leaders, leader, workers, pod("g-0-1", workers)) == ["StatefulSet/chat/g-0"]


GPU: Thing = {
    "containers": [{**BOX, "resources": {"limits": {"nvidia.com/gpu": 8}}}],
    "nodeSelector": {"podwright.io/pool": "training"},
}
FLAVOR = made("kueue.x-k8s.io/v1beta1", "ResourceFlavor", "f", {"nodeLabels": {"podwright.io/pool": "training"}})


def test_pods_wait_in_the_queue_of_their_maker() -> None:
    spec = {"headGroupSpec": {"template": {"spec": GPU}}}
    beside = made("ray.io/v1", "RayCluster", "beside", spec)
    labels: Thing = {"kueue.x-k8s.io/queue-name": "training"}
    queued = made("ray.io/v1", "RayCluster", "queued", spec, **labels)
    deployment = made("apps/v1", "Deployment", "d", {"template": {"spec": GPU}})
    pods = [pod(each["metadata"]["name"], each, GPU) for each in (beside, queued, deployment)]
    assert places("workloads-wait-in-queues", FLAVOR, beside, queued, deployment, *pods) == ["Pod/chat/beside"]


def test_machine_configs_that_repeat_others_are_passed_over() -> None:
    group, files = "machineconfiguration.openshift.io/v1", {"files": [{"path": "/etc/kubernetes/kubelet.conf"}]}
    written = {"config": {"storage": files}}
    pool, kubelet = made(group, "MachineConfigPool", "gpu", {}), made(group, "KubeletConfig", "gpu", {})
    role: Thing = {"machineconfiguration.openshift.io/role": "gpu"}
    installed = made(group, "MachineConfig", "01-gpu-kubelet", written, **role)
    generated = made(group, "MachineConfig", "99-gpu-generated-kubelet", written, kubelet, **role)
    rendered = [made(group, "MachineConfig", f"rendered-gpu-{number}", written, pool) for number in (1, 2)]
    rule, seen = "platform-one-writer-of-a-file", (pool, kubelet, installed, generated, *rendered)
    assert places(rule, *seen) == []
    typed = made(group, "MachineConfig", "99-typed", written, **role)
    assert places(rule, *seen, typed) == ["MachineConfig/chat/99-typed"]


def test_replica_sets_of_past_versions_run_nothing() -> None:
    rollout = made("argoproj.io/v1alpha1", "Rollout", "r", {"template": BAD})
    now, past = (
        made("apps/v1", "ReplicaSet", f"r-{count}", {"replicas": count, "template": BAD}, rollout) for count in (3, 0)
    )
    assert places(DIGEST, rollout, now, past) == ["ReplicaSet/chat/r-3"]


def test_objects_that_say_they_made_each_other_are_looked_at_all_the_same() -> None:
    one, two = pod("one"), pod("two")
    for each, other in ((one, two), (two, one)):
        each["metadata"]["ownerReferences"] = [{"uid": other["metadata"]["uid"], "controller": True}]
    assert places(DIGEST, one, two) == ["Pod/chat/one", "Pod/chat/two"]
