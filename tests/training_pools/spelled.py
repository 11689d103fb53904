"""The table of pods as objects of every kind, and as the pods that the kind's controller makes of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.platforms.planned import Object

TABLE: Final = Path(__file__).with_name("spellings.yaml")
GATES: Final = ("preview", "admission")
TENANT, ADMIN = "tenant", "admin"
_NAME: Final = "chat"


@dataclass(frozen=True)
class Row:
    """One spelling."""

    name: str
    kind: str
    namespace: str
    pod: Object
    labels: dict[str, str]
    verdict: str
    gates: tuple[str, ...]
    by: str
    owner: str
    """apiVersion and kind that a bare pod names as its controller."""
    binds: str
    """Node that the pod is bound to by hand."""
    adds: list[Object]
    """Tolerations that it is given when it exists."""
    debugged: bool
    """Whether it is given an ephemeral container when it exists."""
    mirror: str
    """Node whose kubelet mirrors a static pod."""

    def refused(self, gate: str) -> bool:
        """Whether a gate has to refuse it."""
        return self.verdict == "refused" and gate in self.gates


def rows() -> list[Row]:
    """The whole table."""
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return [_row(each, copy.deepcopy(table["bases"][each["base"]])) for each in table["rows"]]


def _row(each: dict[str, Any], base: dict[str, Any]) -> Row:
    whole = {**base, **each}
    pod = {key: value for key, value in {**base.get("pod", {}), **each.get("pod", {})}.items() if value is not None}
    terms: list[Object] = [{"matchExpressions": [_expression(one) for one in term]} for term in each.get("terms", ())]
    terms += [{"matchFields": [_expression(one) for one in term]} for term in each.get("fields", ())]
    node: Object = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}} if terms else {}
    if wish := each.get("preferred"):
        preference = {"weight": 100, "preference": {"matchExpressions": [_expression(wish)]}}
        node["preferredDuringSchedulingIgnoredDuringExecution"] = [preference]
    if node:
        pod["affinity"] = {"nodeAffinity": node}
    return Row(
        name=whole["name"],
        kind=whole["kind"],
        namespace=whole["namespace"],
        pod={"containers": [container(whole.get("gpus", 0))], **pod},
        labels={"app": _NAME, **whole.get("labels", {})},
        verdict=whole["verdict"],
        gates=tuple(whole.get("gates", GATES)),
        by=whole.get("by", ""),
        owner=whole.get("owner", ""),
        binds=whole.get("binds", ""),
        adds=whole.get("adds", []),
        debugged=whole.get("debugged", False),
        mirror=whole.get("mirror", ""),
    )


def _expression(text: str) -> Object:
    key, operator, *values = text.split()
    return {"key": key, "operator": operator, **({"values": values} if values else {})}


def container(gpus: int) -> Object:
    """The one container of a pod."""
    asks = {"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {}
    return {"name": "main", "image": "registry.example.com/vllm:1", "resources": asks}


def _modelled(pod: Object) -> Object:
    """A predictor whose container is that of its model."""
    (box,) = ({key: value for key, value in each.items() if key != "name"} for each in pod["containers"])
    rest = {key: value for key, value in pod.items() if key != "containers"}
    return {**rest, "model": {"modelFormat": {"name": "vLLM"}, **box}}


def _group(pod: Object) -> Object:
    return {"replicas": 1, "template": pod}


def _ray(template: Object, *, head: bool) -> Object:
    plain = {"spec": {"containers": [container(0)]}}
    first, others = (template, plain) if head else (plain, template)
    return {"headGroupSpec": {"template": first}, "workerGroupSpecs": [{"groupName": "a", "template": others}]}


def _kinds(pod: Object, template: Object) -> dict[str, tuple[str, Object]]:
    """apiVersion and spec of each kind."""
    job = {"template": template}
    plain = {"containers": [container(0)]}
    apps = dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"), ("apps/v1", {"template": template}))
    return {
        **apps,
        "Pod": ("v1", pod),
        "ReplicationController": ("v1", {"template": template}),
        "DeploymentConfig": ("apps.openshift.io/v1", {"template": template}),
        "Job": ("batch/v1", job),
        "CronJob": ("batch/v1", {"schedule": "0 4 * * *", "jobTemplate": {"spec": job}}),
        "JobSet": ("jobset.x-k8s.io/v1alpha2", {"replicatedJobs": [{"name": "a", "template": {"spec": job}}]}),
        "LeaderWorkerSet": ("leaderworkerset.x-k8s.io/v1", {"leaderWorkerTemplate": {"workerTemplate": template}}),
        "LeaderWorkerSet leader": (
            "leaderworkerset.x-k8s.io/v1",
            {"leaderWorkerTemplate": {"leaderTemplate": template, "workerTemplate": {"spec": plain}}},
        ),
        "InferenceService": ("serving.kserve.io/v1beta1", {"predictor": pod}),
        "InferenceService model": ("serving.kserve.io/v1beta1", {"predictor": _modelled(pod)}),
        "InferenceService worker": ("serving.kserve.io/v1beta1", {"predictor": {**plain, "workerSpec": pod}}),
        "LLMInferenceService": ("serving.kserve.io/v1alpha1", {"template": pod}),
        "LLMInferenceService prefill": (
            "serving.kserve.io/v1alpha1",
            {"template": plain, "prefill": {"template": pod}},
        ),
        "ServingRuntime": ("serving.kserve.io/v1alpha1", pod),
        "NIMService": (
            "apps.nvidia.com/v1alpha1",
            {
                "resources": pod["containers"][0]["resources"],
                **{key: value for key, value in pod.items() if key != "containers"},
            },
        ),
        "RayCluster": ("ray.io/v1", _ray(template, head=False)),
        "RayCluster head": ("ray.io/v1", _ray(template, head=True)),
        "RayService": ("ray.io/v1", {"rayClusterConfig": _ray(template, head=False)}),
        "RayJob": ("ray.io/v1", {"rayClusterSpec": _ray(template, head=False)}),
        "PyTorchJob": ("kubeflow.org/v1", {"pytorchReplicaSpecs": {"Worker": _group(template)}}),
        "MPIJob": ("kubeflow.org/v1", {"mpiReplicaSpecs": {"Launcher": _group(template), "Worker": _group(template)}}),
        "Notebook": ("kubeflow.org/v1", {"template": template}),
        "Service": ("serving.knative.dev/v1", {"template": template}),
        "VirtualMachine": ("kubevirt.io/v1", {"template": template}),
        "Chat": ("example.com/v1", {"workers": [{"pods": {"spec": pod}}]}),
    }


def planned(row: Row) -> Object:
    """The object as a plan has it."""
    template = {"metadata": {"labels": row.labels}, "spec": row.pod}
    version, spec = _kinds(row.pod, template)[row.kind]
    meta = {"name": _NAME, "namespace": row.namespace, "labels": row.labels}
    return {"apiVersion": version, "kind": row.kind.split()[0], "metadata": meta, "spec": spec}


_KUBE: Final = "system:serviceaccount:kube-system:"
_MADE: Final = {
    "ReplicaSet": ("apps/v1 ReplicaSet", f"{_KUBE}replicaset-controller"),
    "ReplicationController": ("v1 ReplicationController", f"{_KUBE}replication-controller"),
    "DeploymentConfig": ("v1 ReplicationController", f"{_KUBE}replication-controller"),
    **dict.fromkeys(
        ("StatefulSet", "LeaderWorkerSet", "Notebook"), ("apps/v1 StatefulSet", f"{_KUBE}statefulset-controller")
    ),
    "DaemonSet": ("apps/v1 DaemonSet", f"{_KUBE}daemon-set-controller"),
    **dict.fromkeys(("Job", "CronJob", "JobSet"), ("batch/v1 Job", f"{_KUBE}job-controller")),
    **dict.fromkeys(
        ("RayCluster", "RayService", "RayJob"),
        ("ray.io/v1 RayCluster", "system:serviceaccount:openshift-operators:kuberay-operator"),
    ),
    "PyTorchJob": ("kubeflow.org/v1 PyTorchJob", "system:serviceaccount:redhat-ods-applications:training-operator"),
    "MPIJob": ("kubeflow.org/v1 MPIJob", "system:serviceaccount:redhat-ods-applications:training-operator"),
    "VirtualMachine": (
        "kubevirt.io/v1 VirtualMachineInstance",
        "system:serviceaccount:openshift-cnv:kubevirt-controller",
    ),
}
"""What pods of a kind say of their controller, and who makes them; of every other kind a Deployment's."""


def made(row: Row) -> Iterator[tuple[Object, str]]:
    """The pod that becomes of a row, and each user who may make it."""
    kind = row.kind.split()[0]
    owner, maker = (row.owner, "") if kind == "Pod" else _MADE.get(kind, _MADE["ReplicaSet"])
    meta: Object = {"name": _NAME, "namespace": row.namespace, "labels": row.labels}
    if owner:
        version, what = owner.split()
        uid = "6fd38c0e-0000-4000-8000-000000000001"
        meta["ownerReferences"] = [{"apiVersion": version, "kind": what, "name": _NAME, "uid": uid, "controller": True}]
    if row.mirror:
        meta["annotations"] = {"kubernetes.io/config.mirror": "1", "kubernetes.io/config.source": "file"}
    pod: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": copy.deepcopy(row.pod)}
    if row.mirror:
        pod["spec"]["nodeName"] = row.mirror
    for user in [maker] if maker else [row.by] if row.by else [TENANT, ADMIN]:
        yield pod, user
