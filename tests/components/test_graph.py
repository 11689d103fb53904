"""The graph a stack registers: who stands where, what waits for what, and what a preview can know."""

import functools
from collections.abc import Iterable
from ipaddress import IPv4Address

import pytest

from podwright.components.model import Cluster
from tests.components.recording import SECRET, Registered, register, unknown
from tests.design import goldens
from tools.generated import ROOT

JOIN = "podwright:index:Join"
HOME = ROOT / "tests/components/goldens"
LARGEST = 1000
"""Resources a stack may hold; beyond, the engine's cost grows faster than the stack."""


@functools.cache
def graph(stack: str) -> dict[str, Registered]:
    return register(goldens.cluster(stack))


@pytest.fixture(params=goldens.STACKS)
def seen(request: pytest.FixtureRequest) -> dict[str, Registered]:
    return graph(request.param)


def of(seen: dict[str, Registered], *types: str) -> list[Registered]:
    return [each for each in seen.values() if each.type in types]


def named(seen: dict[str, Registered], name: str) -> Registered:
    """The resource inside a component whose name ends so, behind the cluster's."""
    (found,) = (each for each in seen.values() if each.custom and each.name.partition("-")[2] == name)
    return found


def before(seen: dict[str, Registered], one: Registered) -> set[str]:
    """URNs of everything that must stand before a resource."""
    found: set[str] = set()
    left = [one.urn]
    while left:
        here = seen[left.pop()]
        providers = {here.provider.rpartition("::")[0]} if here.provider else set()
        for urn in (here.dependencies | providers) & set(seen) - found:
            found.add(urn)
            left.append(urn)
    return found


def all_before(seen: dict[str, Registered], one: Registered, others: Iterable[Registered]) -> bool:
    return {other.urn for other in others} <= before(seen, one)


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_urns_are_pinned(stack: str) -> None:
    """An URN that changes is a resource replaced at a site: a rename needs an alias, then a new golden."""
    assert sorted(graph(stack)) == (HOME / f"{stack}.urns").read_text().splitlines()


def test_a_stack_has_one_instance_and_one_cluster_that_everything_is_inside(seen: dict[str, Registered]) -> None:
    roots = [each for each in seen.values() if not each.parent]
    assert sorted(each.type for each in roots) == ["podwright:index:AiCluster", "pulumi:providers:podwright"]
    assert {each.layer.partition(":")[0] for each in seen.values() if each.parent} == {"podwright"}


def test_edges_are_few(seen: dict[str, Registered]) -> None:
    """The SDK looks at the dependencies of dependencies, and the engine sorts by them: many to many is quadratic."""
    edges = {each.urn: each.dependencies for each in seen.values()}
    assert sum(map(len, edges.values())) <= 2 * len(seen)
    policies = {each.urn for each in of(seen, "podwright:intersight:Policy", "podwright:intersight:Pool")}
    for each in seen.values():
        if each.type != JOIN:
            assert len(each.dependencies - policies) <= 3, each.urn


def test_every_resource_of_ours_carries_its_cluster(seen: dict[str, Registered]) -> None:
    (root,) = of(seen, "podwright:index:AiCluster")
    ours = [each for each in seen.values() if each.custom and each.type.startswith("podwright:")]
    assert {each.inputs["cluster"] for each in ours} == {root.name}


def test_every_resource_says_its_provider(seen: dict[str, Registered]) -> None:
    loose = [
        each.urn
        for each in seen.values()
        if each.custom and not each.provider and not each.type.startswith("pulumi:providers:")
    ]
    assert loose == []


def test_one_provider_instance_per_package(seen: dict[str, Registered]) -> None:
    providers = [each for each in seen.values() if each.type.startswith("pulumi:providers:")]
    assert sorted(each.type.rpartition(":")[2] for each in providers) == ["command", "kubernetes", "podwright"]


def test_a_stack_stays_small(seen: dict[str, Registered]) -> None:
    assert len(seen) < LARGEST


def test_every_spec_is_known_at_preview(seen: dict[str, Registered]) -> None:
    hidden = [each.urn for each in seen.values() if "spec" in each.inputs and unknown(each.inputs["spec"])]
    assert hidden == []


def test_kubeconfig_travels_as_a_secret(seen: dict[str, Registered]) -> None:
    holders = [each for each in seen.values() if "kubeconfig" in each.inputs]
    assert len(holders) > 3
    for each in holders:
        assert SECRET in each.inputs["kubeconfig"], each.urn
    environment = named(seen, "acceptance").inputs["environment"]
    assert SECRET in (environment if SECRET in environment else environment["PODWRIGHT_KUBECONFIG"])


def test_the_installation_waits_for_network_and_servers(seen: dict[str, Registered]) -> None:
    (install,) = of(seen, "podwright:openshift:Install")
    below = of(seen, "podwright:nxos:Switch", "podwright:redfish:Server", "podwright:intersight:ServerProfile")
    assert all_before(seen, install, below)


def test_profiles_wait_for_their_policies(seen: dict[str, Registered]) -> None:
    by_name = {each.name: each for each in of(seen, "podwright:intersight:Policy")}
    profiles = of(seen, "podwright:intersight:ServerProfile")
    assert profiles
    for profile in profiles:
        named_by_it = [by_name[policy["name"]] for policy in profile.inputs["spec"]["policies"]]
        assert all_before(seen, profile, named_by_it)


def test_everything_on_the_cluster_waits_for_the_guard(seen: dict[str, Registered]) -> None:
    (guard,) = of(seen, "podwright:openshift:Guard")
    first = before(seen, guard)
    late = [each for each in seen.values() if each.type.startswith("kubernetes:") and each.urn not in first]
    assert len(late) > 50
    for each in late:
        assert all_before(seen, each, [guard]), each.urn


def test_what_the_api_server_never_changes_makes_an_object_anew(seen: dict[str, Registered]) -> None:
    """The plugin itself would change it in place: for a StorageClass it knows parameters and provisioner alone."""
    classes = of(seen, "kubernetes:storage.k8s.io/v1:StorageClass")  # prod has three, lab none
    assert all(each.made_again == {"volumeBindingMode", "reclaimPolicy"} for each in classes)
    ranks = of(seen, "kubernetes:scheduling.k8s.io/v1:PriorityClass")
    assert ranks and all(each.made_again == {"value", "preemptionPolicy"} for each in ranks)


def test_operators_start_in_order(seen: dict[str, Registered]) -> None:
    gpu, sriov, network, nfd = (
        named(seen, name) for name in ("gpu-install", "sriov-install", "network-install", "nfd-install")
    )
    assert all_before(seen, gpu, [sriov, network, nfd])
    assert all_before(seen, sriov, [nfd, network, named(seen, "maintenance-install")])
    settled = [each for each in of(seen, "podwright:openshift:PoolReady") if each.inputs["spec"].get("nics")]
    (config,) = (each for each in seen.values() if each.type.endswith(":SriovOperatorConfig"))
    assert settled and all_before(seen, config, settled), "both drain nodes, and would wait for each other"
    placed = [each for each in of(seen, "podwright:openshift:PoolReady") if each.inputs["spec"].get("ports")]
    policies = [each for each in seen.values() if each.type.endswith(":SriovNetworkNodePolicy")]
    assert placed and policies
    assert all(all_before(seen, each, placed) for each in policies), "no policy for a port that is elsewhere"
    assert all(all_before(seen, each, [config]) for each in placed), "its daemon lists the ports"
    discovery = [each for each in seen.values() if each.custom and each.type.endswith(":NodeFeatureDiscovery")]
    assert all_before(seen, sriov, discovery)
    (policy,) = (each for each in seen.values() if each.type.endswith(":ClusterPolicy"))
    assert all_before(seen, policy, [gpu])


def test_nobody_waits_for_the_gpu_policy_before_its_drivers_were_taken_to_the_nodes(
    seen: dict[str, Registered],
) -> None:
    (policy,) = (each for each in seen.values() if each.type.endswith(":ClusterPolicy"))
    taken = of(seen, "podwright:openshift:DriverRollout")
    assert {each.inputs["spec"]["pool"] for each in taken} >= {"training", "inference"}
    assert all(all_before(seen, each, [policy]) for each in taken)
    (ready,) = (each for each in of(seen, JOIN) if each.name.endswith("-gpu-ready"))
    assert all_before(seen, ready, taken)


def test_acceptance_waits_for_every_rail_to_be_on_offer(seen: dict[str, Registered]) -> None:
    ready = [each for each in of(seen, "podwright:openshift:PoolReady") if each.inputs["spec"]["resources"]]
    assert ready
    assert all_before(seen, named(seen, "acceptance"), ready)
    (policy,) = (each for each in seen.values() if each.type.endswith(":ClusterPolicy"))
    for pool in ready:
        assert all_before(seen, pool, [policy])


def test_training_waits_for_acceptance_and_serving_does_not(seen: dict[str, Registered]) -> None:
    check = named(seen, "acceptance")
    assert all_before(seen, check, of(seen, "podwright:nxos:Switch"))
    for job in of(seen, "kubernetes:batch/v1:Job"):
        assert all_before(seen, job, [check])
    for service in of(seen, "kubernetes:apps/v1:Deployment"):
        assert not all_before(seen, service, [check])


def test_workloads_wait_for_quota_and_account(seen: dict[str, Registered]) -> None:
    for work in of(seen, "kubernetes:batch/v1:Job", "kubernetes:apps/v1:Deployment"):
        home = work.inputs["metadata"]["namespace"]
        needed = [
            each
            for each in of(seen, "kubernetes:core/v1:ResourceQuota", "kubernetes:core/v1:ServiceAccount")
            if each.inputs["metadata"]["namespace"] == home
        ]
        assert needed
        assert all_before(seen, work, needed)


def test_objects_carry_the_stack_and_patches_do_not(seen: dict[str, Registered]) -> None:
    for each in seen.values():
        if not each.type.startswith("kubernetes:"):
            continue
        labels = each.inputs["metadata"].get("labels", {})
        assert ("podwright.io/stack" in labels) is not each.type.endswith("Patch"), each.urn


def test_whatever_is_begun_twice_has_one_writer(seen: dict[str, Registered]) -> None:
    """Without a name of ours the provider draws one for each attempt, and that of a killed one owns fields for ever."""
    for each in (one for one in seen.values() if one.type.startswith("kubernetes:")):
        writer = each.inputs["metadata"].get("annotations", {}).get("pulumi.com/patchFieldManager", "")
        own = f"podwright.{each.inputs['metadata'].get('labels', {}).get('podwright.io/stack')}"
        assert writer if each.type.endswith("Patch") else writer == own, each.urn
        assert len(writer) <= 128, "the API server's limit"


def test_protection_holds_what_a_site_must_not_lose() -> None:
    said = goldens.cluster("prod")
    open_, closed = (register(said.model_copy(update={"protect": value})) for value in (False, True))
    assert not any(each.protect for each in open_.values())
    kinds = {each.type for each in closed.values() if each.protect}
    assert kinds == {
        "podwright:nxos:Switch",
        "podwright:redfish:Server",
        "podwright:intersight:ServerProfile",
        "podwright:intersight:DomainProfile",
        "podwright:openshift:Install",
        "kubernetes:core/v1:Namespace",
        "kubernetes:core/v1:PersistentVolumeClaim",
    }
    assert closed.keys() == open_.keys()


def test_a_fabric_of_another_stack_is_taken_by_reference() -> None:
    said = goldens.cluster("lab")
    fabric = said.fabric.model_copy(update={"stack": "organization/podwright/network"})
    seen = register(said.model_copy(update={"fabric": fabric}))
    assert of(seen, "podwright:nxos:Switch") == []
    checks = of(seen, "podwright:nxos:Verification")
    assert {each.inputs["spec"]["stage"] for each in checks} == {"hosts"}
    assert any("pulumi:pulumi:StackReference" in urn for urn in named(seen, "install").dependencies)
    assert all_before(seen, named(seen, "acceptance"), checks)


def test_an_adopted_switch_survives_the_stack() -> None:
    said = goldens.cluster("lab")
    taken = said.fabric.leaves["leaf-01"].model_copy(update={"adopt": True})
    fabric = said.fabric.model_copy(update={"leaves": {**said.fabric.leaves, "leaf-01": taken}})
    seen = register(said.model_copy(update={"fabric": fabric}))
    assert named(seen, "leaf-01").inputs["spec"]["adopt"] is True
    assert named(seen, "leaf-02").inputs["spec"]["adopt"] is False


def _elsewhere(number: str) -> dict[str, object]:
    """Addresses that no other server has."""
    address, bmc = IPv4Address(f"192.0.2.{number}"), IPv4Address(f"192.0.2.2{number[:1]}")
    return {"boot_mac": f"02:00:00:00:09:{number}", "address": address, "bmc": bmc}


def _one_server_more(said: Cluster) -> Cluster:
    twin = said.servers["gpu-05"].model_copy(update={"index": 6, "serial": "WZP00000099", **_elsewhere("99")})
    return said.model_copy(update={"servers": {"gpu-00": twin, **said.servers}})


def test_a_new_server_renames_nothing() -> None:
    said = goldens.cluster("lab")
    before_, after = set(graph("lab")), set(register(_one_server_more(said)))
    assert before_ < after
    assert {urn.rpartition("::")[2] for urn in after - before_} == {
        "lab-gpu-00", "lab-gpu-00-server", "lab-training-node-gpu-00",
    }  # fmt: skip


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_everything_on_a_device_comes_after_the_world(stack: str) -> None:
    """What waits for nothing at all could be made before it, and deleted after it."""
    seen = graph(stack)
    (world,) = (urn for urn in seen if "podwright:index:World" in urn)
    unordered = [urn for urn, each in seen.items() if each.custom and not each.dependencies and urn != world]
    assert [
        urn for urn in unordered if "pulumi:providers:podwright" not in urn and "::pulumi:pulumi:Stack" not in urn
    ] == []
