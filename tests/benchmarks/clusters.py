"""The clusters that benchmarks plan: production, the pod of 128 GPU servers, and that pod grown to 256.

`python -m tests.benchmarks.clusters 224 > Pulumi.pod-224.yaml` prints the stack file of another size.
"""

import sys
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
PROD: Final = ROOT / "Pulumi.prod.yaml"
POD: Final = ROOT / "tests/examples/pod-128/Pulumi.pod-128.yaml"
PER_GROUP: Final = 32
"""GPU servers of a leaf group: one leaf of 64 ports for each rail, half of them to hosts."""
RAILS: Final = 8
TRAINED: Final = 7 * PER_GROUP
"""GPU servers that train at most: a fabric has 63 leaves, 8 of each group. What is beyond serves, without rails."""
SPINES: Final = 32
"""One link from each of a leaf's 32 uplink ports, for pods of more than four leaf groups."""


def pod(servers: int) -> dict[str, Any]:
    """The cluster of tests/examples/pod-128 with this many GPU servers, a multiple of 32, as its file defines it."""
    if servers % PER_GROUP or not 0 < servers <= TRAINED + PER_GROUP:
        raise ValueError(f"{servers} GPU servers: give a multiple of {PER_GROUP} up to {TRAINED + PER_GROUP}")
    cluster: dict[str, Any] = yaml.safe_load(POD.read_text(encoding="utf-8"))["config"]["podwright:cluster"]
    trained = min(servers, TRAINED)
    fabric, groups = cluster["fabric"], trained // PER_GROUP
    if groups > 4:
        fabric["links_per_pair"] = 1
        fabric["spines"] = {f"spine-{n:02}": _switch(n, 100) | {"asn": 65001} for n in range(1, SPINES + 1)}
    fabric["leaves"] = {
        f"leaf-{n:02}": _switch(n, 10) | {"asn": 64600 + n, "rails": [(n - 1) % RAILS], "group": (n - 1) // RAILS + 1}
        for n in range(1, groups * RAILS + 1)
    }
    others = {name: each for name, each in cluster["servers"].items() if not name.startswith("gpu-")}
    racks = cluster["site"]["racks"]
    for n in range(1, servers + 1):
        racks[f"g{(n + 2) // 3:02}"] = {"power_domain": "feed-" + "abc"[n // 3 % 3]}
    serving = {f"inf-{n:03}": others["inf-01"] | _placed(n) for n in range(trained + 1, servers + 1)}
    cluster["servers"] = others | {f"gpu-{n:03}": _server(n) for n in range(1, trained + 1)} | serving
    cluster["openshift"]["teams"]["research"]["gpus"] = 8 * trained
    cluster["openshift"]["networks"]["max_nodes"] = len(cluster["servers"]) + PER_GROUP
    return cluster


def _switch(n: int, above: int) -> dict[str, Any]:
    return {
        "model": "N9K-C9364D-GX2A",
        "index": n,
        "management": f"203.0.113.{above + n}",
        "rack": f"n{(n - 1) % 8 + 1}",
    }


def _server(n: int) -> dict[str, Any]:
    return _placed(n) | {
        "model": "UCSC-885A-M8",
        "pool": "training",
        "gpus": "NVIDIA-H200",
        "group": (n - 1) // PER_GROUP + 1,
    }


def _placed(n: int) -> dict[str, Any]:
    """What each of the servers has of its own."""
    return {
        "index": 100 + n - TRAINED if n > TRAINED else (n - 1) % PER_GROUP + 1,
        "serial": f"WZP2{n:07}",
        "rack": f"g{(n + 2) // 3:02}",
        "address": str(IPv4Address("198.18.1.0") + n),
        "boot_mac": f"02:00:00:01:{n >> 8:02x}:{n & 0xFF:02x}",
        "bmc": str(IPv4Address("198.18.2.0") + n),
    }


if __name__ == "__main__":
    print(yaml.safe_dump({"config": {"podwright:cluster": pod(int(sys.argv[1]))}}, sort_keys=False))
