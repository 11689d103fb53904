"""A stack file with a base, by the engine: it plans what one file plans, before there are devices and on them."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.split import fabric_file
from podwright.components.model import KEY
from podwright.components.model.outputs import Outputs
from tests.e2e.fabric_stack import FabricStack, fabric_stack
from tests.e2e.site import ROOT, Site
from tests.model.test_based import EXAMPLE, clusters, flat

pytestmark = pytest.mark.e2e

BASE = "podwright:base"


def planned(site: Site) -> dict[str, Any]:
    """Inputs of every resource that a preview makes, by its URN; lines of the files, which a provider names, aside."""
    steps = json.loads(site.pulumi("preview", "--json").stdout)["steps"]
    found = {each["urn"]: dict(each["newState"].get("inputs") or {}) for each in steps if each["op"] == "create"}
    for each in found.values():
        each.pop("places", None)
    return found


def test_a_stack_with_a_base_plans_what_one_file_plans(tmp_path: Path) -> None:
    site = Site(tmp_path / "site", "staging")
    file = EXAMPLE / "Pulumi.staging.yaml"
    site.lay_out(file.read_text())
    shutil.copy(EXAMPLE / "base.yaml", site.folder)
    site.init()
    based = planned(site)
    one = flat(*clusters(EXAMPLE / "base.yaml", file))
    site.stack_file.write_text(yaml.safe_dump({"config": {KEY: one}}, sort_keys=False))
    site.folder.joinpath("base.yaml").unlink()
    assert len(based) > 50
    assert planned(site) == based


def test_a_preview_names_the_file_that_is_wrong(tmp_path: Path) -> None:
    site = Site(tmp_path / "site", "staging")
    site.lay_out((EXAMPLE / "Pulumi.staging.yaml").read_text())
    text = (EXAMPLE / "base.yaml").read_text()
    site.folder.joinpath("base.yaml").write_text(text.replace("rails: true", "rails: maybe"))
    site.init()
    done = site.pulumi("preview", check=False)
    line = text[: text.index("rails: true")].count("\n") + 1
    assert done.returncode
    assert f"base.yaml:{line}:" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FabricStack]:
    text = fabric_file((ROOT / "Pulumi.lab.yaml").read_text(), "", "a/b/c").replace("      moved_from: a/b/c\n", "")
    with fabric_stack(tmp_path_factory.mktemp("network"), text) as made:
        yield made


@pytest.mark.rough
def test_a_running_stack_is_divided_into_files_and_nothing_changes(standing: FabricStack) -> None:
    site, before = standing.site, standing.configurations()
    document = yaml.safe_load(site.stack_file.read_text())
    (whole,) = clusters(site.stack_file)
    own = {"name": whole.pop("name"), "hosts": whole.pop("hosts"), "fabric": {"leaves": whole["fabric"].pop("leaves")}}
    base = site.folder / "base.yaml"
    base.write_text(yaml.safe_dump({"config": {KEY: whole}}, sort_keys=False))
    document["config"] |= {BASE: base.name, KEY: own}
    site.stack_file.write_text(yaml.safe_dump(document, sort_keys=False))
    assert site.preview() == []

    whole["fabric"]["lossless"] = {"ecn": {"probability": 9}}
    base.write_text(yaml.safe_dump({"config": {KEY: whole}}, sort_keys=False))
    assert {each.name for each in site.preview() if each.type == "podwright:nxos:Switch"} == {
        f"lab-{name}" for name in before
    }
    standing.up()
    assert site.preview() == []
    assert all(text != before[name] for name, text in standing.configurations().items())


CONSUMER = """import pulumi

fabric = pulumi.StackReference("organization/podwright/lab")
pulumi.export("leaves", fabric.require_output("fabric").apply(lambda each: sorted(each["digests"])))
pulumi.export("findings", fabric.require_output("findings"))
pulumi.export("kubeconfig", fabric.get_output("kubeconfig"))
"""


@pytest.mark.rough
def test_another_program_reads_what_the_stack_exports(standing: FabricStack) -> None:
    site = standing.site
    folder = site.folder / "consumer"
    folder.mkdir()
    python = {"name": "python", "options": {"toolchain": "pip", "virtualenv": str(ROOT / ".venv")}}
    folder.joinpath("Pulumi.yaml").write_text(yaml.safe_dump({"name": "consumer", "runtime": python}))
    folder.joinpath("__main__.py").write_text(CONSUMER)
    for words in (["stack", "init", "dev"], ["up", "--yes", "--skip-preview", "--stack", "dev"]):
        site.run(["pulumi", *words, "--non-interactive"], cwd=folder)
    shown = site.run(["pulumi", "stack", "output", "--json", "--stack", "dev"], cwd=folder).stdout
    read, outputs = json.loads(shown), Outputs.model_validate(site.outputs())
    assert read["leaves"] == sorted(outputs.fabric.digests) == sorted(standing.configurations())
    assert read["findings"] == list(outputs.findings)
    assert read.get("kubeconfig") is None, "a fabric has no cluster"
