"""Multi-Instance GPU arithmetic: which sets of profiles fit one GPU, and what a layout gives a node.

Placement after the NVIDIA MIG user guide: seven compute slices, eight memory slices, fixed starting places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from podwright.lab.openshift.hardware import GpuModel

STARTS: dict[tuple[int, int], tuple[int, ...]] = {
    (1, 1): (0, 1, 2, 3, 4, 5, 6),
    (1, 2): (0, 2, 4, 6),
    (2, 2): (0, 2, 4),
    (3, 4): (0, 4),
    (4, 4): (0,),
    (7, 8): (0,),
}
"""Memory slice at which an instance of (compute, memory) slices may begin."""


class LayoutError(ValueError):
    """A layout that mig-parted would refuse or that the GPU cannot hold."""


def built_in(model: GpuModel) -> dict[str, Any]:
    """The layouts that the operator generates from the hardware: all of one profile, and none."""
    layouts: dict[str, Any] = {"all-disabled": [{"devices": "all", "mig-enabled": False}]}
    for profile, (compute, memory) in model.profiles.items():
        if "+me" in profile:
            count = 1
        else:
            whole = max(c for c, _ in model.profiles.values())
            total = max(m for _, m in model.profiles.values())
            count = min(whole // compute, total // memory)
        layouts[f"all-{profile.replace('+', '.')}"] = [
            {"devices": "all", "mig-enabled": True, "mig-devices": {profile: count}}
        ]
    return layouts


def parse(text: str) -> dict[str, Any]:
    """`mig-configs` of a mig-parted file. Raises LayoutError when it is not one."""
    try:
        document = yaml.safe_load(text)
        layouts = document["mig-configs"]
        if document["version"] != "v1" or not isinstance(layouts, dict):
            raise LayoutError("not a mig-parted v1 configuration")
    except (yaml.YAMLError, KeyError, TypeError) as problem:
        raise LayoutError(f"not a mig-parted configuration: {problem}") from problem
    return layouts


def instances(layout: list[Mapping[str, Any]], model: GpuModel, count: int) -> dict[int, dict[str, int]]:
    """MIG devices per GPU index for `count` GPUs; an empty mapping for a whole GPU. Raises LayoutError."""
    found: dict[int, dict[str, int]] = {}
    for row in layout:
        filters = row.get("device-filter") or []
        # mig-parted writes a PCI id as one number, device before vendor: 0x233510DE.
        if filters and f"0x{model.device}10de" not in str(filters).lower():
            continue
        chosen = range(count) if row["devices"] == "all" else row["devices"]
        for index in chosen:
            if not 0 <= index < count:
                raise LayoutError(f"device {index} does not exist")
            wanted = dict(row.get("mig-devices") or {}) if row.get("mig-enabled") else {}
            if not fits(wanted, model):
                raise LayoutError(f"GPU {index} cannot hold {wanted}")
            found[index] = wanted
    return found


def fits(wanted: Mapping[str, int], model: GpuModel) -> bool:
    """True when these profiles can all be placed on one GPU of this model."""
    sizes: list[tuple[int, int]] = []
    for profile, number in wanted.items():
        if profile not in model.profiles:
            return False
        if "+me" in profile and number > 1:
            return False
        sizes += [model.profiles[profile]] * number
    if not sizes:
        return True
    compute = max(c for c, _ in model.profiles.values())
    memory = max(m for _, m in model.profiles.values())
    if sum(c for c, _ in sizes) > compute:
        return False
    return _place(sorted(sizes, key=lambda size: -size[1]), memory, frozenset())


def _place(sizes: list[tuple[int, int]], memory: int, taken: frozenset[int]) -> bool:
    if not sizes:
        return True
    size, rest = sizes[0], sizes[1:]
    for start in STARTS.get(size, range(0, memory, size[1])):
        cells = frozenset(range(start, start + size[1]))
        if start + size[1] <= memory and not cells & taken and _place(rest, memory, taken | cells):
            return True
    return False


def resources(placed: Mapping[int, Mapping[str, int]], strategy: str) -> dict[str, int]:
    """Device plugin resources for a node. `single` hands MIG devices out as plain GPUs, `mixed` by profile."""
    whole = sum(not devices for devices in placed.values())
    found: dict[str, int] = {}
    for devices in placed.values():
        for profile, number in devices.items():
            name = "nvidia.com/gpu" if strategy == "single" else f"nvidia.com/mig-{profile.replace('+', '.')}"
            found[name] = found.get(name, 0) + number
    if strategy == "none":
        return {"nvidia.com/gpu": len(placed)}
    if strategy == "single" and found and (whole or len({p for d in placed.values() for p in d}) > 1):
        # The single strategy wants the same profile on every GPU; otherwise the plugin offers nothing.
        return {"nvidia.com/gpu": 0}
    if whole or not found:
        found["nvidia.com/gpu"] = found.get("nvidia.com/gpu", 0) + whole
    return found
