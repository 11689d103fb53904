"""Which GPUs, and how many of them, or which MIG profile, one replica of a model fits; and why the others do not.

A model is shared by GPUs of one server, 1, 2, 4 or 8 of them, as its attention heads divide. MIG slices do not talk to
each other (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/): one slice holds a model whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from podwright.components.model.catalogue.gpus import GPUS, Gpu, MigProfile
from podwright.components.model.catalogue.memory import CAPABILITY, SHARE, Ask, Need, need
from podwright.components.model.catalogue.servers import SERVERS, GpuFit

SHARED_BY: Final = (1, 2, 4, 8)
_SLICE: Final = 0.9
"""Of its part of the memory, what a slice has at least: 16.0 of 17.5 GiB in 1g.18gb of H200 (nvidia-smi mig -lgip)."""
_MIB: Final = 1024


@dataclass(frozen=True)
class Option:
    """GPUs of one product that hold one replica."""

    product: str
    gpus: int
    profile: str | None
    """Smallest MIG profile that holds it; None where it takes whole GPUs."""
    need: Need
    """On each of them, GiB."""
    budget: float
    """Of each of them, GiB that the server of the model may take."""
    watts: float
    """Of the GPUs that one replica takes; of a slice, by its compute slices."""
    linked: bool
    """Whether these GPUs talk to each other by NVLink, where there are several."""
    servers: tuple[str, ...]
    """Models of the catalogue that take so many of them."""


@dataclass(frozen=True)
class Refusal:
    """A product that does not do, and the sum that says why."""

    product: str
    why: str


def choose(ask: Ask, products: Iterable[str] | None = None) -> tuple[list[Option], list[Refusal]]:
    """The fewest GPUs of each product, the options by the power that they draw.

    `products` limits the answer to some; without, those of the catalogue.
    """
    options, refusals = [], []
    for name in GPUS if products is None else products:
        found = _of(GPUS[name], ask)
        if isinstance(found, Option):
            options.append(found)
        else:
            refusals.append(found)
    return sorted(options, key=lambda each: (each.watts, each.product)), refusals


def budget(gpu: Gpu, profile: MigProfile | None = None) -> float:
    """GiB that the server of a model takes of a GPU, or of one slice of it."""
    whole = gpu.mib / _MIB * SHARE
    return whole if profile is None else whole * _SLICE * profile.memory / gpu.memory_slices


def _of(gpu: Gpu, ask: Ask) -> Option | Refusal:
    least = CAPABILITY[ask.precision]
    if gpu.capability < least:
        own, wanted = (f"{major}.{minor}" for major, minor in (gpu.capability, least))
        return Refusal(
            gpu.name, f"compute capability {own} does not calculate in {ask.precision}, which takes {wanted}"
        )
    most = max((max(fit.counts) for fit in _places(gpu.name).values()), default=1)
    counts = [count for count in SHARED_BY if count <= most and ask.shape.heads % count == 0]
    for count in counts:
        each = need(ask, count)
        if count == 1 and (profile := _smallest(gpu, each)) is not None:
            watts = gpu.watts * profile.compute / gpu.compute_slices
            return _option(gpu, 1, profile, each, watts)
        if each.total <= budget(gpu):
            return _option(gpu, count, None, each, gpu.watts * count)
    return Refusal(gpu.name, _sum(gpu, counts[-1], need(ask, counts[-1])))


def _option(gpu: Gpu, count: int, profile: MigProfile | None, each: Need, watts: float) -> Option:
    name = None if profile is None else profile.name
    servers = tuple(model for model, fit in _places(gpu.name).items() if max(fit.counts) >= count)
    return Option(gpu.name, count, name, each, budget(gpu, profile), watts, count <= gpu.together, servers)


def _places(product: str) -> Mapping[str, GpuFit]:
    return {model.name: model.gpus[product] for model in SERVERS.values() if product in model.gpus}


def _smallest(gpu: Gpu, each: Need) -> MigProfile | None:
    """The smallest profile that holds it and is less than the whole GPU; of equal memory the one with less compute."""
    plain = [profile for profile in gpu.mig.values() if not profile.name.endswith("+me")]
    for profile in sorted(plain, key=lambda one: (one.memory, one.compute)):
        if profile.memory < gpu.memory_slices and each.total <= budget(gpu, profile):
            return profile
    return None


def _sum(gpu: Gpu, count: int, each: Need) -> str:
    among = f"{count} GPUs share" if count > 1 else "one GPU holds"
    return (
        f"{among} {count * each.weights:.1f} GiB of weights; each takes {each.weights:.1f} of them, {each.cache:.1f} "
        f"of cache and {each.runtime:.1f} besides, {each.total:.1f} in all, and has {budget(gpu):.1f} of "
        f"{gpu.mib / _MIB:.1f} GiB for it"
    )
