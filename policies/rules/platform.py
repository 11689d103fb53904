"""Rules about nodes, quotas and limits."""

from collections.abc import Iterator
from typing import Final

from .kubernetes import containers, kind, of_kind, pod_spec, runs_pods
from .resource import Resource
from .rule import NotApplicable, Rule, items, strings

_INSTALL: Final = "podwright:openshift:Install"
_BACKUP: Final = "cluster-backup.sh"
_MANY: Final = {"DaemonSet", "StatefulSet"}
_OWNED = ("nvidia.com/", "feature.node.kubernetes.io/")
_BY_CLASS: Final = (".storageclass.storage.k8s.io/", ".deviceclass.resource.k8s.io/")
"""What Kubernetes counts by class, before the slash (pkg/quota/v1/evaluator/core)."""
_STREAMS: Final = "openshift.io/imagestreams"
"""The one object count of OpenShift's own (its documentation, Resource quotas per project); it has no `count/`."""
_SETTABLE = {"nvidia.com/mig.config", "nvidia.com/device-plugin.config", "nvidia.com/gpu.workload.config"}


def _extended(key: str) -> bool:
    name = key.removeprefix("requests.").removeprefix("limits.")
    return "/" in name and not name.startswith(("kubernetes.io/", "count/"))


def _gpu_labels(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Node":
        raise NotApplicable("not a node")
    for label in strings((resource.props.get("metadata") or {}).get("labels")):
        if label.startswith(_OWNED) and label not in _SETTABLE:
            yield f"node {resource.name} sets {label} by hand"


def _quota_keys(resource: Resource) -> Iterator[str]:
    if kind(resource) != "ResourceQuota":
        raise NotApplicable("not a resource quota")
    for key in strings((resource.props.get("spec") or {}).get("hard")):
        counted = key.startswith("requests.") or key == _STREAMS or any(each in key for each in _BY_CLASS)
        if _extended(key) and not counted:
            yield f"quota {resource.name} limits {key}, which is accepted and never counted"


def _limit_range(resource: Resource) -> Iterator[str]:
    if kind(resource) != "LimitRange":
        raise NotApplicable("not a limit range")
    for limit in items((resource.props.get("spec") or {}).get("limits")):
        if limit.get("type") != "Container":
            continue
        for field in ("default", "defaultRequest", "max", "min", "maxLimitRequestRatio"):
            for key in strings(limit.get(field)):
                if _extended(key):
                    yield f"limit range {resource.name} sets {field} of {key}: containers that asked for none get it"


def _one_chassis(resource: Resource) -> Iterator[str]:
    """A blade that is bound to a place has its chassis's serial number and a slot for its own."""
    if resource.type != _INSTALL:
        raise NotApplicable("no installation")
    hosts = list(items((resource.props.get("spec") or {}).get("hosts")))
    masters = [host for host in hosts if host.get("role") == "master"]
    if not masters:
        raise NotApplicable("no control plane is installed")
    first: dict[str, str] = {}
    for host in masters:
        chassis, seated, _ = str(host.get("serial") or "").partition("/")
        other = first.setdefault(chassis, str(host["name"])) if seated else str(host["name"])
        if other != host["name"]:
            yield f"{other} and {host['name']}, control-plane hosts, sit in chassis {chassis}"


def _backups(resource: Resource) -> Iterator[str]:
    """Whatever runs OpenShift's backup script of etcd."""
    commands = [
        each for box in containers(pod_spec(resource)) for each in (*items(box.get("command")), *items(box.get("args")))
    ]
    if not any(_BACKUP in str(each) for each in commands):
        raise NotApplicable("it takes no backup of etcd")
    spec = resource.props.get("spec") or {}
    many = kind(resource) in _MANY or int(spec.get("replicas") or 1) > 1
    if many:
        yield f"{kind(resource)} {resource.name} backs etcd up on every host that it runs on"
    elif kind(resource) == "CronJob" and spec.get("concurrencyPolicy") != "Forbid":
        yield f"CronJob {resource.name} begins a backup of etcd while the one before still runs"


PLATFORM: tuple[Rule, ...] = (
    Rule(
        id="platform-etcd-backup-once",
        title="A backup of etcd is taken once",
        why="Each member has all of etcd: a snapshot on every host, or two at a time, loads the disks etcd writes "
        "to, and leaves several backups of one moment to choose from.",
        fix="Define openshift.etcd_backup, or one CronJob with concurrencyPolicy: Forbid.",
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.21/html/etcd/backing-up-and-restoring-etcd-data",
        severity="medium",
        types=runs_pods,
        check=_backups,
    ),
    Rule(
        id="platform-control-plane-apart",
        title="Control-plane hosts sit in chassis of their own",
        why="etcd answers while most of its members do: a chassis that takes two of three down takes the API with it.",
        fix="Take blades of other chassis. The stack file refuses what is not explained in "
        "openshift.control_plane_shares.",
        reference="https://etcd.io/docs/v3.5/faq/",
        severity="high",
        mandatory=False,
        types=lambda token: token == _INSTALL,
        check=_one_chassis,
    ),
    Rule(
        id="platform-no-hand-set-gpu-labels",
        title="GPU labels are not set by hand",
        why="GPU feature discovery and NFD own these labels and overwrite them; a hand-set value selects nothing.",
        fix="Select nodes by podwright.io/pool, or by the product label that feature discovery sets.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/index.html",
        severity="medium",
        types=of_kind("Node"),
        check=_gpu_labels,
    ),
    Rule(
        id="platform-gpu-quota-counts",
        title="GPU quota keys are ones that count",
        why="A quota counts extended resources under requests. only; a limits. key admits any number of GPUs.",
        fix="Write requests.nvidia.com/gpu (or requests.nvidia.com/mig-…).",
        reference="https://kubernetes.io/docs/concepts/policy/resource-quotas/",
        severity="high",
        types=of_kind("ResourceQuota"),
        check=_quota_keys,
    ),
    Rule(
        id="platform-no-gpu-default-in-limitrange",
        title="No GPU defaults in a LimitRange",
        why="A default, and even a bare max, hands GPUs to every container of the namespace, sidecars included.",
        fix="Remove GPU keys from limits of type Container; cap GPUs by quota, or by a limit of type Pod.",
        reference="https://kubernetes.io/docs/concepts/policy/limit-range/",
        severity="high",
        types=of_kind("LimitRange"),
        check=_limit_range,
    ),
)
