"""Clusters of the sizes and kinds that users have: the policy pack has nothing against any of them, in a preview
without a device; three sizes come up on the lab, and nothing is left to do then.
"""

import json
import sys
from pathlib import Path

import pytest

from podwright.cli import world
from podwright.components import model
from podwright.components.design.platform.names import WORKLOAD_LABEL
from tests import clusters, drawn
from tests.e2e.conftest import MakeSite
from tests.e2e.site import Site
from tests.e2e.standing import kubectl
from tests.waiting import until

pytestmark = pytest.mark.rough

LOT = drawn.seed("PODWRIGHT_CLUSTERS_SEED") // drawn.PARTS % 3
"""Which third of the clusters is previewed, and which one of the three comes up. Not by the remainder that this file
was drawn by: that is the same each time, and two thirds would never be."""
PATIENCE = 300.0
PODWRIGHT = str(Path(sys.executable).with_name("podwright"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", clusters.names()[LOT::3])
def test_the_pack_finds_nothing_in_its_preview(name: str, tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.lay_out(clusters.text(name))
    site.lab.mkdir()
    (site.lab / "reach.json").write_text("{}")
    site.init()
    found = tmp_path / "found.sarif"
    site.run([PODWRIGHT, "preview", site.stack, "--sarif", str(found), "--fail-on", "low"])
    assert [each["message"]["text"] for run in json.loads(found.read_text())["runs"] for each in run["results"]] == []


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("name", clusters.applied()[LOT::3])
def test_it_comes_up_and_nothing_is_left_to_do(name: str, make_site: MakeSite, tmp_path: Path) -> None:
    file = tmp_path / f"Pulumi.{name}.yaml"
    file.write_text(clusters.text(name))
    cluster = model.load(file)
    rack = tmp_path / "world.yaml"
    rack.write_text(world.text(cluster))
    site = make_site(name, stack_text=file.read_text(), world=rack)

    def ready() -> bool:
        nodes = json.loads(kubectl(site, "get", "nodes", "-o", "json"))["items"]
        conditions = [{each["type"]: each["status"] for each in node["status"]["conditions"]} for node in nodes]
        return len(nodes) == len(cluster.servers) and all(each["Ready"] == "True" for each in conditions)

    def running() -> bool:
        pods = json.loads(kubectl(site, "get", "pods", "-A", "-l", WORKLOAD_LABEL, "-o", "json"))
        return bool(pods["items"]) and all(pod["status"]["phase"] == "Running" for pod in pods["items"])

    until(ready, PATIENCE, "every server is a node")
    until(running, PATIENCE, "every workload runs")
    assert site.preview() == []
    audited = site.run([PODWRIGHT, "audit", site.stack])
    assert ": 0 findings, " in audited.stdout
