"""VLANs that `up` brings to nodes that run: one roll-out a pool, nothing where the file does not ask for it."""

import copy
from typing import Any

import pytest

from podwright.components import model
from podwright.components.changes.impact import impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.design.image_set import image_set
from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.providers.openshift.pools.host_network import HostNetworkKind
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tests.design.compute.test_host_network import changed, interfaces, networks, racked
from tests.model.changes import PROD, Said, drop, put

TOKEN = "podwright:openshift:HostNetwork"


def managed(said: Said | None = None) -> Said:
    found = copy.deepcopy(said or racked())
    put("openshift/host_network", "managed")(found)
    return found


def specs(said: Said) -> dict[str, dict[str, Any]]:
    return whole.host_networks(model.load(copy.deepcopy(said)))


def test_a_file_that_does_not_ask_for_it_has_no_roll_out_and_no_operator() -> None:
    cluster = model.load(copy.deepcopy(PROD))
    assert whole.host_networks(cluster) == {}
    assert not [each for each in whole.operators(cluster) if "nmstate" in each.name]


def test_every_node_of_every_pool_is_brought_what_the_image_would_give_it() -> None:
    said = managed()
    found, image = specs(said), networks(said)
    servers = model.load(copy.deepcopy(said)).servers
    assert {name: set(spec["nodes"]) for name, spec in found.items()} == {
        pool: {name for name, each in servers.items() if each.pool == pool} for pool in found
    }
    for spec in found.values():
        assert not HostNetworkKind().check({"spec": spec, "kubeconfig": "{}"}, CheckContext())
        for node, rows in spec["interfaces"].items():
            assert rows == ([interfaces(image[node])["bond0.20"]] if image[node] else [])


def test_a_pools_budget_and_soak_are_the_roll_outs_and_the_control_plane_goes_one_by_one() -> None:
    said = managed()
    pool = next(iter(said["pools"]))
    put(f"pools/{pool}/max_unavailable", 3)(said)
    put(f"pools/{pool}/rollout", {"soak_seconds": 90, "pause": True})(said)
    found = specs(said)
    assert {key: found[pool][key] for key in ("max_unavailable", "soak_seconds", "pause")} == {
        "max_unavailable": 3, "soak_seconds": 90, "pause": True,
    }  # fmt: skip
    assert found["control-plane"]["max_unavailable"] == 1


def test_a_host_without_a_bond_is_brought_its_vlan_by_its_mac_address() -> None:
    said = managed(changed(drop("servers/gpu-01/bond_mac")))
    spec = next(each for each in specs(said).values() if "gpu-01" in each["nodes"])
    assert [row["vlan"]["base-iface"] for row in spec["interfaces"]["gpu-01"]] == ["boot0"]
    assert spec["macs"]["gpu-01"] == {"boot0": said["servers"]["gpu-01"]["boot_mac"]}
    assert spec["macs"]["gpu-02"] == {}, "a bond has its own name"


def test_a_pool_without_a_vlan_has_its_roll_out_too_so_that_the_last_one_goes() -> None:
    found = specs(managed(changed(drop("fabric/frontend/vlans/storage/hosts"))))
    assert found and not any(rows for spec in found.values() for rows in spec["interfaces"].values())


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (put("fabric/frontend/vlans/storage/subnet", "10.77.0.0/24"), ChangeClass.DISRUPTIVE),
        (drop("fabric/frontend/vlans/storage/hosts"), ChangeClass.DISRUPTIVE),
    ],
)
def test_a_vlan_that_changes_or_goes_disturbs_and_one_that_comes_does_not(change: Any, expected: ChangeClass) -> None:
    before = managed()
    after = copy.deepcopy(before)
    change(after)
    old, new = specs(before)["training"], specs(after)["training"]
    (row,) = [each for each in impacts(TOKEN, old, new) if each.properties == ("interfaces",)]
    assert (row.change_class, set(row.nodes)) == (expected, set(old["nodes"]))
    if not any(new["interfaces"].values()):
        (back,) = [each for each in impacts(TOKEN, new, old) if each.properties == ("interfaces",)]
        assert back.change_class is ChangeClass.LIVE


def test_a_node_that_joins_disturbs_nobody() -> None:
    new = specs(managed())["training"]
    gone, *_ = new["nodes"]
    old = {
        **new,
        "nodes": [name for name in new["nodes"] if name != gone],
        **{key: {name: each for name, each in new[key].items() if name != gone} for key in ("interfaces", "macs")},
    }
    assert max(each.change_class for each in impacts(TOKEN, old, new)) <= ChangeClass.LIVE


def test_the_operator_is_the_release_sets_and_a_disconnected_site_mirrors_it() -> None:
    cluster = model.load(managed())
    (operator,) = [each for each in whole.operators(cluster) if "nmstate" in each.name]
    assert cluster.operators is not None
    package = RELEASE_SETS[cluster.operators.release].nmstate
    assert operator.subscription["spec"]["startingCSV"] == package.csv
    assert operator.namespace["metadata"]["name"] == "openshift-nmstate"
    assert [(each["kind"], each["metadata"]["name"]) for each in operator.settings] == [("NMState", "nmstate")]
    mirrored = image_set(cluster).document["mirror"]["operators"]
    assert package.package in [each["name"] for row in mirrored for each in row["packages"]]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (drop("operators"), "openshift.host_network: there is no operators"),
        (put("fabric/frontend/ports/cp-03/vlans", [20, 10]), "fabric.frontend.ports.cp-03.vlans: VLAN 20 is untagged"),
    ],
)
def test_what_could_never_work_is_refused_where_it_stands(change: Any, expected: str) -> None:
    said = managed()
    change(said)
    with pytest.raises(model.SpecErrors) as refused:
        model.load(said)
    assert expected in str(refused.value)
