"""What hangs on the pairs, addresses, releases and quotas: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, drop, put
from tests.model.storage_bond_cases import CASES as STORAGE_BONDS

PORTS = "fabric/frontend/ports"
VLANS, AT = "fabric/frontend/vlans", "fabric.frontend.vlans"
_SERVICES = {"id": 30, "subnet": "10.30.0.0/27", "purpose": "services", "hosts": True}

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (PROD, put(f"{PORTS}/gpu-16/device", "gpu-17"), "fabric.frontend.ports.gpu-16.device", "gpu-17 is no server"),
    (
        PROD,
        put(f"{PORTS}/array-01-a/vlans", [20, 20]),
        "fabric.frontend.ports.array-01-a.vlans[1]",
        "VLAN 20 is in this list",
    ),
    (PROD, drop(f"{PORTS}/gpu-16/boots"), "fabric.frontend.ports.gpu-16.boots", "LACP keeps down"),
    (
        PROD,
        both(drop(f"{PORTS}/x-series-a"), drop(f"{PORTS}/x-series-b")),
        "servers.cp-01",
        "no port of the frontend pair brings",
    ),
    (PROD, put("domains/x-series/uplinks", [1, 2, 3]), "domains.x-series.uplinks", "3 uplinks, and 2 cables"),
    (
        PROD,
        drop(f"{PORTS}/gpu-16"),
        "servers.gpu-16.bond_mac",
        "no port of the frontend pair brings gpu-16 the machine network",
    ),
    (LAB, put("servers/gpu-01/bond_mac", "02:00:00:00:02:81"), "servers.gpu-01.bond_mac", "no port of the frontend"),
    (PROD, put("servers/gpu-02/bond_mac", "02:25:b5:00:03:01"), "servers.gpu-02.bond_mac", "is taken"),
    (PROD, put("servers/gpu-02/bond_mac", "00:00:00:00:00:00"), "servers.gpu-02.bond_mac", "address of no interface"),
    (PROD, put(f"{VLANS}/machine/hosts", True), f"{AT}.machine.hosts", "every server has its address"),
    (PROD, put(f"{VLANS}/storage/subnet", "10.20.0.0/26"), f"{AT}.storage.hosts", "gpu-01 would be 10.20.0.101"),
    (
        PROD,
        both(put(f"{PORTS}/gpu-01/vlans", [10, 20, 30]), put(f"{VLANS}/services", _SERVICES)),
        f"{AT}.services.hosts",
        "10.30.0.101, which is no host address",
    ),
    (PROD, put("servers/cp-01/address", "198.51.100.2"), f"{AT}.storage.hosts", "10.20.0.2, which is the pair's"),
    (LAB, put("fabric/release", "99.9(9)"), "fabric.release", "no release train"),
    (LAB, put("openshift/teams/research/gpus", 41), "openshift.teams.research.gpus", "all pools have 40 whole"),
    (LAB, put("servers/gpu-01/bmc", "192.0.2.0"), "servers.gpu-01.bmc", "first or last of 192.0.2.0/24"),
    (LAB, put("servers/gpu-01/boot_mac", "00:00:00:00:00:00"), "servers.gpu-01.boot_mac", "address of no interface"),
    *STORAGE_BONDS,
]
