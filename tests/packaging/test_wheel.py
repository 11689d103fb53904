"""The wheel: one package with everything a site needs, which works wherever it is installed."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import podwright
from tests.packaging.conftest import Installed
from tests.test_rooms import PACKAGE
from tests.test_sizes import ROOT

POLICIES = "podwright/policies"


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, bytes]:
    """Every file of the wheel, by name."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def tracked() -> set[str]:
    """Files of the rooms as git has them, new ones included."""
    words = ("git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGE)
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return {f"podwright/{name}" for name in listed if (ROOT / name).is_file()}


def test_it_is_one_package_with_every_file_of_the_rooms_and_no_other(contents: dict[str, bytes]) -> None:
    version = podwright.__version__
    about = {name for name in contents if name.startswith(f"podwright-{version}.dist-info/")}
    assert f"podwright-{version}.dist-info/licenses/LICENSE" in about
    own = {"podwright/__init__.py", "podwright/py.typed"}
    assert contents.keys() - about == tracked() | own


def test_nothing_in_it_names_the_place_it_was_built_in(contents: dict[str, bytes]) -> None:
    here = {str(ROOT), str(Path.home()), str(Path(sys.executable).resolve().parent)} - {"/", "/usr/bin"}
    # Not the end of another path: a home of /root is not named by a module root.py.
    whole = re.compile("|".join(rf"(?<![\w.-]){re.escape(path)}(?![\w.-])" for path in sorted(here)).encode())
    assert whole.search(f"file://{ROOT}/setup".encode())
    assert {name for name, data in contents.items() if whole.search(data)} == set()


def test_its_modules_import_each_other_by_the_package_alone(contents: dict[str, bytes]) -> None:
    """`rules` beside the pack's entry is found there by the engine, which runs that folder as a program."""
    wrong = {}
    for name, data in contents.items():
        if name.endswith(".py") and name != f"{POLICIES}/__main__.py":
            tops = {
                alias.name.split(".")[0] for node in ast.walk(ast.parse(data)) if isinstance(node, ast.Import)
                for alias in node.names
            } | {
                (node.module or "").split(".")[0] for node in ast.walk(ast.parse(data))
                if isinstance(node, ast.ImportFrom) and not node.level
            }  # fmt: skip
            if found := tops & {*PACKAGE, "tests", "tools"}:
                wrong[name] = found
    assert wrong == {}


def test_the_pack_in_it_runs_where_it_is_installed_and_is_the_clones_otherwise(
    contents: dict[str, bytes], installed: Installed
) -> None:
    packed = yaml.safe_load(contents[f"{POLICIES}/PulumiPolicy.yaml"])
    clone = yaml.safe_load((ROOT / "policies/PulumiPolicy.yaml").read_text())
    assert clone["runtime"]["options"].pop("virtualenv") == "../.venv"
    environment = packed["runtime"]["options"].pop("virtualenv")
    assert (installed.site_packages / POLICIES / environment).resolve() == installed.environment.resolve()
    assert packed == clone
    assert packed["version"] == podwright.__version__


def test_every_program_of_the_project_is_installed_and_starts(installed: Installed) -> None:
    names = {path.name for path in installed.scripts.iterdir()}
    assert {"podwright", "pulumi-resource-podwright", "podwright-measure"} <= names
    assert installed.run(installed.scripts / "podwright", "--help").returncode == 0
    measured = installed.run(installed.scripts / "podwright-measure", "--json")  # without a plan
    assert (measured.returncode, measured.stderr[:23]) == (2, "acceptance did not run:")
    module = "podwright.components.package"
    assert installed.run("python", "-c", f"import {module} as m; print(m.__file__)").stdout.startswith(
        str(installed.site_packages)
    )


def test_check_judges_a_stack_file(installed: Installed) -> None:
    shutil.copy(ROOT / "Pulumi.lab.yaml", installed.work)
    done = installed.run("podwright", "check", "Pulumi.lab.yaml")
    assert (done.returncode, done.stderr) == (0, "")


READ = """
import gzip, importlib, json, pathlib, sys
from podwright.components.intersight_table import table
from podwright.lab.intersight import schema
from podwright.lab.nxos.table import FOLDER
from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift import catalog, controlplane
from podwright.lab.redfish import registry
from podwright.lab.command import WORLDS
from podwright.toolchain import keys
from podwright.toolchain.binaries import BINARIES
for file in (table.FILE, schema.FILE):
    json.loads(gzip.decompress(file.read_bytes()))
assert {each.name for each in WORLDS.glob("*.yaml")} >= {"lab.yaml", "prod.yaml"}
assert list(FOLDER.glob("*.yaml")) and list(OWN.glob("*.yaml")) and controlplane.STAGES.read_text()
assert keys.INSTALLED and keys.pins_key() and keys.python_key()
assert keys.CLONE == pathlib.Path.cwd()
print(json.dumps([str(each) for each in (table.FILE, FOLDER, OWN, keys.TOOLCHAIN)]))
"""


def test_all_data_is_read_from_the_package(installed: Installed) -> None:
    done = installed.run("python", "-c", READ)
    assert done.returncode == 0, done.stderr
    assert all(place.startswith(str(installed.site_packages)) for place in json.loads(done.stdout))


def test_every_module_can_be_imported(installed: Installed) -> None:
    names = sorted(
        ".".join(path.relative_to(installed.site_packages).with_suffix("").parts).removesuffix(".__init__")
        for path in (installed.site_packages / "podwright").rglob("*.py")
        if path.name != "__main__.py"
    )
    done = installed.run("python", "-c", f"import importlib\nfor name in {names!r}: importlib.import_module(name)")
    assert done.returncode == 0, done.stderr


def test_the_pack_serves_from_where_it_is_installed(installed: Installed) -> None:
    where = installed.run("podwright", "where", "policies")
    folder = Path(where.stdout.strip())
    assert folder == installed.site_packages / "podwright" / "policies"
    assert (folder / "PulumiPolicy.yaml").is_file()
    process = subprocess.Popen(
        [installed.scripts / "python", "-u", folder], cwd=installed.work, env=installed.environ(),
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
    finally:
        process.kill()
        process.communicate()


def test_toolchain_and_lab_write_to_the_working_directory_and_the_cache(installed: Installed, tmp_path: Path) -> None:
    before = listing(installed.site_packages)
    environ = {"PYTHONDONTWRITEBYTECODE": "1", "PODWRIGHT_CACHE": str(tmp_path / "cache")}
    down = installed.run("python", "-m", "podwright.lab", "down", **environ)
    assert down.stdout == f"no lab runs in {installed.work / '.run' / 'lab'}\n"
    shell = installed.run("python", "-m", "podwright.toolchain", "env", "--demo", **environ)
    assert shell.returncode == 0, shell.stderr
    assert f"file://{installed.work}/.run/state" in shell.stdout
    assert f"PULUMI_HOME={tmp_path / 'cache'}" in shell.stdout
    assert "IGNORE_AMBIENT" not in shell.stdout
    setup = installed.run("python", "-m", "podwright.toolchain", "setup", "check", **environ)
    assert setup.returncode == 0, setup.stderr
    assert not (installed.work / ".venv").exists()
    assert listing(installed.site_packages) == before


def test_a_shell_made_ready_is_a_sites_and_never_the_demos(installed: Installed, tmp_path: Path) -> None:
    """The demo's backend and its published passphrase are the clone's."""
    environ = {"PODWRIGHT_CACHE": str(tmp_path / "cache")}
    shell = installed.run("podwright", "env", **environ)
    assert shell.returncode == 0, shell.stderr
    assert f"PULUMI_HOME={tmp_path / 'cache'}" in shell.stdout
    assert "PASSPHRASE" not in shell.stdout
    assert "BACKEND" not in shell.stdout
    assert "PULUMI_STACK" not in shell.stdout
    assert installed.run("podwright", "setup", "check", **environ).returncode == 0
    unknown = installed.run("podwright", "setup", "everything", **environ)
    assert (unknown.returncode, "name one of: check" in unknown.stderr) == (2, True)


def test_what_is_missing_is_named_by_a_command_that_is_installed(installed: Installed, tmp_path: Path) -> None:
    environ = {"PODWRIGHT_CACHE": str(tmp_path / "cache")}
    for words in (("preview", "pod"), ("reach", "pod")):
        done = installed.run("podwright", *words, **environ)
        assert done.returncode == 2
        assert "Pulumi is not set up" in done.stderr
        assert "run `podwright setup preview`" in done.stderr
        assert "python3 -m toolchain" not in done.stderr
        assert "demo" not in done.stderr


def test_the_lab_says_how_to_get_its_programs(installed: Installed, tmp_path: Path) -> None:
    shutil.copy(ROOT / "Pulumi.lab.yaml", installed.work)
    world = installed.run("podwright", "explain", "world", "Pulumi.lab.yaml")
    assert world.returncode == 0, world.stderr
    (installed.work / "world.yaml").write_text(world.stdout)
    up = (
        "python",
        "-m",
        "podwright.lab",
        "up",
        "--dir",
        tmp_path / "lab",
        "--world",
        "world.yaml",
        "--only",
        "openshift",
    )
    done = installed.run(*up, PODWRIGHT_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 1
    assert "run `podwright setup lab`" in done.stderr


def listing(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def test_a_source_archive_gives_the_same_wheel(contents: dict[str, bytes], tmp_path: Path) -> None:
    hatch = (sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path))
    subprocess.run([*hatch, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    subprocess.run([*hatch, "-t", "wheel"], cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as again:
        assert {name: again.read(name) for name in again.namelist()} == contents
