"""A new site's project: written from a few answers, small, refused where it would overwrite, right at once."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.model.catalogue import BASELINES, RELEASE_SETS
from tools.generated import ROOT

ANSWERS = {
    "--domain": "example.com",
    "--management": "192.0.0.0/16",
    "--machine": "198.51.0.0/16",
    "--ssh-key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq7J0mJ3o0l2nq9x4xJm1Xx1t8m8w1wq5mQ2Jb1y2l3 core@new",
    "--key-id": "account/user/key",
}


def new(directory: Path, servers: int = 16, *more: str, without: str = "") -> subprocess.CompletedProcess[str]:
    answers = [each for key, value in ANSWERS.items() if key != without for each in (key, value)]
    command = [sys.executable, "-m", "podwright.cli", "new", str(directory), "--servers", str(servers), *answers, *more]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("there", [True, False])
def test_it_says_how_pulumi_gets_on_path_where_it_is_not(there: bool, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    if there:
        (tmp_path / "bin/pulumi").symlink_to("/bin/true")
    given = [each for answer in ANSWERS.items() for each in answer]
    done = subprocess.run(
        [sys.executable, "-m", "podwright.cli", "new", str(tmp_path / "pod-a"), "--servers", "2", *given],
        cwd=ROOT, env={"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}, capture_output=True, text=True,
        timeout=120, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert ('podwright setup && eval "$(podwright env)"' in done.stdout) is not there


def test_sixteen_servers_take_four_kilobytes_at_most(tmp_path: Path) -> None:
    folder = tmp_path / "pod-a"
    answer = new(folder)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert sorted(each.name for each in folder.iterdir()) == ["Pulumi.pod-a.yaml", "Pulumi.yaml", "__main__.py"]
    file = folder / "Pulumi.pod-a.yaml"
    assert file.stat().st_size <= 4096
    assert len((folder / "__main__.py").read_text().splitlines()) <= 10
    cluster = model.load(file)
    assert sum(server.gpus == "NVIDIA-H200" for server in cluster.servers.values()) == 16
    assert len(fabric.plan(cluster.network).switches) == 6
    assert cluster.fabric.baseline.release == max(BASELINES)
    assert cluster.operators and cluster.openshift
    taken = RELEASE_SETS[cluster.operators.release]
    assert taken.undeclared == () and cluster.openshift.version.startswith(f"{taken.openshift}.")
    assert yaml.safe_load((folder / "Pulumi.yaml").read_text())["name"] == "pod-a"


def test_what_it_writes_is_checked_at_once(tmp_path: Path) -> None:
    new(tmp_path / "pod")
    command = [sys.executable, "-m", "podwright.cli", "check", str(tmp_path / "pod/Pulumi.pod.yaml")]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_secrets_are_named_and_not_written(tmp_path: Path) -> None:
    answer = new(tmp_path / "pod")
    written = (tmp_path / "pod/Pulumi.pod.yaml").read_text()
    for secret in ("switch-admin", "bmc-admin", "intersight-key", "pull-secret"):
        assert secret in written
        assert secret in answer.stdout
    assert "secure:" not in written


@pytest.mark.parametrize("servers", [2, 33, 100, 200])
def test_other_sizes_are_right_at_once(servers: int, tmp_path: Path) -> None:
    answer = new(tmp_path / "pod", servers)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert len(model.load(tmp_path / "pod/Pulumi.pod.yaml").servers) == servers + 3


def test_models_and_names_are_a_sites_own(tmp_path: Path) -> None:
    answer = new(tmp_path / "pod", 8, "--leaf", "N9K-C9332D-GX2B", "--names", "tor-,sp-,master-,dgx-")
    assert answer.returncode == 0, answer.stderr
    cluster = model.load(tmp_path / "pod/Pulumi.pod.yaml")
    assert {leaf.model for leaf in cluster.fabric.leaves.values()} == {"N9K-C9332D-GX2B"}
    assert "tor-01" in cluster.fabric.leaves
    assert {"master-03", "dgx-08"} <= set(cluster.servers)


def test_a_folder_with_anything_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    answer = new(tmp_path)
    assert answer.returncode == 2
    assert "is not empty" in answer.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--management", "192.0.2.0/26"), "has no room for"),
        (("--management", "office"), "office is not an IPv4 network"),
        (("--ssh-key", "nothing"), "neither a public SSH key nor a file"),
        (("--leaf", "N9K-C9999"), "is not in the switch catalogue"),
        (("--server", "UCSX-210C-M7"), "no server with rail NICs; with them: UCSC-885A-M8"),
        (("--names", "a-,a-,b-,c-"), "four different beginnings"),
        (("--gpus", "NVIDIA-L4"), "does not take NVIDIA-L4"),
        (("--machine", "192.0.0.0/24"), "is taken by"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_wrong_answer_is_a_sentence_and_nothing_is_written(more: tuple[str, ...], words: str, tmp_path: Path) -> None:
    answer = new(tmp_path / "pod", 16, *more)
    assert answer.returncode in (1, 2)
    assert words in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not (tmp_path / "pod").exists()


def test_without_a_terminal_it_names_what_is_missing(tmp_path: Path) -> None:
    answer = new(tmp_path / "pod", without="--domain")
    assert answer.returncode == 2
    assert answer.stderr.strip() == "there is no terminal to ask on: give --domain"
