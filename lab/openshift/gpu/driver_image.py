"""The driver's image and which driver runs on a node: that of the pod there, whatever the ClusterPolicy says meanwhile.

The operator writes `driver.repository/image:version-<system>` where the ClusterPolicy names all three, else its own
image by digest (NVIDIA/gpu-operator, internal/image and resolveDriverTag); its DaemonSet is updated OnDelete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.kinds import PODS

DAEMONS = "nvidia-driver-daemonset"
COMPONENT = "nvidia-driver"
SYSTEM = "rhcos4.20"
OWN = "595.91.07"
"""What v26.7.0 of the operator was built with (deployments/gpu-operator/values.yaml)."""
PUBLISHED = (OWN, "580.105.08", "580.95.05", "570.195.03")
"""Drivers that NVIDIA lists for releases of the operator; the lab's registry has no other one."""
BESIDE = {"nvidia-fs": ("2.29.4", "2.27.3", "2.26.6"), "gdrdrv": ("v2.6", "v2.5.2")}
"""The same of the modules that are built beside it (release notes of the operator)."""


def image(driver: Mapping[str, Any], own: str) -> str:
    """The image of a ClusterPolicy's section `driver`."""
    parts = [str(driver.get(part) or "") for part in ("repository", "image", "version")]
    return f"{parts[0]}/{parts[1]}:{parts[2]}-{SYSTEM}" if all(parts) else own


def published(name: str) -> bool:
    """Whether the registry has an image."""
    image, _, tag = name.rpartition("/")[2].partition(":")
    return not tag or tag.partition("-")[0] in BESIDE.get(image, PUBLISHED)


def labels(cache: Cache, node: str) -> dict[str, str]:
    """What GPU feature discovery says of the driver that runs on a node."""
    images = [
        pod["spec"]["containers"][0]["image"]
        for pod in cache.list(PODS)
        if pod["metadata"].get("labels", {}).get("app.kubernetes.io/component") == COMPONENT
        and pod["spec"].get("nodeName") == node
    ]
    tag = images[0].rpartition("/")[2].partition("@")[0].partition(":")[2] if images else ""
    numbers = (tag.partition("-")[0] or OWN).split(".")
    return {f"cuda.driver.{part}": number for part, number in zip(("major", "minor", "rev"), numbers, strict=True)}
