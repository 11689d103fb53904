"""Admission in the graph: what watches nodes is there before them, and what runs on them comes after their checks."""

import pytest

from podwright.components.model import Admission
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tests.design import goldens
from tests.design.platform.test_admission import KEY

HOME = "podwright-admission-training"


@pytest.fixture(scope="module")
def seen() -> dict[str, Registered]:
    lab = goldens.cluster("lab")
    pool = lab.pools["training"].model_copy(update={"admission": Admission.model_validate(KEY)})
    return register(lab.model_copy(update={"pools": {**lab.pools, "training": pool}}))


def test_the_controller_watches_before_nodes_have_the_label_by_which_it_finds_them(seen: dict[str, Registered]) -> None:
    controllers = [
        e for e in of(seen, "kubernetes:apps/v1:Deployment") if e.inputs["metadata"].get("namespace") == HOME
    ]
    assert len(controllers) == 1
    nodes = [e for e in of(seen, "kubernetes:core/v1:NodePatch") if e.inputs["metadata"]["name"].startswith("gpu-")]
    assert nodes and all(all_before(seen, each, controllers) for each in nodes)


def test_the_taint_goes_after_everything_that_could_put_it_on_again(seen: dict[str, Registered]) -> None:
    (cleared,) = (e for e in of(seen, "podwright:openshift:Taint") if "clears" in e.inputs["spec"])
    assert cleared.inputs["spec"]["nodes"] == [] and len(cleared.inputs["spec"]["clears"]) == 5
    rights = [
        e for e in of(seen, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding") if HOME in str(e.inputs)
    ]
    assert rights and all(all_before(seen, each, [cleared]) for each in rights)


def test_jobs_come_after_the_checks_and_those_after_the_drivers(seen: dict[str, Registered]) -> None:
    waits = [e for e in of(seen, "podwright:openshift:PoolReady") if e.urn.endswith("admitted-training")]
    assert len(waits) == 1 and waits[0].inputs["spec"]["admission"] is True
    assert all_before(seen, waits[0], of(seen, "podwright:openshift:DriverRollout"))
    assert all(all_before(seen, job, waits) for job in of(seen, "kubernetes:batch/v1:Job"))
