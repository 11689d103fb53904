"""The first broken link of a pod's chain is the reason that is shown; live objects are the only evidence."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from podwright.components.providers.status.diagnosis import diagnose as diagnose_all
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.verdict import Expected, Verdict

Objects = dict[str, list[dict[str, Any]]]
LABELS = {
    "podwright.io/pool": "training",
    "feature.node.kubernetes.io/pci-10de.present": "true",
    "nvidia.com/gpu.product": "NVIDIA-H200",
}


PRETRAIN = Expected("Job", "research", "pretrain", 1)


def diagnose(objects: Objects, expected: Expected = PRETRAIN) -> list[Verdict]:
    """As the screen asks, of objects as a test writes them."""
    return diagnose_all(Snapshot({kind: tuple(each) for kind, each in objects.items()}), [expected])


def _meta(name: str, namespace: str | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "uid": f"uid-{name}", **({"namespace": namespace} if namespace else {}), **more}


def _operator(package: str, namespace: str, csv: str) -> Objects:
    return {
        "Subscription": [
            {
                "metadata": _meta(package, namespace),
                "spec": {"name": package, "startingCSV": csv},
                "status": {"installedCSV": csv},
            }
        ],
        "OperatorGroup": [{"metadata": _meta(f"{package}-group", namespace), "spec": {}}],
        "InstallPlan": [
            {
                "metadata": _meta(f"install-{package}", namespace),
                "spec": {"clusterServiceVersionNames": [csv], "approved": True},
            }
        ],
        "ClusterServiceVersion": [{"metadata": _meta(csv, namespace), "status": {"phase": "Succeeded"}}],
    }


def _healthy() -> Objects:
    objects: Objects = {
        "Node": [
            {
                "metadata": _meta("gpu-01", labels=dict(LABELS)),
                "status": {
                    "allocatable": {"nvidia.com/gpu": "8", "openshift.io/rail0": "1"},
                    "conditions": [{"type": "Ready", "status": "True"}],
                },
            }
        ],
        "Pod": [
            {
                "metadata": _meta(
                    "pretrain-0",
                    "research",
                    annotations={"k8s.v1.cni.cncf.io/networks": "rail0@net1"},
                    ownerReferences=[{"uid": "uid-pretrain"}],
                ),
                "spec": {
                    "nodeSelector": {"podwright.io/pool": "training", "nvidia.com/gpu.product": "NVIDIA-H200"},
                    "containers": [
                        {
                            "resources": {
                                "requests": {"cpu": "8", "nvidia.com/gpu": "8", "openshift.io/rail0": "1"},
                            }
                        }
                    ],
                },
                "status": {"phase": "Pending"},
            }
        ],
        "Namespace": [{"metadata": _meta("research")}],
        "ServiceAccount": [{"metadata": _meta("training", "research")}],
        "Job": [
            {
                "metadata": _meta("pretrain", "research"),
                "spec": {"template": {"spec": {"serviceAccountName": "training"}}},
            }
        ],
        "NodeFeatureDiscovery": [{"metadata": _meta("nfd", "openshift-nfd")}],
        "ClusterPolicy": [{"metadata": _meta("gpu"), "status": {"state": "ready"}}],
        "SriovOperatorConfig": [{"metadata": _meta("default", "openshift-sriov-network-operator")}],
        "SriovNetworkNodePolicy": [
            {"metadata": _meta("rail0", "openshift-sriov-network-operator"), "spec": {"resourceName": "rail0"}}
        ],
        "NetworkAttachmentDefinition": [{"metadata": _meta("rail0", "research")}],
        "MachineConfigPool": [],
    }
    for package, namespace, csv in (
        ("nfd", "openshift-nfd", "nfd.4.22.0"),
        ("gpu-operator-certified", "nvidia-gpu-operator", "gpu-operator-certified.v26.7.0"),
        ("sriov-network-operator", "openshift-sriov-network-operator", "sriov-network-operator.v4.22.0"),
    ):
        for kind, members in _operator(package, namespace, csv).items():
            objects.setdefault(kind, []).extend(members)
    return objects


def _without_gpu(objects: Objects) -> None:
    node = objects["Node"][0]
    del node["status"]["allocatable"]["nvidia.com/gpu"]
    del node["metadata"]["labels"]["nvidia.com/gpu.product"]


def _drop(kind: str, name: str, gpu: bool = True) -> Callable[[Objects], None]:
    def change(objects: Objects) -> None:
        objects[kind] = [each for each in objects[kind] if each["metadata"]["name"] != name]
        if gpu:
            _without_gpu(objects)

    return change


def _no_rail(objects: Objects) -> None:
    _drop("SriovNetworkNodePolicy", "rail0", gpu=False)(objects)
    del objects["Node"][0]["status"]["allocatable"]["openshift.io/rail0"]


def _unapproved(objects: Objects) -> None:
    _drop("ClusterServiceVersion", "gpu-operator-certified.v26.7.0")(objects)
    plan = next(each for each in objects["InstallPlan"] if each["metadata"]["name"] == "install-gpu-operator-certified")
    plan["spec"]["approved"] = False


def _no_discovery(objects: Objects) -> None:
    objects["NodeFeatureDiscovery"] = []
    _no_nfd_label(objects)


def _no_nfd_label(objects: Objects) -> None:
    del objects["Node"][0]["metadata"]["labels"]["feature.node.kubernetes.io/pci-10de.present"]
    _without_gpu(objects)


BROKEN: dict[str, tuple[Callable[[Objects], None], str]] = {
    "no NFD instance": (_no_discovery, "there is no NodeFeatureDiscovery"),
    "no NFD label": (_no_nfd_label, "gpu-01 not labelled feature.node.kubernetes.io/pci-10de.present"),
    "no ClusterPolicy": (_drop("ClusterPolicy", "gpu"), "there is no ClusterPolicy"),
    "no GPU CSV": (
        _drop("ClusterServiceVersion", "gpu-operator-certified.v26.7.0"),
        "gpu-operator-certified.v26.7.0 is not installed in nvidia-gpu-operator",
    ),
    "install plan waits": (
        _unapproved,
        "InstallPlan install-gpu-operator-certified for gpu-operator-certified.v26.7.0 waits for approval",
    ),
    "no rail policy": (_no_rail, "no SriovNetworkNodePolicy makes openshift.io/rail0"),
    "no network": (
        _drop("NetworkAttachmentDefinition", "rail0", gpu=False),
        "network research/rail0 does not exist",
    ),
    "no pool label": (
        lambda objects: objects["Node"][0]["metadata"]["labels"].pop("podwright.io/pool"),
        "no node carries podwright.io/pool=training",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_names_the_first_broken_link(case: str) -> None:
    change, reason = BROKEN[case]
    objects = copy.deepcopy(_healthy())
    change(objects)
    (verdict,) = diagnose(objects)
    assert (verdict.state, verdict.reason) == ("Pending", reason)


@pytest.mark.parametrize(("pool", "reason"), [
    ("training", "NicNodePolicy training is notReady"), ("other", "ClusterPolicy gpu is notReady"),
])  # fmt: skip
def test_the_gpu_driver_waits_for_the_nic_driver_of_the_nodes_own_pool(pool: str, reason: str) -> None:
    objects = _healthy()
    _without_gpu(objects)
    objects["Node"][0]["metadata"]["labels"]["feature.node.kubernetes.io/pci-15b3.present"] = "true"
    package = "nvidia-network-operator"
    for kind, members in _operator(package, package, f"{package}.v26.4.1").items():
        objects.setdefault(kind, []).extend(members)
    objects["ClusterPolicy"][0]["status"] = {"state": "notReady"}
    objects["NicClusterPolicy"] = [{"metadata": _meta("nic-cluster-policy"), "status": {"state": "ready"}}]
    policy = {"metadata": _meta(pool), "spec": {"nodeSelector": {"podwright.io/pool": pool}}}
    objects["NicNodePolicy"] = [{**policy, "status": {"state": "notReady"}}]
    (verdict,) = diagnose(objects)
    assert verdict.reason == reason


def test_a_subscription_may_go_while_its_operator_runs() -> None:
    objects = _healthy()
    _drop("Subscription", "nfd", gpu=False)(objects)
    objects["ClusterPolicy"] = []
    _without_gpu(objects)
    (verdict,) = diagnose(objects)
    assert verdict.reason == "there is no ClusterPolicy"


def test_a_running_pod_says_its_pool_and_what_it_takes() -> None:
    objects = _healthy()
    pod = objects["Pod"][0]
    pod["spec"]["nodeName"] = "gpu-01"
    pod["status"] = {"phase": "Running"}
    (verdict,) = diagnose(objects)
    assert verdict.node == "gpu-01"
    assert verdict.reason == "pool training: 8 × nvidia.com/gpu, rails 0"


def _without_pods() -> Objects:
    objects = _healthy()
    objects["Pod"] = []
    return objects


def test_an_owner_without_pods_is_shown_with_what_its_controller_said() -> None:
    objects = _without_pods()
    said = 'pods "pretrain-0-abcde" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8'
    objects["Event"] = [
        {
            "metadata": _meta(stamp, "research"),
            "involvedObject": {"uid": "uid-pretrain"},
            "type": "Warning",
            "message": message,
            "lastTimestamp": stamp,
        }
        for stamp, message in (("2026-01-01T00:00:01Z", said), ("2026-01-01T00:00:00Z", "something older"))
    ]
    (verdict,) = diagnose(objects)
    wanted = "1 of 1 pods do not exist: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8"
    assert (verdict.state, verdict.reason) == ("Absent", wanted)


def test_a_pod_that_is_being_replaced_does_not_hide_the_missing_one() -> None:
    objects = _healthy()
    objects["Pod"][0]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert [each.state for each in diagnose(objects)] == ["Absent", "Pending"]


ABSENT: dict[str, tuple[str, str]] = {
    "Namespace": ("research", "there is no namespace research"),
    "Job": ("pretrain", "there is no Job research/pretrain"),
    "ServiceAccount": ("training", "1 of 1 pods do not exist: there is no ServiceAccount research/training"),
}


@pytest.mark.parametrize("kind", ABSENT)
def test_what_a_workload_stands_on_is_named_where_it_is_gone(kind: str) -> None:
    name, reason = ABSENT[kind]
    objects = _without_pods()
    _drop(kind, name, gpu=False)(objects)
    assert [each.reason for each in diagnose(objects)] == [reason]


def test_a_job_that_is_done_misses_nothing() -> None:
    objects = _without_pods()
    objects["Job"][0]["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    assert diagnose(objects) == []


def test_a_deployment_counts_the_pods_of_its_replica_sets() -> None:
    objects = _without_pods()
    template: dict[str, Any] = {"template": {"spec": {}}}
    objects["ServiceAccount"].append({"metadata": _meta("default", "chat")})
    objects["Namespace"].append({"metadata": _meta("chat")})
    objects["Deployment"] = [{"metadata": _meta("chat", "chat"), "spec": template}]
    objects["ReplicaSet"] = [
        {"metadata": _meta("chat-1", "chat", ownerReferences=[{"uid": "uid-chat"}]), "spec": template}
    ]
    objects["Pod"] = [
        {
            "metadata": _meta(f"chat-1-{number}", "chat", ownerReferences=[{"uid": "uid-chat-1"}]),
            "spec": {"nodeName": "inf-01"},
            "status": {"phase": "Running"},
        }
        for number in range(2)
    ]
    states = [each.state for each in diagnose(objects, Expected("Deployment", "chat", "chat", 3))]
    assert states == ["Absent", "Running", "Running"]


def test_a_claim_that_is_pending_is_a_reason_beside_the_first_broken_link() -> None:
    objects = _healthy()
    objects["Pod"][0]["spec"]["volumes"] = [{"name": "claim-corpus", "persistentVolumeClaim": {"claimName": "corpus"}}]
    objects["Pod"][0]["status"] = {"phase": "Pending"}
    (verdict,) = diagnose(objects)
    assert verdict.reason == "there is no claim research/corpus"
