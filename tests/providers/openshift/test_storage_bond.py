"""A bond on the storage pair reaches nodes that run: of NICs known by their addresses, and never of those of br-ex."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from podwright.components.providers.openshift.node_network import behind
from podwright.components.providers.openshift.pools.host_network import HostNetworkKind
from podwright.components.providers.protocol.kind import CheckContext, Context, Incomplete
from podwright.components.providers.status.host_networks import off_plan
from podwright.components.providers.status.snapshot import Snapshot
from podwright.lab.openshift.kinds import NETWORK_POLICIES, NETWORK_STATES
from podwright.lab.openshift.nmstate.host import applied, installed
from podwright.lab.world.inventory import Bond
from podwright.lab.world.model import Nic, Server
from tests.providers.openshift.networked import Site, bridge, on, quick, spec, vlan

KIND = HostNetworkKind()
ONE = ("gpu-01",)
SHOWS = ("bare", "all")
MACS = {"stor0": "02:00:00:00:04:01", "stor1": "02:00:00:00:04:02"}
OFF = {"ipv4": {"enabled": False}, "ipv6": {"enabled": False}}
POLICY = NETWORK_POLICIES.path(None, "gpu-01-vlans")
Rows = list[dict[str, Any]]


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch) -> Context:
    return quick(monkeypatch)


def rows(mtu: int = 9000, address: str = "10.20.0.141", *numbers: int) -> Rows:
    nics: Rows = [{"name": nic, "type": "ethernet", "state": "up", "mtu": mtu, **OFF} for nic in MACS]
    bundle = {"mode": "802.3ad", "options": {"miimon": "100"}, "port": [*MACS]}
    own = {"enabled": True, "dhcp": False, "address": [{"ip": address, "prefix-length": 24}]}
    bond = {"name": "bond1", "type": "bond", "state": "up", "mtu": mtu, "link-aggregation": bundle, **OFF, "ipv4": own}
    return [*nics, bond, *(vlan(number, "gpu-01", "bond1", mtu=mtu) for number in numbers)]


def asked(wanted: Rows | None = None, **change: Any) -> dict[str, Any]:
    return spec(nodes=ONE, interfaces={"gpu-01": rows() if wanted is None else wanted}, macs={"gpu-01": MACS}, **change)


def site_of(monkeypatch: pytest.MonkeyPatch, shows: str = "bare", form: str = "kept") -> Site:
    """A node whose machine network is on bond0 under br-ex, and two NICs from the factory beside it."""
    site = on(Site(form, ONE, shows), monkeypatch)
    nics = {
        name: {
            "name": name, "type": "ethernet", "state": "up", "mtu": 1500, "mac-address": mac,
            "permanent-mac-address": mac, "ipv4": {"enabled": False, "dhcp": False, "address": []},
            "ipv6": {"enabled": False},
        }
        for name, mac in (
            ("enp1s0", "02:00:00:00:00:01"), ("enp2s0", "02:00:00:00:00:41"),
            ("enp65s0f0", MACS["stor0"]), ("enp65s0f1", MACS["stor1"]),
        )
    }  # fmt: skip
    for name in ("enp1s0", "enp2s0"):
        nics[name] |= {"controller": "bond0", "mac-address": "02:00:00:00:00:01"}
    network = site.memory["gpu-01"].network or {}
    network["bond0"]["mac-address"] = "02:00:00:00:00:01"
    site.memory["gpu-01"].network = {**network, **nics}
    return site


def network(site: Site) -> dict[str, dict[str, Any]]:
    return site.memory["gpu-01"].network or {}


async def drift(wanted: dict[str, Any], ctx: Context) -> Any:
    seen = await KIND.read("training", wanted, {}, ctx)
    assert seen is not None
    return KIND.diff(seen.inputs, wanted, {}).changes


@pytest.mark.parametrize("shows", SHOWS)
@pytest.mark.parametrize("form", ["kept", "cleared"])
async def test_a_bond_is_made_of_the_nics_with_the_files_addresses(
    shows: str, form: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch, shows, form)
    before = copy.deepcopy({name: network(site)[name] for name in ("br-ex", "bond0", "enp1s0", "enp2s0")})
    wanted = asked(rows(9000, "10.20.0.141", 21))
    await KIND.create(wanted, ctx)
    made = network(site)
    assert made["bond1"]["link-aggregation"]["port"] == ["enp65s0f0", "enp65s0f1"]
    assert made["bond1"]["ipv4"]["address"] == [{"ip": "10.20.0.141", "prefix-length": 24}]
    assert (made["bond1.21"]["vlan"]["base-iface"], made["enp65s0f1"]["mtu"]) == ("bond1", 9000)
    assert {name: made[name] for name in before} == before, "nothing under br-ex has changed"
    assert Bond("802.3ad", frozenset(MACS.values())) in site.bonds["gpu-01"], "what the leaves meet"
    assert await drift(wanted, ctx) == {}
    site.api.writes.clear()
    await KIND.update("training", wanted, wanted, {}, ctx)
    assert not [path for _, path in site.api.writes if "policies" in path], "as it is, it is left alone"


@pytest.mark.parametrize("shows", SHOWS)
async def test_a_host_that_was_installed_with_it_gets_its_policy_and_nothing_changes(
    shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ports of a bond all show its address: where no permanent one is shown, they are known by their bond."""
    site = site_of(monkeypatch, shows)
    await KIND.create(asked(), ctx)
    site.api.delete(POLICY)
    before = copy.deepcopy(network(site))
    await KIND.create(asked(), ctx)
    assert network(site) == before
    assert await drift(asked(), ctx) == {}


async def test_a_policy_comes_out_as_it_was_written_where_ports_no_longer_show_their_own_addresses(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch)
    wanted = asked()
    wanted["spec"]["macs"] = {"gpu-01": dict(zip(MACS, reversed(MACS.values()), strict=True))}
    await KIND.create(wanted, ctx)
    site.api.writes.clear()
    await KIND.update("training", wanted, wanted, {}, ctx)
    assert not [path for _, path in site.api.writes if "policies" in path]


@pytest.mark.parametrize("shows", SHOWS)
async def test_an_address_that_no_nic_has_is_named_and_nothing_is_written(
    shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch, shows)
    wrong = asked()
    wrong["spec"]["macs"] = {"gpu-01": {**MACS, "stor1": "02:00:00:00:04:99"}}
    with pytest.raises(Incomplete, match="gpu-01 has no interface with MAC address 02:00:00:00:04:99") as stuck:
        await KIND.create(wrong, ctx)
    assert str(stuck.value).count("02:00:00:00:04:99") == 1, "once, however many interfaces it is missing for"
    assert (site.policies(), "bond1" in network(site)) == ({}, False)


@pytest.mark.parametrize("shows", SHOWS)
async def test_a_nic_of_the_machine_network_is_not_taken(
    shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch, shows)
    wrong = asked()
    wrong["spec"]["macs"] = {"gpu-01": {**MACS, "stor0": "02:00:00:00:00:01"}}
    with pytest.raises(Incomplete, match=r"enp1s0, which has MAC address 02:00:00:00:00:01, is under br-ex"):
        await KIND.create(wrong, ctx)
    assert site.policies() == {}


@pytest.mark.parametrize("shows", SHOWS)
async def test_a_nic_in_a_bond_that_somebody_else_made_is_named_with_it(
    shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch, shows)
    theirs = {
        "name": "nfs",
        "type": "bond",
        "link-aggregation": {"mode": "802.3ad", "port": ["enp65s0f0", "enp65s0f1"]},
    }
    site.memory["gpu-01"].network = applied(network(site), {"interfaces": [theirs]})
    with pytest.raises(Incomplete, match=r"enp65s0f0 is a port of nfs, which the file does not know: delete nfs there"):
        await KIND.create(asked(), ctx)
    assert site.policies() == {}


async def test_a_machine_network_on_a_bond_of_that_name_is_left_alone(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch)
    found = network(site)
    found["bond1"] = {**found.pop("bond0"), "name": "bond1"}
    found["br-ex"] = bridge() | {"bridge": {"port": [{"name": "bond1"}, {"name": "br-ex"}]}}
    with pytest.raises(Incomplete, match="bond1 is what br-ex runs on there"):
        await KIND.create(asked(), ctx)
    assert site.policies() == {}


@pytest.mark.parametrize("shows", SHOWS)
async def test_another_mtu_and_address_reach_it_and_a_port_that_somebody_took_out_comes_back(
    shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch, shows)
    await KIND.create(asked(), ctx)
    other = asked(rows(4200, "10.77.0.141"))
    await KIND.update("training", other, asked(), {}, ctx)
    made = network(site)
    assert {made[name]["mtu"] for name in ("enp65s0f0", "enp65s0f1", "bond1")} == {4200}
    assert made["bond1"]["ipv4"]["address"] == [{"ip": "10.77.0.141", "prefix-length": 24}]
    narrow = {"name": "bond1", "type": "bond", "link-aggregation": {"mode": "802.3ad", "port": ["enp65s0f0"]}}
    site.memory["gpu-01"].network = applied(made, {"interfaces": [narrow]})
    changes = await drift(other, ctx)
    assert {path[:5] for path in changes} == {("spec", "interfaces", "gpu-01", 2, "link-aggregation")}
    await KIND.update("training", other, other, {}, ctx)
    assert network(site)["bond1"]["link-aggregation"]["port"] == ["enp65s0f0", "enp65s0f1"]
    assert await drift(other, ctx) == {}


@pytest.mark.parametrize("shows", SHOWS)
async def test_a_bond_that_leaves_the_file_leaves_the_node_with_its_vlans_and_its_nics_stay(
    shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(monkeypatch, shows)
    before = asked(rows(9000, "10.20.0.141", 21))
    await KIND.create(before, ctx)
    nothing = spec(nodes=ONE, interfaces={"gpu-01": []}, macs={"gpu-01": {}})
    await KIND.update("training", nothing, before, {}, ctx)
    assert {"enp65s0f0", "enp65s0f1", "bond0", "br-ex"} <= set(network(site))
    assert not {"bond1", "bond1.21"} & set(network(site))
    assert site.policies() == {}
    assert all(bond.macs != frozenset(MACS.values()) for bond in site.bonds["gpu-01"])


async def test_a_node_that_loses_its_gateway_is_rolled_back(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(monkeypatch)
    site.hosts["gpu-01"].loses_gateway = True
    with pytest.raises(Incomplete, match="gpu-01: rolled back by NMState"):
        await KIND.create(asked(), ctx)
    assert "bond1" not in network(site)


@pytest.mark.parametrize("shows", SHOWS)
async def test_status_names_what_a_bond_lacks(shows: str, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(monkeypatch, shows)
    await KIND.create(asked(), ctx)

    def phrases() -> list[str]:
        site.operator._reported_at.clear()
        site.operator.reconcile()
        state = site.api.get(NETWORK_STATES.path(None, "gpu-01"))
        return list(off_plan(Snapshot({"NodeNetworkState": (state,)}), "gpu-01", rows(), MACS, rows()))  # type: ignore[dict-item]

    assert phrases() == []
    plain = {"name": "bond1", "type": "bond", "link-aggregation": {"mode": "active-backup", "port": ["enp65s0f0"]}}
    site.memory["gpu-01"].network = applied(network(site), {"interfaces": [plain]})
    assert phrases() == ["gpu-01: bond1 has mode active-backup, ports enp65s0f0"]


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (lambda wanted: wanted.pop(2), 0, "stor0 is no port of a bond here"),
        (lambda wanted: wanted[2]["link-aggregation"]["port"].append("eth9"), 2, "without an address in macs"),
        (lambda wanted: wanted[2].update(type="ovs-bridge", name="br-ex"), 2, "br-ex is no matter of a policy"),
    ],
)
def test_nothing_but_vlans_and_bonds_with_their_nics_may_be_asked(change: Any, place: int, words: str) -> None:
    wanted = rows()
    change(wanted)
    found = KIND.check(asked(wanted), CheckContext())
    assert any(each.path == ("spec", "interfaces", "gpu-01", place) and words in each.message for each in found), found


def test_a_policy_that_somebody_applied_with_a_bond_of_that_name_stays_theirs(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    from podwright.components.providers.openshift.pools.network_policies import POOL, foreign

    bonded = {"nodeSelector": {"kubernetes.io/hostname": "gpu-01"}, "desiredState": {"interfaces": rows()}}
    theirs: dict[str, Any] = {"metadata": {"name": "gpu-01-vlans"}, "spec": bonded}
    ours = {**theirs, "metadata": {"name": "gpu-01-vlans", "labels": {POOL: "training"}}}
    assert (foreign("gpu-01", theirs), foreign("gpu-01", ours)) == (True, False)


def test_a_nic_that_the_image_does_not_find_is_in_no_bond() -> None:
    """What the installer's agent has no NIC for is a profile that nothing matches: the other port is alone."""
    nics = {name: Nic(name, 100, mac) for name, mac in (("boot", "02:00:00:00:02:01"), ("stor", MACS["stor0"]))}
    server = Server("gpu-01", "UCSC-885A-M8", "WZP1", "u", "192.0.2.101", "02:00:00:00:02:01", nics=nics)
    named = [{"name": nic, "macAddress": mac} for nic, mac in {"boot0": server.boot_mac, **MACS}.items()]
    own = {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.141", "prefix-length": 24}]}
    boot = {"name": "boot0", "type": "ethernet", "state": "up", "ipv4": own}
    found = installed({"interfaces": named, "networkConfig": {"interfaces": [boot, *rows()]}}, server, "by-path")
    assert found["bond1"]["link-aggregation"]["port"] == ["enx020000000401"]
    assert list(behind([rows()[2]], found)) == ["bond1 has ports enx020000000401"]
