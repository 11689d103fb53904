"""How a device's address in the stack file becomes the address that is dialled.

The stack file holds a site's real addresses. A *reach file* (JSON), named by the environment variable
``PODWRIGHT_REACH``, redirects them, as a jump host or a port forward would; without one the real addresses,
the system's trust store and ``~/.ssh/known_hosts`` are used. All keys are optional::

    {"world": "lab-3f9c2a", "forward": {"192.0.2.11:22": "127.0.0.1:40022"},
     "ca": "/abs/ca.pem", "known_hosts": "/abs/known_hosts", "secrets": "/abs/secrets",
     "tools": {"openshift-install": "/abs/bin/openshift-install"},
     "publish": {"directory": "/srv/images", "url": "http://192.0.2.2:8080"}}

`world` is the id of the world that the file leads to; a file without one leads to the same devices as no file, on
another way: their world is ``direct``. Endpoints, certificates and keys of a world may change, its id stays.

A host's identity stays that of the original address: known_hosts entries and certificates name it, not the
forward.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VARIABLE = "PODWRIGHT_REACH"
DIRECT = "direct"
"""The world of addresses that are dialled as they stand, or through a jump host or a port forward."""
_KEYS = {"world", "forward", "ca", "known_hosts", "secrets", "tools", "publish"}


class ReachError(Exception):
    """The reach file cannot be used; the message says which one, where and why."""


class SecretNotFoundError(Exception):
    """A secret is in none of the three places; the message names it and them."""


@dataclass(frozen=True)
class Reach:
    """Redirections, trust anchors, secrets and tools, as one operation sees them."""

    forward: Mapping[str, str] = field(default_factory=dict)
    world: str = DIRECT
    """Compared with the stack's before anything is dialled."""
    file: Path | None = None
    """Where all this was read, for messages; None: nowhere, direct reach."""
    ca: Path | None = None
    """PEM bundle that HTTPS servers are checked against; None means the system's trust store."""
    known_hosts: Path = field(default_factory=lambda: Path("~/.ssh/known_hosts").expanduser())
    secrets: Path | None = None
    tools: Mapping[str, str] = field(default_factory=dict)
    publish: Mapping[str, str] | None = None
    """Where installation images go instead of where the spec says: ``{"directory", "url"}``."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def endpoint(self, host: str, port: int) -> tuple[str, int]:
        """Where to dial for `host`:`port`; the same pair when nothing redirects it."""
        target = self.forward.get(f"{host}:{port}")
        if target is None:
            return host, port
        dialled, _, number = target.rpartition(":")
        return dialled.strip("[]"), int(number)

    def tool(self, name: str) -> str | None:
        """The path of an external program: the reach file's, else the one on PATH, else None."""
        return self.tools.get(name) or shutil.which(name, path=self.environ.get("PATH"))

    def secret(self, name: str) -> str:
        """The secret's value from the environment or the secrets folder, without the trailing newline.

        Raises SecretNotFoundError, which names the secret and every place that may hold it.
        """
        given = self.environ.get(variable(name))
        if given:
            return given
        folder = f"a file {name} in the reach file's `secrets` folder"
        if self.secrets is not None and "/" not in name:
            path = self.secrets / name
            folder = f"the file {path}"
            if path.is_file():
                return path.read_text(encoding="utf-8").rstrip("\n")
        raise SecretNotFoundError(
            f"the secret {name!r} is nowhere to be found: give it to the stack with "
            f"`pulumi config set --secret --path 'secrets[\"{name}\"]'`, as the environment variable "
            f"{variable(name)}, or as {folder}"
        )


def variable(name: str) -> str:
    """The environment variable that may hold a secret."""
    return "PODWRIGHT_SECRET_" + name.upper().replace("-", "_").replace(".", "_")


def load(environ: Mapping[str, str]) -> Reach:
    """The reach file that `environ` names, or direct reach without one.

    Raises ReachError when the file is missing, is not JSON of the shape above, or forwards to something
    that is not ``host:port``.
    """
    name = environ.get(VARIABLE, "")
    if not name:
        return Reach(environ=dict(environ))
    try:
        document = json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise ReachError(f"{VARIABLE} names {name}, which cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ReachError(f"{name} is not valid JSON: {error}") from None
    _check(name, document)
    direct = Reach()
    return Reach(
        forward=document.get("forward", {}),
        world=document.get("world", DIRECT),
        file=Path(name),
        ca=Path(document["ca"]) if "ca" in document else None,
        known_hosts=Path(document["known_hosts"]) if "known_hosts" in document else direct.known_hosts,
        secrets=Path(document["secrets"]) if "secrets" in document else None,
        tools=document.get("tools", {}),
        publish=document.get("publish"),
        environ=dict(environ),
    )


def _check(name: str, document: object) -> None:
    if not isinstance(document, dict):
        raise ReachError(f"{name} must hold one JSON object")
    if unknown := sorted(set(document) - _KEYS):
        raise ReachError(f"{name} has keys nobody reads: {', '.join(unknown)}; known are {', '.join(sorted(_KEYS))}")
    _check_shapes(name, document)
    for source, target in document.get("forward", {}).items():
        for end in (source, target):
            host, _, port = end.rpartition(":")
            if not host or not port.isdigit():
                raise ReachError(f"{name}: `forward` holds {end!r}, which is not host:port")


def _check_shapes(name: str, document: Mapping[str, Any]) -> None:
    for key in ("forward", "tools", "publish"):
        table = document.get(key, {})
        if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
            raise ReachError(f"{name}: `{key}` must map strings to strings")
    if "publish" in document and set(document["publish"]) != {"directory", "url"}:
        raise ReachError(f"{name}: `publish` holds exactly `directory` and `url`")
    for key in ("ca", "known_hosts", "secrets"):
        if not isinstance(document.get(key, ""), str):
            raise ReachError(f"{name}: `{key}` must be a path")
    if not isinstance(document.get("world", DIRECT), str) or not document.get("world", DIRECT):
        raise ReachError(f"{name}: `world` must be a text that is not empty; leave it out where devices are the site's")
