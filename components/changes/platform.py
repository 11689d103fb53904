"""Rows of the installation, of what waits on a cluster, and of what belongs to a site as a whole."""

from __future__ import annotations

from typing import Final

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.row import ChangeClass, Row, Scope

_PROGRAM, _LIVE = ChangeClass.PROGRAM_ONLY, ChangeClass.LIVE
_DISRUPTIVE, _REPLACED = ChangeClass.DISRUPTIVE, ChangeClass.REPLACED

_SHAPE = Row("schema", _PROGRAM, "the number of the spec's shape")


def _born_with(name: str) -> Row:
    return Row(
        name,
        _REPLACED,
        "a cluster is born with it; another value is another cluster, installed anew on the same hosts",
        scope="cluster",
        verb="be installed anew",
        lasts="hours",
    )


def _first_boot(name: str) -> Row:
    return Row(name, _PROGRAM, "read when a host is installed; a cluster that runs is left as it is")


INSTALL: Final = (
    _SHAPE,
    *map(_born_with, ("cluster", "domain", "api_vip", "ingress_vip", "machine_network", "networks", "architecture")),
    *map(_first_boot, ("dns", "ntp", "pull_secret", "publish", "intersight", "taints", "mirror")),
    Row(
        "version",
        _DISRUPTIVE,
        "operators first, then every node of every pool is drained and restarted, as many at a time as its pool allows",
        source="OpenShift, updating clusters: ClusterVersion and MachineConfigPool maxUnavailable",
        scope="cluster",
        verb="update their release, node by node",
        lasts="an hour and more",
    ),
    Row("gateway", ChangeClass.REFUSED, "nodes keep the gateway that they were installed with"),
    Row("ssh_key", _LIVE, "a MachineConfig brings it to every node without a restart"),
    Row(
        "hosts",
        _DISRUPTIVE,
        "a host that joins is booted from the installer; one that leaves or gets another machine is drained, switched "
        "off and let go; its network is read when it is installed, a node that stands keeps its interfaces",
        add=_LIVE,
        scope="nodes",
        verb="leave the cluster",
        named=True,
        lasts="up to an hour a host",
    ),
)

OPERATOR: Final = (
    _SHAPE,
    Row("namespace", _REPLACED, "another Subscription is another operator"),
    Row("subscription", _REPLACED, "another Subscription is another operator"),
    Row(
        "csv",
        _DISRUPTIVE,
        "the operator is upgraded and restarts what it runs, node by node as its own policy has it",
        source="OLM, InstallPlan with manual approval",
        scope="cluster",
        verb="upgrade an operator",
        lasts="minutes a node for a driver",
    ),
    Row("dependencies", _PROGRAM, "which releases may come along with an approval"),
    Row("brings", _PROGRAM, "what the operator makes by itself, and has made when it counts as installed"),
)

ROLLOUT: Final = (
    _SHAPE,
    Row("pool", _REPLACED, "a pool of another name is another roll-out", scope="nodes"),
    Row(
        "nodes",
        _LIVE,
        "which nodes are taken through; one that carries the trigger is left alone",
    ),
    Row(
        "trigger",
        _DISRUPTIVE,
        "what changed below is activated: nodes are cordoned, drained, restarted and admitted again within the budget",
        scope="nodes",
        verb="drain",
        lasts="up to 30 minutes a node",
        warning="{touched} drain, those with something to activate; what runs there is evicted",
        disruption=Disruption.REBOOT,
    ),
    Row("max_unavailable", _PROGRAM, "how many nodes may be away at once"),
    Row("drain_seconds", _PROGRAM, "how long a drain may take"),
    Row("soak_seconds", _PROGRAM, "how long the first node is watched before another one goes"),
    Row("pause", _PROGRAM, "whether nodes are taken at all"),
    Row("despite", _PROGRAM, "which operators may be degraded meanwhile"),
    Row("intersight", _PROGRAM, "how nodes are restarted"),
)

LAYOUT: Final = Row(
    "nodes",
    _DISRUPTIVE,
    "another MIG layout: nodes whose GPUs may be in use are cordoned and drained, their GPUs divided anew, and pods "
    "let in again, within the budget",
    source="NVIDIA/mig-parted, cmd/nvidia-mig-manager: only GPUs that nobody uses are divided",
    scope="nodes",
    verb="drain",
    lasts="minutes a node",
    warning="{touched} drain for another MIG layout; what runs there is evicted",
    disruption=Disruption.FLAP,
)
"""Of a roll-out, beside the row of its `nodes`: those whose layout is another one."""

DRIVER_ROLLOUT: Final = (
    _SHAPE,
    Row("pool", _REPLACED, "a pool of another name is another roll-out", scope="nodes"),
    Row("nodes", _LIVE, "which nodes are looked at; one whose driver is of its template is left alone"),
    Row("driver", _PROGRAM, "which driver is looked at; what changes of it is in the trigger"),
    Row(
        "trigger",
        _DISRUPTIVE,
        "another driver: nodes are cordoned, drained and take pods again with it, within the budget of their pool",
        source="NVIDIA/gpu-operator, assets/state-driver/0500_daemonset.yaml: updateStrategy OnDelete",
        scope="nodes",
        verb="drain",
        lasts="minutes a node",
        warning="{touched} drain for their driver; what runs there is evicted",
        disruption=Disruption.FLAP,
    ),
    Row("nic_driver", _PROGRAM, "which driver of NICs is looked at; what changes of it is in its trigger"),
    Row(
        "nic_trigger",
        _DISRUPTIVE,
        "another driver of NICs: nodes are cordoned, drained and take pods again with it and a GPU driver built for it",
        source="Mellanox/network-operator, manifests/state-ofed-driver: a DaemonSet that is updated OnDelete",
        # A pool that comes to the backend has no earlier driver of NICs, and one that leaves it keeps what it has.
        add=_PROGRAM,
        remove=_PROGRAM,
        scope="nodes",
        verb="drain",
        lasts="minutes a node",
        warning="{touched} drain for the driver of their NICs; what runs there is evicted",
        disruption=Disruption.FLAP,
    ),
    *(
        Row(name, _PROGRAM, reason)
        for name, reason in (
            ("despite", "which operators may be degraded meanwhile"),
            ("max_unavailable", "how many nodes may be away at once"),
            ("drain_seconds", "how long a drain may take"),
            ("soak_seconds", "how long the first node is watched before another one goes"),
            ("pause", "whether nodes are taken at all"),
        )
    ),
)

HOST_NETWORK: Final = (
    _SHAPE,
    Row("pool", _REPLACED, "a pool of another name is another roll-out", scope="nodes"),
    Row("nodes", _LIVE, "which nodes are looked at; one that shows its VLANs is left alone"),
    Row(
        "interfaces",
        _DISRUPTIVE,
        "a VLAN or storage bond that changes or goes takes the connections over it along, one node after the other; "
        "the machine network and the bond below it stay, and NMState rolls back where a node loses its gateway, API or "
        "readiness",
        source="nmstate/kubernetes-nmstate, pkg/probe/probes.go",
        add=_LIVE,
        scope="nodes",
        verb="lose connections over a VLAN or storage bond",
        lasts="seconds a node",
        named=True,
    ),
    *(
        Row(name, _PROGRAM, reason)
        for name, reason in (
            ("macs", "by which address an interface is found on a node"),
            ("max_unavailable", "how many nodes may change at once"),
            ("soak_seconds", "how long the first node is watched before another one goes"),
            ("pause", "whether nodes are changed at all"),
        )
    ),
)

GUARD: Final = (
    _SHAPE,
    *(Row(name, _PROGRAM, "compared with what exists; nothing is written") for name in ("label", "mark")),
)
QUEUES_READY: Final = (
    _SHAPE,
    *(Row(name, _PROGRAM, "asked by dry run; nothing is written") for name in ("namespace", "queue", "runtime")),
    Row("configuration", _PROGRAM, "Kueue starts anew for it, and `up` waits until it answers; jobs that run go on"),
)
QUEUE_IN_USE: Final = (
    _SHAPE,
    *(Row(name, _PROGRAM, "whose jobs are looked for before the queue goes") for name in ("queue", "stack")),
)
RUNTIME_KNOWN: Final = (
    _SHAPE,
    *(Row(name, _PROGRAM, "asked by dry run; nothing is written") for name in ("namespace", "runtime", "queue")),
)
FORMER_JOB_ENDED: Final = (
    _SHAPE,
    Row(
        "digest",
        _DISRUPTIVE,
        "what members run cannot change: the job is ended, and made again once its last pod has stopped",
        source="Kubernetes, Job: the pod template is immutable",
        scope="workload",
        lasts="until it has started again",
    ),
    *(
        Row(name, _PROGRAM, "which job is looked for; one of another name is left to its own resource")
        for name in ("namespace", "job", "api", "resource", "stack")
    ),
)
GATEWAY_MODE: Final = (
    _SHAPE,
    Row("mode", _PROGRAM, "only read: what `up` waits for once the Network was changed, which shows by itself"),
)
SERVED: Final = (
    _SHAPE,
    *(
        Row(name, _PROGRAM, "only read: what `up` waits for once the service has changed")
        for name in ("namespace", "service", "deployment", "mark", "replicas", "seconds")
    ),
)
CANARY_WATCH: Final = (
    _SHAPE,
    *(
        Row(name, _PROGRAM, "a larger share, or another version, is watched; the Route itself shows the weights")
        for name in ("namespace", "route", "service", "second", "version", "percent", "account", "watch")
    ),
)
POOL_READY: Final = (
    _SHAPE,
    *(
        Row(name, _PROGRAM, "only read: what the nodes must offer")
        for name in (
            "pool",
            "nodes",
            "resources",
            "nics",
            "ports",
            "mirrors",
            "images",
            "trigger",
            "stalled_seconds",
            "pause",
            "admission",
        )
    ),
)
TAINT: Final = (
    _SHAPE,
    Row("pool", _REPLACED, "a pool of another name has its own taint", scope="nodes"),
    Row("taint", _LIVE, "pods that run stay, others are placed by it"),
    Row("nodes", _LIVE, "nodes of the pool have the taint, those that left it lose this one"),
    Row("clears", _LIVE, "only nodes that left it lose this one"),
)
JOIN: Final = tuple(Row(name, _PROGRAM, "an edge of the graph") for name in ("schema", "cluster", "ends"))
_SEARCHED: Final = ("schema", "cluster", "switches", "intersight", "installation")
WORLD: Final = (
    *(Row(name, _PROGRAM, "where is searched when the stack goes") for name in _SEARCHED),
    Row("servers", _PROGRAM, "which server has which name; another name without `renamed_from` is refused"),
    Row("domains", _PROGRAM, "which interconnects have which name; another name is refused"),
    Row("contents", _PROGRAM, "what runs on the cluster, so that a preview tells what leaves it"),
)

INSTALL_GONE: Final = Row(
    "",
    _DISRUPTIVE,
    "the cluster is forgotten: its hosts are no longer booted, drained or watched, and its admin kubeconfig is lost",
    scope="cluster",
    verb="be given up",
    lasts="for good",
)


def _gone(reason: str, scope: Scope, verb: str = "be removed") -> Row:
    return Row("", _DISRUPTIVE, reason, scope=scope, verb=verb, lasts="for good", named=True)


OPERATOR_GONE: Final = _gone("the operator and its pods are removed", "operator")
POOL_GONE: Final = _gone(
    "its nodes lose their labels, taints and configuration; those that stay restart with that of workers", "pool"
)
TEAM_GONE: Final = _gone("its namespace is deleted with everything in it", "team")
VOLUME_GONE: Final = _gone("the claim is deleted, and by most storage classes what is on it", "volume", "be deleted")
WORKLOAD_GONE: Final = _gone("its pods end, and what they have not saved is lost", "workload", "end")
NOTHING_GONE: Final = Row("", _PROGRAM, "nothing of it is on a device")
