"""What a stack exports is what its contract has, and no more; of secrets there is one."""

from typing import Any

import pulumi
import pytest

from podwright.components import model, program
from podwright.components.model import describe
from podwright.components.model.outputs import SECRET, Outputs, PoolOutput
from tests.components.recording import record
from tools import goldens
from tools.generated import ROOT

STACKS = ("prod", "platform", "staging")
FABRIC = {"cluster", "findings", "fabric", "servers"}
PLATFORM = {"kubeconfig", "api", "console", "nodes", "pools", "volumes", "workloads"}


def exported(cluster: model.Cluster) -> tuple[dict[str, Any], set[str]]:
    """Every output of a preview by its name, and which of them are secrets."""
    values: dict[str, Any] = {}
    secrets: set[str] = set()

    async def build() -> None:
        for name, value in (await program.build(cluster)).items():
            output = pulumi.Output.from_input(value)
            values[name] = await output.future(with_unknowns=True)
            secrets.update({name} if await output.is_secret() else ())

    record(build)
    return values, secrets


@pytest.mark.parametrize("stack", STACKS)
def test_a_stack_exports_what_the_contract_has(stack: str) -> None:
    cluster = model.load(goldens.stack_file(stack))
    values, secrets = exported(cluster)
    operators = {"operators"} if cluster.operators else set()
    measured = {"acceptance", "unproven"} if cluster.acceptance else set()
    assert set(values) == FABRIC | PLATFORM | operators | measured
    assert secrets == set(SECRET), "the kubeconfig, and nothing else: a reader must not need a passphrase for a name"
    known = {name: value for name, value in values.items() if name not in ("kubeconfig", "unproven")}
    found = Outputs.model_validate(known)
    assert found.cluster == cluster.name
    assert found.servers.keys() == cluster.servers.keys()
    assert found.fabric.switches.keys() == found.fabric.digests.keys()


def test_a_fabric_alone_exports_no_secret() -> None:
    values, secrets = exported(model.load(ROOT / "tests/model/fabric_only.yaml"))
    assert set(values) == FABRIC
    assert secrets == set()
    assert Outputs.model_validate(values).servers == {}


def test_the_contract_is_closed() -> None:
    values = {"cluster": "a", "findings": [], "fabric": {"switches": {}, "digests": {}}, "servers": {}}
    assert Outputs.model_validate(values)
    wrongs: list[dict[str, Any]] = [
        {"extra": 1},
        {"fabric": {"switches": {}}},
        {"pools": {"a": {"purpose": "games", "mig": None}}},
    ]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="validation error"):
            Outputs.model_validate({**values, **wrong})


def test_a_pool_is_exported_with_every_purpose_that_it_may_have() -> None:
    purposes = [describe.shape(describe.hints(each)["purpose"]).arguments for each in (model.Pool, PoolOutput)]
    assert purposes[0] == purposes[1]
