"""What a release of the baseline gives each switch, and that without one nothing changes."""

import copy
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.model.baseline import BgpPassword
from podwright.components.model.catalogue import BASELINES
from tests.model.changes import LAB
from tools.goldens import stack_file


def switches(example: str = "baseline", **said: Any) -> dict[str, fabric.SwitchPlan]:
    network = model.load(stack_file(example)).network
    baseline = network.fabric.baseline.model_copy(update=said)
    changed = network.model_copy(update={"fabric": network.fabric.model_copy(update={"baseline": baseline})})
    return {switch.hostname: switch for switch in fabric.plan(changed).switches}


def test_a_release_may_stand_alone_and_then_has_its_own_banner_and_utc() -> None:
    whole = copy.deepcopy(LAB)
    whole["fabric"]["baseline"] = "2026.11"
    cluster = model.load(whole)
    assert (
        cluster.fabric.baseline
        == model.load({**whole, "fabric": {**whole["fabric"], "baseline": {"release": "2026.11"}}}).fabric.baseline
    )
    for switch in fabric.plan(cluster.network).switches:
        assert f"banner motd ^{BASELINES['2026.11'].banner}^" in switch.config
        assert {"clock timezone UTC 0 0", "copp profile strict"} <= set(switch.config)


@pytest.mark.parametrize("wrong", ["2026.1", "newest"])
def test_a_release_that_does_not_exist_is_refused_where_it_stands_alone(wrong: str) -> None:
    whole = copy.deepcopy(LAB)
    whole["fabric"]["baseline"] = wrong
    with pytest.raises(model.SpecErrors, match="there is no baseline"):
        model.load(whole)


def test_the_sites_own_profile_comes_before_the_releases() -> None:
    lines = [line for line in switches(copp="dense")["leaf-01"].config if line.startswith("copp")]
    assert lines == ["copp profile dense"]


def test_both_peers_are_the_root_of_the_pair_s_vlans_alike() -> None:
    planned = switches()
    texts = [planned[name].text() for name in ("front-01", "front-02")]
    assert all("\nspanning-tree vlan 10,30 priority 4096\n" in text for text in texts)
    assert all("spanning-tree vlan" not in planned[name].text() for name in ("leaf-01", "spine-01"))


def test_storm_control_is_on_ports_of_hosts_and_on_bundles_never_on_their_members() -> None:
    planned = switches()
    for switch in planned.values():
        limited = {line.removeprefix("interface ") for line, below in switch.config.items() if "storm-control" in below}
        ports = {port for port, end in switch.links.items() if end.role == "host"}
        if switch.role == "leaf":
            assert limited == ports
        else:
            assert {each.startswith("port-channel") for each in limited} <= {True}
            assert len(limited) == len(ports)


def test_every_port_that_nothing_is_planned_for_is_routed_and_shut() -> None:
    for switch in switches().values():
        shut = {line for line, below in switch.config.items() if below == "no switchport\nshutdown"}
        assert {f"interface {port}" for port in switch.links}.isdisjoint(shut)
        ports = {line for line in switch.config if line.startswith("interface Ethernet")}
        assert len(ports) == {"N9K-C9316D-GX": 16, "N9K-C9332D-GX2B": 32, "N9K-C93600CD-GX": 36}[switch.model]


def test_lanes_that_nobody_uses_are_shut_and_ports_that_a_breakout_takes_away_are_not_named() -> None:
    for hostname, switch in switches("breakout", release="2026.11").items():
        lines = [line.removeprefix("interface ") for line in switch.config if line.startswith("interface Ethernet")]
        broken = [line.split()[5] for line in switch.config if line.startswith("interface breakout")]
        for number in broken:
            lanes = [line for line in lines if line.startswith(f"Ethernet1/{number}/")]
            assert len(lanes) in (2, 4), (hostname, number)
            assert f"Ethernet1/{number}" not in lines


def test_a_raw_port_is_the_sites_own() -> None:
    whole = copy.deepcopy(LAB)
    raw = {"interface Ethernet1/30": "description tap\nswitchport", "banner motd ^Mine^": ""}
    whole["fabric"] |= {"baseline": "2026.11", "extra": {"leaf-01": raw}}
    config = fabric.plan(model.load(whole).network).switch("leaf-01").config
    assert config["interface Ethernet1/30"] == "description tap\nswitchport\nno shutdown"
    assert [line for line in config if line.startswith("banner")] == ["banner motd ^Mine^"]


def test_terminals_have_an_access_list_only_where_somebody_says_who_manages() -> None:
    for switch in switches().values():
        lines = list(switch.config)
        assert lines.index("ip access-list MANAGERS") < lines.index("line vty")
        assert switch.config["line vty"].splitlines()[-1] == "access-class MANAGERS in"
    assert not [line for line in switches(management=())["leaf-01"].config if "MANAGERS" in line or "vty" in line]


def test_telemetry_is_streamed_where_collectors_are_named_and_nowhere_else() -> None:
    for switch in switches().values():
        assert list(switch.config).index("feature telemetry") < list(switch.config).index("telemetry")
        assert "snsr-grp 1 sample-interval 60000" in switch.config["telemetry"]
    assert not [line for line in switches(telemetry=None)["leaf-01"].config if "telemetry" in line]


def test_every_session_between_switches_has_the_password_at_both_ends() -> None:
    named = "password {{secret:fabric-bgp#3}}"
    defined = BgpPassword(secret="fabric-bgp", generation=3)
    for example in ("baseline", "prod", "evpn"):
        switches_of = switches(example, release="2026.11", bgp_password=defined)
        texts = [switch.text() for switch in switches_of.values()]
        assert sum(text.count("  remote-as ") for text in texts) == sum(text.count(named) for text in texts) > 0
    assert all("password" not in switch.text() for switch in switches("prod").values())
