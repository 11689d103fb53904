"""Ports broken out: order of the lines, what they take with them, whose it is, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.nxos.inputs import switch_failures
from podwright.components.providers.nxos.read.blocks import parse
from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.nxos.write import push
from podwright.components.providers.nxos.write.change import Change, others
from podwright.components.providers.nxos.write.remediation import remediation
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.forms import config
from tests.providers.nxos.rack import Rack, inputs

LINE = "interface breakout module 1 port 5 map 200g-2x"
QUARTERS = "interface breakout module 1 port 5 map 100g-4x"
LANE = "description gpu-01 rail0\nno switchport\nmtu 9216\nip address 10.2.0.0/31\nno shutdown"
BROKEN = {
    "feature bfd": "",
    LINE: "",
    "interface breakout module 1 port 6 map 200g-2x": "",
    "interface Ethernet1/5/1": LANE,
    "interface Ethernet1/5/2": LANE.replace("rail0", "rail1").replace("10.2.0.0", "10.2.0.2"),
}
WHOLE = {"feature bfd": "", "interface Ethernet1/5": LANE}
FOUR = {"feature bfd": "", QUARTERS: "", "interface Ethernet1/5/4": LANE}


def typed(live: str, want: str, *gone: str) -> list[str]:
    sections = remediation(config(live), config(want), gone)
    return [section.header for section in sections]


def test_one_line_for_all_ports_of_a_map_is_one_block_for_each() -> None:
    shown = parse("interface breakout module 1 port 5-6,9 map 200g-2x\n")
    assert list(shown) == [f"interface breakout module 1 port {port} map 200g-2x" for port in (5, 6, 9)]


def test_a_port_breaks_out_before_its_lanes_are_configured_and_is_not_cleared_by_itself() -> None:
    lines = typed(
        "interface Ethernet1/5\n  description old",
        f"vlan 10\n{LINE}\ninterface Ethernet1/5/1\n  mtu 9216",
        "interface Ethernet1/5",
    )
    assert lines == [LINE, "vlan 10", "interface Ethernet1/5/1"]


def test_a_port_given_up_beside_one_that_breaks_out_is_cleared_while_it_is_there() -> None:
    # On some models the even ports of a quad are gone while an odd one is broken out.
    lines = typed("interface Ethernet1/6\n  description old", LINE, "interface Ethernet1/6")
    assert lines == ["default interface Ethernet1/6", LINE]


def test_a_port_is_made_whole_before_it_is_configured_and_its_lanes_need_no_line() -> None:
    live = f"{LINE}\ninterface Ethernet1/5/1\n  mtu 9216\ninterface Ethernet1/5/2\n  mtu 9216"
    gone = (LINE, "interface Ethernet1/5/1", "interface Ethernet1/5/2")
    assert typed(live, "interface Ethernet1/5\n  mtu 9216", *gone) == [f"no {LINE}", "interface Ethernet1/5"]


def test_another_map_goes_through_a_whole_port_and_its_lanes_are_written_anew() -> None:
    live = f"{LINE}\ninterface Ethernet1/5/1\n  mtu 9216"
    want = f"{QUARTERS}\ninterface Ethernet1/5/1\n  mtu 9216"
    assert typed(live, want) == [f"no {LINE}", QUARTERS, "interface Ethernet1/5/1"]


@pytest.mark.parametrize(
    "name", ["interface breakout module 1 port 5-6 map 200g-2x", "interface breakout module 1 port 5", "int breakout"]
)
def test_a_breakout_names_one_port_and_its_map(name: str) -> None:
    assert switch_failures(inputs({name: ""})["spec"])
    assert switch_failures(inputs({LINE: ""})["spec"]) == []
    both = switch_failures(inputs({LINE: "", QUARTERS: ""})["spec"])
    assert "says the same as" in str(both[0])


LINKS = {
    "Ethernet1/5/1": {"device": "gpu-01", "port": "rail0", "role": "host"},
    "Ethernet1/5/2": {"device": "gpu-01", "port": "rail1", "role": "host"},
    "Ethernet1/33": {"device": "spine-01", "port": "Ethernet1/1", "role": "fabric"},
}


def test_the_preview_names_the_ports_and_gpus_that_a_breakout_touches() -> None:
    def said(old: dict[str, str], new: dict[str, str], links: Any = LINKS) -> list[str]:
        return list(Switch().notices(inputs(old, links=links), inputs(new, links=links)))

    (sentence,) = said(BROKEN, WHOLE)
    assert sentence == (
        "leaf-01: Ethernet1/5 is made whole again; what is configured there is removed, and the links are down: "
        "Ethernet1/5/1-2 (GPU 0-1 of gpu-01)"
    )
    assert "is broken out into 100g-4x" in said(BROKEN, FOUR)[0]
    two = {**BROKEN, **{f"interface Ethernet1/{port}/1": LANE for port in (5, 6)}}
    links = {f"Ethernet1/{port}/1": {"device": "gpu-02", "port": f"rail{port}", "role": "host"} for port in (5, 6)}
    (sentence,) = said(two, {"feature bfd": ""}, links)
    assert sentence.startswith("leaf-01: Ethernet1/5-6 are made whole again;")
    assert sentence.endswith("Ethernet1/5/1, Ethernet1/6/1 (GPU 5-6 of gpu-02)")
    assert said(BROKEN, BROKEN | {"interface breakout module 1 port 7 map 200g-2x": ""}) == []


async def test_lanes_are_configured_read_back_and_gone_with_the_stack(lab: Rack) -> None:
    before = lab.running()
    made = await lab.up(inputs(BROKEN))
    assert list(parse(lab.running())).count(LINE) == 1, "whether the switch shows one line for both ports or two"
    assert "  description gpu-01 rail1" in lab.running()
    writes = lab.leaf.writes
    read = await lab.kind.read("leaf-01", inputs(BROKEN), made.outputs, lab.context())
    assert read is not None and read.inputs == inputs(BROKEN)
    assert lab.leaf.writes == writes
    await lab.kind.delete("leaf-01", inputs(BROKEN), made.outputs, lab.context())
    assert lab.running() == before


@pytest.mark.parametrize("after", [WHOLE, FOUR, BROKEN | {"interface Ethernet1/5/2": "description free"}])
async def test_a_switch_goes_from_any_shape_to_any_other(lab: Rack, after: dict[str, str]) -> None:
    made = await lab.up(inputs(BROKEN))
    there = await lab.kind.update("leaf-01", inputs(after), inputs(BROKEN), made.outputs, lab.context())
    read = await lab.kind.read("leaf-01", inputs(after), there, lab.context())
    assert read is not None and read.inputs == inputs(after)
    back = await lab.kind.update("leaf-01", inputs(BROKEN), inputs(after), there, lab.context())
    read = await lab.kind.read("leaf-01", inputs(BROKEN), back, lab.context())
    assert read is not None and read.inputs == inputs(BROKEN)


@pytest.mark.parametrize(("old", "new"), [(WHOLE, BROKEN), (BROKEN, WHOLE), (BROKEN, FOUR)])
async def test_a_refusal_in_the_middle_gives_the_ports_back_as_they_were(
    lab: Rack, old: dict[str, str], new: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push, "_RETRIES", (0.01, 0.02, 0.05))
    made = await lab.up(inputs(old))
    before = lab.running()
    lab.leaf.faults.refuse["description bad"] = "% Permission denied"
    wrong = {**new, "interface loopback9": "description bad"}
    with pytest.raises(ProviderError, match=r"as it was before|rolled back"):
        await lab.kind.update("leaf-01", inputs(wrong), inputs(old), made.outputs, lab.context())
    assert lab.running() == before


async def test_a_port_that_somebody_configured_is_not_broken_out(lab: Rack) -> None:
    lab.edit("interface Ethernet1/5", "description theirs")
    with pytest.raises(ProviderError, match=r"already holds interface Ethernet1/5, .*adopt: true"):
        await lab.up(inputs(BROKEN))
    made = await lab.up(inputs(BROKEN, adopt=True))
    assert "theirs" not in lab.running()
    await lab.kind.delete("leaf-01", inputs(BROKEN, adopt=True), made.outputs, lab.context())
    assert "interface Ethernet1/5\n  description theirs" in lab.running()


async def test_a_lane_that_somebody_configured_is_not_taken_away_with_its_port(lab: Rack) -> None:
    said = {name: text for name, text in BROKEN.items() if name != "interface Ethernet1/5/2"}
    made = await lab.up(inputs(said))
    lab.edit("interface Ethernet1/5/2", "description theirs")
    for change in (
        lab.kind.update("leaf-01", inputs(WHOLE), inputs(said), made.outputs, lab.context()),
        lab.kind.delete("leaf-01", inputs(said), made.outputs, lab.context()),
    ):
        with pytest.raises(ProviderError, match="removes interface Ethernet1/5/2, which podwright did not write"):
            await change
    assert "theirs" in lab.running()


async def test_a_breakout_taken_away_by_hand_is_drift_and_is_repaired(lab: Rack) -> None:
    made = await lab.up(inputs(BROKEN))
    intended = lab.running()
    lab.edit(f"no {LINE}")
    read = await lab.kind.read("leaf-01", inputs(BROKEN), made.outputs, lab.context())
    assert read is not None and LINE not in read.inputs["spec"]["config"]
    await lab.kind.update("leaf-01", inputs(BROKEN), read.inputs, read.outputs, lab.context())
    assert lab.running() == intended


def test_free_ports_that_come_and_go_are_nobodys_edit() -> None:
    change = Change(config(LINE))
    whole = config("hostname a\ninterface Ethernet1/5")
    lanes = config(f"hostname a\n{LINE}\ninterface Ethernet1/5/1\ninterface Ethernet1/5/2")
    assert others(change, whole) == others(change, lanes)
