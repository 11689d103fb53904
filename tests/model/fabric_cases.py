"""Contradictions of the fabrics: the change, the place it is reported at, and a word of its sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, both, drop, put

FRONT, TIMERS = "fabric/frontend", "fabric/lossless/watchdog_timers"
ROOM = {"buffer_bytes": 300_000, "pause_bytes": 100_000, "resume_bytes": 90_000}
ECN = {"100G": {"min_kbytes": 150, "max_kbytes": 150}}
STORAGE = {
    "leaves": {
        "stor-01": {"model": "N9K-C93600CD-GX", "index": 1, "management": "203.0.113.41", "asn": 64911, "rack": "r1"},
        "stor-02": {"model": "N9K-C93600CD-GX", "index": 2, "management": "203.0.113.42", "asn": 64912, "rack": "r2"},
    },
    "vpc": {"domain": 20, "peer_link": ["Ethernet1/35", "Ethernet1/36"]},
    "vlans": {"nfs": {"id": 20, "subnet": "10.40.0.0/24", "purpose": "storage"}},
}

TENANTS = {"kind": "vrf", "tenants": {"blue": {"index": 1, "groups": [1]}}}
OSPF = both(
    put("fabric/underlay", {"kind": "ospf"}),
    *(put(f"fabric/{place}/asn", 65200) for place in ("leaves/leaf-01", "leaves/leaf-02", "spines/spine-01")),
)

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, put("fabric/rollout/canary", "leaf-09"), "fabric.rollout.canary", 'no switch "leaf-09"'),
    # sections that belong together
    (LAB, drop("openshift"), "acceptance", "stands on an installation, and `openshift` is missing"),
    (LAB, drop("operators"), "acceptance", "in pods on rails, and `operators` is missing"),
    (LAB, both(drop("operators"), drop("acceptance")), "workloads", "from the operators, and `operators` is missing"),
    (LAB, drop("intersight"), "servers.cp-01", "managed through Intersight, and `intersight` is missing"),
    (LAB, drop("bmc"), "servers.cp-01", "its management controller, and `bmc` is missing"),
    # a machine that somebody else installs
    (
        LAB,
        put("hosts", {"box-01": {"model": "UCSC-885A-M9", "index": 7, "rack": "r1"}}),
        "hosts.box-01.model",
        "not in",
    ),
    # pairs
    (
        PROD,
        put(f"{FRONT}/ports/x-series-a/port", "Ethernet1/37"),
        "fabric.frontend.ports.x-series-a.port",
        "has no Ethernet1/37",
    ),
    (
        PROD,
        put(f"{FRONT}/ports/x-series-a/port", "Ethernet1/1"),
        "fabric.frontend.ports.x-series-a.port",
        "port Ethernet1/1 is taken",
    ),
    (
        PROD,
        put(f"{FRONT}/ports/x-series-b/channel", 201),
        "fabric.frontend.ports.x-series-b.channel",
        "port-channel 201 is taken",
    ),
    (PROD, put(f"{FRONT}/ports/x-series-b/channel", 10), "fabric.frontend.ports.x-series-b.channel", "vpc.domain"),
    (
        PROD,
        put(f"{FRONT}/leaves/front-02/model", "N9K-C9332D-GX2B"),
        "fabric.frontend.leaves.front-02.model",
        "differs",
    ),
    (PROD, put(f"{FRONT}/vlans/storage/id", 10), "fabric.frontend.vlans.storage.id", "VLAN 10 is taken"),
    (PROD, put(f"{FRONT}/vpc/backup/vlan", 20), "fabric.frontend.vpc.backup.vlan", "VLAN 20 is taken"),
    (PROD, put(f"{FRONT}/vpc/backup/subnet", "10.255.0.8/31"), "fabric.frontend.vpc.backup.subnet", "no two host"),
    (PROD, put(f"{FRONT}/vpc/backup/subnet", "10.20.0.0/30"), "fabric.frontend.vpc.backup.subnet", "overlaps"),
    (
        PROD,
        put(f"{FRONT}/ports/x-series-a/vlans/2", 31),
        "fabric.frontend.ports.x-series-a.vlans[2]",
        "VLAN 31 is not among",
    ),
    (PROD, put(f"{FRONT}/vlans/machine/subnet", "198.51.100.0/25"), "fabric.frontend.vlans.machine.subnet", "is not"),
    (PROD, put(f"{FRONT}/vlans/storage/subnet", "10.20.0.0/30"), "fabric.frontend.vlans.storage.subnet", "no room"),
    (PROD, put("servers/cp-01/address", "198.51.100.2"), "fabric.frontend.vlans.machine.subnet", "is taken by cp-01"),
    (PROD, put(f"{FRONT}/routed/border-01/leaf", "front-3"), "fabric.frontend.routed.border-01.leaf", "no leaf"),
    (
        PROD,
        put(f"{FRONT}/routed/border-02/next_hop", "10.255.0.9"),
        "fabric.frontend.routed.border-02.next_hop",
        "not on the link 10.255.0.2/31",
    ),
    (
        PROD,
        put(f"{FRONT}/routed/border-02/next_hop", "10.255.0.3"),
        "fabric.frontend.routed.border-02.next_hop",
        "the switch's own",
    ),
    (
        PROD,
        both(put(f"{FRONT}/routed/border-02/prefix", 30), put(f"{FRONT}/routed/border-02/next_hop", "10.255.0.1")),
        "fabric.frontend.routed.border-02.address",
        "first or last of 10.255.0.0/30",
    ),
    (
        PROD,
        put(f"{FRONT}/routed/border-02/address", "10.20.0.2"),
        "fabric.frontend.routed.border-02.address",
        "overlaps fabric.frontend.vlans.storage.subnet",
    ),
    (
        PROD,
        put(f"{FRONT}/routed/border-01/port", "Ethernet1/20"),
        "fabric.frontend.routed.border-01.port",
        "port Ethernet1/20 is taken",
    ),
    (
        PROD,
        both(put("fabric/storage", STORAGE), put("fabric/storage/vpc/domain", 10)),
        "fabric.storage.vpc.domain",
        "vPC domain 10 is taken by fabric.frontend.vpc.domain",
    ),
    (
        PROD,
        both(put("fabric/storage", STORAGE), put("fabric/storage/vlans/nfs/purpose", "machine")),
        "fabric.storage.vlans.nfs.purpose",
        "not the storage pair's",
    ),
    (PROD, put("fabric/storage", {**STORAGE, "lossless": {"dscp": 40}}), "fabric.storage.lossless.dscp", "map DSCP 40"),
    (LAB, put("fabric/leaves/leaf-01/model", "N9K-C9336C-FX2"), "fabric.leaves.leaf-01.model", "run at 100 Gb/s"),
    # tenants
    (LAB, put("fabric/tenancy", TENANTS | {"kind": "vxlan-evpn"}), "fabric.tenancy.kind", "the underlay is ebgp"),
    (LAB, both(OSPF, put("fabric/tenancy", TENANTS)), "fabric.tenancy.kind", "the underlay is ospf"),
    (
        LAB,
        put("fabric/tenancy", {"kind": "vrf", "tenants": {"blue": {"index": 1, "groups": [7]}}}),
        "fabric.tenancy.tenants.blue.groups[0]",
        "no leaf belongs to group 7",
    ),
    (
        LAB,
        both(put("fabric/tenancy", TENANTS), put("fabric/tenancy/tenants/red", {"index": 2, "groups": [1]})),
        "fabric.tenancy.tenants.red.groups[0]",
        "leaf group 1 is taken",
    ),
    (
        LAB,
        both(put("fabric/tenancy", TENANTS), put("fabric/tenancy/tenants/red", {"index": 1, "groups": [2]})),
        "fabric.tenancy.tenants.red.index",
        "index 1 is taken",
    ),
    (
        LAB,
        both(OSPF, put("fabric/tenancy", TENANTS | {"kind": "vxlan-evpn"}), put("fabric/lossless/mtu", 9040)),
        "fabric.lossless.host_mtu",
        "leaves 40 bytes",
    ),
    (
        LAB,
        both(
            OSPF,
            put("fabric/tenancy", TENANTS | {"kind": "vxlan-evpn"}),
            put("fabric/addressing/loopbacks", "10.0.0.0/25"),
        ),
        "fabric.addressing.loopbacks",
        "tunnel ends need 131",
    ),
    # raw lines
    (
        LAB,
        put("fabric/extra", {"leaf-01": {"interface Ethernet1/1-72": "mtu 9216"}}),
        "fabric.extra.leaf-01.interface Ethernet1/1-72",
        "has no Ethernet1/72",
    ),
    (
        LAB,
        put("fabric/extra", {"leaf-01": {"interface Ethernet 1/1-48": "mtu 9216"}}),
        "fabric.extra.leaf-01.interface Ethernet 1/1-48",
        "no single port",
    ),
    # the underlay
    (
        PROD,
        put("fabric/underlay", {"kind": "ebgp", "maximum_paths": 8}),
        "fabric.underlay.maximum_paths",
        "8 equal-cost paths leave 8 of a leaf's 16 uplinks idle",
    ),
    (LAB, put("fabric/underlay", {"kind": "ospf"}), "fabric.leaves.leaf-01.asn", "differs from the spines' 65001"),
    # storage
    (
        PROD,
        put("storage/read", {"gbps_per_gpu": 26, "at_once": 0.1}),
        "storage.read.gbps_per_gpu",
        "each of 16 servers (gpu-01 to gpu-16) must read 208 Gb/s (26 GB/s) for 8 GPUs; its storage links carry 200",
    ),
    (
        PROD,
        both(
            put(f"{FRONT}/ports/gpu-16/port", "Ethernet1/34/1"),
            put(f"{FRONT}/ports/gpu-16/gbps", 10),
            put("storage/read", {"gbps_per_gpu": 3, "at_once": 0.1}),
        ),
        "storage.read.gbps_per_gpu",
        "gpu-16 must read 24 Gb/s (3 GB/s) for 8 GPUs; its storage links carry 20",
    ),
    (
        PROD,
        put("storage/read", {"gbps_per_gpu": 12.5}),
        "storage.read.at_once",
        "134 GPUs, 1 of them at once, read 1675 Gb/s (209.375 GB/s); storage is served over 400",
    ),
    (
        PROD,
        put(f"{FRONT}/ports/gpu-16/vlans", [10]),
        "storage.read.gbps_per_gpu",
        "gpu-16 must read 100 Gb/s (12.5 GB/s), and no port to it carries a storage VLAN",
    ),
    # the lossless class
    (LAB, put("fabric/lossless", {"ecn_by_speed": ECN}), "fabric.lossless.ecn_by_speed.100G.min_kbytes", "not below"),
    (LAB, put("fabric/lossless/longest_cable_m", 300), "fabric.lossless.longest_cable_m", "buffers of their own"),
    (
        LAB,
        put("fabric/lossless/headroom", {**ROOM, "pause_bytes": 300_000}),
        "fabric.lossless.headroom.pause_bytes",
        "leaves nothing",
    ),
    (
        LAB,
        put("fabric/lossless/headroom", {**ROOM, "resume_bytes": 200_000}),
        "fabric.lossless.headroom.resume_bytes",
        "above pause_bytes",
    ),
    (LAB, put(f"{TIMERS}/interval_ms", 50), "fabric.lossless.watchdog_timers.interval_ms", "known range 100 to 1000"),
    (
        LAB,
        both(put(f"{TIMERS}/interval_ms", 200), put("fabric/lossless/watchdog", "off")),
        "fabric.lossless.watchdog_timers.interval_ms",
        "the watchdog is off",
    ),
]
