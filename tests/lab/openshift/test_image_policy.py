"""policy.json as the Machine Config Operator writes it, and what a node with it refuses, in CRI-O's words."""

import base64
from typing import Any

import pytest

from podwright.lab.openshift import disruption, image_policy, pull_gate, pulls
from podwright.lab.openshift.image_policy import conflict, covering, files, nested, refusal

KEY, OTHER = ("-----BEGIN PUBLIC KEY-----\nAAAA\n", "-----BEGIN PUBLIC KEY-----\nBBBB\n")
SITE = "registry.example.com"
IMAGE = f"{SITE}/research/a@sha256:{'0' * 64}"


def image(**sources: list[str]) -> dict[str, Any]:
    return {"metadata": {"name": "cluster"}, "spec": {"registrySources": sources}}


def policy(*scopes: str, key: str = KEY, match: str = "MatchRepository") -> dict[str, Any]:
    root = {"policyType": "PublicKey", "publicKey": {"keyData": base64.b64encode(key.encode()).decode()}}
    return {
        "metadata": {"name": "own"},
        "spec": {"scopes": list(scopes), "policy": {"rootOfTrust": root, "signedIdentity": {"matchPolicy": match}}},
    }


def config(registries: Any = None, *policies: Any) -> dict[str, Any]:
    return {"config": {"storage": {"files": files(registries, policies, {})}}}


def test_an_image_of_another_registry_is_refused_in_crios_words() -> None:
    listed = config(image(allowedRegistries=["quay.io", f"{SITE}/research"]))
    assert refusal(IMAGE, listed, {}) == ""
    assert refusal(f"{SITE}/serving/a:1", listed, {}) == (
        f"Source image rejected: Running image docker://{SITE}/serving/a:1 is rejected by policy."
    )
    assert refusal(f"{SITE}/serving/a:1", config(), {}) == ""


@pytest.mark.parametrize(
    ("signatures", "sentence"),
    [
        ({}, "Source image rejected: A signature was required, but no signature exists"),
        ({f"{SITE}/research": [OTHER]}, "Source image rejected: cryptographic signature verification failed"),
        ({f"{SITE}/research": [KEY]}, ""),
    ],
)
def test_a_signature_is_of_the_key_that_is_asked_for(signatures: dict[str, list[str]], sentence: str) -> None:
    found = refusal(IMAGE, config(None, policy(f"{SITE}/research")), signatures)
    assert found.startswith(sentence) and bool(found) == bool(sentence)


def test_the_closest_scope_decides_and_two_policies_of_one_scope_both_hold() -> None:
    near, far = policy(f"{SITE}/research"), policy(SITE, key=OTHER)
    signed = {f"{SITE}/research": [KEY]}
    assert refusal(IMAGE, config(None, near, far), signed) == ""
    assert "verification failed" in refusal(IMAGE, config(None, near, policy(f"{SITE}/research", key=OTHER)), signed)


@pytest.mark.parametrize(
    ("registries", "scopes", "sentence"),
    [
        (image(allowedRegistries=[SITE]), ["quay.io/a"], "scope quay.io/a is not nested inside allowedRegistries"),
        (image(blockedRegistries=[SITE]), [f"{SITE}/a"], f"scope {SITE}/a is nested inside blockedRegistries"),
        (image(allowedRegistries=[SITE], blockedRegistries=["a.io"]), [], "only one of AllowedRegistries"),
        (image(allowedRegistries=["*.example.com"]), [f"{SITE}/a"], ""),
    ],
)
def test_what_the_operator_does_not_write(registries: Any, scopes: list[str], sentence: str) -> None:
    found = conflict(registries, [policy(*scopes)])
    assert sentence in found and bool(found) == bool(sentence)


def test_signatures_are_looked_for_at_the_mirrors_too() -> None:
    written = files(None, [policy(SITE)], {f"{SITE}/research": ["mirror.example.com/pod/research"]})
    (attached,) = (row for row in written if row["path"] == image_policy.ATTACHMENTS)
    text = base64.b64decode(attached["contents"]["source"].partition(";base64,")[2]).decode()
    assert "mirror.example.com/pod/research" in text and SITE in text


def test_neither_file_drains_or_restarts_a_node() -> None:
    both = config(image(allowedRegistries=[SITE]), policy(SITE))
    for old, new in ((config(), both), (both, config())):
        asked = disruption.actions(old, new, None)
        assert asked and not disruption.drains(asked, old, new) and disruption.REBOOT not in asked
        assert disruption.restarted(asked) == []


def test_scopes() -> None:
    assert list(covering("a.b.io:5000/c/d:1")) == [
        "a.b.io:5000/c/d:1", "a.b.io:5000/c/d", "a.b.io:5000/c", "a.b.io:5000", "*.b.io", "*.io",
    ]  # fmt: skip
    assert nested("eu.example.com/a", "*.example.com") and not nested("example.com/a", "*.example.com")


def test_pods_wait_for_their_images_in_both_forms() -> None:
    stage = "- {key: .metadata}\n" + pulls.STARTABLE
    opened = pulls.stages(stage, {pulls.VARIANT: "connected"})
    assert pull_gate.AWAITS in opened and pulls.PULLED in opened
    assert pull_gate.AWAITS not in pulls.stages(stage, {pulls.VARIANT: pulls.CLOSED})
    marked = {"metadata": {"annotations": {pull_gate.AWAITS: "true"}}}
    assert not pulls.pulled(marked, {pulls.VARIANT: "connected"})
    assert pulls.pulled({"metadata": {}}, {pulls.VARIANT: "connected"})
