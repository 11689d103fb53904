"""Another project uses the components without a stack file of ours: two fabrics, three profiles, two pools, one job."""

import importlib.util
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from podwright.components.design import fabric
from podwright.components.model import Cluster
from tests.e2e.conftest import MakeSite
from tests.e2e.site import Site
from tests.e2e.standing import kubectl
from tools.generated import ROOT
from tools.world import world

pytestmark = pytest.mark.rough

HOME = ROOT / "tests/programs/two-fabrics"


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


@pytest.fixture(scope="module")
def second(make_site: MakeSite, tmp_path_factory: pytest.TempPathFactory) -> Site:
    file = tmp_path_factory.mktemp("rack") / "world.yaml"
    file.write_text(yaml.safe_dump(rack(), sort_keys=False))
    site = make_site("second", stack_text="config: {}\n", world=file, brought_up=False, program=HOME)
    preview = site.pulumi("preview", "--policy-pack", "policies")
    assert "to create" in preview.stdout
    site.up()
    return site


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
