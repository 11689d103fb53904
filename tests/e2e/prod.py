"""The production site as it is delivered, without its switches: hardware that nobody has claimed, and who claims it."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml
from intersight import ApiClient
from intersight.authentication import get_api_client

from tests.e2e.site import ROOT, Site
from tests.e2e.test_inventories import ask

STACK = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
SERVERS: dict[str, dict[str, Any]] = STACK["servers"]


def delivered(folder: Path, program: str, sides: str) -> Site:
    """A site with a program of tests/programs on the stack file, and a lab of these sides."""
    made = Site(folder)
    made.lay_out("config: {}\n", ROOT / "tests/programs" / program)
    shutil.copy(ROOT / "Pulumi.prod.yaml", made.folder / "stack.yaml")
    lab(made, "up", "--only", sides, "--world", "prod")
    made.init()
    return made


def lab(site: Site, *words: str) -> Any:
    """`python -m lab …` for this site."""
    command = [sys.executable, "-m", "podwright.lab", *words, "--dir", str(site.lab)]
    return site.run(command, cwd=ROOT).stdout


def account(site: Site) -> ApiClient:
    """Cisco's SDK on the lab's account."""
    reach = json.loads((site.lab / "reach.json").read_text())
    key = Path(reach["secrets"]) / "intersight-key"
    key_id = STACK["intersight"]["key_id"]
    to = get_api_client(key_id, api_secret_file=str(key), endpoint="https://intersight.com").configuration
    to.host, to.ssl_ca_cert = f"https://{reach['forward']['intersight.com:443']}", reach["ca"]
    to.assert_hostname = "intersight.com"
    return ApiClient(to)


def claim(site: Site, api: ApiClient) -> None:
    """From an account that is empty: a person reads every device's console, and types its code into Intersight."""
    lab(site, "fault", "intersight", "unclaim=all")
    assert not ask(api, "GET", "network/Elements")["Results"]
    for device, shown in site.world("GET", "/intersight/consoles").items():
        ask(api, "POST", "asset/DeviceClaims", {"SerialNumber": device, "SecurityToken": shown["code"]})
