"""Two gangs that do not fit beside each other, from an empty site to its end: `up` waits for neither's turn. Then one
of them becomes the first JobSet of the site, whose members are made again together."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.model.changes import Said, both, drop, put
from tests.model.queue_cases import IN_TURN
from tests.waiting import until

pytestmark = pytest.mark.soak


def _stack(*changes: Callable[[Said], None]) -> str:
    """The lab's stack with two jobs of three servers each, and no acceptance."""
    loaded: Said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = copy.deepcopy(loaded["config"]["podwright:cluster"])
    IN_TURN(cluster)
    both(drop("acceptance"), *changes)(cluster)
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def _pods(site: Site, job: str) -> dict[str, str]:
    """Nodes of the job's pods that run, by their names."""
    found: Any = json.loads(kubectl(site, "get", "pods", "-n", "research", "-l", f"app.kubernetes.io/name={job}",
                                    "-o", "json"))["items"]  # fmt: skip
    running = (pod for pod in found if pod["status"]["phase"] == "Running")
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in running}


def _running(site: Site, job: str) -> set[str]:
    return set(_pods(site, job).values())


def _admitted(site: Site) -> set[str]:
    """Jobs that have what they asked their queue for, and have not ended."""
    found: Any = json.loads(kubectl(site, "get", "workloads", "-n", "research", "-o", "json"))["items"]
    return {each["metadata"]["ownerReferences"][0]["name"] for each in found if "admission" in each["status"]}


def _alerts(site: Site) -> set[str]:
    """Alerts that Prometheus has, by the rules that OpenShift's monitoring made of ours."""
    made: Any = json.loads(kubectl(site, "get", "prometheusrules", "-n", "openshift-monitoring", "-o", "json"))["items"]
    groups = [group for each in made for group in each["spec"]["groups"]]
    return {rule["alert"] for group in groups for rule in group["rules"]}


def _ends(site: Site, job: str) -> None:
    kubectl(site, "annotate", "pod", "-n", "research", "-l", f"app.kubernetes.io/name={job}",
            "pod-complete.stage.kwok.x-k8s.io/delay=1s")  # fmt: skip


def test_the_second_gang_waits_and_starts_when_the_first_ends(make_site: MakeSite) -> None:
    site = make_site("queued", stack_text=_stack())
    first, second = sorted(("pretrain", "second"), key=lambda job: -len(_running(site, job)))
    assert (len(_running(site, first)), len(_running(site, second))) == (3, 0)
    assert site.preview() == []
    screen = site.run([str(ROOT / ".venv/bin/podwright"), "status", "lab"], check=False).stdout
    assert "waits in queue" in screen and "research/training" in screen

    _ends(site, first)
    until(lambda: len(_running(site, second)) == 3, 120, "the second gang runs", pause=1)
    assert site.preview() == []
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    _becomes_a_set(site, first, second)
    _is_changed(site, first)
    _goes_without_jobs_of_others(site)


def _becomes_a_set(site: Site, ended: str, running: str) -> None:
    """`up` brings JobSet, starts Kueue anew for it, and makes the set, which waits whole until the other job has ended.

    What is written while Kueue starts anew would be refused by its webhooks.
    """
    named = put("openshift/alerts", {"owner": "platform"})
    site.stack_file.write_text(_stack(put(f"workloads/training/{ended}/kind", "jobset"), named))
    site.up()
    assert _alerts(site) >= {"GpusMissing", "QueueWaitsBesideIdleQuota"}
    assert site.preview() == []
    assert (_running(site, ended), len(_running(site, running))) == (set(), 3)
    _ends(site, running)
    until(lambda: len(_running(site, ended)) == 3, 120, "the set runs whole", pause=1)
    before = _pods(site, ended)
    failed = json.dumps({"status": {"phase": "Failed", "reason": "Error"}})
    kubectl(site, "patch", "pod", min(before), "-n", "research", "--subresource=status", "--type=merge", "-p", failed)
    until(lambda: len(set(_pods(site, ended)) - set(before)) == 3, 120, "all members are made again", pause=1)
    screen = site.run([str(ROOT / ".venv/bin/podwright"), "status", "lab"], check=False).stdout
    assert "all members were made again once" in screen
    assert site.preview() == []
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []


def _is_changed(site: Site, job: str) -> None:
    """A set that runs gets another command: one `up` ends it, waits for its members, and makes the next."""
    before = _pods(site, job)
    kubectl(site, "annotate", "pod", "-n", "research", "-l", f"app.kubernetes.io/name={job}",
            "pod-stop.stage.kwok.x-k8s.io/delay=8s")  # fmt: skip
    named, kind = put("openshift/alerts", {"owner": "platform"}), put(f"workloads/training/{job}/kind", "jobset")
    site.stack_file.write_text(_stack(kind, named, put(f"workloads/training/{job}/command", ["torchrun", "other.py"])))
    assert "is being ended before the next is made" in site.up().stdout
    until(lambda: len(set(_pods(site, job)) - set(before)) == 3, 120, "members of the next set", pause=1)
    assert site.preview() == []


def _goes_without_jobs_of_others(site: Site) -> None:
    """A job that a member made runs from the queue: `destroy` names it, and leaves it and its queue as they are."""
    container = {"name": "main", "image": "registry.example.com/mine", "resources": {"requests": {"cpu": "1"}}}
    template = {"metadata": {}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    named = {"name": "mine", "namespace": "research", "labels": {"kueue.x-k8s.io/queue-name": "training"}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": named, "spec": {"template": template}}
    kubectl(site, "apply", "-f", "-", stdin=yaml.safe_dump(job))
    until(lambda: "mine" in _admitted(site), 60, "a member's job is admitted", pause=1)
    refused = site.destroy(check=False)
    assert refused.returncode
    assert "job/mine of research" in refused.stdout + refused.stderr
    assert "deletionTimestamp" not in kubectl(site, "get", "clusterqueue", "research", "-o", "yaml")
    kubectl(site, "delete", "job", "mine", "-n", "research")
    site.destroy()
