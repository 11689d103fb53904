"""The gate of a firmware version: the site's approval by its day, and what HCL says of servers that run it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import pytest

from podwright.components.providers.intersight import firmware
from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.protocol.kind import Context, ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand, until
from tests.providers.intersight.test_check import problems

WANTED = {"version": "6.0(2.260040)", "until": "2999-01-01", "source": "CHG-7"}
OLD = {"Model": "UCSX-210C-M7", "Firmware": "5.4(0.250040)"}


class Statuses:
    """An account that holds HCL statuses, or none of that type."""

    def __init__(self, *held: Mapping[str, str], refuses: bool = False) -> None:
        self.held, self.refuses, self.asked = held, refuses, list[str]()

    async def where(self, object_type: str, name: str, value: str) -> list[dict[str, Any]]:
        self.asked.append(f"{object_type} {name} eq '{value}'")
        if self.refuses:
            raise ProviderError("no such type")
        return [dict(each) for each in self.held]


def status(version: str, hardware: str) -> dict[str, str]:
    return {"InvFirmwareVersion": version, "HardwareStatus": hardware, "Reason": "Incompatible-Firmware"}


async def permit(server: Mapping[str, Any], account: Statuses, **change: str) -> list[str]:
    """What is shown while a server is permitted its version."""
    shown: list[str] = []
    ctx = Context(log=shown.append, warn=shown.append)
    await firmware.permit(cast("Account", account), {"firmware": WANTED | change}, server, ctx, "the profile")
    return shown


async def test_a_server_that_runs_the_version_is_asked_nothing() -> None:
    account = Statuses(refuses=True)
    assert await permit({**OLD, "Firmware": WANTED["version"]}, account, until="2000-01-01") == []
    assert account.asked == []


async def test_an_approval_that_is_over_stops_a_server_that_runs_another() -> None:
    with pytest.raises(ProviderError, match=re.escape("CHG-7) ended on 2000-01-01, and the server runs 5.4(0.250040)")):
        await permit(OLD, Statuses(), until="2000-01-01")


async def test_a_version_that_is_not_listed_where_it_runs_stops_the_next_server() -> None:
    account = Statuses(status("5.4(0.250040)", "Validated"), status(WANTED["version"], "Not-Listed"))
    with pytest.raises(ProviderError, match=r"does not have firmware 6.0\(2.260040\).*Incompatible-Firmware"):
        await permit(OLD, account)
    assert account.asked == ["cond.HclStatus InvModel eq 'UCSX-210C-M7'"]


@pytest.mark.parametrize(
    ("account", "words"),
    [
        (Statuses(status(WANTED["version"], "Validated")), "validated on a server that runs it"),
        (Statuses(status(WANTED["version"], "Incomplete")), "not checked"),
        (Statuses(status("5.4(0.250040)", "Not-Listed")), "not checked"),
        (Statuses(), "not checked"),
        (Statuses(refuses=True), "not checked"),
    ],
)
async def test_what_is_not_known_stops_nothing_and_is_called_not_checked(account: Statuses, words: str) -> None:
    shown = await permit(OLD, account)
    assert words in shown[-1]
    assert all("validated" not in each for each in shown if words == "not checked")


async def test_nothing_of_a_profile_is_written_when_its_firmware_is_refused(stand: Stand) -> None:
    wanted = WANTED | {"until": "2000-01-01"}
    driver = Driver(stand, BY_TOKEN["ServerProfile"], specs.profile(firmware=wanted))
    with pytest.raises(ProviderError, match="ended on 2000-01-01"):
        await driver.create()
    assert stand.store.of("server.Profile") == []


async def test_an_update_upgrades_nothing_and_the_next_restart_does_and_speaks_for_others_of_the_model(
    stand: Stand,
) -> None:
    combo = {"ClassId": "firmware.ModelBundleVersion", "ObjectType": "firmware.ModelBundleVersion"}
    combo |= {"ModelFamily": "UCSC-C225-M8", "BundleVersion": WANTED["version"]}
    await Driver(
        stand, BY_TOKEN["Policy"], specs.policy("firmware.Policy", "t-fw", {"ModelBundleCombo": [combo]})
    ).create()
    spec = specs.profile(("firmware.Policy", "t-fw"), firmware=WANTED)
    await Driver(stand, BY_TOKEN["ServerProfile"], spec).create()

    def runs() -> str:
        (found,) = (each for each in stand.store.of("compute.PhysicalSummary") if each["Serial"] == spec["serial"])
        return str(found["Firmware"])

    before = runs()
    assert before != WANTED["version"]
    assert stand.world.host("cp-01").boots == 0
    assert any("not checked" in each for each in stand.said)
    stand.world.power("cp-01", "On")
    await until(lambda: runs() == WANTED["version"])
    another = {"Model": spec["model"], "Firmware": before}
    (unit,) = (each for each in stand.store.of("compute.RackUnit") if each["Serial"] == spec["serial"])
    with stand.side.service.lock:
        stand.store.update(unit, {"Tags": [{"Key": "intersight.hcl.osName", "Value": "RHCOS"}]})
    await firmware.permit(account(stand.context()), spec, another, stand.context(), "another profile")
    assert "validated on a server that runs it" in stand.said[-1]
    stand.fault(hcl={"cp-01": "Not-Listed"})
    with pytest.raises(ProviderError, match="does not have firmware"):
        await firmware.permit(account(stand.context()), spec, another, stand.context(), "another profile")


def test_what_permits_a_version_has_its_three_parts_and_a_day() -> None:
    assert problems("ServerProfile", specs.profile(firmware=WANTED)) == []
    ((path, message),) = problems("ServerProfile", specs.profile(firmware={"version": "6.0(2.260040)"}))
    assert (path, message) == ("spec.firmware", "takes version, until, source, each a text")
    ((path, message),) = problems("ServerProfile", specs.profile(firmware=WANTED | {"until": "soon"}))
    assert (path, "2027-05-01" in message) == ("spec.firmware.until", True)
