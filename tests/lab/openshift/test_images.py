"""Allowed registries and signatures on a cluster: on every node without a drain, and what waits for an image."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design.platform import images
from podwright.components.design.platform.images import policy
from podwright.components.model.images import Signature
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.test_disconnected import boots, drained, pod, updated
from tests.model.image_cases import KEY
from tools.goldens import stack_file

pytestmark = pytest.mark.rough

SHAPE = {"masters": 1, "workers": ("NVIDIA-H200",)}
CONFIG = "config.openshift.io/v1"
SITE = "registry.example.com"
DIGEST = f"sha256:{'0' * 64}"
OWN = ["quay.io/openshift-release-dev", "registry.redhat.io", SITE]


def registries(*allowed: str) -> dict[str, Any]:
    spec = {"registrySources": {"allowedRegistries": list(allowed)}}
    return {"apiVersion": CONFIG, "kind": "Image", "metadata": {"name": "cluster"}, "spec": spec}


def waiting(cluster: Rack, name: str) -> dict[str, Any]:
    rows = cluster.get("pod", name, "-n", "default")["status"].get("containerStatuses") or [{}]
    return dict(rows[0].get("state", {}).get("waiting") or {})


def test_only_allowed_registries_are_pulled_from_and_no_node_drains_for_it(cluster: Rack) -> None:
    before = boots(cluster)
    cluster.apply(pod("early", f"docker.io/team/a@{DIGEST}"))
    cluster.wait("early runs", lambda: cluster.pod("early")[0] == "Running")
    cluster.apply(registries(*OWN))
    cluster.wait("a file of the pools", lambda: bool(cluster.get("mc", "99-worker-generated-registries")))
    cluster.wait("nodes have it", lambda: updated(cluster))
    cluster.apply(pod("foreign", f"docker.io/team/a@{DIGEST}"), pod("own", f"{SITE}/a@{DIGEST}"))
    cluster.wait("own runs", lambda: cluster.pod("own")[0] == "Running")
    cluster.wait("foreign waits", lambda: "SignatureValidationFailed" in waiting(cluster, "foreign").get("message", ""))
    assert waiting(cluster, "foreign")["reason"] == "ImagePullBackOff"
    assert "is rejected by policy" in waiting(cluster, "foreign")["message"]
    assert cluster.pod("early")[0] == "Running"
    assert boots(cluster) == before
    assert not any(node["spec"].get("unschedulable") for node in cluster.items("nodes"))
    cluster.apply(registries(*OWN, "docker.io"))
    cluster.wait("foreign runs", lambda: cluster.pod("foreign")[0] == "Running")


def test_a_policy_outside_the_list_is_not_written(cluster: Rack) -> None:
    before = cluster.get("mc", "99-worker-generated-registries")["spec"]
    cluster.apply(policy("ghcr.io/team", Signature(public_key=KEY)), registries(*OWN, "quay.io"))
    cluster.apply(pod("quay", f"quay.io/site/a@{DIGEST}"))
    cluster.wait("quay waits", lambda: bool(waiting(cluster, "quay")))
    assert cluster.get("mc", "99-worker-generated-registries")["spec"] == before
    cluster.kubectl("delete", "clusterimagepolicies", "--all")
    cluster.wait("quay runs", lambda: cluster.pod("quay")[0] == "Running")


def test_an_image_without_its_signature_waits(cluster: Rack) -> None:
    cluster.apply(policy(f"{SITE}/signed", Signature(public_key=KEY)))
    cluster.wait("nodes have it", lambda: "sigstoreSigned" in _policies(cluster) and updated(cluster))
    cluster.apply(pod("unsigned", f"{SITE}/signed/a@{DIGEST}"), pod("beside", f"{SITE}/other/a@{DIGEST}"))
    cluster.wait("beside runs", lambda: cluster.pod("beside")[0] == "Running")
    cluster.wait("unsigned waits", lambda: "no signature exists" in waiting(cluster, "unsigned").get("message", ""))
    events = [each["message"] for each in cluster.items("events", "-n", "default") if each["reason"] == "Failed"]
    assert any("SignatureValidationFailed: Source image rejected" in each for each in events)
    assert drained(cluster) <= len(cluster.items("nodes"))


def _policies(cluster: Rack) -> str:
    rows = cluster.get("mc", "99-worker-generated-registries")["spec"]["config"]["storage"]["files"]
    return "".join(base64.b64decode(row["contents"]["source"].partition(";base64,")[2]).decode() for row in rows)


def test_both_forms_of_the_example_are_taken_as_they_are_planned(cluster: Rack) -> None:
    whole = model.load(stack_file("platform"))
    assert whole.openshift
    plan = images.plan(whole.openshift, whole.servers, certified=whole.has_certified)
    assert plan and plan.registries
    cluster.apply(plan.registries, *plan.policies)
    cluster.wait(
        "both are on the way", lambda: "sigstoreSigned" in _policies(cluster) and "fulcio" in _policies(cluster)
    )
    cluster.kubectl("delete", "clusterimagepolicies", "--all")


@pytest.mark.parametrize(
    "change",
    [
        {"scopes": ["registry"]},
        {"scopes": ["a.*.io"]},
        {"policy": {"rootOfTrust": {"policyType": "PublicKey"}}},
        {"policy": {"rootOfTrust": {"policyType": "PublicKey", "publicKey": {"keyData": "QUFBQQ=="}}}},
    ],
)
def test_the_published_definition_refuses_what_is_none(cluster: Rack, change: dict[str, Any]) -> None:
    wrong = policy(SITE, Signature(public_key=KEY))
    wrong["spec"] |= change
    with pytest.raises(AssertionError):
        cluster.apply(wrong)
