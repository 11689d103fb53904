"""The clone's own environment: thin, with the console scripts of pyproject.toml."""

import json
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from podwright.toolchain import overlay
from podwright.toolchain.keys import CLONE
from tests.toolchain.conftest import Machine


def said(machine: Machine, *words: str) -> str:
    done = subprocess.run(
        [str(machine.clone / ".venv" / "bin" / words[0]), *words[1:]],
        cwd="/", env=machine.env, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_console_script_of_the_project_is_there(machine: Machine) -> None:
    assert machine.run("setup", "python").returncode == 0
    declared = tomllib.loads((CLONE / "pyproject.toml").read_text())["project"]["scripts"]
    assert {"podwright", "pulumi-resource-podwright", "podwright-measure"} <= declared.keys()
    for name in declared:
        assert (machine.clone / ".venv" / "bin" / name).stat().st_mode & 0o111


def test_a_new_script_appears_by_itself(machine: Machine) -> None:
    machine.run("setup", "python")
    project = machine.clone / "pyproject.toml"
    another = '[project.scripts]\ntell-machine = "podwright.toolchain.keys:machine"\n'
    project.write_text(project.read_text().replace("[project.scripts]\n", another))
    assert machine.run("setup", "check").returncode == 0
    assert (machine.clone / ".venv" / "bin" / "tell-machine").exists()


def test_packages_come_from_the_cache_and_modules_from_the_clone(machine: Machine) -> None:
    machine.run("setup", "python")
    cached = next((machine.cache / "python").resolve().glob("*"))
    code = "import pip, podwright.toolchain.keys as k, sys; print(pip.__file__, k.CLONE, sys.prefix)"
    pip, clone, prefix = said(machine, "python", "-c", code).split()
    assert Path(pip).resolve().is_relative_to(cached.resolve())
    assert (clone, prefix) == (str(machine.clone), str(machine.clone / ".venv"))


def test_the_link_of_earlier_setups_is_replaced(machine: Machine) -> None:
    (machine.clone / ".venv").symlink_to(machine.cache / "python")
    assert machine.run("setup", "python").returncode == 0
    assert not (machine.clone / ".venv").is_symlink()
    assert (machine.cache / "python").exists()


def test_a_folder_of_somebody_elses_is_left_alone(machine: Machine) -> None:
    (machine.clone / ".venv").mkdir()
    done = machine.run("setup", "python")
    assert done.returncode == 2
    assert "is a folder that this set-up did not make" in done.stderr


def test_a_moved_clone_gets_its_own_paths(machine: Machine) -> None:
    machine.run("setup", "python")
    moved = machine.clone.rename(machine.root / "moved")
    machine.clone = moved
    assert machine.run("setup", "python").returncode == 0
    assert json.loads((moved / ".venv" / overlay.MARK).read_text())["clone"] == str(moved)
    assert said(machine, "python", "-c", "import sys; print(sys.prefix)") == str(moved / ".venv")


def test_laying_it_takes_seconds(machine: Machine) -> None:
    machine.run("setup", "python")
    (machine.clone / ".venv").rename(machine.root / "gone")
    began = time.monotonic()
    assert machine.run("setup", "python").returncode == 0
    assert time.monotonic() - began < 15, "on a machine that is busy; 0.4 s on a quiet one"


def test_a_script_in_a_long_path_finds_its_interpreter(tmp_path: Path) -> None:
    for folder in (tmp_path / ("long" * 40), tmp_path / "with a blank"):
        folder.mkdir()
        (folder / "python").symlink_to(Path(sys.executable).resolve())
        script = folder / "script"
        script.write_text(overlay.first_lines(folder / "python") + "import sys\nprint('found', sys.argv[1])\n")
        script.chmod(0o755)
        assert subprocess.run([script, "me"], text=True, capture_output=True, check=True).stdout == "found me\n"
    assert overlay.first_lines(Path("/usr/bin/python3")) == "#!/usr/bin/python3\n"
