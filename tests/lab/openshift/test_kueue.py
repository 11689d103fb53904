"""What the lab starts Kueue with, of the operator's object; its definition is the published one."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.kueue.configuration import configuration, frameworks

PORTS = {"health": 1, "webhook": 2}
PUBLISHED = "1641423d50c22344358c5f5c055397715920f341e8a339089396cb61ce49d536"
"""bundle/manifests/kueue.openshift.io_kueues.yaml of openshift/kueue-operator, release-1.3 at 5d92a8093f2c."""


OF_SETS = "f868cbe1446ef5a8642c4edd279729e2ea421d6df98569de5985fcea81cb78c4"
"""manifests/jobset-operator.crd.yaml of openshift/jobset-operator, main at f9d991e."""
OF_CERTIFICATES = "2be29c3e35d2915ed9ac0772654a19da23ba702e1b1c7d3564467ced83d00fe4"
"""config/crd/bases/operator.openshift.io_certmanagers.yaml of openshift/cert-manager-operator at 454cb88."""


def test_the_definitions_are_the_published_ones() -> None:
    for name, published in (
        ("kueue.openshift.io_kueues", PUBLISHED),
        ("operator.openshift.io_jobsetoperators", OF_SETS),
        ("operator.openshift.io_certmanagers", OF_CERTIFICATES),
    ):
        assert hashlib.sha256((Path(OWN) / f"{name}.yaml").read_bytes()).hexdigest() == published


@pytest.mark.parametrize(("config", "key", "value"), [
    ({}, "waitForPodsReady", None),
    ({"gangScheduling": {"policy": "None"}}, "waitForPodsReady", None),
    ({"gangScheduling": {"policy": "ByWorkload", "byWorkload": {"admission": "Parallel"}}}, "waitForPodsReady",
     {"timeout": "300s", "blockAdmission": False}),
    ({"gangScheduling": {"policy": "ByWorkload", "byWorkload": {"admission": "Sequential"}}}, "waitForPodsReady",
     {"timeout": "300s", "blockAdmission": True}),
    ({"preemption": {"preemptionPolicy": "Classical"}}, "fairSharing", None),
    ({"preemption": {"preemptionPolicy": "FairSharing"}}, "fairSharing",
     {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}),
    ({"workloadManagement": {"labelPolicy": "QueueName"}}, "manageJobsWithoutQueueName", False),
    ({"workloadManagement": {"labelPolicy": "None"}}, "manageJobsWithoutQueueName", True),
])  # fmt: skip
def test_kueue_is_configured_as_its_operator_configures_it(config: dict[str, Any], key: str, value: Any) -> None:
    assert configuration(config, Path("/x"), PORTS, {}).get(key) == value


def test_a_world_may_shorten_the_wait_for_pods_and_a_site_has_the_operators_own() -> None:
    gang = {"gangScheduling": {"policy": "ByWorkload", "byWorkload": {"admission": "Parallel"}}}
    found = configuration(gang, Path("/x"), PORTS, {"kueue_ready_seconds": 20, "kueue_requeue_seconds": 4})
    shorter = {"timeout": "20s", "blockAdmission": False, "requeuingStrategy": {"backoffBaseSeconds": 4}}
    assert found["waitForPodsReady"] == shorter
    own = {"timeout": "300s", "blockAdmission": False}
    assert configuration(gang, Path("/x"), PORTS, {})["waitForPodsReady"] == own


def test_integrations_that_the_lab_does_not_have_are_named() -> None:
    asked = {"integrations": {"frameworks": ["BatchJob", "JobSet", "RayJob"]}}
    assert frameworks(asked) == (["batch/job", "jobset.x-k8s.io/jobset"], ["RayJob"])
