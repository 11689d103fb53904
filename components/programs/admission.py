"""Keeps a taint on each node of a pool until checks of the node's present boot have passed: `admission.py SETTINGS
ACCESS`.

SETTINGS is a JSON file, read anew in each pass; ACCESS a folder with `token` and `ca.crt` of a service account. A
node's checks are a pod that asks for all of its GPUs or MIG slices, or for a share of each: it finds what a job would
find, and no job has what is not shared meanwhile. They hold for one boot and one MIG layout. What came of them is an
annotation of the node; it and the taint change in one patch, on condition that the node is still the one that was
read. Any number of these programs may run at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import ssl
import statistics
import sys
import time
import urllib.parse
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any

from podwright.components.programs.nodes import (
    ADMITTED,
    BOOT,
    FAILED,
    LONGEST,
    NOTE,
    WAITING,
    Item,
    bandwidth,
    boot_of,
    failure,
    holds,
    is_ready,
    lacking,
    laid_out,
    layout_of,
    messages,
    name_of,
    numbered,
    occasion,
    renewed,
    state_of,
    taints_of,
    taken_by,
    unsettled,
    waits,
)

NODES = "/api/v1/nodes"
BUSY_SECONDS, IDLE_SECONDS, REQUEST_SECONDS = 2, 15, 30
"""The first two: the longest pause between two passes, for pods; a node that changes is looked at at once."""
MEASURED = 3
"""Nodes of which a median says something."""


class RefusedError(Exception):
    """The API server refused a request with this status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Api:
    """The API server, as the service account of this pod sees it."""

    def __init__(self, access: Path) -> None:
        self._host = os.environ["KUBERNETES_SERVICE_HOST"]
        self._port = int(os.environ.get("KUBERNETES_SERVICE_PORT", "443"))
        self._access = access

    def call(self, method: str, path: str, body: Any = None, content: str = "application/json") -> Item:
        """One request. Raises RefusedError, and OSError where nothing answers."""
        with self._open(method, path, body, content, REQUEST_SECONDS) as reply:
            found: Item = json.loads(reply.read() or b"{}")
        return found

    def wait(self, path: str, seconds: int) -> None:
        """Return when something of a collection changes, `seconds` later at the latest."""
        query = f"{path}&watch=1&timeoutSeconds={seconds}"
        with self._open("GET", query, None, "application/json", seconds + REQUEST_SECONDS) as reply:
            reply.readline()

    @contextlib.contextmanager
    def _open(self, method: str, path: str, body: Any, content: str, seconds: int) -> Iterator[HTTPResponse]:
        # Token and root are renewed under a running pod.
        token = (self._access / "token").read_text(encoding="utf-8").strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": content, "Accept": "application/json"}
        trusted = ssl.create_default_context(cafile=str(self._access / "ca.crt"))
        line = HTTPSConnection(self._host, self._port, timeout=seconds, context=trusted)
        with contextlib.closing(line):
            line.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            reply = line.getresponse()
            if reply.status >= 400:
                text = reply.read().decode(errors="replace")[:LONGEST]
                raise RefusedError(reply.status, f"{method} {path}: {reply.status} {text}")
            yield reply


class Admission:
    """One pool."""

    def __init__(self, settings: Item, api: Api) -> None:
        self._settings = settings
        self._api = api
        self._pods = f"/api/v1/namespaces/{settings['namespace']}/pods"
        self._nodes = f"{NODES}?labelSelector={urllib.parse.quote(settings['selector'])}"

    def run(self) -> bool:
        """One pass over all nodes; True where some are still to be admitted. Returns when it is time for another."""
        listed = self._api.call("GET", self._nodes)
        pods = {each["metadata"]["name"]: each for each in self._api.call("GET", self._pods)["items"]}
        busy = False
        for node in listed["items"]:
            try:
                busy = not self._serve(node, pods.get(f"checks-{name_of(node)}"), listed["items"]) or busy
            except RefusedError as refused:
                busy = True
                if refused.status not in (404, 409, 422):  # somebody else wrote first: it is read anew
                    print(f"{name_of(node)}: {refused}", flush=True)
        version = listed["metadata"]["resourceVersion"]
        self._api.wait(f"{self._nodes}&resourceVersion={version}", BUSY_SECONDS if busy else IDLE_SECONDS)
        return busy

    def _serve(self, node: Item, pod: Item | None, nodes: list[Item]) -> bool:
        """Whether a node is admitted; what is due for it is done."""
        known = state_of(node)
        if holds(known, node) and known.get("result") == ADMITTED:
            # A node that is away comes back with its taint, however late its new boot is seen. One that was checked
            # before layouts were noted was checked with this one.
            self._write(node, {**known, **layout_of(node)}, tainted=not is_ready(node))
            if pod is not None:
                self._api.call("DELETE", f"{self._pods}/{pod['metadata']['name']}")
            return True
        if self._others(node) == taints_of(node):
            # Before anything else, and before its checks need its GPUs.
            same = known.get("boot") == boot_of(node) and "layout" in known
            why = "it has another MIG layout" if same and not holds(known, node) else "it has booted"
            self._write(node, renewed(known, node, WAITING, f"{why} and is not checked yet"), tainted=True)
            return False
        found = self._judged(node, pod, known, nodes)
        self._write(node, found, tainted=found["result"] != ADMITTED)
        return bool(found["result"] == ADMITTED)

    def _judged(self, node: Item, pod: Item | None, known: Item, nodes: list[Item]) -> Item:
        """What is known of a node now; its checks are started or taken away where that is due."""
        wanted = self._settings["nodes"].get(name_of(node))
        if wanted is None:
            return renewed(known, node, WAITING, "the stack file has no server of this name in the pool")
        if not is_ready(node):
            return renewed(known, node, WAITING, "the node is not ready")
        if pod is not None and (pod["metadata"].get("annotations") or {}).get(BOOT) != occasion(node, wanted):
            self._api.call("DELETE", f"{self._pods}/{pod['metadata']['name']}?gracePeriodSeconds=0")
            return renewed(known, node, WAITING, "its checks were for something else")
        phase = ((pod or {}).get("status") or {}).get("phase")
        why = laid_out(node, wanted)
        # Checks that have a node have their GPUs: a device plugin that starts anew under them offers none meanwhile.
        has_them = phase in ("Pending", "Running") and "nodeName" in ((pod or {}).get("spec") or {})
        if not has_them:
            why = why or lacking(node, wanted, self._settings)
        if why:
            # MIG manager waits for GPUs that the checks of another layout have.
            if pod is not None:
                self._api.call("DELETE", f"{self._pods}/{pod['metadata']['name']}")
            return unsettled(known, node, why)
        if pod is None:
            if holds(known, node) and time.time() < known.get("again", 0):
                return known
            self._api.call("POST", self._pods, self._pod(node, wanted))
            return renewed(known, node, WAITING, "its checks begin")
        if phase not in ("Succeeded", "Failed"):
            return renewed(known, node, WAITING, waits(pod))
        return self._ended(node, pod, wanted, known, nodes)

    def _ended(self, node: Item, pod: Item, wanted: Item, known: Item, nodes: list[Item]) -> Item:
        """The checks are through. A pod that failed stays until they run again: its logs tell more."""
        if known.get("pod") == pod["metadata"]["uid"]:
            if time.time() >= known["again"]:
                self._api.call("DELETE", f"{self._pods}/{pod['metadata']['name']}")
            return known
        gbytes = bandwidth(pod)
        reason = failure(pod) or self._unreached(pod, wanted) or self._slow(node, gbytes, wanted, nodes)
        more: Item = {} if gbytes is None else {"gbytes": gbytes}
        if reason:
            again = int(time.time()) + int(self._settings["retry_seconds"])
            return renewed(known, node, FAILED, reason, **more, pod=pod["metadata"]["uid"], again=again)
        return renewed(known, node, ADMITTED, "all checks have passed", **more)

    def _unreached(self, pod: Item, wanted: Item) -> str:
        """Why checks with a share of each GPU or slice have not looked at all of them."""
        if "replicas" not in self._settings:
            return ""
        due, seen = sum(wanted["units"].values()), len({text for text in messages(pod) if text.startswith("uuid=")})
        others = "pods that were there before have shares of the others"
        return f"shares of {seen} of {due} GPUs or slices were given: {others}" if seen < due else ""

    def _slow(self, node: Item, gbytes: float | None, wanted: Item, nodes: list[Item]) -> str:
        """Why a bandwidth is too low; empty where it is not. One GPU has nobody to talk to."""
        if wanted["gpus"] < 2:
            return ""
        if gbytes is None:
            return "collective: no bandwidth was reported"
        if gbytes < wanted["bus_gbytes"]:
            return f"collective: bus bandwidth {gbytes:g} GB/s, at least {wanted['bus_gbytes']:g} are asked"
        others = [state_of(each).get("gbytes") for each in nodes if name_of(each) != name_of(node)]
        measured = [gbytes, *(each for each in others if each)]
        usual, percent = statistics.median(measured), self._settings["straggler_percent"]
        if len(measured) >= MEASURED and gbytes < usual * percent / 100:
            share = f"{100 * gbytes / usual:.0f} % of the pool's median of {usual:g}; {percent} % are asked"
            return f"straggler: bus bandwidth {gbytes:g} GB/s, {share}"
        return ""

    def _others(self, node: Item) -> list[Item]:
        return [each for each in taints_of(node) if each["key"] != self._settings["taint"]["key"]]

    def _pod(self, node: Item, wanted: Item) -> Item:
        """The checks of one node. The scheduler places it, so that GPUs which jobs still have are not promised."""
        pod: Item = json.loads(json.dumps(self._settings["pod"]))
        pod["metadata"] |= {"name": f"checks-{name_of(node)}", "annotations": {BOOT: occasion(node, wanted)}}
        fields = [{"key": "metadata.name", "operator": "In", "values": [name_of(node)]}]
        terms = {"nodeSelectorTerms": [{"matchFields": fields}]}
        pod["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
        rows = [*pod["spec"]["initContainers"], *pod["spec"]["containers"]]
        if "units" in wanted:
            rows = [row for row in rows if taken_by(row) in wanted["units"]]
            if "replicas" in self._settings:
                rows = [numbered(row, number) for row in rows for number in range(wanted["units"][taken_by(row)])]
        for each in rows:
            resource = taken_by(each) or self._settings["resource"]
            gpus = wanted["units"][resource] if "units" in wanted else wanted["gpus"]
            values = {"GPUS": gpus, "FABRIC": wanted["fabric"]}
            each["env"] += [{"name": key, "value": str(value)} for key, value in values.items()]
            each["resources"]["limits"][resource] = "1" if "replicas" in self._settings else str(gpus)
        split = 0 if "replicas" in self._settings else len(rows) - 1
        pod["spec"] |= {"initContainers": rows[:split], "containers": rows[split:]}
        return pod

    def _write(self, node: Item, state: Item, *, tainted: bool) -> None:
        """Annotation and taint, where they differ; what others have put on the node stays as it is."""
        meta = node["metadata"]
        changes: list[Item] = []
        if tainted != (self._others(node) != taints_of(node)):
            taints = [*self._others(node), *([self._settings["taint"]] if tainted else [])]
            changes.append({"op": "add", "path": "/spec/taints", "value": taints})
        if state != state_of(node):
            where = f"/metadata/annotations/{NOTE.replace('/', '~1')}"
            if "annotations" not in meta:
                changes.append({"op": "add", "path": "/metadata/annotations", "value": {}})
            changes.append({"op": "add", "path": where, "value": json.dumps(state, sort_keys=True)})
        if changes:
            same = {"op": "test", "path": "/metadata/resourceVersion", "value": meta["resourceVersion"]}
            path = f"{NODES}/{urllib.parse.quote(name_of(node))}"
            self._api.call("PATCH", path, [same, *changes], "application/json-patch+json")
            print(f"{name_of(node)}: {state['result']}: {state['reason']}", flush=True)


def main() -> None:
    """Passes without end."""
    # The first process of a container has no default for it: kubelet would wait half a minute, then kill.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    settings, access = map(Path, sys.argv[1:3])
    api = Api(access)
    while True:
        try:
            Admission(json.loads(settings.read_text(encoding="utf-8")), api).run()
        except (RefusedError, OSError, HTTPException, ValueError) as problem:
            print(problem, flush=True)
            time.sleep(BUSY_SECONDS)


if __name__ == "__main__":
    main()
