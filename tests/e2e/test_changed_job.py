"""A training job that runs gets another command: one `up` ends it, waits for its pods, and makes the next, and so it
does where an earlier release made the job, and where the next is of another kind."""

import json
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.waiting import until

pytestmark = [pytest.mark.rough, pytest.mark.timeout(1200)]
FORMER = "podwright:openshift:FormerJobEnded"


def _stack(script: str, kind: str = "job") -> str:
    """The lab's stack without a test of the rails, with a job of this script and kind."""
    loaded: Any = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = loaded["config"]["podwright:cluster"]
    cluster.pop("acceptance")
    cluster["workloads"]["training"]["pretrain"]["command"] = ["torchrun", script]
    cluster["workloads"]["training"]["pretrain"]["kind"] = kind
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def _members(site: Site) -> dict[str, str]:
    """Scripts of the pods that run, by UID."""
    label = "app.kubernetes.io/name=pretrain"
    found: Any = json.loads(kubectl(site, "get", "pods", "-n", "research", "-l", label, "-o", "json"))["items"]
    there = (pod for pod in found if "deletionTimestamp" not in pod["metadata"])
    running = (pod for pod in there if pod["status"]["phase"] == "Running")
    return {pod["metadata"]["uid"]: pod["spec"]["containers"][0]["command"][-1] for pod in running}


def _job(site: Site) -> str:
    return kubectl(site, "get", "job", "-n", "research", "pretrain", "-o", "jsonpath={.metadata.uid}")


def test_one_up_makes_a_running_job_anew(make_site: MakeSite) -> None:
    site = make_site("changed", stack_text=_stack("train.py"))
    until(lambda: len(_members(site)) == 2, 120, "members run")
    first, before = _job(site), _members(site)
    # What a program does that writes a last checkpoint: each pod takes its time to stop.
    kubectl(site, "annotate", "pod", "-n", "research", "-l", "app.kubernetes.io/name=pretrain",
            "pod-stop.stage.kwok.x-k8s.io/delay=8s")  # fmt: skip
    _changed(site, "train2.py", first, before)
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    _as_before(site)
    _changed(site, "train3.py", _job(site), _members(site))
    _of_another_kind(site, "jobset", [("JobSet", "pretrain")])
    _of_another_kind(site, "job", [])


def _changed(site: Site, script: str, first: str, before: dict[str, str]) -> None:
    """One `up` makes it another job of this script."""
    site.stack_file.write_text(_stack(script))
    shown = site.up().stdout
    assert "the former research/pretrain is being ended" in shown
    assert _job(site) != first
    until(lambda: len(_members(site)) == 2, 120, "members of the next run")
    after = _members(site)
    assert set(after.values()) == {script} and not set(after) & set(before)
    assert site.preview() == []


def _of_another_kind(site: Site, kind: str, owners: list[tuple[str, str]]) -> None:
    """One `up` ends the job before: both would train at once, and both have a Service of this name."""
    before = _members(site)
    site.stack_file.write_text(_stack("train3.py", kind))
    assert "the former research/pretrain is being ended" in site.up().stdout
    until(lambda: len(_members(site)) == 2 and not set(_members(site)) & set(before), 120, "members of the next kind")
    until(lambda: _owners(site) == owners, 30, "the Service is the one of this kind")
    assert site.preview() == []
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []


def _owners(site: Site) -> list[tuple[str, str]] | None:
    """Of the Service of the members; None where there is none."""
    found = kubectl(site, "get", "service", "-n", "research", "pretrain", "--ignore-not-found", "-o", "json")
    if not found:
        return None
    owners = json.loads(found)["metadata"].get("ownerReferences", ())
    return [(each["kind"], each["name"]) for each in owners]


def _as_before(site: Site) -> None:
    """As a release leaves it that has no such wait: not in the state, and no digest on the job."""
    state: Any = site.export()
    kept = [each for each in state["deployment"]["resources"] if FORMER not in each["urn"]]
    for each in kept:
        each["dependencies"] = [one for one in each.get("dependencies", ()) if FORMER not in one]
        for after in each.get("propertyDependencies", {}).values():
            after[:] = [one for one in after if FORMER not in one]
    state["deployment"]["resources"] = kept
    file = site.folder / "before.json"
    file.write_text(json.dumps(state))
    site.pulumi("stack", "import", "--file", str(file))
    kubectl(site, "annotate", "job", "-n", "research", "pretrain", "podwright.io/made-of-")
