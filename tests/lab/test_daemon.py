"""The daemon: up, status, down by process id, several side by side, and its HTTP control."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.lab import daemon
from podwright.lab.pki import Authority
from tests.lab.rack import ROOT


def lab(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "podwright.lab", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    done = lab("up", "--dir", str(tmp_path), "--only", "nxos", "--variant", "ports=layer2-up")
    assert done.returncode == 0, done.stderr
    yield tmp_path
    lab("down", "--dir", str(tmp_path))


def ended(pid: int) -> bool:
    """Gone, or a zombie that nobody has waited for (in a container without an init)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def call(folder: Path, path: str, body: Any = None) -> Any:
    url = json.loads((folder / "world.json").read_text())["url"]
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url + path, data=data), timeout=10) as reply:
        return json.loads(reply.read())


def test_up_writes_what_a_client_needs_and_down_takes_it_away(running: Path) -> None:
    reach = json.loads((running / "reach.json").read_text())
    assert set(reach["forward"]) == {"192.0.2.11:22", "192.0.2.12:22", "192.0.2.21:22"}
    assert all(target.startswith("127.0.0.1:") for target in reach["forward"].values())
    assert Path(reach["ca"]).exists() and len(Path(reach["known_hosts"]).read_text().splitlines()) == 3
    secret = Path(reach["secrets"]) / "switch-admin"
    assert secret.stat().st_mode & 0o077 == 0
    assert secret.read_text() not in (running / "lab.log").read_text()
    pid = int((running / "lab.pid").read_text())
    assert "192.0.2.11:22" in lab("status", "--dir", str(running)).stdout
    assert lab("down", "--dir", str(running)).returncode == 0
    assert ended(pid)
    assert not (running / "world.json").exists() and lab("status", "--dir", str(running)).returncode == 1


def test_a_second_up_changes_nothing_and_two_labs_live_side_by_side(running: Path, tmp_path: Path) -> None:
    pid = (running / "lab.pid").read_text()
    again = lab("up", "--dir", str(running), "--only", "nxos")
    assert again.returncode == 0 and "runs" in again.stderr and (running / "lab.pid").read_text() == pid
    other = tmp_path / "other"
    assert lab("up", "--dir", str(other), "--only", "nxos").returncode == 0
    try:
        mine, theirs = (json.loads((d / "reach.json").read_text())["forward"] for d in (running, other))
        assert not set(mine.values()) & set(theirs.values())
        worlds = [json.loads((d / "reach.json").read_text())["world"] for d in (running, other)]
        assert len(set(worlds)) == 2 and all(world.startswith("lab-") for world in worlds)
        assert (running / "secrets/switch-admin").read_text() != (other / "secrets/switch-admin").read_text()
    finally:
        lab("down", "--dir", str(other))
    assert call(running, "/state")["name"] == "lab"


def test_down_after_a_kill_and_up_again(running: Path) -> None:
    os.kill(int((running / "lab.pid").read_text()), signal.SIGKILL)
    assert lab("down", "--dir", str(running)).returncode == 0
    assert lab("up", "--dir", str(running), "--only", "nxos").returncode == 0


def test_down_never_ends_a_process_it_did_not_start(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as bystander:
        (tmp_path / "lab.pid").write_text(str(bystander.pid))
        (tmp_path / "children").write_text(f"{bystander.pid} etcd\n")
        lab("down", "--dir", str(tmp_path))
        assert bystander.poll() is None
        bystander.kill()


def test_a_wrong_world_file_ends_in_a_sentence(tmp_path: Path) -> None:
    world = tmp_path / "w.yaml"
    world.write_text("cables: [[a, b, 1]]")
    done = lab("up", "--dir", str(tmp_path / "d"), "--world", str(world))
    assert done.returncode == 1 and "is not <device>:<port>" in done.stderr


def test_control_moves_counters_and_refuses_nonsense(running: Path) -> None:
    assert call(running, "/counters/writes") == {"nxos": 0}
    lines = ["configure terminal", "vlan 10", "interface Ethernet1/1", "mtu 9216"]
    assert call(running, "/fault", {"kind": "cli", "switch": "leaf-01", "lines": lines}) == {"output": ""}
    assert call(running, "/counters/writes") == {"nxos": 3}
    assert call(running, "/state")["servers"]["gpu-01"]["power"] == "Off"
    flows = [{"from": "gpu-01:rail0", "to": "gpu-02:rail0", "gbps": 400, "dscp": 26, "mtu": 1024}]
    (result,) = call(running, "/traffic", {"flows": flows, "seconds": 1})["flows"]
    assert result["gbps"] == 0 and "is down" in result["reason"]
    for server in ("gpu-01", "gpu-02"):
        call(running, "/power", {"server": server, "action": "On"})
    call(running, "/fault", {"kind": "cli", "switch": "leaf-01",
                             "lines": ["configure terminal", "interface Ethernet1/5", "mtu 9216"]})  # fmt: skip
    (result,) = call(running, "/traffic", {"flows": flows, "seconds": 1})["flows"]
    assert result["gbps"] > 350 and result["from"] == "gpu-01:rail0"
    assert call(running, "/counters")["leaf-01:Ethernet1/1"]["rx_bytes"] > 0
    wrong: list[tuple[str, Any]] = [
        ("/nowhere", None), ("/fault", {"kind": "x"}), ("/fault", []), ("/traffic", {"flows": [{"from": "a"}]}),
        ("/traffic", {"flows": [{"from": "gpu-01:rail0", "to": "gpu-99:rail0"}]}), ("/power", {"server": "x"}),
        ("/traffic", {"flows": [{"from": "gpu-01:rail0", "to": "gpu-02:rail0", "color": 1}]}),
    ]  # fmt: skip
    for path, body in wrong:
        with pytest.raises(urllib.error.HTTPError) as caught:
            call(running, path, body)
        assert caught.value.code == 400 and "error" in json.loads(caught.value.read())
        caught.value.close()


def test_faults_and_request_counters_from_the_command_line(tmp_path: Path) -> None:
    assert lab("fault", "intersight", "--dir", str(tmp_path)).returncode == 1
    assert lab("up", "--dir", str(tmp_path), "--only", "intersight", "--world", "lab").returncode == 0
    try:
        done = lab("fault", "intersight", "mode=502", "times=3", "latency_ms=5", "--dir", str(tmp_path))
        assert done.returncode == 0 and json.loads(done.stdout) == {"done": ["latency_ms", "mode", "times"]}
        wrong = lab("fault", "intersight", "mode=sulk", "--dir", str(tmp_path))
        assert wrong.returncode == 1 and "unknown mode 'sulk'" in wrong.stderr
        assert lab("fault", "intersight", "mode", "--dir", str(tmp_path)).returncode == 2
        counted = json.loads(lab("counters", "--dir", str(tmp_path)).stdout)["intersight"]
        assert counted == {"total": 0, "by_verb": {}, "by_path": {}, "in_bulk": {}, "by_status": {}}
    finally:
        lab("down", "--dir", str(tmp_path))


def test_certificates_chain_to_the_lab_authority_and_name_what_was_asked(tmp_path: Path) -> None:
    from cryptography import x509

    authority = Authority(tmp_path, "test CA")
    certificate, key = authority.issue("api.lab.example.com", "192.0.2.200")
    leaf, root = x509.load_pem_x509_certificates(certificate.read_bytes())
    leaf.verify_directly_issued_by(root)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["api.lab.example.com", "localhost"]
    assert [str(a) for a in names.get_values_for_type(x509.IPAddress)] == ["192.0.2.200", "127.0.0.1"]
    assert key.stat().st_mode & 0o077 == 0


def test_images_of_booted_hosts_lie_with_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    started = daemon.Lab(ROOT / "lab" / "worlds" / "lab.yaml", tmp_path / "lab", only=("redfish",))
    try:
        publish = json.loads((tmp_path / "lab" / "world.json").read_text())["publish"]
        (Path(publish["directory"]) / "some.iso").write_bytes(b"image")
        booted = threading.Event()
        started.world.on_boot.append(lambda *_: booted.set())
        started.world.insert_media("gpu-01", f"{publish['url']}/some.iso")
        started.world.set_boot("gpu-01", "Cd", once=True)
        started.world.power("gpu-01", "On")
        assert booted.wait(30)
        assert started.world.host("gpu-01").image == tmp_path / "lab" / "media" / "gpu-01.iso"
    finally:
        started.stop()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("verb", ["up", "down"])
def test_images_of_a_killed_lab_go_with_the_next_verb(running: Path, verb: str) -> None:
    (running / "media").mkdir()
    (running / "media" / "gpu-01.iso").write_bytes(b"image")
    os.kill(int((running / "lab.pid").read_text()), signal.SIGKILL)
    assert lab(verb, "--dir", str(running), *(("--only", "nxos") if verb == "up" else ())).returncode == 0
    assert not (running / "media" / "gpu-01.iso").exists()


def test_a_client_that_hangs_up_leaves_no_traceback(running: Path) -> None:
    host, _, port = json.loads((running / "world.json").read_text())["url"].removeprefix("http://").partition(":")
    for _ in range(5):
        with socket.create_connection((host, int(port))) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by reset
            client.sendall(b"GET /state HTTP/1.1\r\n\r\n")
    assert call(running, "/state")["name"] == "lab"
    assert "Traceback" not in (running / "lab.log").read_text()
