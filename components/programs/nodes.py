"""What nodes and the pods of their checks show, and what is noted of a node."""

from __future__ import annotations

import calendar
import contextlib
import json
import time
from typing import Any

Item = dict[str, Any]
NOTE, BOOT = "podwright.io/admission", "podwright.io/boot"
"""Annotations: of a node, what is known of it; of its checks, what they are for."""
LAYOUT, ANSWER = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
"""Labels of a node: the MIG layout that it is asked for, and what MIG manager says of it."""
VENDOR, WHEN = "nvidia.com/", "%Y-%m-%dT%H:%M:%SZ"
"""How NVIDIA's resources begin; how a moment is written."""
ADMITTED, FAILED, WAITING = "admitted", "failed", "waiting"
SETTLED_SECONDS, LONGEST = 900, 400
"""Operators are at work after a boot and a new layout: what is lacking for so long without a change has failed. The
other one: characters of a reason."""


def name_of(item: Item) -> str:
    """Name of an object."""
    return str(item["metadata"]["name"])


def boot_of(node: Item) -> str:
    """Which boot a node runs in."""
    return str((node["status"].get("nodeInfo") or {}).get("bootID") or "")


def occasion(node: Item, wanted: Item) -> str:
    """What checks are for: a boot, and how GPUs are divided in it where they are."""
    return boot_of(node) + "".join(f" {count} {key}" for key, count in sorted(wanted.get("units", {}).items()))


def is_ready(node: Item) -> bool:
    """Whether a node's kubelet reports that it takes pods."""
    return any((row["type"], row["status"]) == ("Ready", "True") for row in node["status"].get("conditions") or [])


def taints_of(node: Item) -> list[Item]:
    """Everybody's taints of a node."""
    return list(node["spec"].get("taints") or [])


def state_of(node: Item) -> Item:
    """What was found out about a node; empty where nothing was, or what is there is not ours."""
    with contextlib.suppress(ValueError):
        found = json.loads((node["metadata"].get("annotations") or {}).get(NOTE) or "{}")
        if isinstance(found, dict) and {"boot", "result", "reason", "at"} <= found.keys():
            return found
    return {}


def laid_out(node: Item, wanted: Item) -> str:
    """Why GPUs are not divided as the stack file has it; empty where they are, or nobody divides them."""
    labels, asked = node["metadata"].get("labels") or {}, wanted.get("layout")
    if not asked:
        return ""
    if labels.get(LAYOUT) != asked:
        return f"its MIG layout is {labels.get(LAYOUT, 'not chosen')}, in the stack file it is {asked}"
    if labels.get(ANSWER) != "success":
        return f"MIG manager has not laid its GPUs out as {asked} ({labels.get(ANSWER, 'no answer')})"
    return ""


def lacking(node: Item, wanted: Item, settings: Item) -> str:
    """What a node does not offer that it should, or offers beside it; whole GPUs may be more than the file has."""
    offered = {
        key: int(amount)
        for key, amount in (node["status"].get("allocatable") or {}).items()
        if key.startswith(VENDOR) and str(amount).isdigit()
    }
    if "units" not in wanted:
        count = offered.get(settings["resource"], 0)
        lost = "the driver or the device plugin is not there" if not count else "a GPU is missing"
        return f"{count} of {wanted['gpus']} GPUs are offered: {lost}" if count < wanted["gpus"] else ""
    due = {key: count * settings.get("replicas", 1) for key, count in wanted["units"].items()}
    less = [f"{offered.get(key, 0)} of {due[key]} {key}" for key in due if offered.get(key, 0) < due[key]]
    more = [
        f"{count} {key} where the stack file has {due.get(key, 'none')}"
        for key, count in offered.items()
        if count > due.get(key, 0)
    ]
    if less and not any(offered.values()):
        return f"{', '.join(less)} are offered: the driver or the device plugin is not there"
    return f"{', '.join([*less, *more])} are offered" if less or more else ""


def layout_of(node: Item) -> Item:
    """The MIG layout that a node is asked for, as it is noted; empty for GPUs that nobody divides."""
    found = (node["metadata"].get("labels") or {}).get(LAYOUT)
    return {"layout": found} if found else {}


def holds(known: Item, node: Item) -> bool:
    """Whether what is known of a node is known of its present boot and MIG layout."""
    now = layout_of(node).get("layout")
    return bool(known.get("boot") == boot_of(node)) and known.get("layout", now) == now


def taken_by(row: Item) -> str:
    """The resource that a container of the checks takes by its template; empty where that is all GPUs."""
    return next((key for key in row["resources"]["limits"] if key.startswith(VENDOR)), "")


def numbered(row: Item, number: int) -> Item:
    """A container of its own for one of several shares."""
    made: Item = json.loads(json.dumps(row))
    made["name"] += f"-{number}"
    return made


def unsettled(known: Item, node: Item, reason: str) -> Item:
    """What is known of a node that lacks something: it waits for operators at first, and has failed in the end."""
    if holds(known, node) and known.get("reason") == reason[:LONGEST]:
        since = calendar.timegm(time.strptime(known["at"], WHEN))
        if known["result"] == FAILED or time.time() - since > SETTLED_SECONDS:
            return renewed(known, node, FAILED, reason)
    return renewed(known, node, WAITING, reason)


def renewed(known: Item, node: Item, result: str, reason: str, **more: Any) -> Item:
    """What is known from now on; the moment is that of the last change."""
    found = {"boot": boot_of(node), **layout_of(node), "result": result, "reason": reason[:LONGEST], **more}
    if {key: known.get(key) for key in found} == found:
        return known
    return {**found, "at": time.strftime(WHEN, time.gmtime())}


def waits(pod: Item) -> str:
    """What checks that are not through are at."""
    for each in pod["status"].get("conditions") or []:
        if each["type"] == "PodScheduled" and each["status"] == "False":
            return f"its checks wait for its GPUs: {each.get('message', '')}"
    for each in rows(pod):
        if (why := (each.get("state") or {}).get("waiting")) and "message" in why:
            return f"{each['name']}: {why['reason']}: {why['message']}"
    return "its checks run"


def rows(pod: Item) -> list[Item]:
    """States of a pod's containers in the order in which they run."""
    return [*(pod["status"].get("initContainerStatuses") or []), *(pod["status"].get("containerStatuses") or [])]


def failure(pod: Item) -> str:
    """Why checks failed; empty where they passed."""
    for each in rows(pod):
        ended = (each.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            return f"{each['name']}: {ended.get('message') or ended.get('reason') or 'failed'}".strip()
    failed = pod["status"]["phase"] == "Failed"
    return f"{pod['status'].get('reason', 'failed')}: {pod['status'].get('message', '')}".strip() if failed else ""


def messages(pod: Item) -> list[str]:
    """What containers that have ended left behind."""
    return [str(((each.get("state") or {}).get("terminated") or {}).get("message") or "") for each in rows(pod)]


def bandwidth(pod: Item) -> float | None:
    """Bus bandwidth that the checks reported, in GB/s."""
    for text in messages(pod):
        if text.startswith("gbytes="):
            return float(text.removeprefix("gbytes="))
    return None
