"""Processors of a node that has some kept apart: whole cores for the system on every NUMA node, the rest for pods.

A core of which one thread is reserved and the other one isolated is shared by kubelet and a pod after all, and a NUMA
node without a reserved core has its interrupts served from the other socket.
"""

from collections.abc import Iterable, Mapping

from podwright.components.design import hardware
from podwright.components.design.compute import bios
from podwright.components.model import Server, Settings

RESERVED_THREADS = 8
"""Threads a node keeps at least for the operating system and kubelet."""
_NPS: Mapping[str, float] = {"NPS0": 0.5, "NPS1": 1, "NPS2": 2, "NPS4": 4}
"""NUMA nodes per socket by AMD's token (AMD EPYC 9004, "NUMA nodes per socket"): NPS0 makes one of two sockets."""
_QUARTERS = 4
"""Per socket where Intel's sub-NUMA clusters are on, two or four by processor: each quarter of a socket is in one."""


def sets(server: Server, settings: Settings) -> dict[str, str]:
    """`reserved` and `isolated` of a PerformanceProfile, as the kernel writes lists of processors.

    Numbers are those of a host whose firmware lists the first thread of every core before the second ones, socket by
    socket (https://docs.kernel.org/arch/x86/topology.html, "alternative enumeration").
    """
    cores, threads = hardware.cores(server), hardware.threads(server, settings)
    nodes = min(numa_nodes(server, settings), cores)
    each = -(-RESERVED_THREADS * cores // (threads * nodes))
    first = [node * cores // nodes for node in range(nodes)]
    kept = {start + offset for start in first for offset in range(each)}
    reserved = {core + half for core in kept for half in range(0, threads, cores)}
    return {"reserved": listed(reserved), "isolated": listed(set(range(threads)) - reserved)}


def numa_nodes(server: Server, settings: Settings) -> int:
    """NUMA nodes of a server with the BIOS settings that it is given."""
    model = hardware.SERVERS[server.model]
    tokens = bios.attributes(model, hardware.gpu_count(server), settings)
    if model.cpu_vendor == "amd":
        each = _NPS.get(str(tokens.get("CbsDfCmnDramNps")), 1)
    else:
        each = 1 if str(tokens.get("Snc", "disabled")).lower() == "disabled" else _QUARTERS
    return max(1, int(model.sockets * each))


def listed(numbers: Iterable[int]) -> str:
    """Numbers as ranges: 0-3,64-67."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
