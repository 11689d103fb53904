"""The gate of a firmware version: the site's approval by its day, and what HCL says of servers that run it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import pytest

from podwright.components.providers.intersight import bundles, firmware
from podwright.components.providers.intersight.account import Account, account
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.lab.variants import VARIANTS
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand
from tests.providers.intersight.test_check import problems
from tests.waiting import soon

WANTED = {"version": "6.0(2.260040)", "until": "2999-01-01", "source": "CHG-7"}
MODEL = "UCSX-210C-M7"
OLD = {"Moid": "old", "Model": MODEL, "Firmware": "5.4(0.250040)"}
FORMS = pytest.mark.parametrize("stand", [f"{{bundle: {form}}}" for form in VARIANTS["bundle"].forms], indirect=True)


class Holder:
    """An account that holds servers, their HCL statuses and what their controllers run."""

    def __init__(
        self,
        *statuses: Mapping[str, Any],
        servers: tuple[Mapping[str, Any], ...] = (),
        controllers: tuple[Mapping[str, Any], ...] = (),
        refuses: tuple[str, ...] = (),
    ) -> None:
        self.held = {firmware.STATUS: statuses, bundles.SUMMARY: (OLD, *servers), bundles.RUNNING: controllers}
        self.refuses, self.asked = refuses, list[str]()

    async def where(self, object_type: str, name: str, value: str, within: str = "") -> list[dict[str, Any]]:
        self.asked.append(" ".join(filter(None, (f"{object_type} {name} eq '{value}'", within))))
        if object_type in self.refuses:
            raise ProviderError("no such type")
        return [dict(each) for each in self.held[object_type]]


def peer(version: str, hardware: str, **summary: str) -> dict[str, Any]:
    """An account in which another server of the model runs a version, with that HCL status."""
    server = {"Moid": "peer", "Model": MODEL, "Firmware": version, **summary}
    status = {"ManagedObject": {"Moid": "peer"}, "HardwareStatus": hardware, "Reason": "Incompatible-Firmware"}
    return {"status": status, "server": server}


def holding(version: str, hardware: str, **summary: str) -> Holder:
    made = peer(version, hardware, **summary)
    return Holder(made["status"], servers=(made["server"],))


def controller(moid: str, package: str) -> dict[str, Any]:
    return {"PackageVersion": package, "Ancestors": [{"Moid": "chassis"}, {"Moid": moid}]}


async def permit(server: Mapping[str, Any], account: Holder, **change: str) -> list[str]:
    """What is shown while a server is permitted its version."""
    shown: list[str] = []
    ctx = Context(log=shown.append, warn=shown.append)
    await firmware.permit(cast("Account", account), {"firmware": WANTED | change}, server, ctx, "the profile")
    return shown


@pytest.mark.parametrize(
    ("server", "controllers"),
    [
        ({"Firmware": WANTED["version"]}, ()),
        ({"PackageVersion": "6.0(2.260040)B"}, ()),
        ({}, (controller("old", "6.0(2.260040)B"),)),
        ({}, (controller("other", "5.4(0.250040)B"), controller("old", "6.0(2.260040)"))),
    ],
    ids=["controller", "summary", "running with a letter", "running"],
)
async def test_a_server_that_runs_the_version_is_permitted_it_for_ever(
    server: dict[str, str], controllers: tuple[Mapping[str, Any], ...]
) -> None:
    account = Holder(controllers=controllers)
    assert await permit({**OLD, **server}, account, until="2000-01-01") == []
    assert len(account.asked) == (0 if "PackageVersion" in server else 1)


async def test_a_controller_that_is_called_like_the_bundle_is_not_the_bundle() -> None:
    account = Holder(controllers=(controller("old", "5.4(0.250048)B"),))
    with pytest.raises(ProviderError, match=re.escape("runs 5.4(0.250048); renew it")):
        await permit({**OLD, "Firmware": WANTED["version"]}, account, until="2000-01-01")


async def test_without_a_list_of_what_runs_the_controller_s_version_counts() -> None:
    account = Holder(refuses=(bundles.RUNNING,))
    (said,) = await permit({**OLD, "Firmware": WANTED["version"]}, account, until="2000-01-01")
    assert "by the version of the management controller alone" in said


async def test_an_approval_that_is_over_stops_a_server_that_runs_another() -> None:
    with pytest.raises(ProviderError, match=re.escape("CHG-7) ended on 2000-01-01, and the server runs 5.4(0.250040)")):
        await permit(OLD, Holder(), until="2000-01-01")


@pytest.mark.parametrize("summary", [{}, {"Firmware": "6.0(2.260036)", "PackageVersion": "6.0(2.260040)B"}])
async def test_a_version_that_is_not_listed_where_it_runs_stops_the_next_server(summary: dict[str, str]) -> None:
    account = holding(WANTED["version"], "Not-Listed", **summary)
    with pytest.raises(ProviderError, match=r"does not have firmware 6.0\(2.260040\).*Incompatible-Firmware"):
        await permit(OLD, account)
    assert f"cond.HclStatus InvModel eq '{MODEL}'" in account.asked


@pytest.mark.parametrize(
    ("account", "words"),
    [
        (holding(WANTED["version"], "Validated"), "validated on a server that runs it"),
        (holding(WANTED["version"], "Incomplete"), "not checked"),
        (holding("5.4(0.250040)", "Not-Listed"), "not checked"),
        (holding(WANTED["version"], "Not-Listed", PackageVersion="5.4(0.250048)B"), "not checked"),
        (Holder(), "not checked"),
        (Holder(refuses=(firmware.STATUS,)), "not checked"),
    ],
)
async def test_what_is_not_known_stops_nothing_and_is_called_not_checked(account: Holder, words: str) -> None:
    shown = await permit(OLD, account)
    assert words in shown[-1]
    assert all("validated" not in each for each in shown if words == "not checked")


async def test_nothing_of_a_profile_is_written_when_its_firmware_is_refused(stand: Stand) -> None:
    wanted = WANTED | {"until": "2000-01-01"}
    driver = Driver(stand, BY_TOKEN["ServerProfile"], specs.profile(firmware=wanted))
    with pytest.raises(ProviderError, match="ended on 2000-01-01"):
        await driver.create()
    assert stand.store.of("server.Profile") == []


@FORMS
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
        return str(stand.side.inventory.bundles["cp-01"])

    before = runs()
    assert before != WANTED["version"]
    assert stand.world.host("cp-01").boots == 0
    assert any("not checked" in each for each in stand.said)
    stand.world.power("cp-01", "On")
    await soon(lambda: runs() == WANTED["version"])
    (another,) = (each for each in stand.store.of("compute.PhysicalSummary") if each["Serial"] == "WZP00000012")
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
