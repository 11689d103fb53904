"""A cluster of 4.20 on the lab: it runs that release, and takes the operators that its catalogues list."""

from __future__ import annotations

import pytest

from tests.lab.openshift.manifests import operator
from tests.lab.openshift.rack import Rack, eventually

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("NVIDIA-H200",), "openshift": "4.20.3"}


def _conditions(cluster: Rack) -> dict[str, str]:
    found = cluster.get("subscription.operators.coreos.com", "nfd", "-n", "openshift-nfd").get("status", {})
    return {row["type"]: row.get("message", "") for row in found.get("conditions", []) if row["status"] == "True"}


def test_an_operator_of_another_release_is_in_no_catalogue_of_4_20(cluster: Rack) -> None:
    history = cluster.get("clusterversion", "version")["status"]["history"]
    assert [(row["version"], row["state"]) for row in history] == [("4.20.3", "Completed")]
    *base, subscription = operator("nfd")
    cluster.apply(*base, subscription)
    missing = "no operators found with name nfd.4.22.0 in channel stable of package nfd"
    eventually(lambda: missing in _conditions(cluster).get("ResolutionFailed", ""), 30, "resolution fails")
    cluster.kubectl("delete", "subscription.operators.coreos.com", "nfd", "-n", "openshift-nfd")
    cluster.apply({**subscription, "spec": {**subscription["spec"], "startingCSV": "nfd.4.20.0"}})
    eventually(lambda: _conditions(cluster).get("InstallPlanPending") is not None, 30, "a plan waits for approval")
