"""Legs of hosts to their pair, counted from both sides: cables and switches, and the interfaces that a host uses."""

import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.failures import effects
from podwright.components.design.fabric.failures.network import network
from tests.design.fabric.test_failures import prod
from tools.generated import ROOT


def unbonded(*names: str) -> model.Cluster:
    """The production site with some servers installed with one interface."""
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    for name in names:
        del said["servers"][name]["bond_mac"]
    return model.Cluster.model_validate(said)


def test_a_bonded_host_outlives_either_peer_and_a_plain_one_the_second_alone() -> None:
    cluster = unbonded("gpu-02")
    found = {each.loss.name: each for each in effects(cluster.network, fabric.plan(cluster.network))}
    first, second = found["front-01"], found["front-02"]
    assert (first.verdict, first.left.homeless) == ("fatal", ("gpu-02", "border-01"))
    assert "gpu-02, border-01 cut off from its pair, 1 of one interface without a bond" in first.why
    assert (second.verdict, second.left.homeless) == ("degraded", ("border-02",))
    assert (first.left.homes["gpu-01"], first.left.homes["gpu-02"]) == (100, 0)
    assert (second.left.homes["gpu-01"], second.left.homes.get("gpu-02")) == (100, None)


def test_cables_that_no_interface_uses_are_lost_without_a_consequence() -> None:
    cluster = unbonded("gpu-02")
    plan = fabric.plan(cluster.network)
    before = network(plan)
    assert {(link.device, link.peer) for link in plan.unused} == {("front-02", "gpu-02")}
    for effect in effects(cluster.network, plan):
        if effect.loss.kind == "pair-link" and effect.loss.links <= plan.unused:
            assert effect.verdict == "none"
    for link in plan.links:
        assert before.less([link]) == network(plan, frozenset(), frozenset((link,)))


def test_every_bond_of_the_production_site_outlives_every_peer() -> None:
    _, found = prod()
    for each in found:
        if each.loss.kind == "pair-leaf":
            assert (each.verdict, [name for name in each.left.homeless if name.startswith("gpu")]) == ("degraded", [])
