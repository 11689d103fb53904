"""The compute plan: right by Cisco's own table, bound to the file, the same whatever the order of its keys."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.compute.network import ranges
from podwright.components.model import Cluster
from podwright.components.model.settings import Vnic
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole

ROOT = Path(__file__).parents[3]
BY_TOKEN = {kind.token: kind for kind in KINDS}


def _cluster(stack: str) -> Cluster:
    text = (ROOT / f"Pulumi.{stack}.yaml").read_text()
    return Cluster.model_validate(yaml.safe_load(text)["config"]["podwright:cluster"])


@pytest.fixture(params=["lab", "prod"])
def cluster(request: pytest.FixtureRequest) -> Cluster:
    return _cluster(request.param)


def _failures(token: str, spec: Any) -> list[str]:
    failures = BY_TOKEN[f"podwright:intersight:{token}"].check({"spec": spec}, CheckContext())
    return [f"{spec['name']} {'.'.join(map(str, failure.path))}: {failure.message}" for failure in failures]


def test_every_object_passes_the_table(cluster: Cluster) -> None:
    plan = whole.compute(cluster)
    assert cluster.intersight
    organization = cluster.intersight.organization
    found = [line for each in plan.policies for line in _failures("Policy", each.spec(organization))]
    found += [line for each in plan.pools for line in _failures("Pool", each.spec(organization))]
    found += [line for each in plan.profiles for line in _failures("ServerProfile", each.spec)]
    found += [line for each in plan.domains for line in _failures("DomainProfile", each.spec)]
    assert found == []


def test_only_what_the_file_lists_is_taken_on(cluster: Cluster) -> None:
    """`intersight.adopt` is what an error about an object of our name tells people to write."""
    assert cluster.intersight
    names = (f"{cluster.name}-ntp", next(iter(whole.compute(cluster).profiles)).name)
    listed = cluster.model_copy(update={"intersight": cluster.intersight.model_copy(update={"adopt": names})})
    plan = whole.compute(listed)
    account = cluster.intersight
    specs = [each.spec(account.organization, names) for each in (*plan.pools, *plan.policies)]
    specs += [dict(each.spec) for each in (*plan.profiles, *plan.domains)]
    assert {each["name"] for each in specs if each.get("adopt")} == set(names)


def _without_bonds(cluster: Cluster) -> Cluster:
    """The cluster with one address per server in its file: the second vNIC takes one of the pool."""
    servers = {name: each.model_copy(update={"bond_mac": None}) for name, each in cluster.servers.items()}
    return cluster.model_copy(update={"servers": servers})


def test_each_cluster_has_a_block_of_mac_addresses_of_its_own() -> None:
    cluster = _without_bonds(_cluster("prod"))
    assert cluster.intersight
    first = {}
    for name in ("pod-a", "pod-b", "pod-c"):
        pool, _ = whole.compute(cluster.model_copy(update={"name": name})).pools
        first[name] = pool.properties["MacBlocks"][0]["From"]
        assert pool.spec("default")["initial"] == ["MacBlocks"], "an existing pool keeps its own"
    assert len({*first.values(), "00:25:B5:B0:00:00"}) == 4
    account = cluster.intersight.model_copy(update={"mac_block": "00:25:b5:b0:00:00"})
    pool, _ = whole.compute(cluster.model_copy(update={"intersight": account})).pools
    assert (pool.properties["MacBlocks"][0]["From"], "initial" in pool.spec("x")) == ("00:25:B5:B0:00:00", False)


def test_a_pool_of_mac_addresses_stands_where_a_vnic_takes_one() -> None:
    """With `bond_mac` both vNICs have the addresses of the file; one without it, or derived, needs the pool."""
    cluster = _cluster("prod")
    assert not any(each.object_type == "macpool.Pool" for each in whole.compute(cluster).pools)
    lone = cluster.servers["inf-01"].model_copy(update={"bond_mac": None})
    derived = cluster.servers["inf-01"].model_copy(update={"vnics": {"eth0": Vnic(derived=True)}})
    for server in (lone, derived):
        plan = whole.compute(cluster.model_copy(update={"servers": {**cluster.servers, "inf-01": server}}))
        (pool,) = [each for each in plan.pools if each.object_type == "macpool.Pool"]
        assert pool.properties["MacBlocks"][0]["Size"] == 256


def test_names_are_unique_and_references_stand_before(cluster: Cluster) -> None:
    plan = whole.compute(cluster)
    seen: set[str] = set()
    for each in (*plan.pools, *plan.policies):
        assert each.name not in seen
        assert each.needs <= seen, f"{each.name} stands before what it refers to"
        seen.add(each.name)


def test_every_server_is_planned_once_and_installed(cluster: Cluster) -> None:
    plan = whole.compute(cluster)
    managed = [*plan.redfish, *(profile.name for profile in plan.profiles)]
    assert sorted(managed) == sorted(cluster.servers)
    assert [host["name"] for host in plan.install["hosts"]] == list(cluster.servers)
    assert set(plan.digests) == set(cluster.servers)


def test_no_secret_and_nothing_unserialisable_in_specs(cluster: Cluster) -> None:
    plan = whole.compute(cluster)
    for spec in (*plan.redfish.values(), plan.install, *(each.spec("default") for each in plan.policies)):
        assert yaml.safe_load(yaml.safe_dump(spec)) == spec


def test_order_of_servers_in_the_file_changes_nothing_but_order() -> None:
    cluster = _cluster("lab")
    turned = cluster.model_copy(update={"servers": dict(reversed(cluster.servers.items()))})
    one, two = whole.compute(cluster), whole.compute(turned)
    assert {each.name: each.spec("o") for each in one.policies} == {each.name: each.spec("o") for each in two.policies}
    assert one.digests == two.digests


def test_a_bios_change_moves_the_digest_and_a_clock_change_does_not() -> None:
    cluster = _cluster("lab")
    site = cluster.site.model_copy(update={"ntp": ("192.0.2.9",)})
    assert whole.compute(cluster.model_copy(update={"site": site})).digests == whole.compute(cluster).digests
    fewer = cluster.servers["gpu-01"].model_copy(update={"gpu_count": 4})
    changed = whole.compute(cluster.model_copy(update={"servers": {**cluster.servers, "gpu-01": fewer}}))
    assert changed.digests["gpu-01"] != whole.compute(cluster).digests["gpu-01"]
    assert changed.digests["gpu-02"] == whole.compute(cluster).digests["gpu-02"]


@pytest.mark.parametrize(
    ("ids", "text"), [((), ""), ((10,), "10"), ((10, 11, 12), "10-12"), ((5, 10, 11, 20), "5,10-11,20")]
)
def test_vlans_are_spelled_as_the_server_stores_them(ids: tuple[int, ...], text: str) -> None:
    assert ranges(ids) == text


@pytest.mark.parametrize(("dscp", "priority"), [(26, 3), (34, 4), (40, 5)])
def test_the_classes_of_the_interconnects_are_their_own_and_no_ethernet_one_has_cos_3(dscp: int, priority: int) -> None:
    """CoS 3 is Fibre Channel's there; GPU traffic never crosses an interconnect, so its class decides nothing here."""
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    said["fabric"]["lossless"] = {"dscp": dscp, "priority": priority}
    plan = whole.compute(Cluster.model_validate(said))
    found = [
        each for domain in plan.domains for each in domain.policies if each.object_type == "fabric.SystemQosPolicy"
    ]
    assert found
    for policy in found:
        classes = {each["Name"]: each for each in policy.properties["Classes"]}
        assert classes.pop("FC")["Cos"] == 3
        assert {each["Cos"] for each in classes.values()} == {255, 1, 2, 4, 5}
        assert all(each["PacketDrop"] for each in classes.values())


def test_a_profile_is_bound_to_its_server_by_serial_and_stages(cluster: Cluster) -> None:
    for profile in whole.compute(cluster).profiles:
        server = cluster.servers[profile.name]
        assert (profile.spec["serial"], profile.spec["model"]) == (server.serial, server.model)
        assert (profile.spec["action"], profile.spec["approved_disruptions"]) == ("stage", [])


def test_both_interconnects_of_a_domain_have_ports_vlans_and_jumbo_frames() -> None:
    prod = _cluster("prod")
    plan = whole.compute(prod)
    by_name = {each.name: each for each in plan.policies}
    assert plan.domains
    for each in plan.domains:
        assert each.spec["serials"] == dict(prod.domains[each.name].serials)
        assert each.spec["policies"]["A"] == each.spec["policies"]["B"]
        kinds = {by_name[reference["name"]].object_type for reference in each.spec["policies"]["A"]}
        assert {"fabric.PortPolicy", "fabric.EthNetworkPolicy", "fabric.SystemQosPolicy"} <= kinds
    (qos,) = [each for each in plan.policies if each.object_type == "fabric.SystemQosPolicy"]
    classes = {each["Name"]: each for each in qos.properties["Classes"]}
    assert (classes["Best Effort"]["Mtu"], classes["Best Effort"]["AdminState"]) == (9216, "Enabled")
    # RoCE between GPUs never crosses a Fabric Interconnect: only Fibre Channel is lossless here.
    assert {name for name, each in classes.items() if not each["PacketDrop"]} == {"FC"}
