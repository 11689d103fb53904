"""Nothing starts beside the queues: the planned admission policies at a real API server, with Kueue's webhook away."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.platform import queued_jobs, training_pools
from podwright.components.model import Cluster
from podwright.lab.openshift.api import MERGE, Api, ApiError, path_of
from podwright.lab.openshift.binaries import crd_folder
from podwright.lab.openshift.crds import CrdLibrary
from tests.design import whole
from tests.design.platform.test_queued_jobs import SETS
from tests.lab.openshift.rack import Rack
from tests.model.changes import LAB
from tests.waiting import until

pytestmark = pytest.mark.rough
TEAMS = ("research", "vision", "elsewhere")
RBAC = "rbac.authorization.k8s.io"
Manifest = dict[str, Any]


def _stack() -> Cluster:
    written = copy.deepcopy(LAB)
    SETS(written)
    return Cluster.model_validate(written)


STACK = _stack()
JOB_CONTROLLERS = ("system:serviceaccount:kube-system:job-controller", "system:kube-controller-manager")
OTHERS = (
    "system:serviceaccount:openshift-infra:template-instance-controller",
    "system:serviceaccount:openshift-gitops:openshift-gitops-argocd-application-controller",
)
"""What makes objects that tenants wrote."""
ACCOUNTS = (queued_jobs.ACCOUNT, queued_jobs.SET_ACCOUNT, queued_jobs.TRAINER_ACCOUNT, *JOB_CONTROLLERS, *OTHERS)


def _policies() -> Iterator[Manifest]:
    assert STACK.openshift is not None
    lawful = training_pools.lawful(STACK.pools, STACK.servers, STACK.teams, None, rdma=True)
    return queued_jobs.policies(STACK.openshift.queues, lawful, sets=True, trainer=True)


class Server:
    """An API server with the policies, and whoever makes jobs there; a refusal is the server's words."""

    def __init__(self, rack: Rack) -> None:
        plane, api = rack.side.cluster.plane, rack.side.cluster.api
        assert plane is not None and api is not None and STACK.openshift is not None
        self.api = api
        self.users = {
            "somebody": Api(plane.access("somebody", "tenants")),
            # Their names are too long for a certificate's.
            **{each: Api(plane.access("lab", "system:masters"), impersonate=each) for each in ACCOUNTS},
        }
        CrdLibrary(crd_folder()).apply(api, ("jobsets.jobset.x-k8s.io", "trainjobs.trainer.kubeflow.org"))
        for each in _policies():
            plural = "validatingadmissionpolic" + ("ybindings" if each["kind"].endswith("Binding") else "ies")
            api.ensure(path_of(each["apiVersion"], plural), each)
        for each in whole.platform(STACK).manifests:
            if each["kind"] == "PriorityClass":
                api.ensure(path_of("scheduling.k8s.io/v1", "priorityclasses"), each)
        body = {
            "apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "tenants"},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [
                {"apiGroup": RBAC, "kind": "Group", "name": "tenants"},
                *({"apiGroup": RBAC, "kind": "User", "name": each} for each in ACCOUNTS),
            ],
        }  # fmt: skip
        api.ensure(path_of(f"{RBAC}/v1", "clusterrolebindings"), body)
        for space in TEAMS:
            api.ensure(
                path_of("v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
            )
        until(lambda: bool(self.made(job(queue=None))), 60, "the policies are in force", pause=0.2)

    def made(self, found: Manifest, user: str = "somebody", *, dry: bool = True) -> str:
        """What a user is answered who makes it."""
        plural = {"Job": "jobs", "JobSet": "jobsets", "TrainJob": "trainjobs", "Pod": "pods"}[found["kind"]]
        path = path_of(found["apiVersion"], plural, found["metadata"]["namespace"])
        return self._answer(user, "POST", path + "?dryRun=All" * dry, found)

    def changed(self, name: str, change: Manifest, user: str = "somebody", what: str = "batch/v1 jobs") -> str:
        """What a user is answered who changes a job of team research, or a set."""
        version, plural = what.split()
        path = path_of(version, plural, "research", name)
        return self._answer(user, "PATCH", path + "?dryRun=All", change, MERGE)

    def _answer(self, user: str, method: str, path: str, body: Manifest, content: str = "application/json") -> str:
        try:
            self.users[user].request(method, path, json.dumps(body).encode(), content=content)
        except ApiError as problem:
            return str(problem)
        return ""


def job(
    *,
    queue: str | None = "training",
    suspend: bool = True,
    space: str = "research",
    pool: str = "training",
    gpus: int = 8,
) -> Manifest:
    """One that a person writes."""
    labels = {"kueue.x-k8s.io/queue-name": queue} if queue is not None else {}
    tolerated = {"key": "podwright.io/pool", "operator": "Equal", "value": pool, "effect": "NoSchedule"}
    asks = {"nvidia.com/gpu": str(gpus)} if gpus else {"cpu": "1"}
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "mine", "namespace": space, "labels": labels},
        "spec": {
            "suspend": suspend,
            "template": {"spec": {
                "restartPolicy": "Never", "priorityClassName": "podwright-training",
                "nodeSelector": {"podwright.io/pool": pool},
                "tolerations": [tolerated],
                "containers": [{"name": "main", "image": "x", "resources": {"requests": asks, "limits": asks}}],
            }},
        },
    }  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A control plane without workers."""
    rack = Rack(Path(tmp_path_factory.mktemp("plane")) / "rack", workers=())
    try:
        rack.install()
        server = Server(rack)
        yield server
        for each in server.users.values():
            each.close()
    finally:
        rack.close()


LABEL = "give it the label kueue.x-k8s.io/queue-name: training"
AWAY = "Kueue has not suspended it"


@pytest.mark.parametrize(("made", "words"), [
    (job(queue=None), LABEL),
    (job(queue=""), LABEL),
    (job(queue=None, space="vision"), LABEL),
    (job(suspend=False), AWAY),
    (job(), ""),
    # a namespace that is no team's, a pool without queues, and a job that takes no GPU
    (job(queue=None, suspend=False, space="elsewhere"), ""),
    (job(queue=None, suspend=False, pool="tuning"), ""),
    (job(queue=None, suspend=False, gpus=0), ""),
])  # fmt: skip
def test_a_job_on_a_queued_pool_names_a_queue_and_is_suspended_when_it_is_made(
    server: Server, made: Manifest, words: str
) -> None:
    answer = server.made(made)
    assert words in answer and bool(answer) == bool(words), answer


def test_a_job_that_reaches_the_pool_by_any_other_way_is_refused_too(server: Server) -> None:
    """By node name, by a toleration of everything without a selector, and by affinity."""
    for change in (
        {"nodeName": "gpu-01", "nodeSelector": None},
        {"nodeSelector": None, "tolerations": [{"operator": "Exists"}]},
    ):
        loose = job(queue=None)
        loose["spec"]["template"]["spec"] |= change
        assert LABEL in server.made(loose), change


def test_kueue_alone_starts_a_job_and_nobody_takes_its_queue_away(server: Server) -> None:
    assert server.made(job(), dry=False) == ""
    assert "Kueue alone starts it" in server.changed("mine", {"spec": {"suspend": False}})
    assert server.changed("mine", {"spec": {"suspend": False}}, queued_jobs.ACCOUNT) == ""
    assert LABEL in server.changed("mine", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": None}}})
    assert server.changed("mine", {"metadata": {"annotations": {"note": "mine"}}}) == ""


def test_a_job_that_ran_before_goes_on(server: Server) -> None:
    """It was made when nothing was enforced: its labels, status and end are nobody's matter."""
    for name in ("podwright-queued-jobs", "podwright-queued-pods"):
        server.api.delete(path_of("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", None, name))
    early = {**job(queue=None, suspend=False), "metadata": {"name": "early", "namespace": "research"}}
    until(lambda: server.made(early, dry=False) in ("", "exists"), 60, "nothing is enforced", pause=0.5)
    for each in _policies():
        if each["kind"].endswith("Binding"):
            server.api.ensure(path_of(each["apiVersion"], "validatingadmissionpolicybindings"), each)
    until(lambda: LABEL in server.made(job(queue=None)), 60, "it is again", pause=0.2)
    assert server.changed("early", {"metadata": {"annotations": {"note": "mine"}}}) == ""
    assert server.changed("early", {"spec": {"activeDeadlineSeconds": 600}}) == ""


def test_pods_of_kinds_that_kueue_does_not_look_after_are_refused(server: Server) -> None:
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "mine", "uid": "1", "controller": True}
    template = job()["spec"]["template"]["spec"]
    pod = {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "mine-0", "namespace": "research", "ownerReferences": [owner]}, "spec": template,
    }  # fmt: skip
    assert "is of no Job: Kueue looks after Jobs alone here" in server.made(pod)
    own = {**owner, "apiVersion": "batch/v1", "kind": "Job"}
    of_job = {**pod, "metadata": {**pod["metadata"], "ownerReferences": [own]}}
    for user in JOB_CONTROLLERS:
        assert server.made(of_job, user) == "", user
    for user in ("somebody", *OTHERS):
        assert "is of no Job: Kueue looks after Jobs alone here" in server.made(of_job, user), user


def _set(**changes: Any) -> Manifest:
    """A set of two Jobs, of which the second one takes GPUs."""
    made = job(**changes)
    small = job(gpus=0)["spec"]["template"]
    jobs = [{"name": name, "template": {"spec": {"template": each}}}
            for name, each in (("lead", small), ("member", made["spec"]["template"]))]  # fmt: skip
    spec = {"suspend": made["spec"]["suspend"], "replicatedJobs": jobs}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": made["metadata"], "spec": spec}


@pytest.mark.parametrize(("made", "words"), [
    (_set(queue=None), LABEL),
    (_set(suspend=False), AWAY),
    (_set(), ""),
    (_set(queue=None, suspend=False, space="elsewhere"), ""),
    (_set(queue=None, suspend=False, pool="tuning"), ""),
    (_set(queue=None, suspend=False, gpus=0), ""),
])  # fmt: skip
def test_a_set_is_asked_what_a_job_is(server: Server, made: Manifest, words: str) -> None:
    answer = server.made(made)
    assert words in answer and bool(answer) == bool(words), answer


def test_kueue_alone_starts_a_set_and_jobsets_controller_alone_its_jobs(server: Server) -> None:
    sets, start = "jobset.x-k8s.io/v1alpha2 jobsets", {"spec": {"suspend": False}}
    assert server.made({**_set(), "metadata": {**_set()["metadata"], "name": "whole"}}, dry=False) == ""
    assert "Kueue alone starts it" in server.changed("whole", start, what=sets)
    assert server.changed("whole", start, queued_jobs.ACCOUNT, sets) == ""
    assert LABEL in server.changed("whole", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": None}}}, what=sets)

    made = server.api.get(path_of("jobset.x-k8s.io/v1alpha2", "jobsets", "research", "whole")) or {}
    owner = {key: made[key] for key in ("apiVersion", "kind")} | {"name": "whole", "uid": made["metadata"]["uid"]}
    owner["controller"] = True
    own = job(queue=None, suspend=False)
    of_set = {**own, "metadata": {**own["metadata"], "name": "whole-member-0", "ownerReferences": [owner]}}
    assert LABEL in server.made(of_set), "somebody who writes a Job as if a set had made it"
    assert LABEL in server.made(own, queued_jobs.SET_ACCOUNT), "a Job of no set"
    assert server.made(of_set, queued_jobs.SET_ACCOUNT) == ""
    waiting = {**of_set, "spec": {**of_set["spec"], "suspend": True}}
    assert server.made(waiting, queued_jobs.SET_ACCOUNT, dry=False) == ""
    assert LABEL in server.changed("whole-member-0", start)
    assert server.changed("whole-member-0", start, queued_jobs.SET_ACCOUNT) == ""


def _train_job(queue: str | None = "training", *, suspend: bool = True, space: str = "research") -> Manifest:
    meta = {**job(queue=queue, space=space)["metadata"], "name": "trains"}
    spec = {"suspend": suspend, "runtimeRef": {"kind": "TrainingRuntime", "name": "anything"}}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": meta, "spec": spec}


def test_every_train_job_of_a_team_waits_and_trainer_alone_starts_its_set(server: Server) -> None:
    """It does not say what its pods take. Kueue's and Trainer's webhooks are away."""
    trains, start = "trainer.kubeflow.org/v1alpha1 trainjobs", {"spec": {"suspend": False}}
    assert LABEL in server.made(_train_job(None))
    assert "Kueue has not suspended it" in server.made(_train_job(suspend=False))
    assert server.made(_train_job(None, suspend=False, space="elsewhere")) == ""
    assert server.made(_train_job(), dry=False) == ""
    assert "Kueue alone starts it" in server.changed("trains", start, queued_jobs.TRAINER_ACCOUNT, trains)
    assert LABEL in server.changed("trains", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": None}}}, what=trains)
    assert server.changed("trains", start, queued_jobs.ACCOUNT, trains) == ""

    made = server.api.get(path_of("trainer.kubeflow.org/v1alpha1", "trainjobs", "research", "trains")) or {}
    owner = {key: made[key] for key in ("apiVersion", "kind")} | {"name": "trains", "uid": made["metadata"]["uid"]}
    owner["controller"] = True
    own = _set(queue=None, suspend=False)
    of_train_job = {**own, "metadata": {**own["metadata"], "name": "trains", "ownerReferences": [owner]}}
    assert LABEL in server.made(of_train_job), "somebody who writes a set as if Trainer had made it"
    assert LABEL in server.made(own, queued_jobs.TRAINER_ACCOUNT), "a set of no TrainJob"
    assert server.made(of_train_job, queued_jobs.TRAINER_ACCOUNT) == ""
