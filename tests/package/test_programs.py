"""One site written twice, in Python and in Pulumi YAML: both plan the same, and the policy pack checks both alike."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.package.project import ROOT, Project

pytestmark = pytest.mark.rough

PROGRAMS = {"python": ROOT / "tests/programs/two-fabrics", "yaml": ROOT / "tests/programs/two-fabrics-yaml"}
SECRETS = ("switchAdmin", "bmcAdmin", "intersightKey", "pullSecret")
VALUE = "kanarie-77"


@pytest.fixture(scope="module", autouse=True)
def language_host() -> None:
    """Programs in YAML have a host of their own."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "yaml"], cwd=ROOT, check=True)


def project(folder: Path, language: str, **replaced: str) -> Project:
    """One of the two programs in a folder of its own, with texts replaced."""
    shutil.copytree(PROGRAMS[language], folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".venv").symlink_to(ROOT / ".venv")
    for file in folder.glob("*.*"):
        text = file.read_text() if file.is_file() else ""
        for old, new in replaced.items():
            text = text.replace(old, new)
        if text:
            file.write_text(text)
    made = Project(folder).init()
    for name in SECRETS if language == "yaml" else ():
        made.run("config", "set", "--secret", name, VALUE, "--stack", "lab")
    return made


def planned(made: Project) -> dict[str, Any]:
    """Inputs of every resource in a plan that passes the pack, by type and name, and what it is deleted with."""
    done = made.run("preview", "--json", "--policy-pack", str(ROOT / "policies"), "--stack", "lab").stdout
    steps = [step["newState"] for step in json.loads(done[done.index("{") :])["steps"]]
    assert VALUE not in done
    return {
        f"{each['type']} {each['urn'].rsplit('::', 1)[-1]}": (each.get("inputs"), each.get("deletedWith", ""))
        for each in steps
        if each["custom"] and not each["type"].startswith("pulumi:")
    }


def test_both_programs_plan_the_same(tmp_path: Path) -> None:
    ours, theirs = (planned(project(tmp_path / language, language)) for language in PROGRAMS)
    assert len(ours) > 80
    assert theirs.keys() == ours.keys()
    assert {name for name, state in ours.items() if theirs[name] != state} == set()
    nodes = {inputs["metadata"]["name"]: owner for name, (inputs, owner) in ours.items() if "NodePatch" in name}
    assert len(nodes) == 4
    assert all(owner.endswith(f"podwright:index:RedfishServer::{node}") for node, owner in nodes.items())


def test_the_page_shows_this_program() -> None:
    page = (ROOT / "docs/how-to/use-the-components.md").read_text()
    shown = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert shown
    written = (PROGRAMS["yaml"] / "Pulumi.yaml").read_text().splitlines()
    assert {line for block in shown for line in block.splitlines()} - set(written) == set()


IMAGE = "@sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270"
WRONG = {
    "python": {IMAGE: ":latest", "links_per_pair=16,": 'links_per_pair=16, lossless={"pfc": "off"},'},
    "yaml": {IMAGE: ":latest", "linksPerPair: 16": 'linksPerPair: 16\n        lossless: {pfc: "off"}'},
}


def violations(made: Project) -> list[str]:
    """What the pack says of a plan that fails, without which resource of the engine's it says so of."""
    done = made.run("preview", "--policy-pack", str(ROOT / "policies"), "--stack", "lab", check=False)
    assert done.returncode, done.stdout
    lines = (re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in (done.stdout + done.stderr).splitlines())
    return sorted({line for line in lines if "[mandatory]" in line})


def test_the_pack_checks_both_alike(tmp_path: Path) -> None:
    ours, theirs = (violations(project(tmp_path / language, language, **WRONG[language])) for language in PROGRAMS)
    assert len(ours) >= 3
    assert theirs == ours
