"""What bash offers behind `podwright`, by the script that `--show-completion` prints."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_sizes import ROOT

SCRIPT = """
source offered.bash
COMP_WORDS=({words}); COMP_CWORD={index}; COMPREPLY=()
"$(complete -p podwright | sed 's/.*-F \\([^ ]*\\).*/\\1/')" podwright
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site")
    for name in ("Pulumi.yaml", "Pulumi.pod-a.yaml", "Pulumi.pod-b.yaml", "Pulumi.lab.yaml", "notes.txt"):
        (made / name).touch()
    (made / "sites").mkdir()
    (made / "sites" / "Pulumi.far.yaml").touch()
    # Which shell it is for is found among the parents of the command: bash must not make way for it.
    (made / "offered.bash").write_text(shell("podwright --show-completion bash; true", made).stdout)
    return made


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False,
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin", "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
        },
    )  # fmt: skip


@pytest.mark.parametrize(("typed", "expected"), [
    ("podwright che", {"check"}),
    ("podwright up ", {"lab", "pod-a", "pod-b"}),
    ("podwright up pod", {"pod-a", "pod-b"}),
    ("podwright recover l", {"lab"}),
    ("podwright reach pod-b", {"pod-b"}),
    ("podwright check ", {"Pulumi.lab.yaml", "Pulumi.pod-a.yaml", "Pulumi.pod-b.yaml", "sites/"}),
    ("podwright check Pulumi.lab.yaml sites/P", {"sites/Pulumi.far.yaml"}),
    ("podwright explain switch Pulumi.p", {"Pulumi.pod-a.yaml", "Pulumi.pod-b.yaml"}),
])  # fmt: skip
def test_bash_offers_commands_stacks_and_their_files(typed: str, expected: set[str], folder: Path) -> None:
    words = typed.split(" ")
    script = SCRIPT.format(words=" ".join(repr(word) for word in words), index=len(words) - 1)
    done = shell(script, folder)
    assert done.stderr == ""
    assert set(done.stdout.split()) == expected
