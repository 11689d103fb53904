"""Queues in the graph: behind what offers GPUs and the teams' namespaces, before the jobs that wait in them."""

import copy
from collections.abc import Mapping
from typing import Any

from podwright.components.model import Cluster, load
from tests.components.recording import Registered, register
from tests.components.test_graph import JOIN, all_before, named, of
from tests.design import whole
from tests.design.with_set import with_set
from tests.design.with_train_job import with_train_job
from tests.model.changes import LAB
from tests.model.queue_pool_cases import SEVERAL
from tools.generated import ROOT

API = "kubernetes:kueue.x-k8s.io/v1beta2"
IN_USE = "podwright:openshift:QueueInUse"


def test_kueue_comes_behind_cert_manager_and_gpus_and_jobs_come_behind_their_queues() -> None:
    cluster = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    seen = register(cluster)
    order = ["cert-manager-install", "kueue-install"]
    certified, installed = (named(seen, name) for name in order)
    (kueue,) = of(seen, "kubernetes:kueue.openshift.io/v1:Kueue")
    # The operator's own object, which it has made by then: a patch, so that it is nobody's to take over or delete.
    (placed,) = of(seen, "kubernetes:operator.openshift.io/v1alpha1:CertManagerPatch")
    assert certified.inputs["spec"]["brings"] == ["/apis/operator.openshift.io/v1alpha1/certmanagers/cluster"]
    assert all_before(seen, placed, [certified]) and all_before(seen, installed, [placed])
    assert all_before(seen, certified, of(seen, "kubernetes:nvidia.com/v1:ClusterPolicy"))
    chain = [[installed], [kueue], *(of(seen, f"{API}:{kind}") for kind in ("Topology", "ResourceFlavor"))]
    queues, local = of(seen, f"{API}:ClusterQueue"), of(seen, f"{API}:LocalQueue")
    assert len(queues) == len(local) == 2
    for before, after in zip([*chain, queues], [*chain[1:], queues, local], strict=True):
        assert before and all(all_before(seen, each, before) for each in after)
    spaces = [each for each in of(seen, "kubernetes:core/v1:Namespace") if "kueue" in str(each.inputs["metadata"])]
    assert {each.inputs["metadata"]["name"] for each in spaces} >= {"research", "vision"}
    jobs = of(seen, "kubernetes:batch/v1:Job")
    assert len(jobs) == 2 and all(all_before(seen, each, [*queues, *local]) for each in jobs)
    # The API server refuses an update of it, which the plugin would try (tests/lab/openshift/test_gangs.py).
    assert all("spec.podFailurePolicy" in each.made_again for each in jobs)
    planned = {each["metadata"]["name"]: each for each in whole.workloads(cluster) if each["kind"] == "Job"}
    for each in jobs:
        name = each.inputs["metadata"]["name"]
        assert each.inputs["metadata"]["labels"].items() >= planned[name]["metadata"]["labels"].items()
    world = next(each for each in seen.values() if each.type == "podwright:index:World")
    assert {"kueue-operator", "openshift-cert-manager-operator"} <= set(world.inputs["spec"]["contents"]["operators"])


def test_the_queue_rule_is_two_admission_policies_more_and_changes_nothing_else() -> None:
    enforced = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    assert enforced.openshift is not None and enforced.openshift.queues is not None
    queues = enforced.openshift.queues.model_copy(update={"enforce": False})
    shift = enforced.openshift.model_copy(update={"queues": queues})
    before, after = register(enforced.model_copy(update={"openshift": shift})), register(enforced)
    assert set(before) <= set(after)
    added = [after[urn] for urn in after.keys() - before.keys()]
    kinds = sorted((each.type.rpartition(":")[2], each.inputs["metadata"]["name"]) for each in added)
    assert kinds == [
        (kind, name)
        for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
        for name in ("podwright-queued-jobs", "podwright-queued-pods")
    ]
    changed = {before[urn].type for urn in before if before[urn].inputs != after[urn].inputs}
    assert changed <= {"podwright:index:Join"}, "what waits for the cluster waits for them too"


def test_jobs_of_others_are_looked_for_before_anything_of_a_team_goes() -> None:
    cluster = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
    seen = register(cluster)
    shift, work = cluster.openshift, cluster.workloads
    assert shift is not None and shift.queues is not None
    looks = [each for each in of(seen, IN_USE) if each.inputs["spec"]["queue"] == "vision"]
    assert len(looks) == 1 and looks[0].inputs["spec"]["stack"] == "podwright.test"
    queues = shift.queues.model_copy(update={"teams": _without_vision(shift.queues.teams)})
    teams = shift.model_copy(update={"teams": _without_vision(shift.teams), "queues": queues})
    jobs = {name: job for name, job in work.training.items() if job.team != "vision"}
    without = {"openshift": teams, "workloads": work.model_copy(update={"training": jobs})}
    for stays in (register(cluster.model_copy(update=without)), {}):
        rounds = _deletions(seen, set(seen) - set(stays))
        place = {urn: number for number, each in enumerate(rounds) for urn in each}
        inside = [each for each in seen.values() if each.custom and "vision" in each.name and each.type != JOIN]
        inside += of(seen, f"{API}:ClusterQueue")
        gone = {each.name: place[each.urn] for each in inside if each.urn in place}
        before = {name for name, number in gone.items() if number <= place[looks[0].urn]} - {looks[0].name}
        assert not before, "these go first"


def _without_vision(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in found.items() if name != "vision"}


def _deletions(seen: dict[str, Registered], gone: set[str]) -> list[set[str]]:
    """What the engine deletes, in rounds: it follows edges between those that go, and none by way of what stays
    (pulumi, pkg/resource/deploy/step_generator.go, ScheduleDeletes)."""
    rounds: list[set[str]] = []
    left = set(gone)
    while left:
        rounds.append({urn for urn in left if not (seen[urn].dependencies | {seen[urn].parent}) & left})
        left -= rounds[-1]
    return rounds[::-1]


def test_jobs_of_several_pools_wait_in_queues_of_their_own() -> None:
    written = copy.deepcopy(LAB)
    SEVERAL(written)
    seen = register(Cluster.model_validate(written))
    flavors = [each.inputs["metadata"]["name"] for each in of(seen, f"{API}:ResourceFlavor")]
    assert sorted(flavors) == ["training-group-rack-host", "tuning-rack-host"]
    local = [each.inputs["metadata"] for each in of(seen, f"{API}:LocalQueue")]
    places = {(each["namespace"], each["name"]) for each in local}
    assert places == {(team, pool) for team in ("research", "vision") for pool in ("training", "tuning")}
    jobs = [each.inputs["metadata"] for each in of(seen, "kubernetes:batch/v1:Job")]
    named_queues = {each["name"]: each["labels"].get("kueue.x-k8s.io/queue-name") for each in jobs}
    assert named_queues["pretrain"] == "training" and named_queues["tune"] == "tuning"


def test_queues_are_written_once_kueue_looks_after_sets_and_kueue_starts_once_their_kind_is_there() -> None:
    seen = register(with_set())
    (kueue,), (answers,) = (
        of(seen, "kubernetes:kueue.openshift.io/v1:Kueue"),
        of(seen, "podwright:openshift:QueuesReady"),
    )
    (made,) = of(seen, "kubernetes:operator.openshift.io/v1:JobSetOperator")
    (planned,) = of(seen, "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet")
    configured = kueue.inputs["spec"]["config"]
    where = {"namespace": "vision", "queue": "training"}
    assert answers.inputs["spec"] == {"schema": 1, **where, "configuration": configured}
    assert all_before(seen, kueue, [made]) and all_before(seen, answers, [kueue])
    assert all(all_before(seen, each, [answers]) for each in of(seen, f"{API}:Topology"))
    assert all_before(seen, planned, of(seen, f"{API}:LocalQueue"))
    # A webhook refuses an update of it, which the plugin would try.
    assert set(planned.made_again) == {"spec"}
    without = register(load(ROOT / "tests/examples/platform/Pulumi.platform.yaml"))
    assert not of(without, "podwright:openshift:QueuesReady"), "no plan of a stack without sets changes"


def test_a_train_job_is_written_once_trainer_knows_its_runtime() -> None:
    seen = register(with_train_job())
    api = "kubernetes:trainer.kubeflow.org/v1alpha1"
    for job in of(seen, f"{api}:TrainJob"):
        name, namespace = job.inputs["spec"]["runtimeRef"]["name"], job.inputs["metadata"]["namespace"]
        (runtime,) = (each for each in of(seen, f"{api}:TrainingRuntime") if each.inputs["metadata"]["name"] == name)
        (asked,) = (
            each for each in of(seen, "podwright:openshift:RuntimeKnown") if each.inputs["spec"]["runtime"] == name
        )
        queue = job.inputs["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
        assert asked.inputs["spec"] == {"schema": 1, "namespace": namespace, "runtime": name, "queue": queue}
        assert all_before(seen, asked, [runtime]) and all_before(seen, job, [asked])
    assert not of(register(with_set()), "podwright:openshift:RuntimeKnown")


def test_with_a_set_the_queue_rule_is_one_admission_policy_more() -> None:
    before, after = register(with_set(enforce=False)), register(with_set())
    added = [after[urn] for urn in after.keys() - before.keys()]
    names = {each.inputs["metadata"]["name"] for each in added}
    assert names == {"podwright-queued-jobs", "podwright-queued-pods", "podwright-queued-sets"}
