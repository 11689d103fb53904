"""BIOS settings that GPUs, VFs and their traffic depend on: set, not left to what the platform ships."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..kubernetes import kind
from ..resource import Resource, UnknownValueError
from ..rule import Finding, NotApplicable, StackRule, known
from .asked import asked, each_of, joined, sifted, some
from .inventory import (
    MACHINES,
    POLICY,
    PROFILE,
    REDFISH,
    Object,
    hosts_with_vfs,
    machines,
    nodes,
    of,
    of_nodes,
    part,
    spec,
)
from .settings import BARS, CLOCKS, NUMA, OFF, VFS, Bios, Servers, Tokens, bios_of, one_thread

_POOL: Final = "podwright.io/pool"
_TUNING: Final = "https://www.cisco.com/c/en/us/products/collateral/servers-unified-computing/ucs-b-series-blade-servers/ucs-m7-platforms-wp.html"
_AMD_TUNING: Final = (
    "https://docs.amd.com/v/u/en-US/58467_amd-epyc-9005-tg-bios-and-workload"  # BIOS and workload tuning guide, 9005
)
_NCCL: Final = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"
_BARS: Final = "https://docs.nvidia.com/networking/display/mlnxofedv24010331/features+overview+and+configuration"
_SRIOV: Final = (
    "https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/hardware_networks/about-sriov"
)
_SMT: Final = "https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/scalability_and_performance/cnf-tuning-low-latency-nodes-with-perf-profile"


def _set(hosts: Iterable[Bios], wanted: Mapping[str, Tokens]) -> Iterator[Finding]:
    """Tokens that a resource does not set to a value that does, one sentence a resource."""
    users: dict[tuple[str, str], list[Bios]] = {}
    found, unknown = known(hosts)
    for bios in found:
        users.setdefault((bios.owner.urn, bios.family), []).append(bios)
    yield from asked(lambda those: _wrong(those, wanted.get(those[0].family, {})), users.values())
    if unknown is not None:
        raise unknown


def _wrong(those: Sequence[Bios], wanted: Tokens) -> Iterator[Finding]:
    bios = those[0]
    more = f" and {len(those) - 1} more" if len(those) > 1 else ""
    odd = sifted(lambda token: _value(bios, token) not in wanted[token], wanted)
    sentences = each_of(lambda token: f"{token} is {_value(bios, token)}, not {' or '.join(wanted[token])}", odd)
    yield from joined(
        sentences, lambda those: Finding(f"{bios.owner.name} ({bios.host}{more}): {'; '.join(those)}", bios.owner.urn)
    )


def _value(bios: Bios, token: str) -> str:
    return bios.settings.get(token.lower(), "platform-default")


def _vfs(resources: Sequence[Resource]) -> Iterator[Finding]:
    planned = some(hosts_with_vfs(resources))
    if not planned.things and planned.unknown is None:
        raise NotApplicable("no SR-IOV policy creates VFs on a node")
    hosts = bios_of(resources)
    yield from _set(sifted(lambda each: planned.has(each.host), each_of(hosts.__getitem__, hosts)), VFS)


def _of_gpus(wanted: Mapping[str, Tokens]) -> Callable[[Sequence[Resource]], Iterable[Finding]]:
    """The check of hosts that carry GPUs for settings of theirs."""
    return lambda resources: _set(_with_gpus(resources), wanted)


def _with_gpus(resources: Sequence[Resource]) -> Iterator[Bios]:
    about, hosts = machines(resources), bios_of(resources)
    found = sifted(lambda each: _gpus(about, each.host), each_of(hosts.__getitem__, hosts))
    return asked(lambda each: (each,), found, "no server carries GPUs")


def _gpus(about: Mapping[str, Object], host: str) -> int:
    return int(about.get(host, {}).get("gpus") or 0)


def _acs(resources: Sequence[Resource]) -> Iterator[Finding]:
    about = machines(resources)
    hosts, unknown = known(_with_gpus(resources))
    for number in sorted({_gpus(about, each.host) for each in hosts}):
        tokens = {f"AcsControlGpu{gpu}state": OFF for gpu in range(1, min(number, 8) + 1)}
        these = [each for each in hosts if _gpus(about, each.host) == number]
        yield from _set(these, {"intel": tokens, "amd": tokens})
    if unknown is not None:
        raise unknown


def _alike(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Servers of one pool and one set of tokens against the first of them, which is known where all before it are."""
    hosts, about, labels = bios_of(resources), machines(resources), nodes(resources)
    names, unknown = known(labels)
    first: dict[Any, Bios] = {}
    compared: list[tuple[str, Bios, Bios]] = []
    for name in names:
        try:
            pool = part(labels[name], "labels").get(_POOL)
            if not pool or name not in hosts:
                continue
            own, machine = hosts[name], about.get(name, {})
            group = pool, own.family, machine.get("model"), machine.get("gpus")
        except UnknownValueError as behind:
            unknown = unknown or behind
            continue
        if group in first:
            compared.append((pool, first[group], own))
        elif unknown is None:
            first[group] = own
    if not first and unknown is None:
        raise NotApplicable("no pool has servers with BIOS settings")
    yield from asked(_otherwise, compared)
    if unknown is not None:
        raise unknown


def _otherwise(servers: tuple[str, Bios, Bios]) -> Iterator[Finding]:
    pool, one, two = servers
    names = {*one.settings, *two.settings}
    odd = sifted(lambda token: one.settings.get(token) != two.settings.get(token), sorted(names))
    for token in odd:
        yield Finding(
            f"pool {pool}: {one.host} and {two.host} are alike but for their BIOS: {token} is "
            f"{one.settings.get(token, 'platform-default')} and {two.settings.get(token, 'platform-default')}",
            two.owner.urn,
        )
        return


def _threads(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Threads of a pool's nodes: those that a PerformanceProfile reserves and isolates exist, and all of them."""
    profiles = (each for each in resources if kind(each) == "PerformanceProfile")
    servers = Servers(resources)
    yield from asked(lambda each: _named(each, servers), profiles, "no PerformanceProfile names threads")


def _named(profile: Resource, servers: Servers) -> Iterator[Finding]:
    return asked(lambda each: _thread(profile, *each), servers.of(profile))


def _thread(profile: Resource, bios: Bios, machine: Object) -> Iterator[Finding]:
    cores = int(machine["cores"])
    off = one_thread(bios, profile)
    threads = cores if off else 2 * cores
    cpu = part(spec(profile), "cpu")
    sets, unknown = known(each_of(cpu.get, ("reserved", "isolated")))
    last = max(map(int, re.findall(r"\d+", ",".join(map(str, sets)))), default=-1)
    if last >= threads:
        why = "SMT is off" if off else f"{cores} cores"
        yield Finding(
            f"{profile.name} names thread {last}; {bios.host} has threads 0 to {threads - 1} ({why})", profile.urn
        )
    elif unknown is not None:
        raise unknown


BIOS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-vfs-have-iommu",
        title="Hosts with planned VFs have SR-IOV and the IOMMU on",
        why="Without SR-IOV, ARI and the IOMMU the operator finds no VFs: pods that ask for one never start.",
        fix="Set SR-IOV, ARI and the IOMMU (VT-d, or AMD's) to enabled in the BIOS of every host of the pool.",
        reference=_SRIOV,
        severity="high",
        excused_by=of(POLICY, *MACHINES),
        types=of_nodes(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_vfs,
    ),
    StackRule(
        id="compute-gpu-acs-off",
        title="ACS is off towards GPUs",
        why="ACS sends every write from a NIC to a GPU through the root complex: GPUDirect loses most bandwidth.",
        fix="Set AcsControlGpu1state to AcsControlGpu8state to disabled, one for each GPU of the server.",
        reference=_NCCL,
        severity="high",
        excused_by=of(POLICY),
        types=of(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_acs,
    ),
    StackRule(
        id="compute-gpu-large-bars",
        title="GPU memory is mapped whole and above 4 GB",
        why="A GPU maps its whole memory for GPUDirect; below 4 GB or without a resizable BAR there is no room for it.",
        fix="Set MemoryMappedIoAbove4gb and ResizeBarSupport to enabled for servers with GPUs.",
        reference=_BARS,
        severity="high",
        excused_by=of(POLICY),
        types=of(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_of_gpus(BARS),
    ),
    StackRule(
        id="compute-gpu-numa-per-socket",
        title="A socket of a GPU server is one NUMA node",
        why="GPUs and NICs are wired to sockets; more NUMA nodes than sockets leave some GPUs without a NIC of theirs.",
        fix="Set NPS1 (AMD), or NumaOptimized enabled and Snc disabled (Intel), for servers with GPUs.",
        reference=_TUNING,
        severity="medium",
        excused_by=of(POLICY),
        types=of(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_of_gpus(NUMA),
    ),
    StackRule(
        id="compute-gpu-full-clocks",
        title="GPU servers neither sleep nor save power",
        why="A gang runs at the pace of its slowest rank: a core or data fabric that sleeps delays all of them.",
        fix="Set the performance profile, and C-states off, for servers with GPUs.",
        reference=_AMD_TUNING,
        severity="medium",
        excused_by=of(POLICY),
        types=of(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_of_gpus(CLOCKS),
    ),
    StackRule(
        id="compute-pool-bios-alike",
        title="Servers of one pool and model have one BIOS configuration",
        why="The scheduler takes nodes of a pool for equal; one that is set otherwise slows every job it is in.",
        fix="Give the servers of a pool the same BIOS settings, or put those that differ into a pool of their own.",
        reference=_TUNING,
        severity="medium",
        types=of_nodes(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_alike,
    ),
    StackRule(
        id="compute-threads-exist",
        title="Nodes have the threads that their PerformanceProfile names",
        why="With SMT off half of the threads are gone, and a kubelet does not start with a set that names them.",
        fix="Set SMT alike in BIOS and PerformanceProfile: name threads up to the cores, or up to twice as many.",
        reference=_SMT,
        severity="high",
        excused_by=of(*MACHINES),
        types=of_nodes(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_threads,
    ),
)
