"""The job that a changed one takes the name of is ended before the next is made, and nothing else is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components import manifests
from podwright.components.design.workloads.former import MADE_OF
from podwright.components.providers.openshift import former_job
from podwright.components.providers.openshift.former_job import FormerJobEndedKind
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import Patience
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

JOB = "/apis/batch/v1/namespaces/research/jobs/pretrain"
SET = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/research/jobsets/pretrain"
OTHERS = {SET, "/apis/trainer.kubeflow.org/v1alpha1/namespaces/research/trainjobs/pretrain"}
SERVICE = "/api/v1/namespaces/research/services/pretrain"
PODS = "/api/v1/namespaces/research/pods?labelSelector=app.kubernetes.io%2Fname%3Dpretrain"


def inputs(digest: str) -> Values:
    spec = {"namespace": "research", "job": "pretrain", "api": "batch/v1", "resource": "jobs"}
    spec |= {"stack": "podwright.lab", "digest": digest}
    return {"kubeconfig": "apiVersion: v1\nkind: Config\n", "spec": {"schema": 1, **spec}}


class Cluster:
    """A job that is gone so many looks after its deletion, with one pod less at each."""

    def __init__(self, pods: int = 3, *, leaving: bool = False, there: bool = True) -> None:
        self.pods, self.leaving, self.there, self.uid = pods, leaving, there, "one"
        self.deleted: list[Any] = []
        self.refuses: KubeError | None = None
        self.silent = 0
        self.labels = {"podwright.io/stack": "podwright.lab"}
        self.notes = {"podwright.io/made-of": "before"}
        self.others: dict[str, Any] = {}

    async def find(self, path: str) -> Any:
        if path != JOB:
            assert path in OTHERS
            return self.others.get(path)
        if self.silent:
            self.silent -= 1
            raise SilentError("no answer")
        if self.leaving:
            self.pods -= 1
            self.there = self.pods >= 0
        meta = {"name": "pretrain", "uid": self.uid, "labels": self.labels, "annotations": self.notes}
        meta |= {"deletionTimestamp": "now"} if self.leaving else {}
        return {"metadata": meta} if self.there else None

    async def items(self, path: str) -> list[Any]:
        assert path == PODS
        return [
            {
                "metadata": {"name": f"pretrain-{n}"},
                "spec": {"nodeName": f"gpu-{n}", "terminationGracePeriodSeconds": 30},
            }
            for n in range(self.pods)
        ]

    async def request(self, method: str, path: str, body: Any) -> Any:
        assert method == "DELETE"
        if path != JOB:
            assert self.others.pop(path)["metadata"]["uid"] == body["preconditions"]["uid"]
            return {}
        self.deleted.append(body)
        if self.refuses:
            raise self.refuses
        self.leaving = True
        return {}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return reached(monkeypatch, Cluster())


def reached(monkeypatch: pytest.MonkeyPatch, cluster: Cluster) -> Cluster:
    monkeypatch.setattr(former_job, "Kube", lambda _config: object.__new__(Kube))
    monkeypatch.setattr(former_job, "rehomed", lambda config, _reach: config)
    for name in ("find", "items", "request"):
        monkeypatch.setattr(Kube, name, staticmethod(getattr(cluster, name)))
    return cluster


def create(ctx: Context | None = None) -> None:
    asyncio.run(FormerJobEndedKind().create(inputs("now"), ctx or Context()))


def update(before: str, ctx: Context | None = None) -> None:
    asyncio.run(FormerJobEndedKind().update("pretrain", inputs("now"), inputs(before), {}, ctx or Context()))


def test_a_job_of_another_digest_is_ended_with_its_pods_and_waited_for(cluster: Cluster) -> None:
    lines: list[str] = []
    update("before", Context(log=lines.append))
    assert cluster.deleted == [{"propagationPolicy": "Foreground", "preconditions": {"uid": "one"}}]
    assert not cluster.there
    assert "pretrain-0 on gpu-0, pretrain-1 on gpu-1, pretrain-2 on gpu-2 to stop" in lines[0]


def test_what_the_device_says_is_what_components_write() -> None:
    assert former_job.OWN == manifests.STACK_LABEL and former_job.MADE_OF == MADE_OF


@pytest.mark.parametrize("notes", [{"podwright.io/made-of": "before"}, {}])
def test_a_stack_that_knew_no_digest_ends_its_job_of_another_one_and_of_none(
    notes: dict[str, str], cluster: Cluster
) -> None:
    cluster.notes = notes
    create()
    assert cluster.deleted and not cluster.there


@pytest.mark.parametrize(("before", "there"), [("now", "before"), ("before", "now"), (None, "now")])
def test_a_job_that_nothing_is_made_in_place_of_and_one_of_this_digest_run_on(
    before: str | None, there: str, cluster: Cluster
) -> None:
    cluster.notes = {"podwright.io/made-of": there}
    update(before) if before else create()
    assert cluster.there and not cluster.deleted


@pytest.mark.parametrize("labels", [{}, {"podwright.io/stack": "podwright.other"}])
@pytest.mark.parametrize("before", ["before", None])
def test_a_job_that_others_made_runs_on(before: str | None, labels: dict[str, str], cluster: Cluster) -> None:
    cluster.labels = labels
    update(before) if before else create()
    assert cluster.there and not cluster.deleted


@pytest.mark.parametrize("before", ["now", "before", None])
def test_what_is_being_deleted_is_waited_for_and_not_deleted_again(
    before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = reached(monkeypatch, Cluster(pods=2, leaving=True))
    update(before) if before else create()
    assert not cluster.there and not cluster.deleted


def test_where_there_is_none_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = reached(monkeypatch, Cluster(there=False))
    create()
    update("before")
    assert not cluster.deleted


def test_another_job_that_has_the_name_meanwhile_stays(cluster: Cluster) -> None:
    async def request(_method: str, _path: str, body: Any) -> Any:
        cluster.deleted.append(body)
        cluster.uid = "two"
        raise KubeError(409, {"reason": "Conflict", "message": "the UID in the precondition is another"}, "DELETE")

    Kube.request = staticmethod(request)  # type: ignore[assignment,method-assign]
    update("before")
    assert cluster.there and len(cluster.deleted) == 1


def test_an_api_server_that_is_away_for_a_moment_is_waited_for(cluster: Cluster) -> None:
    cluster.silent = 2
    update("before")
    assert not cluster.there


def test_pods_have_their_own_time_to_stop_and_are_named_where_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former_job, "BESIDE_GRACE_SECONDS", 0.2)
    limits: list[float] = []

    def patience(ctx: Context, seconds: float) -> Patience:
        limits.append(seconds)
        return Patience(ctx, 0.1)

    monkeypatch.setattr(former_job, "step_patience", patience)
    reached(monkeypatch, Cluster(pods=100, leaving=True))
    with pytest.raises(ProviderError, match=r"time is up.* pretrain-0 on gpu-0,.* and \d+ more to stop: the former "):
        update("before")
    assert (limits[0], limits[-2:]) == (0.2, [0.2, 30.2])


def test_a_refused_deletion_leaves_it_running_and_says_why(cluster: Cluster) -> None:
    cluster.refuses = KubeError(403, {"reason": "Forbidden", "message": "not yours"}, "delete it")
    with pytest.raises(ProviderError, match=r"research/pretrain stays as it is, and runs on: .*not yours"):
        update("before")
    assert cluster.there and not cluster.leaving


def other(uid: str, stack: str = "podwright.lab") -> Any:
    return {"metadata": {"name": "pretrain", "uid": uid, "labels": {"podwright.io/stack": stack}}}


@pytest.mark.parametrize("path", sorted(OTHERS))
@pytest.mark.parametrize("before", ["before", "now", None])
def test_one_of_another_kind_is_ended_whatever_it_was_made_of(path: str, before: str | None, cluster: Cluster) -> None:
    """The engine takes it away once all that is new stands: until then both would train, on the same checkpoint."""
    cluster.there, cluster.pods, cluster.others = False, 0, {path: other("set")}
    update(before) if before else create()
    assert not cluster.others


@pytest.mark.parametrize("path", sorted(OTHERS))
def test_what_a_controller_or_another_stack_made_of_the_name_stays(path: str, cluster: Cluster) -> None:
    cluster.there, cluster.others = False, {path: other("set", "podwright.other")}
    create()
    assert cluster.others


def test_a_set_has_the_service_of_its_members_made_by_jobset(monkeypatch: pytest.MonkeyPatch) -> None:
    """JobSet makes none where there is one, and would not look again once the engine has taken the Job's own away."""
    cluster = reached(monkeypatch, Cluster(pods=0, there=False))
    former = JOB
    monkeypatch.setattr(f"{__name__}.JOB", SET)
    monkeypatch.setattr(f"{__name__}.OTHERS", OTHERS - {SET} | {SERVICE, former})
    cluster.others = {former: other("job"), SERVICE: other("service")}
    asyncio.run(FormerJobEndedKind().create(as_set(), Context()))
    assert not cluster.others
    cluster.others = {SERVICE: other("jobset's", "")}
    asyncio.run(FormerJobEndedKind().create(as_set(), Context()))
    assert cluster.others


def as_set() -> Values:
    written = inputs("now")
    return {**written, "spec": {**written["spec"], "api": "jobset.x-k8s.io/v1alpha2", "resource": "jobsets"}}
