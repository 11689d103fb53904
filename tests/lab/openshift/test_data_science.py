"""Red Hat OpenShift AI as it is planned, on a cluster: its operator takes it, and refuses what would be beside it."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.operators import Operator
from podwright.components.design.platform.names import POOL_LABEL
from podwright.components.model import Cluster
from podwright.lab.openshift.crds import OWN
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.model.changes import LAB, Said
from tests.model.data_science_cases import tools

SHAPE = {"masters": 1, "workers": ("",), "openshift": "4.20.3"}
PUBLISHED = {
    "datasciencecluster.opendatahub.io_datascienceclusters":
        "73a01fd52b3ca4311e09eac7d6d9776ad9eaea50a7d3faf9b8766ff861a2406e",
    "dscinitialization.opendatahub.io_dscinitializations":
        "aabd5b928fb6e505b274b197c76d44e80ec1e232ca6958f3e474011e9b5d7542",
    "infrastructure.opendatahub.io_hardwareprofiles":
        "5611515fc5d7d08a26e0871f9a285c71f1b5b0eb15f3a93bafcdb03c957a1149",
}  # fmt: skip
"""SHA-256 of bundle/manifests/<name>.yaml: red-hat-data-services/RHOAI-Build-Config, rhoai-3.4 at c5f043366b01."""
NODE = "gpu-1.lab.example.com"
TAINT = f"{POOL_LABEL}=desks:NoSchedule"


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_definitions_are_the_published_ones(name: str) -> None:
    assert hashlib.sha256((Path(OWN) / f"{name}.yaml").read_bytes()).hexdigest() == PUBLISHED[name]


def _planned(**more: Any) -> Operator:
    written: Said = copy.deepcopy(LAB)
    tools(**more)(written)
    (found,) = (each for each in whole.operators(Cluster.model_validate(written)) if each.name == "rhods-operator")
    return found


def _rows(cluster: Rack) -> dict[str, dict[str, str]]:
    found = cluster.get("datasciencecluster", "default-dsc").get("status", {}).get("conditions", [])
    return {row["type"]: row for row in found}


def _ready(cluster: Rack) -> bool:
    return _rows(cluster).get("Ready", {}).get("status") == "True"


def _refused(cluster: Rack, manifest: dict[str, Any], words: str) -> None:
    """Wait until the API server does not take a manifest, in these words: it reads its policies within a second."""
    command = ("apply", "--server-side", "--dry-run=server", "-f", "-")
    text = json.dumps(manifest)
    cluster.wait(words, lambda: words in cluster.kubectl(*command, stdin=text, check=False), 10)


@pytest.mark.rough
def test_what_is_planned_is_taken_and_nothing_may_stand_beside_it(cluster: Rack) -> None:
    planned = _planned()
    subscribe(cluster, planned)
    first, second, sizes = planned.stages
    assert cluster.items("dscinitializations") == [], "the operator was told to make none"
    (initialization,), (tools_of_it,) = first, second
    cluster.apply(initialization)
    cluster.wait("the initialization", lambda: bool(
        cluster.get("dscinitialization", "default-dsci").get("status", {}).get("phase") == "Ready"))  # fmt: skip
    again = copy.deepcopy(initialization)
    again["metadata"]["name"] = "other-dsci"
    _refused(cluster, again, "Only one instance of DSCInitialization object is allowed")

    # Its controllers tolerate nothing: where every node has a taint, it is never ready.
    cluster.kubectl("taint", "node", NODE, TAINT)
    cluster.apply(tools_of_it)
    cluster.wait("what is not ready by name", lambda: "Some components are not ready: dashboard" in
                 _rows(cluster).get("Ready", {}).get("message", ""))  # fmt: skip
    cluster.kubectl("taint", "node", NODE, f"{TAINT}-")
    cluster.wait("all components", lambda: _ready(cluster), 60)
    rows = _rows(cluster)
    assert rows["MLflowOperatorReady"]["status"] == rows["WorkbenchesReady"]["status"] == "True"
    assert (rows["KueueReady"]["reason"], rows["KueueReady"]["severity"]) == ("Removed", "Info")
    cluster.apply(*sizes)
    names = {each["metadata"]["name"] for each in cluster.items("hardwareprofiles", "-n", "redhat-ods-applications")}
    assert names == {"default-profile", "inference-1g.18gb"}

    again = copy.deepcopy(tools_of_it)
    again["metadata"]["name"] = "other-dsc"
    _refused(cluster, again, "Only one instance of DataScienceCluster object is allowed")
    managed = copy.deepcopy(tools_of_it)
    managed["spec"]["components"]["kueue"]["managementState"] = "Managed"
    _refused(cluster, managed, "Managed is no longer supported as a managementState")
    kept = cluster.kubectl("delete", "dscinitialization", "default-dsci", check=False)
    assert "Cannot delete DSCInitialization v2 object when DataScienceCluster object still exists" in kept


@pytest.mark.rough
def test_a_component_without_what_it_needs_is_never_ready_and_one_that_goes_takes_its_controller(cluster: Rack) -> None:
    (made,) = _planned(components=["pipelines"], pools=[]).stages[1]
    waits = copy.deepcopy(made)
    waits["spec"]["components"]["trustyai"]["managementState"] = "Managed"
    cluster.apply(waits)
    cluster.wait("what it waits for", lambda: "InferenceServices CRD does not exist" in
                 _rows(cluster).get("TrustyAIReady", {}).get("message", ""))  # fmt: skip
    assert not _ready(cluster)
    cluster.apply(made)
    cluster.wait("pipelines alone", lambda: _ready(cluster) and _rows(cluster)["TrustyAIReady"]["reason"] == "Removed",
                 60)  # fmt: skip
    named = {each["metadata"]["name"] for each in cluster.items("deployments", "-n", "redhat-ods-applications")}
    assert named == {"rhods-dashboard", "data-science-pipelines-operator-controller-manager"}
    cluster.kubectl("delete", "datasciencecluster", "default-dsc", "--timeout=30s")
    cluster.kubectl("delete", "dscinitialization", "default-dsci", "--timeout=30s")


@pytest.mark.rough
def test_an_operator_that_is_not_told_makes_an_initialization_of_its_own(cluster: Rack) -> None:
    """That one would be in the way of ours: a second one is refused."""
    where = ("-n", "redhat-ods-operator")
    cluster.kubectl("patch", "subscription", "rhods-operator", *where, "--type=merge", "-p", '{"spec":{"config":null}}')
    for count in (0, 1):
        cluster.kubectl("scale", "deployment", "rhods-operator", *where, f"--replicas={count}")
        cluster.wait(f"{count} pods", lambda wanted=count: len(cluster.items("pods", *where)) == wanted)  # type: ignore[misc]
    cluster.wait("its own", lambda: [each["metadata"]["name"] for each in cluster.items("dscinitializations")] ==
                 ["default-dsci"])  # fmt: skip
    assert cluster.get("dscinitialization", "default-dsci")["spec"]["monitoring"]["managementState"] == "Managed"
