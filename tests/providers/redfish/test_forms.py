"""The contract of a server under every form of a BMC that the standard allows, and no session is left open."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.redfish import boot, staging
from podwright.components.providers.redfish.module import KINDS
from podwright.components.providers.status import servers
from podwright.lab.redfish.sessions import MOST
from podwright.lab.variants import VARIANTS
from tests.providers.redfish.conftest import Stand

SERVER = KINDS[0]
HOST = {"name": "gpu-01", "address": "192.0.2.101", "serial": "WZP00000001", "credential": "bmc-secret"}
BIOS = {"SrIov": "disabled", "CbsDfCmnDramNps": "NPS1", "CbsCmnApbdis": "1", "CbsCmnFixedSocPstate": "P0"}
FORMS = (
    "{logins: basic, etags: none}",
    "{logins: sessions-only, etags: required, settings: task}",
    "{attributes: ami, etags: required, systems: baseboard-first}",
    "{attributes: ami, settings: task, logins: basic, locks: while-starting}",
    "{attributes: ami, logins: sessions-only, etags: none}",
    "{locks: while-starting, systems: baseboard-first, settings: task, updates: multipart}",
)


def inputs(**bios: Any) -> dict[str, Any]:
    return {"spec": {"schema": 1, **HOST, "model": "UCSC-885A-M8", "bios": {**BIOS, **bios}}}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "PAUSE", 0.1)


async def drift(given: dict[str, Any], outputs: Any, stand: Stand) -> dict[str, Any]:
    seen = await SERVER.read("gpu-01", given, outputs, stand.context())
    assert seen is not None
    live = seen.inputs["spec"]
    return {name: live["bios"][name] for name, want in given["spec"]["bios"].items() if live["bios"][name] != want}


def test_every_form_is_driven() -> None:
    ours = {name: variant for name, variant in VARIANTS.items() if variant.side == "redfish"}
    for name, variant in ours.items():
        forms = [form for form in variant.forms if any(f"{name}: {form}" in each for each in FORMS)]
        assert forms, name
        assert len(variant.forms) - len(forms) <= 1, f"only the first form of {name} is every other test's"


@pytest.mark.parametrize("stand", FORMS, indirect=True)
async def test_the_contract(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    assert made.outputs["unsupported"] == {}
    assert set(made.outputs["pending"]) == {"SrIov", "CbsDfCmnDramNps", "CbsCmnApbdis", "CbsCmnFixedSocPstate"}
    writes = stand.side.writes
    await SERVER.create(inputs(), stand.context())
    assert await drift(inputs(), made.outputs, stand) == {}
    assert stand.side.writes == writes
    stand.boot("gpu-01")
    assert {name: stand.world.bios("gpu-01")[name] for name in BIOS} == BIOS
    stand.world.host("gpu-01").bios["SrIov"] = "enabled"
    changed = await drift(inputs(), made.outputs, stand)
    assert {name: str(value).lower() for name, value in changed.items()} == {"SrIov": "enabled"}
    outputs = await SERVER.update("gpu-01", inputs(), inputs(), made.outputs, stand.context())
    assert outputs["pending"] == {"SrIov": "disabled"}
    assert await boot.waits_for_reset(stand.context(), {**HOST, "bmc": HOST["address"]})
    await boot.restart(stand.context(), {**HOST, "bmc": HOST["address"]})
    assert (await servers.look(HOST, "operator", stand.context().reach, 4.0, 10.0)).power == "On"
    assert stand.side.sessions["gpu-01"].numbers == []
    assert stand.warned == []


@pytest.mark.parametrize("stand", ["{attributes: ami}"], indirect=True)
async def test_what_an_ami_board_lacks_is_listed(stand: Stand) -> None:
    given = inputs(PcieAriSupport="enabled", AcsControlGpu1state="disabled")
    made = await SERVER.create(given, stand.context())
    assert set(made.outputs["unsupported"]) == {"PcieAriSupport", "AcsControlGpu1state"}
    assert len(stand.warned) == 1
    assert await drift(given, made.outputs, stand) == {}


@pytest.mark.parametrize("stand", ["{attributes: ami}"], indirect=True)
async def test_threads_per_core_have_another_name_and_other_values_there(stand: Stand) -> None:
    made = await SERVER.create(inputs(SmtMode="Off"), stand.context())
    assert made.outputs["unsupported"] == {}
    assert stand.world.host("gpu-01").bios_pending["CbsCpuSmtCtrl"] == "disabled"


@pytest.mark.parametrize("stand", ["{attributes: ami}"], indirect=True)
async def test_an_attribute_that_another_one_locks_is_listed_with_it(stand: Stand) -> None:
    given = inputs(CbsCmnApbdis="0")
    made = await SERVER.create(given, stand.context())
    told = made.outputs["unsupported"]["CbsCmnFixedSocPstate"]
    assert told == "is read-only while CbsCmnApbdis is CbsCmnApbdis0"
    assert "CbsCmnApbdis" in made.outputs["pending"]


@pytest.mark.parametrize("stand", ["{locks: while-starting}"], indirect=True)
async def test_a_self_test_that_does_not_end_is_told(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "LOCKED_SECONDS", 0.3)
    stand.world.host("gpu-01").state = "post"
    with pytest.raises(ProviderError, match=r"took no BIOS settings for .* minutes: .*look at its console"):
        await SERVER.create(inputs(), stand.context())


@pytest.mark.parametrize("stand", ["{locks: while-starting}"], indirect=True)
async def test_a_self_test_is_waited_for(stand: Stand) -> None:
    host = stand.world.host("gpu-01")
    host.state = "post"
    threading.Timer(1.0, lambda: setattr(host, "state", "no-os")).start()
    made = await SERVER.create(inputs(), stand.context())
    assert "gpu-01: its BIOS settings are locked, as while it starts; waiting" in stand.said
    assert set(made.outputs["pending"]) == set(BIOS)


@pytest.mark.parametrize("stand", ["{logins: sessions-only}", "{logins: sessions}"], indirect=True)
async def test_a_bmc_without_a_free_session(stand: Stand) -> None:
    sessions = stand.side.sessions["gpu-01"]
    for _ in range(MOST):
        sessions.open()
    if stand.world.variants["logins"] == "sessions":
        await SERVER.create(inputs(), stand.context())
    else:
        with pytest.raises(ProviderError, match=r"opens no session .*takes no password without one"):
            await SERVER.create(inputs(), stand.context())
    assert len(sessions.numbers) == MOST


@pytest.mark.parametrize("stand", ["{logins: sessions}"], indirect=True)
async def test_a_wrong_password_is_tried_once(stand: Stand) -> None:
    with pytest.raises(ProviderError, match="does not accept the login"):
        await SERVER.create(inputs(), stand.context(**{"bmc-secret": "wrong"}))
    assert stand.side.sessions["gpu-01"].opened == 0


@pytest.mark.parametrize("stand", ["{settings: task}"], indirect=True)
async def test_a_task_that_fails_says_why(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podwright.components.providers.redfish.registry.Registry.read_only", lambda *_: "")
    stand.world.host("gpu-01").bios["Gone"] = "x"  # shown, and in no registry: the board refuses it
    with pytest.raises(ProviderError, match="Gone is not in the list of valid properties"):
        await SERVER.create(inputs(Gone="y"), stand.context())
