"""Which images may run, in the graph: written, awaited on every pool, and before whatever pulls."""

import functools

from podwright.components import model
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tools.goldens import stack_file

CONFIG = "kubernetes:config.openshift.io/v1"


@functools.cache
def graph() -> dict[str, Registered]:
    return register(model.load(stack_file("platform")))


def _waits() -> list[Registered]:
    return [each for each in of(graph(), "podwright:openshift:PoolReady") if "-images-" in each.name]


def test_the_list_is_a_patch_of_the_object_that_every_cluster_has_and_takes_nothing_from_others() -> None:
    (registries,) = of(graph(), f"{CONFIG}:ImagePatch")
    notes = registries.inputs["metadata"]["annotations"]
    assert registries.inputs["metadata"]["name"] == "cluster" and "pulumi.com/patchForce" not in notes
    assert registries.deleted_with


def test_signatures_come_after_the_list_that_must_have_them() -> None:
    (registries,) = of(graph(), f"{CONFIG}:ImagePatch")
    policies = of(graph(), f"{CONFIG}:ClusterImagePolicy")
    assert len(policies) == 2
    assert all(all_before(graph(), each, [registries]) for each in policies)


def test_every_pool_is_awaited_before_anything_is_pulled() -> None:
    waits = _waits()
    assert {each.inputs["spec"]["pool"] for each in waits} == {"master", "worker", "training", "inference", "infra"}
    pulling = of(graph(), "kubernetes:operators.coreos.com/v1alpha1:Subscription", "kubernetes:batch/v1:Job")
    pulling += of(graph(), "kubernetes:apps/v1:Deployment")
    assert pulling and all(all_before(graph(), each, waits) for each in pulling)
    decided = [*of(graph(), f"{CONFIG}:ImagePatch"), *of(graph(), f"{CONFIG}:ClusterImagePolicy")]
    assert all(all_before(graph(), each, decided) for each in waits)
