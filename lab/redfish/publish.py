"""The site's image web server: serves a folder over plain HTTP, with byte ranges, GET and HEAD only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.utils import send_from_directory

from podwright.lab.redfish.listener import Listener, Wsgi


def site(directory: Path) -> Wsgi:
    """WSGI application that serves the files below `directory`; it lists nothing."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        reply: Any
        try:
            if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
                raise MethodNotAllowed(["GET", "HEAD"])
            name = environ["PATH_INFO"].lstrip("/")
            if not name or not (directory / name).is_file():
                raise NotFound
            reply = send_from_directory(os.fspath(directory), name, environ, mimetype="application/octet-stream")
        except HTTPException as problem:
            reply = problem
        answer: Iterable[bytes] = reply(environ, start_response)
        return answer

    return application


class PublishServer:
    """A running image web server. `url` has no trailing slash."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self._listener = Listener(site(directory), "publish")
        self.address = self._listener.address
        self.url = f"http://{self.address}"

    def stop(self) -> None:
        """Close the port."""
        self._listener.stop()
