"""New firmware comes over the UpdateService in a roll-out: one server at a time, verified, and through lost power."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest

from podwright.components.providers.openshift.rollout import Machine
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.redfish import connector, image, upgrade
from podwright.lab.redfish import restarts, tasks, updates
from tests.providers.redfish.conftest import Stand
from tests.waiting import soon

pytestmark = pytest.mark.rough

FORMS = pytest.mark.parametrize("stand", ["{updates: simple}", "{updates: multipart, logins: basic}"], indirect=True)
FACTORY = {"BMC": "4.3(6c)", "BIOS": "4.3.6c.0", "HGX_FW_BMC_0": "HGX-22.10-1"}
NEW = {"BMC": "4.4(1a)", "BIOS": "4.4.1a.0"}
SITE = "http://192.0.2.2:8080/c885a.bin"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade, "PAUSE", 0.1)
    monkeypatch.setattr(restarts, "GRACE_SECONDS", 0.1)


def content(model: str = "UCSC-885A-M8", **versions: str) -> bytes:
    return json.dumps({"Model": model, "Versions": versions or NEW}).encode()


def node(stand: Stand, what: bytes | None = None, until: str = "2999-01-01", **change: Any) -> dict[str, Any]:
    """A node of a roll-out whose release has one image, published at the site's web server."""
    what = content() if what is None else what
    folder = stand.lab.dir / "publish"
    folder.mkdir(exist_ok=True)
    (folder / "c885a.bin").write_bytes(what)
    stand.side.forward["192.0.2.2:8080"] = stand.side.image_server.address
    stand.world.routes["192.0.2.2:8080"] = stand.side.image_server.address
    images = [{"url": SITE, "sha256": hashlib.sha256(what).hexdigest(), "components": sorted(NEW), **change}]
    firmware = {"version": "1.1", "until": until, "source": "CHG-7", "components": NEW, "images": images}
    host = {"name": "gpu-01", "bmc": "192.0.2.101", "serial": "WZP00000001", "credential": "bmc-secret"}
    return {**host, "firmware": firmware}


def runs(stand: Stand) -> dict[str, str]:
    return dict(stand.world.host("gpu-01").firmware)


def pending(stand: Stand) -> dict[str, str]:
    return dict(stand.world.host("gpu-01").firmware_pending)


async def on(stand: Stand) -> None:
    """Switched on, with an operating system that hears a reboot."""
    stand.world.power("gpu-01", "On")
    await soon(lambda: stand.world.host("gpu-01").boots == 1)
    stand.world.host("gpu-01").state = "running"


async def restarted(stand: Stand, machine: Machine) -> None:
    """As the roll-out does: bring what waits, restart, wait until it is back, and see what came of it."""
    before = stand.world.host("gpu-01").boots
    await machine.prepare(stand.context())
    await machine.restart(stand.context())
    await soon(lambda: stand.world.host("gpu-01").boots > before)
    stand.world.host("gpu-01").state = "running"
    await machine.verify(stand.context())


@FORMS
async def test_what_runs_another_release_waits_and_is_brought_by_its_restart(stand: Stand) -> None:
    await on(stand)
    machine = Machine(node(stand), {})
    words = "firmware BIOS 4.3.6c.0 to 4.4.1a.0, firmware BMC 4.3(6c) to 4.4(1a)"
    assert await machine.waits(stand.context()) == words
    assert (runs(stand), stand.side.writes) == (FACTORY, 0), "asking changes nothing"
    await restarted(stand, machine)
    assert runs(stand) == FACTORY | NEW
    assert stand.world.host("gpu-01").boots == 2, "one restart for all of it"
    assert await machine.waits(stand.context()) == ""
    assert any("compatibility is not checked" in each for each in stand.said)
    assert stand.side.sessions["gpu-01"].numbers == []


async def test_a_release_without_an_image_is_compared_and_never_brought(stand: Stand) -> None:
    without = node(stand)
    without["firmware"].pop("images")
    assert await Machine(without, {}).waits(stand.context()) == ""


async def test_what_the_inventory_does_not_have_waits_for_nothing(stand: Stand) -> None:
    given = node(stand)
    given["firmware"]["components"] = {"CPLD": "7"}
    given["firmware"]["images"][0]["components"] = ["CPLD"]
    assert await Machine(given, {}).waits(stand.context()) == ""


async def test_only_images_of_components_that_differ_are_sent(stand: Stand) -> None:
    await on(stand)
    given = node(stand)
    missing = {"url": "http://192.0.2.2:8080/hgx.bin", "sha256": "0" * 64, "components": ["HGX_FW_BMC_0"]}
    given["firmware"]["images"].insert(0, missing)
    given["firmware"]["components"] = {**NEW, "HGX_FW_BMC_0": FACTORY["HGX_FW_BMC_0"]}
    await restarted(stand, Machine(given, {}))
    assert runs(stand) == FACTORY | NEW


async def test_an_approval_that_is_over_stops_before_anything_is_sent(stand: Stand) -> None:
    over = Machine(node(stand, until="2026-01-01"), {})
    with pytest.raises(ProviderError, match=r"gpu-01: the approval of firmware 1.1 \(CHG-7\) ended on 2026-01-01"):
        await over.waits(stand.context())
    stand.world.host("gpu-01").firmware.update(NEW)
    assert await over.waits(stand.context()) == "", "what runs it keeps it"


@FORMS
async def test_another_checksum_than_the_approved_one_is_never_handed_to_a_machine(stand: Stand) -> None:
    machine = Machine(node(stand, sha256="0" * 64), {})
    with pytest.raises(
        ProviderError, match=f"{SITE} has SHA-256 [0-9a-f]{{64}}, approved is {'0' * 64}; nothing was sent"
    ):
        await machine.prepare(stand.context())
    assert stand.side.writes == 0


async def test_an_image_that_is_not_there_or_too_large_is_a_sentence(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = node(stand)
    (stand.lab.dir / "publish" / "c885a.bin").unlink()
    with pytest.raises(ProviderError, match=f"{SITE} cannot be fetched: HTTP 404"):
        await Machine(given, {}).prepare(stand.context())
    monkeypatch.setattr(image, "MOST_BYTES", 10)
    with pytest.raises(ProviderError, match="cannot be fetched: more than"):
        await Machine(node(stand), {}).prepare(stand.context())
    last = Machine(node(stand), {})
    stand.side.forward["192.0.2.2:8080"] = "127.0.0.1:9"
    with pytest.raises(ProviderError, match=r"cannot be fetched: .*refused"):
        await last.prepare(stand.context())
    assert stand.side.writes == 0


@FORMS
async def test_a_task_that_fails_says_why_and_restarts_nothing(stand: Stand) -> None:
    await on(stand)
    machine = Machine(node(stand, content("UCSC-C240-M7")), {})
    with pytest.raises(ProviderError, match=r"gpu-01: .*c885a.bin.*Verification of image 'UCSC-C240-M7'.* failed"):
        await machine.prepare(stand.context())
    assert (runs(stand), pending(stand), stand.world.host("gpu-01").boots) == (FACTORY, {}, 1)


@FORMS
async def test_progress_is_shown_and_a_task_without_end_has_a_limit(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "SECONDS", 3.0)
    machine = Machine(node(stand), {})
    monkeypatch.setattr(upgrade, "UPDATE_SECONDS", 0.5)
    with pytest.raises(upgrade.UnderWayError, match=r"gpu-01: .*is still Running, 50 % after .* minutes"):
        await machine.prepare(stand.context())
    assert any("50 %" in each for each in stand.said)
    monkeypatch.setattr(upgrade, "UPDATE_SECONDS", 30.0)
    await machine.prepare(stand.context())
    assert pending(stand) == {"BIOS": NEW["BIOS"]}, "an update under way is waited for, then ordered again"


@FORMS
async def test_power_lost_in_between_and_the_next_run_completes(stand: Stand) -> None:
    await on(stand)
    machine = Machine(node(stand), {})
    await machine.prepare(stand.context())
    stand.side.fault({"server": "gpu-01", "power_lost": True})
    before = stand.world.host("gpu-01").boots
    await machine.restart(stand.context())
    await soon(lambda: stand.world.host("gpu-01").boots > before)
    with pytest.raises(ProviderError, match=r"gpu-01: firmware BIOS runs 4.3.6c.0, 1.1 has 4.4.1a.0.*restart"):
        await machine.verify(stand.context())
    assert await machine.waits(stand.context()) != ""
    stand.world.host("gpu-01").state = "running"
    await restarted(stand, machine)
    assert runs(stand) == FACTORY | NEW


@FORMS
async def test_power_lost_while_the_task_runs_is_a_sentence_and_the_next_run_completes(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    await on(stand)
    monkeypatch.setattr(tasks, "SECONDS", 2.0)
    machine = Machine(node(stand), {})
    first = asyncio.create_task(machine.prepare(stand.context()))
    await soon(lambda: any("50 %" in each for each in stand.said))
    stand.side.fault({"server": "gpu-01", "power_lost": True})
    await first  # its task is gone, as after a BMC's own restart: the inventory decides
    assert pending(stand) == {}
    monkeypatch.setattr(tasks, "SECONDS", 0.1)
    await restarted(stand, machine)
    assert runs(stand) == FACTORY | NEW


async def test_a_controller_that_takes_no_apply_time_restarts_by_itself_and_is_waited_for(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "APPLY_TIMES", ())
    monkeypatch.setattr(connector, "RETRIES", 1)
    monkeypatch.setattr(restarts, "SECONDS", 1.5)
    await on(stand)
    machine = Machine(node(stand), {})
    await machine.prepare(stand.context())
    assert (runs(stand), pending(stand)) == ({**FACTORY, "BMC": NEW["BMC"]}, {"BIOS": NEW["BIOS"]})
    assert any("not answering" in each or "waiting for its controller" in each for each in stand.said)
    await restarted(stand, machine)
    assert runs(stand) == FACTORY | NEW


@FORMS
async def test_stopped_by_the_user_before_an_order_nothing_is_sent(stand: Stand) -> None:
    ctx: Context = stand.context()
    ctx.cancel.set()
    with pytest.raises(ProviderError, match="stopped before"):
        await Machine(node(stand), {}).prepare(ctx)
    assert stand.side.writes == 0


async def test_a_controller_that_takes_no_images_is_a_sentence(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = updates.Updates._service
    monkeypatch.setattr(updates.Updates, "_service", lambda self: {**plain(self), "Actions": {}})
    with pytest.raises(ProviderError, match="offers neither SimpleUpdate nor MultipartHttpPushUri"):
        await Machine(node(stand), {}).prepare(stand.context())
