"""Queues of training jobs: every object, and what of the file decides it."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.image_set import image_set
from podwright.components.model import Cluster, nominal
from tests.design import whole
from tests.design.goldens import cluster
from tests.model.changes import LAB, Said, both, put

GOLDEN = Path(__file__).with_name("queues.yaml")
QUEUED = both(
    put("openshift/queues", {"pool": "training"}),
    put("openshift/teams", {"research": {"gpus": 24}, "vision": {"gpus": 16}, "chat": {"slices": {"1g.18gb": 14}}}),
)
"""Two teams with GPUs of one pool, and one without any."""
BORROWED = both(QUEUED, put("openshift/queues/borrow", True))
ROUTED = put("fabric/host_ports", "routed")
SPARES_OTHERS = {"policy": "LowerPriority", "maxPriorityThreshold": -(2**31)}


def _stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    for change in changes:
        change(written)
    return Cluster.model_validate(written)


def _settings(stack: Cluster) -> list[dict[str, Any]]:
    return [each for operator in whole.operators(stack) for each in operator.settings if "kueue" in each["apiVersion"]]


def _kind(stack: Cluster, kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in _settings(stack) if each["kind"] == kind}


def _job(stack: Cluster) -> dict[str, Any]:
    (found,) = (each for each in whole.workloads(stack) if each["kind"] == "Job")
    return found


def test_every_object_of_two_teams_queues_word_by_word() -> None:
    (kueue,) = (each for each in whole.operators(_stack(QUEUED)) if each.name == "kueue-operator")
    assert list(kueue.manifests) == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_without_the_key_nothing_is_planned_for_queues() -> None:
    plain = whole.operators(cluster("lab"))
    assert not {"kueue-operator", "openshift-cert-manager-operator"} & {each.name for each in plain}
    assert "podwright.io/rack" not in str(whole.platform(cluster("lab")).nodes)
    assert "kueue" not in str(whole.workloads(cluster("lab"))) + str(whole.platform(cluster("lab")).manifests)


def test_a_queue_covers_everything_that_a_pod_of_a_job_asks_for() -> None:
    """Kueue never admits a job that asks for a resource which its queue does not cover."""
    asks = both(put("workloads/training/pretrain/hugepages_gib", 8), put("workloads/training/pretrain/home_gib", 40))
    stack = _stack(QUEUED, put("pools/training/hugepages_gib", 16), asks)
    (group,) = _kind(stack, "ClusterQueue")["research"]["spec"]["resourceGroups"]
    asked = _job(stack)["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]
    assert set(asked) <= set(group["coveredResources"])
    assert [row["name"] for row in group["flavors"][0]["resources"]] == group["coveredResources"]


def test_a_queue_has_what_the_teams_services_leave_of_its_gpus() -> None:
    serves = put("workloads/inference/chat", {**LAB["workloads"]["inference"]["chat"], "team": "research", "gpus": 3,
                                              "replicas": 2, "slice": None})  # fmt: skip
    assert nominal(_stack(QUEUED)) == {"research": {"training": 24}, "vision": {"training": 16}}
    assert nominal(_stack(QUEUED, serves)) == {"research": {"training": 18}, "vision": {"training": 16}}


def test_queues_that_borrow_are_one_cohort_and_their_namespaces_take_what_is_borrowed() -> None:
    found = _kind(_stack(BORROWED), "ClusterQueue")
    assert {each["spec"].get("cohortName") for each in found.values()} == {"podwright"}
    assert found["vision"]["spec"]["preemption"] == {"reclaimWithinCohort": "Any"}
    own, all_of_it = {"research": "24", "vision": "16"}, {"research": "40", "vision": "40"}
    for changes, expected in ((QUEUED, own), (BORROWED, all_of_it)):
        quotas = {
            each["metadata"]["namespace"]: each["spec"]["hard"]["requests.nvidia.com/gpu"]
            for each in whole.platform(_stack(changes)).manifests
            if each["kind"] == "ResourceQuota" and each["metadata"]["namespace"] != "chat"
        }
        assert quotas == expected


def test_a_team_with_a_batch_job_lets_its_other_jobs_stop_it_and_nothing_else_changes() -> None:
    """Kueue takes a job's priority from its pods' class where it names no WorkloadPriorityClass."""
    for changes in (QUEUED, BORROWED):
        plain, batch = _stack(changes), _stack(changes, put("workloads/training/pretrain/priority", "batch"))
        before, after = _kind(plain, "ClusterQueue"), _kind(batch, "ClusterQueue")
        assert after["vision"] == before["vision"], "its team has none"
        stops = before["research"]["spec"].get("preemption", {})
        more = {"borrowWithinCohort": SPARES_OTHERS} if stops else {}
        assert after["research"]["spec"]["preemption"] == {**stops, "withinClusterQueue": "LowerPriority", **more}
        classes = [_job(each)["spec"]["template"]["spec"]["priorityClassName"] for each in (plain, batch)]
        assert classes == ["podwright-training", "podwright-batch"]
        made = {each["metadata"]["name"] for each in whole.platform(batch).manifests if each["kind"] == "PriorityClass"}
        assert made - {"podwright-training", "podwright-inference"} == {"podwright-batch"}


def test_levels_are_the_labels_that_nodes_of_the_pool_have_and_a_pool_off_the_rails_has_no_leaf_groups() -> None:
    stack = _stack(QUEUED)
    (topology,) = _kind(stack, "Topology").values()
    labels = [row["nodeLabel"] for row in topology["spec"]["levels"]]
    assert labels == ["podwright.io/leaf-group", "podwright.io/rack", "kubernetes.io/hostname"]
    for node in whole.platform(stack).nodes:
        own = node["metadata"]["labels"]
        assert (set(labels[:-1]) <= set(own)) == (own["podwright.io/pool"] == "training")
    (plain,) = _kind(_stack(QUEUED, put("pools/training/rails", False)), "Topology").values()
    assert [row["nodeLabel"] for row in plain["spec"]["levels"]] == labels[1:]
    assert plain["metadata"]["name"] != topology["metadata"]["name"], "levels cannot change in place"


def test_the_flavor_selects_the_pools_nodes_and_brings_what_their_taint_asks_for() -> None:
    (flavor,) = _kind(_stack(QUEUED), "ResourceFlavor").values()
    assert flavor["spec"]["nodeLabels"] == {"podwright.io/pool": "training"}
    job = _job(_stack(QUEUED))["spec"]["template"]["spec"]
    assert job["tolerations"] == flavor["spec"]["tolerations"], "Kueue adds none, and the job stays as it was planned"


@pytest.mark.parametrize(("changes", "word", "bound"), [([], "required", True), ([ROUTED], "preferred", False)])
def test_a_job_is_kept_in_one_leaf_group_unless_the_fabric_routes_between_them(
    changes: list[Any], word: str, bound: bool
) -> None:
    stack = _stack(QUEUED, *changes)
    job = _job(stack)
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "training"
    template = job["spec"]["template"]
    notes = {key: value for key, value in template["metadata"]["annotations"].items() if "kueue" in key}
    assert notes == {f"kueue.x-k8s.io/podset-{word}-topology": "podwright.io/leaf-group"}
    assert ("podwright.io/leaf-group" in template["spec"]["nodeSelector"]) == bound, "rails of a group are its own"
    assert "suspend" not in job["spec"], "Kueue's own field"


def test_what_it_waits_for_is_mirrored_and_a_site_may_have_its_own_cert_manager() -> None:
    def packages(stack: Cluster) -> set[str]:
        rows = image_set(stack).document["mirror"]["operators"]
        return {each["name"] for row in rows for each in row["packages"]}

    both_of_them = {"kueue-operator", "openshift-cert-manager-operator"}
    assert both_of_them <= packages(_stack(QUEUED))
    own = _stack(QUEUED, put("openshift/queues/cert_manager", False))
    assert both_of_them & packages(own) == {"kueue-operator"}
    assert [each.name for each in whole.operators(own)][-1:] == ["kueue-operator"]


def test_quantities_are_written_as_kueue_writes_them_back() -> None:
    memory = [put(f"servers/gpu-0{index}/memory_gib", 2048) for index in range(1, 6)]
    cores = [put(f"servers/gpu-0{index}/cores", 100) for index in range(1, 6)]
    (group,) = _kind(_stack(QUEUED, *memory, *cores), "ClusterQueue")["research"]["spec"]["resourceGroups"]
    amounts = {row["name"]: row["nominalQuota"] for row in group["flavors"][0]["resources"]}
    assert (amounts["cpu"], amounts["memory"]) == ("1k", "10Ti")


def test_the_operators_own_settings_are_all_written() -> None:
    """What a later release of it takes by itself would change how jobs start."""
    (plain,) = _kind(_stack(QUEUED), "Kueue").values()
    assert plain["spec"]["config"]["gangScheduling"] == {"policy": "None"}
    (evicts,) = _kind(_stack(QUEUED, put("openshift/queues/evict_unready", True)), "Kueue").values()
    assert evicts["spec"]["config"]["gangScheduling"]["policy"] == "ByWorkload"
    assert set(plain["spec"]["config"]) == {"integrations", "workloadManagement", "gangScheduling", "preemption"}
