"""Builds that no hardware allows, and where they are reported."""

from tests.model.changes import LAB, PROD, both, drop, put

TWO_FEEDS = put("site/racks/r1/second_feed", "feed-b")
CHASSIS = both(TWO_FEEDS, put("domains/x-series/chassis", {"x-1": {"rack": "r1"}}))
SLOT = both(CHASSIS, put("servers/inf-01/slot", "x-1/1"))
INSIDE = both(CHASSIS, put("servers/inf-01/slot", "x-1/1"), put("servers/cp-01/slot", "x-1/2"))
BIG = both(put("servers/inf-01/model", "UCSX-410C-M7"), put("servers/inf-01/gpus", "NVIDIA-L40S"))
HOT = put("site/watts", {"UCSX-210C-M7": 4300})

SMT = {"enabled": False, "reason": "collectives wait for the slowest thread"}

PROFILE = put("domains/x-series/chassis/x-1/profile", {"serial": "FOX2629000X", "limit_watts": 100})
ELSEWHERE = put("compute/roles/serving", {"pools": ["inference"], "organization": "serving"})

GROUPS, DOTTED = "intersight/resource_groups", "intersight.resource_groups"
TWO_HOMES = both(put("compute/roles/late", {"organization": "late"}), put("servers/cp-01/role", "late"))
PLACED = both(SLOT, put("domains/x-series/chassis/x-1/profile", {"serial": "FOX2629000X"}))

AT_SLOT = both(PLACED, put("servers/inf-01/serial", "FOX2629000X/1"))
FI = "domains/x-series/port_modes"
BORDER = both(
    put("domains/x-series/model", "UCS-FI-6454"), put(FI, [{"mode": "FibreChannel", "ports": [1, 2, 3, 4, 5]}])
)

PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
SHOWN = {"certificate": PEM, "key": "imc-key"}

HARDWARE = [
    (PROD, put("servers/inf-01/nics", {"0": "0000:0a:00.0"}), "servers.inf-01.nics", "is cabled to no leaf group"),
    (PROD, put("servers/gpu-01/nics", {"8": "0000:0a:00.0"}), "servers.gpu-01.nics.8", "UCSC-885A-M8 has no rail 8"),
    (PROD, put("servers/gpu-01/nics", {"0": "0000:23:00.0"}), "servers.gpu-01.nics.0", "is rail 1's port too"),
    (
        PROD,
        put("servers/gpu-02/nics", {"0": "0000:23:00.0", "1": "0000:09:00.0"}),
        "servers.gpu-02.nics.0",
        "0000:23:00.0 is rail 1 of gpu-01",
    ),
    (
        PROD,
        put("servers/gpu-01/certificate", SHOWN),
        "servers.gpu-01.certificate",
        "UCSC-885A-M8 has no profile in Intersight",
    ),
    (
        PROD,
        put("servers/cp-01/certificate", {**SHOWN, "certificate": PEM.replace("MAA=", "AAAA")}),
        "servers.cp-01.certificate.certificate",
        "no X.509 in base64",
    ),
    (
        PROD,
        both(put("servers/cp-01/certificate", SHOWN), put("servers/cp-02/certificate", SHOWN)),
        "servers.cp-02.certificate.key",
        "imc-key is the key of cp-01",
    ),
    (
        PROD,
        put(FI, [{"mode": "FibreChannel", "ports": [1]}]),
        "domains.x-series.port_modes[0].mode",
        "UCS-FI-6536 has no FibreChannel",
    ),
    (
        PROD,
        put(FI, [{"mode": "BreakoutFibreChannel32G", "ports": [33, 32]}]),
        "domains.x-series.port_modes[0].ports[1]",
        "port 32 of UCS-FI-6536 takes no BreakoutFibreChannel32G",
    ),
    (
        PROD,
        BORDER,
        "domains.x-series.port_modes[0].ports",
        "Fibre Channel has ports 1 and those that follow, 4 at a time",
    ),
    (
        PROD,
        put(FI, [{"mode": "BreakoutEthernet25G", "ports": [20]}, {"mode": "BreakoutEthernet10G", "ports": [21, 20]}]),
        "domains.x-series.port_modes[1].ports[1]",
        "port 20 is BreakoutEthernet25G already",
    ),
    (PROD, put("servers/inf-01/serial", "FOX2629000X/1"), "servers.inf-01.serial", "is a slot, which others may have"),
    (PROD, both(SLOT, put("servers/inf-01/serial", "FOX2629000X/1")), "servers.inf-01.serial", "has a profile with"),
    (PROD, both(PLACED, put("servers/inf-01/serial", "FOX2629000X/2")), "servers.inf-01.serial", "`slot` is x-1/1"),
    (PROD, put("servers/gpu-01/serial", "FOX2629000X/1"), "servers.gpu-01.serial", "sits in no chassis"),
    (
        PROD,
        both(INSIDE, PROFILE),
        "domains.x-series.chassis.x-1.profile.limit_watts",
        "under 100 W they are slowed down",
    ),
    (PROD, ELSEWHERE, "compute.roles.serving.organization", "inf-01"),
    (PROD, put(GROUPS, {"servin": "s"}), f"{DOTTED}.servin", "no server of this file has its profile in servin"),
    (PROD, put(GROUPS, {"ai-pod": "default"}), f"{DOTTED}.ai-pod", "is the account's own group"),
    (PROD, both(AT_SLOT, put(GROUPS, {"ai-pod": "s"})), f"{DOTTED}.ai-pod", "inf-01 is named by its slot"),
    (LAB, both(TWO_HOMES, put(GROUPS, {"default": "s", "late": "s"})), f"{DOTTED}.late", "is the group of default"),
    (PROD, put("servers/inf-01/role", "nobody"), "servers.inf-01.role", 'no role "nobody"'),
    (PROD, put("servers/gpu-02/smt", SMT), "servers.gpu-02.smt", "gpu-02 has one thread on each core and gpu-01 two"),
    (PROD, put("servers/gpu-02/cores", 96), "servers.gpu-02", "gpu-02 has 96 cores and gpu-01 128"),
    (
        PROD,
        put("servers/gpu-02/bios", {"CbsDfCmnDramNps": "NPS4"}),
        "servers.gpu-02",
        "gpu-02 has CbsDfCmnDramNps NPS4 and gpu-01 as planned",
    ),
    (PROD, both(SLOT, put("domains/x-series/chassis/x-1/rack", "r9")), "domains.x-series.chassis.x-1.rack", "no rack"),
    (PROD, both(SLOT, put("servers/inf-01/slot", "x-2/1")), "servers.inf-01.slot", 'no chassis "x-2"'),
    (PROD, both(SLOT, put("servers/inf-01/rack", "r2")), "servers.inf-01.rack", "its chassis x-1 stands in r1"),
    (PROD, both(CHASSIS, put("servers/gpu-01/slot", "x-1/1")), "servers.gpu-01.slot", "takes no chassis slot"),
    (PROD, both(INSIDE, put("servers/cp-01/slot", "x-1/1")), "servers.inf-01.slot", "slot 1 of x-1 is taken by cp-01"),
    (PROD, both(INSIDE, BIG), "servers.inf-01.slot", "slot 2 of x-1 is taken by cp-01"),
    (PROD, both(SLOT, BIG, put("servers/inf-01/slot", "x-1/8")), "servers.inf-01.slot", "slot 8 of x-1 is the last"),
    (
        PROD,
        both(INSIDE, put("domains/x-series/chassis/x-1/supplies", 2)),
        "domains.x-series.chassis.x-1.supplies",
        "2 blades need 4 power supplies at least, 2 are fitted",
    ),
    (
        PROD,
        both(SLOT, drop("site/racks/r1/second_feed")),
        "domains.x-series.chassis.x-1.redundancy",
        "Grid needs two power sources, and rack r1 has one",
    ),
    (
        PROD,
        both(INSIDE, HOT),
        "domains.x-series.chassis.x-1.redundancy",
        "draw up to 8600 W, 6 supplies leave 8400 W under Grid",
    ),
    (LAB, put("servers/inf-01/model", "UCSC-C880A-M8"), "servers.inf-01.model", "not in the server catalogue"),
    (LAB, put("servers/inf-01/gpus", "NVIDIA-B300-SXM6-AC"), "servers.inf-01.gpus", "not take NVIDIA-B300"),
    (
        LAB,
        both(put("servers/gpu-01/model", "UCSC-880A-M8"), put("servers/gpu-01/gpus", "NVIDIA-B300-SXM6-AC")),
        "servers.gpu-01.group",
        "no source gives the PCI addresses of its eight ConnectX-8",
    ),
    (
        PROD,
        both(put("servers/inf-01/model", "UCSX-215C-M8"), put("servers/inf-01/gpus", "NVIDIA-H100-PCIe")),
        "servers.inf-01.gpus",
        "UCSX-215C-M8 does not take NVIDIA-H100-PCIe",
    ),
    (PROD, put("servers/inf-01/model", "UCSX-410C-M7"), "servers.inf-01.gpus", "does not take NVIDIA-H100-NVL"),
    (
        PROD,
        both(put("servers/inf-01/model", "UCSC-C220-M8S"), drop("servers/inf-01/domain")),
        "servers.inf-01",
        "is installed through its BMC, whose address is missing",
    ),
    (
        PROD,
        both(put("domains/x-series/model", "UCS-FI-6454"), put("domains/x-series/server_ports", [54, 55])),
        "domains.x-series.server_ports[1]",
        "UCS-FI-6454 has no port 55",
    ),
    (
        PROD,
        put("site/supplies", {"UCS-FI-6364": {"fitted": 2, "needed": 1}}),
        "site.supplies.UCS-FI-6364",
        "no model",
    ),
]
"""(file, change, place, part of the message)"""
