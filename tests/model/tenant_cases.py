"""Tenants of the fabric and teams: a stack in which each of two teams has one, and what is refused of it."""

import copy
from collections.abc import Callable

import yaml

from tests.model.changes import LAB, Said, both, drop, put
from tools.generated import ROOT

TENANTS, TEAMS, JOBS = "fabric/tenancy/tenants", "openshift/teams", "workloads/training"
QUEUED = put("openshift/queues", {"pool": "training", "borrow": True})


def _joined() -> Said:
    """Two servers of tenant blue, three of red; no job waits in a queue."""
    text = (ROOT / "tests/examples/vrf/Pulumi.vrf.yaml").read_text()
    said: Said = copy.deepcopy(yaml.safe_load(text)["config"]["podwright:cluster"])
    second = {**said["workloads"]["training"]["pretrain"], "team": "vision", "nodes": 3}
    for change in (
        put(f"{TENANTS}/red", {"index": 2, "groups": [2]}),
        put(f"{TEAMS}/research/tenant", "blue"),
        put(f"{TEAMS}/vision", {"gpus": 24, "tenant": "red"}),
        put(f"{JOBS}/segment", second),
    ):
        change(said)
    return said


JOINED = _joined()
LEAF = {
    "model": "N9K-C9364D-GX2A", "index": 5, "management": "192.0.2.15", "asn": 64605, "rack": "r1",
    "rails": [*range(8)], "group": 3,
}  # fmt: skip
"""Of a third leaf group, which has no server."""


def _nominal(team: str, gpus: int) -> Callable[[Said], None]:
    return put("openshift/queues/teams", {team: {"nominal": {"training": gpus}}})


CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (JOINED, put(f"{TEAMS}/vision/tenant", "rde"), "openshift.teams.vision.tenant", 'there is no tenant "rde"'),
    (LAB, put(f"{TEAMS}/research/tenant", "blue"), "openshift.teams.research.tenant", "the fabric has no tenants"),
    (
        JOINED,
        both(put(f"{TENANTS}/default", {"index": 3, "groups": [2]}), drop(f"{TENANTS}/red"),
             put(f"{TEAMS}/vision/tenant", "default")),
        "fabric.tenancy.tenants.default",
        "every switch has a VRF default of its own",
    ),
    # a job finds its servers within the tenant
    (
        JOINED,
        put(f"{JOBS}/pretrain/nodes", 3),
        "workloads.training.pretrain.nodes",
        "3 servers asked, 2 of pool training are alike in one leaf group of tenant blue, which team research is of",
    ),
    (
        JOINED,
        drop(f"{TEAMS}/vision/tenant"),
        "workloads.training.segment.pool",
        "pool training has no server in a leaf group of no tenant, and team vision has none",
    ),
    (
        JOINED,
        both(put(f"{TENANTS}/red/groups", [3]), drop(f"{JOBS}/pretrain"),
             put("fabric/leaves/leaf-05", LEAF)),
        "workloads.training.segment.pool",
        "pool training has no server of tenant red, which team vision is of",
    ),
    # jobs beside each other take what their own tenant has
    (
        JOINED,
        put(f"{JOBS}/third", JOINED["workloads"]["training"]["pretrain"]),
        "workloads.training.third.nodes",
        "0 of 2 members find a server of pool training beside",
    ),
    # quotas are of the tenant's own servers
    (
        JOINED,
        both(QUEUED, put(f"{TEAMS}/research/gpus", 17), put(f"{TEAMS}/vision/gpus", 23),
             put(f"{JOBS}/segment/nodes", 2)),
        "openshift.teams.research.gpus",
        "queues of 17 GPUs (research 17) on pool training, of which tenant blue has 16",
    ),
    (
        JOINED,
        both(QUEUED, put("openshift/queues/teams", {"vision": {"nominal": {"training": 20},
                                                               "borrow": {"training": 8}}})),
        "openshift.queues.teams.vision.borrow.training",
        "up to 8 GPUs borrowed, and others lend 0 of pool training at most",
    ),
    (
        JOINED,
        both(QUEUED, put(f"{TEAMS}/vision/gpus", 16)),
        "workloads.training.segment.nodes",
        "24 GPUs asked, on 3 servers, all queues of pool training have 16",
    ),
    # a queue of no server has no flavor, which Kueue's API refuses
    (
        JOINED,
        both(QUEUED, put(f"{TEAMS}/extra", {"gpus": 0}), _nominal("extra", 0)),
        "openshift.queues.teams.extra.nominal.training",
        "pool training has no server in a leaf group of no tenant, and team extra has none",
    ),
    (
        JOINED,
        both(QUEUED, put(f"{TEAMS}/vision/gpus", 16), put(f"{JOBS}/segment/nodes", 2),
             put(f"{TEAMS}/extra", {"gpus": 8}), _nominal("extra", 8)),
        "openshift.queues.teams.extra.nominal.training",
        "pool training has no server in a leaf group of no tenant, and team extra has none",
    ),
    (
        JOINED,
        both(QUEUED, put(f"{TENANTS}/green", {"index": 3, "groups": [3]}), put("fabric/leaves/leaf-05", LEAF),
             put(f"{TEAMS}/extra", {"gpus": 0, "tenant": "green"}), _nominal("extra", 0)),
        "openshift.queues.teams.extra.nominal.training",
        "pool training has no server of tenant green, which team extra is of",
    ),
]  # fmt: skip
