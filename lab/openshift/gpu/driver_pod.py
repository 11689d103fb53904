"""The driver's pod: which containers and kernel modules it brings, and how NICs reach the memory of a node's GPUs.

After NVIDIA/gpu-operator (assets/state-driver/0500_daemonset.yaml, controllers/object_controls.go: containers of parts
that are off are taken out), NVIDIA/gpu-driver-container (rhel9/nvidia-driver, _resolve_kernel_type) and the operator's
guide of GPUDirect RDMA (Common Prerequisites).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.daemons import HASH, pod_ready
from podwright.lab.openshift.gpu.driver_image import COMPONENT, OWN
from podwright.lab.openshift.gpu.driver_image import image as resolved
from podwright.lab.openshift.kinds import DAEMON_SETS, NODES, PODS
from podwright.lab.openshift.networks import MOFED_WAIT

PEERMEM, STORAGE, COPY = "nvidia-peermem-ctr", "nvidia-fs-ctr", "nvidia-gdrcopy-ctr"
MODULES = "KERNEL_MODULE_TYPE"
_OPEN_BRANCH, _TURING, _DMA_BUF_KERNEL = 560, (7, 5), (5, 12)
"""What `auto` takes the open modules for where the installer gives no answer, which GPUs they drive, and the first
kernel with DMA-BUF for RDMA."""


GDRDRV = "nvcr.io/nvidia/cloud-native/gdrdrv"


class ImageError(ValueError):
    """A part is on, and neither the ClusterPolicy nor the operator's own environment has an image of it."""


def sidecars(spec: Mapping[str, Any], image: str, gdrdrv: str = GDRDRV) -> dict[str, str]:
    """Images of the containers beside the driver's own, by name, of a ClusterPolicy. Raises ImageError.

    OLM's bundle gives the operator GDRCOPY_IMAGE, `gdrdrv`, by digest and no GDS_IMAGE (bundle/manifests,
    internal/image); for an NVIDIADriver it uses neither.
    """
    found = {PEERMEM: image} if ((spec.get("driver") or {}).get("rdma") or {}).get("enabled") else {}
    if (storage := spec.get("gds") or {}).get("enabled"):
        found[STORAGE] = resolved(storage, "")
        if not found[STORAGE]:
            raise ImageError("empty image path provided through both CR and ENV GDS_IMAGE")
    if (copy := spec.get("gdrcopy") or {}).get("enabled"):
        found[COPY] = resolved(copy, gdrdrv)
        if not found[COPY]:
            raise ImageError("empty image path provided through both CR and ENV ")
    return found


def environment(driver: Mapping[str, Any]) -> dict[str, str]:
    """What the driver's container is given."""
    return {MODULES: str(driver.get("kernelModuleType") or "auto")}


def on(cache: Cache, node: str) -> Object | None:
    """The driver's pod on a node, whichever DaemonSet made it."""
    for pod in cache.list(PODS):
        component = pod["metadata"].get("labels", {}).get("app.kubernetes.io/component")
        if component == COMPONENT and pod["spec"].get("nodeName") == node:
            return pod
    return None


def current(cache: Cache, node: str) -> bool:
    """True when the node's pod is ready and was made from the template that its DaemonSet has now; one whose DaemonSet
    has gone is of none."""
    pod = on(cache, node)
    owners = {owner["uid"] for owner in pod["metadata"].get("ownerReferences") or ()} if pod else set()
    marks = [
        each["metadata"].get("annotations", {}).get(HASH)
        for each in cache.list(DAEMON_SETS)
        if each["metadata"]["uid"] in owners
    ]
    return pod is not None and pod_ready(pod) and pod["metadata"].get("annotations", {}).get(HASH) in marks


def has(pod: Object | None, container: str) -> bool:
    """True when the pod was made with this container."""
    return pod is not None and any(each["name"] == container for each in pod["spec"]["containers"])


def open_modules(pod: Object, compute: tuple[int, int]) -> bool:
    """True when the node's kernel modules are the open ones."""
    main = pod["spec"]["containers"][0]
    kind = next((row["value"] for row in main.get("env") or [] if row["name"] == MODULES), "auto")
    tag = main["image"].rpartition("/")[2].partition("@")[0].partition(":")[2]
    branch = int((tag.partition("-")[0] or OWN).partition(".")[0])
    return bool(kind == "open" or (kind == "auto" and branch >= _OPEN_BRANCH and compute >= _TURING))


def problem(pod: Object | None, labels: Mapping[str, str], compute: tuple[int, int], *, host_mofed: bool) -> str | None:
    """Why a container of the pod would not come up on this node, or None."""
    # The validator skips nodes without a Mellanox device: NFD's label decides (gpu-operator, cmd/nvidia-validator).
    nics = labels.get("feature.node.kubernetes.io/pci-15b3.present") == "true"
    if has(pod, PEERMEM) and not host_mofed and nics and labels.get(MOFED_WAIT) != "false":
        return "the driver waits for the network operator's DOCA/OFED driver (driver.rdma.enabled)"
    if pod is not None and has(pod, STORAGE) and not open_modules(pod, compute):
        return "nvidia-fs is not loaded: this version is for the open kernel modules"
    return None


def copied(cache: Cache, name: str, compute: tuple[int, int]) -> str:
    """Why RDMA of GPU memory goes through the host's on this node; empty where NICs reach it directly."""
    node, pod = cache.get(NODES, name), on(cache, name)
    if node is None or pod is None:
        return f"{name}: no NVIDIA driver: GPU memory goes through the host's"
    release = node["status"]["nodeInfo"]["kernelVersion"].split(".")
    if open_modules(pod, compute) and (int(release[0]), int(release[1])) >= _DMA_BUF_KERNEL:
        return ""
    mofed = node["metadata"].get("labels", {}).get(MOFED_WAIT) == "false"
    if has(pod, PEERMEM) and mofed:
        return ""
    return f"{name}: neither DMA-BUF nor nvidia-peermem: GPU memory goes through the host's"
