"""Components keep their contract: outputs as annotated, nothing planned twice, one provider, names of their own."""

import ast
import asyncio
import importlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from podwright.components import (
    acceptance,
    compute,
    contract,
    data_science,
    fabric,
    host_networks,
    keys,
    lost_nodes,
    operators,
    package,
    platform,
    queues,
    scaling,
    service_mesh,
    storage,
    workloads,
)
from podwright.components.cluster import AiCluster
from podwright.components.contract import ArgsError, Component, outputs_of
from podwright.components.model import FabricArgs
from podwright.components.providers.resources import Podwright
from tests.components.recording import record, register
from tests.design import goldens
from tools.generated import ROOT

LAYERS = (
    acceptance, fabric, compute, platform, operators, host_networks, queues, data_science, scaling, keys, service_mesh,
    lost_nodes, storage, workloads,
)  # fmt: skip
KINDS: list[type[Component]] = [
    kind
    for layer in LAYERS
    for kind in vars(layer).values()
    if isinstance(kind, type) and issubclass(kind, Component) and "TOKEN" in vars(kind)
]
EVERY: list[type[Component]] = [*KINDS, AiCluster]
NOUNS = {
    "Fabric", "InterconnectDomain", "ServerRole", "ServerProfile", "RedfishServer", "OpenShiftCluster", "NodePool",
    "Team", "NodeFeatureDiscovery", "MaintenanceOperator", "NetworkOperator", "SriovOperator", "GpuOperator", "Storage",
    "NmstateOperator", "CertManagerOperator", "JobSetOperator", "KueueOperator", "SelfNodeRemediationOperator",
    "NodeHealthCheckOperator", "DataScienceOperator", "CustomMetricsAutoscaler", "ConnectivityLink", "MeshOperator",
    "FabricAcceptance", "TrainingJob", "InferenceService",
}  # fmt: skip
"""Nouns of the contract (the design page): none of them is lost."""


def test_there_is_one_component_per_noun() -> None:
    assert {kind.__name__ for kind in KINDS} >= NOUNS
    assert {kind.__name__: kind.TOKEN for kind in EVERY} == {
        kind.__name__: f"podwright:index:{kind.__name__}" for kind in EVERY
    }


def test_every_component_is_served_to_other_languages() -> None:
    assert set(package.components()) == {kind.TOKEN for kind in EVERY}


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_a_component_has_outputs_and_ready(kind: type[Component]) -> None:
    assert len(outputs_of(kind)) >= 2
    assert outputs_of(kind)["ready"] == pulumi.Output[str]


def test_no_component_but_the_composition_knows_the_whole_file() -> None:
    """`limits` is no component: it is what the provider instance of the whole file is given."""
    knowing = set()
    layers = ROOT / "components"
    for path in (*layers.glob("*.py"), *(layers / "cluster").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and "Cluster" in [alias.name for alias in node.names]:
                knowing.add(path.relative_to(layers).with_suffix("").parts[0])
    assert knowing == {"cluster", "limits", "program"}


def test_outputs_are_registered_as_annotated() -> None:
    seen = register(goldens.cluster("prod"))
    registered = {each.type: set(each.outputs) for each in seen.values() if not each.custom}
    expected = {kind.TOKEN: set(outputs_of(kind)) for kind in EVERY}
    assert registered == {token: names for token, names in expected.items() if token in registered}
    assert len(registered) >= 16


PLANS = (
    ("fabric", "plan"), ("fabric", "paths"), ("compute", "role"), ("compute", "redfish_server"),
    ("platform", "node_pool"), ("teams", "team"), ("operators", "sriov"), ("operators", "gpus"),
    ("storage", "plan"), ("workloads", "job"), ("workloads", "service"),
)  # fmt: skip


def test_each_plan_is_made_once_per_component(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[str] = Counter()
    for layer, name in PLANS:
        module = importlib.import_module(f"podwright.components.{layer}")
        monkeypatch.setattr(module, name, _counted(made, f"{layer}.{name}", getattr(module, name)))
    plan = importlib.import_module("podwright.components.design.acceptance")
    monkeypatch.setattr(plan, "plan", _counted(made, "acceptance.plan", plan.plan))
    cluster = goldens.cluster("prod")
    seen = register(cluster)
    components = Counter(each.type.rpartition(":")[2] for each in seen.values() if not each.custom)
    assert made["fabric.plan"] == made["fabric.paths"] == components["Fabric"] == 1
    assert made["compute.role"] == components["ServerRole"]
    assert made["compute.redfish_server"] == components["RedfishServer"]
    assert made["platform.node_pool"] == components["NodePool"]
    assert made["teams.team"] == components["Team"]
    assert made["operators.sriov"] == components["SriovOperator"]
    assert made["operators.gpus"] == components["GpuOperator"]
    assert made["storage.plan"] == components["Storage"]
    assert made["workloads.job"] == components["TrainingJob"]
    assert made["workloads.service"] == components["InferenceService"]
    assert made["acceptance.plan"] == components["FabricAcceptance"]


def _counted(made: Counter[str], label: str, plan: Callable[..., Any]) -> Callable[..., Any]:
    def counting(*args: Any, **named: Any) -> Any:
        made[label] += 1
        return plan(*args, **named)

    return counting


def two_of_each() -> None:
    """Two clusters in one program, with pools and teams of the same names."""
    one = goldens.cluster("lab")
    for name in ("east", "west"):
        instance = Podwright(name, nxos={"user": "admin", "secret": "switch-admin"}, redfish=None)
        AiCluster(
            one.model_copy(update={"name": name, "intersight": one.intersight}),
            pulumi.ResourceOptions(providers=[instance]),
        )


def test_two_of_each_live_in_one_stack() -> None:
    seen = record(two_of_each)
    clusters = [each for each in seen.values() if each.type == "podwright:index:AiCluster"]
    assert {each.name for each in clusters} == {"east", "west"}
    half = [urn for urn in seen if "::east" in urn]
    assert len(half) * 2 == len(seen)
    assert {each.inputs["cluster"] for each in seen.values() if "cluster" in each.inputs} == {"east", "west"}


def lab_fabric() -> FabricArgs:
    return goldens.cluster("lab").network


def test_no_provider_is_a_sentence() -> None:
    def program() -> None:
        with pytest.raises(pulumi.RunError, match='Fabric "lonely" was given no provider of podwright: make one'):
            fabric.Fabric("lonely", lab_fabric())

    record(program)


def test_args_that_cannot_work_are_named_by_their_path() -> None:
    args = lab_fabric()
    spine = args.fabric.spines["spine-01"].model_copy(update={"asn": 64601})
    twice = args.fabric.model_copy(update={"spines": {"spine-01": spine}})

    def program() -> None:
        with pytest.raises(ArgsError) as caught:
            fabric.Fabric("lab", args.model_copy(update={"fabric": twice}))
        assert 'Fabric "lab" cannot be built:' in str(caught.value)
        assert "args.fabric." in str(caught.value)
        assert "asn: " in str(caught.value)

    assert record(program) == {}


def test_what_a_program_left_out_is_a_sentence() -> None:
    whole = goldens.cluster("lab")

    def program() -> None:
        assert whole.operators is not None
        args = operators.SriovOperatorArgs("lab", whole.operators, "kubeconfig")
        with pytest.raises(ArgsError, match=r"args\.networks: is missing"):
            operators.SriovOperator("rails", args)
        instance = Podwright("site", nxos={"user": "admin", "secret": "switch-admin"})
        with pytest.raises(ArgsError, match=r"args\.servers\.gpu-01: .* and `bmc` is missing"):
            AiCluster(whole.model_copy(update={"bmc": None}), pulumi.ResourceOptions(providers=[instance]))

    record(program)


def test_what_a_component_hands_out_is_one_output_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK would make an output of each of the thousand leaves."""
    made: Counter[str] = Counter()
    monkeypatch.setattr(pulumi.Output, "__init__", _counted(made, "outputs", pulumi.Output.__init__))
    value = {str(number): {"leaf": number} for number in range(1000)}

    async def handed_out() -> Any:
        return await contract._output(value).future()

    assert asyncio.run(handed_out()) == value
    assert made["outputs"] <= 5
