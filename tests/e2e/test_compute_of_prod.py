"""The production site's servers, from hardware that nobody has claimed: claimed, up, looked at again, and gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.prod import account, claim, delivered
from tests.e2e.site import Site
from tests.e2e.test_inventories import ask

pytestmark = pytest.mark.rough

BLADES = ("cp-01", "cp-02", "cp-03", "inf-01", "inf-02", "inf-03")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = delivered(tmp_path / "site", "compute-of-a-stack", "intersight,redfish")
    yield made
    assert not made.lab_errors()
    made.lab_down()


def test_the_servers_of_prod_come_up_from_unclaimed_hardware(site: Site) -> None:
    api = account(site)
    claim(site, api)
    site.pulumi("up", "--yes", "--skip-preview")
    state = site.world("GET", "/state")
    for name in ("x-series-a", "x-series-b"):
        assert state["interconnects"][name]["server_ports"] == sorted(f"Ethernet1/{n}" for n in range(9, 15))
        assert state["interconnects"][name]["uplinks"] == ["Ethernet1/1", "Ethernet1/2"]
    profiles = {each["Name"]: each for each in ask(api, "GET", "server/Profiles")["Results"]}
    assert set(profiles) == set(BLADES) and all(each["AssignedServer"] for each in profiles.values())
    writes = site.writes()
    site.pulumi("preview", "--refresh", "--run-program", "--expect-no-changes")
    site.pulumi("up", "--yes", "--skip-preview", "--refresh", "--run-program")
    assert site.writes() == writes
    site.pulumi("destroy", "--yes", "--skip-preview", "--run-program")
    assert not ask(api, "GET", "server/Profiles")["Results"]
    assert not ask(api, "GET", "fabric/SwitchClusterProfiles")["Results"]
