"""The pickers' processes: the real program for each pod that is to run it, with the arguments and files of that pod."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.gateway.passage import ApiPassage, Place
from podwright.lab.openshift.ports import free_port

PROGRAM = "epp"
IMAGE = re.compile(r"(^|/)(epp|[a-z0-9-]*endpoint-picker[a-z0-9-]*)([:@]|$)")
"""Its image's name, without its registry."""
PORT = 9002


@dataclass(frozen=True)
class Run:
    """One process."""

    process: str
    port: int
    """Of external processing, on 127.0.0.1."""
    passage: ApiPassage


class Pickers:
    """By pod's uid, those that run."""

    def __init__(self, plane: ControlPlane, access: str) -> None:
        self._plane, self._access = plane, access
        self._runs: dict[str, Run] = {}

    @property
    def missing(self) -> bool:
        """Whether the program has not been built."""
        return not os.access(self._plane.program(PROGRAM), os.X_OK)

    def port(self, pod: Object) -> int | None:
        """Where a pod's process listens; None where none runs."""
        run = self._runs.get(pod["metadata"]["uid"])
        return run.port if run and run.process in self._plane.processes.pids() else None

    def keep(self, pods: Mapping[str, Object], files: Mapping[str, str], place: Place) -> None:
        """Start those that do not run yet, end those whose pod is gone; `files` are ConfigMaps' texts by
        namespace/name/key."""
        for uid in set(self._runs) - set(pods):
            self._end(uid)
        for uid, pod in pods.items():
            if uid not in self._runs:
                self._start(uid, pod, files, place)

    def stop(self) -> None:
        """End all."""
        for uid in list(self._runs):
            self._end(uid)

    def _end(self, uid: str) -> None:
        run = self._runs.pop(uid)
        self._plane.processes.end(run.process)
        run.passage.stop()

    def _start(self, uid: str, pod: Object, files: Mapping[str, str], place: Place) -> None:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        account = f"system:serviceaccount:{namespace}:{pod['spec'].get('serviceAccountName', 'default')}"
        passage = ApiPassage(self._access, account, place)
        folder = self._plane.folder(f"epp-{uid}")
        way = folder / "kubeconfig"
        way.write_text(yaml.safe_dump(_kubeconfig(passage.url)), encoding="utf-8")
        (box,) = (each for each in pod["spec"]["containers"] if IMAGE.search(each["image"]))
        words = [_local(each, box, pod, files, folder) for each in box.get("args") or []]
        run = Run(f"epp-{namespace}-{name}", free_port(), passage)
        self._runs[uid] = run
        self._plane.processes.start(run.process, [
            "env", f"KUBECONFIG={way}", f"NAMESPACE={namespace}", f"POD_NAME={name}", self._plane.program(PROGRAM),
            *words, f"--grpc-port={run.port}", f"--grpc-health-port={free_port()}", f"--metrics-port={free_port()}",
        ])  # fmt: skip


def is_picker(pod: Object) -> bool:
    """Whether a pod runs one, and is not about to go."""
    running = (pod.get("status") or {}).get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
    return running and any(IMAGE.search(each["image"]) for each in pod["spec"]["containers"])


def _local(word: str, box: Object, pod: Object, files: Mapping[str, str], folder: Path) -> str:
    """An argument that names a file of a mounted ConfigMap, as one of a file on this machine."""
    option, _, path = word.partition("=")
    if option != "--config-file":
        return word
    volumes = {each["name"]: (each.get("configMap") or {}).get("name") for each in pod["spec"].get("volumes") or []}
    for mount in box.get("volumeMounts") or []:
        home, _, file = path.rpartition("/")
        if home == mount["mountPath"]:
            text = files.get(f"{pod['metadata']['namespace']}/{volumes.get(mount['name'])}/{file}", "")
            (folder / "plugins.yaml").write_text(text, encoding="utf-8")
            return f"{option}={folder / 'plugins.yaml'}"
    return word


def _kubeconfig(url: str) -> dict[str, object]:
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "lab",
        "clusters": [{"name": "lab", "cluster": {"server": url}}], "users": [{"name": "lab", "user": {}}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
    }  # fmt: skip
