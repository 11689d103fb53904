"""A switch under a new name: its own lines stay, the mark and the hostname follow, and nobody strips or takes it."""

from __future__ import annotations

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import CONFIG, Rack, inputs

RENAMED = inputs(hostname="leaf-01b")


async def test_a_renamed_switch_gets_its_hostname_and_mark_and_nothing_else(lab: Rack) -> None:
    lab.edit("interface Ethernet1/9", "description by hand")
    before = lab.running()
    made = await lab.up()
    old = lab.running()
    assert lab.kind.diff(inputs(), RENAMED, made.outputs).changes == {("spec", "hostname"): "update"}
    assert not lab.kind.diff(inputs(), RENAMED, made.outputs).replaces
    outputs = await lab.kind.update("leaf-01", RENAMED, inputs(), made.outputs, lab.context())
    assert lab.running() == old.replace("hostname leaf-01", "hostname leaf-01b").replace(" leaf-01\n", " leaf-01b\n")
    assert lab.running().count("leaf-01b") == 2, "the hostname, and the name in the mark"
    assert outputs == {**made.outputs, **RENAMED}
    writes = lab.side.writes
    await lab.kind.update("leaf-01", RENAMED, RENAMED, outputs, lab.context())
    assert lab.side.writes == writes, "done once"
    live = await lab.kind.read("leaf-01", RENAMED, outputs, lab.context())
    assert live is not None
    assert live.inputs == RENAMED
    await lab.kind.delete("leaf-01", RENAMED, outputs, lab.context())
    assert lab.running() == before.replace("hostname leaf-01", "hostname leaf-01b")


async def test_a_rename_that_was_cut_off_is_completed(lab: Rack) -> None:
    made = await lab.up()
    lab.edit("hostname leaf-01b")
    await lab.kind.close()  # a session knows its prompt
    await lab.kind.update("leaf-01", RENAMED, inputs(), made.outputs, lab.context())
    marked = lab.running()
    lab.edit("hostname leaf-01")
    await lab.kind.close()
    await lab.kind.update("leaf-01", RENAMED, inputs(), made.outputs, lab.context())
    assert lab.running() == marked


async def test_a_hostname_that_the_site_chose_stays(lab: Rack) -> None:
    made = await lab.up()
    lab.edit("hostname rack-7-top")
    await lab.kind.close()
    await lab.kind.update("leaf-01", RENAMED, inputs(), made.outputs, lab.context())
    assert lab.running().startswith("hostname rack-7-top\n")


async def test_a_switch_of_this_stack_under_another_name_is_not_created_again(lab: Rack) -> None:
    await lab.up()
    before = lab.running()
    sentence = "leaf-01b at 192.0.2.11 is leaf-01 of this stack; write `renamed_from: leaf-01` in its entry"
    with pytest.raises(ProviderError, match=sentence):
        await lab.kind.create(RENAMED, lab.context())
    changed = inputs({**CONFIG, "interface loopback0": "ip address 10.0.0.2/32"}, hostname="leaf-01b", adopt=True)
    with pytest.raises(ProviderError, match=sentence):
        await lab.kind.create(changed, lab.context())
    assert lab.running() == before


async def test_a_mark_of_an_earlier_release_has_no_name_and_the_hostname_tells(lab: Rack) -> None:
    await lab.up()
    (mark,) = (line for line in lab.running().splitlines() if "podwrightowner" in line)
    lab.edit(mark.removesuffix(" leaf-01"))
    before = lab.running()
    with pytest.raises(ProviderError, match="is leaf-01 of this stack"):
        await lab.kind.create(RENAMED, lab.context())
    assert lab.running() == before
    await lab.up()
    assert mark in lab.running(), "completed under its own name, and named from now on"


async def test_an_update_of_another_switch_of_this_stack_is_refused(lab: Rack) -> None:
    """Two names that changed places: each resource would write the other one's switch."""
    await lab.up()
    before = lab.running()
    other = inputs(hostname="leaf-02", management="192.0.2.12")
    made = await lab.kind.create(other, lab.context())
    with pytest.raises(ProviderError, match=r"leaf-02 at 192\.0\.2\.11 is leaf-01 of this stack"):
        await lab.kind.update("leaf-02", inputs(hostname="leaf-02"), other, made.outputs, lab.context())
    assert lab.running() == before


async def test_a_switch_that_has_another_name_by_now_is_not_stripped(lab: Rack) -> None:
    made = await lab.up()
    await lab.kind.update("leaf-01", RENAMED, inputs(), made.outputs, lab.context())
    before = lab.running()
    await lab.kind.delete("leaf-01", inputs(), made.outputs, lab.context())
    assert lab.running() == before
    assert lab.said[-1] == "leaf-01 is leaf-01b of this stack now; nothing was removed from it"
