"""Another project uses the components without a stack file of ours: two fabrics, three profiles, two pools, one job.

The same site in Python, whose components are made in the program's own process, and in Pulumi YAML, through
`pulumi-resource-podwright`.
"""

import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from podwright.cli.world import world
from podwright.components.design import fabric
from podwright.components.model import Cluster
from tests.e2e.conftest import MakeSite
from tests.e2e.site import Site
from tests.e2e.standing import console, kubectl
from tools.generated import ROOT

pytestmark = pytest.mark.rough

HOME = ROOT / "tests/programs/two-fabrics"
SECRETS = {
    "switchAdmin": "switch-admin",
    "bmcAdmin": "bmc-admin",
    "intersightKey": "intersight-key",
    "pullSecret": "pull-secret",
}
"""Secret of the world by the key of the YAML program's configuration."""


def sections() -> ModuleType:
    spec = importlib.util.spec_from_file_location("two_fabrics_sections", HOME / "sections.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rack() -> dict[str, Any]:
    """The world of both fabrics: each one's as if it were a cluster of its own, with all servers, laid together."""
    defined = sections()
    made: dict[str, Any] = {}
    for args in defined.FABRICS.values():
        values: dict[str, Any] = {
            "name": defined.CLUSTER,
            "site": defined.SITE,
            "fabric": args.fabric,
            "servers": defined.SERVERS,
            "bmc": defined.BMC,
            "intersight": defined.INTERSIGHT,
            "openshift": defined.OPENSHIFT,
        }
        # Not a whole cluster: only what a rack is made of.
        cluster = Cluster.model_construct(**values)
        part = world(cluster, fabric.plan(args))
        made = {
            **part,
            "switches": {**made.get("switches", {}), **part["switches"]},
            "cables": [*made.get("cables", []), *part["cables"]],
        }
    return made


@pytest.fixture(scope="module", params=["two-fabrics", "two-fabrics-yaml"], ids=["python", "yaml"])
def second(request: pytest.FixtureRequest, make_site: MakeSite, tmp_path_factory: pytest.TempPathFactory) -> Site:
    file = tmp_path_factory.mktemp("rack") / "world.yaml"
    file.write_text(yaml.safe_dump(rack(), sort_keys=False))
    home = ROOT / "tests/programs" / request.param
    site = make_site(request.param, stack_text="config: {}\n", world=file, brought_up=False, program=home)
    if home.name.endswith("yaml"):
        subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "yaml"], cwd=ROOT, check=True)
        configure_secrets(site)
    preview = site.pulumi("preview", "--policy-pack", "policies")
    assert "to create" in preview.stdout
    site.up()
    return site


def configure_secrets(site: Site) -> None:
    """Secrets as this stack's configuration alone: the reach file has none any more."""
    reach = json.loads((site.lab / "reach.json").read_text())
    secrets = Path(reach.pop("secrets"))
    (site.folder / "reach.json").write_text(json.dumps(reach))
    site.extra_env["PODWRIGHT_REACH"] = str(site.folder / "reach.json")
    for key, name in SECRETS.items():
        words = ["--secret", "--stack", site.stack, "--non-interactive", key, "--", (secrets / name).read_text()]
        site.run(["pulumi", "config", "set", *words])


def test_it_comes_up_and_its_job_runs(second: Site, tmp_path: Path) -> None:
    outputs = second.outputs()
    assert outputs["job"] == "research/pretrain"
    assert outputs["pools"] == {"first": "training", "second": "training"}
    deadline = time.monotonic() + 300
    phases: list[str] = []
    while phases != ["Running", "Running"] and time.monotonic() < deadline:
        time.sleep(2)
        found = kubectl(second, "get", "pods", "-n", "research", "-o", "jsonpath={.items[*].status.phase}")
        phases = found.split()
    assert phases == ["Running", "Running"]


def test_a_second_preview_is_empty(second: Site) -> None:
    assert second.preview() == []


def test_no_secret_stands_in_the_state(second: Site) -> None:
    reach = json.loads((second.lab / "reach.json").read_text())
    state = second.pulumi("stack", "export").stdout
    words = [(Path(reach["secrets"]) / name).read_text().strip().splitlines()[-2:][0] for name in SECRETS.values()]
    assert [word for word in words if word in state] == []


def test_it_goes_away_again(second: Site) -> None:
    """Last: what runs on the cluster goes before the cluster, whoever made the components."""
    second.destroy()
    assert second.export()["deployment"].get("resources", []) == []
    running = console(second, "leaf-01", "show running-config")
    assert "router bgp" not in running
