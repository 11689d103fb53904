"""Every object of the chain is deleted by hand, one at a time: the workload's pods then wait, or do not exist, for the
real reason, and that is the reason the status derives from live objects. What is really gone comes back by `up`.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.status import expected
from podwright.components import model
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import take
from podwright.components.providers.status.verdict import Verdict
from tests.e2e.site import Site

pytestmark = pytest.mark.rough

SRIOV = "openshift-sriov-network-operator"
PATIENCE = 120.0
"""Seconds until controllers and scheduler have drawn their conclusions."""
KEPT = ("name", "namespace", "labels", "annotations")


@dataclass
class Cluster:
    """The shared site's cluster, as somebody with kubectl and an administrator's kubeconfig has it."""

    site: Site
    kubeconfig: Path

    def kubectl(self, *words: str, check: bool = True) -> str:
        """Standard output of a kubectl call."""
        return self.site.run(["kubectl", "--kubeconfig", str(self.kubeconfig), *words], check=check).stdout

    def saved(self, *what: str) -> tuple[str, str]:
        """An object as a manifest, and the name of the field manager that applied it."""
        found = json.loads(self.kubectl("get", *what, "-o", "json", "--show-managed-fields"))
        meta = found["metadata"]
        manager = next(each["manager"] for each in meta["managedFields"] if each["operation"] == "Apply")
        kept = {key: value for key, value in found.items() if key not in {"metadata", "status"}}
        kept["metadata"] = {key: meta[key] for key in KEPT if key in meta}
        if found["kind"] == "Job":
            kept["spec"].pop("selector")
            for label in ("controller-uid", "job-name"):
                kept["spec"]["template"]["metadata"]["labels"].pop(f"batch.kubernetes.io/{label}", None)
                kept["spec"]["template"]["metadata"]["labels"].pop(label, None)
        return json.dumps(kept), manager

    def apply(self, manifest: str, manager: str) -> None:
        """Put an object back as its manager."""
        path = self.site.folder / "again.json"
        path.write_text(manifest)
        self.kubectl("apply", "--server-side", "--force-conflicts", f"--field-manager={manager}", "-f", str(path))

    def verdicts(self) -> list[Verdict]:
        """What the status derives right now."""
        snapshot = asyncio.run(take(self.kubeconfig.read_text(), 30.0))
        return diagnose(snapshot, expected(model.load(self.site.stack_file)))

    def until(self, what: str, done: Callable[[list[Verdict]], bool]) -> None:
        """Wait until the verdicts say so; the failure shows what they say instead."""
        deadline = time.monotonic() + PATIENCE
        while not done(seen := self.verdicts()):
            assert time.monotonic() < deadline, f"{what}; instead: {seen}"
            time.sleep(0.5)

    def until_kubectl(self, what: str, done: Callable[[], bool]) -> None:
        """Wait for something that kubectl shows."""
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < deadline, what
            time.sleep(0.5)

    def allocatable(self, node: str, resource: str) -> int:
        """How many of an extended resource a node offers."""
        status = json.loads(self.kubectl("get", "node", node, "-o", "json"))["status"]
        return int(status["allocatable"].get(resource, 0))

    def start_training_again(self, manifest: tuple[str, str] | None) -> tuple[str, str]:
        """Take the job and its pods away; give it back where `manifest` is None, else apply that one."""
        if manifest is None:
            manifest = self.saved("job", "pretrain", "-n", "research")
            self.kubectl("delete", "job", "pretrain", "-n", "research", "--cascade=foreground")
            self.kubectl("delete", "pods", "--all", "-n", "research", "--force", "--grace-period=0")
            return manifest
        self.apply(*manifest)
        return manifest


@pytest.fixture(scope="module")
def cluster(converged: Site) -> Iterator[Cluster]:
    path = converged.folder / "chain.kubeconfig"
    path.write_text(converged.outputs()["kubeconfig"])
    path.chmod(0o600)
    yield Cluster(converged, path)


def _well(verdicts: list[Verdict]) -> bool:
    return bool(verdicts) and all(each.state == "Running" for each in verdicts)


def _waits_for(namespace: str, reason: str) -> Callable[[list[Verdict]], bool]:
    return lambda verdicts: any(
        each.namespace == namespace and each.state in {"Pending", "Absent"} and reason in each.reason
        for each in verdicts
    )


@dataclass(frozen=True)
class Cut:
    """What is deleted, the resource that goes with it (none: nothing to wait for), and the reason that follows."""

    what: tuple[str, ...]
    reason: str
    gone: str = ""


TRAINING = {
    "a rail's node policy": Cut(
        ("sriovnetworknodepolicy", "training-rail3", "-n", SRIOV),
        "no SriovNetworkNodePolicy makes openshift.io/rail3",
        "openshift.io/rail3",
    ),
    "a rail's network": Cut(
        ("sriovnetwork", "research-group1-rail2", "-n", SRIOV), "network research/research-group1-rail2 does not exist"
    ),
    "the SR-IOV operator's config": Cut(
        ("sriovoperatorconfig", "default", "-n", SRIOV), "there is no SriovOperatorConfig", "openshift.io/rail0"
    ),
    "the cluster policy": Cut(
        ("clusterpolicy", "gpu-cluster-policy"), "there is no ClusterPolicy", "nvidia.com/gpu"
    ),
    "the service account": Cut(
        ("serviceaccount", "training", "-n", "research"), "there is no ServiceAccount research/training"
    ),
    "the priority class": Cut(("priorityclass", "podwright-training"), "no PriorityClass with name podwright-training"),
}  # fmt: skip


@pytest.mark.parametrize("link", TRAINING)
def test_training_waits_for_the_link_that_was_cut(cluster: Cluster, link: str) -> None:
    cut = TRAINING[link]
    kept = cluster.saved(*cut.what)
    job = cluster.start_training_again(None)
    cluster.kubectl("delete", *cut.what)
    if cut.gone:
        cluster.until_kubectl(f"{cut.gone} stays", lambda: cluster.allocatable("gpu-03", cut.gone) == 0)
    cluster.start_training_again(job)
    cluster.until(f"training waits: {cut.reason}", _waits_for("research", cut.reason))
    cluster.apply(*kept)
    if link in {"the service account", "the priority class"}:
        cluster.start_training_again(None)
        cluster.start_training_again(job)  # its controller waits ever longer between attempts
    cluster.until("everything runs again", _well)


def test_a_quota_of_nothing_keeps_pods_from_existing(cluster: Cluster) -> None:
    kept = cluster.saved("resourcequota", "gpus", "-n", "research")
    job = cluster.start_training_again(None)
    none = json.dumps({"spec": {"hard": {"requests.nvidia.com/gpu": "0"}}})
    cluster.kubectl("patch", "resourcequota", "gpus", "-n", "research", "--type=merge", "-p", none)
    cluster.start_training_again(job)
    cluster.until("training does not exist", _waits_for("research", "2 of 2 pods do not exist: exceeded quota: gpus"))
    cluster.apply(*kept)
    cluster.start_training_again(None)
    cluster.start_training_again(job)
    cluster.until("everything runs again", _well)


def test_a_node_out_of_its_pool_leaves_inference_without_a_place(cluster: Cluster) -> None:
    cluster.kubectl("label", "node", "inf-01", "podwright.io/pool-")
    cluster.kubectl("delete", "pods", "--all", "-n", "chat", "--force", "--grace-period=0")
    cluster.until("inference waits", _waits_for("chat", "no node carries podwright.io/pool=inference"))
    cluster.kubectl("label", "node", "inf-01", "podwright.io/pool=inference")
    cluster.until("everything runs again", _well)


LEFT = {
    "a subscription": ("subscription", "gpu-operator-certified", "-n", "nvidia-gpu-operator"),
    "the discovery": ("nodefeaturediscovery", "nfd-instance", "-n", "openshift-nfd"),
    "the NIC policy": ("nicclusterpolicy", "nic-cluster-policy"),
    "an operator group": ("operatorgroup", "openshift-sriov-network-operator", "-n", SRIOV),
}


def test_what_nothing_depends_on_any_more_may_go(cluster: Cluster) -> None:
    """An installed operator runs without Subscription and OperatorGroup, labels outlive the discovery that wrote them,
    and without the NIC policy a node falls back to the mlx5 driver of its system."""
    kept = [cluster.saved(*what) for what in LEFT.values()]
    for what in LEFT.values():
        cluster.kubectl("delete", *what)
    job = cluster.start_training_again(None)
    cluster.start_training_again(job)
    cluster.until("everything runs", _well)
    for each in kept:
        cluster.apply(*each)


def test_an_attachment_alone_comes_back_by_its_controller(cluster: Cluster) -> None:
    """The SR-IOV operator owns what it made of a SriovNetwork, and makes it again."""
    what = ("network-attachment-definition", "research-group1-rail2", "-n", "research")
    before = cluster.kubectl("get", *what, "-o", "jsonpath={.metadata.uid}")
    cluster.kubectl("delete", *what)
    cluster.until_kubectl(
        "the attachment stays away",
        lambda: cluster.kubectl("get", *what, "-o", "jsonpath={.metadata.uid}", check=False) not in {"", before},
    )
    cluster.until("everything runs", _well)


def _screen(site: Site) -> Any:
    return site.run([str(site.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", site.stack], check=False)


def test_an_up_repairs_whatever_was_deleted(cluster: Cluster) -> None:
    """All at once, the operators' running versions among them; the screen says why each workload does not stand."""
    site = cluster.site
    gone = (
        ("job", "pretrain", "-n", "research"),
        ("csv", "--all", "-n", SRIOV),
        ("sriovnetworknodepolicy", "training-rail5", "-n", SRIOV),
        ("clusterpolicy", "gpu-cluster-policy"),
        ("csv", "--all", "-n", "nvidia-gpu-operator"),
        ("serviceaccount", "inference", "-n", "chat"),
    )
    for what in gone:
        cluster.kubectl("delete", *what)
    cluster.kubectl("delete", "pods", "--all", "-n", "chat", "--force", "--grace-period=0")
    cluster.until("inference does not exist", _waits_for("chat", "there is no ServiceAccount chat/inference"))
    screen = _screen(site)
    assert screen.returncode == 1
    told = " ".join(screen.stdout.split())
    assert "there is no Job research/pretrain" in told, screen.stdout
    assert "4 of 4 pods do not exist: there is no ServiceAccount chat/inference" in told, screen.stdout
    assert "SR-IOV absent" in told and "NVIDIA GPU absent" in told, screen.stdout
    site.refresh()
    site.up()
    cluster.until("everything runs again", _well)
    assert site.preview() == []
    assert _screen(site).returncode == 0
