"""A configuration is for one box: another that has taken its address is told apart by its serial number."""

from __future__ import annotations

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import Rack, inputs


async def test_a_switch_of_another_serial_number_is_not_touched(lab: Rack) -> None:
    made = await lab.up(inputs(serial="FDO00000001"))
    writes, running = lab.side.writes, lab.running()
    other = inputs({"vlan 7": "name x"}, serial="FDO00000009")
    sentence = (
        r"leaf-01 at 192\.0\.2\.11 has serial number FDO00000001, but the spec says FDO00000009; nothing was written "
        r"to it\. If the switch was exchanged, write serial: FDO00000001 at leaf-01 in the stack file"
    )
    with pytest.raises(ProviderError, match=sentence):
        await lab.kind.create(other, lab.context())
    with pytest.raises(ProviderError, match=sentence):
        await lab.kind.update("leaf-01", other, inputs(serial="FDO00000001"), made.outputs, lab.context())
    with pytest.raises(ProviderError, match=sentence):
        await lab.kind.delete("leaf-01", other, made.outputs, lab.context())
    assert (lab.side.writes, lab.running()) == (writes, running)


async def test_an_exchanged_switch_shows_in_a_refresh(lab: Rack) -> None:
    made = await lab.up(inputs(serial="FDO00000001"))
    said = inputs(serial="FDO00000009")
    live = await lab.kind.read("leaf-01", said, made.outputs, lab.context())
    assert live is not None
    assert lab.kind.diff(live.inputs, said, live.outputs).changes == {("spec", "serial"): "update"}
    assert lab.kind.diff(live.inputs, inputs(serial="FDO00000001"), live.outputs).changes == {}
