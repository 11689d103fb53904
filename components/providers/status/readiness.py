"""Replicas that run and take no requests: Running to Kubernetes, which speaks of processes, and not Ready.

A service gets requests by its pods' Ready condition alone
(https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions).
"""

from collections.abc import Iterable, Iterator, Mapping

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.waiting import is_ready
from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import Expected


def deployments(snapshot: Snapshot, wanted: Iterable[Expected]) -> dict[str, Object]:
    """The Deployments among `wanted`, by the uid of each of their ReplicaSets: what a pod names as its owner."""
    found: dict[str, Object] = {}
    for each in wanted:
        owner = snapshot.named(each.kind, each.name, each.namespace) if each.kind == "Deployment" else None
        if owner is not None:
            found |= {str(maker["metadata"]["uid"]): owner for maker in snapshot.owned("ReplicaSet", owner)}
    return found


def unready(snapshot: Snapshot, pod: Object, owners: Mapping[str, Object]) -> str | None:
    """Why a running replica of one of these Deployments is not ready; None where it is, where it is about to go, and
    for any other pod: members of a training job get no requests."""
    references = pod["metadata"].get("ownerReferences") or ()
    owner = next((owners[uid] for each in references if (uid := str(each["uid"])) in owners), None)
    ready = conditions(pod).get("Ready") or {}
    if owner is None or "deletionTimestamp" in pod["metadata"] or ready.get("status") in (None, "True"):
        return None
    return "; ".join((_words(snapshot, pod, ready), *_starting(pod), *_given_up(owner), _others(owner)))


def _words(snapshot: Snapshot, pod: Object, ready: Object) -> str:
    """Kubelet's own; of a node that fell silent, whose kubelet says nothing, the controller leaves none."""
    node = snapshot.named("Node", str(pod["spec"].get("nodeName")))
    if node is not None and not is_ready(node):
        return f"its node {node['metadata']['name']} is not Ready"
    words = str(ready.get("message") or ready.get("reason") or "it is not ready, and nobody says why")
    since = ready.get("lastTransitionTime")
    return f"{words}, since {since}" if since else words


def _starting(pod: Object) -> Iterator[str]:
    """A container that runs is not `started` until its startup probe has passed."""
    for row in (pod.get("status") or {}).get("containerStatuses") or ():
        if row.get("started") is False and (row.get("state") or {}).get("running"):
            yield f"container {row['name']} has not passed its startup probe: its model is still loading"


def _given_up(owner: Object) -> Iterator[str]:
    row = conditions(owner).get("Progressing") or {}
    if row.get("status") == "False":
        yield str(row.get("message") or row.get("reason") or "its Deployment makes no progress").rstrip(".")


def _others(owner: Object) -> str:
    """How many take requests meanwhile: all of them while an update begins with one more replica."""
    asked = int(owner["spec"].get("replicas", 1))
    ready = min(int((owner.get("status") or {}).get("readyReplicas") or 0), asked)
    return f"{ready} of {asked} replicas are ready"
