from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import UNKNOWN, CheckContext, Context, Incomplete, ProviderError
from podwright.components.providers.redfish.module import KINDS
from tests.providers.redfish.conftest import Stand

SERVER = KINDS[0]
SPEC: dict[str, Any] = {
    "schema": 1,
    "name": "gpu-01",
    "address": "192.0.2.101",
    "serial": "WZP00000001",
    "model": "UCSC-885A-M8",
    "credential": "bmc-secret",
    "generation": 1,
    "bios": {"SrIov": "disabled", "CbsDfCmnDramNps": "NPS1", "SmtMode": "Off"},
    "power": "On",
}


def inputs(**change: Any) -> dict[str, Any]:
    return {"spec": {**copy.deepcopy(SPEC), **change}}


async def drift(given: dict[str, Any], outputs: Any, ctx: Context) -> dict[str, str]:
    seen = await SERVER.read("gpu-01", given, outputs, ctx)
    assert seen is not None
    changes = SERVER.diff(seen.inputs, given, seen.outputs).changes
    return {".".join(map(str, path)): change for path, change in changes.items()}


async def test_attributes_wait_for_a_reset_and_the_machine_is_switched_on(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    assert made.id == "gpu-01"
    assert made.outputs["uuid"] == "00000000-0000-4000-8000-000000000001"
    assert made.outputs["power_state"] == "On"
    stand.boot("gpu-01")
    seen = await SERVER.read("gpu-01", inputs(), made.outputs, stand.context())
    assert seen is not None
    assert seen.outputs["pending"] == {}
    assert stand.world.bios("gpu-01")["SmtMode"] == "Off"


async def test_what_waits_is_reported_and_is_no_drift(stand: Stand) -> None:
    made = await SERVER.create(inputs(power="On"), stand.context())
    stand.boot("gpu-01")
    outputs = await SERVER.update("gpu-01", inputs(bios={"SmtMode": "Auto"}), inputs(), made.outputs, stand.context())
    assert outputs["pending"] == {"SmtMode": "Auto"}
    assert await drift(inputs(bios={"SmtMode": "Auto"}), outputs, stand.context()) == {}


async def test_a_second_run_writes_nothing(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    before = stand.side.writes
    await SERVER.create(inputs(), stand.context())
    await SERVER.update("gpu-01", inputs(), inputs(), made.outputs, stand.context())
    assert await drift(inputs(), made.outputs, stand.context()) == {}
    assert stand.side.writes == before


async def test_every_attribute_changed_behind_our_back_is_found_and_repaired(stand: Stand) -> None:
    live = stand.world.bios("gpu-01")
    chosen = random.Random(7).sample([name for name, value in live.items() if isinstance(value, str)], 20)
    given = inputs(bios={name: live[name] for name in chosen})
    made = await SERVER.create(given, stand.context())
    for name in chosen:
        stand.world.host("gpu-01").bios[name] = "changed by hand"
    assert await drift(given, made.outputs, stand.context()) == {f"spec.bios.{name}": "update" for name in chosen}
    outputs = await SERVER.update("gpu-01", given, given, made.outputs, stand.context())
    assert set(outputs["pending"]) == set(chosen)
    stand.boot("gpu-01")
    assert {name: stand.world.bios("gpu-01")[name] for name in chosen} == given["spec"]["bios"]


async def test_attributes_that_nobody_here_owns_are_neither_seen_nor_touched(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    stand.world.host("gpu-01").bios["BaudRate"] = "9600"
    assert await drift(inputs(), made.outputs, stand.context()) == {}
    await SERVER.update("gpu-01", inputs(), inputs(), made.outputs, stand.context())
    stand.boot("gpu-01")
    assert stand.world.bios("gpu-01")["BaudRate"] == "9600"


async def test_the_wrong_machine_is_never_written_to(stand: Stand) -> None:
    with pytest.raises(ProviderError, match="answers for WZP00000001, the spec says serial number WZP00000009"):
        await SERVER.create(inputs(serial="WZP00000009"), stand.context())
    with pytest.raises(ProviderError, match="is that of a UCSC-885A-M8, the spec says UCSC-845A-M8"):
        await SERVER.create(inputs(model="UCSC-845A-M8"), stand.context())
    assert stand.side.writes == 0


async def test_a_machine_that_was_replaced_is_what_a_refresh_shows_and_takes_the_settings(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    uuid = stand.world.fault({"kind": "replace", "server": "gpu-01", "serial": "WZP00000009"})["uuid"]
    seen = await SERVER.read("gpu-01", inputs(), made.outputs, stand.context())
    assert seen is not None and seen.inputs["spec"] == {**inputs()["spec"], "serial": "WZP00000009"}
    assert any("answers for WZP00000009, the spec says serial number WZP00000001" in each for each in stand.warned)
    now = inputs(serial="WZP00000009")
    planned = SERVER.preview(now, made.outputs)
    assert planned["uuid"] is UNKNOWN and planned["serial"] == "WZP00000009"
    outputs = await SERVER.update("gpu-01", now, inputs(), made.outputs, stand.context())
    assert outputs["uuid"] == uuid and set(outputs["pending"]) == set(made.outputs["pending"])


async def test_an_attribute_the_machine_lacks_is_listed_and_stops_nothing(stand: Stand) -> None:
    given = inputs(bios={"SrIow": "enabled", "SmtMode": "Off"})
    made = await SERVER.create(given, stand.context())
    told = "its BIOS has no such attribute; did you mean 'SrIov'?"
    assert made.outputs["unsupported"] == {"SrIow": told}
    assert stand.warned == [f"gpu-01: SrIow cannot be set over Redfish: {told}"]
    assert SERVER.unfinished(made.outputs) == stand.warned
    stand.boot("gpu-01")
    assert stand.world.bios("gpu-01")["SmtMode"] == "Off"
    writes = stand.side.writes
    assert await drift(given, made.outputs, stand.context()) == {}
    await SERVER.update("gpu-01", given, given, made.outputs, stand.context())
    assert stand.side.writes == writes


async def test_a_value_the_attribute_does_not_take_is_listed_with_those_it_takes(stand: Stand) -> None:
    given = inputs(bios={"SmtMode": "Sideways", "SvmMode": "disabled"})
    made = await SERVER.create(given, stand.context())
    assert made.outputs["unsupported"] == {"SmtMode": "takes Auto, Off, not 'Sideways'"}
    stand.boot("gpu-01")
    assert stand.world.bios("gpu-01")["SvmMode"] == "disabled"


async def test_power_is_pressed_only_when_it_is_said(stand: Stand) -> None:
    given = inputs()
    del given["spec"]["power"]
    made = await SERVER.create(given, stand.context())
    assert made.outputs["power_state"] == "Off"
    assert stand.world.host("gpu-01").power == "Off"
    stand.world.power("gpu-01", "On")
    assert await drift(given, made.outputs, stand.context()) == {}


async def test_power_that_was_cut_is_drift(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    stand.world.power("gpu-01", "ForceOff")
    assert await drift(inputs(), made.outputs, stand.context()) == {"spec.power": "update"}
    await SERVER.update("gpu-01", inputs(), inputs(), made.outputs, stand.context())
    assert stand.world.host("gpu-01").power == "On"


async def test_a_machine_without_an_operating_system_does_not_hear_a_shutdown(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    await SERVER.create(inputs(), stand.context())
    monkeypatch.setattr("podwright.components.providers.redfish.boot.POWER_SECONDS", 0.2)
    with pytest.raises(Incomplete, match="power is not Off"):
        await SERVER.update("gpu-01", inputs(power="Off"), inputs(), {}, stand.context())


async def test_destroy_leaves_the_machine_as_it_stands(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    writes = stand.side.writes
    await SERVER.delete("gpu-01", inputs(), made.outputs, stand.context())
    assert stand.world.host("gpu-01").power == "On"
    assert stand.side.writes == writes
    assert "CbsDfCmnDramNps, SmtMode, SrIov" in stand.said[-1]


async def test_a_wrong_password_says_what_to_check_and_never_the_password(stand: Stand) -> None:
    secret = "canary-hunter2"
    with pytest.raises(ProviderError, match="does not accept the login of 'operator'") as told:
        await SERVER.create(inputs(), stand.context(**{"bmc-secret": secret}))
    assert secret not in str(told.value)


async def test_a_missing_secret_names_the_places(stand: Stand) -> None:
    with pytest.raises(ProviderError, match="PODWRIGHT_SECRET_NOT_THERE"):
        await SERVER.create(inputs(credential="not-there"), stand.context())


async def test_a_busy_bmc_and_a_cut_connection_are_tried_again(stand: Stand) -> None:
    stand.side.fault({"server": "gpu-01", "mode": "503", "times": 1})
    await SERVER.create(inputs(), stand.context())
    stand.side.fault({"server": "gpu-01", "mode": "cut", "times": 1})
    assert await drift(inputs(), {}, stand.context()) == {}


async def test_a_certificate_of_another_name_is_refused(stand: Stand) -> None:
    stand.side.forward["192.0.2.101:443"] = stand.side.forward["192.0.2.111:443"]
    with pytest.raises(ProviderError, match=r"cannot be reached to identify: .*192.0.2.101"):
        await SERVER.create(inputs(), stand.context())


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"serial": None}, "spec.serial"),
        ({"addres": "192.0.2.1"}, "spec.addres"),
        ({"address": "gpu-01"}, "spec.address"),
        ({"power": "on"}, "spec.power"),
        ({"bios": {"SmtMode": ["Off"]}}, "spec.bios.SmtMode"),
    ],
)
def test_wrong_specs_are_refused_at_their_leaf(change: dict[str, Any], path: str) -> None:
    found = SERVER.check(inputs(**change), CheckContext())
    assert [".".join(map(str, failure.path)) for failure in found] == [path]


def test_a_rotated_credential_or_a_moved_bmc_never_replaces_the_machine() -> None:
    moved = inputs(address="192.0.2.102", generation=2, credential="other", serial="WZP00000002")
    assert SERVER.diff(inputs(), moved, {}).replaces == frozenset()
    renamed = SERVER.diff(inputs(), inputs(name="gpu-02"), {})
    assert (renamed.changes, renamed.replaces) == ({("spec", "name"): "update"}, frozenset())
