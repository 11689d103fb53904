"""What a service that KServe runs is made of, and that its pods are those of every other one."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.status import expected
from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design.workloads import monitor, served, service
from podwright.components.design.workloads.kserve import CONTAINER, MARK
from podwright.components.model import Cluster, Inference
from podwright.components.model.catalogue import kserve as table
from podwright.lab.openshift.binaries import crd_folder
from tests.components.recording import register
from tests.components.test_graph import all_before, named, of
from tests.design import whole
from tests.design.with_kserve import with_kserve
from tests.model import kserve_crds

GOLDEN = Path(__file__).with_name("kserve.yaml")
SERVED = ("notes", "ranking")


@pytest.fixture(scope="module")
def stack() -> Cluster:
    return with_kserve()


def _made(stack: Cluster, name: str, **changes: Any) -> list[dict[str, Any]]:
    """Objects of a service, the one that its pods come of first."""
    inference = stack.workloads.inference[name].model_copy(update=changes)
    servers = whole.members(stack, inference.pool)
    about = (name, inference)
    return [*service(*about, servers), *monitor(*about)]


def test_every_object_of_services_that_kserve_runs(stack: Cluster) -> None:
    """Word by word."""
    wanted = list(yaml.safe_load_all(GOLDEN.read_text()))
    assert [each for name in SERVED for each in _made(stack, name)] == wanted


@pytest.mark.parametrize("name", SERVED)
def test_its_pods_are_those_of_a_deployment(stack: Cluster, name: str) -> None:
    """Nothing is lost or added on the way into KServe's fields."""
    plain, theirs = (_made(stack, name, kind=kind)[0] for kind in ("deployment", "kserve"))
    predictor = dict(theirs["spec"]["predictor"])
    own = {"annotations", "deploymentStrategy", "minReplicas"}
    pod = plain["spec"]["template"]["spec"]
    (box,) = predictor["containers"]
    assert box["name"] == CONTAINER, "KServe calls it so, and what it changes would differ from the plan"
    rest = {key: value for key, value in predictor.items() if key not in own}
    assert {**rest, "containers": [{**box, "name": "serve"}]} == pod
    assert predictor["deploymentStrategy"] == plain["spec"]["strategy"]
    assert predictor["minReplicas"] == plain["spec"]["replicas"]


def test_beside_them_only_monitoring_tells_kserves_service_from_ours(stack: Cluster) -> None:
    for name in SERVED:
        plain, theirs = (_made(stack, name, kind=kind)[1:] for kind in ("deployment", "kserve"))
        for before, after in zip(plain, theirs, strict=True):
            if after["kind"] == "ServiceMonitor":
                (term,) = after["spec"]["selector"].pop("matchExpressions")
                assert term["operator"] == "DoesNotExist"
            assert before == after


def test_the_mark_is_another_one_for_other_pods_and_for_nothing_else(stack: Cluster) -> None:
    def mark(**changes: Any) -> str:
        return str(_made(stack, "ranking", **changes)[0]["spec"]["predictor"]["annotations"][MARK])

    assert mark(replicas=1) == mark(route=None) == mark()
    others = {mark(cpus=5), mark(image="registry.example.com/other"), mark(memory_gib=16), mark()}
    assert len(others) == 4


def test_it_is_waited_for_before_users_are_led_to_it(stack: Cluster) -> None:
    seen = register(stack)
    (waits,) = (each for each in of(seen, "podwright:openshift:Served") if "notes" in each.name)
    made = _made(stack, "notes")[0]
    assert waits.inputs["spec"] == served("notes", stack.workloads.inference["notes"], made)
    assert waits.inputs["spec"]["deployment"] == "notes-predictor"
    assert all_before(seen, waits, [named(seen, "notes-inferenceservice-notes")])
    assert all_before(seen, named(seen, "notes-route-notes"), [waits])


def test_status_looks_for_the_deployment_that_kserve_makes(stack: Cluster) -> None:
    names = {each.name for each in expected(stack) if each.kind == "Deployment"}
    assert {"notes-predictor", "ranking-predictor", "chat", "assistant"} <= names and "notes" not in names


def test_the_component_is_on_and_what_it_would_bring_along_is_off(stack: Cluster) -> None:
    (tools,) = (each for each in whole.operators(stack) if each.name == "rhods-operator")
    (cluster,) = (each for each in tools.settings if each["kind"] == "DataScienceCluster")
    off = {"managementState": "Removed"}
    assert cluster["spec"]["components"]["kserve"] == {
        "managementState": "Managed", "rawDeploymentServiceConfig": "Headed", "nim": off, "modelsAsService": off,
        "wva": off,
    }  # fmt: skip


def test_a_change_replaces_pods_one_after_the_other(stack: Cluster) -> None:
    impact = object_impact(_made(stack, "ranking")[0], _made(stack, "ranking", cpus=5)[0])
    assert impact is not None and impact.row.change is ChangeClass.LIVE


def _paths(at: str, value: Any) -> set[str]:
    found = {at}
    if at.rpartition(".")[2].removesuffix("[]") in kserve_crds.OWN:
        return found
    if isinstance(value, dict):
        for name, each in value.items():
            found |= _paths(f"{at}.{name}", each)
    elif isinstance(value, list):
        for each in value:
            found |= _paths(f"{at}[]", each)
    return found


def test_every_field_is_one_of_the_kserve_that_openshift_ai_brings(stack: Cluster) -> None:
    made = [_made(stack, name)[0] for name in SERVED]
    written = {f"{each['kind']} {path}" for each in made for path in _paths("spec", each["spec"])}
    version = table.operand("stable-3.4")
    assert version == "0.17", "the lab runs 0.20"
    assert written - table.fields(version) == set()


def test_a_field_that_came_later_would_be_noticed() -> None:
    later = "InferenceService spec.canary"
    assert later not in table.fields("0.17") and later in table.fields("0.20")


def test_the_labs_definitions_are_those_of_the_table() -> None:
    assert kserve_crds.paths(crd_folder()) == table.fields("0.20")


def test_without_the_key_nothing_is_waited_for_and_nothing_differs(stack: Cluster) -> None:
    inference: Inference = stack.workloads.inference["chat"]
    assert inference.kind == "deployment"
    assert "matchExpressions" not in str(monitor("chat", inference))
