"""What hangs on the pairs, addresses, releases and quotas: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, drop, put

PORTS = "fabric/frontend/ports"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (PROD, put(f"{PORTS}/gpu-16/device", "gpu-17"), "fabric.frontend.ports.gpu-16.device", "gpu-17 is no server"),
    (
        PROD,
        put(f"{PORTS}/array-a/vlans", [20, 20]),
        "fabric.frontend.ports.array-a.vlans[1]",
        "VLAN 20 is in this list",
    ),
    (PROD, drop(f"{PORTS}/gpu-16/boots"), "fabric.frontend.ports.gpu-16.boots", "LACP keeps down"),
    (PROD, both(drop(f"{PORTS}/fi-a"), drop(f"{PORTS}/fi-b")), "servers.cp-01", "no port of the frontend pair brings"),
    (PROD, put("domains/x-series/uplinks", [1, 2, 3]), "domains.x-series.uplinks", "3 uplinks, and 2 cables"),
    (LAB, put("fabric/release", "99.9(9)"), "fabric.release", "no release train"),
    (LAB, put("openshift/teams/research/gpus", 41), "openshift.teams.research.gpus", "all pools have 40 whole"),
    (LAB, put("servers/gpu-01/bmc", "192.0.2.0"), "servers.gpu-01.bmc", "first or last of 192.0.2.0/24"),
    (LAB, put("servers/gpu-01/boot_mac", "00:00:00:00:00:00"), "servers.gpu-01.boot_mac", "address of no interface"),
]
