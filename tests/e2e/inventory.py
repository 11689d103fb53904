"""A site that nobody wrote: every switch, server, rack, pool, team and workload named by lot, with other counts."""

import random
import string
from typing import Any

import yaml

from podwright.components import model
from tests.e2e.site import ROOT

KEY = "podwright:cluster"
KEPT = "control-plane"
"""The one pool whose name means something."""


def _name(lot: random.Random, used: set[str]) -> str:
    """A name that is nobody else's: letters, then a letter or digit, as all kinds of objects admit."""
    while True:
        name = "".join(lot.choices(string.ascii_lowercase, k=lot.randint(4, 8))) + lot.choice("abcdef123456")
        if name not in used:
            used.add(name)
            return name


def _switches(lot: random.Random, used: set[str], racks: list[str], role: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for index in range(1, role["count"] + 1):
        found[_name(lot, used)] = {
            "model": "N9K-C9364D-GX2A",
            "index": index,
            "management": f"192.0.2.{role['first'] + index}",
            "serial": f"FDO{lot.randrange(10**8):08d}",
            "asn": role["asn"] + (index if role["first"] == 10 else 0),
            "rack": lot.choice(racks),
            **({"rails": [list(range(4)), list(range(4, 8))][index - 1]} if role["first"] == 10 else {}),
        }
    return found


def _servers(
    lot: random.Random, used: set[str], racks: list[str], index: int, count: int, shape: dict[str, Any]
) -> dict[str, Any]:
    """`count` servers of one shape from `index` on; every address follows from the index."""
    return {
        _name(lot, used): {
            **shape,
            "index": number,
            "serial": f"WZP{lot.randrange(10**8):08d}",
            "rack": racks[number % len(racks)],
            "address": f"192.0.2.{130 + number}",
            "boot_mac": f"02:00:00:00:0a:{number:02x}",
            "bmc": f"192.0.2.{60 + number}",
        }
        for number in range(index, index + count)
    }


def generate(seed: int) -> tuple[str, model.Cluster]:
    """The text of a stack file, and the cluster it means. Raises SpecErrors if the lot says nonsense."""
    lot = random.Random(seed)
    used = {KEPT}
    document = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    said = document["config"][KEY]
    racks = [_name(lot, used) for _ in range(lot.randint(3, 5))]
    training, inference, research, chat, job, service = (_name(lot, used) for _ in range(6))
    workers, serving = lot.randint(3, 4), lot.randint(1, 2)
    members, replicas = lot.randint(2, workers), lot.randint(2, 6)
    said["site"]["racks"] = {rack: {"power_domain": f"feed-{rack}"} for rack in racks}
    said["fabric"] |= {
        "links_per_pair": 16,
        "spines": _switches(lot, used, racks, {"count": lot.randint(1, 2), "first": 20, "asn": 65000}),
        "leaves": _switches(lot, used, racks, {"count": 2, "first": 10, "asn": 64600}),
    }
    said["servers"] = {
        **_servers(lot, used, racks, 11, 3, {"model": "UCSC-C225-M8N", "pool": KEPT}),
        **_servers(
            lot, used, racks, 1, workers,
            {"model": "UCSC-885A-M8", "pool": training, "gpus": "NVIDIA-H200", "group": 1},
        ),
        **_servers(
            lot, used, racks, 21, serving, {"model": "UCSC-845A-M8", "pool": inference, "gpus": "NVIDIA-H200-NVL"}
        ),
    }  # fmt: skip
    said["pools"] = {training: {"purpose": "training", "rails": True}, inference: {**said["pools"]["inference"]}}
    said["openshift"]["teams"] = {research: {"gpus": 8 * members}, chat: {"slices": {"1g.18gb": replicas + 4}}}
    work = said["workloads"]
    work["training"] = {job: {**work["training"]["pretrain"], "team": research, "pool": training, "nodes": members}}
    work["inference"] = {
        service: {**work["inference"]["chat"], "team": chat, "pool": inference, "replicas": replicas}
    }  # fmt: skip
    said["acceptance"] |= {"fan_in": workers - 1}
    text = yaml.safe_dump(document, sort_keys=False, width=200)
    return text, model.load(said)
