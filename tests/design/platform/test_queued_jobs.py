"""The API server's part of queues: what it is asked about, of which pools and teams, and what it says instead."""

import copy
from typing import Any

from podwright.components.design.platform import queued_jobs, training_pools
from podwright.components.model import Cluster
from podwright.components.model.asked import trainer
from tests.model.changes import LAB, both, put
from tests.model.queue_cases import QUEUES
from tests.model.queue_pool_cases import TUNED

ENFORCED = both(TUNED, put(QUEUES, {"pool": "training", "enforce": True}))


def policies(*changes: Any) -> dict[str, dict[str, Any]]:
    """Specifications by name, of the policies alone."""
    written = copy.deepcopy(LAB)
    both(*changes)(written)
    stack = Cluster.model_validate(written)
    assert stack.openshift is not None
    lawful = training_pools.lawful(stack.pools, stack.servers, stack.teams, None, rdma=True)
    installed = {"sets": stack.has_sets, "trainer": trainer(stack.openshift)}
    made = list(queued_jobs.policies(stack.openshift.queues, lawful, **installed))
    bound = [each["spec"]["policyName"] for each in made if each["kind"].endswith("Binding")]
    found = {each["metadata"]["name"]: each["spec"] for each in made if not each["kind"].endswith("Binding")}
    assert bound == list(found), "each is in force"
    return found


def test_without_the_key_the_api_server_is_asked_nothing() -> None:
    assert policies(TUNED, put(QUEUES, {"pool": "training"})) == {}
    assert set(policies(ENFORCED)) == {"podwright-queued-jobs", "podwright-queued-pods"}


def test_it_is_about_jobs_and_pods_of_teams_on_pools_with_queues_alone() -> None:
    for name, resource in (("podwright-queued-jobs", "jobs"), ("podwright-queued-pods", "pods")):
        spec = policies(ENFORCED)[name]
        (rule,) = spec["matchConstraints"]["resourceRules"]
        assert (rule["resources"], rule["operations"]) == ([resource], ["CREATE", "UPDATE"])
        assert spec["failurePolicy"] == "Fail", "what it cannot evaluate is refused: no webhook could be away"
        assert spec["matchConditions"][0]["expression"] == 'request.namespace in ["chat", "research", "vision"]'
        variables = {each["name"]: each["expression"] for each in spec["variables"]}
        assert variables["pools"] == '{"training": ["training"]}', "pool tuning has no queues"
    several = policies(ENFORCED, put(QUEUES, {"pools": ["training", "tuning"], "enforce": True}))
    assert '["training", "tuning"]' in str(several["podwright-queued-jobs"]["variables"][0])


def test_a_job_needs_its_queue_its_suspension_and_kueue_to_start_it() -> None:
    refused = policies(ENFORCED)["podwright-queued-jobs"]["validations"]
    named, suspended, started = refused
    assert "kueue.x-k8s.io/queue-name'].orValue('') != ''" in named["expression"]
    assert "request.operation != 'CREATE' || object.spec.?suspend.orValue(false)" in suspended["expression"]
    assert "system:serviceaccount:openshift-kueue-operator:kueue-controller-manager" in started["expression"]
    assert "oldObject.spec.?suspend.orValue(false) && !object.spec.?suspend.orValue(false)" in started["expression"]
    assert all(each["expression"].startswith("!variables.waits || ") for each in refused)
    (pods,) = policies(ENFORCED)["podwright-queued-pods"]["validations"]
    assert "'batch/Job'" in pods["expression"]
    assert "'system:serviceaccount:kube-system:job-controller'" in pods["expression"]


SETS = both(ENFORCED, put("workloads/training/pretrain/kind", "jobset"))


def test_without_a_set_in_the_file_the_policies_are_what_they_were() -> None:
    """And a set of somebody else starts nothing: its Jobs name no queue."""
    assert set(policies(SETS)) == {"podwright-queued-jobs", "podwright-queued-sets", "podwright-queued-pods"}
    assert "jobset" not in str(policies(ENFORCED)).lower()
    assert policies(SETS)["podwright-queued-pods"] == policies(ENFORCED)["podwright-queued-pods"]


def test_the_job_of_a_set_is_asked_nothing_when_the_sets_controller_writes_it() -> None:
    variables = {each["name"]: each["expression"] for each in policies(SETS)["podwright-queued-jobs"]["variables"]}
    assert variables["waits"].startswith("!variables.of_set && ")
    assert "system:serviceaccount:openshift-jobset-operator:jobset-controller-manager" in variables["of_set"]
    assert "'jobset.x-k8s.io/JobSet'" in variables["of_set"]


def test_a_train_job_is_asked_what_a_job_is_whatever_its_runtime_takes() -> None:
    on = put("openshift/data_science", {"components": ["trainer"], "teams": ["research"]})
    assert set(policies(SETS, on)) == {*policies(SETS), "podwright-queued-train-jobs"}
    spec, sets = (policies(SETS, on)[f"podwright-queued-{each}"] for each in ("train-jobs", "sets"))
    assert [each["expression"] for each in spec["validations"]] == [each["expression"] for each in sets["validations"]]
    assert {each["name"]: each["expression"] for each in spec["variables"]} == {
        "reached": '["training"]',
        "waits": "true",
    }
    (waits,) = (each["expression"] for each in sets["variables"] if each["name"] == "waits")
    assert "system:serviceaccount:redhat-ods-applications:kubeflow-trainer-controller-manager" in waits
    assert "'trainer.kubeflow.org/TrainJob'" in waits
    assert "trainer.kubeflow" not in str(policies(SETS)), "no plan changes without Trainer"


def test_a_set_is_asked_what_a_job_is_of_each_of_its_templates() -> None:
    spec = policies(SETS)["podwright-queued-sets"]
    (rule,) = spec["matchConstraints"]["resourceRules"]
    assert (rule["apiGroups"], rule["resources"]) == (["jobset.x-k8s.io"], ["jobsets"])
    jobs = policies(SETS)["podwright-queued-jobs"]
    assert [each["expression"] for each in spec["validations"]] == [each["expression"] for each in jobs["validations"]]
    assert all("this set takes GPUs" in each["messageExpression"] for each in spec["validations"])
    variables = {each["name"]: each["expression"] for each in spec["variables"]}
    assert "object.spec.?replicatedJobs" in variables["specs"]
    used = {name for name in ("node", "affine", "terms") if f"variables.{name} " in variables["found"]}
    assert not used, "a template has no variables of its own"
