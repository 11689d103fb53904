"""What a pool's MIG layout makes of a server's GPUs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.model.catalogue.gpus import Gpu
from podwright.components.model.catalogue.mig import Group, groups_config, groups_name, layout
from podwright.components.model.mig_gpus import MigGpus
from podwright.components.model.platform import Pool


@dataclass(frozen=True)
class Divided:
    """GPUs of one server."""

    slices: dict[str, int]
    """MIG slices by profile, of all GPUs together."""
    whole: int
    """GPUs that stay whole."""


def plain_groups(groups: Sequence[MigGpus]) -> list[Group]:
    """Groups of GPUs as the catalogue counts with them."""
    return [(group.count, group.slices) for group in groups]


def divided(pool: Pool, product: Gpu | None, gpus: int) -> Divided:
    """What a server with so many GPUs of a product offers. A layout that coherence refuses makes nothing of them."""
    if pool.mig_gpus:
        slices: Counter[str] = Counter()
        for count, each in plain_groups(pool.mig_gpus):
            slices.update({name: count * number for name, number in each.items()})
        return Divided(dict(slices), sum(count for count, each in plain_groups(pool.mig_gpus) if not each))
    if pool.mig is None:
        return Divided({}, gpus)
    named = layout(product, pool.mig) if product is not None else None
    return Divided({name: count * gpus for name, count in (named or {}).items()}, 0)


def layout_name(pool: Pool) -> str | None:
    """Name of the pool's layout as MIG manager knows it; None where it has none."""
    return groups_name(plain_groups(pool.mig_gpus)) if pool.mig_gpus else pool.mig


def layout_config(pool: Pool) -> list[dict[str, Any]]:
    """A layout of the pool's own in mig-parted's form; empty where mig-parted has it by its name."""
    return groups_config(plain_groups(pool.mig_gpus))
