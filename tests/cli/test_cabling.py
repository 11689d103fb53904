"""The cabling commands as people and pipelines call them; over SSH: tests/providers/status/test_neighbors.py."""

import json
from pathlib import Path

from tests.cli.command import inside, run
from tools.generated import ROOT

PROD = ("cabling", "Pulumi.prod.yaml", "--format")


def test_every_format_of_the_schedule(tmp_path: Path) -> None:
    assert run("cabling", "Pulumi.prod.yaml").stdout.startswith("prod: 300 cables")
    rows = json.loads(inside(*PROD, "json").stdout)
    assert rows[0]["label"] == "front-01 Eth1/1 > gpu-01 to-front-01"
    assert inside(*PROD, "svg").stdout.startswith("<svg ")
    pairs = [line.split() for line in inside(*PROD, "neighbors").stdout.splitlines()]
    assert len(pairs) == 2 * (128 + 2)
    assert ["spine-02", "Ethernet1/1", "leaf-01", "Ethernet1/25"] in pairs
    wrong = inside(*PROD, "pdf")
    assert (wrong.returncode, "is not one of 'table', 'csv'" in wrong.stderr) == (2, True)


def test_a_cable_list_is_judged_like_a_rack(tmp_path: Path) -> None:
    listed = tmp_path / "as-built.csv"
    text = inside(*PROD, "csv").stdout
    listed.write_text(text)
    right = inside("verify", "cabling", "prod", "--schedule", str(listed))
    assert (right.returncode, right.stdout) == (0, "300 cables heard where they belong, 0 not proven, no findings\n")
    one, two = "g1,400,host,leaf-01 Eth1/1", "g1,400,host,leaf-01 Eth1/2"
    assert one in text and two in text
    swapped = text.replace("leaf-01,Ethernet1/1,", "X").replace("leaf-01,Ethernet1/2,", "leaf-01,Ethernet1/1,")
    listed.write_text(swapped.replace("X", "leaf-01,Ethernet1/2,"))
    wrong = inside("verify", "cabling", str(ROOT / "Pulumi.prod.yaml"), "--schedule", str(listed))
    assert wrong.returncode == 1
    assert "fix: swap the plugs in leaf-01 Ethernet1/1 and Ethernet1/2 (rack r1)" in wrong.stdout


def test_what_cannot_be_read_exits_2_with_every_mistake(tmp_path: Path) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text(inside(*PROD, "csv").stdout.replace(",host,", ",hosst,", 2))
    answer = inside("verify", "cabling", "prod", "--schedule", str(broken))
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1] == f"2 mistakes in {broken}"
    assert 'row 2, column role: "hosst" is none of' in answer.stderr
    assert inside("verify", "cabling", "prod", "--schedule", str(tmp_path / "none.csv")).returncode == 2
    assert inside("verify", "cabling", "prod", "--captures", str(tmp_path)).returncode == 2
    assert "Traceback" not in answer.stderr
