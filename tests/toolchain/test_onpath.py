"""The lab's programs that a person has already are used where their release fits."""

from pathlib import Path

import pytest

from tests.toolchain.conftest import Machine

PRINTED = {
    "kube-apiserver": "Kubernetes v1.36.1", "kube-controller-manager": "Kubernetes v1.36.1",
    "kube-scheduler": "Kubernetes v1.36.1", "kubectl": "Client Version: v1.36.1\nKustomize Version: v5.8.0",
    "etcd": "etcd Version: 3.6.12\nGit SHA: abc", "kwok": "kwok version v0.8.1 go1.26 (linux/amd64)",
}  # fmt: skip


def own(folder: Path, name: str, printed: str | None = None, status: int = 0) -> Path:
    """A program that prints its release and notes that it was asked."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(
        f"#!/bin/sh\necho asked >> {folder}/asked\ncat <<END\n{printed or PRINTED[name]}\nEND\nexit {status}\n"
    )
    file.chmod(0o755)
    return file


def built(machine: Machine) -> set[str]:
    """Programs that a set-up of the lab compiles; its definitions need a package index and are refused afterwards."""
    machine.run("setup", "lab")
    return {package.rpartition("/")[2] for package in machine.lines("end")}


def test_fitting_programs_on_path_are_used_and_the_rest_is_built(machine: Machine) -> None:
    folder = machine.root / "opt"
    for name in ("kube-apiserver", "kubectl", "kwok"):
        own(folder, name)
    machine.env["PATH"] = f"{folder}:{machine.env['PATH']}"
    assert built(machine) == {"kube-controller-manager", "kube-scheduler", "v3"}
    assert (machine.place("bin") / "kubectl").resolve() == folder / "kubectl"
    assert not (machine.place("bin") / "etcd").is_symlink()


def test_the_folder_of_kubebuilder_comes_before_path(machine: Machine) -> None:
    assets, other = machine.root / "assets", machine.root / "opt"
    for name in PRINTED:
        own(assets, name)
    own(other, "etcd")
    machine.env |= {"PATH": f"{other}:{machine.env['PATH']}", "KUBEBUILDER_ASSETS": str(assets)}
    assert built(machine) == set()
    assert (machine.place("bin") / "etcd").resolve() == assets / "etcd"
    asked = (assets / "asked").read_text()
    machine.run("setup", "lab")
    machine.place("bin")
    assert (assets / "asked").read_text() == asked, "each is asked once"


@pytest.mark.parametrize(("name", "printed", "status"), [
    ("kube-apiserver", "Kubernetes v1.35.9", 0),
    ("kube-apiserver", "Kubernetes v1.37.0", 0),
    ("etcd", "etcd Version: 3.5.21", 0),
    ("kwok", "nothing to tell", 0),
    ("kubectl", "Client Version: v1.36.1", 1),
])  # fmt: skip
def test_another_release_or_a_broken_program_is_not_used(
    machine: Machine, name: str, printed: str, status: int
) -> None:
    folder = machine.root / "opt"
    own(folder, name, printed, status)
    machine.env["PATH"] = f"{folder}:{machine.env['PATH']}"
    assert len(built(machine)) == len(PRINTED)


def test_a_program_that_was_replaced_is_asked_again(machine: Machine) -> None:
    folder = machine.root / "opt"
    own(folder, "etcd")
    machine.env["PATH"] = f"{folder}:{machine.env['PATH']}"
    assert "v3" not in built(machine)
    own(folder, "etcd", "etcd Version: 3.5.0 of another kind")
    assert "v3" in built(machine)
