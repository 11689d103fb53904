"""Jobs that wait in a queue, and GPUs that queues lend each other: what Kueue says of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import WAITS, Verdict

QUEUE = "kueue.x-k8s.io/queue-name"
FEWER = "kueue.x-k8s.io/job-min-parallelism"
"""Annotation of a Job that Kueue may start with fewer members."""
SLICE = "nvidia.com/mig-"
NEVER = frozenset({"Inadmissible", "Misconfigured", "NoMatchingFlavor", "ExceedsMaxQuota", "Suspended"})
"""Reasons of a workload that no waiting helps: the first is 0.19's, the others are those that come with the gate
UnadmittedWorkloadsObservability (kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/workload_types.go)."""


def waiting(snapshot: Snapshot, job: Object) -> Verdict | None:
    """The verdict about a job that is suspended in its queue; None for one that is not.

    A job that waits is as planned. One that its queue cannot admit is not.
    """
    meta = job["metadata"]
    queue = (meta.get("labels") or {}).get(QUEUE)
    if queue is None or not job["spec"].get("suspend"):
        return None
    place = f"{meta['namespace']}/{queue}"
    workload = next(snapshot.owned("Workload", job), None)
    if workload is None:
        why = snapshot.unseen("Workload") or "Kueue has not seen it"
        return Verdict(meta["namespace"], meta["name"], "Absent", None, f"in queue {place}, and {why}")
    reserved = conditions(workload).get("QuotaReserved") or {}
    words = str(reserved.get("message") or "Kueue has not looked at it yet")
    if reserved.get("reason") in NEVER:
        return Verdict(meta["namespace"], meta["name"], "Absent", None, f"queue {place} cannot admit it: {words}")
    return Verdict(meta["namespace"], meta["name"], WAITS, None, f"waits in queue {place}: {words}")


def admitted(job: Object, nodes: int) -> int:
    """Members that Kueue has started a job with; all of them where nothing says that it may start fewer."""
    notes = job["metadata"].get("annotations") or {}
    return int(job["spec"].get("parallelism", nodes)) if FEWER in notes else nodes


@dataclass(frozen=True)
class Share:
    """One queue's GPUs of one flavor, as Kueue counts them."""

    queue: str
    flavor: str
    nominal: int
    used: int
    """What its jobs hold, borrowed ones among them."""
    borrowed: int
    lent: tuple[int, int]
    """What others hold of its own, at least and at most: Kueue counts what is borrowed from all of a cohort together,
    and not from whom, so that the two differ where several queues have idle GPUs."""


def shares(snapshot: Snapshot) -> Iterator[Share]:
    """A share for each flavor of each queue that has a quota of GPUs of it."""
    rows = [row for queue in snapshot.of("ClusterQueue") for row in _rows(queue)]
    for row in rows:
        others = [each for each in rows if row.lends_with(each) and each is not row]
        taken = row.borrowed + sum(each.borrowed for each in others)
        least = max(0, taken - sum(each.idle for each in others))
        yield Share(row.queue, row.flavor, row.nominal, row.used, row.borrowed, (least, min(row.idle, taken)))


def slices(snapshot: Snapshot, queue: str, flavor: str) -> dict[str, tuple[int, int]]:
    """MIG slices of one queue and flavor by profile: what its jobs hold, and what it has."""
    found = snapshot.named("ClusterQueue", queue) or {}
    taken = {
        row["name"]: count(row.get("total"))
        for each in (found.get("status") or {}).get("flavorsReservation") or ()
        for row in each.get("resources") or ()
        if each["name"] == flavor and row["name"].startswith(SLICE)
    }
    rows = [
        row
        for group in (found.get("spec") or {}).get("resourceGroups") or ()
        for each in group.get("flavors") or ()
        for row in each.get("resources") or ()
        if each["name"] == flavor and row["name"].startswith(SLICE) and count(row.get("nominalQuota"))
    ]
    return {
        row["name"].removeprefix(SLICE): (taken.get(row["name"], 0), count(row.get("nominalQuota"))) for row in rows
    }


def waits(snapshot: Snapshot, queue: str) -> int:
    """Jobs that wait in a queue."""
    found = snapshot.named("ClusterQueue", queue)
    return int((found or {}).get("status", {}).get("pendingWorkloads", 0))


def inactive(snapshot: Snapshot, queue: str) -> str:
    """Why a queue admits nothing, in Kueue's words; empty where it does."""
    found = snapshot.named("ClusterQueue", queue)
    if found is None:
        return snapshot.unseen("ClusterQueue") or "there is no ClusterQueue of that name"
    active = conditions(found).get("Active")
    if active is None or active.get("status") == "True":
        return "" if active else "Kueue has not looked at it yet"
    return f"{active.get('reason')}: {active.get('message')}"


@dataclass(frozen=True)
class _Row:
    queue: str
    flavor: str
    cohort: str
    nominal: int
    limit: int
    """What it lends at most."""
    used: int
    borrowed: int

    @property
    def idle(self) -> int:
        """What others may hold of its own now."""
        return max(0, min(self.limit, self.nominal - self.used)) if self.cohort else 0

    def lends_with(self, other: "_Row") -> bool:
        """Whether the two are of one cohort and one flavor."""
        return bool(self.cohort) and (self.cohort, self.flavor) == (other.cohort, other.flavor)


def _rows(queue: Object) -> Iterator[_Row]:
    spec, status = queue.get("spec") or {}, queue.get("status") or {}
    taken = {each["name"]: _gpus(each.get("resources")) for each in status.get("flavorsReservation") or ()}
    for group in spec.get("resourceGroups") or ():
        for flavor in group.get("flavors") or ():
            own = _gpus(flavor.get("resources"))
            if not own:
                continue
            used, nominal = taken.get(flavor["name"]) or {}, count(own.get("nominalQuota"))
            limit = count(own["lendingLimit"]) if own.get("lendingLimit") is not None else nominal
            place = (queue["metadata"]["name"], flavor["name"], str(spec.get("cohortName") or ""))
            yield _Row(*place, nominal, limit, count(used.get("total")), count(used.get("borrowed")))


def _gpus(rows: object) -> Mapping[str, object]:
    """The row of whole GPUs; empty where there is none."""
    found = (row for row in rows if row.get("name") == "nvidia.com/gpu") if isinstance(rows, list | tuple) else ()
    return next(iter(found), {})


def count(quantity: object) -> int:
    """A number of devices as Kubernetes writes it: 16, or 2k; none is 0."""
    text = str(quantity or 0)
    return int(text.removesuffix("k")) * (1000 if text.endswith("k") else 1)
