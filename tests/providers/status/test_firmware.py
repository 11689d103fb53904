"""What the status screen reads of firmware: from Intersight in each form, and from a BMC's inventory."""

from __future__ import annotations

from pathlib import Path

import pytest

from podwright.components.providers.reach import Reach
from podwright.components.providers.status import firmware, servers
from podwright.lab.redfish.side import start
from podwright.lab.variants import VARIANTS
from tests.lab.bench import make_world
from tests.providers.intersight.conftest import KEY_ID, standing
from tests.providers.redfish.conftest import WORLD

LOGIN = {"endpoint": "intersight.com", "key_id": KEY_ID, "secret": "intersight-key"}
SERIALS = ("WZP00000011", "WZP00000021", "WZP99999999")


@pytest.mark.parametrize("form", VARIANTS["bundle"].forms)
async def test_an_account_tells_bundles_and_statuses_of_the_servers_that_it_has(tmp_path: Path, form: str) -> None:
    with standing(tmp_path, f"variants: {{bundle: {form}}}\n") as stand:
        stand.fault(hcl={"cp-01": "Not-Listed"})
        unit = stand.side.inventory.units["cp-01"]
        with stand.side.service.lock:
            stand.store.update(unit, {"Tags": [{"Key": "intersight.hcl.osName", "Value": "RHCOS"}]})
        seen = await firmware.look(LOGIN, SERIALS, stand.context().reach, 20)
    assert seen.problem == ""
    assert dict(seen.runs) == {"WZP00000011": "4.3(2.240009)", "WZP00000021": "4.3(2.240009)"}
    assert dict(seen.listed) == {"WZP00000011": "Not-Listed", "WZP00000021": "Incomplete"}


async def test_an_account_that_is_not_to_be_asked_is_a_sentence(tmp_path: Path) -> None:
    with standing(tmp_path) as stand:
        reach = stand.context().reach
        login = {**LOGIN, "secret": "nobody-gave-it"}
        assert "nobody-gave-it" in (await firmware.look(login, SERIALS, reach, 20)).problem
        assert (await firmware.look(LOGIN, (), reach, 20)) == firmware.FirmwareSeen()


@pytest.mark.parametrize("logins", VARIANTS["logins"].forms)
async def test_a_bmc_tells_the_components_that_are_asked_for(tmp_path: Path, logins: str) -> None:
    world, lab = make_world(tmp_path, WORLD + f"variants: {{logins: {logins}}}\n")
    side = start(world, lab)
    reach = Reach(forward=side.forward, ca=lab.ca.path, secrets=lab.secrets)
    server = {"name": "gpu-01", "address": "192.0.2.101", "serial": "WZP00000001", "credential": "bmc-secret"}
    try:
        seen = await servers.look({**server, "components": ("BMC", "CPLD")}, "operator", reach, 5, 20)
        assert (seen.problem, dict(seen.firmware)) == ("", {"BMC": "4.3(6c)"})
        assert dict((await servers.look(server, "operator", reach, 5, 20)).firmware) == {}
    finally:
        side.stop()
        world.close()
