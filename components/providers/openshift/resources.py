"""What layers import: the cluster's installation and what on it has generated names or needs waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pulumi


class Install(pulumi.CustomResource):
    """An OpenShift cluster put on its hosts by the agent-based installer.

    `spec`: ``{"schema": 1, "cluster", "domain", "version", "api_vip", "ingress_vip", "machine_network", "networks":
    {"cluster", "host_prefix", "service"}, "gateway", "dns": [], "ntp": [], "architecture", "pull_secret", "ssh_key",
    "mirror": {"sources": [{"source", "mirrors": []}], "trust"}, "publish": {"directory", "url"}, "intersight":
    {"endpoint", "key_id", "secret"}, "hosts": [{"name", "role": "master"|"worker", "pool", "serial", "bmc" |
    "intersight": true, "credential", "boot_mac", "address", "disk", "network"}]}``. `servers` are outputs of the
    compute layer that must exist first; their values are not read. `kubeconfig` is a secret output.
    """

    spec: pulumi.Output[dict[str, Any]]
    kubeconfig: pulumi.Output[str]
    """Administrator's kubeconfig; a secret."""
    api_server: pulumi.Output[str]
    """URL of the API server."""
    hosts: pulumi.Output[list[str]]
    """Names of the hosts."""

    def __init__(
        self,
        name: str,
        spec: pulumi.Input[Mapping[str, Any]],
        servers: pulumi.Input[Sequence[Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {"spec": spec, "servers": servers, "kubeconfig": None, "api_server": None, "hosts": None}
        super().__init__("podwright:openshift:Install", name, props, opts)


class _OnCluster(pulumi.CustomResource):
    """A resource that is reached by the cluster's own kubeconfig: `_KNOWN_LATER` are outputs that only devices give."""

    _TOKEN: ClassVar[str]
    _KNOWN_LATER: ClassVar[tuple[str, ...]] = ()

    spec: pulumi.Output[dict[str, Any]]

    def __init__(
        self,
        name: str,
        spec: pulumi.Input[Mapping[str, Any]],
        kubeconfig: pulumi.Input[str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {"spec": spec, "kubeconfig": kubeconfig, **dict.fromkeys(self._KNOWN_LATER)}
        super().__init__(self._TOKEN, name, props, opts)


class OperatorInstall(_OnCluster):
    """The approval of exactly one pinned operator release, awaited until it runs.

    `spec`: ``{"schema": 1, "namespace", "subscription", "csv", "dependencies": [CSV names that may come along]}``;
    a name may end with `*`.
    """

    _TOKEN = "podwright:openshift:OperatorInstall"
    _KNOWN_LATER = ("install_plan", "csvs")

    install_plan: pulumi.Output[str]
    """Name of the approved InstallPlan."""
    csvs: pulumi.Output[list[str]]
    """ClusterServiceVersions that run."""


class Rollout(_OnCluster):
    """Nodes taken through cordon, drain, activate, ready, uncordon after something below them changed.

    `spec`: ``{"schema": 1, "pool", "nodes": ["name" | {"name", "serial", "bmc", "credential", "intersight": bool,
    "mig": {"layout", "resources": [], "config": []}, "digest"}], "trigger": digest of what changed below,
    "max_unavailable": 1, "drain_seconds": 1800, "intersight": {"endpoint", "key_id", "secret"}}``. A node that already
    carries the trigger is left alone. `intersight: true` asks the server's profile too whether it waits for a reboot,
    and restarts through Intersight where there is no `bmc`. `mig` is how the node's GPUs are divided, and what pods
    find there then; the label that asks MIG manager for it is this resource's. `config` is a layout of the pool's own
    in mig-parted's form, which MIG manager's map gets first. `digest` stands for what takes effect with that node's
    next restart: a preview names the nodes whose digest changed.
    """

    _TOKEN = "podwright:openshift:Rollout"
    _KNOWN_LATER = ("rolled_out",)

    rolled_out: pulumi.Output[dict[str, str]]
    """By node, the trigger it was last taken through."""


class DriverRollout(_OnCluster):
    """A pool's nodes emptied within its budget for a driver that runs nowhere until its pods are deleted.

    `spec`: ``{"schema": 1, "pool", "nodes": ["gpu-01", …], "driver": {"namespace", "component", "policy", "version"},
    "trigger": digest of what decides which driver runs, "max_unavailable": 1, "soak_seconds": 0}``. The first node goes
    alone; one that does not come back with its driver ends the roll-out. ``"nic_driver": {…, "label"}`` and
    ``"nic_trigger"`` are the driver of NICs beside that of GPUs: one drain of a node replaces both.
    """

    _TOKEN = "podwright:openshift:DriverRollout"


class HostNetwork(_OnCluster):
    """VLANs of a pool's nodes that run, by a policy of the Kubernetes NMState Operator for each.

    `spec`: ``{"schema": 1, "pool", "nodes": ["gpu-01", …], "interfaces": {"gpu-01": [VLANs of nmstate's desired
    state]}, "macs": {"gpu-01": {logical name of a VLAN's base: MAC address}}, "max_unavailable": 1, "soak_seconds":
    0}``. The first node goes alone; one that NMState rolls back ends it.
    """

    _TOKEN = "podwright:openshift:HostNetwork"


class Guard(_OnCluster):
    """Stands once the API server enforces the guard against taking over foreign objects.

    `spec`: ``{"schema": 1, "label", "mark"}``: what the guard keeps from objects that did not carry it.
    """

    _TOKEN = "podwright:openshift:Guard"


class QueuesReady(_OnCluster):
    """Stands once Kueue's webhooks look after JobSets of a namespace.

    `spec`: ``{"schema": 1, "namespace", "queue": LocalQueue that the set of the question names,
    "configuration": that of Kueue}``: for another one it waits again.
    """

    _TOKEN = "podwright:openshift:QueuesReady"


class QueueInUse(_OnCluster):
    """Stands beside a team's queue, and is deleted before it: not while jobs of others run from the queue.

    `spec`: ``{"schema": 1, "queue": name of the ClusterQueue, "stack": mark of the stack, which its own jobs carry}``.
    """

    _TOKEN = "podwright:openshift:QueueInUse"


class RuntimeKnown(_OnCluster):
    """Stands once Kubeflow Trainer and Kueue know a runtime, so that they refuse no TrainJob of it.

    `spec`: ``{"schema": 1, "namespace", "runtime": name of the TrainingRuntime, "queue": LocalQueue of its jobs}``.
    """

    _TOKEN = "podwright:openshift:RuntimeKnown"


class FormerJobEnded(_OnCluster):
    """Stands once no former job of a name is there that the next one cannot be a change of.

    `spec`: ``{"schema": 1, "namespace", "job", "api": "batch/v1", "resource": "jobs", "stack", "digest"}``; a job of
    this stack that was made of another digest is ended, pods first.
    """

    _TOKEN = "podwright:openshift:FormerJobEnded"


class GatewayMode(_OnCluster):
    """Stands once OVN-Kubernetes has a gateway mode on every node.

    `spec`: ``{"schema": 1, "mode": "local"}``, in which what pods send goes by way of their host.
    """

    _TOKEN = "podwright:openshift:GatewayMode"


class Served(_OnCluster):
    """Stands once every replica of a service that KServe runs is of its present form, and serves.

    `spec`: ``{"schema": 1, "namespace", "service": name of the InferenceService, "deployment": of the Deployment that
    KServe makes for it, "mark": {annotation of its pods: value}, "replicas": 2, "seconds": how long it is waited for}``
    """

    _TOKEN = "podwright:openshift:Served"
    _KNOWN_LATER = ("url",)

    url: pulumi.Output[str]
    """Where KServe says that it is reached."""


class CanaryWatch(_OnCluster):
    """Stands once a second version of a service has been watched under its share; where it is worse than its limits,
    the Route has its former weights again and this fails with the numbers.

    `spec`: ``{"schema": 1, "namespace", "route", "service", "second": names of the two Services, "version": digest of
    the second one's pods, "percent": its share, "account": ServiceAccount of openshift-monitoring that reads,
    "watch": {"seconds", "errors_percent", "requests", "restarts", "unready_seconds", "unknown": "return" or "stay"}}``
    """

    _TOKEN = "podwright:openshift:CanaryWatch"
    _KNOWN_LATER = ("seen",)

    seen: pulumi.Output[str]
    """What was counted in the last watch."""


class PoolReady(_OnCluster):
    """Stands once every node of a pool offers what pods ask for and stays so.

    `spec`: ``{"schema": 1, "pool", "nodes": ["gpu-01", …], "resources": {"nvidia.com/gpu": 8, …}, "trigger"}``, and
    ``"nics": {"rails": {"0": [PCI addresses]}, "template": {…}}`` where NICs must be in the lossless class.
    """

    _TOKEN = "podwright:openshift:PoolReady"


class Taint(_OnCluster):
    """One taint on each node of a pool; taints of others on them are theirs.

    `spec`: ``{"schema": 1, "pool", "taint": {"key", "value", "effect"}, "nodes": ["gpu-01", …]}``.
    """

    _TOKEN = "podwright:openshift:Taint"
