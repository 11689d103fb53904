"""In which order switches change: waves that never hold what stands in for each other."""

from collections.abc import Iterable, Sequence

from podwright.components.design.fabric.model import SwitchPlan
from podwright.components.model import FabricArgs
from podwright.components.model.pair import Pair

Wave = tuple[str, ...]
"""Hostnames that may change at the same time."""


def waves(args: FabricArgs) -> tuple[Wave, ...]:
    """Every switch once. Without `fabric.rollout`, as few as keep one peer of every pair and half of the spines."""
    rollout = args.fabric.rollout
    left = _names(args)
    found: list[Wave] = []
    if rollout is not None and rollout.canary in left:
        found.append((rollout.canary,))
        left.remove(rollout.canary)
    most = rollout.batch if rollout is not None else len(left)
    while left:
        wave: list[str] = []
        for name in left:
            if len(wave) < most and not any(_too_many(wave, name, *group) for group in _groups(args)):
                wave.append(name)
        found.append(tuple(wave))
        left = [name for name in left if name not in wave]
    return tuple(found)


def gpus(switch: SwitchPlan) -> dict[tuple[int, ...], tuple[str, ...]]:
    """GPUs whose own NIC is cabled to this switch, and their servers: rail n of a server is the NIC of its GPU n."""
    rails: dict[str, list[int]] = {}
    for end in switch.links.values():
        if end.role == "host" and end.port.startswith("rail"):
            rails.setdefault(end.device, []).append(int(end.port.removeprefix("rail")))
    servers: dict[tuple[int, ...], tuple[str, ...]] = {}
    for server, numbers in sorted(rails.items()):
        key = tuple(sorted(numbers))
        servers[key] = (*servers.get(key, ()), server)
    return servers


def _too_many(wave: Sequence[str], name: str, group: Iterable[str], most: int) -> bool:
    return name in group and len({*wave} & {*group}) >= most


def _groups(args: FabricArgs) -> list[tuple[Wave, int]]:
    """Switches that stand in for each other, and how many of them may be away at once."""
    fabric = args.fabric
    spines = (tuple(fabric.spines), max(1, len(fabric.spines) // 2))
    return [spines, *((tuple(pair.leaves), 1) for pair in _pairs(args))]


def _pairs(args: FabricArgs) -> list[Pair]:
    return [pair for pair in (args.fabric.frontend, args.fabric.storage) if pair is not None]


def _names(args: FabricArgs) -> list[str]:
    pairs = (name for pair in _pairs(args) for name in pair.leaves)
    return [*args.fabric.leaves, *args.fabric.spines, *pairs]
