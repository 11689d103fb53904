"""Pods whose container is a server of models: kubelet makes its container, starts it, probes it, and starts it again.

After kubernetes/kubernetes, pkg/kubelet (kuberuntime_container.go and images: a reference to a Secret that is not
there is a CreateContainerConfigError; a container that ends is started again after a pause that doubles; with
terminationMessagePolicy FallbackToLogsOnError its last lines are its message) and pkg/kubelet/prober. kwok starts such
a pod once its server listens and its probes pass. Pauses are a tenth of kubelet's.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift import pulls
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.attachments import MOUNTED
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller, Surroundings, now
from podwright.lab.openshift.daemons import UNPUBLISHED, node_ready
from podwright.lab.openshift.kinds import NODES, PODS
from podwright.lab.openshift.scripts import variables
from podwright.lab.openshift.serving import images, nim, triton
from podwright.lab.openshift.serving.box import Box, EndedError, Mounted, Request, Served
from podwright.lab.openshift.serving.listener import Listener

SECRETS = Kind("v1", "secrets")
SERVES = "lab.podwright.io/serves"
"""Annotation of a pod whose servers answer their probes: kwok starts no other of these."""
VARIANT, ASKED = "nim-key", "asked"
PAUSE_SECONDS, LONGEST_PAUSE = 1.0, 30.0
LOG_BYTES = 2048
"""Of a log, what a termination message takes at most."""
GPU, MIG, SHARED = "nvidia.com/gpu", "nvidia.com/mig-", ".shared"


class ConfigError(Exception):
    """Why a container cannot be made."""


@dataclass
class Run:
    """What kubelet remembers of a pod."""

    served: Served | None = None
    place: tuple[str, str] = ("", "")
    listeners: dict[int, Listener] = field(default_factory=dict)
    scratch: dict[str, dict[str, str]] = field(default_factory=dict)
    """Files of its emptyDirs."""
    restarts: int = 0
    again_at: float = 0.0


class Serving(Controller):
    """All pods with such a container."""

    watches = (PODS, NODES)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._runs: dict[str, Run] = {}

    def stop(self, seconds: float = 5.0) -> None:
        """End the running pass and give the ports back."""
        super().stop(seconds)
        for uid in list(self._runs):
            self._drop(uid)

    def page(self) -> Mapping[str, Any]:
        """By pod, its ports and where they are on 127.0.0.1."""
        found = {}
        for pod in self.cache.list(PODS):
            run = self._runs.get(pod["metadata"]["uid"])
            if run is not None and run.listeners:
                name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
                found[name] = {str(port): each.port for port, each in run.listeners.items()}
        return {"served": found}

    def reconcile(self) -> None:
        """One pass."""
        pods = {str(pod["metadata"]["uid"]): pod for pod in self.cache.list(PODS)}
        for uid in set(self._runs) - set(pods):
            self._drop(uid)
        for uid, pod in pods.items():
            box = next((each for each in pod["spec"]["containers"] if images.engine(each)), None)
            over = (
                pod.get("status", {}).get("phase") in ("Succeeded", "Failed") or "deletionTimestamp" in pod["metadata"]
            )
            if box is None or over:
                self._drop(uid)
            elif uid not in self._runs or self._runs[uid].served is None:
                self._begin(uid, pod, box)

    # --- kubelet ----------------------------------------------------------------------------------------------

    def _begin(self, uid: str, pod: Object, row: Mapping[str, Any]) -> None:
        node = self.cache.get(NODES, pod["spec"].get("nodeName") or "")
        notes = pod["metadata"].get("annotations") or {}
        claims = [each for each in pod["spec"].get("volumes") or () if "persistentVolumeClaim" in each]
        if node is None or not node_ready(node) or (claims and MOUNTED not in notes) or UNPUBLISHED in notes:
            return
        run = self._runs.setdefault(uid, Run())
        if not pulls.pulled(pod, self.world.variants) or time.monotonic() < run.again_at:
            self._look_again()
            return
        try:
            served = self._started(pod, row, run)
        except ConfigError as problem:
            self.event(pod, "Pod", "Failed", f"Error: {problem}")
            self._waits(pod, row, run, "CreateContainerConfigError", str(problem))
            run.again_at = time.monotonic() + PAUSE_SECONDS
            return
        except EndedError as end:
            self._ended(pod, row, run, end)
            return
        if failing := _failing(row, served):
            self.event(pod, "Pod", "Unhealthy", f"Startup probe failed: {failing}")
            self._ended(pod, row, run, EndedError(137, ""))
            return
        run.served = served
        run.place = pod["metadata"]["namespace"], pod["metadata"]["name"]
        self.around.served[run.place] = served
        run.listeners = {port: Listener(answering) for port, answering in served.ports.items()}
        self.note(PODS, pod, **{SERVES: "true"})

    def _look_again(self) -> None:
        self._over.wait(0.2)
        self.ring()

    def _started(self, pod: Object, row: Mapping[str, Any], run: Run) -> Served:
        env = self._environment(pod, row)
        words = [variables.expanded(str(each), env) for each in (*(row.get("command") or ()), *(row.get("args") or ()))]
        connected, asked = not pulls.closed(self.world.variants), self.world.variants[VARIANT] == ASKED
        box = Box(words, env, self._mounts(pod, row, run), _gpus(row), connected, asked)
        return triton.start(box) if images.engine(row) == "triton" else nim.start(box, str(row["image"]))

    def _environment(self, pod: Object, row: Mapping[str, Any]) -> dict[str, str]:
        """Variables, those from Secrets too. Raises ConfigError."""
        found = variables.environment(pod, row)
        namespace = pod["metadata"]["namespace"]
        for each in row.get("env") or ():
            asked = (each.get("valueFrom") or {}).get("secretKeyRef")
            if asked is None:
                continue
            secret = self.api.get(SECRETS.path(namespace, asked["name"]))
            if secret is None and not asked.get("optional"):
                raise ConfigError(f'secret "{asked["name"]}" not found')
            value = ((secret or {}).get("data") or {}).get(asked["key"])
            if value is None and not asked.get("optional"):
                raise ConfigError(f"couldn't find key {asked['key']} in Secret {namespace}/{asked['name']}")
            if value is not None:
                found[each["name"]] = base64.b64decode(value).decode()
        return found

    def _mounts(self, pod: Object, row: Mapping[str, Any], run: Run) -> list[Mounted]:
        volumes = {each["name"]: each for each in pod["spec"].get("volumes") or ()}
        found = []
        for mount in row.get("volumeMounts") or ():
            volume = volumes.get(mount["name"], {})
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if claim is None and "emptyDir" not in volume:
                continue
            home = self.around.files if claim else run.scratch
            files = home.setdefault(f"{pod['metadata']['namespace']}/{claim}" if claim else mount["name"], {})
            found.append(Mounted(mount["mountPath"], files, bool(mount.get("readOnly")), mount.get("subPath", "")))
        return found

    # --- statuses ---------------------------------------------------------------------------------------------

    def _ended(self, pod: Object, row: Mapping[str, Any], run: Run, end: EndedError) -> None:
        pause = min(LONGEST_PAUSE, PAUSE_SECONDS * 2**run.restarts)
        run.restarts += 1
        run.again_at = time.monotonic() + pause
        falls_back = row.get("terminationMessagePolicy") == "FallbackToLogsOnError" and end.code
        message = end.log.encode()[-LOG_BYTES:].decode(errors="replace") if falls_back else ""
        last = {
            "exitCode": end.code, "reason": "Error" if end.code else "Completed", "startedAt": now(),
            "finishedAt": now(), "containerID": "cri-o://lab", **({"message": message} if message else {}),
        }  # fmt: skip
        name = f"{pod['metadata']['name']}_{pod['metadata']['namespace']}({pod['metadata']['uid']})"
        text = f"back-off {pause * 10:.0f}s restarting failed container={row['name']} pod={name}"
        self._waits(pod, row, run, "CrashLoopBackOff", text, {"terminated": last})
        self._look_again()

    def _waits(
        self,
        pod: Object,
        row: Mapping[str, Any],
        run: Run,
        reason: str,
        text: str,
        last: Mapping[str, Any] | None = None,
    ) -> None:
        state = {
            "name": row["name"], "image": row["image"], "imageID": row["image"], "ready": False, "started": False,
            "restartCount": run.restarts, "state": {"waiting": {"reason": reason, "message": text}},
            **({"lastState": dict(last)} if last else {}),
        }  # fmt: skip
        self.set_status(PODS, pod, {"containerStatuses": [state]})

    def _drop(self, uid: str) -> None:
        run = self._runs.pop(uid, None)
        if run is not None and self.around.served.get(run.place) is run.served:
            self.around.served.pop(run.place, None)
        for each in run.listeners.values() if run else ():
            each.stop()


def _gpus(row: Mapping[str, Any]) -> int:
    """GPUs that a process sees: MIG instances and shares are one device each, and it sees one of them."""
    limits = (row.get("resources") or {}).get("limits") or {}
    if any(name.startswith(MIG) or name.endswith(SHARED) for name, amount in limits.items() if int_of(amount)):
        return 1
    return int_of(limits.get(GPU, 0))


def int_of(amount: object) -> int:
    """A whole number, 0 for anything else."""
    text = str(amount)
    return int(text) if text.isdigit() else 0


def _failing(row: Mapping[str, Any], served: Served) -> str:
    """Why kubelet's probes fail; empty where they pass."""
    ports = {each.get("name"): int(each["containerPort"]) for each in row.get("ports") or ()}
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = (row.get(name) or {}).get("httpGet")
        if asked is None:
            continue
        port = ports.get(asked["port"], int_of(asked["port"]))
        if port not in served.ports:
            return f'Get "http://:{port}{asked["path"]}": dial tcp :{port}: connect: connection refused'
        answer = served.ports[port](Request("GET", asked["path"]))
        if not 200 <= answer.status < 400:
            return f"HTTP probe failed with statuscode: {answer.status}"
    return ""
