"""Pods of the drivers that a roll-out looks at, against the newest template of the DaemonSet that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from podwright.components.providers.openshift.conditions import is_true
from podwright.components.providers.openshift.kube import Kube

OWNER = "NVIDIADriver"
REVISION = "controller-revision-hash"
"""Label of a DaemonSet's pod, and end of the name of the ControllerRevision that it was made from."""
KEYS = (("nic_driver", "nic_trigger"), ("driver", "trigger"))
"""Keys of a driver and of what decides on it, in the order in which they are replaced."""
Item = Mapping[str, Any]


@dataclass(frozen=True)
class Drivers:
    """The driver's pods by node, and the nodes whose pod is of an earlier template; what is not as asked, in words."""

    pods: Mapping[str, Item]
    stale: frozenset[str]
    unset: str
    """Why the template itself is not what is asked for; empty when it is."""


def keys(spec: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keys of a spec's drivers and of their triggers."""
    return [(driver, trigger) for driver, trigger in KEYS if driver in spec]


def one_by_one(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The spec once for each of its drivers, in the order in which they are replaced."""
    return [{**spec, "driver": spec[driver]} for driver, _ in keys(spec)]


def concerns_nics(spec: Mapping[str, Any]) -> bool:
    """Whether one of its drivers is that of NICs."""
    return any("label" in spec[driver] for driver, _ in keys(spec))


async def of_pool(kube: Kube, spec: Mapping[str, Any]) -> Drivers:
    """Pods against the newest revision of the DaemonSet that made them."""
    driver = spec["driver"]
    home, chosen = driver["namespace"], quote(selector(driver), safe="")
    pods = await kube.items(f"/api/v1/namespaces/{home}/pods?labelSelector={chosen}")
    revisions = await kube.items(f"/apis/apps/v1/namespaces/{home}/controllerrevisions")
    daemons = await kube.items(f"/apis/apps/v1/namespaces/{home}/daemonsets")
    newest: dict[str, Item] = {}
    for each in revisions:
        for owner in each["metadata"].get("ownerReferences") or ():
            if owner["uid"] not in newest or newest[owner["uid"]]["revision"] < each["revision"]:
                newest[owner["uid"]] = each
    by_node, stale = {}, set()
    for pod in pods:
        meta, name = pod["metadata"], pod["spec"].get("nodeName")
        if not name or meta.get("deletionTimestamp"):
            continue
        by_node[name] = pod
        owners = meta.get("ownerReferences") or ()
        latest = next((newest[o["uid"]] for o in owners if o["uid"] in newest), None)
        mark = (meta.get("labels") or {}).get(REVISION, "")
        # Whose DaemonSet the operator gave up, leaving its pods, belongs to no template (useNvidiaDriverCRD).
        if not owners or (latest is not None and not latest["metadata"]["name"].endswith(f"-{mark}")):
            stale.add(name)
    mine = [by_node[name] for name in spec["nodes"] if name in by_node]
    made = [each for each in daemons if _is_of(each, driver, mine)]
    return Drivers(by_node, frozenset(stale), next(_unset(made, driver), ""))


def selector(driver: Mapping[str, Any]) -> str:
    """What chooses the driver's pods."""
    return str(driver.get("label") or f"app.kubernetes.io/component={driver['component']}")


def _is_of(daemons: Item, driver: Mapping[str, Any], pods: Sequence[Item]) -> bool:
    """Whether a DaemonSet makes these pods; one of another pool has its own driver of NICs, or its own NVIDIADriver."""
    labels = (((daemons.get("spec") or {}).get("template") or {}).get("metadata") or {}).get("labels") or {}
    if "label" not in driver:
        made_by = daemons["metadata"].get("ownerReferences") or ()
        ours = "owner" not in driver or (OWNER, driver["owner"]) in {(each["kind"], each["name"]) for each in made_by}
        return bool(ours and labels.get("app.kubernetes.io/component", "") == driver["component"])
    owners = {owner["uid"] for pod in pods for owner in pod["metadata"].get("ownerReferences") or ()}
    return driver["label"] in labels and daemons["metadata"]["uid"] in owners


def _unset(made: list[Any], driver: Mapping[str, Any]) -> Iterator[str]:
    """Why templates are not what is asked for: the operator or the DaemonSet controller has yet to hear of it."""
    if "owner" in driver and not made:
        yield f"{OWNER} {driver['owner']} has no DaemonSet yet"
    for each in made:
        meta = each["metadata"]
        if (each.get("status") or {}).get("observedGeneration", 0) < meta.get("generation", 0):
            yield f"DaemonSet {meta['name']} has a template that its controller has not seen"
        image = str(each["spec"]["template"]["spec"]["containers"][0]["image"])
        if driver.get("version") and f":{driver['version']}-" not in image:
            yield f"DaemonSet {meta['name']} has {image}, not version {driver['version']}"


def trouble(pod: Item) -> str:
    """Why a pod does not run: what its container waits for, where the kubelet says so."""
    status: Mapping[str, Any] = pod.get("status") or {}
    for each in status.get("containerStatuses") or ():
        if waits := (each.get("state") or {}).get("waiting"):
            return f"its driver waits: {waits.get('reason')}: {waits.get('message', '')}".rstrip(": ")
    image = pod["spec"]["containers"][0]["image"]
    return "" if is_true(pod, "Ready") else f"driver {image} is not ready ({status.get('phase', 'Pending')})"
