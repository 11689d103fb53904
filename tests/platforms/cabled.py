"""The network of a stack file by lot: leaf groups, rails, the lossless class, and bonds on a frontend pair."""

import random
from typing import Any

Section = dict[str, Any]
RAILS = 8
_LEAF, _FRONT = "N9K-C9364D-GX2A", "N9K-C93600CD-GX"


def backend(lot: random.Random, groups: int) -> Section:
    """Leaves that carry one rail or several each, the same way in each group."""
    each, spines = lot.choice((1, 2, 4, 8)), lot.randint(1, 2)
    wide = RAILS // each
    leaves = [(group, part) for group in range(1, groups + 1) for part in range(each)]
    return {
        "release": "10.4(5)",
        "links_per_pair": max(1, min(32 // spines, 64 // len(leaves))),
        "lossless": _lossless(lot),
        **({"host_ports": "routed"} if lot.random() < 0.3 else {}),
        "spines": {
            f"spine-{number}": {"model": _LEAF, "index": number, "management": f"192.0.2.{20 + number}", "rack": "r1"}
            for number in range(1, spines + 1)
        },
        "leaves": {
            f"leaf-{number}": {
                "model": _LEAF, "index": number, "management": f"192.0.2.{22 + number}", "rack": f"r{number % 3 + 1}",
                "rails": list(range(part * wide, (part + 1) * wide)), "group": group,
            }
            for number, (group, part) in enumerate(leaves, 1)
        },
    }  # fmt: skip


def _lossless(lot: random.Random) -> Section:
    """A class of any priority that NICs take from its DSCP; notifications in another one."""
    priority = lot.choice((3, 3, 4, 5, 6))
    dscp = 8 * priority + lot.randrange(8)
    other = lot.choice([each for each in (48, 40, 46) if each // 8 != priority])
    return {"priority": priority, "dscp": dscp, "cnp_dscp": other, "host_mtu": lot.choice((9000, 9000, 4200, 1500))}


def frontend(lot: random.Random, cluster: Section) -> None:
    """A pair that carries the machine network, with a port channel for each server; some install with a bond."""
    ports = {}
    for number, (name, server) in enumerate(cluster["servers"].items(), 1):
        if number > 24:
            break
        ports[name] = {
            "port": f"Ethernet1/{number}", "channel": 100 + number, "device": name, "vlans": [10, 20], "boots": True,
        }  # fmt: skip
        if lot.random() < 0.7:
            server["bond_mac"] = f"02:00:00:00:01:{number:02x}"
    cluster["fabric"]["frontend"] = {
        "leaves": {
            f"front-{number}": {
                "model": _FRONT, "index": number, "management": f"192.0.2.{10 + number}", "rack": f"r{number}",
                "asn": 64900 + number,
            }
            for number in (1, 2)
        },
        "vpc": {
            "domain": 10, "peer_link": ["Ethernet1/35", "Ethernet1/36"],
            "backup": {"vlan": 3900, "subnet": "10.255.0.8/30"},
        },
        "vlans": {
            "machine": {"id": 10, "subnet": "192.0.2.0/24", "purpose": "machine"},
            "storage": {"id": 20, "subnet": "10.20.0.0/24", "purpose": "storage", "hosts": lot.random() < 0.5},
        },
        "ports": ports,
    }  # fmt: skip
