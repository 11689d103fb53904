"""Rows of the cluster's objects, by kind: what changing one does to what runs. Their changes are shown, not limited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.changes.impact import Impact
from podwright.components.changes.mesh import MESH
from podwright.components.changes.row import ChangeClass, Row, Scope
from podwright.components.changes.stores import of_store

_LIVE, _DISRUPTIVE, _REPLACED = ChangeClass.LIVE, ChangeClass.DISRUPTIVE, ChangeClass.REPLACED


def _restarts(reason: str, lasts: str, scope: Scope = "pool", source: str = "") -> Row:
    return Row("", _DISRUPTIVE, reason, source, scope=scope, lasts=lasts)


_NODES: Final = "node by node, within the pool's budget, up to 30 minutes each"
_SRIOV: Final = Row(
    "",
    _DISRUPTIVE,
    "the SR-IOV operator drains and configures the nodes that it selects",
    "OpenShift, SR-IOV network operator: a node is drained before its NICs are configured",
    scope="nodes",
    lasts=_NODES,
    verb="drain one after the other for their functions",
)
_DRIVER: Final = _restarts(
    "another driver waits in the operator's DaemonSet: a roll-out of each pool takes the nodes to it",
    _NODES,
    source="NVIDIA GPU and network operators: their drivers' DaemonSets are updated OnDelete",
)
_NICS: Final = Row(
    "",
    _DISRUPTIVE,
    "the NIC Configuration Operator drains and restarts the nodes whose NICs it selects, through the Maintenance "
    "Operator",
    "Mellanox/nic-configuration-operator v1.3.1: firmware settings and every change of an applied template",
    scope="nodes",
    lasts=_NODES,
    verb="restart one after the other for their NICs' settings",
)
_BOOTED: Final = Row(
    "",
    _DISRUPTIVE,
    "nodes of the pool are drained and restarted with it",
    "OpenShift MCO",
    scope="nodes",
    lasts=_NODES,
    verb="restart for their configuration",
)
_MIRRORED: Final = Row(
    "",
    _DISRUPTIVE,
    "nodes are drained one after the other within their pools' budgets, and not restarted, unless every change is a "
    "further source by digest, which CRI-O reads while its pods run",
    "openshift/machine-config-operator release-4.20, pkg/daemon/drain.go: isSafeContainerRegistryConfChanges",
    scope="cluster",
    verb="drain its nodes",
    lasts="up to 30 minutes a node",
)
_PULLED: Final = Row(
    "",
    _LIVE,
    "a file is written to every node and CRI-O reads it anew; no node drains or restarts, and pods that run stay: it "
    "decides what is pulled from then on",
    "openshift/machine-config-operator release-4.20, pkg/apihelpers/apihelpers.go: policy.json and registries.d reload "
    "crio.service",
)
_MOVED: Final = Row("", _LIVE, "OpenShift starts its own pods elsewhere, one after the other")
_READ: Final = Row("", _LIVE, "taken when it is written; what runs goes on")
_SELECTED: Final = Row("", _LIVE, "decides what may be admitted from then on; pods that run stay")

OBJECTS: Final[Mapping[str, tuple[Row, ...]]] = {
    "Job": (
        Row("spec.maxFailedIndexes", _LIVE, "how many members may fail for good before the others are ended too"),
        Row(
            "spec.podFailurePolicy", _REPLACED,
            "exit codes that end a job are fixed with it: it is made again, and starts from its last checkpoint",
            "Kubernetes, Job: the policy is immutable", scope="workload", lasts="until it has started again",
        ),
        Row(
            "", _REPLACED, "a job's pods cannot change: it is made again, and starts from its last checkpoint",
            "Kubernetes, Job: the pod template is immutable", scope="workload", lasts="until it has started again",
        ),
    ),
    **dict.fromkeys(
        ("JobSet", "TrainJob", "TrainingRuntime"),
        (
            Row(
                "", _REPLACED, "a set cannot change: it is made again, and starts from its last checkpoint",
                "kubernetes-sigs/jobset v0.12.0, pkg/webhooks/jobset_webhook.go (replicatedJobs); the kind's own rules "
                "(network, failurePolicy; runtimeRef)", scope="workload", lasts="until it has started again",
            ),
        ),
    ),
    **dict.fromkeys(("Deployment", "InferenceService"), (
        Row("", _LIVE, "pods are replaced one after the other; a service of one replica is away while its model loads"),
    )),
    "CronJob": (Row("", _LIVE, "the next run is as it is then; one that is under way ends as it began"),),
    "PersistentVolumeClaim": (
        Row("spec.resources", _LIVE, "the volume grows in place where its class lets it"),
        Row(
            "", _REPLACED, "nothing else of a claim can change: it is made again, empty",
            "Kubernetes, PersistentVolumeClaim: the spec is immutable but for its size", scope="volume",
        ),
    ),
    "StorageClass": (Row("", _REPLACED, "a class is made again; volumes that it made stay as they are"),),
    "PriorityClass": (Row("", _REPLACED, "its value cannot change; pods that run keep theirs"),),
    "MachineConfig": (_BOOTED,),
    "MachineConfiguration": (Row("", _LIVE, "what a later change of a node's files restarts"),),
    **dict.fromkeys(("KubeletConfig", "ContainerRuntimeConfig"), (_BOOTED,)),
    **dict.fromkeys(("ImageDigestMirrorSet", "ImageTagMirrorSet"), (_MIRRORED,)),
    **dict.fromkeys(("Image", "ClusterImagePolicy"), (_PULLED,)),
    **dict.fromkeys(("CatalogSource", "OperatorHub"), (_READ,)),
    **dict.fromkeys(("IngressController", "Config"), (_MOVED,)),
    "MachineConfigPool": (Row("", _LIVE, "which nodes are configured alike, and how many at a time"),),
    "PerformanceProfile": (_BOOTED,),
    "Tuned": (Row("", _LIVE, "kernel settings of running nodes; memory that is in use stays in the pages it has"),),
    "SriovNetworkNodePolicy": (_SRIOV,),
    "SriovNetworkPoolConfig": (Row("", _LIVE, "how many nodes are taken through at a time"),),
    "SriovNetwork": (Row("", _LIVE, "pods that start from then on are attached by it"),),
    "CIDRPool": (
        Row(
            "", _LIVE, "pods that run keep the address they have; those that start from then on get a new one",
            "Mellanox/nvidia-k8s-ipam v0.4.0: a daemon's reservations stay until their pods end",
        ),
    ),
    "SriovOperatorConfig": (_READ,),
    "NicClusterPolicy": (_DRIVER,),
    "NicNodePolicy": (_DRIVER,),
    "NicConfigurationTemplate": (_NICS,),
    "MaintenanceOperatorConfig": (Row("", _LIVE, "how many nodes may be away at once from then on"),),
    "ClusterPolicy": (
        Row(
            "spec.devicePlugin", _LIVE, "device plugins start anew, one node after the other; pods keep their GPUs",
            "NVIDIA/gpu-operator, assets/state-device-plugin: rolling update",
        ),
        _DRIVER,
    ),
    "NVIDIADriver": (_DRIVER,),
    "NodeFeatureDiscovery": (_READ,),
    "JobSetOperator": (_READ,),
    "CertManager": (Row("", _LIVE, "cert-manager's pods are made anew; certificates stay"),),
    "Kueue": (
        Row(
            "", _LIVE, "Kueue starts anew with its configuration; jobs that were admitted go on",
            "openshift/kueue-operator release-1.3, pkg/operator/target_config_reconciler.go: the Deployment has a hash "
            "of it",
        ),
    ),
    **dict.fromkeys(
        ("Topology", "ResourceFlavor", "ClusterQueue", "LocalQueue"),
        (Row("", _LIVE, "decides which job is admitted next and where; jobs that were admitted go on"),),
    ),
    "DataScienceCluster": (
        Row(
            "", _LIVE, "controllers of a component come, or go; what users made with it stays, and workbenches run on",
            "red-hat-data-services/rhods-operator, internal/controller/datasciencecluster: kinds are never deleted",
        ),
    ),
    "HardwareProfile": (Row("", _LIVE, "which sizes a user may choose; a workbench has its size until it is edited"),),
    "NodeHealthCheck": (
        Row(
            "", _LIVE, "which silent nodes are given up, and when, from then on; one that is given up already goes on",
            "medik8s/node-healthcheck-operator: selector, template and the object itself stay while it does",
        ),
    ),
    "SelfNodeRemediationTemplate": (Row("", _LIVE, "how nodes are given up from then on"),),
    "SelfNodeRemediationConfig": (
        Row(
            "", _LIVE, "agents start anew with it, one node after the other; no node is reset by that",
            "medik8s/self-node-remediation, selfnoderemediationconfig_controller.go: a DaemonSet, rolling update",
        ),
    ),
    "NMState": (Row("", _LIVE, "which nodes have a handler; a handler that goes changes nothing on its node"),),
    "Subscription": (Row("", _LIVE, "what is offered; a release is installed when it is approved"),),
    "Node": (
        Row(
            "metadata.labels.nvidia.com/device-plugin.config", _DISRUPTIVE,
            "the device plugin registers the node's GPUs anew: pods that run keep theirs, and others may be put beside "
            "them; MPS takes a GPU for its server alone, so that a pod which began without it is in its way",
            "NVIDIA/k8s-device-plugin, cmd/config-manager: SIGHUP; cmd/mps-control-daemon: EXCLUSIVE_PROCESS",
            scope="pool", lasts="until the pods of the pool have been started again",
        ),
        Row("", _LIVE, "labels and taints: pods that run stay, others are placed by them"),
    ),
    **MESH, **dict.fromkeys((
        "OperatorGroup", "ServiceAccount", "Service", "ConfigMap", "GatewayClass", "CustomResourceDefinition",
        "DestinationRule", "Kuadrant", "Gateway", "HTTPRoute", "InferencePool", "DSCInitialization"), (_READ,)),
    **dict.fromkeys(
        ("ResourceQuota", "LimitRange", "NetworkPolicy", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding",
         "PodDisruptionBudget", "SecurityContextConstraints",
         "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
        (_SELECTED,),
    ),
    "AdminNetworkPolicy": (Row(
        "", _LIVE, "connections between pods of different teams are denied or left to NetworkPolicies by it at "
        "once, those that are open too; no pod moves",
    ),),
    "Route": (
        Row("spec.host", _LIVE, "the service answers to its new name alone, and the router answers 503 to the old one"),
        Row(
            "", _LIVE, "the router reads it within seconds; what it answers meanwhile ends as it began",
            "openshift/router: HAProxy is reloaded, and the processes before end with their last connection",
        ),
    ),
    **dict.fromkeys(("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy"), (
        Row("", _LIVE, "who may call a service, and how much, from the next request on; no pod moves"),)),
    "ServiceMonitor": (Row("", _LIVE, "which metrics are read, from the next reading on; no pod moves"),),
    "AlertingRule": (Row("", _LIVE, "which alerts there are, from the next evaluation on; no pod moves"),),
    "ScaledObject": (Row(
        "", _LIVE, "how many replicas a service has from the next reading on; those that stay are not restarted"),),
    "TriggerAuthentication": (Row("", _LIVE, "by which account KEDA reads metrics, from the next reading on"),),
    "KedaController": (Row("", _LIVE, "KEDA starts anew; services keep the replicas that they have"),),
    "FlowSchema": (Row("", _LIVE, "which requests are one flow, from the next one on"),),
    "PriorityLevelConfiguration": (Row("", _LIVE, "how many requests of its flows are served at once; no pod moves"),),
    "FabricAcceptance": (Row("", _LIVE, "the fabric is measured anew, on rails that no job holds at that moment"),),
}  # fmt: skip
"""The first row whose name is empty, or the beginning of every path that changed, holds."""


FILES: Final[Mapping[str, Row]] = {
    "/etc/chrony.conf": Row(
        "",
        _LIVE,
        "the file is written to every node and chronyd restarted; no node drains",
        "openshift/machine-config-operator release-4.20, pkg/daemon/update.go: node disruption policies",
    )
}
"""Files for which there is a node disruption policy of this program: a MachineConfig that has one alone restarts no
node, unlike all others."""


def object_impact(old: Mapping[str, Any], new: Mapping[str, Any]) -> Impact | None:
    """The row between two manifests of one object; None where they are the same."""
    changed = tuple(sorted(_changed(old, new)))
    if not changed:
        return None
    kind = str(new["kind"])
    row = _apart(old, new) or next(row for row in OBJECTS[kind] if all(path.startswith(row.name) for path in changed))
    return Impact(f"kubernetes:{kind}", str(new["metadata"]["name"]), row, row.change, changed, {})


def _apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> Row | None:
    """The row of a MachineConfig that has one of `FILES` and nothing else, before and after; or that of a store."""
    alone = {_only_file(each) for each in (old, new)}
    return of_store(new) or (FILES.get(alone.pop() or "") if len(alone) == 1 else None)


def _only_file(each: Mapping[str, Any]) -> str | None:
    spec = each.get("spec") or {}
    parts = {key: part for key, part in (spec.get("config") or {}).items() if key != "ignition"}
    paths = [row["path"] for row in (parts.pop("storage", None) or {}).get("files") or []]
    alone = each["kind"] == "MachineConfig" and set(spec) == {"config"} and not parts and len(paths) == 1
    return str(paths[0]) if alone else None


SELECTING: Final = (
    "NicConfigurationTemplate", "MachineConfig", "KubeletConfig", "ContainerRuntimeConfig", "SriovNetworkNodePolicy",
)  # fmt: skip
"""Kinds of which a preview counts the nodes: an operator takes them away, not a roll-out of this program, and a new
object does it as a changed one does. Nodes without functions get their first ones as they run."""
_POOL, _ROLE = "podwright.io/pool", "machineconfiguration.openshift.io/role"


def node_restarts(old: Mapping[str, Any] | None, new: Mapping[str, Any], pool: Mapping[str, str]) -> Impact | None:
    """The nodes of `pool` (their pool by name) that restart for an object; None where it selects none, or is as it was.

    `old` None: it is made, among nodes that run already.
    """
    kind = str(new["kind"])
    row = _apart(old or new, new) or OBJECTS[kind][0]
    first = old is None and kind == "SriovNetworkNodePolicy"
    if first or row.change < _DISRUPTIVE or (old is not None and old.get("spec") == new.get("spec")):
        return None
    selected = _selected(new)
    nodes = tuple(sorted(name for name, each in pool.items() if each and selected in (each, "worker")))
    if not nodes:
        return None
    return Impact(f"kubernetes:{kind}", str(new["metadata"]["name"]), row, row.change, ("spec",), {}, nodes)


def _selected(new: Mapping[str, Any]) -> str:
    """The pool that an object is for; `worker`: every pool, whose nodes take the workers' configuration too."""
    spec = new.get("spec") or {}
    labels = (new.get("metadata") or {}).get("labels") or {}
    pools = (spec.get("machineConfigPoolSelector") or {}).get("matchLabels") or {}
    return str((spec.get("nodeSelector") or {}).get(_POOL) or pools.get(_POOL) or labels.get(_ROLE) or "")


def _changed(old: Any, new: Any, path: str = "") -> set[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        inner = (_changed(old.get(key), new.get(key), f"{path}.{key}" if path else str(key)) for key in {**old, **new})
        return {found for each in inner for found in each}
    return set() if old == new else {path}
