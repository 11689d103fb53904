"""Release archives from a mirror on loopback: checked, preferred to a build, and never asked for unbidden."""

import hashlib
import io
import socket
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request

import pytest

from podwright.toolchain.archives import ARCHIVES, Archives, _Secure, archives
from podwright.toolchain.binaries import BY_NAME, ENGINE
from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import binary_key
from podwright.toolchain.store import Store
from tests.toolchain.conftest import Machine

GITHUB = "/mirror/github.com"
COMMAND = f"{GITHUB}/pulumi/pulumi-command/releases/download/v0.9.2"
CLI = f"{GITHUB}/pulumi/pulumi/releases/download/v3.259.0"


@dataclass
class Mirror:
    """An HTTP server: what it serves by path, and what it was asked for."""

    url: str
    pages: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def release(self, base: str, archive: str, checksums: str, members: dict[str, bytes], digest: str = "") -> None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as made:
            for name, text in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text)
                made.addfile(entry, io.BytesIO(text))
        self.pages[f"{base}/{archive}"] = data.getvalue()
        found = digest or hashlib.sha256(data.getvalue()).hexdigest()
        self.pages[f"{base}/{checksums}"] = f"{'0' * 64}  other.tar.gz\n{found}  {archive}\n".encode()


@pytest.fixture(autouse=True)
def amd64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            page = made.pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.end_headers()
            self.wfile.write(page or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Mirror(f"http://127.0.0.1:{server.server_port}/mirror")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def command_plugin(mirror: Mirror, digest: str = "") -> None:
    archive = "pulumi-resource-command-v0.9.2-linux-amd64.tar.gz"
    members = {"README.md": b"r", "pulumi-resource-command": b"released"}
    mirror.release(COMMAND, archive, "pulumi-command_0.9.2_checksums.txt", members, digest)


def test_an_archive_comes_before_a_build(tmp_path: Path, mirror: Mirror) -> None:
    command_plugin(mirror)
    binary, store = BY_NAME["pulumi-resource-command"], Store(tmp_path)
    assert Archives(mirror.url, store).provide(binary)
    file = store.entry(binary.name, binary_key(binary)) / binary.name
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"released", 0o755)
    assert store.whole(binary.name, binary_key(binary))


def test_two_programs_of_one_archive_are_fetched_once(tmp_path: Path, mirror: Mirror) -> None:
    names = (
        "pulumi", "pulumi-language-python", "pulumi-language-python-exec", "pulumi-resource-pulumi-python",
    )  # fmt: skip
    members = {f"pulumi/{name}": name.encode() for name in names}
    mirror.release(CLI, "pulumi-v3.259.0-linux-x64.tar.gz", "pulumi-3.259.0-checksums.txt", members)
    source = Archives(mirror.url, Store(tmp_path))
    assert source.provide(BY_NAME["pulumi"])
    assert source.provide(BY_NAME["pulumi-language-python"])
    assert len(mirror.asked) == 2


def test_a_plain_program_with_a_bare_sum(tmp_path: Path, mirror: Mirror) -> None:
    base = "/mirror/dl.k8s.io/v1.36.3/bin/linux/amd64/kubectl"
    mirror.pages = {base: b"kubectl", f"{base}.sha256": hashlib.sha256(b"kubectl").hexdigest().encode()}
    assert Archives(mirror.url, Store(tmp_path)).provide(BY_NAME["kubectl"])


def test_an_archive_with_another_sum_is_refused(tmp_path: Path, mirror: Mirror) -> None:
    command_plugin(mirror, digest="1" * 64)
    with pytest.raises(SetupError, match=r"arrived with SHA-256 \w{64}, its checksum file says 1{64}"):
        Archives(mirror.url, Store(tmp_path)).provide(BY_NAME["pulumi-resource-command"])


def test_what_the_mirror_does_not_have_is_built(machine: Machine, mirror: Mirror) -> None:
    command_plugin(mirror)
    done = machine.run("setup", "preview", PODWRIGHT_ARCHIVES=mirror.url)
    assert done.returncode == 0, done.stderr
    assert "pulumi-resource-command: its release, checked against the published checksum" in done.stderr
    assert machine.lines("end") == [b.package for b in ENGINE if b.name != "pulumi-resource-command"]
    plugin = machine.place("home") / "plugins" / "resource-command-v0.9.2" / "pulumi-resource-command"
    assert plugin.read_bytes() == b"released"


def test_a_host_that_refuses_is_asked_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    source = Archives(f"http://127.0.0.1:{port}", Store(tmp_path))
    assert [source.provide(BY_NAME[name]) for name in ARCHIVES] == [False] * len(ARCHIVES)
    assert capsys.readouterr().err.count("serves no archives") == 1


def test_a_host_that_is_silent_costs_two_seconds_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        source = Archives(f"http://127.0.0.1:{silent.getsockname()[1]}", Store(tmp_path))
        began = time.monotonic()
        assert [source.provide(BY_NAME[name]) for name in ARCHIVES] == [False] * len(ARCHIVES)
        assert time.monotonic() - began < 6, "2 s, and a machine that is busy"


def test_nothing_is_dialled_unbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: pytest.fail("dialled"))
    source = archives({}, Store(tmp_path))
    assert not any(source.provide(BY_NAME[name]) for name in ARCHIVES)


def test_a_person_who_waits_for_a_build_is_told_of_archives(machine: Machine) -> None:
    assert "PODWRIGHT_ARCHIVES=official is quicker" in machine.run("setup", "preview").stderr
    assert machine.run("setup", "preview").stderr == ""


def test_an_address_that_is_none(machine: Machine) -> None:
    done = machine.run("setup", "preview", PODWRIGHT_ARCHIVES="yes")
    assert done.returncode == 2
    assert "PODWRIGHT_ARCHIVES=https://mirror/path" in done.stderr


def test_every_archive_is_of_the_pinned_release() -> None:
    for name, archive in ARCHIVES.items():
        pins = BY_NAME[name]
        releases = [*(stamp.rpartition("=")[2] for stamp in pins.stamps if "." in stamp.rpartition("=")[2])]
        if name not in {"pulumi-language-python", "pulumi-language-yaml", "etcd", "etcdutl"}:
            assert any(release.removeprefix("v") in archive.url for release in releases), name


@pytest.mark.parametrize(("limit", "value"), [("MOST_BYTES", 100), ("WHOLE_S", -1.0)])
def test_an_answer_that_does_not_end_means_a_build(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    limit: str, value: float,
) -> None:  # fmt: skip
    monkeypatch.setattr(f"podwright.toolchain.archives.{limit}", value)
    command_plugin(mirror)
    assert not Archives(mirror.url, Store(tmp_path)).provide(BY_NAME["pulumi-resource-command"])
    assert "takes longer than a build" in capsys.readouterr().err


def test_no_redirect_leads_out_of_tls() -> None:
    asked = Request("https://mirror.example.com/a")
    follow = _Secure().redirect_request
    with pytest.raises(OSError, match="from https to http"):
        follow(asked, None, 302, "", {}, "http://mirror.example.com/a")
    assert follow(asked, None, 302, "", {}, "https://other.example.com/a") is not None
