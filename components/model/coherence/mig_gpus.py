"""GPUs that are divided in different ways: whether every server of the pool has them, and each of them the slices."""

from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import GPUS, Gpu
from podwright.components.model.catalogue.mig import UNPLACED, fits, without
from podwright.components.model.coherence.compute import gpu_count
from podwright.components.model.compute import Server
from podwright.components.model.explain import suggest
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Problem


def mig_gpus(pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """What of `mig_gpus` no MIG manager could bring about on these servers."""
    if not pool.mig_gpus:
        return
    if pool.mig is not None:
        message = f"`mig` divides every GPU as {pool.mig}, and `mig_gpus` each in its own way"
        yield Problem(("mig_gpus",), message, "take one of the two away")
    if not any(group.slices for group in pool.mig_gpus):
        yield Problem(("mig_gpus",), "no group has slices, so that every GPU stays whole", "take `mig_gpus` away")
    products = {each.gpus: GPUS[each.gpus] for each in servers.values() if each.gpus in GPUS}
    if servers and not products:
        hint = "take `mig_gpus` away, or give its servers `gpus`"
        yield Problem(("mig_gpus",), "no server of the pool has a GPU", hint)
        return
    yield from _counts(pool, servers)
    for gpu in products.values():
        if not gpu.mig:
            yield Problem(("mig_gpus",), f"{gpu.name} has no MIG", "take `mig_gpus` away: its GPUs stay whole")
            continue
        for number, group in enumerate(pool.mig_gpus):
            yield from _group(gpu, number, group.slices)


def _counts(pool: Pool, servers: Mapping[str, Server]) -> Iterator[Problem]:
    asked = sum(group.count for group in pool.mig_gpus)
    found: dict[int, list[str]] = {}
    for name, server in servers.items():
        if (count := gpu_count(server)) and count != asked:
            found.setdefault(count, []).append(name)
    for count, names in found.items():
        message = f"the groups have {asked} GPUs, and {', '.join(names[:3])}{' …' if len(names) > 3 else ''} {count}"
        more = f"add {{count: {count - asked}}} for those that stay whole" if count > asked else f"count {count} in all"
        yield Problem(("mig_gpus",), message, f"{more}, or give servers of another size a pool of their own")


def _group(gpu: Gpu, number: int, slices: Mapping[str, int]) -> Iterator[Problem]:
    unknown = [name for name in slices if name not in gpu.mig]
    for name in unknown:
        loc = ("mig_gpus", number, "slices", name)
        if name in UNPLACED.get(gpu.name, ()):
            message = (
                f"{gpu.name} has a profile {name}, and where it may start is not published: nothing could check it"
            )
            yield Problem(loc, message, f"take one of {', '.join(gpu.mig)}", at_key=True)
        else:
            hint = suggest(name, tuple(gpu.mig)) or f"profiles of {gpu.name}: {', '.join(gpu.mig)}"
            yield Problem(loc, f"{gpu.name} has no MIG profile {name}", hint, at_key=True)
    if not unknown and slices and not fits(gpu, slices):
        asked = " and ".join(f"{count} x {name}" for name, count in slices.items())
        less = " or ".join(f"one {name} less" for name in without(gpu, slices))
        alone = ", ".join(f"{profile.largest} x {profile.name}" for profile in gpu.mig.values())
        message = f"one {gpu.name} has no place for {asked}: {_why(gpu, slices)}"
        yield Problem(("mig_gpus", number, "slices"), message, f"write {less}" if less else f"most alone: {alone}")


def _why(gpu: Gpu, slices: Mapping[str, int]) -> str:
    engines = [name for name, count in slices.items() for _ in range(count) if name.endswith("+me")]
    if len(engines) > 1:
        return f"its media engines go to one slice, and {len(engines)} ask for them"
    compute = sum(gpu.mig[name].compute * count for name, count in slices.items())
    if compute > gpu.compute_slices:
        return f"they take {compute} compute slices of {gpu.compute_slices}"
    memory = sum(gpu.mig[name].memory * count for name, count in slices.items())
    return f"they take {memory} memory slices of {gpu.memory_slices}"
