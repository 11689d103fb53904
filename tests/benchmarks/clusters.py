"""The clusters that benchmarks plan: production, the pod of 128 GPU servers, and that pod grown to 220 servers more.

`python -m tests.benchmarks.clusters 224 > Pulumi.pod-224.yaml` prints the stack file of another size.
"""

import sys
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
PROD: Final = ROOT / "Pulumi.prod.yaml"
POD: Final = ROOT / "tests/examples/pod-128/Pulumi.pod-128.yaml"
PER_GROUP: Final = 32
"""GPU servers of a leaf group: one leaf of 64 ports for each rail, half of them to hosts."""
RAILS: Final = 8
SPINES: Final = 32
"""One link from each of a leaf's 32 uplink ports, for pods of more than four leaf groups."""


def pod(servers: int) -> dict[str, Any]:
    """The cluster of tests/examples/pod-128 with this many GPU servers, a multiple of 32, as its file defines it."""
    if servers % PER_GROUP or not 0 < servers <= 7 * PER_GROUP:
        raise ValueError(f"{servers} GPU servers: give a multiple of {PER_GROUP} up to {7 * PER_GROUP}")
    cluster: dict[str, Any] = yaml.safe_load(POD.read_text(encoding="utf-8"))["config"]["podwright:cluster"]
    fabric, groups = cluster["fabric"], servers // PER_GROUP
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
    cluster["servers"] = others | {f"gpu-{n:03}": _server(n) for n in range(1, servers + 1)}
    cluster["openshift"]["teams"]["research"]["gpus"] = 8 * servers
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
    return {
        "model": "UCSC-885A-M8",
        "index": (n - 1) % PER_GROUP + 1,
        "pool": "training",
        "serial": f"WZP2{n:07}",
        "rack": f"g{(n + 2) // 3:02}",
        "address": f"198.18.1.{n}",
        "boot_mac": f"02:00:00:01:00:{n:02x}",
        "bmc": f"198.18.2.{n}",
        "gpus": "NVIDIA-H200",
        "group": (n - 1) // PER_GROUP + 1,
    }


if __name__ == "__main__":
    print(yaml.safe_dump({"config": {"podwright:cluster": pod(int(sys.argv[1]))}}, sort_keys=False))
