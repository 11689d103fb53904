"""Servers and interconnects by lot: the inventory that a program reads, and the world it is for."""

import random
from typing import Any

from podwright.components.model.catalogue import SERVERS, Server
from podwright.lab.variants import VARIANTS

SLOTS = 8
"""Blades in a chassis, from the first slot on."""
RACKS = ("r1", "r2", "r3")
KEY_ID = "lab0account/lab0user/lab0key"


def drawn(seed: str, most: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """An inventory of 1 to `most` servers of any model and its world; small ones are more frequent than large ones."""
    lot = random.Random(seed)
    count = round(most ** lot.random())
    cluster = f"{lot.choice(('pod', 'ai', 'x'))}-{lot.randrange(1000)}"
    models = [lot.choice(list(SERVERS.values())) for _ in range(count)]
    servers = {f"{lot.choice('abcdefgh')}-{number:03d}": _server(lot, number, model)
               for number, model in enumerate(models, 1)}  # fmt: skip
    blades = [name for name, each in servers.items() if SERVERS[each["model"]].platform == "FIAttached"]
    for place, name in enumerate(blades):
        servers[name]["domain"] = f"fi-{place // SLOTS}"
    domains = {f"fi-{number}": _domain(lot, number) for number in range(-(-len(blades) // SLOTS))}
    inventory = {
        "cluster": cluster,
        "intersight": {
            "key_id": KEY_ID,
            "key": "intersight-key",
            **({"management": {"addresses": {"range": "203.0.113.10-99/24"}}} if blades else {}),
        },
        "bmc": {"password": "bmc-admin"},
        "site": {
            "ntp": ["192.0.2.1"],
            "dns": ["192.0.2.1"],
            "domain": "example.com",
            "racks": {name: {"power_domain": f"feed-{name}"} for name in RACKS},
        },
        "servers": servers,
        "domains": domains,
    }
    return inventory, {**_world(cluster, servers, domains, blades), "variants": _forms(seed)}


def _forms(seed: str) -> dict[str, str]:
    """A form of each variant of the BMCs, by a lot of its own: what a seed drew before, it still draws."""
    lot = random.Random(f"{seed} forms")
    ours = {name: variant for name, variant in VARIANTS.items() if variant.side == "redfish"}
    return {name: lot.choice(list(variant.forms)) for name, variant in ours.items()}


def _server(lot: random.Random, number: int, model: Server) -> dict[str, Any]:
    made: dict[str, Any] = {
        "model": model.name,
        "index": number,
        "pool": "control-plane",
        "serial": f"WZP{lot.randrange(10**4):04d}{number:04d}",
        "rack": lot.choice(RACKS),
        "address": f"192.0.{2 + number // 200}.{number % 200 + 20}",
        "boot_mac": f"02:00:00:00:{number // 256:02x}:{number % 256:02x}",
        "disk": lot.choice(("/dev/nvme0n1", "/dev/sda")),
    }
    if model.platform == "Standalone":
        made["bmc"] = f"198.18.{number // 200}.{number % 200 + 20}"
    if model.gpus and lot.random() < 0.7:
        product = lot.choice(sorted(model.gpus))
        made |= {"gpus": product, "gpu_count": lot.choice(model.gpus[product].counts)}
    return made


def _domain(lot: random.Random, number: int) -> dict[str, Any]:
    return {
        "model": lot.choice(("UCS-FI-6536", "UCSX-S9108-100G")),
        "serials": {fabric: f"FDO{lot.randrange(10**4):04d}{number}{fabric}00" for fabric in "AB"},
        "rack": lot.choice(RACKS),
        "uplinks": [7, 8],
        "server_ports": [1, 2, 3, 4],
    }


def _world(cluster: str, servers: dict[str, Any], domains: dict[str, Any], blades: list[str]) -> dict[str, Any]:
    boxes: dict[str, Any] = {}
    cables: list[Any] = []
    for number, domain in enumerate(domains):
        slots = dict(enumerate(blades[number * SLOTS : (number + 1) * SLOTS], 1))
        boxes[domain] = {f"box-{number}": {"serial": f"FOX0000{number:04d}", "slots": slots}}
        if domains[domain]["model"] != "UCSX-S9108-100G":  # that one sits in the chassis
            cables += [[f"{domain}-{fabric.lower()}:Ethernet1/{lane}", f"box-{number}:{fabric}{lane}", 100]
                       for fabric in "AB" for lane in (1, 2)]  # fmt: skip
    return {
        "name": cluster,
        "servers": {name: _machine(number, each) for number, (name, each) in enumerate(servers.items(), 1)},
        "domains": {
            name: {"model": each["model"], "serials": each["serials"], "chassis": boxes[name]}
            for name, each in domains.items()
        },
        "cables": cables,
        "credentials": {
            "switch": {"user": "admin", "secret": "switch-admin"},
            "bmc": {"user": "admin", "secret": "bmc-admin"},
            "intersight": {"key_id": KEY_ID, "secret": "intersight-key"},
        },
    }


def _machine(number: int, defined: dict[str, Any]) -> dict[str, Any]:
    model = SERVERS[defined["model"]]
    gpus = {"gpus": {"product": defined["gpus"], "count": defined["gpu_count"]}} if "gpus" in defined else {}
    return {
        "model": model.name,
        "serial": defined["serial"],
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "rack": defined["rack"],
        "bmc": defined.get("bmc", f"100.64.{number // 250}.{number % 250 + 1}"),
        "address": defined["address"],
        "boot_mac": defined["boot_mac"],
        "disk": defined["disk"],
        "intersight": model.manager == "intersight",
        "cpu": {"vendor": model.cpu_vendor, "sockets": model.sockets, "cores": model.cores},
        "memory_gib": model.memory_gib,
        **gpus,
    }
