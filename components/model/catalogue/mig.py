"""MIG layouts by mig-parted's names: what they hold on one GPU, and whether profiles fit together."""

from collections.abc import Mapping

from podwright.components.model.catalogue.gpus import Gpu, MigProfile


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
