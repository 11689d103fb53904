"""Pods that run `ib_write_bw`: their containers end with what the world's traffic gives them.

A server waits for its clients, a client that finds no server ends at once, as perftest does. Clients that start
within a short while of each other send at the same time: several to one port are an incast.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift import pulls
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import key_of
from podwright.lab.openshift.controller import Controller, Surroundings, now
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import NODES, PODS
from podwright.lab.openshift.multus import STATUS, WANTED
from podwright.lab.openshift.perftest.command import Program, Run, program
from podwright.lab.openshift.rails import Rail, rail_addresses, rails_of, send
from podwright.lab.world.traffic import Flow, FlowResult

GATHER_SECONDS = 0.7
"""Clients that come within this time of the last one belong to the same burst."""
LATE_SECONDS = 5.0
"""A burst whose server still expects clients waits this long for them."""
COMING_SECONDS = 60.0
"""A burst waits this long for clients that exist and have not started yet: on a busy machine they start far apart."""
NO_DEVICE = (
    " Did not detect devices \n If device exists, check if driver is up\n Unable to find the Infiniband/RoCE device\n"
)
NO_SERVER = (
    "Couldn't connect to {address}:{port}\n"
    "Unable to open file descriptor for socket connection Unable to init the socket connection\n"
)
BROKEN = " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n"


@dataclass
class Live:
    """A running perftest container. `ended` maps run index to its result."""

    program: Program
    rails: list[Rail]
    since: float = field(default_factory=time.monotonic)
    readings: list[int] = field(default_factory=list)
    ended: dict[int, FlowResult] = field(default_factory=dict)

    def rail(self, run: Run) -> Rail | None:
        """The device that a run opens: the named one, else the first."""
        named = [rail for rail in self.rails if run.device in ("", rail.device)]
        return named[0] if named else None


class Perftest(Controller):
    """Starts perftest containers, runs bursts, writes terminations."""

    watches = (PODS, NODES)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._live: dict[tuple[str, str, str], Live] = {}
        self._joined = 0.0
        self._addresses = 0

    def reconcile(self) -> None:
        """One pass: start what is placed and attached, end what cannot run, send what is ready."""
        pods = {(*key_of(pod), str(pod["metadata"]["uid"])): pod for pod in self.cache.list(PODS)}
        for gone in set(self._live) - set(pods):
            del self._live[gone]
        for key, pod in pods.items():
            what = program(pod)
            if what is not None and key not in self._live and self._startable(pod):
                self._start(key, pod, what)
        self._refuse(pods)
        self._burst(pods)
        if any(len(live.ended) < len(live.program.runs) for live in self._live.values()):
            self.ring()

    def _startable(self, pod: Object) -> bool:
        notes = pod["metadata"].get("annotations", {})
        if (
            pod["status"].get("phase") != "Pending"
            or not pod["spec"].get("nodeName")
            or "deletionTimestamp" in pod["metadata"]
            or not pulls.pulled(pod, self.world.variants)
        ):
            return False
        node = self.cache.get(NODES, pod["spec"]["nodeName"])
        return node is not None and node_ready(node) and not (notes.get(WANTED) and not notes.get(STATUS))

    def _start(self, key: tuple[str, str, str], pod: Object, what: Program) -> None:
        server = self.around.server_of(pod["spec"]["nodeName"])
        if server is None:
            return
        live = Live(what, rails_of(pod, server))
        live.readings = self._read(live, what.before)
        self._addresses += 1
        address = f"10.131.{self._addresses // 250 % 250}.{self._addresses % 250 + 2}"
        running = {"running": {"startedAt": now()}}
        self._write(pod, "Running", running, {"podIP": address, "podIPs": [{"ip": address}], "startTime": now()})
        self._live[key] = live
        self._joined = time.monotonic()
        if not live.rails:
            self._end(key, pod, 1, NO_DEVICE)

    # --- traffic ------------------------------------------------------------------------------------------------

    def _servers(
        self, pods: dict[tuple[str, str, str], Object]
    ) -> dict[tuple[str, int], tuple[tuple[str, str, str], int]]:
        """(address, port) to (pod, run index) of every server that listens and has had no client yet."""
        found = {}
        for key, live in self._live.items():
            pod = pods[key]
            names = [pod["status"].get("podIP", ""), *rail_addresses(pod), pod["metadata"]["name"]]
            for index, run in enumerate(live.program.runs):
                if not run.address and index not in live.ended:
                    found.update({(name, run.port): (key, index) for name in names if name})
        return found

    def _refuse(self, pods: dict[tuple[str, str, str], Object]) -> None:
        """A client whose server does not listen ends at once."""
        servers = self._servers(pods)
        for key, live in list(self._live.items()):
            for index, run in enumerate(live.program.runs):
                if run.address and index not in live.ended and (run.address, run.port) not in servers:
                    text = NO_SERVER.format(address=run.address, port=run.port)
                    live.ended[index] = FlowResult("", "", reason=text)
                    self._end(key, pods[key], 1, text)

    def _burst(self, pods: dict[tuple[str, str, str], Object]) -> None:
        servers = self._servers(pods)
        pairs = []
        for key, live in self._live.items():
            for index, run in enumerate(live.program.runs):
                if run.address and index not in live.ended and (run.address, run.port) in servers:
                    pairs.append((key, index, *servers[run.address, run.port]))
        if not pairs:
            return
        waited = time.monotonic() - self._joined
        expecting = {peer for _, _, peer, _ in pairs}
        open_ports = sum(1 for key, _ in set(servers.values()) if key in expecting)
        if waited < GATHER_SECONDS or (open_ports > len(pairs) and waited < LATE_SECONDS):
            return
        if waited < COMING_SECONDS and any(self._coming(key, pod, set(servers)) for key, pod in pods.items()):
            return
        flows = [self._flow(self._live[key], index, self._live[peer], other) for key, index, peer, other in pairs]
        seconds = max(self._live[key].program.runs[index].seconds for key, index, _, _ in pairs)
        results = send(self.world, flows, seconds)
        for (key, index, peer, other), result in zip(pairs, results, strict=True):
            self._live[key].ended[index] = result
            self._live[peer].ended[other] = result
        for key in {key for pair in pairs for key in (pair[0], pair[2])}:
            self._finish(key, pods[key])

    def _coming(self, key: tuple[str, str, str], pod: Object, servers: set[tuple[str, int]]) -> bool:
        """True for a client of one of these servers that is about to start: nothing has refused it so far."""
        status = pod.get("status", {})
        refused = any(
            row["type"] == "PodScheduled" and row["status"] == "False" for row in status.get("conditions", [])
        )
        if key in self._live or status.get("phase") != "Pending" or refused or "deletionTimestamp" in pod["metadata"]:
            return False
        what = program(pod)
        return what is not None and any(run.address and (run.address, run.port) in servers for run in what.runs)

    def _flow(self, client: Live, index: int, server: Live, other: int) -> tuple[Rail, Rail, Flow]:
        run = client.program.runs[index]
        source, target = client.rail(run), server.rail(server.program.runs[other])
        assert source is not None
        assert target is not None
        speed = self.world.servers[source.server].nics[source.nic].gbps
        mtu = run.mtu or min(source.mtu, target.mtu)
        ends = f"{source.server}:{source.nic}", f"{target.server}:{target.nic}"
        return source, target, Flow(*ends, float(speed), run.tclass >> 2, mtu, run.qps)

    def _finish(self, key: tuple[str, str, str], pod: Object) -> None:
        """End a container whose runs are all through."""
        live = self._live[key]
        if len(live.ended) < len(live.program.runs):
            return
        text = "".join(f"{value}\n" for value in [*live.readings, *self._read(live, live.program.after)])
        failed = False
        for index, run in enumerate(live.program.runs):
            result = live.ended[index]
            failed = failed or result.gbps <= 0
            if result.gbps <= 0 and run.address:
                text += BROKEN
            elif run.writes_json:
                text += report(run, result, live.rail(run))
        # A script ends with its last command's code; a counter read last hides a failed server, as it would.
        self._end(key, pod, int(failed and not live.program.after), text)

    def _read(self, live: Live, counters: tuple[str, ...]) -> list[int]:
        """One reading per counter and device, from the world."""
        with self.world.lock:
            return [
                self.world.counters[rail.server, rail.nic].get(counter, 0)
                for counter in counters
                for rail in live.rails
            ]

    # --- kubelet's part -----------------------------------------------------------------------------------------

    def _end(self, key: tuple[str, str, str], pod: Object, code: int, message: str) -> None:
        reason = "Completed" if code == 0 else "Error"
        state = {
            "terminated": {
                "exitCode": code, "reason": reason, "message": message[-4096:],
                "startedAt": now(), "finishedAt": now(), "containerID": "cri-o://lab",
            }
        }  # fmt: skip
        live = self._live[key]
        live.ended.update(
            {index: FlowResult("", "") for index in range(len(live.program.runs)) if index not in live.ended}
        )
        self._write(pod, "Succeeded" if code == 0 else "Failed", state, {})

    def _write(self, pod: Object, phase: str, state: dict[str, Any], more: dict[str, Any]) -> None:
        running = phase == "Running"
        rows = [
            {
                "name": container["name"], "image": container["image"], "imageID": container["image"],
                "ready": running, "started": running, "restartCount": 0, "state": state,
            }
            for container in pod["spec"]["containers"]
        ]  # fmt: skip
        flags = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
        conditions = [c for c in pod["status"].get("conditions", []) if c["type"] not in flags]
        conditions += [
            {"type": flag, "status": str(running or flag in flags[:2]), "lastTransitionTime": now()} for flag in flags
        ]
        path = PODS.path(pod["metadata"]["namespace"], pod["metadata"]["name"])
        status = {"phase": phase, "containerStatuses": rows, "conditions": conditions, **more}
        self.cache.replace(PODS, self.api.merge(path, {"status": status}, "status"))


def report(run: Run, result: FlowResult, rail: Rail | None) -> str:
    """perftest's `--out_json` document; rates in Gb/s as with --report_gbits, message rate in Mpps."""
    rate = result.gbps * 1e9 / 8 / run.size / 1e6
    return json.dumps({
        "test_info": {
            "test": "RDMA_Write BW Test", "Dual_port": "OFF", "Device": rail.device if rail else "",
            "Number_of_qps": run.qps, "Transport_type": "IB", "Connection_type": "RC", "Using_SRQ": "OFF",
            "Mtu": rail.mtu if rail else 0, "Link_type": "Ethernet", "Data_ex_method": "Ethernet",
        },
        "results": {
            "MsgSize": run.size, "n_iterations": int(rate * 1e6 * run.seconds),
            "BW_peak": round(result.gbps, 2), "BW_average": round(result.gbps, 2), "MsgRate": round(rate, 6),
        },
    })  # fmt: skip
