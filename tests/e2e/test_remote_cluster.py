"""The lab's whole stack file as one `AiCluster` of a Pulumi YAML program, made by `pulumi-resource-podwright`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import Cluster
from podwright.components.schema.names import written
from tests.e2e.conftest import MakeSite
from tests.e2e.site import Site
from tests.e2e.test_second_project import SECRETS, configure_secrets
from tools.generated import ROOT

pytestmark = pytest.mark.rough


def program() -> dict[str, Any]:
    """The project: a provider instance that has every secret's value, and the cluster."""
    cluster = model.load(ROOT / "Pulumi.lab.yaml")
    assert cluster.intersight
    assert cluster.bmc
    login = {
        "nxos": {"user": cluster.fabric.user, "secret": cluster.fabric.credential},
        "intersight": {"keyId": cluster.intersight.key_id, "secret": cluster.intersight.key},
        "redfish": {"user": cluster.bmc.user, "secret": cluster.bmc.password},
        "secrets": {name: f"${{{key}}}" for key, name in SECRETS.items()},
    }
    return {
        "name": "second",
        "runtime": "yaml",
        "plugins": {"providers": [{"name": "podwright", "path": "./.venv/bin"}]},
        "config": {"pulumi:disable-default-providers": {"value": ["*"]}},
        "configuration": {key: {"type": "string", "secret": True} for key in SECRETS},
        "resources": {
            "site": {"type": "pulumi:providers:podwright", "properties": login},
            "lab": {
                "type": "podwright:AiCluster",
                "properties": written(json.loads(cluster.model_dump_json()), Cluster),
                "options": {"providers": ["${site}"]},
            },
        },
        "outputs": {"ready": "${lab.ready}", "exports": "${lab.exports}"},
    }


@pytest.fixture(scope="module")
def whole(make_site: MakeSite, tmp_path_factory: pytest.TempPathFactory) -> Site:
    home: Path = tmp_path_factory.mktemp("program")
    (home / "Pulumi.yaml").write_text(json.dumps(program()))  # JSON is YAML
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "yaml"], cwd=ROOT, check=True)
    site = make_site("whole", stack_text="config: {}\n", brought_up=False, program=home)
    configure_secrets(site)
    site.up()
    return site


def test_it_comes_up_with_its_acceptance_measured(whole: Site) -> None:
    outputs = whole.outputs()
    assert outputs["ready"] == "lab-ready"
    assert outputs["exports"]["acceptance"]
    assert outputs["exports"]["unproven"] == {}


def test_a_second_preview_is_empty(whole: Site) -> None:
    assert whole.preview() == []
