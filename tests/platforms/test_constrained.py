"""OpenShift admits every pod that podwright plans, under the SCC that was made for it."""

from __future__ import annotations

from functools import cache

import pytest

from podwright.components import model
from podwright.components.design.platform import teams
from podwright.components.providers.acceptance import pods
from podwright.components.providers.acceptance.plan import Plan
from podwright.lab.openshift.scc.admission import RefusedError
from podwright.lab.openshift.scc.shipped import constraints
from tests.platforms import constrained
from tests.platforms.planned import Object, objects
from tests.providers.acceptance.test_acceptance import DOCUMENT
from tools import goldens

SCCS = {
    "platform": {
        **{"etcd-backup-": "privileged", "pretrain-": "podwright-rdma", "finetune-": "podwright-rdma"},
        **dict.fromkeys(("chat-", "chat-canary-", "notes-", "ranking-", "assistant-", "admission-"), "restricted-v2"),
    },
    "sharing": dict.fromkeys(
        ("drafts-", "answers-", "queries-", "vectors-", "ranks-", "reasons-", "summaries-", "admission-"),
        "restricted-v2",
    ),
}


@cache
def plan(example: str) -> list[Object]:
    return objects(model.load(goldens.stack_file(example)))


def without(kind: str, example: str) -> list[Object]:
    return [each for each in plan(example) if each["kind"] != kind]


@pytest.mark.parametrize("example", SCCS)
def test_each_planned_pod_gets_its_scc(example: str) -> None:
    planned = plan(example)
    found = {
        pod["metadata"]["generateName"]: constrained.chosen(planned, namespace, pod)
        for namespace, pod in constrained.templates(planned)
    }
    assert found == SCCS[example]


def test_pods_run_as_the_namespace_s_user_without_the_right_to_gain_more() -> None:
    planned = plan("platform")
    for namespace, pod in constrained.templates(planned):
        if namespace != "podwright-etcd-backup":
            (box,) = constrained.admitted(planned, namespace, pod)["spec"]["containers"]
            context = box["securityContext"]
            assert (context["runAsUser"], context["allowPrivilegeEscalation"]) == (1000660000, False)
            assert context["capabilities"]["drop"] == ["ALL"]


def test_pods_that_mount_claims_have_the_group_that_their_volumes_are_given() -> None:
    """Under either SCC: restricted-v2 and podwright's own know claims, and set the namespace's group."""
    planned = plan("platform")
    mounting = {}
    for namespace, pod in constrained.templates(planned):
        made = constrained.admitted(planned, namespace, pod)
        if any("persistentVolumeClaim" in each for each in made["spec"].get("volumes", ())):
            mounting[made["metadata"]["generateName"]] = made["spec"]["securityContext"]
    assert set(mounting) == {"pretrain-", "chat-", "chat-canary-", "notes-", "ranking-", "assistant-"}
    for context in mounting.values():
        assert (context["fsGroup"], context["fsGroupChangePolicy"]) == (1000660000, "OnRootMismatch")


def test_pods_of_acceptance_tests_get_the_same_scc_from_whoever_makes_them() -> None:
    planned, read = [teams.rdma_scc(), *teams.acceptance(rdma=True)], Plan.read(DOCUMENT)
    pod = pods.receiver(read, read.tests[0])
    for maker in (constrained.ADMINISTRATOR, constrained.CONTROLLER):
        assert constrained.chosen(planned, "podwright-acceptance", pod, maker) == "podwright-rdma"


@pytest.mark.parametrize(("job", "why"), [
    ("pretrain-", '.containers[0].capabilities.add: Invalid value: "IPC_LOCK": capability may not be added'),
    ("etcd-backup-", ".containers[0].privileged: Invalid value: true: Privileged containers are not allowed"),
])  # fmt: skip
def test_an_account_without_its_binding_has_no_such_pods(job: str, why: str) -> None:
    planned = without("RoleBinding", "platform")
    namespace, pod = next(
        each for each in constrained.templates(planned) if each[1]["metadata"]["generateName"] == job
    )  # fmt: skip
    with pytest.raises(RefusedError) as caught:
        constrained.chosen(planned, namespace, pod)
    assert f"provider restricted-v2: {why}" in str(caught.value)


def test_what_podwright_s_scc_allows_is_restricted_v2_and_one_capability() -> None:
    """All that a pod may have by the cluster's own, it may have by ours: the account loses nothing."""
    ours = teams.rdma_scc()
    theirs = next(each for each in constraints() if each["metadata"]["name"] == "restricted-v2")
    assert set(theirs["volumes"]) <= set(ours["volumes"])
    assert {*theirs["allowedCapabilities"], "IPC_LOCK"} == set(ours["allowedCapabilities"])


@pytest.mark.parametrize(("added", "scc"), [({}, "restricted-v2"), ({"add": ["IPC_LOCK"]}, "podwright-rdma")])
def test_a_pod_of_the_training_account_that_locks_no_memory_has_restricted_v2(added: Object, scc: str) -> None:
    planned = [teams.rdma_scc(), *teams.rdma_binding("team", "training")]
    context = {"capabilities": {"drop": ["ALL"], **added}}
    spec = {"serviceAccountName": "training", "containers": [{"name": "train", "securityContext": context}]}
    pod = {"metadata": {"name": "train"}, "spec": {**spec, "volumes": [{"name": "keys", "csi": {"driver": "x"}}]}}
    assert constrained.chosen(planned, "team", pod) == scc
