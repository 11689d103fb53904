"""Names that more than one layer writes into objects: labels, taints, classes, accounts."""

from typing import Any

from podwright.components.model import Sharing

POOL_LABEL = "podwright.io/pool"
PURPOSE_LABEL = "podwright.io/purpose"
GROUP_LABEL = "podwright.io/leaf-group"
"""Leaf group of a node's rails: pods on one rail share a subnet only within a group."""
TENANT_LABEL = "podwright.io/tenant"
"""Tenant of the fabric that a node's rails are of: pods on rails of two tenants do not reach each other."""
RACK_LABEL = "podwright.io/rack"
"""Rack of a node, where training jobs wait in queues, which Kueue keeps together by it, or replicas of a service are
spread over racks."""
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""Label of a job: the LocalQueue of its namespace that it waits in."""
QUEUED_LABEL = "kueue.openshift.io/managed"
"""Label of a namespace whose jobs the Red Hat build of Kueue looks after (openshift/kueue-operator,
pkg/configmap/configmap.go, managedJobsNamespaceSelector)."""
PROJECT_LABEL = "opendatahub.io/dashboard"
"""Label of a namespace that the dashboard of Red Hat OpenShift AI shows as a project."""
APPLICATIONS = "redhat-ods-applications"
"""Namespace of its dashboard and of controllers, which its operator makes; profiles of all projects are in it."""
SHARED_LABEL = "podwright.io/shared-by-teams"
"""Annotation of a pool whose GPUs, or of a network whose rail, several teams share: why they may."""
MESH_LABEL = "istio.io/dataplane-mode"
"""Label of a namespace or a pod: whether pods are in the service mesh, and how (istio/istio, api label)."""
IN_AMBIENT, OUTSIDE = "ambient", "none"
"""Its values: by the proxy of the node, and not at all."""
DISCOVERED = {"istio-discovery": "enabled"}
"""Labels of a namespace that the service mesh knows of."""
WORKLOAD_LABEL = "podwright.io/workload"
COST_LABEL = "podwright.io/cost-centre"
"""Label of a team's namespace: who pays for what runs in it."""
NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""Label that the API server gives every namespace, and keeps: its name."""
MIG_OFF = "all-disabled"
"""MIG layout that leaves GPUs whole; the GPU operator takes no other as its default."""

NOT_ADMITTED = "podwright.io/not-admitted"
"""Key of the taint of nodes whose checks have not passed since they booted."""
ADMISSION_NOTE = "podwright.io/admission"
"""Annotation of a node: what its checks found, in JSON."""

PLUGIN_LABEL = "nvidia.com/device-plugin.config"
"""Chooses a node's configuration of the device plugin, of those in the ClusterPolicy's map."""
PLUGIN_WHOLE = "whole"
"""Configuration of nodes without that label: nothing is shared."""

WHOLE_GPU = "nvidia.com/gpu"
"""Extended resource of a GPU that is not divided."""

TRAINING = "training"
INFERENCE = "inference"
"""Service account and priority class suffix of each kind of workload."""
BATCH = "batch"
"""Priority class suffix of training jobs that give way to others of their team."""

GID_INDEX = 3
"""RoCEv2 over IPv4 in the GID table of an mlx5 device with one address."""
RDMA_SCC = "podwright-rdma"
ACCEPTANCE_NAMESPACE = "podwright-acceptance"

Manifest = dict[str, Any]
"""A Kubernetes object as plain data."""


def mig_resource(profile: str) -> str:
    """Extended resource of a MIG profile under the mixed strategy: `+me` is spelled `.me`."""
    return f"nvidia.com/mig-{profile.replace('+', '.')}"


def share(resource: str) -> str:
    """Extended resource of one share of a GPU or slice: with `renameByDefault` a pod never takes one for the whole."""
    return f"{resource}.shared"


def plugin_config(sharing: Sharing) -> str:
    """Name of the device plugin's configuration for a way to share: another one has another name, so that the label
    that chooses it changes, which alone makes the plugin read it."""
    return f"{sharing.mode}-{sharing.replicas}"


def priority_class(kind: str) -> str:
    """Priority class of a kind of workload."""
    return f"podwright-{kind}"


def tolerations(pool: str) -> list[dict[str, str]]:
    """What a pod needs to land on the nodes of one pool."""
    return [{"key": POOL_LABEL, "operator": "Equal", "value": pool, "effect": "NoSchedule"}]


EVERY_POOL: list[dict[str, str]] = [{"key": POOL_LABEL, "operator": "Exists", "effect": "NoSchedule"}]
"""What a daemon set needs to run on every pool."""
UNCHECKED: list[dict[str, str]] = [{"key": NOT_ADMITTED, "operator": "Exists", "effect": "NoSchedule"}]
"""What it needs beside that where a pool admits its nodes: checks need what runs by it."""


SYSTEM = ("openshift-", "kube-")
"""Beginnings of namespaces that OpenShift lets nobody request ("cannot request a project starting with",
openshift-apiserver, project/apiserver/registry/projectrequest/delegated)."""
REQUESTED = "openshift.io/requester"
"""Annotation of a namespace that a user requested: OpenShift's own project template sets it, a site's own template may
not (openshift/api, project/v1, ProjectRequester). Members of a project can change neither labels nor annotations of
its namespace but its display name and description (openshift-apiserver, project validation)."""
CONTROL_PLANE: list[dict[str, str]] = [
    {"key": f"node-role.kubernetes.io/{role}", "operator": "Exists", "effect": "NoSchedule"}
    for role in ("master", "control-plane")
]
"""What a pod needs to run on a control plane node: OpenShift's taint there has the first key, Kubernetes' the other."""


def every_node(*, admission: bool) -> list[dict[str, str]]:
    """What a daemon set needs to run on every node of every pool."""
    return EVERY_POOL + UNCHECKED if admission else EVERY_POOL
