"""Training jobs of kind trainjob: every field of the runtime and of the job, and what is planned beside."""

import copy
from pathlib import Path
from typing import Any

import yaml

from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design.operators import data_science
from podwright.components.design.operators.kueue import RUNTIME
from podwright.components.design.workloads import train_jobs
from podwright.components.model import Cluster
from tests.design import whole
from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import QUEUED

GOLDEN = Path(__file__).with_name("train_job.yaml")
JOB = "workloads/training/pretrain"
TRAINER = put("openshift/data_science", {"components": ["trainer"], "teams": ["research"]})
TRAIN_JOB = both(TRAINER, put(f"{JOB}/kind", "trainjob"), put(f"{JOB}/give_up_on", [127, 2]))


def _stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _made(stack: Cluster) -> dict[str, dict[str, Any]]:
    found = whole.workloads(stack)
    return {each["kind"]: each for each in found if each["metadata"]["labels"]["app.kubernetes.io/name"] == "pretrain"}


def _set(runtime: dict[str, Any]) -> Any:
    return runtime["spec"]["template"]["spec"]


def test_a_train_job_that_waits_in_a_queue_word_by_word() -> None:
    assert list(_made(_stack(QUEUED, TRAIN_JOB)).values()) == [*yaml.safe_load_all(GOLDEN.read_text())]


def test_its_set_is_that_of_kind_jobset_under_other_names() -> None:
    """The Job that trains, and its container, are called as Trainer looks for them; nothing else differs."""
    as_set = _made(_stack(QUEUED, TRAIN_JOB, put(f"{JOB}/kind", "jobset")))["JobSet"]["spec"]
    own = copy.deepcopy(_set(_made(_stack(QUEUED, TRAIN_JOB))["TrainingRuntime"]))
    (member,), (job,) = as_set["replicatedJobs"], own["replicatedJobs"]
    assert job["template"]["metadata"]["labels"] == {**member["template"]["metadata"]["labels"], **train_jobs.STEP}
    del job["template"]["metadata"]["labels"]["trainer.kubeflow.org/trainjob-ancestor-step"]
    (box,) = job["template"]["spec"]["template"]["spec"]["containers"]
    assert (job["name"], box["name"]) == ("node", "node")
    box["name"], job["name"] = "train", "member"
    for rule in job["template"]["spec"]["podFailurePolicy"]["rules"]:
        if "onExitCodes" in rule:
            rule["onExitCodes"]["containerName"] = "train"
    assert str(own).replace("pretrain-node-0-0", "pretrain-member-0-0") == str(as_set)


def test_the_policy_is_the_number_of_members_alone_so_that_there_is_one_rendezvous() -> None:
    for command in (["torchrun", "train.py"], ["python", "train.py"]):
        runtime = _made(_stack(TRAIN_JOB, put(f"{JOB}/command", command)))["TrainingRuntime"]
        assert runtime["spec"]["mlPolicy"] == {"numNodes": 2}
        assert "pretrain-node-0-0.pretrain.research.svc.cluster.local" in str(runtime)


def test_whatever_changes_of_a_job_is_another_runtime_and_makes_the_job_again() -> None:
    before = _made(_stack(TRAIN_JOB))
    for change in (put(f"{JOB}/replacements", 7), put(f"{JOB}/nodes", 1), drop(f"{JOB}/give_up_on")):
        after = _made(_stack(TRAIN_JOB, change))
        assert before["TrainingRuntime"]["metadata"]["name"] != after["TrainingRuntime"]["metadata"]["name"]
        impact = object_impact(before["TrainJob"], after["TrainJob"])
        assert impact is not None and impact.row.change is ChangeClass.REPLACED
    assert _made(_stack(TRAIN_JOB)) == before


def test_suspension_is_nobodys_field_and_the_job_alone_names_the_queue() -> None:
    for changes in ((TRAIN_JOB,), (TRAIN_JOB, QUEUED)):
        made = _made(_stack(*changes))
        assert "suspend" not in str(made)
        assert ("kueue.x-k8s.io/queue-name" in made["TrainJob"]["metadata"]["labels"]) == (QUEUED in changes)
        assert "queue-name" not in str(made["TrainingRuntime"])


def test_trainer_is_installed_behind_jobset_and_kueue_behind_both() -> None:
    def operators(*changes: Any) -> list[str]:
        return [each.name for each in whole.operators(_stack(*changes))]

    first = ["openshift-cert-manager-operator", "job-set", "rhods-operator"]
    assert operators(TRAINER)[-3:] == first, "JobSet comes with Trainer, whatever the jobs are"
    assert operators(QUEUED, TRAIN_JOB)[-4:] == [*first, "kueue-operator"]
    other = put("openshift/data_science", {"components": ["mlflow"], "teams": ["research"]})
    assert operators(QUEUED, other)[-2:] == ["kueue-operator", "rhods-operator"], "the order there was stays"


def test_trainer_is_on_by_name_and_kueue_is_asked_about_its_jobs() -> None:
    section = _stack(TRAIN_JOB).openshift
    assert section is not None and section.data_science is not None
    states = data_science.components(section.data_science)["spec"]["components"]
    assert {key for key, each in states.items() if each["managementState"] == "Managed"} == {"dashboard", "trainer"}
    (kueue,) = (each for each in whole.operators(_stack(QUEUED, TRAIN_JOB)) if each.name == "kueue-operator")
    assert kueue.settings[0]["spec"]["config"]["integrations"]["frameworks"] == ["BatchJob", "JobSet", "TrainJob"]
    assert kueue.answers is not None and kueue.answers["runtime"] == RUNTIME
