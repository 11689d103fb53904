"""Devices under a new name, on a lab: updated in place by the page's words, refused in preview without them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.conftest import MakeSite
from tests.e2e.project import Project, running_project
from tests.e2e.site import Site
from tests.e2e.standing import kubectl

pytestmark = pytest.mark.rough


@pytest.fixture
def named(tmp_path: Path) -> Iterator[Project]:
    with running_project(tmp_path) as project:
        yield project


def test_a_switch_is_renamed_and_stays_what_it_is(named: Project) -> None:
    ids = {each["urn"]: each.get("id") for each in named.resources("pod-a")}
    before = named.console("leaf-02")
    rename(named, "leaf-02b")
    said = named.refused("podwright", "preview", "pod-a", "--", "--non-interactive")
    assert "write `renamed_from: leaf-02` in the entry leaf-02b" in said
    said = named.refused("podwright", "up", "pod-a", "--", "--yes", "--skip-preview")
    assert "write `renamed_from: leaf-02` in the entry leaf-02b" in said
    assert named.console("leaf-02") == before, "neither stripped nor written"

    rename(named, "leaf-02b", "leaf-02")
    steps = named.steps("pod-a")
    assert set(steps.values()) == {"update"}, steps
    assert {"pod-a-leaf-02b", "pod-a-leaf-02b-links", "pod-a-spine-01"} <= set(steps)
    named.type("podwright", "up", "pod-a", "--", "--yes", "--skip-preview")
    after = named.console("leaf-02")
    changed = {line.split()[0] for line in set(before) ^ set(after)}
    assert changed <= {"hostname", "cli"}, changed
    assert "hostname leaf-02b" in after
    here = {each["urn"].rpartition("::")[2]: each.get("id") for each in named.resources("pod-a")}
    assert here["pod-a-leaf-02b"] == ids[next(urn for urn in ids if urn.endswith("Switch::pod-a-leaf-02"))]
    assert "pod-a-leaf-02" not in here
    named.type("podwright", "preview", "pod-a", "--", "--expect-no-changes")
    rename(named, "leaf-02b")
    assert set(named.steps("pod-a")) <= {"pod-a-world"}, "the line may go"
    named.type("podwright", "up", "pod-a", "--", "--yes", "--skip-preview")

    rename(named, "leaf-09", "leaf-02b")
    named.type("podwright", "destroy", "pod-a", "--", "--yes")
    assert not [line for line in named.console("leaf-02") if "podwrightowner" in line]


def test_servers_are_renamed_and_their_nodes_stay(make_site: MakeSite) -> None:
    """One that Intersight profiles and one over Redfish: nothing is made anew, and nothing restarts."""
    site = make_site("servers", brought_up=False)
    site.edit(dict.fromkeys(("workloads", "acceptance", "operators", "openshift/teams")))
    site.up()
    known = yaml.safe_load(site.stack_file.read_text())["config"]["podwright:cluster"]["servers"]
    before, machines = nodes(site), site.world("GET", "/state")["servers"]
    for was in ("cp-02", "gpu-05"):
        entry = {**known[was], "renamed_from": was, "object_name": was}
        site.edit({f"servers/{was}": None, f"servers/{was}b": entry})
    steps = {change.name: change.op for change in site.preview() if change.op != "same"}
    assert set(steps.values()) == {"update"}, steps
    assert {"lab-cp-02b-profile", "lab-gpu-05b-server", "lab-leaf-01"} <= set(steps)
    site.up()
    assert nodes(site) == before
    after = site.world("GET", "/state")["servers"]
    assert {name: each["boots"] for name, each in after.items()} == {n: e["boots"] for n, e in machines.items()}
    assert [change for change in site.preview() if change.op != "same"] == []


def rename(project: Project, name: str, was: str = "") -> None:
    """Write the second leaf out under a name of its own; `was` is written as its former one."""
    former = f"renamed_from: {was}, " if was else ""
    entry = (
        f"{name}: {{{former}model: N9K-C9316D-GX, index: 2, asn: 64602, management: 192.0.0.22, rack: r2, "
        f"group: 1, rails: [4, 5, 6, 7]}}"
    )
    text = project.file.read_text().replace("leaf-[01-02]", f"{entry}\n        leaf-[01-01]")
    text, count = re.subn(r"\S+: {[^\n]*management: 192.0.0.22,[^\n]*", entry, text)
    assert count == 1
    project.file.write_text(text)


def nodes(site: Site) -> dict[str, str]:
    """Unique id of each node by its name."""
    found = json.loads(kubectl(site, "get", "nodes", "-o", "json"))
    return {node["metadata"]["name"]: node["metadata"]["uid"] for node in found["items"]}
