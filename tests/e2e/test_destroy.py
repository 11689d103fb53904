"""What stood before and is not ours outlives us unchanged; a name that is taken stops `up` and loses nothing."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.signing import Signer
from podwright.components.providers.intersight.transport import Client
from podwright.components.providers.reach import load
from tests.e2e import standing
from tests.e2e.conftest import MakeSite
from tests.e2e.site import Site

pytestmark = [pytest.mark.rough, pytest.mark.timeout(1500)]

FOREIGN = {
    "leaf-01": ["vlan 77", "name theirs", "interface Ethernet1/64", "description theirs", "no shutdown"],
    "leaf-02": ["policy-map type qos THEIRS", "class class-default", "set qos-group 0"],
    "spine-01": [
        "ip prefix-list THEIRS seq 5 permit 203.0.113.0/24",
        "cli alias name wr copy running-config startup-config",
    ],
}
"""What other people configured on the switches, between `configure terminal` and `end`."""


def type_in(site: Site, switch: str, *lines: str) -> None:
    said = standing.console(site, switch, "configure terminal", *lines, "end", "copy running-config startup-config")
    assert "Invalid" not in said, said


def account(site: Site) -> tuple[Account, Client]:
    reach = load(site.environ)
    signer = Signer("lab0account/lab0user/lab0key", reach.secret("intersight-key"), "intersight.com")
    client = Client("intersight.com", 443, reach, signer)
    return Account(client), client


def make_policy(site: Site, name: str, organization: str, **properties: Any) -> None:
    """An NTP policy that a person made in the web page."""

    async def post() -> None:
        known, client = account(site)
        home = await known.one("organization.Organization", f"Name eq '{organization}'", organization)
        if home is None:
            home = await client.write("POST", "organization/Organizations", {"Name": organization}, {}, "organize")
        place = {"ClassId": "mo.MoRef", "ObjectType": "organization.Organization", "Moid": home["Moid"]}
        body = {"Name": name, "Organization": place, "Enabled": True, **properties}
        await client.write("POST", "ntp/Policies", body, {}, f"make {name}")

    asyncio.run(post())


def policies(site: Site) -> list[Mapping[str, Any]]:
    """Every NTP policy in full, without what the server counts."""

    async def ask() -> list[Mapping[str, Any]]:
        return list((await account(site)[1].get("ntp/Policies"))["Results"] or [])

    return [{k: v for k, v in each.items() if k != "ModTime"} for each in asyncio.run(ask())]


@pytest.fixture(scope="module")
def rack(make_site: MakeSite) -> tuple[Site, standing.Standing]:
    """A rack in which other people's things stand already, and how it stood."""
    site = make_site("inhabited", brought_up=False)
    for switch, lines in FOREIGN.items():
        type_in(site, switch, *lines)
    make_policy(site, "lab-ntp", "elsewhere", NtpServers=["203.0.113.1"])
    make_policy(site, "theirs", "default", NtpServers=["203.0.113.2"])
    return site, outside(site)


@pytest.fixture
def inhabited(rack: tuple[Site, standing.Standing]) -> Site:
    """The rack with other people's things."""
    return rack[0]


def outside(site: Site) -> standing.Standing:
    """What must be the same afterwards: switches as a whole, the account, the servers' firmware settings."""
    kept = {**standing.switches(site), **standing.intersight(site)}
    return {**kept, "policies": policies(site)}


def test_names_that_are_taken_stop_up_and_keep_what_they_hold(inhabited: Site) -> None:
    taken = next(line for line in _planned(inhabited) if line.startswith("policy-map type qos "))
    type_in(inhabited, "leaf-01", taken, "class class-default", "set qos-group 2")
    make_policy(inhabited, "lab-ntp", "default", NtpServers=["203.0.113.3"])
    before = standing.switches(inhabited)["leaf-01 running"], _theirs(inhabited)
    done = inhabited.up("--continue-on-error", check=False)
    assert done.returncode
    said = {line for line in (done.stdout + done.stderr).splitlines() if "adopt" in line}
    for what in (taken, "ntp.Policy 'lab-ntp'"):
        both_ways = [line for line in said if what in line and re.search("rename|another name|remove|delete", line)]
        assert both_ways, f"{what}: {done.stdout}"
    assert (standing.switches(inhabited)["leaf-01 running"], _theirs(inhabited)) == before
    type_in(inhabited, "leaf-01", f"no {taken}")
    _remove_policy(inhabited, "lab-ntp", "default")


def _theirs(site: Site) -> list[Mapping[str, Any]]:
    return [each for each in policies(site) if each["NtpServers"] == ["203.0.113.3"]]


def _planned(site: Site) -> list[str]:
    """The blocks that the stack wants on leaf-01."""
    steps = json.loads(site.pulumi("preview", "--json").stdout)["steps"]
    leaf = next(step for step in steps if step["urn"].endswith("Switch::lab-leaf-01"))
    return list(leaf["newState"]["inputs"]["spec"]["config"])


def _remove_policy(site: Site, name: str, organization: str) -> None:
    async def delete() -> None:
        known, client = account(site)
        found = await known.named("ntp.Policy", name, organization)
        assert found is not None
        await client.write("DELETE", f"ntp/Policies/{found['Moid']}", None, {}, f"delete {name}")

    asyncio.run(delete())


def test_destroy_leaves_the_rack_as_it_was_found(rack: tuple[Site, standing.Standing]) -> None:
    inhabited, before = rack
    inhabited.up()
    standing.kubectl(inhabited, "create", "namespace", "blue")
    standing.kubectl(inhabited, "create", "configmap", "theirs", "-n", "blue", "--from-literal=a=b")
    inhabited.edit({"openshift/teams/blue": {"gpus": 1}})
    for clash in (inhabited.pulumi("preview", check=False), inhabited.up(check=False)):
        assert clash.returncode
        assert "exists already and is not part of this stack; rename or delete blue" in clash.stdout + clash.stderr
        assert "podwright.io/adopt" in clash.stdout + clash.stderr
    assert "podwright.io/stack" not in standing.kubectl(inhabited, "get", "namespace", "blue", "-o", "yaml")
    inhabited.edit({"openshift/teams/blue": None, "protect": True})
    inhabited.up()
    # Without a preview the engine meets the protected ones after it has deleted others, half-way through drains.
    refused = inhabited.destroy("--skip-preview", check=False)
    assert refused.returncode
    assert "protect" in refused.stdout + refused.stderr
    assert standing.kubectl(inhabited, "get", "configmap", "theirs", "-n", "blue", "-o", "name")
    inhabited.edit({"protect": None})
    inhabited.up()
    gone = inhabited.destroy("--skip-preview").stdout
    assert "its CRDs stay, as OLM leaves them: clusterpolicies.nvidia.com" in gone
    assert standing.differences(before, outside(inhabited)) == {}
    assert {each["power"] for each in inhabited.world("GET", "/state")["servers"].values()} == {"Off"}
    assert inhabited.export()["deployment"].get("resources", []) == []
