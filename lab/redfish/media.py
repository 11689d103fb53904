"""The virtual drive of one BMC: it fetches the image itself, and the bytes it got are what boots."""

# ruff: noqa: ARG002 - a driver keeps the signatures of the library that calls it

from __future__ import annotations

import logging
import urllib.parse
from pathlib import Path
from typing import Any

import requests
from sushy_tools import error
from sushy_tools.emulator.resources.vmedia import StaticDriver

from podwright.lab.world.model import Server, World

log = logging.getLogger("lab.redfish")
FETCH_SECONDS = 300.0
"""Silence of an image web server that is too long even on a busy machine."""
LOOPBACK = ("127.0.0.1", "localhost")


class WorldDrive(StaticDriver):  # type: ignore[misc]  # the library is untyped
    """One CD drive per BMC. `folder` receives the image."""

    def __init__(self, config: dict[str, Any], logger: Any, world: World, server: Server, folder: Path) -> None:
        super().__init__(
            {
                **config,
                "SUSHY_EMULATOR_VMEDIA_DEVICES": {
                    "Cd": {"Name": "Virtual CD", "MediaTypes": ["CD", "DVD"]},
                },
            },
            logger,
        )
        self._devices: dict[tuple[str, str], dict[str, Any]] = {}
        self._world = world
        self._server = server
        self._folder = folder

    def _get_device(self, identity: str, device: str) -> dict[str, Any]:
        # The system answers to its serial number and to its UUID: one drive behind both.
        found: dict[str, Any] = super()._get_device(self._server.serial, device)
        return found

    def insert_image(self, identity: str, device: str, image_url: str | None, *args: Any, **kwargs: Any) -> str:
        """Fetch `image_url` and put it into the drive. Raises FishyError 400 or 502 when it cannot be had."""
        if not image_url:
            raise error.BadRequest("The property Image is a required property and must be included in the request.")
        path: str = super().insert_image(self._server.serial, device, image_url, *args, **kwargs)
        self._world.insert_media(self._server.name, image_url, Path(path))
        return path

    def eject_image(self, identity: str, device: str) -> None:
        """Empty the drive. Raises FishyError 409 when nothing is in it."""
        if not self._get_device(identity, device).get("Inserted"):
            raise error.Conflict("There is no media in the drive")
        self._world.eject_media(self._server.name)
        super().eject_image(self._server.serial, device)

    def _get_image(
        self, image_url: str, auth: tuple[str, str] | None, verify_media_cert: Any, custom_cert: Any
    ) -> tuple[str, str]:
        """(file name, path) of the fetched image. Only loopback and the world's routes can be reached."""
        parts = urllib.parse.urlsplit(image_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise error.BadRequest(f"Cannot download virtual media: {image_url} is not an http or https URL")
        site = f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
        target = self._world.routes.get(site, site)
        if target.rpartition(":")[0] not in LOOPBACK:
            raise error.FishyError(f"Cannot download virtual media: no route to host {site}", code=502)
        name = Path(parts.path).name or "image.iso"
        path = self._folder / f"{self._server.name}-{name}"
        url = parts._replace(netloc=target).geturl()
        try:
            self._download(url, auth, path)
        except requests.RequestException as problem:
            raise error.FishyError(f"Cannot download virtual media: {problem}", code=502) from problem
        return name, str(path)

    def _download(self, url: str, auth: tuple[str, str] | None, path: Path) -> None:
        draft = path.with_suffix(".part")
        with requests.Session() as session:
            session.trust_env = False  # a proxy of the environment has no way to loopback
            with session.get(url, auth=auth, stream=True, timeout=FETCH_SECONDS, allow_redirects=False) as reply:
                if reply.status_code != 200:
                    code = 502 if reply.status_code >= 500 else 400
                    raise error.FishyError(f"Cannot download virtual media: got error {reply.status_code}", code=code)
                with draft.open("wb") as file:
                    for chunk in reply.iter_content(1 << 20):
                        file.write(chunk)
        draft.replace(path)
