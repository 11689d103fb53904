"""A queue goes where nobody else's jobs run from it, and else each of them is named."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.openshift import queue_in_use
from podwright.components.providers.openshift.kube import Kube, SilentError
from podwright.components.providers.openshift.queue_in_use import WORKLOADS, QueueInUseKind
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

INPUTS: Values = {
    "kubeconfig": "apiVersion: v1\nkind: Config\n",
    "spec": {"schema": 1, "queue": "vision", "stack": "podwright.lab"},
}
JOBS, SETS = "/apis/batch/v1/namespaces/vision/jobs", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/vision/jobsets"


class Cluster:
    """What runs from queues, by the name of its job, and the jobs that are there, by their path."""

    def __init__(self) -> None:
        self.workloads: list[dict[str, Any]] = []
        self.jobs: dict[str, Any] = {}
        self.silent = False

    def runs(self, kind: str, name: str, path: str = JOBS, stack: str | None = None, queue: str = "vision") -> Any:
        labels = {} if stack is None else {"podwright.io/stack": stack}
        self.jobs[f"{path}/{name}"] = {"metadata": {"name": name, "uid": name, "labels": labels}}
        owner = {"controller": True, "kind": kind, "name": name, "uid": name}
        meta = {"name": f"{kind}-{name}-1", "namespace": "vision", "ownerReferences": [owner]}
        self.workloads.append({"metadata": meta, "status": {"admission": {"clusterQueue": queue}}})
        return self.workloads[-1]

    async def items(self, path: str) -> list[Any]:
        assert path == WORKLOADS
        if self.silent:
            raise SilentError("no answer")
        return self.workloads

    async def find(self, path: str) -> Any:
        return self.jobs.get(path)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    monkeypatch.setattr(queue_in_use, "Kube", lambda _config: object.__new__(Kube))
    monkeypatch.setattr(queue_in_use, "rehomed", lambda config, _reach: config)
    for name in ("find", "items"):
        monkeypatch.setattr(Kube, name, staticmethod(getattr(made, name)))
    return made


def delete(ctx: Context | None = None) -> None:
    asyncio.run(QueueInUseKind().delete("vision", INPUTS, {}, ctx or Context()))


def test_jobs_of_others_are_named_each_with_its_team(cluster: Cluster) -> None:
    cluster.runs("Job", "mine")
    cluster.runs("JobSet", "tune", SETS)
    cluster.runs("RayJob", "rays", "/apis/ray.io/v1/namespaces/vision/rayjobs")
    with pytest.raises(ProviderError) as refused:
        delete()
    assert str(refused.value) == (
        "queue vision cannot be deleted while jobs run from it that this stack did not make: job/mine of vision, "
        "jobset/tune of vision, rayjob/rays of vision. Wait until they have ended, or delete them "
        "(`oc delete job/mine -n vision`), and run again"
    )


def test_what_stands_for_no_job_is_named_itself(cluster: Cluster) -> None:
    del cluster.runs("Job", "mine")["metadata"]["ownerReferences"]
    with pytest.raises(ProviderError, match=r"workload/Job-mine-1 of vision\."):
        delete()


def test_a_job_of_another_stack_is_somebody_elses(cluster: Cluster) -> None:
    cluster.runs("Job", "mine", stack="podwright.prod")
    with pytest.raises(ProviderError, match="job/mine of vision"):
        delete()


def test_the_stacks_own_jobs_are_no_reason_for_the_engine_deletes_them(cluster: Cluster) -> None:
    cluster.runs("Job", "pretrain", stack="podwright.lab")
    delete()


@pytest.mark.parametrize("case", ["gone", "leaving", "another", "ended", "going", "waiting", "elsewhere"])
def test_what_has_no_gpus_of_the_queue_or_gives_them_back_is_no_reason(cluster: Cluster, case: str) -> None:
    workload = cluster.runs("Job", "mine", queue="research" if case == "elsewhere" else "vision")
    job = cluster.jobs[f"{JOBS}/mine"]
    if case == "gone":
        cluster.jobs.clear()
    elif case == "leaving":
        job["metadata"]["deletionTimestamp"] = "now"
    elif case == "another":
        job["metadata"]["uid"] = "of the next one"
    elif case == "ended":
        workload["status"]["conditions"] = [{"type": "Finished", "status": "True"}]
    elif case == "going":
        workload["metadata"]["deletionTimestamp"] = "now"
    elif case == "waiting":
        del workload["status"]["admission"]
    delete()


def test_an_api_that_is_silent_is_said_and_hinders_nothing(cluster: Cluster) -> None:
    heard: list[str] = []
    cluster.runs("Job", "mine")
    cluster.silent = True
    delete(Context(warn=heard.append))
    assert heard == ["jobs of queue vision cannot be read (no answer)"]


def test_a_queue_that_stays_may_be_used(cluster: Cluster) -> None:
    cluster.runs("Job", "mine")
    made = asyncio.run(QueueInUseKind().create(INPUTS, Context()))
    assert (made.id, made.outputs) == ("vision", INPUTS)
