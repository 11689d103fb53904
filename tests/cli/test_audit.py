"""The audit's own reading and words: what it asks for, whom it passes over, what is waived, what is not read."""

import asyncio
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from podwright.cli import audit, stack
from podwright.cli.__main__ import app
from podwright.components.providers.openshift.kube import KubeError, SilentError
from podwright.components.providers.status import everything
from podwright.components.providers.status.everything import Everything
from podwright.policies.rules.kubernetes import runs_pods
from podwright.policies.rules.waivers import Waiver
from tools.generated import ROOT

IMAGE = "registry.example.com/x:1"


def pod(name: str, owner: str = "", **meta: Any) -> dict[str, Any]:
    owners = {"ownerReferences": [{"uid": owner, "controller": True}]} if owner else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "research", "uid": f"uid-{name}", **owners, **meta},
        "spec": {"containers": [{"name": "c", "image": IMAGE}]},
    }


TAGGED = {**pod("tagged"), "apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"template": pod("made")}}
SEEN = Everything((TAGGED, pod("made", owner="uid-tagged"), pod("of-another", owner="uid-of-a-ray-cluster")))
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "chat", "namespace": "chat"},
    "spec": {"maxUnavailable": 0},
}


def places(found: audit.Audit, rule: str = "workloads-image-by-digest") -> list[str]:
    return [each.place for each in found.found if each.rule.id == rule]


def test_what_another_object_that_was_read_made_is_found_once_with_its_maker() -> None:
    found = audit.judge(SEEN)
    assert places(found) == ["Pod/research/of-another", "ReplicaSet/research/tagged"]
    assert found.objects == 2 and not found.well


def test_a_waiver_of_the_stack_file_names_an_object_as_the_preview_does_and_others_by_name() -> None:
    rule, until = "workloads-image-by-digest", date(2027, 1, 1)
    waivers = [Waiver(rule, each, "a registry without digests", "research", until) for each in ("prod-tagged", "of-*")]
    names = {"ReplicaSet/research/tagged": "prod-tagged"}
    found = audit.judge(SEEN, audit.Accepted(waivers, names, date(2026, 12, 1)))
    assert [each.waived for each in found.found if each.rule.id == rule] == [True, True]
    assert all("a registry without digests (owner: research)" in each.waiver for each in found.found if each.waived)
    late = audit.judge(SEEN, audit.Accepted(waivers, names, date(2027, 1, 2)))
    assert all(each.stops and "ended on 2027-01-01" in each.waiver for each in late.found if each.rule.id == rule)


def test_the_text_has_each_rule_once_and_the_worst_first() -> None:
    text = audit.text(audit.judge(Everything((*SEEN.objects, BUDGET), unread=("metrics.k8s.io/v1beta1",))))
    assert text.count("workloads-image-by-digest (") == 1
    assert "  ReplicaSet/research/tagged: " in text and "  PodDisruptionBudget/chat/chat: " in text
    assert "metrics.k8s.io/v1beta1 was not read: its server does not answer" in text
    assert text.splitlines()[-1].startswith("3 objects: ")


def test_json_is_for_programs() -> None:
    found = json.loads(audit.as_json(audit.judge(Everything((BUDGET,)))))
    assert found["objects"] == 1 and found["unread"] == []
    assert {"rule", "severity", "object", "message", "stops"} == set(found["findings"][0])


def test_catalogues_that_openshift_makes_again_are_passed_over() -> None:
    rows = [
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "CatalogSource",
            "metadata": {"name": name, "namespace": "openshift-marketplace"},
            "spec": {"image": "registry.redhat.io/x:v4.20"},
        }
        for name in ("redhat-operators", "of-the-site")
    ]
    assert places(audit.judge(Everything(tuple(rows))), "operators-catalogue-by-digest") == [
        "CatalogSource/openshift-marketplace/of-the-site"
    ]


BOTH = ("a.b/v1", "a.b/v1alpha1")
SERVED: dict[str, Any] = {
    "/api/v1/namespaces": {"items": [{"metadata": {"name": "openshift-etcd"}}, {"metadata": {"name": "research"}}]},
    "/apis": {"groups": [
        {"preferredVersion": {"groupVersion": "a.b/v1"}, "versions": [{"groupVersion": each} for each in BOTH]},
        {"preferredVersion": {"groupVersion": "away/v1"}, "versions": [{"groupVersion": "away/v1"}]},
    ]},
    "/api/v1": {"resources": [
        {"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]},
        {"name": "pods/log", "kind": "Pod", "namespaced": True, "verbs": ["get"]},
    ]},
    "/apis/a.b/v1": {"resources": [{"name": "quotas", "kind": "ResourceQuota", "namespaced": True, "verbs": ["list"]}]},
    "/apis/a.b/v1alpha1": {"resources": [
        {"name": "quotas", "kind": "ResourceQuota", "namespaced": True, "verbs": ["list"]},
        {"name": "catalogs", "kind": "CatalogSource", "namespaced": True, "verbs": ["list"]},
    ]},
}  # fmt: skip


class Kube:
    """An API server of which one aggregated server is away."""

    asked: list[str] = []

    def __init__(self, kubeconfig: str, patience: float) -> None:
        """As the real one."""

    async def request(self, _method: str, path: str) -> Any:
        if path == "/apis/away/v1":
            raise KubeError(503, {}, f"GET {path}")
        return SERVED[path]

    async def find(self, path: str) -> Any:
        if path.startswith("/api/v1/namespaces"):
            return SERVED["/api/v1/namespaces"]
        self.asked.append(path)
        return {"items": [{"metadata": {"name": "x"}}]}


def test_every_kind_is_read_once_whatever_version_serves_it_and_pods_outside_openshift(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(everything, "Kube", Kube)
    seen = asyncio.run(everything.take("", 1, audit.asked, runs_pods))
    assert [(each["apiVersion"], each["kind"]) for each in seen.objects] == [
        ("v1", "Pod"), ("a.b/v1", "ResourceQuota"), ("a.b/v1alpha1", "CatalogSource"),
    ]  # fmt: skip
    assert seen.unread == ("away/v1",)
    assert "metadata.namespace%21%3Dopenshift-etcd" in Kube.asked[0]
    assert "fieldSelector" not in "".join(Kube.asked[1:])


def test_an_api_server_that_does_not_answer_is_a_sentence_and_no_clean_result(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Kube):
        async def find(self, _path: str) -> Any:
            raise SilentError("refused")

    named = {"name": "admin", "context": {"cluster": "lab", "user": "admin"}}
    text = yaml.safe_dump({
        "current-context": "admin", "contexts": [named],
        "clusters": [{"name": "lab", "cluster": {"server": "https://api.lab.example.com:6443"}}],
        "users": [{"name": "admin", "user": {"token": "x"}}],
    })  # fmt: skip
    monkeypatch.setattr(everything, "Kube", Silent)
    monkeypatch.setattr(stack, "read", lambda _name: stack.Stack({"kubeconfig": text}))
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, ["audit", "lab"])
    assert done.exit_code == 2
    assert "does not answer; look at the control plane's servers" in done.output


def test_the_page_shows_what_is_printed() -> None:
    wrong = {**BUDGET, "spec": {"maxUnavailable": 0, "unhealthyPodEvictionPolicy": "AlwaysAllow"}}
    printed = audit.text(audit.judge(Everything((wrong,))))
    page = (ROOT / "docs/how-to/audit-a-cluster.md").read_text(encoding="utf-8")
    assert printed.rpartition("\n1 objects")[0] in page


def test_a_stack_without_a_cluster_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "read", lambda _name: stack.Stack())
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, ["audit", "lab"])
    assert done.exit_code == 2
    assert "stack lab has no OpenShift cluster yet: run `pulumi up`" in done.output


@pytest.mark.parametrize("text", [None, "config: {'podwright:cluster': {nam: lab}}\n"])
def test_a_file_that_cannot_be_read_is_no_finding(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "Pulumi.lab.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["audit", "lab"])
    assert done.exit_code == 2
    assert "Pulumi.lab.yaml" in done.output
