"""The BMC of a server with an HGX baseboard lists a second system, and may list it first: the serial number decides."""

from __future__ import annotations

import pytest

from podwright.components.providers.redfish import boot
from podwright.components.providers.redfish.module import KINDS
from podwright.components.providers.status import servers
from tests.providers.redfish.conftest import Stand

SERVER = KINDS[0]
GPU = {"name": "gpu-01", "address": "192.0.2.101", "serial": "WZP00000001", "credential": "bmc-secret"}
FORMS = pytest.mark.parametrize("stand", ["{systems: host}", "{systems: baseboard-first}"], indirect=True)


async def look(stand: Stand, **change: str) -> servers.ServerSeen:
    return await servers.look({**GPU, **change}, "operator", stand.context().reach, 4.0, 10.0)


@FORMS
async def test_status_shows_the_hosts_power(stand: Stand) -> None:
    assert await look(stand) == servers.ServerSeen("gpu-01", "Off")
    stand.boot("gpu-01")
    assert await look(stand) == servers.ServerSeen("gpu-01", "On")


@FORMS
async def test_status_names_who_answers_for_another_serial_number(stand: Stand) -> None:
    seen = await look(stand, serial="WZP00000009")
    assert seen.power == ""
    assert "WZP00000001" in seen.problem
    assert seen.problem.endswith("not for WZP00000009")


@FORMS
async def test_the_host_is_configured_and_switched(stand: Stand) -> None:
    spec = {"schema": 1, **GPU, "model": "UCSC-885A-M8", "bios": {"SmtMode": "Off"}}
    made = await SERVER.create({"spec": spec}, stand.context())
    assert (made.outputs["serial"], made.outputs["pending"]) == ("WZP00000001", {"SmtMode": "Off"})
    await boot.restart(stand.context(), {**GPU, "bmc": GPU["address"]})
    assert stand.world.host("gpu-01").power == "On"
