"""Pushes that go wrong, as a person sees them: `pulumi` on a stack of the network alone, against its switches."""

import json
import sys
from collections.abc import Iterator

import pytest

from podwright.lab.nxos.device import Device
from tests.e2e.fabric_stack import FabricStack, fabric_stack
from tests.e2e.site import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.rough]

PROGRAM = """from pathlib import Path

import pulumi

from podwright.components.fabric import Fabric
from podwright.components.model.load import load, stack_file
from podwright.components.program import site

cluster = load(stack_file(Path.cwd(), pulumi.get_stack()))
fabric = Fabric(cluster.name, cluster.network, pulumi.ResourceOptions(providers=[site(cluster)]))
pulumi.export("switches", fabric.switches)
"""
EXTRA = {
    "interface loopback8": "ip address 10.9.9.8/32",
    "interface loopback9": "description ours\nip address 10.9.9.9/32",
    "route-map PUSHED permit 10": "",
}
APPROVED = {"changes": {"approve": [{"what": "two-ended", "until": "2099-01-01T00:00:00Z"}]}}


def change(network: FabricStack) -> None:
    """Define lines that leaf-01 has not."""
    network.site.edit({"fabric/extra": {"leaf-01": EXTRA}})


def settle(network: FabricStack) -> None:
    """Back to the stack file as it was, everything in order."""
    network.rack.leaf.faults.refuse = {}
    network.site.stack_file.write_text(network.text)
    if network.site.pulumi("up", "--yes", "--skip-preview", check=False).returncode:
        # The way back from a change of two ends is one too.
        network.site.edit(APPROVED)
        network.up()
        network.site.stack_file.write_text(network.text)
        network.up()
    assert network.site.preview() == []


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FabricStack]:
    text = (ROOT / "Pulumi.lab.yaml").read_text()
    with fabric_stack(tmp_path_factory.mktemp("network"), text, PROGRAM) as made:
        assert made.site.preview() == []
        yield made


@pytest.fixture
def network(standing: FabricStack) -> Iterator[FabricStack]:
    yield standing
    settle(standing)


def test_a_refused_line_is_quoted_and_the_switch_is_as_before(network: FabricStack) -> None:
    before = network.running()
    change(network)
    network.rack.leaf.faults.refuse = {"ip address 10.9.9.9/32": "ERROR: Hardware programming failed"}
    said = network.up(check=False)
    assert "the switch refused 'ip address 10.9.9.9/32': ERROR: Hardware programming failed" in said
    assert "the switch is as it was before" in said
    assert network.running() == before
    network.rack.leaf.faults.refuse = {}
    network.up()
    assert "  ip address 10.9.9.9/32" in network.running()
    assert network.site.preview() == []


def test_a_lost_session_ends_as_before_and_the_next_up_completes(network: FabricStack) -> None:
    before = network.running()
    change(network)
    network.when("interface loopback9", lambda: cut(network.rack.leaf))
    said = network.up(check=False)
    assert "the session ended at" in said
    assert "the switch is as it was before" in said
    assert network.running() == before
    network.up()
    assert network.site.preview() == []


def cut(leaf: Device) -> None:
    leaf.faults.cut_after = 1


def test_a_killed_plugin_leaves_a_switch_that_the_next_up_completes(network: FabricStack) -> None:
    change(network)
    network.killed_at("interface loopback9", engine=False)
    assert any("scheduler job name podwright-net" in line for line in network.running())
    network.site.pulumi("cancel", "--yes", check=False)
    network.up()
    assert "  ip address 10.9.9.9/32" in network.running()
    assert not any("podwright-net" in line for line in network.running())
    assert network.rack.leaf.checkpoints == {}
    assert network.site.preview() == []


def test_an_edit_in_between_is_refused_then_seen_and_theirs_survives(network: FabricStack) -> None:
    network.rack.edit("interface Ethernet1/1", "description edited", "interface Ethernet1/60", "description theirs")
    change(network)
    said = network.up(check=False)
    assert "leaf-01 was edited since podwright last read it: interface Ethernet1/1 (description edited)" in said
    assert "  description edited" in network.running()
    network.site.refresh()
    network.up()
    assert "  description edited" not in network.running()
    assert "  description theirs" in network.running()
    network.rack.edit("default interface Ethernet1/60")


def test_a_wrong_host_key_is_named_and_nothing_is_written(network: FabricStack) -> None:
    text = network.rack.reach.known_hosts.read_text()
    swapped = network.site.folder / "swapped"
    swapped.write_text(
        text.replace("192.0.2.11 ", "x ").replace("192.0.2.12 ", "192.0.2.11 ").replace("x ", "192.0.2.12 ")
    )
    network.rack.write_reach(network.site.lab / "reach.json", swapped)
    change(network)
    writes = network.rack.side.writes
    said = network.up(check=False)
    assert "leaf-01: the host key that 192.0.2.11 shows is not the one in" in said
    assert network.rack.side.writes == writes
    network.rack.write_reach(network.site.lab / "reach.json")


ROLLOUT = {"canary": "leaf-01", "batch": 1, "soak_seconds": 0}


def test_a_wave_that_is_worse_stops_the_roll_out_and_the_switches_behind_are_not_written(network: FabricStack) -> None:
    """A leaf's new AS number that its spine does not know yet: the canary loses its sessions."""
    network.site.edit({"fabric/rollout": ROLLOUT})
    network.up()
    assert network.site.preview() == []
    leaf, others = network.running(), (network.running("leaf-02"), network.running("spine-01"))
    network.site.edit({"fabric/leaves/leaf-01/asn": 64611})
    refused = network.up(check=False)
    assert "leaf-01: router bgp 64601" in refused
    assert "two-ended: every neighbour names this AS" in refused
    assert (network.running(), network.running("leaf-02"), network.running("spine-01")) == (leaf, *others)
    # A site may let such changes go wave by wave.
    network.site.edit({"changes": {"limit": "two-ended"}})
    said = network.up(check=False)
    assert "leaf-01 is worse than before the change: " in said
    assert "the BGP session with" in said
    assert "the waves behind were not begun" in said
    assert "router bgp 64611" in network.running()
    assert (network.running("leaf-02"), network.running("spine-01")) == others
    half = network.site.pulumi("preview")
    assert "a change of leaf-01 did not pass its soak and the waves behind were not begun" in (
        " ".join(f"{half.stdout} {half.stderr}".split())
    )
    # Undone by the old values and one update, wave by wave as it came.
    network.site.edit({"fabric/leaves/leaf-01/asn": 64601})
    network.up()
    assert network.running() == leaf


def test_approved_both_ends_of_a_link_change_in_one_wave_and_its_soak_finds_every_session_again(
    network: FabricStack,
) -> None:
    network.site.edit({"fabric/rollout": ROLLOUT})
    network.up()
    network.site.edit({"fabric/leaves/leaf-01/asn": 64611, **APPROVED})
    network.up()
    assert "router bgp 64611" in network.running()
    assert any("remote-as 64611" in line for line in network.running("spine-01"))
    network.site.edit({"fabric/addressing/links": "10.77.0.0/16"})
    network.up()
    assert any("10.77." in line for line in network.running("spine-01"))
    assert network.site.preview() == []


def test_a_link_that_is_not_as_planned_stops_the_update_by_name_and_shows_on_refresh(network: FabricStack) -> None:
    world = network.rack.leaf.world
    world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "down"})
    network.site.edit({"fabric/settle_seconds": 0})
    said = network.up(check=False)
    assert "leaf-01 Ethernet1/33 (to spine-01 Ethernet1/1): is down, planned up; look at its cable" in said
    assert "spine-01 Ethernet1/1 (to leaf-01 Ethernet1/33): is down, planned up; look at its cable" in said
    assert "leaf-02 Ethernet" not in said
    world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "up"})
    network.up()
    assert network.site.preview() == []
    network.rack.edit("interface Ethernet1/33", "priority-flow-control mode off")
    network.site.refresh()
    shown = {change.urn.rpartition("::lab-")[2]: change.paths for change in network.site.preview()}
    assert shown == {
        "leaf-01": ('spec.config["interface Ethernet1/33"]',),
        "leaf-01-links": ('spec.interfaces.links["Ethernet1/33"].pfc',),
    }
    network.up()
    assert "  priority-flow-control mode on" in network.running()
    assert network.site.preview() == []


def test_a_network_qos_change_says_in_the_preview_which_ports_and_gpus_it_touches(network: FabricStack) -> None:
    network.site.edit({"fabric/lossless/mtu": 9100, **APPROVED})
    done = network.site.pulumi("preview")
    said = " ".join(f"{done.stdout} {done.stderr}".split())
    assert "leaf-01: the network-qos policy changes" in said
    assert "GPU 0-3 of 5 servers, gpu-01 to gpu-05; the links to spine-01" in said
    command = [sys.executable, "-m", "podwright.cli", "preview", "lab"]
    first = network.site.run(command).stdout.splitlines()[0]
    assert "3 switches lose lossless traffic for a moment on " in first
    assert " GPUs, job pretrain" in first
    assert "(two-ended)" in first
    document = json.loads(network.site.run([*command, "--json"]).stdout)
    assert document["complete"]
    assert "; ".join(document["sum"]) == first
    assert {each["device"] for each in document["impacts"]} >= {"leaf-01", "leaf-02", "spine-01"}


def test_host_ports_break_out_and_the_preview_says_whose_links_that_takes_down(network: FabricStack) -> None:
    """Settling afterwards is the way back: lanes go, whole ports come, and nothing is left to do."""
    network.site.edit({"fabric/host_gbps": 200})
    done = network.site.pulumi("preview")
    said = " ".join(f"{done.stdout} {done.stderr}".split())
    assert "leaf-01: Ethernet1/1-10 are broken out into 200g-2x; what is configured there is removed" in said
    network.up()
    running = network.running()
    assert "interface breakout module 1 port 1-10 map 200g-2x" in running
    assert running.index("interface Ethernet1/10/2") + 1 == running.index("  description gpu-05 rail3")
    assert network.site.preview() == []
