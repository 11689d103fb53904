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


def pairs(*dropped: str) -> model.Cluster:
    """A site with a storage pair, the server at its port on the frontend too."""
    said = yaml.safe_load((ROOT / "tests/examples/pairs/Pulumi.pairs.yaml").read_text())["config"]["podwright:cluster"]
    said["servers"]["gpu-01"]["bond_mac"] = "02:00:00:00:02:41"
    for key in dropped:
        del said["servers"]["gpu-01"][key]
    if "storage_macs" in dropped:
        del said["fabric"]["storage"]["vlans"]["nfs"]["hosts"]
    return model.load(said)


def lost(cluster: model.Cluster, *leaves: str) -> list[tuple[str, bool]]:
    """What the loss of each leaf means, and whether it cuts the server off from that pair."""
    found = {each.loss.name: each for each in effects(cluster.network, fabric.plan(cluster.network))}
    return [(found[leaf].verdict, "gpu-01" in found[leaf].left.homeless) for leaf in leaves]


def test_a_host_outlives_either_storage_leaf_where_it_has_a_bond_there() -> None:
    assert lost(pairs(), "stor-01", "stor-02") == [("degraded", False)] * 2
    found = {each.loss.name: each for each in effects(pairs().network, fabric.plan(pairs().network))}
    left = {share for (name, _), share in found["stor-01"].left.per_pair.items() if name == "gpu-01"}
    assert left == {(100, 200)}, "of its legs to that pair, whatever it has on the other"


def test_a_host_without_a_bond_on_the_storage_pair_is_cut_off_from_it_by_the_first_leaf() -> None:
    cluster = pairs("storage_macs")
    assert lost(cluster, "stor-01", "stor-02") == [("fatal", True), ("degraded", False)]
    assert lost(cluster, "front-02") == [("degraded", False)], "its bond on the frontend is another matter"
    first = {each.loss.name: each for each in effects(cluster.network, fabric.plan(cluster.network))}["stor-01"]
    assert "gpu-01, array-01 cut off from its pair, 1 of one interface without a bond" in first.why
    assert lost(pairs("bond_mac"), "front-01", "stor-01") == [("fatal", True), ("degraded", False)]
