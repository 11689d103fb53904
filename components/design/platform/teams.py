"""Teams: a namespace each, with quota keys that count, closed network, accounts, and the right to lock memory."""

from collections.abc import Iterator, Sequence
from typing import Any

from podwright.components.design.platform import mesh
from podwright.components.design.platform.names import (
    ACCEPTANCE_NAMESPACE,
    COST_LABEL,
    DISCOVERED,
    IN_AMBIENT,
    INFERENCE,
    MESH_LABEL,
    NAMESPACE_NAME,
    PROJECT_LABEL,
    QUEUED_LABEL,
    RDMA_SCC,
    TRAINING,
    WHOLE_GPU,
    Manifest,
    mig_resource,
    share,
)
from podwright.components.model import Team


def namespace(
    name: str,
    *,
    rdma: bool,
    in_queue: bool = False,
    cost_centre: str | None = None,
    project: bool = False,
    meshed: bool = False,
) -> Manifest:
    """A team's namespace.

    Pod Security has no word for IPC_LOCK, so namespaces with RDMA leave the judgement to the SCC; the others are
    held to `restricted`. OpenShift's label sync would otherwise write these labels itself.
    """
    level = "privileged" if rdma else "restricted"
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {
                "pod-security.kubernetes.io/enforce": level,
                "pod-security.kubernetes.io/audit": "baseline" if rdma else level,
                "pod-security.kubernetes.io/warn": "baseline" if rdma else level,
                "security.openshift.io/scc.podSecurityLabelSync": "false",
                **({QUEUED_LABEL: "true"} if in_queue else {}),
                **({COST_LABEL: cost_centre} if cost_centre is not None else {}),
                **({PROJECT_LABEL: "true"} if project else {}),
                **({**DISCOVERED, MESH_LABEL: IN_AMBIENT} if meshed else {}),
            },
        },
    }


def inside(
    name: str,
    team: Team,
    *,
    trains: bool,
    serves: bool,
    reached_by: Sequence[str] = (),
    meshed: bool = False,
) -> Iterator[Manifest]:
    """Everything inside a team's namespace but its quota and its workloads; `reached_by` are teams whose pods reach its
    own. Who is `meshed` is in the service mesh."""
    yield from _defaults(name, team)
    yield from network_policies(name, meshed=meshed)
    yield from _between(name, team.reaches, reached_by, meshed=meshed)
    if trains:
        yield account(name, TRAINING)
        yield from rdma_binding(name, TRAINING)
    if serves:
        yield account(name, INFERENCE)
    own = () if team.group is None else (team.group,)
    for role, groups in (("edit", (*own, *team.groups.edit)), ("view", team.groups.view)):
        if groups:
            subjects = [{"kind": "Group", "name": group} for group in groups]
            yield _binding(name, role, "ClusterRole", role, *subjects)


def quota(name: str, team: Team, devices: Sequence[str]) -> Manifest:
    """What a team may ask for at once, of `devices` that pools offer too, which are extended resources.

    Only `requests.` keys of extended resources are counted; a `limits.` key admits any number, and so does no key:
    of what some pool offers and the team has no number of, it has none.
    """
    counts = {WHOLE_GPU: team.gpus}
    counts |= {mig_resource(profile): count for profile, count in sorted(team.slices.items())}
    for unit, count in sorted(team.shares.items()):
        counts[share(WHOLE_GPU if unit == "gpu" else mig_resource(unit))] = count
    hard = {f"requests.{each}": str(count) for each, count in counts.items()}
    hard |= {f"requests.{each}": "0" for each in sorted(devices) if each not in counts}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": name},
        "spec": {"hard": hard},
    }


def account(namespace_name: str, name: str) -> Manifest:
    """A service account whose pods get no API token."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace_name},
        "automountServiceAccountToken": False,
    }


def rdma_scc() -> Manifest:
    """restricted-v2 plus IPC_LOCK: registering RDMA memory needs it, and nothing else does.

    A pod has one SCC, so this one allows all that restricted-v2 allows
    (https://github.com/openshift/cluster-kube-apiserver-operator, bindata/bootkube/scc-manifests). Then it allows more
    in OpenShift's points too, and a pod of the same account that locks no memory gets restricted-v2 before it.
    """
    return {
        "apiVersion": "security.openshift.io/v1",
        "kind": "SecurityContextConstraints",
        "metadata": {"name": RDMA_SCC},
        "priority": 0,
        "allowHostDirVolumePlugin": False,
        "allowHostIPC": False,
        "allowHostNetwork": False,
        "allowHostPID": False,
        "allowHostPorts": False,
        "allowPrivilegeEscalation": False,
        "allowPrivilegedContainer": False,
        "allowedCapabilities": ["IPC_LOCK", "NET_BIND_SERVICE"],
        "defaultAddCapabilities": [],
        "requiredDropCapabilities": ["ALL"],
        "readOnlyRootFilesystem": False,
        "runAsUser": {"type": "MustRunAsRange"},
        "seLinuxContext": {"type": "MustRunAs"},
        "fsGroup": {"type": "MustRunAs"},
        "supplementalGroups": {"type": "RunAsAny"},
        "seccompProfiles": ["runtime/default"],
        "volumes": [
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "image",
            "persistentVolumeClaim",
            "projected",
            "secret",
        ],
        "users": [],
        "groups": [],
    }


def rdma_binding(namespace_name: str, service_account: str) -> Iterator[Manifest]:
    """The right of one account to use the SCC, and nobody else's."""
    rules = [
        {
            "apiGroups": ["security.openshift.io"],
            "resources": ["securitycontextconstraints"],
            "resourceNames": [RDMA_SCC],
            "verbs": ["use"],
        }
    ]
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": RDMA_SCC, "namespace": namespace_name},
        "rules": rules,
    }
    subject = {"kind": "ServiceAccount", "name": service_account, "namespace": namespace_name}
    yield _binding(namespace_name, RDMA_SCC, "Role", RDMA_SCC, subject)


def acceptance(rdma: bool) -> Iterator[Manifest]:
    """Namespace and account of the acceptance tests' pods."""
    yield namespace(ACCEPTANCE_NAMESPACE, rdma=rdma)
    yield account(ACCEPTANCE_NAMESPACE, TRAINING)
    yield from rdma_binding(ACCEPTANCE_NAMESPACE, TRAINING)


def network_policies(namespace_name: str, *, meshed: bool = False) -> Iterator[Manifest]:
    """Nothing in or out, then the few ways that work needs. Rails are outside: SR-IOV bypasses these rules."""
    dns = [{"protocol": protocol, "port": 5353} for protocol in ("UDP", "TCP")]
    every: dict[str, Any] = {}
    yield policy(namespace_name, "default-deny", {"policyTypes": ["Ingress", "Egress"]})
    own = [{"podSelector": every}]
    if meshed:
        yield policy(namespace_name, "within", {"policyTypes": ["Egress"], "egress": [{"to": own}]})
        yield from _tunnelled(namespace_name, "within-mesh", own)
        yield policy(namespace_name, "mesh-probes", mesh.probed())
    else:
        types = ["Ingress", "Egress"]
        spec = {"policyTypes": types, "ingress": [{"from": own}], "egress": [{"to": own}]}
        yield policy(namespace_name, "within", spec)
    yield policy(
        namespace_name,
        "dns",
        {"policyTypes": ["Egress"], "egress": [{"to": [_from("openshift-dns")], "ports": dns}]},
    )
    # Models and data sets come over HTTPS.
    https = [{"protocol": "TCP", "port": 443}]
    yield policy(namespace_name, "https-out", {"policyTypes": ["Egress"], "egress": [{"ports": https}]})
    yield policy(
        namespace_name,
        "monitoring",
        {"policyTypes": ["Ingress"], "ingress": [{"from": [_from("openshift-monitoring")]}]},
    )


def _tunnelled(namespace_name: str, name: str, peers: Sequence[Manifest]) -> Iterator[Manifest]:
    for ending, spec in mesh.ways(peers):
        yield policy(namespace_name, name + ending, {"policyTypes": ["Ingress"], **spec})


def _between(
    namespace_name: str, outward: Sequence[str], inward: Sequence[str], *, meshed: bool = False
) -> Iterator[Manifest]:
    """The ways between two teams, open at both ends."""
    for other in outward:
        spec: Manifest = {"policyTypes": ["Egress"], "egress": [{"to": [_from(other)]}]}
        yield policy(namespace_name, f"to-{other}", spec)
    for other in inward:
        name, peers = f"from-{other}", [_from(other)]
        if meshed:
            yield from _tunnelled(namespace_name, name, peers)
        else:
            yield policy(namespace_name, name, {"policyTypes": ["Ingress"], "ingress": [{"from": peers}]})


def _from(namespace_name: str) -> Manifest:
    return {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: namespace_name}}}


def policy(namespace_name: str, name: str, spec: Manifest) -> Manifest:
    """A NetworkPolicy for every pod of a namespace, unless `spec` selects some."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": namespace_name},
        "spec": {"podSelector": {}, **spec},
    }


def _defaults(name: str, team: Team) -> Iterator[Manifest]:
    """Requests alone: a default limit below what a container asks for would have the API server refuse the pod
    (https://kubernetes.io/docs/concepts/policy/limit-range/). No GPU is ever a default."""
    asked = team.default_requests
    if asked is not None:
        amounts = {"cpu": str(asked.cpus), "memory": f"{asked.memory_gib}Gi"}
        yield {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": {"name": "requests", "namespace": name},
            "spec": {"limits": [{"type": "Container", "defaultRequest": amounts}]},
        }


def _binding(namespace_name: str, name: str, kind: str, role: str, *subjects: dict[str, str]) -> Manifest:
    groups = {"apiGroup": "rbac.authorization.k8s.io"}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": namespace_name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [{**each, **({} if each["kind"] == "ServiceAccount" else groups)} for each in subjects],
    }
