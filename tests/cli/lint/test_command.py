"""`podwright lint` as people and pipelines call it: exit codes, three formats, wrong inputs, the import set."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.policies.rules.fabric import NEXUS
from tests.cli import command, sarif
from tests.cli.lint.examples import capture
from tools.generated import ROOT

CONFIGS = Path(__file__).with_name("configs")
LAB = ROOT / "tests/examples/lab/expected"


run = partial(command.inside, "lint")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The lab's switches, one port of one leaf without PFC, and its far end with a smaller MTU."""
    capture("lab", tmp_path)
    leaf, spine = tmp_path / "leaf-01.cfg", tmp_path / "spine-01.cfg"
    leaf.write_text(leaf.read_text().replace("  priority-flow-control mode on\n", "", 1))
    spine.write_text(spine.read_text().replace("  mtu 9216\n  service", "  mtu 9000\n  service", 1))
    return tmp_path


def test_clean_exits_0(tmp_path: Path) -> None:
    answer = command.run("lint", capture("lab", tmp_path))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout == "0 findings in 3 switches, 3 of them with a lossless class\n"


def test_a_finding_is_told_with_line_caret_reason_and_remedy(broken: Path) -> None:
    answer = run(broken)
    assert answer.returncode == 1
    number = (broken / "leaf-01.cfg").read_text().splitlines().index("interface Ethernet1/1") + 1
    assert f"{broken}/leaf-01.cfg:{number}:1: fabric-pfc-on-every-hop: leaf-01 Ethernet1/1" in answer.stdout
    assert "    interface Ethernet1/1\n    ^^^^^^^^^^^^^^^^^^^^^\n  why: " in answer.stdout
    assert "  write: interface Ethernet1/1\n           priority-flow-control mode on" in answer.stdout
    assert "spine-01 Ethernet1/1 has mtu 9000" in answer.stdout, "both ends, by their descriptions"


def test_a_rule_can_be_left_out(broken: Path) -> None:
    answer = run(broken, "--without", "fabric-pfc-on-every-hop", "--without", "fabric-mtu-agrees-on-path")
    assert (answer.returncode, answer.stdout[:10]) == (0, "0 findings")


def test_json_holds_the_same(broken: Path) -> None:
    told = json.loads(run(broken, "--format", "json").stdout)
    assert [(each["rule"], each["switch"]) for each in told["findings"]] == [
        ("fabric-pfc-on-every-hop", "leaf-01"),
        ("fabric-mtu-agrees-on-path", "spine-01"),
    ]
    assert {each["name"]: each["lossless"]["priority"] for each in told["switches"]} == {
        "leaf-01": 3, "leaf-02": 3, "spine-01": 3,
    }  # fmt: skip
    mtu = told["findings"][1]
    assert mtu["related"][0]["file"].endswith("leaf-01.cfg")
    assert (broken / "spine-01.cfg").read_text().splitlines()[mtu["line"] - 1] == "  mtu 9000"
    assert mtu["column"] == 3


def test_sarif_is_what_code_hosts_take(broken: Path) -> None:
    (broken / "a note.md").write_text("not a switch\n")
    log = json.loads(run(broken, "-f", "sarif").stdout)
    ran = sarif.check(log)
    assert [rule["id"] for rule in ran["tool"]["driver"]["rules"]] == [rule.id for rule in NEXUS]
    assert [each["ruleId"] for each in ran["results"]] == ["fabric-pfc-on-every-hop", "fabric-mtu-agrees-on-path"]
    assert "a note.md" in ran["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


IOS = """version 17.9
service timestamps debug datetime msec
hostname access-1
interface GigabitEthernet1/0/1
 switchport mode access
line vty 0 4
"""
ACI = """leaf 101
  interface ethernet 1/1
    vlan-domain member pod
tenant common
"""


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.cfg", b"", "is empty"),
        ("blank.cfg", b"\n \n", "is empty"),
        ("image.bin", bytes(range(256)) * 20, "is a binary file"),
        ("ios.cfg", IOS.encode(), "is a Cisco IOS or IOS-XE configuration (line 1: version 17.9); lint reads NX-OS"),
        ("apic.cfg", ACI.encode(), "is a Cisco ACI (APIC) configuration (line 1: leaf 101); lint reads NX-OS"),
        (
            "eos.cfg",
            b"! Command: show running-config all\n! device: sw1 (DCS-7260CX, EOS-4.19.1F)\ninterface Ethernet1/1\n",
            "is an Arista EOS configuration (line 2: ! device: sw1 (DCS-7260CX, EOS-4.19.1F)); lint reads NX-OS",
        ),
        (
            "rancid.cfg",
            b"!RANCID-CONTENT-TYPE: arista\ninterface Ethernet1/1\ninterface Ethernet1/2\n",
            "is an Arista EOS configuration (line 1: !RANCID-CONTENT-TYPE: arista); lint reads NX-OS",
        ),
        ("prose.txt", b"Dear all,\nthe switch is down.\n", "holds no NX-OS configuration"),
    ],
)
def test_what_cannot_be_judged_exits_2_with_a_sentence(name: str, data: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    answer = run(path)
    assert (answer.returncode, answer.stdout, answer.stderr) == (2, "", f"{path} {sentence}\n")


def test_wrong_paths_and_words_exit_2_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Switches\n")
    for arguments, sentence in (
        ((tmp_path / "no-such",), "there is no such file or folder"),
        ((tmp_path,), "holds no NX-OS configuration in any file"),
        ((LAB, "--format", "xml"), "'xml' is not one of 'text', 'json', 'sarif'"),
        ((LAB, "--without", "fabric-pfc"), "there is no rule fabric-pfc; rules: fabric-pfc-on-every-hop,"),
        ((LAB, "--stack", "Pulumi.lab.yaml"), "give --import-out too"),
        ((LAB, "--import-out", tmp_path / "no/such/folder.yaml"), "cannot be written"),
        ((LAB, "--import-out", tmp_path / "x.yaml", "--stack", tmp_path / "none.yaml"), "none.yaml"),
    ):
        answer = run(*arguments)
        assert (answer.returncode, sentence in answer.stderr) == (2, True), answer
        assert "Traceback" not in answer.stderr


def test_one_bad_file_among_good_ones_is_said_and_the_rest_is_judged(tmp_path: Path) -> None:
    bad = tmp_path / "empty.cfg"
    bad.write_text("")
    answer = run(LAB / "leaf-01.cfg", bad)
    assert (answer.returncode, "is empty" in answer.stderr) == (2, True)
    assert "0 findings in 1 switch" in answer.stdout


def _parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text())["fabric"]


def test_the_import_set_says_what_a_stack_file_changes(broken: Path) -> None:
    out = broken.parent / "import.yaml"
    assert run(broken, "--import-out", out, "--stack", "Pulumi.lab.yaml").returncode == 1
    text = out.read_text()
    parsed = _parsed(out)
    stated = model.load(ROOT / "Pulumi.lab.yaml").fabric
    assert set(parsed["leaves"]) == set(stated.leaves)
    assert set(parsed["spines"]) == set(stated.spines)
    assert all(each == {"adopt": True} for place in parsed.values() for each in place.values())
    assert "# changes: interface Ethernet1/1\n      #   + priority-flow-control mode on\n" in text
    assert "#   + mtu 9216\n      #   - mtu 9000\n" in text
    assert text.count("# changes:") == 2


def test_the_import_set_shows_no_secret(broken: Path) -> None:
    out = broken.parent / "import.yaml"
    leaf = broken / "leaf-01.cfg"
    leaf.write_text(leaf.read_text().replace("  remote-as ", "  password 3 9125d59c18a9b015\n    remote-as ", 1))
    run(broken, "--import-out", out, "--stack", "Pulumi.lab.yaml")
    assert "password (not shown)" in out.read_text()
    assert "9125d59c18a9b015" not in out.read_text()


def test_the_import_set_overwrites_nothing_but_itself(tmp_path: Path) -> None:
    out = tmp_path / "import.yaml"
    assert run(LAB, "--import-out", out).returncode == 0
    assert run(LAB, "--import-out", out).returncode == 0
    out.write_text("config: {}\n")
    answer = run(LAB, "--import-out", out)
    assert (answer.returncode, out.read_text()) == (2, "config: {}\n")
    assert "is no import set" in answer.stderr


def test_the_import_set_without_a_stack_file_holds_what_is_known(tmp_path: Path) -> None:
    out = tmp_path / "import.yaml"
    assert run(CONFIGS / "typed.cfg", CONFIGS / "bonded.cfg", "--import-out", out).returncode == 0
    parsed = _parsed(out)
    assert parsed["spines"] == {"rail-leaf-a": {"adopt": True, "asn": 64601}}, "routed to every port: reads as a spine"
    assert parsed["frontend"]["leaves"]["store-01"] == {"adopt": True, "management": "203.0.113.11"}
    assert model.Lossless.model_validate(parsed["lossless"]).model_dump(include={"dscp", "ecn"}) == {
        "dscp": 26, "ecn": {"min_kbytes": 150, "max_kbytes": 3000, "probability": 7},
    }  # fmt: skip


def test_the_import_set_leaves_a_managed_switch_to_its_controller(tmp_path: Path) -> None:
    out = tmp_path / "import.yaml"
    answer = run(CONFIGS / "dashboard.cfg", CONFIGS / "bonded.cfg", "--import-out", out)
    assert "note: lines 5 to 7 are written by Nexus Dashboard Fabric Controller" in answer.stdout
    assert "dc1-leaf3 is left out: Nexus Dashboard Fabric Controller writes it (line 5: configure profile" in (
        out.read_text()
    )
    assert set(_parsed(out)) == {"frontend", "lossless"}
