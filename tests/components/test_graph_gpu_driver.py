"""A cluster with GPUDirect Storage: what nodes boot with, then the driver, then its roll-outs."""

import copy
import functools

from podwright.components import model
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tests.model.changes import LAB, put

CONFIG = "kubernetes:machineconfiguration.openshift.io/v1:MachineConfig"


@functools.cache
def graph() -> dict[str, Registered]:
    said = copy.deepcopy(LAB)
    put("operators/gds", True)(said)
    return register(model.load(said))


def test_nodes_have_booted_with_their_argument_before_the_driver_is_asked_for() -> None:
    seen = graph()
    booted = [each for each in of(seen, CONFIG) if each.inputs["spec"].get("kernelArguments")]
    waits = [each for each in of(seen, "podwright:openshift:PoolReady") if "-boots-" in each.name]
    (policy,) = of(seen, "kubernetes:nvidia.com/v1:ClusterPolicy")
    rollouts = of(seen, "podwright:openshift:DriverRollout")
    assert {each.inputs["metadata"]["name"] for each in booted} == {"50-training-iommu", "50-inference-iommu"}
    assert {each.inputs["spec"]["pool"] for each in waits} == {"training", "inference"}
    assert all(all_before(seen, each, booted) for each in waits)
    assert all_before(seen, policy, waits)
    assert all(all_before(seen, each, [policy]) for each in rollouts)


def test_nvidiadrivers_stand_before_the_policy_and_are_not_deleted_by_mistake() -> None:
    said = copy.deepcopy(LAB)
    put("pools/inference/gpu_driver", "580.95.05")(said)
    seen = register(model.load(said))
    (policy,) = of(seen, "kubernetes:nvidia.com/v1:ClusterPolicy")
    drivers = of(seen, "kubernetes:nvidia.com/v1alpha1:NVIDIADriver")
    assert {each.inputs["metadata"]["name"] for each in drivers} == {"default", "pool-training", "pool-inference"}
    assert all_before(seen, policy, drivers)
    for each in of(seen, "podwright:openshift:DriverRollout"):
        assert each.inputs["spec"]["driver"]["owner"] == f"pool-{each.inputs['spec']['pool']}"
