"""The graph of a site whose hosts' networks are managed: pools one after the other, before nodes are restarted."""

from itertools import pairwise

from podwright.components import model
from tests.components.recording import register
from tests.components.test_graph import all_before, named, of
from tests.design import whole
from tests.design.compute.test_managed_networks import managed

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
