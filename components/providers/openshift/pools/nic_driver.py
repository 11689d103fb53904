"""The NICs' driver on one node: whether it is loaded, and whether all that it took away with it is back.

A driver that is loaded anew leaves the NICs without trust, pause and functions (Mellanox/doca-driver-build,
entrypoint.sh: `openibd restart`). The network operator has the node's label `mofed.wait` at true meanwhile
(Mellanox/network-operator, controllers/mofed_wait_labels.go), and daemons that select nodes by it are taken away and
begin anew: only what they have done since counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.openshift import nics
from podwright.components.providers.openshift.conditions import is_true
from podwright.components.providers.openshift.cordons import SRIOV, STATES
from podwright.components.providers.openshift.kube import Kube, KubeError

WAIT = "network.nvidia.com/operator.mofed.wait"
"""Node label: false once the driver's container is ready."""
Item = Mapping[str, Any]


def loaded(live: Item) -> bool:
    """Whether the operator has seen the node's driver ready."""
    return bool(_labels(live).get(WAIT) == "false")


async def lacks(kube: Kube, live: Item, pod: Item) -> str:
    """What a node does not have back since the driver's `pod` began; empty for nothing."""
    name = str(live["metadata"]["name"])
    if not loaded(live):
        return "the driver of its NICs is not loaded yet"
    mine = await kube.items(f"/api/v1/pods?fieldSelector=spec.nodeName%3D{name}")
    for daemons in await kube.items("/apis/apps/v1/daemonsets"):
        if _waits(daemons, live) and not any(_anew(each, daemons, pod) for each in mine):
            return f"{daemons['metadata']['name']} has not begun anew"
    if nics.waiting(live):
        return "its NICs' settings are not applied yet"
    for why in nics.unsettled(name, await _served(kube, nics.DEVICES)):
        return why
    state = await _state(kube, name)
    notes: Mapping[str, str] = state["metadata"].get("annotations") or {}
    busy = any(notes.get(f"{SRIOV}{word}-state", "Idle") != "Idle" for word in ("desired", "current"))
    if busy or (state.get("status") or {}).get("syncStatus") not in (None, "Succeeded"):
        return "the SR-IOV operator is not done with it"
    return ""


async def functions(kube: Kube, name: str) -> dict[str, int]:
    """What a node is to offer of its NICs, by resource: what the SR-IOV operator asks of it."""
    found: dict[str, int] = {}
    for resource, count in _groups(await _state(kube, name)):
        found[resource] = found.get(resource, 0) + count
    return found


def _groups(state: Item) -> Iterator[tuple[str, int]]:
    for row in (state.get("spec") or {}).get("interfaces") or ():
        for group in row.get("vfGroups") or ():
            first, _, last = str(group.get("vfRange", "")).partition("-")
            if first.isdigit():
                yield f"openshift.io/{group['resourceName']}", int(last or first) - int(first) + 1


async def _state(kube: Kube, name: str) -> Item:
    found = (each for each in await _served(kube, STATES) if each["metadata"]["name"] == name)
    return next(found, {"metadata": {}})


async def _served(kube: Kube, path: str) -> list[Any]:
    """Objects of a kind; none where the cluster does not serve it."""
    try:
        return await kube.items(path)
    except KubeError as refused:
        if refused.status != 404:
            raise
        return []


def _waits(daemons: Item, live: Item) -> bool:
    """Whether a DaemonSet is for this node, and only while its driver is loaded. One that chooses nodes by more than
    labels is not awaited: nobody here decides whether this is one of them."""
    spec: Mapping[str, Any] = daemons["spec"]["template"]["spec"]
    asked: Mapping[str, str] = spec.get("nodeSelector") or {}
    rest = {key: value for key, value in asked.items() if key not in (WAIT, nics.WAIT)}
    return asked.get(WAIT) == "false" and not spec.get("affinity") and rest.items() <= _labels(live).items()


def _anew(each: Item, daemons: Item, pod: Item) -> bool:
    """Whether a pod is of a DaemonSet, ready, and not older than the driver's."""
    meta = each["metadata"]
    owners = [owner["uid"] for owner in meta.get("ownerReferences") or ()]
    young = str(meta["creationTimestamp"]) >= str(pod["metadata"]["creationTimestamp"])
    return (
        daemons["metadata"]["uid"] in owners and is_true(each, "Ready") and young and not meta.get("deletionTimestamp")
    )


def _labels(live: Item) -> Mapping[str, str]:
    return live["metadata"].get("labels") or {}
