"""Every cross-layer check: one contradiction, the place it is reported at, and a word of its sentence."""

import copy
import json
from collections.abc import Callable

import pytest

from podwright.components import model
from podwright.components.model import coherence
from podwright.components.model.problems import dotted
from tests.model import baseline_cases, fabric_cases, image_cases
from tests.model.attached_cases import CASES as ATTACHED
from tests.model.cables import CASES as CABLES
from tests.model.changes import LAB, PROD, Said, both, drop, put
from tests.model.cluster_network_cases import CASES as CLUSTER_NETWORKS
from tests.model.controller_firmware_cases import CONTROLLER_FIRMWARE
from tests.model.fault_domain_cases import CASES as FAULT_DOMAINS
from tests.model.firmware_cases import FIRMWARE
from tests.model.gpu_driver_cases import CASES as GPU_DRIVER
from tests.model.hardware_cases import HARDWARE
from tests.model.huge_page_cases import HUGE_PAGES
from tests.model.management_cases import CASES as MANAGEMENT
from tests.model.mig_cases import CASES as MIG
from tests.model.mirror_cases import CASES as MIRROR
from tests.model.numa_cases import NUMA
from tests.model.placement_cases import PLACEMENT
from tests.model.platform_cases import CASES as PLATFORM
from tests.model.routed_cases import CASES as ROUTED
from tests.model.sharing_cases import CASES as SHARING
from tests.model.waiver_cases import CASES as WAIVERS
from tests.model.workload_cases import WORKLOADS

LEAF1, LEAF2, SPINE = "fabric/leaves/leaf-01", "fabric/leaves/leaf-02", "fabric/spines/spine-01"
LOSSLESS = "fabric/lossless"
TRAIN, CHAT = "workloads/training/pretrain", "workloads/inference/chat"
X210C = {
    "model": "UCSX-210C-M7", "index": 40, "pool": "inference", "serial": "FCH00000040", "rack": "r1",
    "address": "192.0.2.160", "boot_mac": "02:00:00:00:09:01",
}  # fmt: skip

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    # references
    (LAB, put(f"{LEAF1}/rack", "r9"), "fabric.leaves.leaf-01.rack", 'no rack "r9"'),
    (LAB, put("servers/inf-01/rack", "r9"), "servers.inf-01.rack", 'no rack "r9"'),
    (PROD, put("domains/x-series/rack", "r9"), "domains.x-series.rack", 'no rack "r9"'),
    (LAB, put("servers/inf-01/pool", "inferense"), "servers.inf-01.pool", 'no pool "inferense"'),
    (PROD, put("servers/inf-01/domain", "y"), "servers.inf-01.domain", 'no domain "y"'),
    (LAB, put("servers/gpu-01/group", 4), "servers.gpu-01.group", "no leaf belongs to group 4"),
    (LAB, put("pools/control-plane", {"purpose": "cpu"}), "pools.control-plane", "without being defined"),
    (LAB, put("pools/worker", {"purpose": "cpu"}), "pools.worker", "worker is a pool that OpenShift makes itself"),
    (LAB, put("pools/master", {"purpose": "cpu"}), "pools.master", "master is a pool that OpenShift makes itself"),
    (LAB, put(f"{TRAIN}/team", "nobody"), "workloads.training.pretrain.team", 'no team "nobody"'),
    (LAB, put(f"{CHAT}/pool", "nowhere"), "workloads.inference.chat.pool", 'no pool "nowhere"'),
    (
        PROD,
        put("storage/volumes/corpus/storage_class", "x"),
        "storage.volumes.corpus.storage_class",
        "no storage class",
    ),
    (PROD, put("storage/volumes/corpus/team", "x"), "storage.volumes.corpus.team", "no team"),
    (LAB, put("fabric/extra", {"leaf-9": {}}), "fabric.extra.leaf-9", "no switch"),
    (LAB, put("fabric/extra", {"leaf-01": {" vlan 9": ""}}), "fabric.extra.leaf-01. vlan 9", "no top-level line"),
    # things that exist once
    (LAB, put("servers/leaf-01", {**X210C, "bmc": "192.0.2.9"}), "servers.leaf-01", "the name leaf-01 is taken"),
    (LAB, put(f"{LEAF2}/index", 1), "fabric.leaves.leaf-02.index", "index 1 is taken"),
    (LAB, put("servers/gpu-05/index", 4), "servers.gpu-05.index", "index 4 is taken by servers.gpu-04.index"),
    (LAB, put(f"{LEAF2}/management", "192.0.2.11"), "fabric.leaves.leaf-02.management", "the address 192.0.2.11"),
    (LAB, put("servers/gpu-01/bmc", "192.0.2.21"), "servers.gpu-01.bmc", "taken by fabric.spines.spine-01.management"),
    (LAB, put("servers/gpu-01/address", "192.0.2.200"), "servers.gpu-01.address", "taken by openshift.api_vip"),
    (LAB, put("servers/gpu-02/serial", "WZP00000004"), "servers.gpu-02.serial", "WZP00000004 is taken"),
    (PROD, put("domains/x-series/serials/B", "FDO26200041"), "domains.x-series.serials.B", "is taken"),
    (LAB, put("servers/gpu-02/boot_mac", "02:00:00:00:02:01"), "servers.gpu-02.boot_mac", "is taken"),
    (LAB, put(f"{LEAF2}/asn", 64601), "fabric.leaves.leaf-02.asn", "AS 64601 is taken"),
    (LAB, put(f"{LEAF2}/asn", 65001), "fabric.leaves.leaf-02.asn", "taken by fabric.spines.spine-01.asn"),
    (PROD, put("fabric/spines/spine-02/asn", 65002), "fabric.spines.spine-02.asn", "differs from the other spines'"),
    # renamed
    (LAB, put(f"{LEAF2}/renamed_from", "leaf-02"), "fabric.leaves.leaf-02.renamed_from", "is its name already"),
    (LAB, put(f"{LEAF2}/renamed_from", "leaf-01"), "fabric.leaves.leaf-02.renamed_from", "leaf-01 is the name of"),
    (
        PROD,
        put("fabric/frontend/leaves/front-01/renamed_from", "gpu-01"),
        "fabric.frontend.leaves.front-01.renamed_from",
        "gpu-01 is the name of another device",
    ),
    (
        LAB,
        both(put(f"{LEAF1}/renamed_from", "tor-7"), put(f"{LEAF2}/renamed_from", "tor-7")),
        "fabric.leaves.leaf-02.renamed_from",
        "the former name tor-7 is taken by fabric.leaves.leaf-01",
    ),
    (LAB, put("servers/gpu-02/renamed_from", "gpu-01"), "servers.gpu-02.renamed_from", "gpu-01 is the name of another"),
    (
        LAB,
        put("servers/gpu-02/renamed_from", "gpu-9"),
        "servers.gpu-02.renamed_from",
        "gpu-9 is the name of a Node too",
    ),
    (LAB, put("servers/gpu-02/object_name", "gpu-01"), "servers.gpu-02.object_name", "the name gpu-01 is taken by"),
    # backend
    (LAB, put(f"{LEAF1}/model", "N9K-C9364D-GX2B"), "fabric.leaves.leaf-01.model", "not in the switch catalogue"),
    (LAB, put(f"{SPINE}/model", "N9364E-SG2-Q"), "fabric.spines.spine-01.model", "Silicon One"),
    (LAB, put(f"{LEAF2}/rails/0", 3), "fabric.leaves.leaf-02.rails[0]", "carried by leaf-01 already"),
    (LAB, put(f"{LEAF2}/rails/3", 8), "fabric.leaves.leaf-02.rails[3]", "rail 8 does not exist"),
    (LAB, put(f"{LEAF2}/rails", [4, 5, 6]), "servers.gpu-01.group", "no leaf of group 1 carries: 7"),
    (LAB, put("servers/gpu-05/index", 9), "servers.gpu-05.index", "needs host port 36 of leaf-01"),
    (PROD, put("fabric/links_per_pair", 9), "fabric.links_per_pair", "9 links to spine-02 need port 34 of leaf-01"),
    (LAB, put(f"{LEAF2}/index", 4), "fabric.leaves.leaf-02.index", "needs port 80 of spine-01"),
    (LAB, put(f"{SPINE}/model", "N9K-C9364C-GX"), "fabric.leaves.leaf-01.model", "uplinks run at 400 Gb/s"),
    (LAB, put(f"{LEAF1}/model", "N9K-C9364C-GX"), "fabric.leaves.leaf-01.model", "host ports run at 100 Gb/s"),
    (LAB, put(LOSSLESS, {"dscp": 40}), "fabric.lossless.dscp", "NICs map DSCP 40 to priority 5"),
    (LAB, put(LOSSLESS, {"priority": 7, "dscp": 56}), "fabric.lossless.priority", "strict-priority queue"),
    (LAB, put(LOSSLESS, {"priority": 0, "dscp": 0}), "fabric.lossless.priority", "the default class"),
    (LAB, put(LOSSLESS, {"cnp_dscp": 26}), "fabric.lossless.cnp_dscp", "DSCP of RoCE itself"),
    (LAB, put(LOSSLESS, {"mtu": 9000}), "fabric.lossless.host_mtu", "no room for headers"),
    (LAB, put(LOSSLESS, {"ecn": {"min_kbytes": 3000}}), "fabric.lossless.ecn.min_kbytes", "not below max_kbytes"),
    (
        LAB,
        put("fabric/extra", {"spine-01": {"interface port-channel1": "vpc peer-link"}}),
        "fabric.extra.spine-01.interface port-channel1",
        "backend switch",
    ),
    (LAB, put("fabric/survive", {"spine": 0.5}), "fabric.survive.spine", "the only spine, leaves 0"),
    (PROD, put("fabric/survive", {"fabric_link": 0.95}), "fabric.survive.fabric_link", "16 uplinks leaves 0.9375"),
    (LAB, put("fabric/survive", {"leaf": 0.875}), "fabric.survive.leaf", "losing leaf-01, where 4 of 8 rails"),
    (PROD, put("fabric/survive", {"feed": 0.5}), "fabric.survive.feed", "losing power domain feed-a leaves 0"),
    # addresses
    (LAB, put("fabric/addressing/loopbacks", "10.0.0.0/26"), "fabric.addressing.loopbacks", "has 64 addresses, 67"),
    (LAB, put("fabric/addressing/links", "10.1.0.0/26"), "fabric.addressing.links", "80 are needed"),
    (LAB, put("fabric/addressing/hosts", "10.64.0.0/20"), "fabric.addressing.hosts", "24 /24s"),
    (
        LAB,
        put("fabric/addressing/hosts", "10.128.0.0/16"),
        "fabric.addressing.hosts",
        "overlaps OpenShift's pod network",
    ),
    (LAB, put("fabric/addressing/hosts", "10.1.0.0/16"), "fabric.addressing.hosts", "overlaps fabric.addressing.links"),
    (LAB, put("openshift/api_vip", "198.51.100.1"), "openshift.api_vip", "outside the machine network"),
    (LAB, put("servers/gpu-01/address", "192.0.2.255"), "servers.gpu-01.address", "first or last"),
    *fabric_cases.CASES,
    *baseline_cases.CASES,
    # compute
    (LAB, put("servers/gpu-01/model", "UCSC-885A-M9"), "servers.gpu-01.model", "not in the server catalogue"),
    (LAB, put("servers/gpu-01/gpus", "NVIDIA-H100-SXM5-80GB"), "servers.gpu-01.gpus", "no GPU of the catalogue"),
    (PROD, put("servers/inf-01/gpus", "NVIDIA-H100-80GB-HBM3"), "servers.inf-01.gpus", "no SXM socket"),
    (LAB, put("servers/inf-01/gpus", "NVIDIA-H200"), "servers.inf-01.gpus", "does not take NVIDIA-H200"),
    (LAB, put("servers/inf-01/gpu_count", 5), "servers.inf-01.gpu_count", "does not take 5"),
    (LAB, put("servers/cp-01/gpu_count", 1), "servers.cp-01.gpu_count", "counts GPUs of no product"),
    (PROD, drop("servers/inf-01/domain"), "servers.inf-01", "its `domain` is missing"),
    (PROD, put("servers/gpu-01/domain", "x-series"), "servers.gpu-01.domain", "stands alone"),
    (PROD, put("servers/gpu-01/leave", "decommission"), "servers.gpu-01.leave", "stands alone; only one behind"),
    (LAB, drop("servers/gpu-01/bmc"), "servers.gpu-01", "whose address is missing"),
    (PROD, put("servers/inf-01/bmc_password", "own"), "servers.inf-01.bmc_password", "whose address is missing"),
    (LAB, put("servers/inf-01/group", 1), "servers.inf-01.group", "no rail NICs"),
    (PROD, put("domains/x-series/uplinks", [1, 9]), "domains.x-series.server_ports[0]", "port 9 is named before"),
    (PROD, put("domains/x-series/model", "UCSX-S9108-100G"), "domains.x-series.server_ports[0]", "has no port 9"),
    (PROD, put("site/racks/g1/power_kw", 20), "site.racks.g1.power_kw", "20.4 kW stand in this rack"),
    (PROD, put("site/watts", {"UCSC-885A-M8": 11000}), "site.racks.g1.power_kw", "22.0 kW stand in this rack"),
    (LAB, put("site/racks/r1/second_feed", "feed-a"), "site.racks.r1.second_feed", "is its first feed too"),
    (LAB, put("site/racks/r1/second_feed", "feed-b"), "servers.cp-02.rack", "hangs on feed-b already"),
    (PROD, put("site/supplies", {"UCSC-885-M8": {"fitted": 6, "needed": 4}}), "site.supplies.UCSC-885-M8", "no model"),
    (
        PROD,
        put("site/supplies", {"UCSC-885A-M8": {"fitted": 4, "needed": 6}}),
        "site.supplies.UCSC-885A-M8.needed",
        "6 supplies are needed, 4 are fitted",
    ),
    (PROD, put("site/watts", {"UCSC-885-M8": 11000}), "site.watts.UCSC-885-M8", "no model of the catalogue"),
    # platform
    (LAB, drop("servers/cp-03"), "servers", "2 control-plane hosts"),
    (LAB, put("servers/cp-03/rack", "r1"), "servers.cp-03.rack", "stands in r1 already"),
    (LAB, put("site/racks/r2/power_domain", "feed-a"), "servers.cp-02.rack", "hangs on feed-a already"),
    (LAB, put("pools/training/max_unavailable", 6), "pools.training.max_unavailable", "has 5 servers"),
    (LAB, put("servers/inf-01/pool", "training"), "servers.inf-01.pool", "has no rail NICs"),
    (LAB, drop("servers/gpu-01/group"), "servers.gpu-01", "leaf group its rails are cabled to is missing"),
    (LAB, put("pools/inference/mig", "all-1g.10gb"), "pools.inference.mig", "has no layout all-1g.10gb"),
    (
        LAB,
        both(put("servers/inf-01/gpus", "NVIDIA-L40S"), drop("workloads/inference"), put("openshift/teams/chat", {})),
        "pools.inference.mig",
        "NVIDIA-L40S has no MIG",
    ),
    (LAB, put("openshift/teams/openshift-ai", {}), "openshift.teams.openshift-ai", "namespace of the system's"),
    (
        LAB,
        put("openshift/teams/chat/slices/2g.36gb", 1),
        "openshift.teams.chat.slices.2g.36gb",
        "no pool offers 2g.36gb",
    ),
    # operators
    (LAB, put("operators/release", "2026.12"), "operators.release", 'no release set "2026.12"'),
    (LAB, put("openshift/version", "4.21.3"), "operators.release", "is for OpenShift 4.20"),
    (
        LAB,
        put("operators/pins", {"gpu-operator": {"channel": "v1", "csv": "x.v1"}}),
        "operators.pins.gpu-operator",
        "no subscription of release set",
    ),
    # workloads
    (LAB, put(f"{TRAIN}/shm_gib", 512), "workloads.training.pretrain.shm_gib", "counts against memory_gib"),
    (LAB, put(f"{TRAIN}/nodes", 6), "workloads.training.pretrain.nodes", "pool training has 5"),
    (LAB, put(f"{TRAIN}/gpus", 9), "workloads.training.pretrain.gpus", "has servers with 8"),
    (LAB, put(f"{TRAIN}/memory_gib", 2304), "workloads.training.pretrain.memory_gib", "has servers with 2304 GiB"),
    (LAB, put(f"{TRAIN}/cpus", 256), "workloads.training.pretrain.cpus", "has servers with 256, two to a core"),
    (LAB, put(f"{TRAIN}/pool", "inference"), "workloads.training.pretrain.pool", "takes whole ones"),
    (LAB, put("openshift/teams/research/gpus", 15), "openshift.teams.research.gpus", "runs 16 x gpus, its quota is 15"),
    (LAB, put("openshift/teams/chat/slices/1g.18gb", 3), "openshift.teams.chat.slices.1g.18gb", "its quota is 3"),
    (LAB, put(f"{CHAT}/slice", "2g.35gb"), "workloads.inference.chat.slice", "has no slices 2g.35gb"),
    (LAB, drop(f"{CHAT}/slice"), "workloads.inference.chat.pool", "asks for whole GPUs"),
    (LAB, put(f"{CHAT}/replicas", 57), "workloads.inference.chat.replicas", "has 56 x 1g.18gb"),
    (LAB, put(f"{CHAT}/memory_gib", 1536), "workloads.inference.chat.memory_gib", "has servers with 1536 GiB"),
    (PROD, put("storage/classes/models/shared", True), "storage.classes.models.shared", "gives block devices"),
    (
        PROD,
        put("storage/classes/datasets/parameters", {"fsType": "ext4"}),
        "storage.classes.datasets.shared",
        "lives on a block device",
    ),
    (LAB, put("acceptance/fan_in", 5), "acceptance.fan_in", "the largest leaf group has 5 servers"),
    *CABLES,
    *ROUTED,
    *ATTACHED,
    *MANAGEMENT,
    *CLUSTER_NETWORKS,
    *FAULT_DOMAINS,
    *MIRROR,
    *image_cases.CASES,
    *WAIVERS,
    *GPU_DRIVER,
    *PLATFORM,
    *HARDWARE,
    *FIRMWARE,
    *CONTROLLER_FIRMWARE,
    *HUGE_PAGES,
    *PLACEMENT,
    *SHARING,
    *MIG,
    *NUMA,
    *WORKLOADS,
]


def judged(said: Said) -> list[tuple[str, str]]:
    try:
        model.load(json.loads(json.dumps(said)))
    except model.SpecErrors as errors:
        assert all(problem.hint for problem in errors.problems)
        return [(dotted(problem.loc), problem.message) for problem in errors.problems]
    return []


@pytest.mark.parametrize(("base", "change", "loc", "message"), CASES, ids=[case[2] + ": " + case[3] for case in CASES])
def test_a_contradiction_is_reported_at_its_place(
    base: Said, change: Callable[[Said], None], loc: str, message: str
) -> None:
    said = copy.deepcopy(base)
    change(said)
    found = judged(said)
    assert any(where == loc and message in what for where, what in found), found


def test_every_check_has_a_case() -> None:
    """Taking any one check away leaves some case undetected: no check is dead, none is untested."""
    findings: dict[str, int] = {f"{check.__module__}.{check.__name__}": 0 for check in coherence.CHECKS}
    for base, change, loc, message in CASES:
        said = copy.deepcopy(base)
        change(said)
        cluster = model.Cluster.model_validate_json(json.dumps(said), strict=True)
        for check in coherence.CHECKS:
            for problem in check(cluster):
                if dotted(problem.loc) == loc and message in problem.message:
                    findings[f"{check.__module__}.{check.__name__}"] += 1
    assert [name for name, count in findings.items() if count == 0] == []


def test_contradictions_of_all_layers_come_at_once() -> None:
    said = copy.deepcopy(LAB)
    for change in (put(f"{LEAF1}/rack", "r9"), put("pools/inference/mig", "all-9g"), put("acceptance/fan_in", 16)):
        change(said)
    assert len(judged(said)) >= 3


@pytest.mark.parametrize("server", ["cp-01", "inf-01"])
def test_a_domain_that_there_is_not_is_the_only_problem_of_a_blade(server: str) -> None:
    said = copy.deepcopy(PROD)
    put(f"servers/{server}/domain", "x-serie")(said)
    assert judged(said) == [(f"servers.{server}.domain", 'there is no domain "x-serie"')]


def test_a_coherent_cluster_has_no_problem() -> None:
    assert judged(LAB) == []
    assert judged(PROD) == []


def test_a_sites_own_figures_take_the_place_of_the_catalogues_estimate() -> None:
    said = copy.deepcopy(PROD)
    put("site/racks/g1/power_kw", 20)(said)
    assert "20.4 kW stand in this rack" in judged(said)[0][1]
    put("site/watts", {"UCSC-885A-M8": 7900})(said)
    assert judged(said) == []
