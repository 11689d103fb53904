"""The lab's stack with as many GPU servers as a drill needs, and the world that is cabled as it asks."""

from pathlib import Path

import yaml

from podwright.cli.world import world
from podwright.components import model
from tests.e2e.site import ROOT

KEY = "podwright:cluster"
SERVING = 2
"""Servers of the pool inference: one of them can be away while the other one serves."""
PER_GROUP = 8
"""Servers of a leaf group: half of a leaf's 64 ports are theirs, four rails each."""
_RACKS = ("r1", "r2", "r3")


def stack(nodes: int, budget: int) -> str:
    """The text of a stack file with this many GPU nodes, of which `budget` of the pool training may be away."""
    document = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = document["config"][KEY]
    trained = range(1, nodes - SERVING + 1)
    groups = -(-len(trained) // PER_GROUP)
    each, other = cluster["servers"]["gpu-01"], cluster["servers"]["inf-01"]
    control = {name: server for name, server in cluster["servers"].items() if name.startswith("cp-")}
    cluster["servers"] = {
        **{name: server | {"index": 240 + place} for place, (name, server) in enumerate(control.items())},
        **{
            f"gpu-{number:02d}": each
            | _place(number, (number - 1) % PER_GROUP + 1)
            | {"group": -(-number // PER_GROUP)}
            for number in trained
        },
        **{f"inf-{number:02d}": other | _place(50 + number, 50 + number) for number in range(1, SERVING + 1)},
    }
    leaf = cluster["fabric"]["leaves"]["leaf-01"]
    spine = cluster["fabric"]["spines"]["spine-01"]
    down = 4 * min(PER_GROUP, len(trained))
    cluster["fabric"] |= {
        "links_per_pair": -(-down // groups),
        "spines": {
            f"spine-{number:02d}": spine
            | {"index": number, "serial": f"FDO000001{number:02d}", "management": f"192.0.2.{240 + number}"}
            for number in range(1, groups + 1)
        },
        "leaves": {
            f"leaf-{2 * group + half + 1:02d}": leaf
            | {
                "index": 2 * group + half + 1,
                "serial": f"FDO000002{2 * group + half:02d}",
                "management": f"192.0.2.{11 + 2 * group + half}",
                "asn": 64601 + 2 * group + half,
                "rails": [*range(4 * half, 4 * half + 4)],
                **({"group": group + 1} if groups > 1 else {}),
            }
            for group in range(groups)
            for half in range(2)
        },
    }
    for name, most in {"training": budget, "inference": 1}.items():
        cluster["pools"][name] |= {"max_unavailable": most, "rollout": {"soak_seconds": 2}}
    # What is measured between servers is no matter of who is drained, and would be most of the time.
    del cluster["acceptance"]
    return yaml.safe_dump(document, sort_keys=False, width=200)


def _place(number: int, index: int) -> dict[str, object]:
    """Rack and addresses of a server by its number."""
    return {
        "index": index,
        "serial": f"WZP1{number:07d}",
        "rack": _RACKS[number % len(_RACKS)],
        "address": f"192.0.2.{30 + number}",
        "boot_mac": f"02:00:00:00:0a:{number:02x}",
        "bmc": f"198.18.0.{number}",
    }


def write_world(text: str, file: Path) -> Path:
    """The world of a stack file, written to `file`."""
    file.write_text(yaml.safe_dump(world(model.load(yaml.safe_load(text)["config"][KEY]))))
    return file
