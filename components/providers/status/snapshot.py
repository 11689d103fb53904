"""What the API server says right now, as plain objects."""

import asyncio
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.openshift.health import ETCD, OPERATORS
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, parse
from podwright.components.providers.openshift.nics import DEVICES
from podwright.components.providers.openshift.node_network import STATES
from podwright.components.providers.protocol.kind import ProviderError

Object = Mapping[str, Any]

SSH_CONFIG: Mapping[str, str] = {role: f"MachineConfig 99-{role}-ssh" for role in ("master", "worker")}
"""Under which kind the one MachineConfig with a role's SSH keys is found: all of them would be many megabytes."""
_MACHINE_CONFIGS = "/apis/machineconfiguration.openshift.io/v1/machineconfigs"

OWN_PODS: Mapping[str, str] = {
    "RouterPod": "openshift-ingress/pods?labelSelector=ingresscontroller.operator.openshift.io%2F"
    "deployment-ingresscontroller%3Ddefault",
    "RegistryPod": "openshift-image-registry/pods?labelSelector=docker-registry%3Ddefault",
    "MonitoringPod": "openshift-monitoring/pods?labelSelector=app.kubernetes.io%2Fname%20notin%20"
    "%28node-exporter%2Ccluster-monitoring-operator%29",
}
"""Namespace and selector of OpenShift's own pods that can be placed, by the kind that they are found under."""

# Everything a diagnosis looks at: API path of the collection, by kind.
COLLECTIONS: Mapping[str, str] = {
    "Node": "/api/v1/nodes",
    "Namespace": "/api/v1/namespaces",
    "Pod": "/api/v1/pods",
    "Event": "/api/v1/events",
    **{kind: f"/api/v1/namespaces/{place}" for kind, place in OWN_PODS.items()},
    "PersistentVolumeClaim": "/api/v1/persistentvolumeclaims",
    "ServiceAccount": "/api/v1/serviceaccounts",
    "ResourceQuota": "/api/v1/resourcequotas",
    "Deployment": "/apis/apps/v1/deployments",
    "ReplicaSet": "/apis/apps/v1/replicasets",
    "ScaledObject": "/apis/keda.sh/v1alpha1/scaledobjects",
    "HorizontalPodAutoscaler": "/apis/autoscaling/v2/horizontalpodautoscalers",
    "Job": "/apis/batch/v1/jobs",
    "JobSet": "/apis/jobset.x-k8s.io/v1alpha2/jobsets",
    "TrainJob": "/apis/trainer.kubeflow.org/v1alpha1/trainjobs",
    "CronJob": "/apis/batch/v1/cronjobs",
    "Workload": "/apis/kueue.x-k8s.io/v1beta2/workloads",
    "ClusterQueue": "/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
    "NodeHealthCheck": "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks",
    "SelfNodeRemediation": "/apis/self-node-remediation.medik8s.io/v1alpha1/selfnoderemediations",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "ClusterOperator": OPERATORS,
    "Etcd": ETCD,
    "ClusterVersion": "/apis/config.openshift.io/v1/clusterversions",
    **{kind: f"{_MACHINE_CONFIGS}?fieldSelector=metadata.name%3D99-{role}-ssh" for role, kind in SSH_CONFIG.items()},
    "MachineConfigPool": "/apis/machineconfiguration.openshift.io/v1/machineconfigpools",
    "AdminNetworkPolicy": "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies",
    "Route": "/apis/route.openshift.io/v1/routes",
    "Gateway": "/apis/gateway.networking.k8s.io/v1/gateways",
    "HTTPRoute": "/apis/gateway.networking.k8s.io/v1/httproutes",
    "InferencePool": "/apis/inference.networking.k8s.io/v1/inferencepools",
    "Kuadrant": "/apis/kuadrant.io/v1beta1/kuadrants",
    "Network": "/apis/operator.openshift.io/v1/networks",
    "Istio": "/apis/sailoperator.io/v1/istios",
    "IstioCNI": "/apis/sailoperator.io/v1/istiocnis",
    "ZTunnel": "/apis/sailoperator.io/v1/ztunnels",
    "AuthPolicy": "/apis/kuadrant.io/v1/authpolicies",
    "RateLimitPolicy": "/apis/kuadrant.io/v1/ratelimitpolicies",
    "TokenRateLimitPolicy": "/apis/kuadrant.io/v1alpha1/tokenratelimitpolicies",
    "TunedProfile": "/apis/tuned.openshift.io/v1/namespaces/openshift-cluster-node-tuning-operator/profiles",
    "NodeNetworkState": STATES,
    "Subscription": "/apis/operators.coreos.com/v1alpha1/subscriptions",
    "OperatorGroup": "/apis/operators.coreos.com/v1/operatorgroups",
    "InstallPlan": "/apis/operators.coreos.com/v1alpha1/installplans",
    "ClusterServiceVersion": "/apis/operators.coreos.com/v1alpha1/clusterserviceversions",
    "NodeFeatureDiscovery": "/apis/nfd.openshift.io/v1/nodefeaturediscoveries",
    "ClusterPolicy": "/apis/nvidia.com/v1/clusterpolicies",
    "NicClusterPolicy": "/apis/mellanox.com/v1alpha1/nicclusterpolicies",
    "NicNodePolicy": "/apis/mellanox.com/v1alpha1/nicnodepolicies",
    "NicDevice": DEVICES,
    "SriovOperatorConfig": "/apis/sriovnetwork.openshift.io/v1/sriovoperatorconfigs",
    "SriovNetworkNodePolicy": "/apis/sriovnetwork.openshift.io/v1/sriovnetworknodepolicies",
    "SriovNetworkNodeState": "/apis/sriovnetwork.openshift.io/v1/sriovnetworknodestates",
    "SriovNetwork": "/apis/sriovnetwork.openshift.io/v1/sriovnetworks",
    "NetworkAttachmentDefinition": "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
}


_STORED = "apiserver_storage_size_bytes"
"""Stable since Kubernetes 1.28, one for each endpoint of etcd (kubernetes/kubernetes, staging/src/k8s.io/apiserver,
pkg/storage/etcd3/metrics)."""
LANES = 8
"""Requests at a time; the client keeps as many connections."""
OTHERS = ("openshift-", "kube-", "nvidia-")
"""Beginnings of the names of namespaces in which no team works; a stack file refuses them for teams. Their thirty pods
a node are most of a large cluster's, some 60 MB at 224 nodes, and no diagnosis looks at one."""
_NEEDED = ("Namespace", "Node", "Pod")
"""Kinds without which there is nothing to say. Kubernetes' own server has them, and no other one behind it."""
_AWAY = (403, 500, 503)
"""Statuses of one kind alone: who asks may not list it, a CRD's conversion webhook fails, the server that an APIService
names is away (https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/)."""
_OF_TEAMS = ("Pod", "Event", "PersistentVolumeClaim")
"""Kinds of which only what is outside those namespaces is read."""


@dataclass(frozen=True)
class Snapshot:
    """Live objects by kind. A kind the server does not know has no objects, and neither has one that it could not
    show: whoever speaks of what is not there asks `unseen` first."""

    objects: Mapping[str, tuple[Object, ...]] = field(default_factory=dict)
    stored: Mapping[str, int] = field(default_factory=dict)
    """Bytes of etcd's store, by the endpoint that the API server knows it by."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Why a kind was not shown, in the API server's words, by kind."""

    def unseen(self, *kinds: str) -> str:
        """A sentence for the first of these kinds that could not be read; empty where all were."""
        return next(
            (f"{_many(kind)} could not be read: {self.unread[kind]}" for kind in kinds if kind in self.unread), ""
        )

    def of(self, kind: str) -> tuple[Object, ...]:
        """Objects of one kind."""
        return self.objects.get(kind, ())

    def named(self, kind: str, name: str, namespace: str | None = None) -> Object | None:
        """One object, or None."""
        for each in self.of(kind):
            meta = each["metadata"]
            if meta["name"] == name and (namespace is None or meta.get("namespace") == namespace):
                return each
        return None

    def owned(self, kind: str, owner: Object) -> Iterator[Object]:
        """Objects of one kind whose controller is `owner`."""
        uid = owner["metadata"].get("uid")
        for each in self.of(kind):
            if any(reference["uid"] == uid for reference in each["metadata"].get("ownerReferences", ())):
                yield each


def _many(kind: str) -> str:
    """A kind's plural for people; one MachineConfig alone is asked for by its name."""
    if " " in kind:
        return kind
    if kind.endswith(("s", "x")):
        return f"{kind}es"
    return f"{kind.removesuffix('y')}ies" if kind.endswith(("cy", "ry")) else f"{kind}s"


async def take(kubeconfig: str, patience: float) -> Snapshot:
    """Read every collection once, all at the same time; `patience` in seconds for each request.

    A kind that alone is not shown is `unread`. Raises ProviderError, in one sentence, where the API server does not
    answer or refuses the kubeconfig, or what everything stands on.
    """
    kube = Kube(kubeconfig, patience)
    lanes = asyncio.Semaphore(LANES)
    unread: dict[str, str] = {}

    async def listed(kind: str, outside: str) -> tuple[Object, ...]:
        try:
            async with lanes:
                return await objects(kube, COLLECTIONS[kind], outside if kind in _OF_TEAMS else "")
        except KubeError as refused:
            if kind in _NEEDED or refused.status not in _AWAY:
                raise
            unread[kind] = refused.message
            return ()

    with in_words(kubeconfig):
        # One first: where nobody answers, one request has to wait for that, not twenty.
        spaces = await objects(kube, COLLECTIONS["Namespace"])
        outside = outside_others(spaces)
        kinds = [kind for kind in COLLECTIONS if kind != "Namespace"]
        listing = asyncio.gather(*(listed(kind, outside) for kind in kinds))
        found, stored = await asyncio.gather(listing, _stored(kube))
    return Snapshot({"Namespace": spaces, **dict(zip(kinds, found, strict=True))}, stored, unread)


@contextmanager
def in_words(kubeconfig: str) -> Iterator[None]:
    """ProviderError, in one sentence, where the API server does not answer or refuses the kubeconfig."""
    try:
        yield
    except SilentError:
        access = parse(kubeconfig)
        where = f"{access.name} ({access.host}:{access.port})"
        raise ProviderError(f"the API server {where} does not answer; look at the control plane's servers") from None
    except KubeError as refused:
        again = "; was the cluster installed again since the last `up`?" if refused.status == 401 else ""
        raise ProviderError(f"{refused}{again}") from None


def outside_others(spaces: Iterable[Object]) -> str:
    """A field selector of what is outside OpenShift's own namespaces, of all that there are."""
    names = (str(each["metadata"]["name"]) for each in spaces)
    return ",".join(f"metadata.namespace!={name}" for name in names if name.startswith(OTHERS))


async def objects(kube: Kube, path: str, fields: str = "") -> tuple[Object, ...]:
    """A collection's objects. The server takes objects of lists from its watch cache: `resourceVersion=0`."""
    asked = {"resourceVersion": "0", **({"fieldSelector": fields} if fields else {})}
    reply = await kube.find(f"{path}{'&' if '?' in path else '?'}{urllib.parse.urlencode(asked)}")
    return tuple(reply["items"]) if reply else ()


async def _stored(kube: Kube) -> dict[str, int]:
    """As the API server's own metrics have it; nothing where it does not serve them."""
    try:
        lines = (await kube.text("/metrics")).splitlines()
    except KubeError:
        return {}
    rows = [line[len(_STORED) :].partition("} ") for line in lines if line.startswith(_STORED)]
    return {endpoint.strip('{}"').partition('="')[2]: int(float(size)) for endpoint, _, size in rows}
