"""Runs scripts out of ConfigMaps where their pods are: those that end are played to their end, one container after the
other; those that go on run for as long as kwok has their pod running on a host that has power.

After kubelet (pkg/kubelet/kuberuntime, kuberuntime_manager.go): init containers first, the first one that fails ends a
pod that is never restarted; the others all run to their end, here one after the other; a termination message of at most
4096 bytes; containers of an earlier boot are lost.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podwright.lab.openshift import pulls
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, Surroundings, now
from podwright.lab.openshift.daemons import node_ready, pod_ready
from podwright.lab.openshift.kinds import CONFIG_MAPS, NODES, PODS
from podwright.lab.openshift.scripts import container
from podwright.lab.world import gpus

LONGEST = 4096
"""Bytes of a termination message."""
GPU, MIG, SHARED = "nvidia.com/gpu", "nvidia.com/mig-", ".shared"
"""How the device plugin calls GPUs, MIG instances and shares of either, where those have names of their own."""
LOOK_SECONDS = 0.2


@dataclass
class Played:
    """A pod of which a container runs."""

    folder: Path
    boot: str
    started: str = field(default_factory=now)
    process: subprocess.Popen[bytes] | None = None
    done: list[dict[str, Any]] = field(default_factory=list)
    """Statuses of containers that have ended."""


class Scripts(Controller):
    """All pods with such containers."""

    watches = (PODS, NODES, CONFIG_MAPS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._played: dict[str, Played] = {}

    def stop(self, seconds: float = 5.0) -> None:
        """End processes too: kubelets' stand-in is part of the lab, and starts them anew when it does."""
        super().stop(seconds)
        for uid in list(self._played):
            self._drop(uid)

    def reconcile(self) -> None:
        """One pass."""
        pods = {str(pod["metadata"]["uid"]): pod for pod in self.cache.list(PODS)}
        for uid in set(self._played) - set(pods):
            self._drop(uid)
        for uid, pod in pods.items():
            rows = [*(pod["spec"].get("initContainers") or []), *pod["spec"]["containers"]]
            if all(container.script(pod, row) for row in rows):
                (self._to_the_end if pod["spec"].get("restartPolicy") == "Never" else self._go_on)(uid, pod, rows)
        if any(each.process is not None for each in self._played.values()):
            self._over.wait(LOOK_SECONDS)
            self.ring()

    # --- programs that go on ----------------------------------------------------------------------------------

    def _go_on(self, uid: str, pod: Object, rows: list[dict[str, Any]]) -> None:
        played = self._played.get(uid)
        server = self.around.server_of(pod["spec"].get("nodeName", ""))
        alive = pod_ready(pod) and server is not None and self.world.host(server.name).state == "running"
        if not alive:
            if played is not None:
                self._drop(uid)
            return
        if played is None:
            played = self._played[uid] = Played(self._folder(uid, pod), "")
        container.fill(played.folder, pod, self.cache, self.api)
        if played.process is None or played.process.poll() is not None:
            # kubelet starts a container again that has ended.
            played.process = self._start(played, pod, rows[0])

    # --- scripts that end -------------------------------------------------------------------------------------

    def _to_the_end(self, uid: str, pod: Object, rows: list[dict[str, Any]]) -> None:
        played, node = self._played.get(uid), self.cache.get(NODES, pod["spec"].get("nodeName") or "")
        if played is None and (node is None or not self._startable(pod, node)):
            return
        assert node is not None
        boot = str(node["status"]["nodeInfo"]["bootID"])
        if pod["status"].get("phase") in ("Succeeded", "Failed") or "deletionTimestamp" in pod["metadata"]:
            self._drop(uid)
            return
        if played is None:
            played = self._played[uid] = Played(self._folder(uid, pod), boot)
            container.fill(played.folder, pod, self.cache, self.api)
        if played.boot != boot or not self._powered(pod):
            self._drop(uid)
            if self._powered(pod):
                lost = {"exitCode": 137, "reason": "ContainerStatusUnknown", "message": "The container could not be "
                        "located when the pod was terminated"}  # fmt: skip
                self._write(pod, rows, [*played.done, self._ended(rows[len(played.done)], lost, played)], "Failed")
            return
        self._advance(uid, pod, rows, played)

    def _advance(self, uid: str, pod: Object, rows: list[dict[str, Any]], played: Played) -> None:
        row = rows[len(played.done)]
        if played.process is None:
            self._equip(pod, row, played)
            played.process = self._start(played, pod, row)
            self._write(pod, rows, played.done, "Running")
            return
        code = played.process.poll()
        if code is None:
            return
        message = ""
        with suppress(FileNotFoundError):
            text = container.message_file(played.folder, row).read_bytes()[:LONGEST]
            message = text.decode(errors="replace")
        why = {"exitCode": abs(code), "reason": "Error" if code else "Completed", "message": message}
        played.done.append(self._ended(row, why, played))
        played.process = None
        first = len(pod["spec"].get("initContainers") or [])
        failed = any(each["state"]["terminated"]["exitCode"] for each in played.done)
        if len(played.done) == len(rows) or (failed and len(played.done) <= first):
            self._write(pod, rows, played.done, "Failed" if failed else "Succeeded")
            self._drop(uid)

    def _startable(self, pod: Object, node: Object) -> bool:
        waits = pod["status"].get("phase") == "Pending" and "deletionTimestamp" not in pod["metadata"]
        return waits and node_ready(node) and pulls.pulled(pod, self.world.variants) and self._powered(pod)

    def _powered(self, pod: Object) -> bool:
        server = self.around.server_of(pod["spec"].get("nodeName", ""))
        return server is not None and self.world.host(server.name).state == "running"

    def _equip(self, pod: Object, row: dict[str, Any], played: Played) -> None:
        """GPUs and NVIDIA's programs are in a container that was given some."""
        server = self.around.server_of(pod["spec"]["nodeName"])
        limits = (row.get("resources") or {}).get("limits") or {}
        # Of two resources of one plugin a container sees one: both set NVIDIA_VISIBLE_DEVICES, and kubelet keeps what
        # it finds (pkg/kubelet/cm/devicemanager/pod_devices.go).
        asked = next((name for name in limits if name.startswith((GPU, MIG)) and int(limits[name])), "")
        if server is None or server.gpus is None or not asked:
            return
        state = self.world.gpu_states.get(server.name, gpus.GpuState())
        found = gpus.units(state, self.world.gpu_instances.get(server.name, {}), server.gpus.count)
        kind = asked.removesuffix(SHARED)
        alike = [each for each in found if kind == (MIG + each.profile.replace("+", ".") if each.profile else GPU)]
        count = int(limits[asked])
        if asked.endswith(SHARED):
            start = self._shares(pod, row, asked)
            given = [alike[(start + number) % len(alike)] for number in range(count if alike else 0)]
        else:
            given = alike[:count]
        text = json.dumps(gpus.shown(state, server, self.world.variants["dcgm"], given))
        container.equip(played.folder, text, beside=len(pod["spec"]["containers"]) > 1)

    def _shares(self, pod: Object, row: dict[str, Any], asked: str) -> int:
        """Shares that others had when a container was given its own: the plugin takes one of the unit that has given
        fewest away (NVIDIA/k8s-device-plugin, internal/rm/allocate.go), and so goes round."""
        before = 0
        for each in self.cache.list(PODS):
            here = each["spec"].get("nodeName") == pod["spec"]["nodeName"]
            if here and each["status"].get("phase") not in ("Succeeded", "Failed"):
                rows = each["spec"]["containers"]
                mine = each["metadata"]["uid"] == pod["metadata"]["uid"]
                counted = rows[: [other["name"] for other in rows].index(row["name"])] if mine else rows
                before += sum(asked in ((other.get("resources") or {}).get("limits") or {}) for other in counted)
        return before

    def _ended(self, row: dict[str, Any], why: dict[str, Any], played: Played) -> dict[str, Any]:
        ended = {**why, "startedAt": played.started, "finishedAt": now(), "containerID": "cri-o://lab"}
        return {
            "name": row["name"], "image": row["image"], "imageID": row["image"], "ready": False, "started": False,
            "restartCount": 0, "state": {"terminated": ended},
        }  # fmt: skip

    def _write(self, pod: Object, rows: list[dict[str, Any]], done: list[dict[str, Any]], phase: str) -> None:
        """Statuses of all containers: those that have ended, the one that runs, those that wait for it."""
        found = list(done)
        for number, row in enumerate(rows[len(done) :]):
            runs = number == 0 and phase == "Running"
            state = {"running": {"startedAt": now()}} if runs else {"waiting": {"reason": "PodInitializing"}}
            found.append({
                "name": row["name"], "image": row["image"], "imageID": "", "ready": runs, "started": runs,
                "restartCount": 0, "state": state,
            })  # fmt: skip
        first = len(pod["spec"].get("initContainers") or [])
        # A pod whose init containers are not through is Pending to kubelet.
        waiting = phase == "Running" and len(done) < first
        status: dict[str, Any] = {"phase": "Pending" if waiting else phase}
        status["startTime"] = pod["status"].get("startTime") or now()
        status |= {"initContainerStatuses": found[:first], "containerStatuses": found[first:]}
        self.set_status(PODS, pod, status)

    # --- processes --------------------------------------------------------------------------------------------

    def _start(self, played: Played, pod: Object, row: dict[str, Any]) -> subprocess.Popen[bytes]:
        plane = self.around.plane
        assert plane is not None
        process = container.start(played.folder, pod, row, plane.url)
        # A lab that is killed leaves nothing behind: whoever takes it down ends what is noted.
        plane.processes.note(process.pid, container.file_name(row))
        return process

    def _folder(self, uid: str, pod: Object) -> Path:
        server, plane = self.around.server_of(pod["spec"]["nodeName"]), self.around.plane
        assert server is not None
        assert plane is not None
        folder = plane.disk(server.name) / "var/lib/kubelet/pods" / uid
        folder.mkdir(parents=True, exist_ok=True)
        return folder.resolve()

    def _drop(self, uid: str) -> None:
        played = self._played.pop(uid, None)
        if played is None:
            return
        if played.process is not None and played.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(played.process.pid, signal.SIGKILL)
            played.process.wait()
        shutil.rmtree(played.folder, ignore_errors=True)
