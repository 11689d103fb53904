"""Training jobs of kind jobset: every field of the set, what starts all members again, and what is planned beside."""

import copy
from pathlib import Path
from typing import Any

import yaml

from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design.image_set import image_set
from podwright.components.model import Cluster
from tests.design import whole
from tests.design.goldens import cluster
from tests.model.changes import LAB, Said, both, drop, put
from tests.model.queue_cases import QUEUED

GOLDEN = Path(__file__).with_name("set.yaml")
JOB = "workloads/training/pretrain"
SET = both(put(f"{JOB}/kind", "jobset"), put(f"{JOB}/give_up_on", [127, 2]))


def _stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _made(stack: Cluster) -> dict[str, dict[str, Any]]:
    return {each["kind"]: each for each in whole.workloads(stack) if each["metadata"]["name"] == "pretrain"}


def test_a_set_that_waits_in_a_queue_word_by_word() -> None:
    assert _made(_stack(QUEUED, SET)) == {"JobSet": yaml.safe_load(GOLDEN.read_text())}


def test_its_members_are_those_of_the_job_and_meet_at_another_name() -> None:
    """A set differs from the Job of the same keys in what becomes of a member that fails, and in nothing else."""
    job = _made(_stack(QUEUED, put(f"{JOB}/give_up_on", [2])))["Job"]["spec"]
    (member,) = _made(_stack(QUEUED, SET))["JobSet"]["spec"]["replicatedJobs"]
    own = member["template"]["spec"]
    ends = {"backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes", "podFailurePolicy", "template"}
    assert {key: job[key] for key in job.keys() - ends} == {key: own[key] for key in own.keys() - ends}
    host = "pretrain-member-0-0.pretrain.research.svc.cluster.local"
    as_job = str(own["template"]).replace(host, "pretrain-0.pretrain.research.svc")
    assert as_job == str(job["template"]) and host in str(own["template"])


def test_every_member_that_is_gone_ends_the_job_and_the_set_tells_drains_from_codes_by_their_words() -> None:
    spec = _made(_stack(SET))["JobSet"]["spec"]
    policy, (member,) = spec["failurePolicy"], spec["replicatedJobs"]
    ended = member["template"]["spec"]
    assert ended["backoffLimit"] == 0 and {rule["action"] for rule in ended["podFailurePolicy"]["rules"]} == {"FailJob"}
    again, for_good = policy["rules"]
    assert again["action"] == "RestartJobSetAndIgnoreMaxRestarts" and for_good["action"] == "FailJobSet"
    assert again["onJobFailureMessagePatterns"] == ["has condition DisruptionTarget"]
    assert policy["maxRestarts"] == 3
    assert _made(_stack(SET, put(f"{JOB}/replacements", 7)))["JobSet"]["spec"]["failurePolicy"]["maxRestarts"] == 7


def test_suspension_is_nobodys_field_and_a_set_in_no_queue_names_none() -> None:
    for changes in ((SET,), (SET, QUEUED)):
        made = _made(_stack(*changes))["JobSet"]
        assert "suspend" not in made["spec"]
        assert ("kueue.x-k8s.io/queue-name" in made["metadata"]["labels"]) == (QUEUED in changes)
        assert "kueue" not in str(made["spec"]["replicatedJobs"][0]["template"]["metadata"]), "it is the set that waits"


def test_jobset_and_cert_manager_are_installed_for_it_and_kueue_looks_after_it() -> None:
    def operators(*changes: Any) -> list[str]:
        return [each.name for each in whole.operators(_stack(*changes))]

    both_of_them = ["openshift-cert-manager-operator", "job-set"]
    assert not {*both_of_them} & {*operators()}, "no plan changes without the key"
    assert operators(SET)[-2:] == both_of_them
    assert operators(QUEUED, SET)[-3:] == [*both_of_them, "kueue-operator"], "Kueue looks for the kind when it starts"
    own = put("openshift/queues/cert_manager", False)
    assert operators(QUEUED, SET, own)[-2:] == ["job-set", "kueue-operator"]
    rows = image_set(_stack(QUEUED, SET)).document["mirror"]["operators"]
    assert "job-set" in {each["name"] for row in rows for each in row["packages"]}


def test_queues_are_written_once_kueue_looks_after_sets_and_nothing_waits_where_none_does() -> None:
    def kueue(*changes: Any) -> Any:
        return next(each for each in whole.operators(_stack(*changes)) if each.name == "kueue-operator")

    plain, with_set = kueue(QUEUED), kueue(QUEUED, SET)
    where = {"schema": 1, "namespace": "research", "queue": "training"}
    assert plain.answers is None
    assert with_set.answers == {**where, "configuration": with_set.settings[0]["spec"]["config"]}
    frameworks = [each.settings[0]["spec"]["config"]["integrations"]["frameworks"] for each in (plain, with_set)]
    assert frameworks == [["BatchJob"], ["BatchJob", "JobSet"]]
    assert plain.settings[1:] == with_set.settings[1:]


def test_whatever_changes_of_a_set_makes_it_again() -> None:
    before = _made(_stack(SET))["JobSet"]
    for change in (put(f"{JOB}/replacements", 7), put(f"{JOB}/nodes", 1), drop(f"{JOB}/give_up_on")):
        impact = object_impact(before, _made(_stack(SET, change))["JobSet"])
        assert impact is not None and impact.row.change is ChangeClass.REPLACED


def test_without_the_key_a_job_stays_a_job() -> None:
    assert {each["kind"] for each in whole.workloads(cluster("lab"))} >= {"Job", "Service"}
    assert "JobSet" not in {each["kind"] for each in whole.workloads(cluster("lab"))}
