"""What a service behind the inference gateway is made of, and that one which is not is what it was."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.design.platform import gateway as platform_gateway
from podwright.components.design.platform.gateway_hosts import HOSTS
from podwright.components.design.workloads import picked
from podwright.components.model import Cluster
from podwright.components.model.gateway_hosts import gateway_hosts
from tests.components.recording import register
from tests.components.test_graph import all_before, of
from tests.design.with_gateway import with_gateway, with_keys
from tests.model.changes import LAB
from tests.model.test_sections import cluster as stack
from tools.generated import ROOT

_ADMISSION = "kubernetes:admissionregistration.k8s.io/v1"
GOLDEN = Path(__file__).with_name("gateway.yaml")


def _made(cluster: Cluster) -> list[dict[str, Any]]:
    assert cluster.openshift
    planned = platform_gateway.plan(cluster.openshift, gateway_hosts(cluster.workloads))
    of_all = [each for each in planned if each["kind"] != "CustomResourceDefinition"]
    services = cluster.workloads.inference.items()
    return [*of_all, *(each for found in services for each in picked(*found, cluster.openshift.inference_gateway))]


def test_every_object_of_the_gateway_and_of_a_service_behind_it() -> None:
    """Word by word."""
    assert _made(with_gateway()) == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_a_stack_without_the_keys_plans_nothing_of_it() -> None:
    assert _made(stack(LAB)) == []
    assert not [each for each in register(stack(LAB)).values() if "inference.networking" in str(each.inputs)]


def test_the_pool_is_the_services_replicas_and_not_its_picker() -> None:
    seen = {each["kind"]: each for each in _made(with_gateway())}
    wanted = seen["InferencePool"]["spec"]["selector"]["matchLabels"]
    deployments = [each.inputs for each in of(register(with_gateway()), "kubernetes:apps/v1:Deployment")]
    pods = {each["metadata"]["name"]: each["spec"]["template"]["metadata"]["labels"] for each in deployments}
    assert [name for name, labels in pods.items() if wanted.items() <= labels.items()] == ["chat"]


def test_the_gateway_stands_before_what_is_behind_it() -> None:
    seen = register(with_gateway())
    group = "kubernetes:gateway.networking.k8s.io/v1"
    (kind,) = of(seen, "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition")
    (chosen,), (made,) = of(seen, f"{group}:GatewayClass"), of(seen, f"{group}:Gateway")
    bindings = of(seen, f"{_ADMISSION}:ValidatingAdmissionPolicyBinding")
    (kept,) = [each for each in bindings if each.inputs["metadata"]["name"] == HOSTS]
    (route,), (pool,) = (
        of(seen, f"{group}:HTTPRoute"),
        of(seen, "kubernetes:inference.networking.k8s.io/v1:InferencePool"),
    )
    assert all_before(seen, made, [kept]) and all_before(seen, route, [kept])
    assert all_before(seen, chosen, [kind]) and all_before(seen, made, [chosen])
    assert all_before(seen, route, [made]) and all_before(seen, pool, [made])


def test_a_host_that_is_not_written_is_of_service_team_and_cluster(tmp_path: Path) -> None:
    text = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    text["config"]["podwright:cluster"]["workloads"]["inference"]["chat"]["gateway"] = {}
    file = tmp_path / "Pulumi.s.yaml"
    file.write_text(yaml.safe_dump(text))
    with pytest.raises(model.SpecErrors, match="the cluster has no inference gateway"):
        model.load(file)


def test_the_example_is_a_stack_of_its_own() -> None:
    cluster = model.load(ROOT / "tests/examples/platform/Pulumi.gateway.yaml")
    assert {each["kind"] for each in _made(cluster)} == {each["kind"] for each in _made(with_keys())}
