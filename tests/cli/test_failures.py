"""`failures` as people and pipelines call it, and the gate as `check` shows it."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

from tests.cli.command import inside as run
from tools.generated import ROOT

PROD = ("failures", "Pulumi.prod.yaml")


def test_the_table_joins_alike_losses_and_names_what_is_accepted() -> None:
    answer = run(*PROD)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "spine: any of 2, such as spine-01" in answer.stdout
    assert "fabric.survive holds: spine 0.5, fabric_link 0.9, leaf 0.875, feed 0" in answer.stdout
    assert "asks for nothing: no loss stops a plan" in run("failures", "Pulumi.lab.yaml").stdout


def test_every_format_tells_every_loss() -> None:
    rows = json.loads(run(*PROD, "--format", "json").stdout)
    table = list(csv.DictReader(io.StringIO(run(*PROD, "--format", "csv").stdout, newline="")))
    assert [row["lost"] for row in rows] == [row["lost"] for row in table]
    leaf = next(row for row in table if row["lost"] == "leaf-03")
    assert (leaf["verdict"], leaf["server_left"], leaf["bisection_gbps"]) == ("fatal", "0.875", "19200")
    supply = next(row for row in table if row["kind"] == "supply")
    assert (supply["verdict"], supply["leaf_pair_left"], supply["bisection_gbps"]) == ("not checked", "", "")
    root = ElementTree.fromstring(run(*PROD, "--format", "svg").stdout)
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "leaf: any of 8" in words
    # A bar is as long as what is left: 0.875 of a full one.
    at = next(each for each in root.iter("{http://www.w3.org/2000/svg}text") if each.text == "leaf: any of 8").get("y")
    bars = [
        int(each.get("width") or 0) for each in root.iter("{http://www.w3.org/2000/svg}rect")
        if each.get("height") == "12" and int(each.get("y") or 0) == int(at or 0) - 10
    ]  # fmt: skip
    assert bars[-1] == round(bars[-2] * 0.875) > 0
    assert run(*PROD, "--format", "pdf").returncode == 2


def test_one_loss_in_full() -> None:
    leaf = run(*PROD, "--loss", "leaf-03").stdout.splitlines()
    assert leaf[0] == "leaf leaf-03: fatal, 16 servers without rail 2: jobs on all rails end"
    assert ["server_gbps", "gpu-09", "2800"] in [line.split() for line in leaf]
    spine = [line.split() for line in run(*PROD, "--loss", "spine-02").stdout.splitlines()]
    assert ["nic_to_other_leaves_gbps", "leaf-01", "rail0", "200"] in spine
    assert ["leaf_pair_gbps", "leaf-01", "leaf-02", "3200"] in spine
    link = run(*PROD, "--loss", "leaf-01 Ethernet1/17").stdout
    assert link.startswith("fabric-link leaf-01 Ethernet1/17 – spine-01 Ethernet1/1: degraded")
    rows = json.loads(run(*PROD, "--format", "json").stdout)
    assert next(row for row in rows if row["lost"] == "spine-02")["leaf_pair_gbps"]["leaf-01 leaf-02"] == 3200
    nobody = run(*PROD, "--loss", "leaf-99")
    assert (nobody.returncode, nobody.stdout) == (2, "")


def test_a_stack_that_asks_for_more_than_is_there_stops_with_a_caret(tmp_path: Path) -> None:
    wrong = tmp_path / "Pulumi.wrong.yaml"
    text = (ROOT / "Pulumi.prod.yaml").read_text()
    assert "survive: {spine: 0.5," in text
    wrong.write_text(text.replace("survive: {spine: 0.5,", "survive: {spine: 0.75,"))
    answer = run("check", str(wrong))
    assert answer.returncode == 1
    lines = answer.stderr.splitlines()
    assert "fabric.survive.spine: losing spine-01, one of 2, leaves 0.5, 0.75 is asked for" in lines[0]
    assert lines[2].strip() == "^^^^"
    assert lines[3] == "  hint: 4 spines do; write 0.5 or null to accept it"
