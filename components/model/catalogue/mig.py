"""MIG layouts, mig-parted's and a site's own: what they hold, and whether profiles fit one GPU together."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from podwright.components.model.catalogue.gpus import Gpu, MigProfile

Group = tuple[int, Mapping[str, int]]
"""How many GPUs one after another, and the slices by profile on each of them; none where they stay whole."""
UNPLACED: Mapping[str, tuple[str, ...]] = {
    "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition": (
        *("1g.24gb+me", "1g.24gb+gfx", "1g.24gb+me.all", "1g.24gb-me"),
        *("2g.48gb+gfx", "2g.48gb+me.all", "2g.48gb-me", "4g.96gb+gfx"),
    )
}
"""Profiles that the MIG user guide counts (Table 11) and of which no public `nvidia-smi mig -lgipp` shows the start."""
_LABEL = 63
"""Characters of a label's value at most: the layout's name is one (`nvidia.com/mig.config`)."""


def layouts(gpu: Gpu) -> tuple[str, ...]:
    """Layout names that exist for this GPU in mig-parted's default configuration."""
    if not gpu.mig:
        return ()
    balanced = ("all-balanced",) if _balanced(gpu) else ()
    return tuple(f"all-{_spelled(name)}" for name in gpu.mig) + balanced


def layout(gpu: Gpu, name: str) -> dict[str, int] | None:
    """Slices by profile on one GPU under a layout: all-1g.18gb on H200 is {1g.18gb: 7}. None: no such layout."""
    if name == "all-balanced":
        return _balanced(gpu)
    for profile in gpu.mig.values():
        if name == f"all-{_spelled(profile.name)}":
            return {profile.name: profile.largest}
    return None


def fits(gpu: Gpu, wanted: Mapping[str, int]) -> bool:
    """Whether these profiles can stand on one GPU together.

    Each takes consecutive memory slices from one of its start slots; compute slices add up to the GPU's at most, and
    the media engines go to one of them (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-mig-profiles.html).
    """
    if sum(count for name, count in wanted.items() if name.endswith("+me")) > 1:
        return False
    profiles = [gpu.mig[name] for name, count in wanted.items() for _ in range(count)]
    if sum(profile.compute for profile in profiles) > gpu.compute_slices:
        return False
    return _pack(sorted(profiles, key=lambda profile: -profile.memory), 0, gpu.memory_slices)


def without(gpu: Gpu, wanted: Mapping[str, int]) -> Iterator[str]:
    """Profiles of which one instance less makes slices fit that do not."""
    for name, count in wanted.items():
        if fits(gpu, {**wanted, name: count - 1}):
            yield name


def groups_name(groups: Sequence[Group]) -> str:
    """Name of a layout of a site's own, by what it is: 4x2x3g.71gb_4xwhole, and a digest where that is too long.

    Neighbours that are alike are one group: the same GPUs under the same name, however the groups are written.
    """
    merged = _merged(groups)
    name = "_".join(
        f"{count}x" + ("-".join(f"{n}x{_spelled(each)}" for each, n in of) or "whole") for count, of in merged
    )
    if len(name) <= _LABEL:
        return name
    return f"mixed-{hashlib.sha256(json.dumps(merged).encode()).hexdigest()[:16]}"


def groups_config(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """A layout of a site's own in mig-parted's form: every GPU by its index, in one row and no other."""
    rows: list[dict[str, Any]] = []
    first = 0
    for count, of in _merged(groups):
        devices = list(range(first, first + count))
        first += count
        rows.append({"devices": devices, "mig-enabled": bool(of), **({"mig-devices": dict(of)} if of else {})})
    return rows


def _merged(groups: Sequence[Group]) -> list[tuple[int, list[tuple[str, int]]]]:
    sorted_slices = [(count, sorted(slices.items(), reverse=True)) for count, slices in groups]
    return [(sum(n for n, _ in alike), of) for of, alike in groupby(sorted_slices, key=lambda group: group[1])]


def _pack(profiles: list[MigProfile], taken: int, slices: int) -> bool:
    """Place profiles, largest first, on the memory slices that the bit map `taken` leaves free."""
    if not profiles:
        return True
    first, rest = profiles[0], profiles[1:]
    for start in first.starts:
        bits = ((1 << first.memory) - 1) << start
        if start + first.memory <= slices and not taken & bits and _pack(rest, taken | bits, slices):
            return True
    return False


def _spelled(profile: str) -> str:
    return profile.replace("+", ".")


def _balanced(gpu: Gpu) -> dict[str, int] | None:
    """Two of the smallest, one 2g and one 3g: mig-parted's all-balanced, on GPUs with seven slices."""
    if gpu.compute_slices != 7 or not gpu.mig:
        return None
    plain = [profile for profile in gpu.mig.values() if not profile.name.endswith("+me")]
    by_shape = {(profile.compute, profile.memory): profile.name for profile in plain}
    return {by_shape[1, 1]: 2, by_shape[2, 2]: 1, by_shape[3, 4]: 1}
