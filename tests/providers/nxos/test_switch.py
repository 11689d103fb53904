from __future__ import annotations

from pathlib import Path

import pytest

from podwright.components.providers.protocol.kind import ProviderError, Read, Secret
from podwright.components.providers.protocol.values import plain
from podwright.components.providers.reach import Reach
from podwright.lab.nxos.tree import Node
from tests.providers.nxos.rack import CONFIG, Rack, inputs


async def test_a_switch_is_configured_saved_and_left_without_a_checkpoint(lab: Rack) -> None:
    made = await lab.up()
    assert made.id == "leaf-01"
    assert made.outputs["serial"] == "FDO00000001"
    assert made.outputs["version"] == "10.4(5)"
    running = lab.running()
    assert "  random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes" in running
    assert "cli alias name podwrightowner podwright podwright/lab" in running
    assert lab.startup() == running
    assert lab.leaf.checkpoints == {}


async def test_reading_back_gives_the_spec_letter_by_letter_and_writes_nothing(lab: Rack) -> None:
    made = await lab.up()
    writes = lab.side.writes
    live = await lab.kind.read("leaf-01", inputs(), made.outputs, lab.context())
    assert isinstance(live, Read)
    assert live.inputs == inputs()
    assert live.outputs == made.outputs
    await lab.kind.update("leaf-01", inputs(), inputs(), made.outputs, lab.context())
    assert lab.side.writes == writes


async def test_an_edit_out_of_band_is_found_by_refresh_and_repaired_by_update(lab: Rack) -> None:
    made = await lab.up()
    before = lab.running()
    lab.edit("interface Ethernet1/1", "mtu 9000", "no priority-flow-control mode on", "no router bgp 64601")
    live = await lab.kind.read("leaf-01", inputs(), made.outputs, lab.context())
    assert live is not None
    changes = lab.kind.diff(live.inputs, inputs(), live.outputs).changes
    assert changes == {
        ("spec", "config", "interface Ethernet1/1"): "update",
        ("spec", "config", "router bgp 64601"): "add",
    }
    await lab.kind.update("leaf-01", inputs(), live.inputs, live.outputs, lab.context())
    assert lab.running() == before


async def test_edits_to_what_is_not_ours_are_neither_reported_nor_touched(lab: Rack) -> None:
    made = await lab.up()
    lab.edit("interface Ethernet1/9", "description by hand", "vlan 99", "name theirs", "ntp server 192.0.2.99")
    running = lab.running()
    live = await lab.kind.read("leaf-01", inputs(), made.outputs, lab.context())
    assert live is not None
    assert not lab.kind.diff(live.inputs, inputs(), live.outputs).changes
    changed = inputs({**CONFIG, "interface loopback0": "ip address 10.0.0.2/32"})
    await lab.kind.update("leaf-01", changed, inputs(), made.outputs, lab.context())
    assert lab.running() == running.replace("10.0.0.1/32", "10.0.0.2/32")


async def test_an_edit_nobody_has_seen_is_not_overwritten(lab: Rack) -> None:
    made = await lab.up()
    lab.edit("interface Ethernet1/1", "mtu 9000")
    changed = inputs({**CONFIG, "interface loopback0": "ip address 10.0.0.2/32"})
    with pytest.raises(ProviderError, match=r"leaf-01 was edited .*Ethernet1/1 \(mtu 9000\).*pulumi refresh"):
        await lab.kind.update("leaf-01", changed, inputs(), made.outputs, lab.context())
    assert "mtu 9000" in lab.running()


async def test_delete_leaves_the_switch_as_it_was_found(lab: Rack) -> None:
    lab.edit("feature bgp", "interface Ethernet1/9", "description by hand", "route-map theirs permit 10")
    before = lab.running()
    made = await lab.up()
    assert made.outputs["found"] == {"feature bgp": ""}
    await lab.kind.delete("leaf-01", inputs(), made.outputs, lab.context())
    assert lab.running() == before
    assert lab.startup() == before
    await lab.kind.delete("leaf-01", inputs(), made.outputs, lab.context())
    assert lab.running() == before


async def test_a_block_dropped_from_the_spec_is_taken_away(lab: Rack) -> None:
    made = await lab.up()
    fewer = {name: text for name, text in CONFIG.items() if name not in ("router bgp 64601", "interface Ethernet1/1")}
    await lab.kind.update("leaf-01", inputs(fewer), inputs(), made.outputs, lab.context())
    running = lab.running()
    assert "router bgp" not in running
    assert "gpu-01 rail0" not in running


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["interface Ethernet1/1", "description theirs"], "interface Ethernet1/1"),
        (["feature bgp", "router bgp 64601", "router-id 9.9.9.9"], "router bgp 64601"),
        (["feature bgp", "router bgp 7"], "router bgp 7"),
        (["class-map type qos match-all ROCEv2"], "class-map type qos match-all ROCEv2"),
        (["policy-map type qos QOS_CLASSIFICATION", "description theirs"], "policy-map type qos QOS_CLASSIFICATION"),
    ],
)
async def test_a_foreign_block_is_refused_with_both_ways_out(lab: Rack, lines: list[str], named: str) -> None:
    lab.edit(*lines)
    before = lab.running()
    with pytest.raises(ProviderError) as caught:
        await lab.up()
    text = str(caught.value)
    assert named in text
    assert "adopt: true" in text
    assert "remove it from the switch" in text
    assert lab.running() == before


async def test_an_adopted_block_is_ours_until_destroy_which_gives_it_back(lab: Rack) -> None:
    lab.edit("feature bgp", "router bgp 7", "router-id 9.9.9.9", "interface Ethernet1/1", "description theirs")
    before = lab.running()
    made = await lab.up(inputs(adopt=True))
    assert "gpu-01 rail0" in lab.running()
    assert set(made.outputs["found"]) == {"feature bgp", "router bgp 7", "interface Ethernet1/1"}
    await lab.kind.delete("leaf-01", inputs(adopt=True), made.outputs, lab.context())
    assert lab.running() == before


async def test_an_adopted_block_dropped_from_the_spec_is_given_back_at_once(lab: Rack) -> None:
    lab.edit("interface Ethernet1/1", "description theirs")
    made = await lab.up(inputs(adopt=True))
    fewer = inputs({n: t for n, t in CONFIG.items() if n != "interface Ethernet1/1"}, adopt=True)
    outputs = await lab.kind.update("leaf-01", fewer, inputs(adopt=True), made.outputs, lab.context())
    assert "description theirs" in lab.running()
    assert outputs["found"] == {}


async def test_a_switch_of_another_stack_is_not_taken_over(lab: Rack) -> None:
    await lab.up()
    with pytest.raises(ProviderError, match="belongs to the stack podwright/lab"):
        await lab.kind.create(inputs(), lab.context(identity="podwright/other"))


async def test_a_wiped_switch_reads_as_gone(lab: Rack) -> None:
    made = await lab.up()
    lab.edit("no cli alias name podwrightowner")
    lab.type("configure terminal", *(line for name in reversed(CONFIG) for line in _wipe(name)), "end")
    assert await lab.kind.read("leaf-01", inputs(), made.outputs, lab.context()) is None


def _wipe(name: str) -> list[str]:
    if name.startswith("interface Ethernet"):
        return [f"default {name}"]
    if name == "system qos":
        return [
            name,
            "no service-policy type queuing output QOS_EGRESS_PORT",
            "no service-policy type network-qos qos_network",
            "exit",
        ]
    return [f"no {name}"]


async def test_the_wrong_model_is_not_written_to(lab: Rack) -> None:
    with pytest.raises(ProviderError, match=r"leaf-01 is a N9K-C9364D-GX2A .* spec says N9K-C9332D-GX2B"):
        await lab.up(inputs(model="N9K-C9332D-GX2B"))
    assert lab.side.writes == 0


async def test_another_release_is_said_and_written_all_the_same(lab: Rack) -> None:
    await lab.up(inputs(release="10.5(1)"))
    assert lab.said == ["leaf-01 runs NX-OS 10.4(5), the spec was made for 10.5(1)"]


async def test_a_wrong_host_key_stops_before_the_password_is_sent(lab: Rack, tmp_path: Path) -> None:
    swapped = (
        lab.reach.known_hosts.read_text().replace("192.0.2.11 ", "192.0.2.99 ").replace("192.0.2.12 ", "192.0.2.11 ")
    )
    (tmp_path / "swapped").write_text(swapped)
    reach = Reach(forward=lab.reach.forward, known_hosts=tmp_path / "swapped", secrets=lab.reach.secrets)
    with pytest.raises(ProviderError, match=r"leaf-01: the host key that 192.0.2.11 shows is not the one in .*swapped"):
        await lab.kind.create(inputs(), lab.context(reach=reach))
    absent = Reach(forward=lab.reach.forward, known_hosts=tmp_path / "absent", secrets=lab.reach.secrets)
    with pytest.raises(ProviderError, match=r"leaf-01: there is no known_hosts file"):
        await lab.kind.create(inputs(), lab.context(reach=absent))


async def test_a_wrong_password_names_the_switch_and_not_the_password(lab: Rack, tmp_path: Path) -> None:
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "switch-admin").write_text("kanarie-77")
    reach = Reach(forward=lab.reach.forward, known_hosts=lab.reach.known_hosts, secrets=tmp_path / "wrong")
    with pytest.raises(ProviderError, match=r"leaf-01: 192.0.2.11 refused the login of user admin") as caught:
        await lab.kind.create(inputs(), lab.context(reach=reach))
    assert "kanarie" not in str(caught.value)


async def test_a_switch_that_is_off_is_named(lab: Rack) -> None:
    lab.side._fault_switch({"switch": "leaf-01", "state": "down"})
    with pytest.raises(ProviderError, match=r"leaf-01: 192.0.2.11 refuses connections on port 22"):
        await lab.up()


async def test_switches_are_written_side_by_side(lab: Rack) -> None:
    import asyncio

    lab.side._fault_slow({"switch": "leaf-02", "seconds": 0.2})
    config = {"interface loopback0": "ip address 10.0.0.1/32"}
    slow = asyncio.create_task(lab.up(inputs(config, hostname="leaf-02", management="192.0.2.12")))
    await asyncio.sleep(0)
    await lab.up(inputs(config))
    assert not slow.done(), "leaf-01, asked second, waited for a slow leaf-02"
    await slow


@pytest.mark.rough
async def test_every_owned_line_taken_away_is_found_and_put_back(lab: Rack) -> None:
    made = await lab.up()
    root = lab.leaf.root
    tops = {node.line: setting for setting, node in root.children.items() if node.line in CONFIG}
    assert set(tops) == set(CONFIG)
    for name, top in tops.items():
        places = [(top, *place) for place in _places(root.children[top])]
        for place in places if name.startswith("interface Ethernet") else [*places, (top,)]:
            above = root
            for setting in place[:-1]:
                above = above.children[setting]
            del above.children[place[-1]]
            live = await lab.kind.read("leaf-01", inputs(), made.outputs, lab.context())
            assert live is not None
            assert set(lab.kind.diff(live.inputs, inputs(), live.outputs).changes) == {("spec", "config", name)}, place
            await lab.kind.update("leaf-01", inputs(), live.inputs, live.outputs, lab.context())
            again = await lab.kind.read("leaf-01", inputs(), made.outputs, lab.context())
            assert again is not None
            assert again.inputs == inputs(), place


def _places(node: Node) -> list[tuple[str, ...]]:
    """Every line below a block, by the settings that lead to it."""
    return [
        place
        for setting, child in node.children.items()
        for place in [(setting,), *((setting, *below) for below in _places(child))]
    ]


async def test_a_password_that_was_not_in_the_spec_goes_to_the_state_as_a_secret(lab: Rack) -> None:
    lab.edit("feature bgp", "router bgp 64601", "neighbor 10.9.9.9", "password 3 kanarie77")
    made = await lab.up(inputs(adopt=True))
    assert isinstance(made.outputs["found"]["router bgp 64601"], Secret)
    lab.edit("router bgp 64601", "neighbor 10.2.0.1", "password 3 kanarie88")
    live = await lab.kind.read("leaf-01", inputs(adopt=True), plain(made.outputs), lab.context())
    assert live is not None
    text = live.inputs["spec"]["config"]["router bgp 64601"]
    assert isinstance(text, Secret)
    assert "kanarie88" in text.value
    assert "kanarie" not in repr((live, made))
    assert live.outputs["digest"] != made.outputs["digest"]


async def test_a_request_to_stop_is_heard_before_the_first_line(lab: Rack) -> None:
    context = lab.context()
    context.cancel.set()
    with pytest.raises(ProviderError, match="stopped before leaf-01 is written"):
        await lab.kind.create(inputs(), context)
    assert lab.side.writes == 0


async def test_a_moved_address_and_a_rotated_password_change_nothing_on_the_switch(lab: Rack, tmp_path: Path) -> None:
    made = await lab.up()
    lab.edit("username admin password rotated-7 role network-admin")
    (tmp_path / "rotated").mkdir()
    (tmp_path / "rotated" / "new-admin").write_text("rotated-7")
    known = lab.reach.known_hosts.read_text().replace("192.0.2.11 ", "198.51.100.11 ")
    (tmp_path / "moved").write_text(known)
    forward = {"198.51.100.11:22": lab.reach.forward["192.0.2.11:22"]}
    reach = Reach(forward=forward, known_hosts=tmp_path / "moved", secrets=tmp_path / "rotated")
    moved = inputs(management="198.51.100.11", credential="new-admin", generation=2)
    writes = lab.side.writes
    await lab.kind.update("leaf-01", moved, inputs(), made.outputs, lab.context(reach=reach))
    assert lab.side.writes == writes
    assert not lab.kind.diff(inputs(), moved, made.outputs).replaces


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"feature bgp": "", "router bgp 64601": ""}, {"feature bgp": "", "router bgp 64611": ""}),
        ({"lldp timer 40": "", "feature lldp": ""}, {"lldp timer 50": "", "feature lldp": ""}),
        ({"class-map type qos match-any A": "match dscp 26"}, {"class-map type qos match-all A": "match dscp 26"}),
    ],
)
async def test_our_own_block_may_take_another_name_in_its_place(
    lab: Rack, old: dict[str, str], new: dict[str, str]
) -> None:
    before = lab.running()
    made = await lab.up(inputs(old))
    outputs = await lab.kind.update("leaf-01", inputs(new), inputs(old), made.outputs, lab.context())
    live = await lab.kind.read("leaf-01", inputs(new), outputs, lab.context())
    assert live is not None
    assert live.inputs == inputs(new)
    assert outputs["found"] == {}
    await lab.kind.delete("leaf-01", inputs(new), outputs, lab.context())
    assert lab.running() == before
