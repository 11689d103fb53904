"""Processors that a PerformanceProfile keeps for the system: whole cores, some on every socket."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..kubernetes import kind
from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from .inventory import MACHINES, POLICY, PROFILE, REDFISH, machines, nodes, of, of_nodes, selected, spec
from .settings import SMT_OFF, SMT_TOKENS, bios_of

_GUIDE: Final = "https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/scalability_and_performance/cnf-tuning-low-latency-nodes-with-perf-profile"
_SOCKETS: Final = {"UCSC-C225-M8N": 1, "UCSX-410C-M7": 4}
"""Of models that do not have two, by Cisco's data sheets."""
_FEW: Final = 3


def _reserved(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Threads are numbered with the first of every core before the second ones, socket by socket."""
    profiles = [each for each in resources if kind(each) == "PerformanceProfile"]
    if not profiles:
        raise NotApplicable("no PerformanceProfile reserves threads")
    labels, hosts, about = nodes(resources), bios_of(resources), machines(resources)
    for profile in profiles:
        kept = _numbers(str((spec(profile).get("cpu") or {}).get("reserved") or ""))
        nosmt = "nosmt" in list(items(spec(profile).get("additionalKernelArgs")))
        for name in selected(spec(profile).get("nodeSelector"), labels):
            cores = int(about.get(name, {}).get("cores") or 0)
            if name not in hosts or not cores or not kept:
                continue
            off = nosmt or any(hosts[name].settings.get(token) in SMT_OFF for token in SMT_TOKENS)
            sockets = _SOCKETS.get(str(about[name].get("model")), 2)
            for flaw in _flaws(kept, cores, 1 if off else 2, sockets):
                yield Finding(f"{profile.name} {flaw} of {name}", profile.urn)


def _flaws(kept: set[int], cores: int, threads: int, sockets: int) -> Iterator[str]:
    if threads == 2:
        halves = sorted(each % cores for each in kept if (each + cores) % (2 * cores) not in kept)
        if halves:
            listed = ", ".join(map(str, halves[:_FEW])) + (" …" if len(halves) > _FEW else "")
            yield f"reserves one of two threads of core {listed}"
    used = {each % cores * sockets // cores for each in kept}
    for socket in range(sockets):
        if socket not in used:
            yield f"reserves no core on socket {socket}"


def _numbers(listed: str) -> set[int]:
    """0-3,64 as numbers."""
    ends = [part.partition("-") for part in listed.split(",") if part.strip()]
    return {number for low, _, high in ends for number in range(int(low), int(high or low) + 1)}


RESERVED: tuple[StackRule, ...] = (
    StackRule(
        id="compute-reserved-whole-cores",
        title="The system's processors are whole cores of every socket",
        why="A thread of a core shared with a pod delays both, and interrupts of a socket without a reserved core are "
        "served from the other one.",
        fix="Reserve both threads of a core, on each socket: leave the set to `pools.<name>.hugepages_gib`.",
        reference=_GUIDE,
        severity="medium",
        excused_by=of(POLICY, *MACHINES),
        types=of_nodes(POLICY, PROFILE, REDFISH, *MACHINES),
        compare=_reserved,
    ),
)
