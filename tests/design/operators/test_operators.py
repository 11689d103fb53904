"""The operators plan: pinned, approved one release each, and told exactly what the cables and pools say."""

import json
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest

from podwright.components.design import fabric, hardware, operators
from podwright.components.model import Cluster, Pin
from podwright.components.model.catalogue import GPUS, RELEASE_SETS
from podwright.components.model.catalogue.mig import layout, layouts
from tests.design import whole
from tests.design.goldens import STACKS, cluster, with_set


@pytest.fixture(params=STACKS)
def said(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _plan(said: Cluster) -> dict[str, operators.Operator]:
    return {each.name: each for each in whole.operators(said)}


def _settings(said: Cluster, kind: str) -> list[dict[str, Any]]:
    return [each for operator in _plan(said).values() for each in operator.settings if each["kind"] == kind]


def test_subscriptions_are_pinned_and_approved_by_hand(said: Cluster) -> None:
    for name, operator in _plan(said).items():
        spec = operator.subscription["spec"]
        assert spec["installPlanApproval"] == "Manual"
        assert spec["startingCSV"].startswith(name)
        assert operator.approval is not None
        assert operator.approval["csv"] == spec["startingCSV"]
        assert operator.group["spec"] == {"targetNamespaces": [operator.namespace["metadata"]["name"]]}


def test_a_pin_replaces_the_sets_own() -> None:
    said = cluster("lab")
    assert said.operators
    pin = Pin(channel="stable", csv="nfd.4.22.0-202609010000")
    pinned = said.model_copy(update={"operators": said.operators.model_copy(update={"pins": {"nfd": pin}})})
    assert _plan(pinned)["nfd"].subscription["spec"]["startingCSV"] == pin.csv
    assert _plan(pinned)["nfd"].approval == {**(_plan(said)["nfd"].approval or {}), "csv": pin.csv}


def test_each_rail_has_a_policy_that_selects_its_cabled_nic(said: Cluster) -> None:
    found = {each["spec"]["resourceName"]: each["spec"] for each in _settings(said, "SriovNetworkNodePolicy")}
    server = next(each for each in said.servers.values() if hardware.rails(each))
    for nic in hardware.rails(server):
        spec = found[f"rail{nic.rail}"]
        # No pfNames: a name is the installed system's, and a selector's criteria must all hold.
        assert spec["nicSelector"] == {"vendor": "15b3", "deviceID": nic.device, "rootDevices": [nic.pci]}
        assert spec["isRdma"] is True
        assert spec["mtu"] == said.fabric.lossless.host_mtu < said.fabric.lossless.mtu
    assert len(found) == len(hardware.rails(server))


def test_a_server_s_own_addresses_take_the_place_of_the_catalogue_s() -> None:
    lab = cluster("lab")
    moved = lab.servers["gpu-02"].model_copy(update={"nics": {3: "0000:6a:00.0"}})
    changed = lab.model_copy(update={"servers": {**lab.servers, "gpu-02": moved}})
    found = {each["spec"]["resourceName"]: each["spec"] for each in _settings(changed, "SriovNetworkNodePolicy")}
    assert found["rail3"]["nicSelector"]["rootDevices"] == ["0000:69:00.0", "0000:6a:00.0"]
    assert found["rail2"]["nicSelector"]["rootDevices"] == ["0000:53:00.0"]
    (pool,) = (each for each in whole.rail_pools(changed) if each.nics)
    ports = operators.readiness.placed(pool)["ports"]
    assert [(each["nodes"], each["rails"]["3"]["pci"]) for each in ports] == [
        (["gpu-01", "gpu-03", "gpu-04", "gpu-05"], "0000:69:00.0"),
        (["gpu-02"], "0000:6a:00.0"),
    ]


def test_the_mtu_of_pods_is_the_class_s_own_and_no_default() -> None:
    lab = cluster("lab")
    small = lab.fabric.lossless.model_copy(update={"host_mtu": 4200})
    changed = lab.model_copy(update={"fabric": lab.fabric.model_copy(update={"lossless": small})})
    assert {each["spec"]["mtu"] for each in _settings(changed, "SriovNetworkNodePolicy")} == {4200}


def test_rails_are_given_to_one_pod_each() -> None:
    """In shared mode every pod of a node sees every rail's device, whatever it asked for."""
    found = _settings(cluster("lab"), "SriovNetworkPoolConfig")
    assert found
    assert {each["spec"]["rdmaMode"] for each in found} == {"exclusive"}


def test_the_gpu_driver_comes_with_peer_memory_where_there_are_rails(said: Cluster) -> None:
    (policy,) = _settings(said, "ClusterPolicy")
    assert policy["spec"]["driver"]["rdma"] == {"enabled": True, "useHostMofed": False}


def test_a_policy_is_there_when_its_operands_work(said: Cluster) -> None:
    (policy,) = _settings(said, "NicClusterPolicy")
    assert policy["metadata"]["annotations"]["pulumi.com/waitFor"] == "jsonpath={.status.state}=ready"
    (discovery,) = _settings(said, "NodeFeatureDiscovery")
    assert discovery["metadata"]["annotations"]["pulumi.com/waitFor"] == "condition=Available"


def test_each_pool_has_a_driver_of_its_own_and_the_cluster_none(said: Cluster) -> None:
    """The operator refuses a driver in both kinds, and a node that two policies select."""
    policies = {each["metadata"]["name"]: each for each in _settings(said, "NicNodePolicy")}
    pools = [pool.name for pool in whole.rail_pools(said) if pool.nics]
    assert pools and {name: each["spec"]["nodeSelector"] for name, each in policies.items()} == {
        name: {"podwright.io/pool": name} for name in pools
    }
    for each in policies.values():
        assert "annotations" not in each["metadata"], "not ready before its roll-out"
        assert each["spec"]["ofedDriver"]["upgradePolicy"] == {"autoUpgrade": False}
    (cluster_wide,) = _settings(said, "NicClusterPolicy")
    assert "ofedDriver" not in cluster_wide["spec"]


def test_a_pools_driver_comes_before_the_policy_that_calls_other_nodes_driven(said: Cluster) -> None:
    stages = _plan(said)["nvidia-network-operator"].stages
    kinds = [sorted({each["kind"] for each in stage}) for stage in stages]
    assert kinds == [["NicNodePolicy"], ["NicClusterPolicy"], ["NicConfigurationTemplate"]]


def test_an_older_set_keeps_the_driver_in_the_one_policy() -> None:
    """Moving it unloads the NICs under running jobs: a set never changes."""
    older = with_set("2026.10")
    (policy,) = _settings(older, "NicClusterPolicy")
    assert policy["spec"]["ofedDriver"]["version"] == "doca3.4.1-26.04-1.1.0.0-1"
    assert _settings(older, "NicNodePolicy") == []


def test_a_pool_without_nodes_has_no_driver_to_wait_for() -> None:
    lab = cluster("lab")
    assert lab.operators
    (pool,) = (each for each in whole.rail_pools(lab) if each.nics)
    empty = operators.nics(lab.operators, [pool.model_copy(update={"nodes": ()})], lab.fabric.lossless)
    assert empty.settings[0]["kind"] == "NicClusterPolicy"


def test_a_long_name_of_a_pool_fits_the_operators_labels() -> None:
    lab = cluster("lab")
    assert lab.operators
    (pool,) = (each for each in whole.rail_pools(lab) if each.nics)
    long = ["training-with-a-name-of-forty-characters", "training-with-a-name-of-forty-letters-ab"]
    named = [pool.model_copy(update={"name": name}) for name in long]
    settings = operators.nics(lab.operators, named, lab.fabric.lossless).settings
    names = [each["metadata"]["name"] for each in settings if each["kind"] == "NicNodePolicy"]
    assert len(set(names)) == len(long)
    assert all(len(f"mofed-rhcos4.20-{'0' * 10}-{name}") <= 63 for name in names)


def test_pods_never_get_an_address_of_a_server_or_the_leaf(said: Cluster) -> None:
    network = fabric.plan(said.network)
    taken = {port.address for port in network.host_ports.values()} | {rail.gateway for rail in network.rails.values()}
    found = _settings(said, "SriovNetwork")
    assert found
    for each in found:
        ipam = json.loads(each["spec"]["ipam"])
        subnet = IPv4Network(ipam["range"])
        excluded = [IPv4Network(part) for part in ipam["exclude"]]
        free = {address for address in subnet.hosts() if not any(address in part for part in excluded)}
        assert not free & taken
        assert len(free) > len(said.servers)
        (route,) = ipam["routes"]
        assert IPv4Address(route["gw"]) in subnet
        assert subnet.subnet_of(IPv4Network(route["dst"]))


def test_a_rail_pool_is_ready_with_all_gpus_and_rails_on_every_node() -> None:
    said = cluster("lab")
    settings = tuple(_settings(said, "SriovNetworkNodePolicy"))
    found = whole.ready(said, settings)
    assert list(found) == ["training"]
    assert found["training"]["nodes"] == [f"gpu-0{number}" for number in range(1, 6)]
    assert found["training"]["resources"] == {
        "nvidia.com/gpu": 8,
        **{f"openshift.io/rail{rail}": 1 for rail in range(8)},
    }
    other = whole.ready(said, settings[:1])
    assert other["training"]["trigger"] != found["training"]["trigger"]


def test_a_pools_patience_is_passed_on_only_where_it_is_said() -> None:
    assert "stalled_seconds" not in whole.ready(cluster("lab"), ())["training"]
    lab = cluster("lab")
    patient = lab.pools["training"].model_copy(update={"stall_minutes": 90})
    said = lab.model_copy(update={"pools": {**lab.pools, "training": patient}})
    assert whole.ready(said, ())["training"]["stalled_seconds"] == 90 * 60


def test_every_rail_network_is_attached_where_it_is_used(said: Cluster) -> None:
    network = fabric.plan(said.network)
    spaces = {each["spec"]["networkNamespace"] for each in _settings(said, "SriovNetwork")}
    assert spaces == {job.team for job in said.workloads.training.values()} | {"podwright-acceptance"}
    assert len(_settings(said, "SriovNetwork")) == len(spaces) * len(network.rails)


def test_operands_tolerate_every_pool_unless_told_otherwise() -> None:
    said = cluster("lab")
    assert said.operators
    blind = said.operators.model_copy(update={"gpu_node_tolerations": False})
    without = said.model_copy(update={"operators": blind})
    (policy,) = _settings(said, "ClusterPolicy")
    (bare,) = _settings(without, "ClusterPolicy")
    assert {"key": "podwright.io/pool", "operator": "Exists", "effect": "NoSchedule"} in policy["spec"]["daemonsets"][
        "tolerations"
    ]
    assert "tolerations" not in bare["spec"]["daemonsets"]
    (discovery,) = _settings(said, "NodeFeatureDiscovery")
    assert discovery["spec"]["operand"]["workerTolerations"]


def test_mig_layouts_hold_every_pools_and_the_one_that_turns_it_off() -> None:
    said = cluster("lab")
    (config,) = _settings(said, "ConfigMap")
    (policy,) = _settings(said, "ClusterPolicy")
    layouts = json.loads(config["data"]["config.yaml"])["mig-configs"]
    assert layouts["all-disabled"] == [{"devices": "all", "mig-enabled": False}]
    assert layouts["all-1g.18gb"] == [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.18gb": 7}}]
    assert policy["spec"]["migManager"]["config"] == {"name": config["metadata"]["name"], "default": "all-disabled"}
    assert policy["spec"]["mig"] == {"strategy": "mixed"}


def test_mig_layouts_hold_what_a_pool_may_move_to(said: Cluster) -> None:
    """A roll-out asks for a layout before the operators layer is reached: an unknown name would fail there for ever."""
    (config,) = _settings(said, "ConfigMap")
    held = json.loads(config["data"]["config.yaml"])["mig-configs"]
    for product in {server.gpus for server in said.servers.values() if server.gpus}:
        gpu = GPUS[product]
        pci = f"0x{gpu.device}10DE"
        for name in layouts(gpu):
            mine = [each["mig-devices"] for each in held[name] if pci in each.get("device-filter", pci)]
            assert mine == [layout(gpu, name)], f"{name} on {gpu.name}"


def test_a_layout_name_of_two_products_is_told_apart_by_pci_id() -> None:
    (config,) = _settings(cluster("prod"), "ConfigMap")
    held = json.loads(config["data"]["config.yaml"])["mig-configs"]
    assert {tuple(each["device-filter"]): each["mig-devices"] for each in held["all-balanced"]} == {
        ("0x232110DE",): {"1g.12gb": 2, "2g.24gb": 1, "3g.47gb": 1},
        ("0x233510DE",): {"1g.18gb": 2, "2g.35gb": 1, "3g.71gb": 1},
    }
    assert "device-filter" not in held["all-1g.12gb"][0]


def test_cluster_policy_has_every_section_its_schema_demands(said: Cluster) -> None:
    (policy,) = _settings(said, "ClusterPolicy")
    demanded = {
        "daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd", "nodeStatusExporter", "operator",
        "toolkit",
    }  # fmt: skip
    assert demanded <= set(policy["spec"])
    assert policy["spec"]["operator"]["use_ocp_driver_toolkit"] is True


def test_a_cluster_without_rails_or_gpus_gets_no_such_operators() -> None:
    said = cluster("lab")
    plain = {name: server.model_copy(update={"gpus": None, "group": None}) for name, server in said.servers.items()}
    pools = {name: pool.model_copy(update={"rails": False, "mig": None}) for name, pool in said.pools.items()}
    assert list(_plan(said.model_copy(update={"servers": plain, "pools": pools}))) == ["nfd"]


@pytest.mark.parametrize("name", RELEASE_SETS)
def test_release_sets_name_a_build_of_each_package(name: str) -> None:
    release = RELEASE_SETS[name]
    assert len(release.packages) >= 4
    otherwise = {
        "job-set": "jobset-operator",
        "openshift-custom-metrics-autoscaler-operator": "custom-metrics-autoscaler",
    }
    for package in release.packages:
        build = otherwise.get(package.package, package.package.removeprefix("openshift-"))
        assert package.csv.startswith(f"{build}.")


def test_a_mig_layout_is_no_reason_to_measure_the_network_again() -> None:
    said = cluster("lab")
    found = [each for operator in _plan(said).values() for each in operator.settings]
    rails = [each["kind"] for each in found if operators.concerns_rails(each)]
    assert set(rails) == {
        "SriovOperatorConfig", "SriovNetworkPoolConfig", "SriovNetworkNodePolicy", "SriovNetwork", "NicClusterPolicy",
        "NicNodePolicy",
        "NicConfigurationTemplate",
    }  # fmt: skip
