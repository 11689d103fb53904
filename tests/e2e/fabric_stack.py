"""A stack of switches alone, a moment to strike in, and the commands a person types; no server and no cluster."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from podwright.lab.nxos.session import Session
from tests.e2e.kills import plugins
from tests.e2e.site import ROOT, Site
from tests.providers.nxos.rack import Rack, rack

ENDS_AFTER = 150
"""Seconds until an update whose processes were killed must have ended."""


@dataclass(frozen=True)
class Moment:
    """What happens once, right before leaf-01 takes a line; `lost`: it never takes it."""

    then: Callable[[], None]
    lost: bool = False


class FabricStack:
    """A fabric's stack and its switches."""

    def __init__(self, site: Site, switches: Rack) -> None:
        self.site, self.rack = site, switches
        self.text = site.stack_file.read_text()
        self.moments: dict[str, Moment] = {}

    def when(self, line: str, then: Callable[[], None], *, lost: bool = False) -> None:
        """Do something once, right before leaf-01 takes this line."""
        self.moments[line] = Moment(then, lost)

    def up(self, *, check: bool = True) -> str:
        """What an update says; without `check` it must fail."""
        done = self.site.pulumi("up", "--yes", "--skip-preview", check=check)
        assert check or done.returncode, done.stdout
        return f"{done.stdout}\n{done.stderr}"

    def running(self, name: str = "leaf-01") -> list[str]:
        """The running configuration of a switch."""
        return self.rack.text_of(name).splitlines()

    def configurations(self) -> dict[str, str]:
        """The running configuration of every switch."""
        return {name: self.rack.text_of(name) for name in self.rack.side.devices}

    def killed_at(self, line: str, *, engine: bool, lost: bool = False) -> None:
        """Run an update whose plugins, and with `engine` itself too, are killed where leaf-01 takes this line."""
        running = subprocess.Popen(
            ["pulumi", "up", "--yes", "--skip-preview", "--stack", self.site.stack, "--non-interactive"],
            cwd=self.site.folder,
            env=self.site.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def strike() -> None:
            for process in (*plugins(running.pid), *((running.pid,) if engine else ())):
                os.kill(process, signal.SIGKILL)

        self.when(line, strike, lost=lost)
        assert running.wait(ENDS_AFTER) != 0
        assert line not in self.moments, "nobody typed that line"


@contextmanager
def fabric_stack(folder: Path, text: str, program: str = "") -> Iterator[FabricStack]:
    """The stack that `text` defines, up on switches of the lab; `program` in place of the project's own."""
    (folder / "rack").mkdir()
    with rack(folder / "rack", (ROOT / "lab/worlds/lab.yaml").read_text()) as switches:
        site = Site(folder / "site")
        site.lay_out(text)
        if program:
            (site.folder / "__main__.py").unlink()
            (site.folder / "__main__.py").write_text(program)
        switches.write_reach(site.lab / "reach.json")
        site.init()
        made = FabricStack(site, switches)
        real = Session.run

        def watched(session: Session, line: str) -> str:
            if session.device is switches.leaf and line in made.moments:
                moment = made.moments.pop(line)
                moment.then()
                if moment.lost:
                    return ""
            return real(session, line)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Session, "run", watched)
            made.up()
            yield made
