"""A switch whose state went from one stack to another: whose mark may be replaced, and whose never."""

from __future__ import annotations

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import CONFIG, Rack, inputs


async def test_a_switch_whose_state_moved_here_gets_our_mark_and_nothing_else(lab: Rack) -> None:
    lab.edit("feature bgp", "interface Ethernet1/9", "description by hand", "route-map theirs permit 10")
    before = lab.running()
    made = await lab.up()
    theirs, ours = lab.running(), lab.context(identity="pod/fabric")
    moved = inputs(moved_from="podwright/lab")
    assert lab.kind.diff(inputs(), moved, made.outputs).changes == {("spec", "moved_from"): "add"}
    outputs = await lab.kind.update("leaf-01", moved, inputs(), made.outputs, ours)
    assert lab.running() == theirs.replace("podwright podwright/lab ", "podwright pod/fabric ")
    assert outputs["found"] == made.outputs["found"]
    assert not lab.kind.diff(moved, inputs(), outputs).changes, "the key may go once it did its work"
    with pytest.raises(ProviderError, match="belongs to the stack pod/fabric"):
        await lab.kind.update("leaf-01", inputs(), inputs(), made.outputs, lab.context())
    await lab.kind.delete("leaf-01", inputs(), outputs, ours)
    assert lab.running() == before


@pytest.mark.parametrize("moved_from", [None, "podwright/third"])
async def test_a_move_from_another_stack_than_the_marks_is_refused(lab: Rack, moved_from: str | None) -> None:
    made = await lab.up()
    before = lab.running()
    changed = inputs({**CONFIG, "interface loopback0": "ip address 10.0.0.2/32"}, moved_from=moved_from)
    with pytest.raises(ProviderError, match="belongs to the stack podwright/lab; destroy it there first"):
        await lab.kind.update("leaf-01", changed, inputs(), made.outputs, lab.context(identity="pod/fabric"))
    assert lab.running() == before


async def test_a_switch_that_did_not_come_with_its_state_is_not_taken_over(lab: Rack) -> None:
    await lab.up()
    before = lab.running()
    with pytest.raises(ProviderError, match=r"belongs to the stack podwright/lab; .*only with its state.*move fabric"):
        await lab.kind.create(inputs(moved_from="podwright/lab"), lab.context(identity="pod/fabric"))
    assert lab.running() == before
