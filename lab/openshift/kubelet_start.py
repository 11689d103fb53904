"""What kubelet refuses to start with: its node stays away until the file is another one.

After Kubernetes v1.36, `pkg/kubelet/cm`: `memorymanager/memory_manager.go` (`validateReservedMemory`),
`cpumanager/cpu_manager.go` and `topologymanager/topology_manager.go`. Amounts that the file does not have are those of
OpenShift's service: 500m of CPU and 1 GiB for the system, and kubelet's own threshold of 100Mi.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SYSTEM: Mapping[str, str] = {"memory": "1Gi", "cpu": "500m"}
EVICTION = "100Mi"
CPU_POLICIES = ("none", "static")
MEMORY_POLICIES = ("None", "Static")
TOPOLOGY_POLICIES = ("none", "best-effort", "restricted", "single-numa-node")
SCOPES = ("container", "pod")
_UNITS: Mapping[str, float] = {
    "": 2**-20, "Ki": 2**-10, "Mi": 1, "Gi": 2**10, "Ti": 2**20, "Pi": 2**30, "M": 1e6 / 2**20, "G": 1e9 / 2**20,
}  # fmt: skip


class KubeletError(RuntimeError):
    """Why kubelet does not start; the message is its own."""


def check(settings: Mapping[str, Any]) -> None:
    """Raises KubeletError."""
    for key, known, what in (
        ("cpuManagerPolicy", CPU_POLICIES, "unknown policy"),
        ("memoryManagerPolicy", MEMORY_POLICIES, "unknown policy"),
        ("topologyManagerPolicy", TOPOLOGY_POLICIES, "unknown policy"),
        ("topologyManagerScope", SCOPES, "unknown scope"),
    ):
        if settings.get(key) and settings[key] not in known:
            raise KubeletError(f'{what}: "{settings[key]}"')
    if settings.get("cpuManagerPolicyOptions") and settings.get("cpuManagerPolicy", "none") != "static":
        raise KubeletError(f"None policy: received unsupported options={settings['cpuManagerPolicyOptions']}")
    if (files := settings.get("containerLogMaxFiles")) is not None and files < 2:
        raise KubeletError(f"failed to initialize container log manager: invalid MaxFiles {files}, must be > 1")
    strict = settings.get("memoryManagerPolicy") == "Static"
    rows = settings.get("reservedMemory") or []
    if strict:
        _memory(settings, sum(mib(row["limits"].get("memory", "0")) for row in rows))


def _memory(settings: Mapping[str, Any], reserved: float) -> None:
    kept = {**SYSTEM, **(settings.get("systemReserved") or {})}
    other = (settings.get("kubeReserved") or {}).get("memory", "0")
    threshold = (settings.get("evictionHard") or {"memory.available": EVICTION}).get("memory.available", "0")
    wanted = mib(kept["memory"]) + mib(other) + mib(threshold)
    if wanted != reserved:
        raise KubeletError(
            f'the total amount "{reserved:.0f}Mi" of type "memory" is not equal to the value "{wanted:.0f}Mi" '
            "determined by Node Allocatable feature"
        )


def mib(quantity: str) -> float:
    """A quantity of memory in MiB."""
    found = re.fullmatch(r"(\d+)(Ki|Mi|Gi|Ti|Pi|M|G)?", str(quantity))
    if found is None:
        raise KubeletError(f'quantities must match the regular expression, "{quantity}" does not')
    return int(found[1]) * _UNITS[found[2] or ""]
