"""A control plane with Kueue as podwright plans it, servers that are nodes alone, and what befalls a set on it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from podwright.components.design.platform import queued_jobs, training_pools
from podwright.components.model import Cluster
from podwright.components.model.coherence import queues as coherence
from podwright.lab.openshift.api import Api, path_of
from tests.design import whole
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.queue_sets.drawn import Drawn
from tests.queue_sets.garbage import collect_pods
from tests.queue_sets.objects import Manifest, Objects, differs
from tests.queue_sets.observed import Moment
from tests.queue_sets.reference import World, broken, crowded, owed
from tests.waiting import until

LIMIT_SECONDS: Final = 60
"""How long a gang may wait for what is its own, or idle."""
READY_SECONDS: Final = 20
"""How long a gang may have members that do not run until Kueue stops it; the operator's own figure is 300."""
SLACK_SECONDS: Final = 25
"""Until a stopped gang's members are gone, on a busy machine."""
MOST_STOPS: Final = 5
"""How often a gang may be stopped for others until nothing is owed again. One that is let in and stopped in turns for
ever is never in any state for long."""
_SPACES: Final = {
    "Namespace": "namespaces", "ServiceAccount": "serviceaccounts", "PriorityClass": "priorityclasses",
    "ResourceQuota": "resourcequotas", "SecurityContextConstraints": "securitycontextconstraints", "Role": "roles",
    "RoleBinding": "rolebindings", "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
}  # fmt: skip
_WORK: Final = {"Service": "services", "Job": "jobs"}
_OURS: Final = "podwright.io%2Fworkload%3Dtraining"
"""Selects what is made of a job."""


class Site:
    """One cluster that sets follow each other on. `step` brings an event about and waits until nothing is owed; what is
    not as it has to be fails the test, with what Kueue, the scheduler and kubelet say of it."""

    def __init__(self, folder: Path, change: Callable[[Manifest], None] = lambda _: None) -> None:
        """`change` may spoil an object of Kueue's before it is applied, to see that it is noticed."""
        self._change = change
        self.rack = Rack(folder, workers=(), timing={"kueue_ready_seconds": READY_SECONDS})
        self.seen: Counter[str] = Counter()

    def start(self, first: Drawn) -> None:
        """Install the cluster, and the operators that a set needs."""
        self.rack.install()
        assert self.rack.side.cluster.api is not None
        self.api: Api = self.rack.side.cluster.api
        self.objects = Objects(self.api)
        planned = {each.name: each for each in whole.queueing(Cluster.model_validate(first.file))}
        for name in ("openshift-cert-manager-operator", "kueue-operator"):
            subscribe(self.rack, planned[name])

    def begin(self, drawn: Drawn) -> None:
        """A set's teams, nodes and queues."""
        self.drawn = drawn
        self.stack = Cluster.model_validate(drawn.file)
        problems = [each.message for check in coherence.CLUSTER for each in check(self.stack)]
        assert problems == [], f"{drawn}: {problems}"
        self._late: dict[str, float] = {}
        self._stops: dict[str, int] = {}
        self._jobs: dict[str, list[Manifest]] = {}
        for each in whole.workloads(self.stack):
            self._jobs.setdefault(each["metadata"]["name"], []).append(each)
        self._platform = whole.platform(self.stack)
        self._left = sorted(self._jobs)
        self._lost: list[Manifest] = []
        for each in (*self._platform.manifests, *self._kept()):
            inside = each["metadata"].get("namespace")
            if each["kind"] in _SPACES and (inside is None or inside in self.stack.teams):
                self.objects.apply(each, _SPACES[each["kind"]])
        for node in self._platform.nodes:
            if node["metadata"]["name"].startswith("gpu-"):
                self._join(node)
        self._queues()

    def finish(self) -> None:
        """What the set left goes, Kueue too: the next one may have another configuration of it."""
        self.objects.clear("/apis/batch/v1", "jobs", _OURS)
        self.objects.clear("/api/v1", "pods", _OURS)
        self.objects.clear("/api/v1", "services", _OURS)
        for plural in ("workloads", "localqueues", "clusterqueues", "resourceflavors", "topologies"):
            self.objects.clear("/apis/kueue.x-k8s.io/v1beta2", plural)
        self.objects.clear("/apis/kueue.openshift.io/v1", "kueues")
        self.objects.clear("/api/v1", "nodes", "podwright.io%2Fpool")

    def _join(self, node: Manifest) -> None:
        pool = node["metadata"]["labels"]["podwright.io/pool"]
        self.objects.join(node, railed=bool(self.drawn.file["pools"][pool]["rails"]))

    def _kept(self) -> list[Manifest]:
        """What the API server refuses: all that Kueue and the Job controller do has to get past it."""
        shift = self.stack.openshift
        assert shift is not None
        lawful = training_pools.lawful(self.stack.pools, self.stack.servers, shift.teams, None, rdma=True)
        return [*training_pools.policies(lawful), *queued_jobs.policies(shift.queues, lawful)]

    def _queues(self) -> None:
        (kueue,) = (each for each in whole.queueing(self.stack) if each.name == "kueue-operator")
        first, *rest = kueue.settings
        self.rack.apply(first)
        self.rack.wait("Kueue", lambda: _is(self.rack.get("kueue", "cluster"), "Available"), 120)
        for each in rest:
            self._change(each)
        self.rack.apply(*rest)
        for each in rest:
            meta = each["metadata"]
            space = ("-n", meta["namespace"]) if "namespace" in meta else ()
            found = self.rack.get(f"{each['kind'].lower()}.kueue.x-k8s.io", meta["name"], *space)
            # What a webhook wrote otherwise would be a difference in every preview from then on.
            assert differs(each["spec"], found["spec"]) == [], meta["name"]
        names = [each["metadata"]["name"] for each in rest if each["kind"] == "ClusterQueue"]
        for name in names:
            self.rack.wait(f"queue {name}", lambda: _is(self.rack.get("clusterqueue", name), "Active"), 60)  # noqa: B023

    def close(self) -> None:
        """End everything."""
        self.rack.close()

    # --- what befalls it ------------------------------------------------------------------------------------

    def step(self, event: str, chance: float) -> None:
        """One event, and what Kueue makes of it."""
        doing = {
            "submit": self._submit, "rush": self._rush, "end": self._end, "cancel": self._cancel, "lose": self._lose,
            "return": self._return,
        }  # fmt: skip
        what = doing[event](chance)
        self.settle(f"{event} {what}")

    def _submit(self, chance: float) -> str:
        if not self._left:
            return "nothing"
        return self.submit(self._left.pop(int(chance * len(self._left))))

    def submit(self, name: str) -> str:
        """A job of the set, by its name; nobody waits for what becomes of it."""
        for each in self._jobs[name]:
            # Nothing attaches networks where nodes are objects alone.
            notes = each.get("spec", {}).get("template", {}).get("metadata", {}).get("annotations", {})
            notes.pop("k8s.v1.cni.cncf.io/networks", None)
            self.objects.apply(each, _WORK[each["kind"]])
        path = path_of("batch/v1", "jobs", self._team(name), name)
        # Kueue's own: a job that started without it would be no gang.
        assert (self.api.get(path) or {})["spec"]["suspend"], f"{name} was not suspended"
        return name

    def _rush(self, chance: float) -> str:
        """Several at once: more than there is room for, sooner or later."""
        return ", ".join(self._submit((chance + part / 8) % 1) for part in range(8))

    def _team(self, job: str) -> str:
        return str(self.drawn.file["workloads"]["training"][job]["team"])

    def _end(self, chance: float) -> str:
        running = sorted(each.name for each in self.world().admitted() if each.placed)
        if not running:
            return "nothing"
        name = running[int(chance * len(running))]
        # Members of a real gang end together: one that is made again meanwhile ends too.
        try:
            until(lambda: self._ended(name), 60, f"{name} has ended", pause=0.5)
        except AssertionError as problem:
            pytest.fail("\n".join((str(self.drawn), str(problem), *Moment(self.api).about(name))), pytrace=False)
        return name

    def _ended(self, name: str) -> bool:
        """Whether nothing is left of a gang whose programs are at their end, or Kueue stopped it before they were: it
        waits again then."""
        moment = Moment(self.api)
        going = moment.going(self._team(name), name)
        note = {"metadata": {"annotations": {"pod-complete.stage.kwok.x-k8s.io/delay": "1s"}}}
        for pod in going:
            self.objects.note(path_of("v1", "pods", self._team(name), pod), note)
        world = self._world(moment)
        gone = all(each.name != name for each in world.gangs)
        return gone or (not going and all(each.name != name for each in world.admitted()))

    def _cancel(self, chance: float) -> str:
        known = sorted(each.name for each in self.world().gangs)
        if not known:
            return "nothing"
        name = known[int(chance * len(known))]
        path = path_of("batch/v1", "jobs", self._team(name), name)
        self.objects.delete(path)
        return name

    def _lose(self, chance: float) -> str:
        """A server is gone, and its pods with it, as remediation leaves it."""
        nodes = sorted((each for each in Moment(self.api).nodes if "podwright.io/pool" in each["metadata"]["labels"]),
                       key=lambda each: str(each["metadata"]["name"]))  # fmt: skip
        if len(nodes) <= len(self.drawn.file["servers"]) // 2:
            return "nothing"
        name = str(nodes[int(chance * len(nodes))]["metadata"]["name"])
        self._lost += [each for each in self._platform.nodes if each["metadata"]["name"] == name]
        self.api.delete(path_of("v1", "nodes", None, name))
        collect_pods(self.api, name)
        return name

    def _return(self, chance: float) -> str:
        if not self._lost:
            return "nothing"
        node = self._lost.pop(int(chance * len(self._lost)))
        self._join(node)
        return str(node["metadata"]["name"])

    # --- what is seen ---------------------------------------------------------------------------------------

    def world(self) -> World:
        """The moment, for the reference."""
        return self._world(Moment(self.api))

    def _world(self, moment: Moment) -> World:
        jobs = self.drawn.file["workloads"]["training"].values()
        yields = frozenset(each["team"] for each in jobs if each["priority"] == "batch")
        return moment.world(self.drawn.quotas, borrows=self.drawn.borrows, yields=yields)

    def settle(self, after: str) -> None:
        """Wait until nothing is owed. What may not be at any moment, or lasts too long, ends it."""
        quiet, self._stops = 0, Moment(self.api).stops()
        while quiet < 2:
            time.sleep(0.5)
            quiet = 0 if self._look(after) else quiet + 1

    def _look(self, after: str) -> bool:
        """One moment; returns whether something is owed."""
        moment = Moment(self.api)
        world = self._world(moment)
        wrong = list(broken(world))
        assert wrong == [], f"{self.drawn}\nafter {after}: {wrong}"
        limits = dict.fromkeys((*owed(world), *crowded(world)), LIMIT_SECONDS)
        limits |= dict.fromkeys((f"left over: {each}" for each in moment.left_over()), LIMIT_SECONDS)
        limits |= {f"in part: {each}": READY_SECONDS + SLACK_SECONDS for each in moment.partial()}
        now = time.monotonic()
        self._late = {what: self._late.get(what, now) for what in limits}
        over = [what for what, since in self._late.items() if now - since > limits[what]]
        stops = {name: count - self._stops.get(name, 0) for name, count in moment.stops().items()}
        over += [f"stopped {count} times: {name}" for name, count in stops.items() if count > MOST_STOPS]
        if over:
            late = [each.name for each in world.gangs if any(each.name in what for what in over)]
            seen = [line for name in late for line in moment.about(name)]
            shown = (str(self.drawn), f"after {after}, for longer than it may be: {over}", str(world.gangs), *seen)
            pytest.fail("\n".join(shown), pytrace=False)
        self.seen.update(["moments", *{what.partition(":")[0] for what in limits if ":" in what}])
        self.seen["admitted"] = max(self.seen["admitted"], len(world.admitted()))
        self.seen["waiting"] = max(self.seen["waiting"], len(world.waiting()))
        return bool(limits)


def _is(found: Manifest | None, condition: str) -> bool:
    rows = (found or {}).get("status", {}).get("conditions") or ()
    return any(row["type"] == condition and row["status"] == "True" for row in rows)
