"""Contradictions of the baseline, of day 0 and of load balancing: the change, the place, a word of its sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, put
from tests.model.fabric_cases import OSPF, TENANTS

DAY0 = {"network": "192.0.2.0/24", "gateway": "192.0.2.1", "image": "nxos64-cs.10.4.5.M.bin"}
CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, put("fabric/baseline", {"release": "2026.12"}), "fabric.baseline.release", "no baseline"),
    (LAB, put("fabric/baseline", {"management": ["192.0.2.0/24"]}), "fabric.baseline.management", "a setting of a"),
    (
        LAB,
        put("fabric/baseline", {"release": "2026.11", "management": ["192.0.2.0/24", "0.0.0.0/0"]}),
        "fabric.baseline.management[1]",
        "lets in more",
    ),
    (
        LAB,
        put("fabric/baseline", {"telemetry": {"collectors": ["192.0.2.9"]}}),
        "fabric.baseline.telemetry",
        "a setting of a baseline",
    ),
    (LAB, put("fabric/baseline", {"users": {"ops": {"password": "x"}}}), "fabric.baseline.users", "a setting of a"),
    (
        LAB,
        put("fabric/baseline", {"release": "2026.11", "users": {"admin": {"password": "x"}}}),
        "fabric.baseline.users.admin",
        "podwright logs in as admin",
    ),
    (
        LAB,
        put("fabric/baseline", {"release": "2026.11", "users": {"root": {"password": "x"}}}),
        "fabric.baseline.users.root",
        "a user of NX-OS itself",
    ),
    (
        LAB,
        put(
            "fabric/baseline",
            {
                "release": "2026.11",
                "users": {"ops": {"password": "x"}},
                "snmp_users": {"ops": {"authentication": "a", "privacy": "b"}},
            },
        ),
        "fabric.baseline.snmp_users.ops",
        "with one goes the other",
    ),
    (
        LAB,
        both(
            put("fabric/underlay", {"kind": "ebgp-unnumbered"}),
            put("fabric/baseline", {"release": "2026.11", "bgp_password": {"secret": "x"}}),
        ),
        "fabric.baseline.bgp_password",
        "no public text says",
    ),
    (LAB, put("fabric/baseline", {"banner": "Keep out."}), "fabric.baseline.banner", "a setting of a baseline"),
    (LAB, put("fabric/baseline", {"timezone": {"hours": 1}}), "fabric.baseline.timezone", "a setting of a baseline"),
    (LAB, put("fabric/day0", DAY0 | {"network": "192.0.2.0/28"}), "fabric.spines.spine-01.management", "is outside"),
    (LAB, put("fabric/day0", DAY0 | {"gateway": "198.51.100.1"}), "fabric.day0.gateway", "is outside"),
    (LAB, put("fabric/day0", DAY0 | {"image": "nxos64-cs.10.4.4.M.bin"}), "fabric.day0.image", "release 10.4(5)"),
    (LAB, put("fabric/dlb", {}), "fabric.dlb", "from 10.5(1) on"),
    (
        LAB,
        both(put("fabric/dlb", {}), put("fabric/leaves/leaf-01/model", "N9K-C9336C-FX2")),
        "fabric.leaves.leaf-01.model",
        "no dynamic load balancing",
    ),
    (
        LAB,
        both(put("fabric/dlb", {}), put("fabric/lossless/ecn_by_speed", {"400G": {}})),
        "fabric.dlb",
        "pass by the output policies",
    ),
    (
        LAB,
        both(OSPF, put("fabric/dlb", {}), put("fabric/tenancy", TENANTS | {"kind": "vxlan-evpn"})),
        "fabric.dlb",
        "no public text",
    ),
    (
        LAB,
        both(
            put("fabric/leaves/leaf-03", {"model": "N9K-C9364D-GX2A", "index": 3, "management": "192.0.2.13"}),
            put("fabric/leaves/leaf-03/asn", 64603),
            put("fabric/leaves/leaf-03/rack", "r1"),
            put("fabric/leaves/leaf-03/rails", [0, 1, 2, 3, 4, 5, 6, 7]),
            put("fabric/leaves/leaf-03/group", 2),
            *(put(f"servers/gpu-0{number}/group", 2) for number in (4, 5)),
            put("workloads/training/pretrain/nodes", 4),
        ),
        "workloads.training.pretrain.nodes",
        "no leaf group of pool training has more than 3",
    ),
]
