"""The production site's servers, from hardware that nobody has claimed: claimed, up, looked at again, and gone."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from intersight import ApiClient
from intersight.authentication import get_api_client

from tests.e2e.site import ROOT, Site
from tests.e2e.test_inventories import ask

pytestmark = pytest.mark.rough

STACK = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
KEY_ID = STACK["intersight"]["key_id"]
BLADES = ("cp-01", "cp-02", "cp-03", "inf-01", "inf-02", "inf-03")


def lab(site: Site, *words: str) -> Any:
    command = [sys.executable, "-m", "podwright.lab", *words, "--dir", str(site.lab)]
    return site.run(command, cwd=ROOT).stdout


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path / "site")
    made.lay_out("config: {}\n", ROOT / "tests/programs/compute-of-a-stack")
    shutil.copy(ROOT / "Pulumi.prod.yaml", made.folder / "stack.yaml")
    lab(made, "up", "--only", "intersight,redfish", "--world", "prod")
    made.init()
    yield made
    assert not made.lab_errors()
    made.lab_down()


def account(site: Site) -> ApiClient:
    """Cisco's SDK on the lab's account."""
    reach = json.loads((site.lab / "reach.json").read_text())
    key = Path(reach["secrets"]) / "intersight-key"
    to = get_api_client(KEY_ID, api_secret_file=str(key), endpoint="https://intersight.com").configuration
    to.host, to.ssl_ca_cert = f"https://{reach['forward']['intersight.com:443']}", reach["ca"]
    to.assert_hostname = "intersight.com"
    return ApiClient(to)


def test_the_servers_of_prod_come_up_from_unclaimed_hardware(site: Site) -> None:
    api = account(site)
    lab(site, "fault", "intersight", "unclaim=all")
    assert not ask(api, "GET", "network/Elements")["Results"]
    for device, shown in site.world("GET", "/intersight/consoles").items():
        ask(api, "POST", "asset/DeviceClaims", {"SerialNumber": device, "SecurityToken": shown["code"]})
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
