"""Rules about RDMA in pods: functions that carry it, pods that may lock memory, libraries that use the rails."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .kubernetes import TRAIN_JOB, containers, kind, of_kind, pod_spec, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, items, nothing, strings, whole

_HOME: Final = "openshift-sriov-network-operator"
_OPERATOR: Final = ("SriovNetworkNodePolicy", "SriovNetworkPoolConfig", "SriovNetwork", "SriovOperatorConfig")
_LEAST_MTU: Final = 4096
"""RDMA's own largest MTU: a path that takes less cuts every message into smaller packets (InfiniBand specification)."""
_RAIL: Final = "openshift.io/"
_GPU: Final = "nvidia.com/gpu"
_PLUGINS: Final = ("rdmaSharedDevicePlugin", "sriovDevicePlugin")


def _name(resource: Resource) -> str:
    return str((resource.props.get("metadata") or {}).get("name") or resource.name)


def _in_its_namespace(resource: Resource) -> Iterator[str]:
    if kind(resource) not in _OPERATOR:
        raise NotApplicable("nothing of the SR-IOV operator")
    space = (resource.props.get("metadata") or {}).get("namespace") or "default"
    if space != _HOME:
        yield f"{kind(resource)} {_name(resource)} is in namespace {space}, where the operator reads nothing"


def _carries_rdma(resource: Resource) -> Iterator[str]:
    if kind(resource) != "SriovNetworkNodePolicy":
        raise NotApplicable("no SR-IOV policy")
    spec = resource.props.get("spec") or {}
    name = f"SriovNetworkNodePolicy {_name(resource)}"
    if not spec.get("isRdma"):
        raise NotApplicable("its functions carry no RDMA")
    if (mtu := int(spec.get("mtu") or 0)) < _LEAST_MTU:
        yield f"{name} has {f'an MTU of {mtu}' if mtu else 'no mtu'}: RDMA sends packets of 1024 bytes then"
    if spec.get("deviceType") == "vfio-pci":
        yield f"{name} gives its functions to vfio-pci, which has no RDMA device"
    if (link := str(spec.get("linkType") or "eth")).lower() != "eth":
        yield f"{name} asks for link type {link}, and the fabric is Ethernet"


def _one_plugin(resources: Sequence[Resource]) -> Iterator[Finding]:
    policies = [each for each in resources if kind(each) == "NicClusterPolicy"]
    functions = [each for each in resources if kind(each) == "SriovNetworkNodePolicy"]
    if not policies:
        raise NotApplicable("no NicClusterPolicy")
    for each in policies if functions else ():
        for plugin in _PLUGINS:
            if (each.props.get("spec") or {}).get(plugin):
                message = f"NicClusterPolicy {_name(each)} starts {plugin} beside the SR-IOV operator's own plugin"
                yield Finding(message, each.urn)


def _locks_memory(resource: Resource) -> Iterator[str]:
    """A container with a function needs the capability; privileged ones have every capability."""
    if kind(resource) == TRAIN_JOB:
        raise NotApplicable("what its container may do is in its runtime")
    pod = pod_spec(resource)
    rails = [box for box in containers(pod) if _rails(box)]
    if not rails:
        raise NotApplicable("no container asks for a NIC's function")
    for box in rails:
        security: Any = box.get("securityContext") or {}
        added = (security.get("capabilities") or {}).get("add") or ()
        if not security.get("privileged") and not {"IPC_LOCK", "ALL"} & {str(each) for each in added}:
            yield f"{kind(resource)} {_name(resource)}: container {box.get('name')} has {_rails(box)} and no IPC_LOCK"


def _rails(box: Any) -> str:
    asked = box.get("resources") or {}
    keys = {**strings(asked.get("requests")), **strings(asked.get("limits"))}
    return ", ".join(sorted(key for key in keys if key.startswith(_RAIL)))


def _leaves_nics(resource: Resource) -> Iterator[str]:
    """A server has a NIC for each GPU: who takes more of them than GPUs leaves GPUs without one."""
    found = False
    for box in containers(pod_spec(resource)):
        asked = box.get("resources") or {}
        amounts = {**strings(asked.get("requests")), **strings(asked.get("limits"))}
        gpus = sum(whole(amount) for key, amount in amounts.items() if key == _GPU)
        nics = sum(whole(amount) for key, amount in amounts.items() if key.startswith(_RAIL))
        found = found or (gpus > 0 and nics > 0)
        if 0 < gpus < nics:
            which = f"container {box.get('name')} takes {nics} NICs for {gpus} GPU{'s' if gpus > 1 else ''}"
            yield f"{kind(resource)} {_name(resource)}: {which}: other GPUs of its server are left without one"
    if not found:
        raise NotApplicable("no container asks for GPUs and NICs")


def _keeps_devices(resource: Resource) -> Iterator[str]:
    """`^` in front of a list takes the named devices out, each by the beginning of its name."""
    chosen = [
        (str(box.get("name")), str(each["name"]), str(each.get("value") or ""))
        for box in containers(pod_spec(resource))
        for each in items(box.get("env"))
        if each.get("name") in ("NCCL_IB_HCA", "NCCL_IB_DISABLE")
    ]
    if not chosen:
        raise NotApplicable("no container chooses NCCL's devices")
    for box, variable, value in chosen:
        if (variable == "NCCL_IB_DISABLE" and value == "1") or (variable == "NCCL_IB_HCA" and _leaves_none(value)):
            owner = f"{kind(resource)} {_name(resource)}: container {box}"
            yield f"{owner} has {variable}={value}, which leaves every rail out"


def _leaves_none(value: str) -> bool:
    named = value[1:].split(",") if value.startswith("^") and not value.startswith("^=") else []
    return any(each and "mlx5_".startswith(each.partition(":")[0]) for each in named)


RDMA: tuple[Rule | StackRule, ...] = (
    Rule(
        id="operators-sriov-in-its-namespace",
        title="Objects of the SR-IOV operator are in its namespace",
        why="OpenShift's operator reads its own namespace alone: what is elsewhere is taken, and nothing happens.",
        fix="Write metadata.namespace: openshift-sriov-network-operator.",
        reference="https://github.com/openshift/sriov-network-operator/blob/master/README.md",
        severity="high",
        types=of_kind(*_OPERATOR),
        check=_in_its_namespace,
    ),
    Rule(
        id="operators-sriov-carries-rdma",
        title="Functions for RDMA have its MTU, a kernel driver and Ethernet",
        why="Without an mtu a function keeps 1500 bytes and RDMA halves its packets twice; vfio-pci takes the RDMA "
        "device away from the pod.",
        fix="Write mtu as fabric.mtu allows (9000), deviceType netdevice and linkType eth.",
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/hardware_networks/configuring-sriov-device",
        severity="high",
        types=of_kind("SriovNetworkNodePolicy"),
        check=_carries_rdma,
    ),
    StackRule(
        id="operators-one-rdma-plugin",
        title="One plugin offers a NIC to pods",
        why="Two device plugins that have the same NIC each promise it to another pod; the second one starts without.",
        fix="Leave rdmaSharedDevicePlugin and sriovDevicePlugin out of the NicClusterPolicy: on OpenShift the SR-IOV "
        "operator has the plugin.",
        reference="https://docs.nvidia.com/networking/display/kubernetes2570/getting-started-openshift.html",
        severity="high",
        excused_by=nothing,
        types=of_kind("NicClusterPolicy", "SriovNetworkNodePolicy"),
        compare=_one_plugin,
    ),
    Rule(
        id="workloads-rdma-locks-memory",
        title="Pods with a NIC's function may lock memory",
        why="RDMA registers memory by locking it: without IPC_LOCK the first registration fails, and NCCL falls back "
        "to TCP or ends.",
        fix="Write securityContext.capabilities.add: [IPC_LOCK], and run the pod by the team's training account.",
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/hardware_networks/using-dpdk-and-rdma",
        severity="high",
        types=runs_pods,
        check=_locks_memory,
    ),
    Rule(
        id="workloads-nics-for-its-gpus",
        title="Pods take no more NICs than GPUs",
        why="A server has one function of each rail: a pod that takes all of them for half of the GPUs leaves the "
        "other half to nobody who trains over rails.",
        fix="Ask for the rails beside the GPUs, and let kubelet align both: `rails` of a job of workloads.training.",
        reference="https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/",
        severity="low",
        mandatory=False,
        types=runs_pods,
        check=_leaves_nics,
    ),
    Rule(
        id="workloads-nccl-keeps-the-rails",
        title="NCCL is not turned away from the rails",
        why="In NCCL_IB_HCA a leading ^ excludes what follows: ^mlx5 leaves no rail, and collectives go by TCP, a "
        "tenth as fast, without an error.",
        fix="Write NCCL_IB_HCA=mlx5, or leave it to podwright, which names the devices that the pod sees.",
        reference="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
        severity="high",
        types=runs_pods,
        check=_keeps_devices,
    ),
)
