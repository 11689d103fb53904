"""The GPU driver: its version, its kernel modules, what is built beside it, and how a pool's nodes get another one."""

from collections.abc import Iterable, Iterator
from typing import Any

from podwright.components.design.compute import digest
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators import subscription
from podwright.components.design.platform.names import POOL_LABEL, Manifest, every_node
from podwright.components.model import Operators, RailPool
from podwright.components.model.catalogue.releases import ReleaseSet

COMPONENT = "nvidia-driver"
"""Application label of the driver's pods (NVIDIA/gpu-operator, assets/state-driver/0500_daemonset.yaml)."""
POLICY = "/apis/nvidia.com/v1/clusterpolicies/gpu-cluster-policy"
REGISTRY = "nvcr.io/nvidia"
API = "nvidia.com/v1alpha1"
_GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def driver(operators: Operators, *, rdma: bool) -> dict[str, Any]:
    """The driver as a ClusterPolicy has it; `rdma` where NICs read and write GPU memory."""
    return {
        **_version(operators),
        "kernelModuleType": _modules(operators, rdma=rdma),
        # nvidia-peermem, a container of the driver's pod. With DMA-BUF NICs reach GPU memory without it.
        "rdma": {"enabled": rdma and operators.gpu_direct == "peermem", "useHostMofed": False},
        # The operator would take nodes by a budget of its own, the cluster's; the roll-out of each pool does it.
        "upgradePolicy": {"autoUpgrade": False},
    }


def beside(operators: Operators, release: ReleaseSet) -> dict[str, Any]:
    """Sections of a ClusterPolicy for further modules, each a container of the driver's pod; none where none is asked.

    The operator knows its own image of gdrdrv, by digest; of nvidia-fs its bundle names none, and completes the version
    to a tag of the node's system (NVIDIA/gpu-operator, bundle and internal/image).
    """
    found: dict[str, Any] = {"gdrcopy": {"enabled": True}} if operators.gdrcopy else {}
    if operators.gds:
        image = {"repository": f"{REGISTRY}/cloud-native", "image": "nvidia-fs", "version": release.nvidia_fs}
        found["gds"] = {"enabled": True, **image}
    return found


def objects(operators: Operators, release: ReleaseSet, pools: Iterable[RailPool], *, rdma: bool) -> list[Manifest]:
    """NVIDIADrivers where a pool has a driver of its own, else none: the cluster's default, and one of each pool with
    GPUs, since who deletes such an object deletes its DaemonSet and the pods of nodes that work.

    Selectors must not overlap: the operator refuses all of those that match one node (NVIDIA/gpu-operator,
    internal/validator). Nor does it complete them: image and tolerations are each object's own.
    """
    having = [pool for pool in pools if pool.products]
    if not any(pool.gpu_driver for pool in having):
        return []
    taints = [*every_node(admission=any(pool.admission for pool in having)), _GPU_TAINT]
    tolerated = {"tolerations": taints} if operators.gpu_node_tolerations else {}
    default = _object(operators, release, "default", {"default": True, **tolerated}, rdma=rdma)
    return [
        default,
        *(
            _object(
                operators if pool.gpu_driver is None else operators.model_copy(update={"gpu_driver": pool.gpu_driver}),
                release,
                of_pool(pool),
                {"nodeSelector": {POOL_LABEL: pool.name}, **tolerated},
                rdma=rdma and bool(pool.nics),
            )
            for pool in having
        ),
    ]


def of_pool(pool: RailPool) -> str:
    """Name of a pool's NVIDIADriver."""
    return f"pool-{pool.name}"


def _object(operators: Operators, release: ReleaseSet, name: str, where: dict[str, Any], *, rdma: bool) -> Manifest:
    cloud = f"{REGISTRY}/cloud-native"
    copy = {"enabled": True, "repository": cloud, "image": "gdrdrv", "version": release.gdrcopy}
    return {
        "apiVersion": API,
        "kind": "NVIDIADriver",
        "metadata": {"name": name},
        "spec": {
            **where,
            "driverType": "gpu",
            **_image(operators.gpu_driver or release.gpu_driver),
            **driver(operators, rdma=rdma),
            **beside(operators, release),
            **({"gdrcopy": copy} if operators.gdrcopy else {}),
        },
    }


def pass_through(operators: Operators, pools: Iterable[RailPool]) -> Iterator[tuple[RailPool, Manifest]]:
    """What nodes with GPUs boot with for GPUDirect Storage: the IOMMU that virtual functions need, in pass-through.

    NVIDIA guarantees nothing with a translating one (GPUDirect Storage, Installation and Troubleshooting Guide, Before
    You Install GDS).
    """
    for pool in pools if operators.gds else ():
        if pool.products:
            config = {"ignition": {"version": "3.4.0"}}
            yield (
                pool,
                {
                    "apiVersion": "machineconfiguration.openshift.io/v1",
                    "kind": "MachineConfig",
                    "metadata": {
                        "name": f"50-{pool.name}-iommu",
                        "labels": {"machineconfiguration.openshift.io/role": pool.name},
                    },
                    "spec": {"config": config, "kernelArguments": ["iommu=pt"]},
                },
            )


def rollout(operators: Operators, release: ReleaseSet, pool: RailPool, asked: dict[str, Any]) -> dict[str, Any]:
    """Spec of `podwright:openshift:DriverRollout` of a pool: what decides which driver its nodes run.

    `asked` is every section that decides on the driver's pod, nvidia-peermem, GDRCopy and GDS among them, or the pool's
    NVIDIADriver: the operator replaces no pod by itself, so each change of one takes every node through.
    """
    named = {"version": operators.gpu_driver} if operators.gpu_driver else {}
    reports = {"policy": POLICY, **named}
    if asked.get("kind") == "NVIDIADriver":
        name = asked["metadata"]["name"]
        reports = {"policy": f"/apis/{API}/nvidiadrivers/{name}", "version": asked["spec"]["version"], "owner": name}
    csv = subscription.pinned(operators, release.gpu).csv
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "driver": {"namespace": release.gpu.namespace, "component": COMPONENT, **reports},
        "trigger": digest({"csv": csv, **asked}),
        "max_unavailable": pool.max_unavailable,
        "soak_seconds": pool.soak_seconds,
        **({"pause": True} if pool.pause else {}),
        **({"despite": list(pool.despite)} if pool.despite else {}),
    }


def _modules(operators: Operators, *, rdma: bool) -> str:
    """Which kernel modules the driver is built with: `open` where something needs them, else what NVIDIA recommends.

    `auto` asks `nvidia-installer --print-recommended-kernel-module-type`, and takes the open ones from branch 560 on
    where that fails (NVIDIA/gpu-driver-container, rhel9/nvidia-driver); NVIDIA's guide asks for `open` before 570.
    DMA-BUF works with the open ones alone (gpu-operator documentation, GPUDirect RDMA, Common Prerequisites), and
    nvidia-fs too: with `auto` the operator refuses an NVIDIADriver that asks for it (nvidiadriver_controller.go).
    """
    return "open" if operators.gds or (rdma and operators.gpu_direct == "dma-buf") else "auto"


def _version(operators: Operators) -> dict[str, str]:
    """The driver's image by version. The operator takes registry and name from the same place, or none of the three."""
    return {} if operators.gpu_driver is None else _image(operators.gpu_driver)


def _image(version: str) -> dict[str, str]:
    return {"repository": REGISTRY, "image": "driver", "version": version}
