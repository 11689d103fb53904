"""Processors that a PerformanceProfile keeps for the system: whole cores, some on every socket."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..kubernetes import kind
from ..resource import Resource
from ..rule import Finding, StackRule
from .asked import all_of, asked
from .inventory import MACHINES, POLICY, PROFILE, REDFISH, Object, of, of_nodes, part, spec
from .settings import Bios, Servers, one_thread

_GUIDE: Final = "https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/scalability_and_performance/cnf-tuning-low-latency-nodes-with-perf-profile"
_SOCKETS: Final = {"UCSC-C225-M8N": 1, "UCSX-410C-M7": 4}
"""Of models that do not have two, by Cisco's data sheets."""
_FEW: Final = 3


def _reserved(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Threads are numbered with the first of every core before the second ones, socket by socket."""
    profiles = (each for each in resources if kind(each) == "PerformanceProfile")
    servers = Servers(resources)
    yield from asked(lambda each: _of(each, servers), profiles, "no PerformanceProfile reserves threads")


def _of(profile: Resource, servers: Servers) -> Iterator[Finding]:
    kept = _numbers(str(part(spec(profile), "cpu").get("reserved") or ""))
    return asked(lambda each: _kept(profile, kept, *each), servers.of(profile)) if kept else iter(())


def _kept(profile: Resource, kept: set[int], bios: Bios, machine: Object) -> Iterator[Finding]:
    cores = int(machine["cores"])
    questions = (
        lambda: () if one_thread(bios, profile) else _halves(kept, cores),
        lambda: _sockets(kept, cores, _SOCKETS.get(str(machine.get("model")), 2)),
    )
    for flaw in all_of(questions):
        yield Finding(f"{profile.name} {flaw} of {bios.host}", profile.urn)


def _halves(kept: set[int], cores: int) -> Iterator[str]:
    halves = sorted(each % cores for each in kept if (each + cores) % (2 * cores) not in kept)
    if halves:
        listed = ", ".join(map(str, halves[:_FEW])) + (" …" if len(halves) > _FEW else "")
        yield f"reserves one of two threads of core {listed}"


def _sockets(kept: set[int], cores: int, sockets: int) -> Iterator[str]:
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
