"""One command goes back from a change that failed its soak or was killed in the middle of a wave."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from podwright.cli.split import fabric_file
from podwright.lab.nxos.session import Session
from tests.e2e.kills import plugins
from tests.e2e.site import ROOT, Site
from tests.providers.nxos.rack import Rack, rack

pytestmark = [pytest.mark.e2e, pytest.mark.rough]

ROLLOUT = {"fabric/rollout": {"canary": "leaf-01", "batch": 1, "soak_seconds": 0}}
RENUMBERED = {"fabric/leaves/leaf-01/asn": 64611, "changes": {"limit": "two-ended"}}
EXTRA = {
    "fabric/extra": {
        "leaf-01": {
            "interface loopback8": "ip address 10.9.9.8/32",
            "interface loopback9": "description ours\nip address 10.9.9.9/32",
        }
    }
}


class Network:
    """A fabric's stack, its switches, and a moment to strike in."""

    def __init__(self, site: Site, switches: Rack) -> None:
        self.site, self.rack = site, switches
        self.text = site.stack_file.read_text()
        self.hooks: dict[str, Callable[[], None]] = {}

    def configurations(self) -> dict[str, str]:
        return {name: self.rack.text_of(name) for name in self.rack.side.devices}

    def up(self, *, check: bool = True) -> None:
        done = self.site.pulumi("up", "--yes", "--skip-preview", check=check)
        assert check or done.returncode, done.stdout

    def undo(self, *, check: bool = True) -> str:
        command = [sys.executable, "-m", "podwright.cli", "undo", "lab", "--", "--yes", "--skip-preview"]
        done = self.site.run(command, check=check)
        assert check or done.returncode == 4, f"{done.stdout}\n{done.stderr}"
        return f"{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    folder = tmp_path_factory.mktemp("undo")
    (folder / "rack").mkdir()
    with rack(folder / "rack", (ROOT / "lab/worlds/lab.yaml").read_text()) as switches:
        site = Site(folder / "site")
        site.lay_out(re.sub(" *moved_from: .*\n", "", fabric_file((ROOT / "Pulumi.lab.yaml").read_text(), "", "a/b/c")))
        site.edit(ROLLOUT)
        switches.write_reach(site.lab / "reach.json")
        site.init()
        made = Network(site, switches)
        real = Session.run

        def watched(session: Session, line: str) -> str:
            if session.device is switches.leaf and line in made.hooks:
                made.hooks.pop(line)()
            return real(session, line)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Session, "run", watched)
            made.up()
            yield made


def test_a_change_that_failed_its_soak_is_undone_and_every_switch_read_again(network: Network) -> None:
    before = network.configurations()
    network.site.edit(RENUMBERED)
    network.up(check=False)
    assert network.configurations() != before
    # Somebody edits a switch meanwhile: nothing is begun, and the lines are named.
    network.rack.edit("interface Ethernet1/1", "description theirs")
    said = network.undo(check=False)
    assert "leaf-01 was edited since: interface Ethernet1/1 / description theirs" in said
    assert "nothing was begun" in said
    network.rack.edit("interface Ethernet1/1", "description gpu-01 rail0")
    said = network.undo()
    assert "leaf-01: as before the change, read from the switch (" in said
    assert "Pulumi.lab.yaml still holds what was undone" in said
    assert network.configurations() == before
    network.site.stack_file.write_text(network.text)
    network.up()
    assert network.site.preview() == []


def test_a_change_that_was_killed_in_its_wave_is_undone(network: Network) -> None:
    before = network.configurations()
    network.site.edit(EXTRA)
    running = subprocess.Popen(
        ["pulumi", "up", "--yes", "--skip-preview", "--stack", network.site.stack, "--non-interactive"],
        cwd=network.site.folder,
        env=network.site.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def strike() -> None:
        for process in (*plugins(running.pid), running.pid):
            os.kill(process, signal.SIGKILL)

    network.hooks["ip address 10.9.9.9/32"] = strike
    assert running.wait(150) != 0
    assert "interface loopback9" in network.configurations()["leaf-01"], "half of it stands"
    said = network.undo()
    assert "leaf-01: as before the change, read from the switch (" in said
    assert network.configurations() == before
    network.site.stack_file.write_text(network.text)
    network.up()
    assert network.site.preview() == []
