"""Contradictions of cables, pluggables and broken-out ports."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, put

CABLES, PORTS = "fabric/cables", "fabric/frontend/ports"
DR4 = {"near": "QDD-400G-DR4-S", "far": "QSFP-400G-DR4"}


def cables(**said: object) -> Callable[[Said], None]:
    return put(CABLES, said)


def port(name: str, at: str, gbps: int | None = None) -> Callable[[Said], None]:
    """A host port of the pair, moved."""
    return both(put(f"{PORTS}/{name}/port", at), put(f"{PORTS}/{name}/gbps", gbps))


BROKEN: list[tuple[Callable[[Said], None], str, str]] = [
    (port("gpu-01", "Ethernet1/21/1"), "gpu-01.port", "its speed decides the breakout"),
    (port("gpu-01", "Ethernet1/21", 25), "gpu-01.port", "is a whole port and runs at 100 Gb/s"),
    (port("gpu-01", "Ethernet1/21/1", 100), "gpu-01.port", "does not break Ethernet1/21 out into 100 Gb/s"),
    (port("gpu-01", "Ethernet1/21/3", 50), "gpu-01.port", "50g-2x makes Ethernet1/21/1 to /2, not Ethernet1/21/3"),
    (port("gpu-01", "Ethernet1/22/1", 25), "gpu-01.port", "breaks only odd ports out into 25g-4x here"),
    (
        both(port("gpu-01", "Ethernet1/21/1", 25), port("gpu-02", "Ethernet1/21")),
        "gpu-02.port",
        "is used whole beside it",
    ),
    (
        both(port("gpu-01", "Ethernet1/21/1", 25), port("gpu-02", "Ethernet1/21/2", 10)),
        "gpu-02.port",
        "Ethernet1/21/2 at 10 Gb/s needs 10g-4x, Ethernet1/21/1 makes it 25g-4x",
    ),
    (
        both(port("gpu-01", "Ethernet1/21/1", 25), port("gpu-02", "Ethernet1/23/1", 10)),
        "gpu-02.port",
        "Ethernet1/23/1 at 10 Gb/s needs 10g-4x, Ethernet1/21/1 makes it 25g-4x",
    ),
    (
        both(port("gpu-01", "Ethernet1/21/1", 25), port("gpu-02", "Ethernet1/23")),
        "gpu-02.port",
        "Ethernet1/23 breaks out with Ethernet1/21/1 (25g-4x)",
    ),
    (
        both(port("gpu-01", "Ethernet1/21/1", 25), port("gpu-02", "Ethernet1/24")),
        "gpu-02.port",
        "Ethernet1/24 is not there while Ethernet1/21/1 is broken out (25g-4x)",
    ),
]

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, cables(host={"near": "QDD-400G-DR4"}), "fabric.cables.host.near", "not in the catalogue of transceivers"),
    (LAB, cables(host={**DR4, "far": "QSFP-400G-DR"}), "fabric.cables.host.far", "not in the catalogue"),
    # form factor: the NIC's cage does not take what the switch's does
    (LAB, cables(host={"near": "QDD-400G-DR4-S"}), "fabric.cables.host.near", "is a QSFP-DD module, the QSFP112 port"),
    (LAB, cables(host={"near": "QDD-400-CU"}), "fabric.cables.host.near", "the QSFP112 port takes QSFP112 (at gpu-01)"),
    (LAB, cables(host={**DR4, "near": "QSFP-400G-DR4"}), "fabric.cables.host.near", "the QSFP-DD port takes QSFP-DD"),
    # the line: eight lanes of 50G do not speak with four of 100G
    (
        LAB,
        cables(host={"near": "QDD-400G-SR8-S", "far": "QSFP-400G-VR4"}),
        "fabric.cables.host.far",
        "speaks 400GBASE-SR8, QSFP-400G-VR4 speaks 400GBASE-VR4",
    ),
    (
        LAB,
        cables(fabric={"near": "QDD-400G-SR8-S", "far": "QDD-400G-FR4-S"}),
        "fabric.cables.fabric.far",
        "speaks 400GBASE-SR8, QDD-400G-FR4-S speaks 400G-FR4",
    ),
    (LAB, cables(fabric={"near": "QSFP-100G-SR4-S"}), "fabric.cables.fabric.near", "runs at 100G, the link at 400G"),
    (LAB, cables(fabric={"near": "QDD-4X100G-FR-S"}), "fabric.cables.fabric.near", "for a port broken out"),
    (
        LAB,
        cables(fabric={"near": "QDD-400-CU", "far": "QDD-400-AOC"}),
        "fabric.cables.fabric.far",
        "is the same product at both",
    ),
    # reach
    (
        LAB,
        cables(fabric={"near": "QDD-400-CU"}, other_rack_m=15),
        "fabric.cables.fabric.near",
        "15 m from leaf-01 to spine-01 is beyond the reach of QDD-400-CU (DAC, 3 m)",
    ),
    (
        LAB,
        cables(host=DR4, runs={"r2": {"r1": 600}}),
        "fabric.cables.host.near",
        "600 m from leaf-01 to gpu-02 is beyond the reach",
    ),
    (LAB, cables(other_rack_m=700), "fabric.cables.other_rack_m", "beyond every 400G cable"),
    (
        LAB,
        cables(other_rack_m=120),
        "fabric.cables.other_rack_m",
        "120 m from leaf-01 to gpu-02 is longer than the 100 m that the lossless class is reckoned for",
    ),
    (
        LAB,
        both(put("fabric/release", "10.2(1)"), cables(fabric={"near": "QDD-400-CU"})),
        "fabric.cables.fabric.near",
        "takes 400G copper from NX-OS 10.2(3)F, it runs 10.2(1)",
    ),
    # runs between racks
    (LAB, cables(runs={"r1": {"r9": 3}}), "fabric.cables.runs.r1.r9", 'no rack "r9"'),
    (LAB, cables(runs={"r1": {"r1": 3}}), "fabric.cables.runs.r1.r1", "stands on both sides"),
    (LAB, cables(runs={"r1": {"r2": 3}, "r2": {"r1": 4}}), "fabric.cables.runs.r2.r1", "is defined twice"),
    # broken-out ports
    (
        LAB,
        put("fabric/extra", {"leaf-01": {"interface breakout module 1 port 30 map 25g-4x": ""}}),
        "fabric.extra.leaf-01.interface breakout module 1 port 30 map 25g-4x",
        "N9K-C9364D-GX2A does not break Ethernet1/30 out into 25g-4x",
    ),
    (
        LAB,
        put("fabric/extra", {"leaf-01": {"interface breakout module 1 port 65 map 100g-4x": ""}}),
        "fabric.extra.leaf-01.interface breakout module 1 port 65 map 100g-4x",
        "N9K-C9364D-GX2A has no Ethernet1/65",
    ),
    (
        LAB,
        put("fabric/extra", {"leaf-01": {"interface breakout module 1 port 60-61 map 100g-4x": ""}}),
        "fabric.extra.leaf-01.interface breakout module 1 port 60-61 map 100g-4x",
        "is not one port's breakout",
    ),
    *(
        (
            LAB,
            put("fabric/extra", {name: {f"interface breakout module 1 port {port} map 200g-2x": ""}}),
            f"fabric.extra.{name}.interface breakout module 1 port {port} map 200g-2x",
            f"Ethernet1/{port} has a link, whose speed decides its breakout",
        )
        for name, port in (("leaf-01", 1), ("leaf-01", 33), ("spine-01", 1))
    ),
    (
        PROD,
        put("fabric/frontend/vpc/peer_link", ["Ethernet1/35", "Ethernet1/36/1"]),
        "fabric.frontend.vpc.peer_link[1]",
        "the peer link takes whole ones",
    ),
    (LAB, put("fabric/host_gbps", 100), "fabric.host_gbps", "run at 400 or 200 Gb/s, not at 100"),
    (LAB, both(put("fabric/host_gbps", 200), put("servers/gpu-01/index", 17)), "servers.gpu-01.index", "host port 68"),
    *(
        (
            PROD,
            put("fabric/extra", {"front-01": {f"interface breakout module 1 port {port} map 25g-4x": ""}}),
            f"fabric.extra.front-01.interface breakout module 1 port {port} map 25g-4x",
            words,
        )
        for port, words in (
            (21, "Ethernet1/23 of a N9K-C93600CD-GX breaks out with Ethernet1/21"),
            (22, "does not break"),
        )
    ),
    *((PROD, change, f"{PORTS}.{place}".replace("/", "."), words) for change, place, words in BROKEN),
]
