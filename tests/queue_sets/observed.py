"""One moment of a cluster as `reference` takes it: nodes, Workloads and pods, read from the API server alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from podwright.lab.openshift.api import Api
from tests.queue_sets.reference import Gang, Node, Quota, World

Object = Mapping[str, Any]
COUNTED = ("nvidia.com/gpu", "openshift.io/rail0")
"""Of what members ask for: GPUs, and the one function of a rail that a server has."""
_GROUP = "kueue.x-k8s.io"
_ENDED = ("Succeeded", "Failed")


class Moment:
    """What the API server has now."""

    def __init__(self, api: Api) -> None:
        self.nodes = _items(api, "/api/v1/nodes")
        self.workloads = _items(api, f"/apis/{_GROUP}/v1beta2/workloads")
        self.pods = _items(api, "/api/v1/pods?labelSelector=podwright.io%2Fworkload%3Dtraining")
        self.flavors = {
            each["metadata"]["name"]: each["spec"]["nodeLabels"]["podwright.io/pool"]
            for each in _items(api, f"/apis/{_GROUP}/v1beta2/resourceflavors")
        }
        self.at = datetime.now(UTC)

    def world(self, quotas: Mapping[tuple[str, str], Quota], *, borrows: bool, yields: frozenset[str]) -> World:
        """The moment beside the quotas that teams have been given."""
        nodes = {each.name: each for each in map(_node, self.nodes) if "podwright.io/pool" in each.labels}
        gangs = (self._gang(each) for each in self.workloads if not _is(each, "Finished"))
        return World(nodes, quotas, tuple(gangs), borrows, yields)

    def _gang(self, found: Object) -> Gang:
        (pods,) = found["spec"]["podSets"]
        spec, meta = pods["template"]["spec"], found["metadata"]
        asks: Counter[str] = Counter()
        for box in spec["containers"]:
            asks.update({name: int(amount) for name, amount in box["resources"]["requests"].items() if name in COUNTED})
        state = found.get("status", {})
        given = (state.get("admission") or {}).get("podSetAssignments")
        pool = spec["nodeSelector"]["podwright.io/pool"]
        placed = None
        if given:
            placed = dict(_domains(given[0].get("topologyAssignment") or {}))
            pool = self.flavors[given[0]["flavors"]["nvidia.com/gpu"]]
        selector = {key: value for key, value in spec["nodeSelector"].items() if not key.startswith("nvidia.com/")}
        together = (pods.get("topologyRequest") or {}).get("required")
        members = int(pods["count"]) - sum(int(each["count"]) for each in state.get("reclaimablePods") or ())
        return Gang(
            _job(found), meta["namespace"], pool, members, dict(asks), selector,
            int(found["spec"].get("priority", 0)), together, placed, self._barred(found),
        )  # fmt: skip

    def _barred(self, found: Object) -> bool:
        until = (found.get("status", {}).get("requeueState") or {}).get("requeueAt")
        later = until is not None and datetime.fromisoformat(until.replace("Z", "+00:00")) > self.at
        return later or not found["spec"].get("active", True) or bool(found["metadata"].get("deletionTimestamp"))

    def partial(self) -> Iterator[str]:
        """Gangs that were let in, and of which not all members run."""
        ready = Counter(_owner(each) for each in self.pods if _runs(each) or _phase(each) == "Succeeded")
        for each in self.workloads:
            if _is(each, "Admitted") and not _is(each, "Finished") and not each["metadata"].get("deletionTimestamp"):
                count = int(each["spec"]["podSets"][0]["count"])
                if ready[each["metadata"]["namespace"], _job(each)] < count:
                    yield _job(each)

    def stops(self) -> dict[str, int]:
        """How often Kueue has stopped each gang for another one."""
        return {_job(each): _preemptions(each) for each in self.workloads}

    def going(self, team: str, job: str) -> list[str]:
        """Names of the pods of a gang that are not at their end. One that failed on a lost node stays for as long as
        the job is suspended: the Job controller keeps the last failed pod of an index until the next one is made."""
        pods = (each for each in self.pods if _owner(each) == (team, job) and _phase(each) not in _ENDED)
        return [str(each["metadata"]["name"]) for each in pods]

    def about(self, job: str) -> Iterator[str]:
        """What Kueue, the scheduler and kubelet say of a gang, for whoever reads a failure."""
        for each in self.workloads:
            if _job(each) == job:
                state = each.get("status", {})
                rows = [_row(row) for row in state.get("conditions") or ()]
                at = self.at.isoformat(timespec="seconds")
                times = f"stopped {_preemptions(each)} times for others, {state.get('requeueState')}"
                yield "\n  ".join((f"workload {each['metadata']['name']} at {at}, {times}:", *rows))
        for each in self.pods:
            if _owner(each)[1] == job:
                meta, state = each["metadata"], each.get("status", {})
                where = f"on {each['spec'].get('nodeName')}, {_phase(each)}, goes {meta.get('deletionTimestamp')}"
                gates = [gate["name"] for gate in each["spec"].get("schedulingGates") or ()]
                rows = [_row(row) for row in state.get("conditions") or () if row["status"] != "True"]
                yield "\n  ".join((f"pod {meta['name']} of {meta['creationTimestamp']} {where}, {gates}", *rows))

    def left_over(self) -> Iterator[str]:
        """Gangs that hold no quota, and of which members still are on nodes."""
        held = {(each["metadata"]["namespace"], _job(each)) for each in self.workloads if _is(each, "QuotaReserved")}
        on = {_owner(each) for each in self.pods if _phase(each) in ("Pending", "Running") and _bound(each)}
        yield from (f"{job} of team {team}" for team, job in sorted(on - held))


def _items(api: Api, path: str) -> list[Object]:
    return list((api.get(path) or {"items": []})["items"])


def _node(found: Object) -> Node:
    meta, status = found["metadata"], found["status"]
    taken = any(
        each["effect"] in ("NoSchedule", "NoExecute") and each["key"] != "podwright.io/pool"
        for each in found["spec"].get("taints", ())
    )
    gone = taken or not _is(found, "Ready") or bool(found["spec"].get("unschedulable"))
    has = {name: 0 if gone else int(status["allocatable"].get(name, 0)) for name in COUNTED}
    return Node(meta["name"], meta["labels"], has)


def _is(found: Object, condition: str) -> bool:
    rows = found.get("status", {}).get("conditions") or ()
    return any(row["type"] == condition and row["status"] == "True" for row in rows)


def _preemptions(workload: Object) -> int:
    rows = (workload.get("status", {}).get("schedulingStats") or {}).get("evictions") or ()
    return sum(int(row["count"]) for row in rows if row["reason"] == "Preempted")


def _row(condition: Object) -> str:
    what = (condition.get(key) for key in ("type", "status", "reason", "lastTransitionTime", "message"))
    return " ".join(str(each) for each in what)


def _phase(pod: Object) -> str:
    return str(pod.get("status", {}).get("phase", "Pending"))


def _runs(pod: Object) -> bool:
    """What takes a pod from a lost node leaves its condition Ready as it was, and writes its phase alone."""
    return _is(pod, "Ready") and _phase(pod) == "Running" and not pod["metadata"].get("deletionTimestamp")


def _bound(pod: Object) -> bool:
    return bool(pod["spec"].get("nodeName"))


def _job(found: Object) -> str:
    return next(str(each["name"]) for each in found["metadata"]["ownerReferences"] if each["kind"] == "Job")


def _owner(pod: Object) -> tuple[str, str]:
    return str(pod["metadata"]["namespace"]), str(pod["metadata"]["labels"]["app.kubernetes.io/name"])


def _domains(assignment: Object) -> Iterator[tuple[str, int]]:
    """Members by the value of the lowest level: Kueue writes what domains share once (`universal`)."""
    for each in assignment.get("slices", ()):
        names = _values(each["valuesPerLevel"][-1], int(each["domainCount"]))
        counts = each["podCounts"]
        given = counts.get("individual") or [counts.get("universal", 0)] * int(each["domainCount"])
        yield from zip(names, map(int, given), strict=True)


def _values(level: Object, count: int) -> Iterable[str]:
    if level.get("universal") is not None:
        return [str(level["universal"])] * count
    own = level["individual"]
    return [f"{own.get('prefix') or ''}{root}{own.get('suffix') or ''}" for root in own["roots"]]
