"""What others change behind the program's back: ours is found and put back, theirs is neither seen nor touched."""

import asyncio
import random
from dataclasses import dataclass
from typing import Any

import pytest

from podwright.components.providers.intersight.table import path_of
from podwright.components.providers.nxos.read.expectations import expanded
from tests.e2e import edits
from tests.e2e.edits import Edit, change_policy, redfish, stage
from tests.e2e.site import Change, Site
from tests.e2e.standing import console, kubectl
from tests.e2e.test_mutations import mutable, shown

pytestmark = pytest.mark.rough

SEED = 50
SHARES = ((edits.switch_edits, 20), (edits.policy_edits, 10), (edits.bios_edits, 10), (edits.object_edits, 10))
SEEN = {
    "mtu": {"mtu", "answered"},
    "priority-flow-control mode": {"pfc"},
    "priority-flow-control watch-dog-interval": {"watchdog"},
}
"""What a verification sees of a line that is gone from an interface."""
FOREIGN_LINES = ("interface Ethernet1/60", "description of somebody else", "vlan 999", "name theirs", "feature lacp")


@dataclass(frozen=True)
class Story:
    """Fifty edits of ours and some of theirs, then `refresh`, then `up`."""

    resources: list[Any]
    made: list[Edit]
    live: dict[str, Any]
    """Inputs by URN after the refresh."""
    planned: list[Change]
    """What the preview shows then."""
    after: list[Change]
    """What it shows after the `up`."""
    left: dict[str, set[edits.Path]]
    """What differs from the devices then."""


@pytest.fixture(scope="module")
def story(converged: Site) -> Story:
    site, dice = converged, random.Random(SEED)
    resources = list(mutable(site.export()))
    edit_theirs(site)
    made = [edit for share, count in SHARES for edit in share(site, resources, dice, count)]
    site.refresh()
    live = {resource["urn"]: resource["inputs"] for resource in mutable(site.export())}
    planned = site.preview()
    site.up()
    return Story(resources, made, live, planned, site.preview(), drifted(site))


def drifted(site: Site) -> dict[str, set[edits.Path]]:
    """What differs between the program and the devices, asked without writing."""
    return {urn: paths for urn, paths in shown(site.preview("--refresh", "--run-program")).items() if paths}


def edit_theirs(site: Site) -> None:
    console(site, "leaf-01", "configure terminal", *FOREIGN_LINES, "end")
    client = edits.intersight(site)
    organizations = asyncio.run(client.get("organization/Organizations"))
    home = {"ObjectType": "organization.Organization", "Moid": organizations["Results"][0]["Moid"]}
    theirs = {"ObjectType": "thermal.Policy", "Name": "theirs", "Organization": home, "FanControlMode": "LowPower"}
    asyncio.run(client.write("POST", path_of("thermal.Policy"), theirs, {}, "make theirs"))
    stage(site, "192.0.2.111", {"SmtMode": "Off"})
    # Not as `kubectl-label`: see docs/cursed-knowledge.md on what the pinned plugin does with managers of that prefix.
    kubectl(site, "label", "namespace", "chat", "theirs=1", "--field-manager=their-tool")
    kubectl(site, "annotate", "node", "gpu-01", "theirs=1")
    kubectl(site, "create", "configmap", "theirs", "-n", "chat", "--from-literal=a=b")


def test_all_fifty_edits_of_what_is_ours_are_found(story: Story) -> None:
    assert len(story.made) == 50
    assert [edit for edit in story.made if not found_in(story.live, edit)] == []


def test_the_next_plan_names_them_and_nothing_else(story: Story) -> None:
    expected: dict[str, set[edits.Path]] = {}
    for edit in story.made:
        expected.setdefault(edit.urn, set()).add(edit.path)
    # A profile whose policy was edited has changes to hand over again, and says so.
    expected |= {urn: {("spec", "action")} for urn in users_of(story.resources, story.made)}
    expected |= seen_of(story.resources, story.made)
    assert shown(story.planned) == expected


def test_up_puts_all_of_them_back(story: Story) -> None:
    assert story.after == []
    assert story.left == {}


def test_what_is_theirs_is_not_touched(story: Story, site: Site) -> None:
    running = console(site, "leaf-01", "show running-config")
    assert all(line in running for line in FOREIGN_LINES)
    assert asyncio.run(change_policy(site, "thermal.Policy", "theirs", None))["FanControlMode"] == "LowPower"
    (system,) = redfish(site, "192.0.2.111", "/redfish/v1/Systems")["Members"]
    assert redfish(site, "192.0.2.111", f"{system['@odata.id']}/BIOS/Settings")["Attributes"]["SmtMode"] == "Off"
    assert kubectl(site, "get", "namespace", "chat", "-o", "jsonpath={.metadata.labels.theirs}") == "1"
    assert kubectl(site, "get", "node", "gpu-01", "-o", "jsonpath={.metadata.annotations.theirs}") == "1"
    assert kubectl(site, "get", "configmap", "theirs", "-n", "chat", "-o", "jsonpath={.data.a}") == "b"


def found_in(live: dict[str, Any], edit: Edit) -> bool:
    """True when the refreshed state says what the device has."""
    value = live[edit.urn]
    for step in edit.path:
        value = value.get(step) if isinstance(value, dict) else value[step]
    if edit.path[:2] == ("spec", "config"):
        return value is None or edit.value not in value.splitlines()
    return bool(value == edit.value)


def users_of(resources: list[Any], made: list[Edit]) -> set[str]:
    """URNs of server profiles that hold an edited policy, by themselves or through one of their policies."""
    policies = [resource for resource in resources if resource["type"] == "podwright:intersight:Policy"]
    names = {resource["inputs"]["spec"]["name"] for resource in policies if resource["urn"] in {e.urn for e in made}}
    for policy in policies:
        referenced = [list(child["references"].values()) for child in policy["inputs"]["spec"]["children"]]
        if names & {each["name"] for references in referenced for each in references}:
            names.add(policy["inputs"]["spec"]["name"])
    return {
        resource["urn"]
        for resource in resources
        if resource["type"] == "podwright:intersight:ServerProfile"
        and names & {policy["name"] for policy in resource["inputs"]["spec"]["policies"]}
    }


def seen_of(resources: list[Any], made: list[Edit]) -> dict[str, set[edits.Path]]:
    """What verifications see of the edits: at the interface, and of an MTU between switches at the far end too."""
    gone: dict[tuple[str, str], set[str]] = {}
    for edit in made:
        if "podwright:nxos:Switch::" in edit.urn:
            place = edit.urn.rpartition("::lab-")[2], str(edit.path[2]).removeprefix("interface ")
            gone.setdefault(place, set()).update(*(seen for line, seen in SEEN.items() if edit.value.startswith(line)))
    found: dict[str, set[edits.Path]] = {}
    for resource in resources:
        if resource["type"] == "podwright:nxos:Verification":
            spec = resource["inputs"]["spec"]
            classes = {name: each for each, rows in spec["interfaces"].items() for name in rows}
            for name, row in expanded(spec).items():
                here = gone.get((spec["hostname"], name), set())
                there = gone.get(tuple(row["faces"].split()), set()) & {"answered"}
                for field in (here | there) & row.keys():
                    found.setdefault(resource["urn"], set()).add(("spec", "interfaces", classes[name], name, field))
    return found
