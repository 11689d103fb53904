"""A cluster of the lab with podwright's queues, gangs, service and plan of lost nodes, whose servers lose their power.

Times are shorter than a site's, and in its order: a node is given up after 11 s (50), pods are evicted after 5 (300), a
remediation begins after 12 (300), Kueue's patience is 20 (300), the time for a reset a sixtieth of the operator's sum.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from podwright.components.design.operators import Operator
from podwright.components.design.platform.names import POOL_LABEL
from podwright.lab.openshift.api import Api, ApiError
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.power_cuts.drawn import GANGS, Cut
from tests.power_cuts.planned import HOST, INFERENCE, NODES, SHAPE, TRAINING, planned, sooner
from tests.power_cuts.prober import Prober
from tests.power_cuts.seen import Seen, endpoints, is_true
from tests.waiting import until

OFF_SECONDS: Final = 25
"""No power comes back sooner unless it flickers: all that follows from a lost node has had its time."""
LEAST_PROBES: Final = 2
"""A second; ten on a quiet machine."""
TOLERATED_SECONDS: Final = 5
CHECK_SECONDS: Final = 12
READY_SECONDS: Final = 20
REQUEUE_SECONDS: Final = 4
"""Kueue's own is 60, and doubles with each stop of a gang for not being whole, up to an hour."""
SLACK_SECONDS: Final = 25
"""Until a stopped gang's members are gone, on a busy machine."""
LIMIT_SECONDS: Final = 240
"""How long a gang may take to be whole again, and a node to be in service again. On a quiet machine 30 to 60."""
_TEAMS: Final = ("research", "chat")
_KINDS: Final = frozenset({
    "Namespace", "ServiceAccount", "PriorityClass", "ResourceQuota", "SecurityContextConstraints", "Role",
    "RoleBinding", "NetworkPolicy",
})  # fmt: skip
Manifest = dict[str, Any]


class Site:
    """One cluster. `step` cuts a server's power and waits until all that is promised holds; AssertionError."""

    def __init__(self, folder: Path, *, evicts: bool) -> None:
        self._evicts, self.stack = evicts, planned(evicts=evicts)
        timing = {
            "tolerated_seconds": TOLERATED_SECONDS,
            "kueue_ready_seconds": READY_SECONDS,
            "kueue_requeue_seconds": REQUEUE_SECONDS,
        }
        self.rack = Rack(folder, **SHAPE, timing=timing)
        self._platform = whole.platform(self.stack)
        self._jobs: dict[str, list[Manifest]] = {}
        for each in whole.workloads(self.stack):
            self._jobs.setdefault(each["metadata"]["labels"]["app.kubernetes.io/name"], []).append(each)
        self._hosts = {node: host for name, node in NODES.items() for host in [(TRAINING | INFERENCE)[name]]}
        self._partial: dict[str, float] = {}
        self._away = 0.0
        self._looked = time.monotonic()
        self.cuts: list[dict[str, Any]] = []
        self._first, self._broken = 0.0, dict[str, float]()
        self.prober: Prober | None = None

    # --- bringing it up -------------------------------------------------------------------------------------

    def start(self) -> None:
        """Install the cluster, what podwright plans on it, both gangs and the service; look at that from then on."""
        self.rack.install()
        assert self.rack.side.cluster.api is not None
        self.api: Api = self.rack.side.cluster.api
        masters = [name for name in self.rack.world.servers if name.startswith("cp-")]
        self._hosts |= {f"{name}.lab.example.com": name for name in masters}
        for each in self._platform.nodes:
            self._pooled(each)
        self.rack.apply(*(each for each in self._platform.manifests if each["kind"] in _KINDS
                          and each["metadata"].get("namespace", "chat") in _TEAMS))  # fmt: skip
        operators = whole.operators(self.stack)
        self._controllers = [each.namespace["metadata"]["name"] for each in operators[-4:]]
        for operator in operators:
            self._install(operator)
        for node in NODES.values():
            self.rack.wait(f"GPUs of {node}", lambda: self._gpus(node) == "8", 90)  # noqa: B023
        for name in self._jobs:
            self.rack.apply(*self._jobs[name])
        self._settle("the start", lambda seen: seen.whole() and seen.served())
        self._settle("the start", lambda seen: not seen.amiss())
        self.rack.wait("a router", lambda: bool(self.rack.side.router()["routes"].get(HOST)))
        port = self.rack.side.router()["port"]
        self.prober = Prober(self._endpoints, self.powered, port, HOST)
        self.prober.start()

    def _pooled(self, node: Manifest) -> None:
        name, labels = NODES.get(node["metadata"]["name"]), node["metadata"]["labels"]
        if name:
            ours = [f"{key}={value}" for key, value in labels.items() if key.startswith("podwright.io/")]
            self.rack.kubectl("label", "node", name, *ours)
            self.rack.kubectl("taint", "node", name, f"{POOL_LABEL}={labels[POOL_LABEL]}:NoSchedule")

    def _install(self, operator: Operator) -> None:
        subscribe(self.rack, operator)
        brought = (operator.approval or {}).get("brings", [])
        self.rack.wait("its own objects", lambda: all(map(self._is_there, brought)))
        for each in operator.settings:
            self.rack.apply(sooner(each, CHECK_SECONDS))
            if each["kind"] in ("Kueue", "JobSetOperator"):
                self._available(each["kind"].lower())

    def _available(self, kind: str) -> None:
        self.rack.wait(kind, lambda: is_true(self.rack.get(kind, "cluster") or {}, "Available"), 120)

    def _is_there(self, path: str) -> bool:
        return "NotFound" not in self.rack.kubectl("get", "--raw", path, check=False)

    def _gpus(self, node: str) -> str:
        return str(self.rack.get("node", node)["status"]["allocatable"].get("nvidia.com/gpu"))

    def close(self) -> None:
        """End everything."""
        if self.prober is not None:
            self.prober.stop()
        self.rack.close()

    # --- what befalls it ------------------------------------------------------------------------------------

    def step(self, cut: Cut) -> None:
        """One cut at its moment, until everything stands again, with all power back."""
        if cut.moment == "starting":
            self._anew(cut.gang)
        elif cut.moment in ("remediating", "returning"):
            node = self._choose(cut.before, cut.chance)
            self._off("running", cut.before, node)
            if cut.moment == "remediating":
                self._settle(f"{cut}", lambda seen: bool(seen.remediations))
            else:
                self._stands(f"{cut}")
                self.rack.world.power(self._hosts[node], "On")
        flickers = cut.moment == "flickering"
        time.sleep(0 if flickers else cut.delay)
        host = self._off(cut.moment, cut.role, self._choose(cut.role, cut.chance))
        if flickers:
            threading.Timer(cut.delay, lambda: self.rack.world.power(host, "On")).start()
        self._stands(f"{cut}")
        for host in self._hosts.values():
            self.rack.world.power(host, "On")  # nothing happens where it is on
        began = time.monotonic()
        self._settle(f"{cut}, and all power is back", lambda seen: not seen.amiss() and seen.whole() and seen.served())
        self.cuts[-1] |= {"back s": round(time.monotonic() - began, 1)}
        self._mend_placements()

    def _mend_placements(self) -> None:
        """Kueue's own error with a node that comes back within seconds (kubernetes-sigs/kueue#15658) is no business of
        the cut after: it is counted, and what `podwright status` tells a person to do is done."""
        for words in self.look().elsewhere():
            self.cuts[-1] |= {"helped": 1}
            name = words.partition("oc patch workload -n research ")[2].partition(" ")[0]
            for active in (False, True):
                change = json.dumps({"spec": {"active": active}})
                self.rack.kubectl("patch", "workload", "-n", "research", name, "--type=merge", "-p", change)
                if not active:
                    self._settle(f"{name} is stopped", lambda seen: any(not seen.gang(each) for each in GANGS))
            self._settle(f"{words}, and it was started anew", lambda seen: seen.whole() and not seen.elsewhere())

    def _anew(self, gang: str) -> None:
        """A gang is taken away, and asked for once more."""
        kind = {"pretrain": "jobset", "second": "job"}[gang]
        self.rack.kubectl("delete", kind, gang, "-n", "research")
        until(lambda: not self.look().gang(gang), LIMIT_SECONDS, f"{gang} is gone", pause=0.2)
        self.rack.apply(*self._jobs[gang])

    def _choose(self, role: str, chance: float) -> str:
        found = self.look().of(role) or self.look().of("control plane")
        return found[int(chance * len(found))]

    def _off(self, moment: str, role: str, node: str) -> str:
        stood, host = self.look().whole(), self._hosts[node]
        self.cuts.append({"moment": moment, "role": role, "node": node, "stood": stood})
        if not self._first:
            self._first = time.monotonic()
            self._broken = dict.fromkeys(("gangs s", "service s", "controllers s"), 0.0)
        self.rack.world.power(host, "ForceOff")
        return host

    def _stands(self, after: str) -> None:
        """Gangs and service are whole again, by themselves; how long each took from the first cut of the step on."""
        last, first = time.monotonic(), self._first
        self._settle(after, lambda seen: self._holds(seen) and time.monotonic() - last > OFF_SECONDS)
        assert self.prober is not None
        figures, self._first = self.prober.figures(first), 0.0
        self.cuts[-1] |= {what: round(max(0.0, at - first), 1) for what, at in self._broken.items()} | figures
        print(json.dumps(self.cuts[-1]), flush=True)
        assert figures["probes"] > LEAST_PROBES * (time.monotonic() - first), f"{after}: hardly looked: {figures}"
        assert figures["least alive"] > 0, f"{after}: no replica was ready on a host with power: {figures}"
        assert figures["lost"] == 0, f"{after}: a request got no answer: {figures}"

    def _holds(self, seen: Seen) -> bool:
        """Whether all stands; when each part was last seen broken is kept."""
        now = {"gangs s": seen.whole(), "service s": seen.served(), "controllers s": self._controlled()}
        self._broken |= {what: time.monotonic() for what, holds in now.items() if not holds}
        return all(now.values())

    # --- what is seen ---------------------------------------------------------------------------------------

    def powered(self, node: str) -> bool:
        """Whether a node's host runs: it has power, and its system is up."""
        return self.rack.world.host(self._hosts[node]).state == "running"

    def look(self) -> Seen:
        """One moment. What is let in in part for too long ends the run."""
        # While Kueue starts anew nobody converts its kinds, and the API server has none of them.
        seen: Seen = until(self._seen, LIMIT_SECONDS, "the API server has what it is asked", pause=0.2)
        now = time.monotonic()
        self._away = 0.0 if self._controlled() else self._away + now - self._looked
        self._looked = now
        limit = READY_SECONDS + SLACK_SECONDS if self._evicts else LIMIT_SECONDS
        since = {name: self._partial.get(name, now) for name in seen.partial()}
        # Nobody stops a gang while Kueue itself is away.
        self._partial = dict.fromkeys(since, now) if self._away else since
        over = [f"{name} for {now - begun:.0f} s" for name, begun in since.items() if now - begun > limit]
        assert over == [], "\n".join([f"let in and not whole: {over}", *seen.words()])
        self._holds(seen)
        return seen

    def _seen(self) -> Seen | None:
        try:
            return Seen(self.api, self.powered, self._controllers)
        except ApiError as problem:
            if not problem.passing:
                raise
            return None

    def _endpoints(self) -> list[str] | None:
        try:
            return endpoints(self.api)
        except ApiError as problem:
            if not problem.passing:
                raise
            return None

    def _controlled(self) -> bool:
        """Whether Kueue and JobSet run, each on a host with power."""
        plane = self.rack.side.cluster.plane
        return plane is not None and {"kueue", "jobset"} <= set(plane.processes.pids())

    def _settle(self, after: str, condition: Callable[[Seen], bool]) -> None:
        end = time.monotonic() + LIMIT_SECONDS
        while not condition(seen := self.look()):
            assert time.monotonic() < end, "\n".join([f"not within {LIMIT_SECONDS} s after {after}", *seen.words()])
            time.sleep(0.3)
