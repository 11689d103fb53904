"""Distributed training: an Indexed Job, a JobSet of one, or a TrainJob of that, with a pod per server, its rails and
GPUs, and a rendezvous of its members.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from podwright.components.design import hardware, lossless
from podwright.components.design.operators.network import network_name, resource
from podwright.components.design.platform.names import (
    GID_INDEX,
    GROUP_LABEL,
    MESH_LABEL,
    OUTSIDE,
    QUEUE_LABEL,
    TENANT_LABEL,
    TRAINING,
    WORKLOAD_LABEL,
    Manifest,
    priority_class,
    tolerations,
)
from podwright.components.design.platform.topology import levels
from podwright.components.design.workloads import (
    claims,
    home,
    huge_pages,
    rendezvous,
    saving,
    secret_variables,
    sets,
    train_jobs,
)
from podwright.components.design.workloads.placement import Place, queued, training
from podwright.components.design.workloads.rendezvous_store import PORT
from podwright.components.design.workloads.sets import DISRUPTED
from podwright.components.model import Attachments, Lossless, Server, Training
from podwright.components.model.workloads import SETS

ADMITTED: Final = {"Job": ("spec.parallelism", "spec.completions")}
"""By kind, what of a job with `min_nodes` is Kueue's from the moment it is made. Its webhook refuses everybody else's
change of it while members run (kubernetes-sigs/kueue, pkg/controller/jobs/job/job_webhook.go)."""


def job(  # noqa: PLR0913 - what others of the file say about a job
    name: str,
    job_spec: Training,
    servers: Mapping[str, Server],
    carried: Lossless,
    attachments: Attachments = "group",
    queue: str | None = None,
    tenant: str | None = None,
    *,
    apart: bool = False,
) -> tuple[Manifest, ...]:
    """The headless service that names the members, and the job; or the set, whose controller makes the service.

    `servers` are those of its pool, where it has a `tenant` those of its own, which it selects nodes by. `carried` is
    the class that the switches on their rails keep lossless, `queue` what it waits in. Its suspension is Kueue's field
    alone: a job that says it itself would stop what runs at an update. `apart`: its team is in the service mesh, and
    its members are not: what they say to each other is not to go through a proxy.
    """
    spans = attachments == "fabric"
    place = (
        training(servers, job_spec.pool, job_spec.nodes, spans=spans)
        if queue is None
        else queued(
            servers, job_spec.pool, job_spec.nodes, bound=attachments == "group", spans=spans, least=job_spec.least
        )
    )
    if tenant is not None:
        place = replace(place, selector={**place.selector, TENANT_LABEL: tenant})
    group = place.server.group or 0 if attachments == "group" else None
    networks = {
        nic.rail: network_name(job_spec.team, group, nic.rail)
        for nic in hardware.rails(place.server)
        if job_spec.rails is None or nic.rail in job_spec.rails
    }
    labels = {"app.kubernetes.io/name": name, WORKLOAD_LABEL: TRAINING, **({MESH_LABEL: OUTSIDE} if apart else {})}
    # The pinned plugin would wait for the end of training, and call a running job unready at every refresh.
    notes = {"pulumi.com/skipAwait": "true"}
    meta = {"name": name, "namespace": job_spec.team, "annotations": notes}
    waits = {**labels, **({QUEUE_LABEL: queue} if queue else {})}
    together = {} if queue is None else _together(servers, spans=spans)
    spec = _spec(name, job_spec, labels, place, networks, carried, together)
    if job_spec.kind == "jobset":
        return (sets.job_set({**meta, "labels": waits}, labels, spec, job_spec.made_again),)
    if job_spec.kind == "trainjob":
        return train_jobs.planned(meta, waits, labels, spec, job_spec.made_again)
    own = {**meta, "labels": waits, "annotations": {**notes, **_fewer(job_spec)}}
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": own, "spec": spec}
    return _service({**meta, "labels": labels}), body


def _fewer(job_spec: Training) -> dict[str, str]:
    """That Kueue may start fewer members, and no more indexes then than members: it writes both fields when it does
    (kubernetes-sigs/kueue, pkg/controller/jobs/job/job_controller.go, RunWithPodSetsInfo)."""
    if job_spec.min_nodes is None:
        return {}
    return {
        "kueue.x-k8s.io/job-min-parallelism": str(job_spec.min_nodes),
        "kueue.x-k8s.io/job-completions-equal-parallelism": "true",
    }


def _service(meta: Mapping[str, Any]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {
            "clusterIP": "None",
            # The first member answers before it is ready: the others are waiting for it.
            "publishNotReadyAddresses": True,
            "selector": meta["labels"],
            "ports": [{"name": "rendezvous", "port": PORT, "targetPort": PORT, "protocol": "TCP"}],
        },
    }


def _together(servers: Mapping[str, Server], *, spans: bool) -> dict[str, str]:
    """How close Kueue has to put the members: rails of one job are in one leaf group, unless the fabric routes between
    groups; then in as few as there can be. Without rails a rack is better than several."""
    first = levels(servers)[0]
    if first == GROUP_LABEL and not spans:
        return {"kueue.x-k8s.io/podset-required-topology": first}
    return {"kueue.x-k8s.io/podset-preferred-topology": first}


def _spec(
    name: str,
    job_spec: Training,
    labels: dict[str, str],
    place: Place,
    networks: Mapping[int, str],
    carried: Lossless,
    together: Mapping[str, str],
) -> dict[str, Any]:
    """`networks` are the attachments by rail, `together` annotations by which Kueue places the members."""
    rails = list(networks)
    attached = ",".join(f"{network}@rail{rail}" for rail, network in networks.items())
    notes = {**({"k8s.v1.cni.cncf.io/networks": attached} if rails else {}), **together}
    annotations = {"annotations": notes} if notes else {}
    return {
        "completionMode": "Indexed",
        "completions": job_spec.nodes,
        "parallelism": job_spec.nodes,
        **_ends(job_spec),
        "template": {
            "metadata": {"labels": labels, **annotations},
            "spec": {
                "restartPolicy": "Never",
                "subdomain": name,
                "serviceAccountName": TRAINING,
                "priorityClassName": priority_class(job_spec.priority),
                "nodeSelector": place.selector,
                "tolerations": tolerations(job_spec.pool),
                "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
                ]}},
                "terminationGracePeriodSeconds": saving.grace_seconds(job_spec.checkpoints),
                "securityContext": {
                    "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"},
                    **claims.context(job_spec.volumes),
                },
                "containers": [_container(name, job_spec, rails, carried)],
                "volumes": [
                    *huge_pages.volumes(job_spec.shm_gib, job_spec.hugepages_gib),
                    *([home.volume(job_spec.home_gib or home.CACHES_GIB)] if _has_home(job_spec) else []),
                    *claims.volumes(job_spec.volumes),
                ],
            },
        },
    }  # fmt: skip


def _ends(job_spec: Training) -> dict[str, Any]:
    """What a failed member counts as, the first rule that fits: a drain or a preemption is nobody's failure, whatever
    the program ended with for it; some exit codes end the job; everything else counts against the member."""
    rules: list[dict[str, Any]] = []
    if job_spec.give_up_on:
        # The API server takes no other order (kubernetes/kubernetes, pkg/apis/batch/validation/validation.go).
        codes = {"containerName": _box(job_spec), "operator": "In", "values": sorted(job_spec.give_up_on)}
        rules.append({"action": "FailJob", "onExitCodes": codes})
    if job_spec.kind in SETS:
        return sets.ends(rules)
    return {
        "backoffLimitPerIndex": job_spec.made_again,
        # A gang without one member trains no more: the others would hold their servers for nothing.
        "maxFailedIndexes": 0,
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [DISRUPTED]}, *rules]},
    }


def _box(job_spec: Training) -> str:
    """Name of the container that trains."""
    return train_jobs.NODE if job_spec.kind == "trainjob" else "train"


def _has_home(job_spec: Training) -> bool:
    """Only where a key asks for it: a job's pods cannot change, and a running one would be made again for its HOME."""
    return bool(job_spec.volumes) or job_spec.home_gib is not None


def _container(name: str, job_spec: Training, rails: list[int], carried: Lossless) -> dict[str, Any]:
    """Requests equal limits: the pod is Guaranteed. Memory already counts /dev/shm."""
    amounts = {
        "cpu": str(job_spec.cpus),
        "memory": f"{job_spec.memory_gib}Gi",
        "nvidia.com/gpu": str(job_spec.gpus),
        **huge_pages.amounts(job_spec.hugepages_gib),
        **{resource(rail): "1" for rail in rails},
    }
    lock = {"add": ["IPC_LOCK"]} if rails else {}
    own = _has_home(job_spec)
    return {
        "name": _box(job_spec),
        "image": job_spec.image,
        "command": rendezvous.command(name, job_spec),
        "env": [
            *_environment(rails, carried), *(home.variables(serves=False) if own else []),
            *rendezvous.variables(name, job_spec), *saving.variables(job_spec), *secret_variables.env(job_spec.secrets),
        ],
        "ports": [{"name": "rendezvous", "containerPort": PORT, "protocol": "TCP"}],
        "resources": {"requests": {**amounts, **home.requests(job_spec.home_gib)}, "limits": dict(amounts)},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], **lock}},
        "volumeMounts": [
            *huge_pages.mounts(job_spec.hugepages_gib), *([home.mount()] if own else []),
            *claims.mounts(job_spec.volumes),
        ],
    }  # fmt: skip


def _environment(rails: list[int], carried: Lossless) -> list[dict[str, str]]:
    """NCCL in the class the switches keep lossless.

    No NCCL_IB_HCA: NCCL takes every RDMA device it sees, and in the RDMA subsystem's exclusive mode a pod sees those
    of its rails alone, by whatever name its node has for them: rocep9s0f0v0, mlx5_11. A NicInterfaceNameTemplate would
    name physical functions, and a pod has a virtual one, which a node's own rules name.
    """
    if not rails:
        return []
    host = lossless.host(carried)
    values = {
        "NCCL_IB_GID_INDEX": str(GID_INDEX),
        "NCCL_IB_TC": str(host.traffic_class),
        "NCCL_IB_SL": str(host.priority),
        "NCCL_CROSS_NIC": "0",
        "NCCL_SOCKET_IFNAME": "eth0",
    }
    return [{"name": key, "value": value} for key, value in values.items()]
