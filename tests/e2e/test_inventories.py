"""Servers by lot, all models and both attachments, on the lab's Intersight and BMCs: up, looked at again, and gone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from intersight import ApiClient
from intersight.authentication import get_api_client

from podwright.components.intersight_table.table import object_types, path_of
from tests.e2e.inventory_of_servers import KEY_ID, drawn
from tests.e2e.site import ROOT, Site

pytestmark = pytest.mark.rough

SEED = os.environ.get("PODWRIGHT_INVENTORIES_SEED", "")
"""Any seed must pass; without one a small inventory is drawn anew each run."""
MOST = 64 if SEED else 8
THEIRS: dict[str, dict[str, Any]] = {
    "ntp/Policies": {"Name": "ntp", "NtpServers": ["192.0.2.77"]},
    "bios/Policies": {"Name": "bios", "SrIov": "disabled"},
    "macpool/Pools": {"Name": "pool", "MacBlocks": [{"From": "00:25:B5:FF:00:00", "Size": 16}]},
}
"""What others have in the organization, by its path."""
PROGRAM = ROOT / "tests/programs/servers-alone"


class Servers:
    """A program of servers alone, and the lab that it is for."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.inventory, world = drawn(seed, MOST)
        self.site = Site(folder / "site")
        self.site.lay_out("config: {}\n", PROGRAM)
        (self.site.folder / "inventory.json").write_text(json.dumps(self.inventory))
        file = folder / "world.yaml"
        file.write_text(yaml.safe_dump(world))
        self._lab("up", "--only", "intersight,redfish", "--world", str(file))
        self.site.init()

    def _lab(self, *words: str) -> str:
        command = [sys.executable, "-m", "podwright.lab", *words, "--dir", str(self.site.lab)]
        return self.site.run(command, cwd=ROOT).stdout

    def writes(self) -> int:
        """Requests so far that may change something in Intersight."""
        verbs: dict[str, int] = json.loads(self._lab("counters"))["intersight"]["by_verb"]
        return sum(number for verb, number in verbs.items() if verb != "GET")

    def account(self) -> ApiClient:
        """Cisco's SDK on the lab's account."""
        reach = json.loads((self.site.lab / "reach.json").read_text())
        key = Path(reach["secrets"]) / "intersight-key"
        to = get_api_client(KEY_ID, api_secret_file=str(key), endpoint="https://intersight.com").configuration
        to.host, to.ssl_ca_cert = f"https://{reach['forward']['intersight.com:443']}", reach["ca"]
        to.assert_hostname = "intersight.com"
        return ApiClient(to)


def ask(api: ApiClient, verb: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """One signed request, its answer unchecked."""
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    answer, _, _ = api.call_api(
        f"/api/v1/{path}", verb, {}, [], headers, body=body, auth_settings=["http_signature"],
        response_type=(dict,), _check_type=False,
    )  # fmt: skip
    return answer


def account_of(api: ApiClient) -> dict[str, Any]:
    """What is in the account, by type: everything that a stack of ours may make. Settings come with the machine."""
    kinds = [kind for kind in object_types() if kind != "compute.ServerSetting"]
    return {kind: ask(api, "GET", path_of(kind))["Results"] for kind in kinds}


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    seed = SEED or os.urandom(4).hex()
    print(f"PODWRIGHT_INVENTORIES_SEED={seed}", flush=True)
    made = Servers(tmp_path, seed)
    yield made
    assert not made.site.lab_errors()
    made.site.lab_down()


def test_servers_by_lot_stand_are_left_alone_and_go(servers: Servers) -> None:
    site, api = servers.site, servers.account()
    (organization,) = ask(api, "GET", "organization/Organizations")["Results"]
    own = {"Organization": {"ObjectType": "organization.Organization", "Moid": organization["Moid"]}}
    for path, values in THEIRS.items():
        ask(api, "POST", path, {**values, **own})
    before = account_of(api)
    site.pulumi("up", "--yes", "--skip-preview")
    written = servers.writes()
    site.pulumi("preview", "--refresh", "--run-program", "--expect-no-changes")
    site.pulumi("up", "--yes", "--skip-preview", "--refresh", "--run-program")
    assert servers.writes() == written
    site.pulumi("destroy", "--yes", "--skip-preview", "--run-program")
    assert account_of(api) == before
