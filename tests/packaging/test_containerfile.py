"""The steps of the Containerfile that need no network, run in an empty folder with an empty environment."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.conftest import PACKAGES
from tests.test_sizes import ROOT

LINES = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()


def steps(*, network: bool) -> list[str]:
    """Commands of the RUN lines, with or without the mark on the line before."""
    return [
        line.removeprefix("RUN ")
        for before, line in itertools.pairwise(LINES)
        if line.startswith("RUN ") and (before == "# network") is network
    ]


@pytest.fixture(scope="module")
def image(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a container in a folder of its own, after the steps; pip's two are made from what is here."""
    root = tmp_path_factory.mktemp("image")
    places = {"PREFIX": "opt", "WHEELS": "wheels", "HOME": "home", "SITE": "site", "SOURCE": "source"}
    environ = {name: str(root / folder) for name, folder in places.items()}
    environ |= {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "USER": "podwright"}
    (root / "source").symlink_to(ROOT)
    for command in steps(network=False):
        done = subprocess.run(["sh", "-euc", command], env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    shutil.copy(wheel, environ["WHEELS"])
    pip = (f"{environ['PREFIX']}/bin/python", "-m", "pip", "install", "--no-deps", "--no-index", "--quiet")
    subprocess.run([*pip, next(Path(environ["WHEELS"]).glob("podwright-*.whl"))], env=environ, check=True)
    (packages,) = Path(environ["PREFIX"]).glob("lib/python3*/site-packages")
    (packages / "locked.pth").write_text(f"import site; site.addsitedir({str(PACKAGES)!r})\n")
    return environ


def test_what_it_starts_is_the_installed_command(image: dict[str, str]) -> None:
    (entry,) = (json.loads(line.removeprefix("ENTRYPOINT ")) for line in LINES if line.startswith("ENTRYPOINT "))
    environ = {**image, "PATH": f"{image['PREFIX']}/bin:/usr/bin:/bin"}
    done = subprocess.run(
        [f"{image['PREFIX']}/bin/{entry[0]}", "where", "policies"], cwd=image["SITE"], env=environ,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(image["PREFIX"])
    assert done.stdout.endswith("/podwright/policies\n")


def test_its_packages_are_the_tested_releases(image: dict[str, str]) -> None:
    constraints = Path(image["WHEELS"], "constraints.txt").read_text()
    assert re.search(r"^pulumi==3\.\d+\.\d+$", constraints, re.M)
    assert "--hash" not in constraints
    assert "\\" not in constraints


def test_it_runs_as_nobody_special_and_asks_the_network_in_marked_steps_alone() -> None:
    users = [line for line in LINES if line.startswith("USER ")]
    assert users == ["USER 10001:10001"]
    assert not any(re.search(r"\bpip (wheel|install)|toolchain setup", step) for step in steps(network=False))
    assert len(steps(network=True)) == 3
