"""A cluster without a way out: what the mirror sets do not send a node for does not start."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.openshift.manifests import operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"masters": 1, "workers": ("NVIDIA-H200",), "registry": "disconnected"}
MIRROR = "registry.example.com:8443/pod"
DIGEST = f"sha256:{'0' * 64}"
MARKET = "openshift-marketplace"
RELEASE = [
    {"source": "quay.io/openshift-release-dev/ocp-release", "mirrors": [f"{MIRROR}/openshift/release-images"]},
    {"source": "quay.io/openshift-release-dev/ocp-v4.0-art-dev", "mirrors": [f"{MIRROR}/openshift/release"]},
    {"source": "registry.redhat.io", "mirrors": [MIRROR]},
]
MCO = "machineconfiguration.openshift.io/"


@pytest.fixture(scope="module")
def cluster(rack: Rack) -> Rack:
    install, agent = rack.configs()
    refused = rack.create_image(install, agent)
    assert refused.returncode == 1
    assert "unable to read image quay.io/openshift-release-dev/ocp-release" in refused.stderr
    rack.configs = lambda: ({**install, "imageDigestSources": RELEASE}, agent)  # type: ignore[method-assign]
    rack.install()
    return rack


def mirrors(kind: str, key: str, source: str) -> dict[str, Any]:
    rows = [{"source": source, "mirrors": [MIRROR]}]
    return {"apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": {"name": "more"}, "spec": {key: rows}}


def pod(name: str, image: str) -> dict[str, Any]:
    containers = [{"name": "c", "image": image}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": containers, "tolerations": [{"operator": "Exists"}]},
    }


def reason(cluster: Rack, name: str) -> str:
    rows = cluster.get("pod", name, "-n", "default")["status"].get("containerStatuses") or [{}]
    return str(rows[0].get("state", {}).get("waiting", {}).get("reason"))


def boots(cluster: Rack) -> list[str]:
    return [node["status"]["nodeInfo"]["bootID"] for node in cluster.items("nodes")]


def updated(cluster: Rack) -> bool:
    notes = [node["metadata"]["annotations"] for node in cluster.items("nodes")]
    pools = {pool["metadata"]["name"]: pool["spec"]["configuration"]["name"] for pool in cluster.items("mcp")}
    return all(
        each.get(f"{MCO}currentConfig") in pools.values() and each.get(f"{MCO}state") == "Done" for each in notes
    )


def drained(cluster: Rack) -> int:
    """Nodes that the operator has drained and given back."""
    notes = [node["metadata"]["annotations"] for node in cluster.items("nodes")]
    return sum(each.get(f"{MCO}lastAppliedDrain", "").startswith("uncordon-") for each in notes)


def test_an_image_starts_once_a_mirror_set_sends_its_node_to_the_sites_registry(cluster: Rack) -> None:
    before = boots(cluster)
    cluster.apply(pod("forgotten", f"ghcr.io/team/a@{DIGEST}"), pod("mirrored", f"registry.redhat.io/a@{DIGEST}"))
    cluster.wait("mirrored runs", lambda: cluster.pod("mirrored")[0] == "Running")
    cluster.wait("forgotten waits", lambda: reason(cluster, "forgotten") == "ImagePullBackOff")
    assert cluster.pod("forgotten")[0] == "Pending"
    events = [each["message"] for each in cluster.items("events", "-n", "default") if each["reason"] == "Failed"]
    assert any("ghcr.io/team/a" in each for each in events)
    cluster.apply(mirrors("ImageDigestMirrorSet", "imageDigestMirrors", "ghcr.io"))
    cluster.wait("forgotten runs", lambda: cluster.pod("forgotten")[0] == "Running")
    cluster.wait("nodes have it", lambda: updated(cluster))
    assert boots(cluster) == before


def test_mirrors_by_tag_drain_every_node_and_restart_none(cluster: Rack) -> None:
    before = boots(cluster)
    cluster.apply(pod("tagged", "docker.io/team/a:1"))
    cluster.wait("tagged waits", lambda: reason(cluster, "tagged") == "ImagePullBackOff")
    cluster.apply(mirrors("ImageTagMirrorSet", "imageTagMirrors", "docker.io"))
    cluster.wait("bare pods were drained away", lambda: cluster.get("pod", "tagged", "-n", "default") is None)
    cluster.wait("nodes have it", lambda: updated(cluster))
    assert drained(cluster) == len(cluster.items("nodes"))
    assert not any(node["spec"].get("unschedulable") for node in cluster.items("nodes"))
    assert boots(cluster) == before
    cluster.apply(pod("tagged", "docker.io/team/a:1"))
    cluster.wait("tagged runs", lambda: cluster.pod("tagged")[0] == "Running")


def test_catalogues_are_those_that_can_be_pulled(cluster: Rack) -> None:
    def state(name: str) -> str:
        found = cluster.get("catalogsource", name, "-n", MARKET) or {}
        return str(found.get("status", {}).get("connectionState", {}).get("lastObservedState"))

    cluster.wait("defaults", lambda: state("certified-operators") == "TRANSIENT_FAILURE")
    hub = {"apiVersion": "config.openshift.io/v1", "kind": "OperatorHub", "metadata": {"name": "cluster"}}
    cluster.apply({**hub, "spec": {"disableAllDefaultSources": True}})
    cluster.wait("defaults are gone", lambda: not cluster.items("catalogsource", "-n", MARKET))
    namespace, group, subscription = operator("nfd")
    cluster.apply(namespace, group, subscription)

    def told(words: str) -> bool:
        found = cluster.get("subscription", "nfd", "-n", "openshift-nfd")
        return any(words in row.get("message", "") for row in found.get("status", {}).get("conditions") or [])

    cluster.wait("no such source", lambda: told("no operators found from catalog redhat-operators"))
    name = "cs-redhat-operator-index-v4-22"
    source = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": MARKET},
        "spec": {"sourceType": "grpc", "image": f"{MIRROR}/redhat/redhat-operator-index@{DIGEST}"},
    }
    cluster.apply(source, {**subscription, "spec": {**subscription["spec"], "source": name}})
    cluster.wait("the mirrored one answers", lambda: state(name) == "READY")
    cluster.wait("a plan", lambda: bool(cluster.items("installplans", "-n", "openshift-nfd")))
    cluster.apply({**hub, "spec": {"disableAllDefaultSources": False}})
    cluster.wait("defaults are back", lambda: len(cluster.items("catalogsource", "-n", MARKET)) == 4)
