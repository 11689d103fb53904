"""Rules about the GPU driver: which kernel modules it is built with, and what needs them."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .kubernetes import called, kind, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, apart, nothing, strings

_DRIVERS: Final = ("ClusterPolicy", "NVIDIADriver")
_OPEN_BRANCH: Final = 570
"""First branch that NVIDIA's guide of GPUDirect RDMA lets choose its kernel modules by itself."""


def _of(resource: Resource) -> tuple[str, dict[str, Any]] | None:
    """An object of NVIDIA's that decides on the driver: its name, and what it asks of the driver."""
    if kind(resource) not in _DRIVERS or "nvidia.com/" not in resource.type:
        return None
    spec = resource.props.get("spec") or {}
    name = called(resource)
    own: dict[str, Any] = (spec.get("driver") or {}) if kind(resource) == "ClusterPolicy" else spec
    return None if own.get("useNvidiaDriverCRD") else (f"{kind(resource)} {name}", own)


def _open(driver: dict[str, Any]) -> bool:
    """Whether NVIDIA's guide counts on the open kernel modules."""
    version = str(driver.get("version") or "")
    chosen = str(driver.get("kernelModuleType") or "auto")
    return chosen == "open" or (chosen == "auto" and (not version or int(version.partition(".")[0]) >= _OPEN_BRANCH))


def _direct(resources: Sequence[Resource]) -> Iterator[Finding]:
    functions = [each for each in resources if kind(each) == "SriovNetworkNodePolicy"]
    drivers = [(found, each.urn) for each in resources if (found := _of(each))]
    if not drivers or not any((each.props.get("spec") or {}).get("isRdma") for each in functions):
        raise NotApplicable("no GPU driver beside RDMA")
    for (name, driver), urn in drivers:
        if not (driver.get("rdma") or {}).get("enabled") and not _open(driver):
            message = f"{name} loads no nvidia-peermem, and its driver is not built with the open kernel modules"
            yield Finding(f"{message}: NICs do not reach GPU memory", urn)


def _apart(resources: Sequence[Resource]) -> Iterator[Finding]:
    """The operator changes nothing for all of those that one node matches; selectors of one label are compared here."""
    drivers = [each for each in resources if kind(each) == "NVIDIADriver"]
    if not drivers:
        raise NotApplicable("no NVIDIADriver")
    yield from apart((_both(drivers), *map(_by_itself, drivers)))


def _both(drivers: Sequence[Resource]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for each in drivers:
        spec = each.props.get("spec") or {}
        name = called(each)
        chosen = strings(spec.get("nodeSelector"))
        where = "default" if spec.get("default") else ",".join(f"{key}={chosen[key]}" for key in sorted(chosen))
        for taken, other in seen.items():
            if taken == where or ("default" not in (taken, where) and "" in (taken, where)):
                yield Finding(f"NVIDIADriver {name} and {other} are for the same nodes: neither drives any", each.urn)
        seen[where] = name


def _by_itself(driver: Resource) -> Iterator[Finding]:
    if ((driver.props.get("spec") or {}).get("upgradePolicy") or {}).get("autoUpgrade", True):
        message = "lets the operator take nodes by itself, beside the budget of their pool"
        yield Finding(f"NVIDIADriver {called(driver)} {message}", driver.urn)


def _storage(resource: Resource) -> Iterator[str]:
    """The operator refuses an NVIDIADriver that asks for nvidia-fs with another type, and starts a ClusterPolicy's."""
    found = _of(resource)
    spec = (resource.props.get("spec") or {}) if found else {}
    if found is None or not (spec.get("gds") or {}).get("enabled"):
        raise NotApplicable("no GPUDirect Storage")
    name, driver = found
    if (chosen := str(driver.get("kernelModuleType") or "auto")) != "open":
        yield f"{name} asks for GPUDirect Storage with kernel modules {chosen}: nvidia-fs is for the open ones"
    if not all(spec["gds"].get(part) for part in ("repository", "image", "version")):
        yield f"{name} names no image of nvidia-fs, and the operator from OLM has none of its own"


GPU_DRIVER: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="operators-gpudirect-has-a-way",
        title="NICs with RDMA reach GPU memory by DMA-BUF or by nvidia-peermem",
        why="With neither, NCCL copies everything through host memory: every job runs, at a part of its speed, and "
        "nothing reports it.",
        fix="Write driver.kernelModuleType: open for DMA-BUF, or driver.rdma.enabled: true for nvidia-peermem.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-rdma.html",
        severity="high",
        excused_by=nothing,
        types=of_kind(*_DRIVERS, "SriovNetworkNodePolicy"),
        compare=_direct,
    ),
    StackRule(
        id="operators-one-driver-a-node",
        title="No node has two NVIDIADrivers, and none is taken beside its pool's budget",
        why="Of NVIDIADrivers that match one node the operator serves none. With autoUpgrade, its default, it drains "
        "nodes by a budget of its own, the cluster's.",
        fix="Leave them to `pools.*.gpu_driver`: one of each pool, one default, upgradePolicy.autoUpgrade: false.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-driver-configuration.html",
        severity="high",
        excused_by=nothing,
        types=of_kind("NVIDIADriver"),
        compare=_apart,
    ),
    Rule(
        id="operators-gds-can-load",
        title="GPUDirect Storage has the open kernel modules and an image",
        why="nvidia-fs 2.17.5 and later does not load beside other kernel modules, and the certified operator knows no "
        "image of it: the driver's pods are never ready, and no GPU is offered.",
        fix="Write driver.kernelModuleType: open, and gds.repository, image and version, as `operators.gds` does.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-rdma.html",
        severity="high",
        types=of_kind(*_DRIVERS),
        check=_storage,
    ),
)
