"""Bonds on the storage pair: addresses used twice, ports that lead nowhere, host numbers without a place."""

import yaml

from tests.model.changes import PROD, Said, both, drop, put
from tests.model.fabric_cases import STORAGE
from tools.generated import ROOT

PAIRS: Said = yaml.safe_load((ROOT / "tests/examples/pairs/Pulumi.pairs.yaml").read_text())["config"][
    "podwright:cluster"
]
OWN, NFS, PORT = "servers/gpu-01/storage_macs", "fabric/storage/vlans/nfs", "fabric/storage/ports/gpu-01"
MACS = ["02:00:00:00:04:01", "02:00:00:00:04:02"]
HERE, HOSTS = "servers.gpu-01.storage_macs", "fabric.storage.vlans.nfs.hosts"

CASES = [
    (PAIRS, put(f"{OWN}/1", MACS[0]), f"{HERE}[1]", f"the MAC address {MACS[0]} is taken by {HERE}[0]"),
    (PAIRS, put(f"{OWN}/0", "02:00:00:00:02:01"), f"{HERE}[0]", "is taken by servers.gpu-01.boot_mac"),
    (PAIRS, put(f"{OWN}/0", "00:00:00:00:00:00"), f"{HERE}[0]", "the address of no interface"),
    (PAIRS, both(drop(PORT), drop(f"{NFS}/hosts")), HERE, "no port of the storage pair ends at gpu-01"),
    (
        PAIRS,
        put(f"{PORT}-b", {"port": "Ethernet1/2", "channel": 102, "device": "gpu-01", "vlans": [20]}),
        HERE,
        "ports gpu-01 and gpu-01-b of the storage pair end at gpu-01",
    ),
    (
        PAIRS,
        drop("fabric/frontend/ports/gpu-01"),
        HERE,
        "no port of the frontend pair brings gpu-01 the machine network",
    ),
    (
        PROD,
        both(put("fabric/storage", STORAGE), put("servers/inf-01/storage_macs", MACS)),
        "servers.inf-01.storage_macs",
        "behind the interconnects of x-series, whose uplinks end at the frontend pair",
    ),
    (PAIRS, drop(OWN), HOSTS, "no server that this VLAN is brought to names its interfaces on the storage pair"),
    (
        PAIRS,
        both(drop(OWN), put("hosts", {"lone-01": {"model": "UCSC-C225-M8N", "index": 99, "rack": "r1"}})),
        HOSTS,
        "no server that this VLAN is brought to names its interfaces on the storage pair",
    ),
    (PAIRS, put(f"{NFS}/subnet", "10.20.0.0/25"), HOSTS, "gpu-01 would be 10.20.0.141, which is no host address"),
    (PAIRS, put("servers/gpu-01/address", "192.0.2.3"), HOSTS, "gpu-01 would be 10.20.0.3, which is the pair's"),
]
