"""The offline check as people and pipelines call it."""

import subprocess
import sys
from pathlib import Path

from podwright import __version__
from tests.cli.command import run
from tools.generated import ROOT


def test_both_stacks_pass_and_are_summed_up() -> None:
    answer = run("check", "Pulumi.lab.yaml", "Pulumi.prod.yaml")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "8 x leaf N9K-C9332D-GX2B" in answer.stdout
    assert "128 x NVIDIA-H200" in answer.stdout
    assert "42 x 1g.12gb" in answer.stdout
    assert "0-3 → leaf-01" in answer.stdout


def test_members_that_nobody_declared_for_the_openshift_release_are_named() -> None:
    answer = run("check", "tests/examples/roles/Pulumi.roles.yaml")
    words = " ".join(answer.stdout.split())
    assert "release set 2026.10, for OpenShift 4.22" in words
    assert "nvidia-network-operator.v26.4.1 declares OpenShift v4.17-v4.20; waived: NVIDIA lists v26.4.1" in words


def test_it_needs_neither_the_engine_nor_a_way_to_a_device() -> None:
    """What makes it start at once: it loads nothing that dials. How long it takes is the benchmarks' matter."""
    heavy = ("pulumi", "grpc", "asyncssh", "kubernetes", "intersight", "sushy", "networkx", "hier_config")
    code = (
        "import sys; from cli.__main__ import app\n"
        "try: app(['check', 'Pulumi.prod.yaml'])\n"
        f"except SystemExit: print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    checked = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert checked.stderr.strip() == "[]"
    assert "prod" in checked.stdout


def test_a_wrong_file_exits_1_with_line_caret_and_hint(tmp_path: Path) -> None:
    wrong = tmp_path / "Pulumi.wrong.yaml"
    wrong.write_text((ROOT / "Pulumi.lab.yaml").read_text().replace("links_per_pair:", "links_per_pairs:"))
    answer = run("check", str(wrong), "Pulumi.lab.yaml")
    assert answer.returncode == 1
    assert "did you mean `links_per_pair`?" in answer.stderr
    assert "^^^^^^^^^^^^^^^" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert "lab" in answer.stdout, "the right file is still summed up"


def test_usage_errors_exit_2() -> None:
    assert run("check").returncode == 2
    assert run("explain", "switch", "Pulumi.lab.yaml", "no-such-switch").returncode == 2
    assert run("judge", "Pulumi.lab.yaml").returncode == 2


def test_it_says_which_release_it_is() -> None:
    answer = run("--version")
    assert (answer.returncode, answer.stdout) == (0, f"podwright {__version__}\n")


def test_explain_prints_what_the_switch_receives() -> None:
    answer = run("explain", "switch", "Pulumi.lab.yaml", "leaf-01")
    assert answer.returncode == 0
    assert answer.stdout == (ROOT / "tests/examples/lab/expected/leaf-01.cfg").read_text()
