"""The demo deletes what it made, and no other stack beside it."""

from pathlib import Path

import pytest

from tools import demo_state as own

OURS = (
    ".pulumi/stacks/podwright/lab.json", ".pulumi/stacks/podwright/lab.json.bak",
    ".pulumi/stacks/podwright/lab.json.attrs", ".pulumi/stacks/podwright/lab.pulumi-tags",
    ".pulumi/history/podwright/lab/lab-1.history.json", ".pulumi/backups/podwright/lab/lab.1.json",
    ".pulumi/locks/organization/podwright/lab/1.json", "installations/podwright/lab/install-c/kubeconfig",
)  # fmt: skip
OTHERS = (
    ".pulumi/meta.yaml", ".pulumi/stacks/podwright/prod.json", ".pulumi/stacks/podwright/lab.eu.json",
    ".pulumi/stacks/podwright/lab2.json", ".pulumi/stacks/other/lab.json", ".pulumi/history/podwright/prod/p.json",
    ".pulumi/history/other/lab/l.json", ".pulumi/locks/organization/podwright/prod/1.json",
    "installations/podwright/prod/install-c/kubeconfig",
)  # fmt: skip


def lay(state: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text(name)


def standing(state: Path) -> set[str]:
    return {str(path.relative_to(state)) for path in state.rglob("*") if path.is_file()}


def test_it_forgets_its_own_stack_and_nothing_beside(tmp_path: Path) -> None:
    lay(tmp_path, OTHERS)
    own.claim(tmp_path, "lab")
    lay(tmp_path, OURS)
    own.claim(tmp_path, "lab")
    own.forget(tmp_path, "lab")
    assert standing(tmp_path) == set(OTHERS)
    assert all((tmp_path / name).read_text() == name for name in OTHERS)


def test_a_stack_it_did_not_make_is_neither_forgotten_nor_used(tmp_path: Path) -> None:
    lay(tmp_path, OURS)
    own.forget(tmp_path, "lab")
    assert standing(tmp_path) == set(OURS)
    with pytest.raises(own.ForeignStackError, match="did not make"):
        own.claim(tmp_path, "lab")


def test_nothing_made_is_nothing_to_forget(tmp_path: Path) -> None:
    own.forget(tmp_path / "none", "lab")
    assert not (tmp_path / "none").exists()
