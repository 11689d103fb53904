"""VLANs reach nodes that run one after the other, by the handlers' own answers; nothing under br-ex is touched."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import pytest

from podwright.components.providers.openshift.pools.host_network import HostNetworkKind
from podwright.components.providers.protocol.kind import Context, Incomplete
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.kinds import NETWORK_ENACTMENTS, NETWORK_POLICIES, NETWORK_STATES
from tests.providers.openshift.networked import NAMES, WARNED, Site, bond, bridge, on, quick, spec, vlan

KIND = HostNetworkKind()
FORMS = ("kept", "cleared")


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch) -> Context:
    return quick(monkeypatch)


@pytest.mark.parametrize("form", FORMS)
async def test_every_node_has_its_vlan_by_its_handlers_own_answer(
    form: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(form), monkeypatch)
    created = await KIND.create(spec(20), ctx)
    assert created.id == "training"
    assert site.policies() == {f"{name}-vlans": ["bond0.20"] for name in NAMES}
    for name in NAMES:
        assert site.interfaces(name) == {"bond0.20"}
        answer = site.api.get(NETWORK_ENACTMENTS.path(None, f"{name}.{name}-vlans"))
        assert answer is not None and answer["status"]["policyGeneration"] == 1
    seen = await KIND.read("training", spec(20), {}, ctx)
    assert seen is not None and KIND.diff(seen.inputs, spec(20), {}).changes == {}


async def test_nodes_that_have_the_plan_already_keep_their_policies_untouched(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(), monkeypatch)
    await KIND.create(spec(20), ctx)
    site.api.writes.clear()
    await KIND.update("training", spec(20), spec(20), {}, ctx)
    assert not [path for _, path in site.api.writes if "policies" in path]


@pytest.mark.parametrize("form", FORMS)
async def test_the_answer_to_the_policy_before_is_not_taken_for_todays(
    form: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Available of generation 1 stands while generation 2 has not been looked at, and fails then."""
    site = on(Site(form), monkeypatch)
    await KIND.create(spec(20), ctx)
    for host in site.hosts.values():
        host.loses_gateway = True
    with pytest.raises(Incomplete, match=r"gpu-01: rolled back by NMState: .*probe 'ping'"):
        await KIND.update("training", spec(20, 30), spec(20), {}, ctx)
    assert site.interfaces("gpu-01") == {"bond0.20"}, "NMState has rolled it back"


@pytest.mark.parametrize("form", FORMS)
async def test_the_first_node_goes_alone_and_one_that_fails_is_the_last(
    form: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(form), monkeypatch)
    site.hosts["gpu-01"].loses_gateway = True
    with pytest.raises(Incomplete, match="No further node of pool training is taken"):
        await KIND.create(spec(20), ctx)
    assert site.order() == ["gpu-01"]
    site.hosts["gpu-01"].loses_gateway = False
    await KIND.update("training", spec(20), spec(20), {}, ctx)
    assert all(site.interfaces(name) == {"bond0.20"} for name in NAMES), "run again, the same policy is tried anew"


@pytest.mark.parametrize("form", FORMS)
async def test_a_vlan_that_leaves_the_file_leaves_the_nodes_and_then_their_policies(
    form: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(form), monkeypatch)
    await KIND.create(spec(20, 30), ctx)
    await KIND.update("training", spec(30), spec(20, 30), {}, ctx)
    assert all(site.interfaces(name) == {"bond0.30"} for name in NAMES)
    assert site.policies() == {f"{name}-vlans": ["bond0.30"] for name in NAMES}
    await KIND.update("training", spec(), spec(30), {}, ctx)
    assert all(site.interfaces(name) == set() for name in NAMES)
    assert site.policies() == {}


async def test_a_run_that_was_cut_off_knows_by_the_policies_what_is_to_go(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(), monkeypatch)
    await KIND.create(spec(20, 30), ctx)
    site.hosts["gpu-02"].loses_gateway = True
    with pytest.raises(Incomplete):
        await KIND.update("training", spec(20), spec(20, 30), {}, ctx)
    assert site.interfaces("gpu-02") == {"bond0.20", "bond0.30"}
    site.hosts["gpu-02"].loses_gateway = False
    await KIND.update("training", spec(20), spec(20), {}, ctx)
    assert all(site.interfaces(name) == {"bond0.20"} for name in NAMES)


async def test_what_somebody_else_made_on_a_node_stays(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = on(Site(), monkeypatch)
    site.memory["gpu-01"].network["bond0.77"] = vlan(77, "gpu-01")  # type: ignore[index]
    await KIND.create(spec(20), ctx)
    await KIND.update("training", spec(), spec(20), {}, ctx)
    assert site.interfaces("gpu-01") == {"bond0.77"}


async def test_a_host_that_joins_with_its_vlan_gets_the_policy_and_nothing_changes(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(nodes=NAMES[:2]), monkeypatch)
    two = spec(20, nodes=NAMES[:2])
    await KIND.create(two, ctx)
    site.hosts["gpu-03"] = SimpleNamespace(loses_gateway=False)
    network = {"bond0": bond(), "br-ex": bridge(), "bond0.20": vlan(20, "gpu-03")}
    site.memory["gpu-03"] = HostMemory(network=copy.deepcopy(network))
    site.join("gpu-03")
    site.api.writes.clear()
    await KIND.update("training", spec(20), two, {}, ctx)
    assert site.order() == ["gpu-03"], "the policies of the others are not written"
    found = site.memory["gpu-03"].network or {}
    kept = {key: found["bond0.20"][key] for key in network["bond0.20"]}
    assert kept == network["bond0.20"]


async def test_a_node_without_the_bond_is_named_with_the_way_out_and_none_is_changed(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(), monkeypatch)
    for name in ("gpu-02", "gpu-03"):
        del site.memory[name].network["bond0"]  # type: ignore[union-attr]
    with pytest.raises(Incomplete) as stuck:
        await KIND.create(spec(20), ctx)
    for name in ("gpu-02", "gpu-03"):
        assert f"{name} has no bond0 for bond0.20" in str(stuck.value)
        assert f"take bond_mac out of servers.{name}" in str(stuck.value)
    assert site.policies() == {}


async def test_a_larger_mtu_than_the_bonds_is_refused_before_anything_is_written(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(), monkeypatch)
    site.memory["gpu-03"].network["bond0"] = bond(1500)  # type: ignore[index]
    with pytest.raises(
        Incomplete, match=r"gpu-03: bond0\.20 would have an MTU of 9000, and bond0 under br-ex has 1500"
    ):
        await KIND.create(spec(20), ctx)
    assert site.policies() == {}


async def test_a_host_without_a_bond_is_known_by_its_mac_address(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the file calls boot0 has a name of the kernel's on the node."""
    site = on(Site(nodes=("gpu-01",)), monkeypatch)
    nic = {"name": "enp1s0np0", "type": "ethernet", "state": "up", "mtu": 9000, "mac-address": "02:00:00:00:00:01",
           "controller": "br-ex", "ipv4": {"enabled": False}}  # fmt: skip
    site.memory["gpu-01"].network = {"enp1s0np0": nic, "br-ex": bridge() | {"mac-address": nic["mac-address"]}}
    rows = {"gpu-01": [vlan(20, "gpu-01", "boot0")]}
    macs = {"gpu-01": {"boot0": "02:00:00:00:00:01"}}
    asked = spec(nodes=("gpu-01",), interfaces=rows, macs=macs)
    await KIND.create(asked, ctx)
    assert (site.memory["gpu-01"].network or {})["boot0.20"]["vlan"] == {"base-iface": "enp1s0np0", "id": 20}
    seen = await KIND.read("training", asked, {}, ctx)
    assert seen is not None and KIND.diff(seen.inputs, asked, {}).changes == {}


async def test_a_node_with_a_bond_that_the_file_does_not_know_is_named(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(nodes=("gpu-01",)), monkeypatch)
    nic = {"name": "enp1s0", "type": "ethernet", "mac-address": "02:00:00:00:00:01", "controller": "bond0"}
    site.memory["gpu-01"].network["enp1s0"] = {**nic, "state": "up", "mtu": 9000}  # type: ignore[index]
    rows, macs = {"gpu-01": [vlan(20, "gpu-01", "boot0")]}, {"gpu-01": {"boot0": "02:00:00:00:00:01"}}
    with pytest.raises(Incomplete, match=r"enp1s0 is a port of bond0.*: write bond_mac of servers\.gpu-01"):
        await KIND.create(spec(nodes=("gpu-01",), interfaces=rows, macs=macs), ctx)


async def test_a_vlan_that_is_there_by_another_name_keeps_it(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installer may have named it after the kernel's name of its base; a second one of its id there cannot be."""
    site = on(Site(nodes=("gpu-01",)), monkeypatch)
    site.memory["gpu-01"].network["vlan20"] = vlan(20, "gpu-01", name="vlan20", mtu=1500)  # type: ignore[index]
    one = spec(20, nodes=("gpu-01",))
    await KIND.create(one, ctx)
    assert site.interfaces("gpu-01") == {"vlan20"}
    assert (site.memory["gpu-01"].network or {})["vlan20"]["mtu"] == 9000
    seen = await KIND.read("training", one, {}, ctx)
    assert seen is not None and KIND.diff(seen.inputs, one, {}).changes == {}


async def test_an_interface_that_somebody_deleted_is_drift_and_comes_back(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handler does not look at a policy again by itself: it is made anew."""
    site = on(Site(), monkeypatch)
    await KIND.create(spec(20), ctx)
    del site.memory["gpu-02"].network["bond0.20"]  # type: ignore[union-attr]
    seen = await KIND.read("training", spec(20), {}, ctx)
    assert seen is not None
    assert {path[:3] for path in KIND.diff(seen.inputs, spec(20), {}).changes} == {("spec", "interfaces", "gpu-02")}
    await KIND.update("training", spec(20), seen.inputs, {}, ctx)
    assert site.interfaces("gpu-02") == {"bond0.20"}


async def test_a_policy_of_the_same_name_that_does_something_else_is_left_alone(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = on(Site(nodes=("gpu-01",)), monkeypatch)
    theirs = {"metadata": {"name": "gpu-01-vlans"}, "spec": {"desiredState": {"interfaces": [{"name": "eth5"}]}}}
    site.api.put(NETWORK_POLICIES.path(None, "gpu-01-vlans"), theirs)
    with pytest.raises(Incomplete, match="gpu-01-vlans is somebody's own"):
        await KIND.create(spec(20, nodes=("gpu-01",)), ctx)


async def test_policies_applied_by_hand_before_become_the_stacks(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `podwright explain host-network` prints has the same names."""
    site = on(Site(nodes=("gpu-01",)), monkeypatch)
    selector = {"kubernetes.io/hostname": "gpu-01"}
    state = {"interfaces": [vlan(20, "gpu-01")]}
    body = {"metadata": {"name": "gpu-01-vlans"}, "spec": {"nodeSelector": selector, "desiredState": state}}
    site.api.put(NETWORK_POLICIES.path(None, "gpu-01-vlans"), body)
    for _ in range(5):
        site.operator.reconcile()
    await KIND.create(spec(20, nodes=("gpu-01",)), ctx)
    policy = site.api.get(NETWORK_POLICIES.path(None, "gpu-01-vlans"))
    assert policy is not None and policy["metadata"]["labels"] == {"podwright.io/pool": "training"}
    assert policy["metadata"]["generation"] == 1, "only labelled: the handler has nothing to do"


async def test_a_paused_pool_waits(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = on(Site(), monkeypatch)
    await KIND.create(spec(20, pause=True), ctx)
    assert (site.policies(), ["is paused" in line for line in WARNED]) == ({}, [True])


async def test_deleting_it_leaves_the_nodes_what_they_have(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = on(Site(), monkeypatch)
    await KIND.create(spec(20), ctx)
    await KIND.delete("training", spec(20), {}, ctx)
    assert site.policies() == {}
    assert all(site.interfaces(name) == {"bond0.20"} for name in NAMES)
    assert site.api.listed(NETWORK_STATES), "and what they show"


def test_nothing_but_vlans_may_be_asked() -> None:
    found = KIND.check(spec(20, interfaces={"gpu-01": [bond()]}), ctx=SimpleNamespace())  # type: ignore[arg-type]
    assert [each.path for each in found] == [("spec", "interfaces", "gpu-01", 0)]
