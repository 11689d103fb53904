"""BIOS settings that GPUs, VFs and their traffic depend on: set, not left to what the platform ships."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..kubernetes import kind
from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from .inventory import MACHINES, POLICY, PROFILE, REDFISH, hosts_with_vfs, machines, nodes, of, of_nodes, selected, spec
from .settings import BARS, CLOCKS, NUMA, OFF, SMT_OFF, SMT_TOKENS, VFS, Bios, Tokens, bios_of

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


def _set(hosts: Mapping[str, Bios], wanted: Mapping[str, Tokens]) -> Iterator[Finding]:
    """Tokens that a resource does not set to a value that does, one sentence a resource."""
    users: dict[tuple[str, str], list[str]] = {}
    for name, bios in hosts.items():
        users.setdefault((bios.owner.urn, bios.family), []).append(name)
    for names in users.values():
        bios = hosts[names[0]]
        wrong = []
        for token, values in wanted.get(bios.family, {}).items():
            value = bios.settings.get(token.lower(), "platform-default")
            if value not in values:
                wrong.append(f"{token} is {value}, not {' or '.join(values)}")
        if wrong:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            yield Finding(f"{bios.owner.name} ({names[0]}{more}): {'; '.join(wrong)}", bios.owner.urn)


def _vfs(resources: Sequence[Resource]) -> Iterator[Finding]:
    planned = hosts_with_vfs(resources)
    if not planned:
        raise NotApplicable("no SR-IOV policy creates VFs on a node")
    return _set({name: bios for name, bios in bios_of(resources).items() if name in planned}, VFS)


def _of_gpus(wanted: Mapping[str, Tokens]) -> Callable[[Sequence[Resource]], Iterable[Finding]]:
    """The check of hosts that carry GPUs for settings of theirs."""
    return lambda resources: _set(_with_gpus(resources), wanted)


def _with_gpus(resources: Sequence[Resource]) -> dict[str, Bios]:
    counts = {name: int(each.get("gpus") or 0) for name, each in machines(resources).items()}
    found = {name: bios for name, bios in bios_of(resources).items() if counts.get(name)}
    if not found:
        raise NotApplicable("no server carries GPUs")
    return found


def _acs(resources: Sequence[Resource]) -> Iterator[Finding]:
    counts = {name: int(each.get("gpus") or 0) for name, each in machines(resources).items()}
    hosts = _with_gpus(resources)
    for number in sorted({counts[name] for name in hosts}):
        tokens = {f"AcsControlGpu{gpu}state": OFF for gpu in range(1, min(number, 8) + 1)}
        these = {name: bios for name, bios in hosts.items() if counts[name] == number}
        yield from _set(these, {"intel": tokens, "amd": tokens})


def _pools(resources: Sequence[Resource]) -> dict[str, list[str]]:
    """Names of nodes by pool."""
    found: dict[str, list[str]] = {}
    for name, labels in nodes(resources).items():
        if pool := labels.get("podwright.io/pool"):
            found.setdefault(pool, []).append(name)
    return found


def _alike(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Servers of one pool and one set of tokens against the first of them."""
    hosts, about = bios_of(resources), machines(resources)
    pools = {pool: [name for name in names if name in hosts] for pool, names in _pools(resources).items()}
    if not any(pools.values()):
        raise NotApplicable("no pool has servers with BIOS settings")
    for pool, names in pools.items():
        first: dict[Any, str] = {}
        for name in names:
            model = about.get(name, {}).get("model"), about.get(name, {}).get("gpus")
            other = first.setdefault((hosts[name].family, *model), name)
            one, two = hosts[other].settings, hosts[name].settings
            if one != two:
                token = min(key for key in one.keys() | two.keys() if one.get(key) != two.get(key))
                yield Finding(
                    f"pool {pool}: {other} and {name} are alike but for their BIOS: {token} is "
                    f"{one.get(token, 'platform-default')} and {two.get(token, 'platform-default')}",
                    hosts[name].owner.urn,
                )


def _threads(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Threads of a pool's nodes: those that a PerformanceProfile reserves and isolates exist, and all of them."""
    labels, hosts, about = nodes(resources), bios_of(resources), machines(resources)
    profiles = [each for each in resources if kind(each) == "PerformanceProfile"]
    if not profiles:
        raise NotApplicable("no PerformanceProfile names threads")
    for profile in profiles:
        cpu = spec(profile).get("cpu") or {}
        sets = f"{cpu.get('reserved')},{cpu.get('isolated')}"
        last = max(map(int, re.findall(r"\d+", sets)), default=-1)
        nosmt = "nosmt" in list(items(spec(profile).get("additionalKernelArgs")))
        for name in selected(spec(profile).get("nodeSelector"), labels):
            cores = int(about.get(name, {}).get("cores") or 0)
            if name not in hosts or not cores:
                continue
            off = any(hosts[name].settings.get(token) in SMT_OFF for token in SMT_TOKENS)
            threads = cores if off or nosmt else 2 * cores
            if last >= threads:
                why = "SMT is off" if off or nosmt else f"{cores} cores"
                yield Finding(
                    f"{profile.name} names thread {last}; {name} has threads 0 to {threads - 1} ({why})", profile.urn
                )


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
