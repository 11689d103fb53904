"""A switch recorded over real SSH without its secrets, built again, and told apart from the lab's own."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from podwright.lab.command import main
from podwright.lab.nxos.fidelity.record import MANIFEST, PASSWORD, without_secrets
from podwright.lab.nxos.fidelity.replay import differences, recording
from tests.lab.nxos.conftest import Switches
from tests.lab.rack import ROOT

LEAF = ROOT / "tests/examples/lab/expected/leaf-01.cfg"


@pytest.fixture(scope="module")
def recorded(switches: Switches, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    lines = ["configure terminal", *LEAF.read_text(encoding="utf-8").splitlines(), "end"]
    switches.world.fault({"kind": "cli", "switch": "leaf-01", "lines": lines})
    # The client looks for the port it dials; a site's switch listens on 22 and stands there by its address alone.
    known = [f"[127.0.0.1]:{switches.port()} {each.split(None, 1)[1]}" for each in switches.known_hosts]
    (folder / "known_hosts").write_text("\n".join(known) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PASSWORD, switches.password)
        assert main(words(switches, folder)) == 0
    return folder / "answers"


def words(switches: Switches, folder: Path) -> list[str]:
    return [
        "record", "127.0.0.1", "--user", "admin", "--port", str(switches.port()),
        "--known-hosts", str(folder / "known_hosts"), "--out", str(folder / "answers"),
    ]  # fmt: skip


def test_a_switch_of_the_lab_recorded_and_built_again_is_itself(recorded: Path, switches: Switches) -> None:
    assert list(differences(recording(recorded))) == []
    assert main(["replay", str(recorded)]) == 0
    kept = "".join(path.read_text(encoding="utf-8") for path in recorded.iterdir())
    assert switches.password not in kept
    assert "username admin password 5 removed role network-admin" in kept


def test_what_the_lab_does_not_have_is_told_line_by_line(recorded: Path) -> None:
    answers = recording(recorded)
    answers["show running-config"] += "\nhardware profile unknown 7\n"
    answers["show running-config"] = answers["show running-config"].replace("mtu 9216", "mtu 09216", 1)
    answers["show version | json"] = answers["show version | json"].replace("{", '{"chassis_colour": "grey", ', 1)
    answers["show hosts"] = "                 ^\n% Invalid command at '^' marker."
    answers["show weather"] = "sunny"
    at = len(answers["show running-config"].splitlines())
    found = list(differences(answers))
    assert f"configuration line {at} is refused: hardware profile unknown 7: % Invalid command at '^' marker." in found
    assert f"configuration line {at} is not shown back: hardware profile unknown 7" in found
    assert any(each.endswith("is not shown back: mtu 09216") for each in found)
    assert "`show version | json` lacks chassis_colour" in found
    assert "`show hosts` is answered; the switch says: % Invalid command at '^' marker." in found
    assert "`show weather` is refused; the switch answers it" in found
    assert len(found) == 6


def test_a_host_key_that_is_not_the_one_noted_ends_it(
    switches: Switches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PASSWORD, switches.password)
    other = next(each for each in switches.known_hosts if not each.startswith("192.0.2.11 "))
    (tmp_path / "known_hosts").write_text(f"[127.0.0.1]:{switches.port()} {other.split(None, 1)[1]}\n")
    assert main(words(switches, tmp_path)) == 1
    assert "host key" in capsys.readouterr().err.lower()
    assert not list((tmp_path / "answers").glob("*.txt"))


@pytest.mark.parametrize("wrong", ["nothing", "no-version", "another-model", "no-nexus"])
def test_folders_that_cannot_be_compared(
    wrong: str, recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if wrong != "nothing":
        for path in recorded.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    if wrong == "no-version":
        kept = yaml.safe_load((tmp_path / MANIFEST).read_text())
        (tmp_path / MANIFEST).write_text(yaml.safe_dump({k: v for k, v in kept.items() if v != "show version"}))
    if wrong == "another-model":
        version = tmp_path / "show-version.txt"
        version.write_text(version.read_text().replace("C9364D-GX2A", "C9508"))
    if wrong == "no-nexus":
        (tmp_path / "show-version.txt").write_text("Arista DCS-7260CX\n")
    assert main(["replay", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    sentences = {
        "nothing": "holds no recording",
        "no-version": "lacks the answer to show version",
        "no-nexus": "is none of a Nexus 9000",
    }
    assert sentences.get(wrong, "the lab has no switch model N9K-C9508") in said


SECRET = st.text("abcdefghkmnpqrstuvwxyzABCDEFGH23456789$./!%", min_size=9, max_size=24)
LINES = (
    "username admin password 5 {}  role network-admin",
    "username ops passphrase {} lifetime 9",
    "username admin sshkey ssh-rsa {} ops@example.com",
    'tacacs-server host 192.0.2.5 key 7 "{}" port 49',
    "tacacs-server key 7 {}",
    "radius-server host 192.0.2.6 key {} auth-port 1812 accounting",
    "snmp-server community {} group network-operator",
    "snmp-server host 192.0.2.7 traps version 2c {}",
    "snmp-server user admin network-admin auth md5 {} priv {} localizedkey",
    "snmp-server user admin network-admin auth sha-256 {} priv aes-128 {} localizedV2key",
    "ntp authentication-key 1 md5 {} 7",
    "  neighbor 10.1.0.1 password 3 {}",
    "    password 3 {}",
    "  ip ospf message-digest-key 1 md5 3 {}",
    "    key-string 7 {}",
    "    authentication md5 key-string 7 {}",
    "    authentication text {}",
    "  key-octet-string 7 {} cryptographic-algorithm AES_128_CMAC",
)


@given(st.sampled_from(LINES), SECRET)
def test_no_secret_is_written_down(line: str, secret: str) -> None:
    kept = without_secrets(f"feature bgp\n{line.replace('{}', secret)}\nvlan 1\n")
    assert secret not in kept
    assert kept.startswith("feature bgp\n") and kept.endswith("\nvlan 1\n")


@pytest.mark.parametrize(
    "line",
    [
        "key chain OSPF", "  key 1", "ip community-list standard X permit 65000:1", "    set community 65000:1",
        "  priority-flow-control mode on", "username admin role network-admin", "snmp-server contact noc",
        "  class type queuing c-out-8q-q3", "ntp authenticate", "password strength-check", "no password strength-check",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(line: str) -> None:
    assert without_secrets(line) == line
