"""The image of the NICs' driver, which registries have it, and who waits on a node until it is loaded.

The network operator writes `repository/image:version-<system>-<architecture>` (Mellanox/network-operator v26.4.1,
pkg/state/state_ofed.go, mofedImageFormat) into a DaemonSet that is updated OnDelete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.kinds import PODS

LABEL, OWNER = "nvidia.com/ofed-driver", "ds-owner"
"""Labels of its pods: that they are some, and whose."""
SYSTEM = "rhcos4.20-amd64"
PUBLISHED = (
    "doca3.5.0-26.07-0.7.3.0-0",
    "doca3.4.1-26.04-1.1.0.0-1",
    "doca3.4.0-26.04-0.8.6.0-0",
    "doca3.3.0-26.01-1.0.0.0-4",
    "doca3.3.0-26.01-1.0.0.0-0",
    "doca3.2.0-25.10-1.2.8.0-2",
    "doca3.1.0-25.07-0.9.7.0-0",
)
"""Drivers of releases of the operator (hack/release.yaml); the lab's registry has no other one."""


def image(driver: Mapping[str, Any]) -> str:
    """The image of a policy's section `ofedDriver`."""
    return f"{driver['repository']}/{driver['image']}:{driver['version']}-{SYSTEM}"


def published(name: str) -> bool:
    """Whether the registry has an image."""
    return name.rpartition(":")[2].removesuffix(f"-{SYSTEM}") in PUBLISHED


def waiting(cache: Cache, node: str, label: str) -> bool:
    """Whether pods are on a node that are there only while its driver is loaded: a driver is compiled for minutes, and
    they have gone long before it is loaded."""
    return any(
        pod["spec"].get("nodeName") == node and (pod["spec"].get("nodeSelector") or {}).get(label) == "false"
        for pod in cache.list(PODS)
    )
