"""A switch's whole life in any form of the lab: what each variant makes different lies on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from podwright.components.providers.nxos.write.checkpoints import MOST, OURS
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import CONFIG, Rack, inputs
from tests.providers.nxos.test_breakout import BROKEN, LINE, QUARTERS
from tests.providers.nxos.test_secret_lines import MONITOR, give

EGRESS = "policy-map type queuing QOS_EGRESS_PORT"
PORT = CONFIG["interface Ethernet1/1"]
FIRST = {
    **CONFIG,
    **{name: block.replace("10.2.0.", "10.3.0.") for name, block in BROKEN.items()},
    "interface Ethernet1/2": PORT.replace("10.2.0.", "10.4.0."),
    "banner motd ^Authorised use only^": "",
    "spanning-tree vlan 10 priority 4096": "",
    "spanning-tree vlan 11 priority 4096": "",
    MONITOR: "",
}
# The class that stands first takes what the other one gives up: typed in their order, the sum passes 100 in between.
MOVED = CONFIG[EGRESS].replace("percent 50", "percent 70", 1).replace("percent 50", "percent 30", 1)
SECOND = {
    **{name: block for name, block in FIRST.items() if "/5/2" not in name and "port 6" not in name},
    EGRESS: MOVED,
    # Another DSCP, and one more.
    "class-map type qos match-any ROCEv2": "match dscp 24",
    "class-map type qos match-any CNP": "match dscp 46,48",
    "banner motd ^Leave^": "",
    MONITOR.replace("#1", "#2"): "",
    # A port in four instead of two, and two ports that swap their addresses.
    QUARTERS: "",
    "interface Ethernet1/1": PORT.replace("10.2.0.", "10.4.0."),
    "interface Ethernet1/2": PORT,
}
del SECOND["banner motd ^Authorised use only^"], SECOND[LINE], SECOND[MONITOR]
# The shares go back, and then a line is refused. A switch that puts those of before back in the order in which they
# stand refuses the first one: taking it back must not be left to its rollback.
REFUSED = {**SECOND, EGRESS: CONFIG[EGRESS], "router bgp 64601": CONFIG["router bgp 64601"] + "\n  remote-as 0"}


async def test_a_switch_is_configured_changed_and_given_back(lab: Rack) -> None:
    # The ten that a switch takes, one of them left by a push of this stack that was cut off.
    lab.type(f"checkpoint {OURS}0123456789", *(f"checkpoint somebody-{number}" for number in range(MOST - 1)))
    lab.edit("system qos", "exit")  # looked at, and left
    before = lab.running()
    for name in ("snmp-a", "snmp-p"):
        give(lab, name, f"{name}-first")

    made = await lab.up(inputs(FIRST))
    assert await untouched(lab, FIRST, made.outputs)
    for name in ("snmp-a", "snmp-p"):
        give(lab, name, f"{name}-second")
    await lab.kind.update("leaf-01", inputs(SECOND), inputs(FIRST), made.outputs, lab.context())
    assert await untouched(lab, SECOND, made.outputs)
    with pytest.raises(ProviderError, match="the switch is as it was before"):
        await lab.kind.update("leaf-01", inputs(REFUSED), inputs(SECOND), made.outputs, lab.context())
    assert await untouched(lab, SECOND, made.outputs)
    assert {f"somebody-{number}" for number in range(MOST - 1)} <= set(lab.leaf.checkpoints)

    await lab.kind.delete("leaf-01", inputs(SECOND), made.outputs, lab.context())
    assert lab.running() == before


async def untouched(lab: Rack, config: Mapping[str, str], outputs: Mapping[str, Any]) -> bool:
    """Whether the switch reads as it was asked to be, letter by letter."""
    read = await lab.kind.read("leaf-01", inputs(dict(config)), outputs, lab.context())
    return read is not None and read.inputs["spec"]["config"] == config
