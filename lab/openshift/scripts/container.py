"""One container as a process: its volumes in a folder, its paths rewritten to that folder, its variables as kubelet
sets them. A process has no file system of its own here, so what its command and variables name below a mount is
elsewhere; a script that names such a path itself would not find it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from podwright.lab.openshift.api import Api, Object
from podwright.lab.openshift.binaries import IMPORTED_FROM
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.kinds import CONFIG_MAPS
from podwright.lab.openshift.scripts import variables

SHELLS, INTERPRETERS = ("bash", "sh"), ("python3",)
TOOLS = ("nvidia-smi", "dcgmi", "nv-hostengine", "all_reduce_perf")
WRAPPER = """\
#!/bin/sh
PYTHONPATH={packages} exec {python} {tools} {program} {state} "$@"
"""
Row = Mapping[str, Any]


def script(pod: Object, container: Row) -> str:
    """Path of the script that a container's command runs out of a ConfigMap; empty for every other command."""
    command = [str(word) for word in container.get("command") or []]
    if not command or command[0].rpartition("/")[2] not in (*SHELLS, *INTERPRETERS):
        return ""
    maps = {each["name"] for each in pod["spec"].get("volumes") or [] if "configMap" in each}
    mounts = [each["mountPath"] for each in container.get("volumeMounts") or [] if each["name"] in maps]
    path = _file(command)
    return path if any(path.startswith(f"{mount}/") for mount in mounts) else ""


def file_name(container: Row) -> str:
    """Name of the script's file, which the command line of its process has."""
    return _file(container["command"]).rpartition("/")[2]


def _file(command: Sequence[str]) -> str:
    return next((word for word in command[1:] if not word.startswith("-")), "")


def fill(folder: Path, pod: Object, cache: Cache, api: Api) -> None:
    """Bring a pod's volumes up to date, as kubelet does every minute. Raises ApiError and KeyError."""
    namespace = str(pod["metadata"]["namespace"])
    for volume in pod["spec"].get("volumes") or []:
        place = folder / "volumes" / volume["name"]
        place.mkdir(parents=True, exist_ok=True)
        for source in (volume.get("projected") or {}).get("sources") or [volume]:
            if "configMap" in source:
                found = cache.get(CONFIG_MAPS, source["configMap"]["name"], namespace)
                for key, text in ((found or {}).get("data") or {}).items():
                    _write(place / key, text)
            elif "serviceAccountToken" in source:
                _token(place / source["serviceAccountToken"]["path"], pod, api)


def _token(path: Path, pod: Object, api: Api) -> None:
    if path.exists():
        return
    meta = pod["metadata"]
    bound = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"]}
    asked = {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"expirationSeconds": 24 * 3600, "boundObjectRef": bound},
    }  # fmt: skip
    account = pod["spec"].get("serviceAccountName", "default")
    made = api.create(f"/api/v1/namespaces/{meta['namespace']}/serviceaccounts/{account}/token", asked)
    _write(path, made["status"]["token"])


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a program may be reading."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    fresh = path.with_name(f".{path.name}")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def start(folder: Path, pod: Object, container: Row, server: str) -> subprocess.Popen[bytes]:
    """Run a container's command in `folder`, into which its volumes are filled; `server` is the API's URL."""
    paths = {
        each["mountPath"]: str(folder / "volumes" / each["name"])
        for each in container.get("volumeMounts") or []
    }  # fmt: skip
    paths[container.get("terminationMessagePath", "/dev/termination-log")] = str(message_file(folder, container))
    known = variables.environment(pod, container)
    words = (*container["command"], *(container.get("args") or []))
    command = [_here(variables.expanded(str(word), known), paths) for word in words]
    own = {name: _here(value, paths) for name, value in known.items()}
    where = urlsplit(server)
    api = {"KUBERNETES_SERVICE_HOST": str(where.hostname), "KUBERNETES_SERVICE_PORT": str(where.port)}
    environment = {"PATH": f"{folder / 'bin'}:{os.defpath}", "HOME": str(folder), **api, **own}
    if command[0].rpartition("/")[2] in INTERPRETERS:
        command[0] = sys.executable
    with (folder / f"{container['name']}.log").open("ab") as log:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=folder,
            start_new_session=True,
        )  # fmt: skip


def message_file(folder: Path, container: Row) -> Path:
    """Where a container leaves its termination message."""
    return folder / f"{container['name']}.message"


def _here(text: str, paths: Mapping[str, str]) -> str:
    for path, place in paths.items():
        if text == path or text.startswith(f"{path}/"):
            return place + text.removeprefix(path)
    return text


def equip(folder: Path, state: str, *, beside: bool = False) -> None:
    """Put the programs that a container with GPUs finds on its PATH; `state` is what they show. Daemons of a container
    before it are gone, unless it runs `beside` others of the pod: what those have on a port is there, on the network
    that they share."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for engine in folder.glob("hostengine-*"):
        if not (beside and engine.name == "hostengine-port"):
            engine.unlink()
    _write(folder / "gpus.json", state)
    for each in TOOLS:
        path = folder / "bin" / each
        text = WRAPPER.format(
            packages=IMPORTED_FROM, python=sys.executable, tools=Path(__file__).with_name("tools.py"), program=each,
            state=folder / "gpus.json",
        )  # fmt: skip
        _write(path, text)
        path.chmod(0o755)
