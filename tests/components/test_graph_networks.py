"""The graph of a site whose hosts' networks are managed: pools one after the other, before nodes are restarted."""

from itertools import pairwise

from podwright.components import model
from tests.components.recording import register
from tests.components.test_graph import all_before, named, of
from tests.design import whole
from tests.design.compute.test_managed_networks import managed
from tests.design.compute.test_storage_bonds import changed

NETWORK = "podwright:openshift:HostNetwork"


def test_the_switches_are_first_then_pools_one_after_the_other_and_what_restarts_nodes_last() -> None:
    cluster = model.load(managed())
    seen = register(cluster)
    networks = of(seen, NETWORK)
    assert {each.inputs["spec"]["pool"]: each.inputs["spec"] for each in networks} == whole.host_networks(cluster)
    operator = named(seen, "nmstate-install")
    (instance,) = of(seen, "kubernetes:nmstate.io/v1:NMState")
    assert all(all_before(seen, each, [operator, instance]) for each in networks)
    assert all(all_before(seen, each, of(seen, "podwright:nxos:Switch")) for each in networks)
    assert all(all_before(seen, after, [first]) for first, after in pairwise(networks))
    assert all_before(seen, named(seen, "maintenance-install"), networks), "NMState rolls back where a node restarts"
    assert all_before(seen, networks[0], of(seen, "podwright:openshift:Rollout"))
    world = next(each for each in seen.values() if each.type == "podwright:index:World")
    assert "kubernetes-nmstate-operator" in world.inputs["spec"]["contents"]["operators"]


def test_a_storage_bond_is_in_the_image_and_in_the_roll_out_of_the_sites_graph() -> None:
    seen = register(model.load(changed()))
    (installed,) = of(seen, "podwright:openshift:Install")
    (host,) = (each for each in installed.inputs["spec"]["hosts"] if each["name"] == "gpu-01")
    assert host["network"]["interfaces"]["stor1"] == "02:00:00:00:04:02"
    (training,) = (each for each in of(seen, NETWORK) if each.inputs["spec"]["pool"] == "training")
    brought = {row["name"] for row in training.inputs["spec"]["interfaces"]["gpu-01"]}
    assert brought == {"boot0.30", "stor0", "stor1", "bond1"}
