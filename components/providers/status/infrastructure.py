"""Where OpenShift's own routers, registry and monitoring run."""

from collections.abc import Collection, Iterable, Iterator

from podwright.components.providers.status.snapshot import OWN_PODS, Object, Snapshot


def elsewhere(snapshot: Snapshot, pool: str, nodes: Collection[str]) -> Iterator[str]:
    """A phrase for each of these pods that does not run on one of `nodes`, those of `pool`."""
    for pod in _pods(snapshot):
        name, node = pod["metadata"]["name"], pod["spec"].get("nodeName")
        if node is None:
            yield f"{name} is on no node: {_why(pod)}"
        elif node not in nodes:
            yield f"{name} is on {node}, not on pool {pool}"


def placed(snapshot: Snapshot, nodes: Collection[str], *kinds: str) -> int:
    """How many of these pods, of `kinds` where given, are on one of `nodes`."""
    return sum(pod["spec"].get("nodeName") in nodes for pod in _pods(snapshot, kinds or OWN_PODS))


def _pods(snapshot: Snapshot, kinds: Iterable[str] = OWN_PODS) -> Iterator[Object]:
    """Those that have not ended, nor are about to: one that is replaced has a successor beside it."""
    for kind in kinds:
        for pod in snapshot.of(kind):
            ended = pod.get("status", {}).get("phase") in {"Succeeded", "Failed"}
            if not ended and "deletionTimestamp" not in pod["metadata"]:
                yield pod


def _why(pod: Object) -> str:
    for row in pod.get("status", {}).get("conditions", ()):
        if row["type"] == "PodScheduled" and row["status"] != "True":
            return str(row.get("message") or row.get("reason") or "it is not scheduled")
    return "the scheduler has not looked at it yet"
