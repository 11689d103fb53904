"""Multi-Instance GPU arithmetic: which sets of profiles fit one GPU, and what a layout gives a node.

Placement after the NVIDIA MIG user guide: seven compute slices, eight memory slices, fixed starting places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


VOLUME = "mig-parted-config"
"""Of MIG manager's pods: the map of layouts (NVIDIA/gpu-operator, assets/state-mig-manager/0600_daemonset.yaml)."""
DEFAULT_MAP = "default-mig-parted-config"
"""The operator's own, which it fills from the hardware."""


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
        for rows in layouts.values():
            for row in rows:
                _check(row)
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as problem:
        raise LayoutError(f"not a mig-parted configuration: {problem}") from problem
    return layouts


def _check(row: Mapping[str, Any]) -> None:
    """One row as mig-parted unmarshals it (api/spec/v1/spec.go): what is wrong in one is wrong with the whole file."""
    for name in row:
        if name not in ("device-filter", "devices", "mig-enabled", "mig-devices"):
            raise LayoutError(f"unexpected field: {name}")
    for name in ("devices", "mig-enabled"):
        if name not in row:
            raise LayoutError(f"missing required field: {name}")
    if isinstance(row["devices"], str) and row["devices"] != "all":
        raise LayoutError(f"invalid string input for 'devices': {row['devices']}")
    devices = row.get("mig-devices")
    if row["mig-enabled"] and devices is None:
        raise LayoutError("missing required field 'mig-devices' when 'mig-enabled' is true")
    if not row["mig-enabled"] and devices:
        raise LayoutError("MIG devices included when 'mig-enabled' is false")
    if devices and not any(devices.values()):
        raise LayoutError("error validating values in 'mig-devices' field: all counts for all MigProfiles are 0")


def instances(
    layout: Sequence[Mapping[str, Any]], model: GpuModel, count: int, choice: str = "tight"
) -> dict[int, dict[str, int]]:
    """MIG devices per GPU index for `count` GPUs; an empty mapping for a whole GPU. Raises LayoutError.

    An index that no GPU has is passed over, and a GPU that no row names keeps what it has (mig-parted,
    cmd/nvidia-mig-parted/assert, WalkSelectedMigConfigForEachGPU). `choice` is how the driver places: a form of the
    variant `mig-places`.
    """
    found: dict[int, dict[str, int]] = {}
    for row in layout:
        filters = row.get("device-filter") or []
        # mig-parted writes a PCI id as one number, device before vendor: 0x233510DE.
        if filters and f"0x{model.device}10de" not in str(filters).lower():
            continue
        for index in range(count):
            if row["devices"] != "all" and index not in row["devices"]:
                continue
            wanted = dict(row.get("mig-devices") or {}) if row.get("mig-enabled") else {}
            if place(wanted, model, choice) is None:
                raise LayoutError(f"GPU {index}: error attempting multiple config orderings: all orderings failed")
            found[index] = wanted
    return found


def fits(wanted: Mapping[str, int], model: GpuModel) -> bool:
    """True when these profiles can all be placed on one GPU of this model."""
    return place(wanted, model) is not None


def place(wanted: Mapping[str, int], model: GpuModel, choice: str = "tight") -> list[tuple[str, int]] | None:
    """Instances with the memory slice at which each starts, in the order of making; None where no order works.

    mig-parted makes one after another, those of most slices first, wherever the driver puts them, and begins anew in
    another order when one is refused (pkg/types/mig_config.go, Flatten; pkg/mig/config/config.go,
    iteratePermutationsUntilSuccess): the order of a configuration's keys counts for nothing.
    """
    if any(profile not in model.profiles for profile in wanted):
        return None
    left = {profile: number for profile, number in wanted.items() if number}
    order = sorted(left, key=lambda name: (-int(name.partition("g")[0]), name))
    return _make(order, left, [], model, choice, set())


def _make(
    order: list[str],
    left: dict[str, int],
    made: list[tuple[str, int]],
    model: GpuModel,
    choice: str,
    failed: set[frozenset[tuple[str, int]]],
) -> list[tuple[str, int]] | None:
    """What an order that begins with `made` comes to: orders that come to the same instances fail together."""
    if not any(left.values()):
        return made
    if frozenset(made) in failed:
        return None
    for profile in order:
        if left[profile] and (start := driver_start(profile, made, model, choice)) is not None:
            rest = {**left, profile: left[profile] - 1}
            if (done := _make(order, rest, [*made, (profile, start)], model, choice, failed)) is not None:
                return done
    failed.add(frozenset(made))
    return None


def driver_start(profile: str, made: list[tuple[str, int]], model: GpuModel, choice: str) -> int | None:
    """Where the driver puts one more instance; None where it has no resources for it."""
    compute, memory = (max(sizes[part] for sizes in model.profiles.values()) for part in (0, 1))
    used = sum(model.profiles[name][0] for name, _ in made)
    taken = {cell for name, start in made for cell in range(start, start + model.profiles[name][1])}
    mine, size = model.profiles[profile]
    if used + mine > compute or ("+me" in profile and any("+me" in name for name, _ in made)):
        return None
    free = [start for start in _starts(mine, size, memory) if not taken & set(range(start, start + size))]
    if not free:
        return None
    return free[0] if choice == "lowest" else min(free, key=lambda start: _lost(start, size, taken, model))


def _starts(compute: int, size: int, memory: int) -> list[int]:
    return [start for start in STARTS.get((compute, size), range(0, memory, size)) if start + size <= memory]


def _lost(start: int, size: int, taken: set[int], model: GpuModel) -> tuple[int, int]:
    """How many places of instances a new one would spoil that are free as yet; of several such starts the lowest."""
    memory = max(sizes[1] for sizes in model.profiles.values())
    cells = set(range(start, start + size))
    spans = [
        set(range(each, each + other))
        for mine, other in model.profiles.values()
        for each in _starts(mine, other, memory)
    ]
    return sum(bool(span & cells) and not span & taken for span in spans), start


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
