"""The lab's one process: a world, its sides, the control endpoint, and the files that tell clients where they are.

Side modules implement `start(world: World, context: LabContext) -> Side` (see `lab.sides`).
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from podwright.lab.control import ControlServer
from podwright.lab.pki import Authority
from podwright.lab.sides import SIDES, LabContext, Side, start_side
from podwright.lab.world.model import World

__all__ = ["Lab", "LabContext", "Side", "run"]

log = logging.getLogger("lab")
MEDIA = "media"
"""Folder of a lab for the images that its hosts boot from."""


class Lab:
    """A started lab. `stop` ends the sides in reverse order."""

    def __init__(
        self,
        world_file: Path,
        directory: Path,
        only: tuple[str, ...] | None = None,
        variants: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.dir = directory
        shutil.rmtree(directory / MEDIA, ignore_errors=True)  # of a lab that was killed
        self.world = World.load(world_file, directory / MEDIA, variants)
        self.context = LabContext(
            dir=directory,
            secrets=_folder(directory / "secrets", private=True),
            ca=Authority(directory / "pki", f"{self.world.name} lab CA"),
            logs=_folder(directory / "logs"),
        )
        self.sides: dict[str, Side] = {}
        try:
            for name, module in SIDES:
                if only is None or name in only:
                    log.info("side %s starts", name)
                    self.sides[name] = start_side(module, self.world, self.context)
                    log.info("side %s is up", name)
            self.control = ControlServer(self.world, self.sides)
        except BaseException:
            self._stop_sides()
            raise
        self._publish()

    def _publish(self) -> None:
        """Write known_hosts, reach.json and world.json; the last one is the sign that the lab is ready."""
        known_hosts = self.dir / "known_hosts"
        known_hosts.write_text("".join(f"{line}\n" for line in self.context.known_hosts), encoding="utf-8")
        reach: dict[str, object] = {
            # New at every start: the devices are, too, and a stack that was brought up on earlier ones is not theirs.
            "world": f"{self.world.name}-{secrets.token_hex(3)}",
            "forward": {src: dst for side in self.sides.values() for src, dst in side.forward.items()},
            "ca": str(self.context.ca.path.resolve()),
            "known_hosts": str(known_hosts.resolve()),
            "secrets": str(self.context.secrets.resolve()),
            "tools": self.context.tools,
        }
        world: dict[str, object] = {"url": self.control.url}
        # The site's image web server: {"directory", "url"}; only the side that runs it has one.
        for side in self.sides.values():
            if publish := getattr(side, "publish", None):
                world["publish"] = reach["publish"] = publish
        _write_whole(self.dir / "reach.json", json.dumps(reach, indent=1))
        _write_whole(self.dir / "world.json", json.dumps(world))

    def _stop_sides(self) -> None:
        for name, side in reversed(self.sides.items()):
            try:
                side.stop()
            except Exception:
                log.exception("stopping %s failed", name)
        self.world.close()

    def stop(self) -> None:
        """End everything this lab started and take down the files that say it runs."""
        (self.dir / "world.json").unlink(missing_ok=True)
        self.control.stop()
        self._stop_sides()


def _folder(path: Path, private: bool = False) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if private:
        path.chmod(0o700)
    return path


def _write_whole(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never a half."""
    draft = path.with_suffix(".draft")
    draft.write_text(text + "\n", encoding="utf-8")
    draft.replace(path)


def run(world_file: Path, directory: Path, only: tuple[str, ...] | None, variants: Mapping[str, str]) -> None:
    """Start a lab in this process and serve until SIGTERM or SIGINT."""
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    directory.mkdir(parents=True, exist_ok=True)
    pid_file = directory / "lab.pid"
    pid_file.write_text(f"{os.getpid()}\n", encoding="utf-8")
    try:
        lab = Lab(world_file, directory, only, variants)
        over.wait()
        lab.stop()
    finally:
        pid_file.unlink(missing_ok=True)
