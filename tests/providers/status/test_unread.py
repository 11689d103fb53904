"""Of a kind that the API server could not show nothing is called absent: neither an object, nor what it would do."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from podwright.cli.etcd_backup import backup
from podwright.cli.infrastructure import placement
from podwright.cli.offers import offers
from podwright.cli.operators import versions
from podwright.cli.queues import lines
from podwright.components.model import Cluster
from podwright.components.providers.status import claims, control_plane, installation, mesh, nics, queues, tuned
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.host_networks import off_plan
from podwright.components.providers.status.lost_nodes import troubles
from podwright.components.providers.status.snapshot import COLLECTIONS, Snapshot
from podwright.components.providers.status.verdict import Expected
from tests.cli import test_etcd_backup as etcd_backup
from tests.cli import test_infrastructure as infrastructure
from tests.cli.test_queue_lines import _stack
from tests.cli.test_status import CLUSTER
from tests.design.goldens import cluster
from tests.design.platform import test_block_storage as block_storage
from tests.model.queue_pool_cases import SEVERAL
from tests.providers.status import test_claims as claimed
from tests.providers.status import test_diagnosis as chain
from tests.providers.status import test_mesh as meshed

AWAY = "the server is currently unable to handle the request"
JOB: dict[str, Any] = {
    "metadata": {"name": "j", "namespace": "n", "labels": {queues.QUEUE: "q"}}, "spec": {"suspend": True},
}  # fmt: skip
GIVEN_UP: dict[str, Any] = {
    "metadata": {"name": "training"},
    "status": {"unhealthyNodes": [{"name": "gpu-01", "remediations": [{"resource": {"name": "r"}, "started": "t"}]}]},
}


def _lines(snapshot: Snapshot) -> list[str]:
    return [each.text for each in lines(_stack(SEVERAL), snapshot)]


def _waiting(snapshot: Snapshot) -> list[str]:
    found = queues.waiting(snapshot, JOB)
    return [found.reason] if found else []


def _stored() -> Cluster:
    lab = cluster("lab")
    pool = lab.pools["inference"].model_copy(update={"block_storage": block_storage._defined("netapp-ontap", "iscsi")})
    return lab.model_copy(update={"pools": {**lab.pools, "inference": pool}})


def _backup(snapshot: Snapshot) -> list[str]:
    found = backup(etcd_backup._stack(), snapshot, datetime.now(UTC))
    return [found.text] if found else []


def _placed(snapshot: Snapshot) -> list[str]:
    found = placement(infrastructure.CLUSTER, snapshot)
    return list(found.off) if found else []


NODE = {"ZTunnel": (meshed._part("True"),), "Node": (meshed._node("gpu-01", "shared"),)}
CLAIM = {"PersistentVolumeClaim": (claimed._claim("Pending"),)}
RAILS = {"rails": {0: ["0000:09:00.0"]}, "template": {}}
Sentences = Callable[[Snapshot], list[str]]
ABSENT: dict[str, tuple[str, str, dict[str, Any], Sentences]] = {
    "claim": ("PersistentVolumeClaim", "there is no claim", {}, lambda s: [*claims.waiting(s, claimed.POD)]),
    "class": ("StorageClass", "there is no StorageClass", CLAIM, lambda s: [*claims.waiting(s, claimed.POD)]),
    "workload": ("Workload", "Kueue has not seen it", {}, _waiting),
    "queue": ("ClusterQueue", "there is no ClusterQueue", {}, lambda s: [queues.inactive(s, "research")]),
    "queue's lines": ("ClusterQueue", "no ClusterQueue", {}, _lines),
    "backup": ("CronJob", "no CronJob", {}, _backup),
    "routers": ("RouterPod", "0 of 2 routers", {}, _placed),
    "monitoring": ("MonitoringPod", "no pod of", {}, _placed),
    "release": ("ClusterVersion", "does not say", {}, lambda s: [*installation.off_plan(s, "4.20.1", "", {})]),
    "network": ("NodeNetworkState", "reports no network", {}, lambda s: [*off_plan(s, "gpu-01", [], {}, [])]),
    "tuned": ("TunedProfile", "reports no Tuned", {}, lambda s: [*tuned.untuned(s, ["gpu-01"], "p")]),
    "storage": (
        "MachineConfigPool", "do not have their block storage", {},
        lambda s: [text for each in offers(_stored(), s) for text in each.troubles],
    ),
    "nics": ("NicDevice", "no NicDevice shows", {}, lambda s: [*nics.out_of_class(s, ["gpu-01"], RAILS)]),
    "operators": ("ClusterServiceVersion", "absent", {}, lambda s: [*versions(CLUSTER, s)]),
    "mesh": ("Network", "does not ask for it", NODE, lambda s: [*mesh.unready(s)]),
    "remediation": ("SelfNodeRemediation", "it has begun", {"NodeHealthCheck": (GIVEN_UP,)}, lambda s: [*troubles(s)]),
}  # fmt: skip


@pytest.mark.parametrize("case", ABSENT)
def test_what_could_not_be_read_is_not_called_absent(case: str) -> None:
    kind, words, objects, page = ABSENT[case]
    assert any(words in each for each in page(Snapshot(objects))), "the sentence that this is about"
    assert not any(words in each for each in page(Snapshot(objects, unread={kind: AWAY})))


@pytest.mark.parametrize("kind", [
    "Subscription", "ClusterServiceVersion", "NodeFeatureDiscovery", "ClusterPolicy", "SriovNetworkNodePolicy",
    "SriovOperatorConfig", "NetworkAttachmentDefinition",
])  # fmt: skip
def test_a_pods_chain_ends_where_it_could_not_be_followed(kind: str) -> None:
    objects = chain._healthy()
    objects[kind] = []
    if kind == "NodeFeatureDiscovery":
        chain._no_nfd_label(objects)
    elif kind in ("Subscription", "ClusterServiceVersion", "ClusterPolicy"):
        chain._without_gpu(objects)
    elif kind.startswith("Sriov"):
        del objects["Node"][0]["status"]["allocatable"]["openshift.io/rail0"]
    seen = Snapshot({name: tuple(each) for name, each in objects.items()}, unread={kind: AWAY})
    (verdict,) = diagnose(seen, [chain.PRETRAIN])
    many = kind.replace("Policy", "Policie").replace("Discovery", "Discoverie") + "s"
    assert (verdict.state, verdict.reason) == ("Pending", f"{many} could not be read: {AWAY}")


@pytest.mark.parametrize("kind", ["OperatorGroup", "InstallPlan"])
def test_an_operator_that_is_not_installed_is_followed_as_far_as_it_can_be_seen(kind: str) -> None:
    objects = chain._healthy()
    chain._drop("ClusterServiceVersion", "gpu-operator-certified.v26.7.0")(objects)
    objects[kind] = []
    seen = Snapshot({name: tuple(each) for name, each in objects.items()}, unread={kind: AWAY})
    assert [each.reason for each in diagnose(seen, [chain.PRETRAIN])] == [f"{kind}s could not be read: {AWAY}"]


@pytest.mark.parametrize(("kind", "unread"), [
    ("Deployment", "Deployment"), ("Deployment", "ReplicaSet"), ("Job", "Job"), ("JobSet", "JobSet"),
    ("JobSet", "Job"), ("TrainJob", "TrainJob"), ("TrainJob", "JobSet"), ("TrainJob", "Job"),
])  # fmt: skip
def test_no_workload_misses_pods_that_nobody_can_count(kind: str, unread: str) -> None:
    row = {"metadata": {"name": "w", "namespace": "n", "uid": "w"}, "spec": {"template": {"spec": {}}}}
    objects = {"Namespace": ({"metadata": {"name": "n"}},), kind: () if kind == unread else (row,)}
    assert diagnose(Snapshot(objects, unread={unread: AWAY}), [Expected(kind, "n", "w", 1)]) == []


def test_an_account_that_could_not_be_read_is_no_reason() -> None:
    objects = chain._without_pods()
    objects["ServiceAccount"] = []
    seen = Snapshot({name: tuple(each) for name, each in objects.items()}, unread={"ServiceAccount": AWAY})
    (verdict,) = diagnose(seen, [chain.PRETRAIN])
    assert verdict.reason == "1 of 1 pods do not exist: their controller has not made them yet"


def test_a_store_whose_limit_could_not_be_read_is_not_measured_by_it() -> None:
    full = {"etcd-0": 7 << 30}
    assert control_plane.store(Snapshot(stored=full)) and [*control_plane.troubles(Snapshot(stored=full))]
    seen = Snapshot(stored=full, unread={"Etcd": AWAY})
    assert control_plane.store(seen) == ""
    assert [*control_plane.troubles(seen)] == [f"Etcds could not be read: {AWAY}"]


def test_each_kind_has_a_plural() -> None:
    found = {kind: Snapshot(unread={kind: ""}).unseen(kind).partition(" could")[0] for kind in COLLECTIONS}
    irregular = {kind: many for kind, many in found.items() if many not in (f"{kind}s", kind)}
    assert irregular == {
        "StorageClass": "StorageClasses",
        **{
            kind: f"{kind.removesuffix('y')}ies"
            for kind in COLLECTIONS
            if kind.endswith("Policy") or kind == "NodeFeatureDiscovery"
        },
    }
