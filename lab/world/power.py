"""Power and boot: a button starts a power-on self-test whose end is a boot that listeners hear of."""

from __future__ import annotations

import logging
import tempfile
import threading
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from podwright.lab.world.inventory import Host, Medium, PowerAction, WorldError

if TYPE_CHECKING:
    from podwright.lab.world.model import World

log = logging.getLogger("lab.world")
FETCH_SECONDS = 300
"""Silence of an image web server that is too long even on a busy machine."""


class PowerPlant:
    """Runs boots in background threads. A newer press makes an older boot moot (`generation`)."""

    def __init__(self, world: World, post_seconds: float, media: Path | None) -> None:
        self._world = world
        self._post_seconds = post_seconds
        self._stopped = threading.Event()
        self._media = media
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def press(self, server: str, action: PowerAction) -> None:
        """Act on one server as its BMC's Reset does. Raises WorldError for an unknown action or server."""
        if action not in ("On", "ForceOff", "ForceRestart", "GracefulShutdown"):
            raise WorldError(f"unknown power action {action!r}")
        world = self._world
        with world.lock:
            host = world.host(server)
            before = host.power
            if action == "On" and before == "On":
                return
            off_only = action in ("ForceOff", "GracefulShutdown")
            host.generation += 1
            host.power = "Off" if off_only else "On"
            host.state = "off" if off_only else "post"
            generation = host.generation
        if before == "On":
            self._tell_power(server, "Off")
        if not off_only:
            self._tell_power(server, "On")
            threading.Thread(target=self._boot, args=(server, generation), name=f"boot-{server}", daemon=True).start()

    def close(self) -> None:
        """Let running self-tests end without a boot; forget what drives have read."""
        self._stopped.set()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _tell_power(self, server: str, state: str) -> None:
        for listener in list(self._world.on_power):
            listener(server, state)

    def _boot(self, server: str, generation: int) -> None:
        if self._stopped.wait(self._post_seconds):
            return
        world = self._world
        with world.lock:
            host = world.host(server)
            if host.generation != generation:
                return
            host.bios.update(host.bios_pending)
            host.bios_pending.clear()
            host.firmware.update(host.firmware_pending)
            host.firmware_pending.clear()
            host.uuid, host.uuid_pending = host.uuid if host.uuid_pending is None else host.uuid_pending, None
            medium = self._medium(host)
            url, path = host.media_url, host.media_path
        image = self._fetch(url, path, server) if medium == "Cd" else host.disk_image
        with world.lock:
            if host.generation != generation:
                return
            host.medium, host.image = medium, image
            for nic in world.servers[server].nics.values() if image is not None else ():
                nic.load_driver()
            host.boots += 1
            host.bonds = ()
            host.state = "no-os" if image is None else ("live" if medium == "Cd" else "running")
        log.info("%s booted from %s (%s)", server, medium, image)
        for listener in list(world.on_boot):
            listener(server, medium, image)

    def _medium(self, host: Host) -> Medium:
        """The boot target, one-shot or standing; an empty drive falls through to the disk, as in firmware."""
        target = host.boot_target
        if host.boot_once:
            host.boot_target, host.boot_once = "Hdd", False
        return "Hdd" if target == "Cd" and host.media_url is None else target

    def _fetch(self, url: str | None, path: Path | None, server: str) -> Path | None:
        """The image as a local file. Only loopback and this world's `routes` are dialled."""
        if path is not None or url is None:
            return path
        parts = urllib.parse.urlsplit(url)
        if parts.scheme == "file":
            return Path(parts.path)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        target = self._world.routes.get(f"{parts.hostname}:{port}", f"{parts.hostname}:{port}")
        if target.rpartition(":")[0] not in ("127.0.0.1", "localhost"):
            log.warning("%s: no way to %s, the drive stays unreadable", server, url)
            return None
        destination = self._folder() / f"{server}.iso"
        try:
            with urllib.request.urlopen(f"http://{target}{parts.path}", timeout=FETCH_SECONDS) as reply:
                destination.write_bytes(reply.read())
        except OSError as problem:
            log.warning("%s: reading %s failed: %s", server, url, problem)
            return None
        return destination

    def _folder(self) -> Path:
        """Where images go: the lab's own folder, or a temporary one for a world that has no lab around it."""
        with self._world.lock:
            if self._media is None:
                self._temporary = tempfile.TemporaryDirectory(prefix="lab-media-")
                self._media = Path(self._temporary.name)
            self._media.mkdir(parents=True, exist_ok=True)
            return self._media
