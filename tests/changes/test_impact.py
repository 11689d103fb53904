"""What lies between two specs: class, ports, GPUs and nodes."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.changes.impact import Impact, impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.changes.total import sentences
from tests.providers.nxos.rack import CONFIG, inputs

SWITCH = "podwright:nxos:Switch"
LINKS = {
    "Ethernet1/1": {"device": "gpu-01", "port": "rail0", "role": "host"},
    "Ethernet1/2": {"device": "gpu-02", "port": "rail0", "role": "host"},
    "Ethernet1/33": {"device": "spine-01", "port": "Ethernet1/1", "role": "fabric"},
}
BGP = "router bgp 64601"
PORT = "interface Ethernet1/1"
HOST = "interface Ethernet1/2"


def between(changes: dict[str, str | None], before: dict[str, str] | None = None) -> tuple[Impact, ...]:
    old = CONFIG | (before or {})
    new = {name: text for name, text in (old | changes).items() if text is not None}
    return impacts(SWITCH, inputs(old, links=LINKS)["spec"], inputs(new, links=LINKS)["spec"])


def worst(found: tuple[Impact, ...]) -> ChangeClass:
    return max(each.change_class for each in found)


@pytest.mark.parametrize(
    ("changes", "ports"),
    [
        ({BGP: None, "router bgp 64602": CONFIG[BGP]}, set(LINKS)),
        ({BGP: CONFIG[BGP].replace("remote-as 65001", "remote-as 65002")}, set(LINKS)),
        ({PORT: CONFIG[PORT].replace("10.2.0.0/31", "10.3.0.0/31")}, {"Ethernet1/1"}),
        ({PORT: CONFIG[PORT].replace("mtu 9216", "mtu 4200")}, {"Ethernet1/1"}),
        ({"class-map type qos match-any ROCEv2": "match dscp 24"}, set(LINKS)),
        (
            {
                "policy-map type network-qos qos_network": CONFIG["policy-map type network-qos qos_network"].replace(
                    "pause pfc-cos 3", "pause pfc-cos 4"
                )
            },
            set(LINKS),
        ),
    ],
)
def test_what_two_ends_share_is_two_ended(changes: dict[str, str | None], ports: set[str]) -> None:
    found = [each for each in between(changes) if each.change_class is ChangeClass.TWO_ENDED]
    assert found
    assert {port for each in found for port in each.links} == ports


def test_what_a_switch_is_checked_by_may_be_a_map_of_numbers() -> None:
    spec = inputs(CONFIG, links=LINKS)["spec"]
    old, new = ({**spec, "lossless": {"priority": each, "dscp": [26]}} for each in (3, 4))
    (found,) = impacts(SWITCH, old, new)
    assert found.change_class is ChangeClass.PROGRAM_ONLY


def test_a_new_port_and_a_second_dscp_touch_nothing_that_runs() -> None:
    added: dict[str, str | None] = {
        HOST: CONFIG[PORT],
        "class-map type qos match-any ROCEv2": "match dscp 24\nmatch dscp 26",
    }
    assert worst(between(added)) is ChangeClass.LIVE


def test_a_port_that_is_given_up_is_no_change_of_two_ends() -> None:
    found = between({HOST: None}, {HOST: CONFIG[PORT]})
    assert worst(found) is ChangeClass.DISRUPTIVE
    assert {port for each in found for port in each.links} == {"Ethernet1/2"}


def test_a_vlan_is_felt_by_the_ports_that_are_in_it() -> None:
    before = {
        "vlan 10": "",
        "vlan 20": "",
        PORT: "switchport\nswitchport access vlan 10",
        HOST: "channel-group 5 mode active",
        "interface port-channel5": "switchport\nswitchport mode trunk\nswitchport trunk allowed vlan 9-11",
    }
    (found,) = between({"vlan 10": None}, before)
    assert found.change_class is ChangeClass.DISRUPTIVE
    assert set(found.links) == {"Ethernet1/1", "Ethernet1/2"}
    assert found.gpus == {("gpu-01", 0), ("gpu-02", 0)}
    (other,) = between({"vlan 20": None}, before)
    assert other.links == {}


def test_one_more_vlan_on_a_trunk_takes_nothing_from_the_others() -> None:
    trunk = "interface port-channel5"
    (found,) = between({trunk: "switchport trunk allowed vlan 9-12"}, {trunk: "switchport trunk allowed vlan 9-11"})
    assert found.change_class is ChangeClass.LIVE


def test_what_drains_is_classed_at_its_roll_out() -> None:
    old = {"schema": 1, "pool": "training", "nodes": ["n1", {"name": "n2"}], "trigger": "a"}
    (found,) = impacts("podwright:openshift:Rollout", old, {**old, "trigger": "b"})
    assert (found.change_class, found.nodes) == (ChangeClass.DISRUPTIVE, ("n1", "n2"))
    profile = {"name": "gpu-01", "action": "stage", "digest": "a"}
    (staged,) = impacts("podwright:intersight:ServerProfile", profile, {**profile, "digest": "b"})
    assert staged.change_class is ChangeClass.LIVE
    at_once = {**profile, "action": "deploy"}
    (deployed,) = impacts("podwright:intersight:ServerProfile", at_once, {**at_once, "digest": "b"})
    assert (deployed.change_class, deployed.nodes) == (ChangeClass.DISRUPTIVE, ("gpu-01",))


def test_another_mig_layout_drains_the_nodes_that_take_it() -> None:
    def spec(**layouts: str) -> dict[str, Any]:
        nodes = [{"name": name, "digest": "1", "mig": {"layout": layout}} for name, layout in layouts.items()]
        return {"schema": 1, "pool": "inference", "nodes": [*nodes, "plain"], "trigger": "a"}

    rollout = "podwright:openshift:Rollout"
    worst, nodes = impacts(rollout, spec(n1="all-1g.18gb", n2="x"), spec(n1="4x2x3g.71gb_4xwhole", n2="x", n3="x"))
    assert (worst.change_class, worst.nodes, worst.row.verb) == (ChangeClass.DISRUPTIVE, ("n1",), "drain")
    assert nodes.change_class is ChangeClass.LIVE, "n3 joins"
    assert ChangeClass.DISRUPTIVE not in {each.change_class for each in impacts(rollout, spec(n1="x"), spec())}


def test_a_host_that_joins_touches_nobody_and_one_that_leaves_is_drained() -> None:
    spec: dict[str, Any] = {"cluster": "lab", "hosts": [{"name": "n1"}, {"name": "n2", "bmc": "192.0.2.1"}]}
    install = "podwright:openshift:Install"
    (joins,) = impacts(install, spec, {**spec, "hosts": [*spec["hosts"], {"name": "n3"}]})
    assert (joins.change_class, joins.nodes) == (ChangeClass.LIVE, ("n3",))
    (leaves,) = impacts(install, spec, {**spec, "hosts": spec["hosts"][:1]})
    assert (leaves.change_class, leaves.nodes) == (ChangeClass.DISRUPTIVE, ("n2",))
    (moved,) = impacts(install, spec, {**spec, "hosts": [{"name": "n1"}, {"name": "n2", "bmc": "192.0.2.2"}]})
    assert moved.change_class is ChangeClass.PROGRAM_ONLY


def test_what_is_made_touches_nothing_and_what_goes_takes_its_ports_along() -> None:
    spec = inputs(links=LINKS)["spec"]
    assert impacts(SWITCH, None, spec) == ()
    (gone,) = impacts(SWITCH, spec, None)
    assert (gone.device, gone.change_class, set(gone.links)) == ("leaf-01", ChangeClass.DISRUPTIVE, set(LINKS))
    assert impacts("kubernetes:core/v1:Namespace", {}, None) == ()


def test_a_cluster_that_is_installed_anew_takes_what_a_running_one_does_not() -> None:
    spec: dict[str, Any] = {"cluster": "lab", "gateway": "192.0.2.1", "domain": "a"}
    install = "podwright:openshift:Install"
    (refused,) = impacts(install, spec, {**spec, "gateway": "192.0.2.2"})
    assert refused.change_class is ChangeClass.REFUSED
    (replaced,) = impacts(install, spec, {**spec, "gateway": "192.0.2.2", "domain": "b"})
    assert replaced.change_class is ChangeClass.REPLACED


def test_a_list_of_vlans_that_is_none_is_the_switch_s_to_refuse() -> None:
    trunk = "interface port-channel5"
    for odd in ("10,,20", "10-", "9-99999999"):
        found = between({trunk: f"switchport trunk allowed vlan {odd}"}, {trunk: "switchport trunk allowed vlan 10"})
        assert all(each.change_class <= ChangeClass.DISRUPTIVE for each in found)


def test_a_line_of_two_ends_is_felt_only_where_what_it_stands_below_stood_before() -> None:
    def worst(old: str, new: str) -> ChangeClass:
        specs = [
            {"hostname": "leaf-01", "config": {"router bgp 64601": text}, "links": {}}
            for text in (f"neighbor 10.0.0.1\n  remote-as 65001\n{old}", f"neighbor 10.0.0.1\n  remote-as 65001\n{new}")
        ]
        return max(each.change_class for each in impacts("podwright:nxos:Switch", *specs))

    assert worst("", "  ttl-security hops 1") is ChangeClass.TWO_ENDED
    assert worst("  ttl-security hops 1", "") is ChangeClass.TWO_ENDED
    fresh = "neighbor 10.0.0.3\n  remote-as 65002\n  ttl-security hops 1"
    assert worst("", fresh) is ChangeClass.LIVE
    assert worst(fresh, "") is ChangeClass.DISRUPTIVE


def test_a_port_mode_restarts_the_interconnects_and_a_port_role_does_not() -> None:
    role = {"object_type": "fabric.ServerRole", "name": "server-9", "properties": {"SlotId": 1, "PortId": 9}}
    place = {"SlotId": 1, "PortIdStart": 33, "PortIdEnd": 33, "CustomMode": "BreakoutFibreChannel32G"}
    mode = {"object_type": "fabric.PortMode", "name": "mode-33", "properties": place}
    old = {"object_type": "fabric.PortPolicy", "name": "ports-x", "properties": {}, "children": []}
    (felt,) = impacts("podwright:intersight:Policy", old, {**old, "children": [mode]})
    assert (felt.change_class, felt.row.scope) == (ChangeClass.DISRUPTIVE, "interconnects")
    assert sentences([felt], {}, {}) == ("1 interconnect pair restarts one after the other",)
    (unfelt,) = impacts("podwright:intersight:Policy", old, {**old, "children": [role]})
    assert unfelt.change_class is ChangeClass.LIVE
