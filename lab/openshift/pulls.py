"""Pulling images: where there is no way out, and where a node's policy decides about them.

In the variant `registry`, form `disconnected`, a node finds an image only in a registry of the site: the hosts that the
installer was given as mirrors. Such a registry has all that is asked of it under its own name; that something was not
mirrored is not modelled, that nothing sends a node there is. In both forms a node pulls what its policy.json lets it.
Words of events and states: https://github.com/kubernetes/kubernetes/tree/v1.33.0/pkg/kubelet/images (image_manager.go).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.lab.openshift import image_policy, registries
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import MACHINE_CONFIGS, NODES, PODS
from podwright.lab.openshift.pull_gate import AWAITS

VARIANT, CLOSED = "registry", "disconnected"
PULLED = "lab.podwright.io/pulled"
"""Annotation of a pod whose images its node has: kwok starts no other in this form."""
STARTABLE = "    - {key: .status.phase, operator: In, values: [Pending]}\n    - {key: '[.spec.containers"
GATE = f'    - {{key: \'.metadata.annotations["{PULLED}"]\', operator: In, values: ["true"]}}\n'
_WAITS = (
    f'((.metadata.annotations["{AWAITS}"] // "") == "true") and ((.metadata.annotations["{PULLED}"] // "") != "true")'
)
MARKED = f"    - {{key: '{_WAITS}', operator: In, values: [\"false\"]}}\n"
"""In the other form those that are marked wait."""
UNTRUSTED = "SignatureValidationFailed"
"""What CRI-O calls every refusal by policy, and kubelet a container that waits for one."""


def closed(variants: Mapping[str, str]) -> bool:
    """Whether nodes have no way to registries beyond the site."""
    return variants[VARIANT] == CLOSED


def hosts(install: Mapping[str, Any]) -> frozenset[str]:
    """Registries of the site: those that an install-config has as mirrors."""
    rows = install.get("imageDigestSources") or install.get("imageContentSources") or []
    return frozenset(str(each).partition("/")[0] for row in rows for each in row.get("mirrors") or [])


def found(image: str, known: registries.Registries, site: Iterable[str]) -> bool:
    """Whether a node with these mirrors finds an image in a registry of the site."""
    return any(place.partition("/")[0] in site for place in registries.locations(known, image))


def pulled(pod: Object, variants: Mapping[str, str]) -> bool:
    """Whether a pod's containers may start."""
    notes = pod["metadata"].get("annotations", {})
    return not (closed(variants) or AWAITS in notes) or notes.get(PULLED) == "true"


def stages(text: str, variants: Mapping[str, str]) -> str:
    """kwok's stages: a pod waits for its images where they are pulled. Raises ValueError when none would."""
    if STARTABLE not in text:
        raise ValueError("no stage of stages.yaml starts a pod as it did")
    return text.replace(STARTABLE, (GATE if closed(variants) else MARKED) + STARTABLE)


class Pulls(Controller):
    """What kubelet reports of a pod's images; nothing where nodes have a way out and pull whatever they are asked."""

    watches = (PODS, NODES, MACHINE_CONFIGS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._closed = closed(around.world.variants)
        self._signatures: image_policy.Signatures = around.world.cluster.get("signed") or {}

    def reconcile(self) -> None:
        """One pass over pods that were placed and have not started."""
        self.each(PODS, self._serve)

    def _serve(self, pod: Object) -> None:
        meta = pod["metadata"]
        notes = meta.get("annotations", {})
        waits = pod["spec"].get("nodeName") and pod.get("status", {}).get("phase") == "Pending"
        if not waits or notes.get(PULLED) or "deletionTimestamp" in meta or not (self._closed or AWAITS in notes):
            return
        node = self.cache.get(NODES, pod["spec"]["nodeName"])
        if node is None or not node_ready(node):
            return
        config = self.around.host_memory(node["metadata"]["name"]).config
        containers = [*(pod["spec"].get("initContainers") or []), *pod["spec"]["containers"]]
        why = {each["image"]: self._missing(each["image"], config) for each in containers}
        if not any(why.values()):
            self.note(PODS, pod, **{PULLED: "true"})
            return
        for image, reason in why.items():
            if reason:
                self.event(pod, "Pod", "Failed", f'Failed to pull image "{image}": {reason}')
        before = {row["name"]: row for row in (pod.get("status") or {}).get("containerStatuses") or []}
        rows = [_waiting(each, why[each["image"]], before.get(each["name"])) for each in pod["spec"]["containers"]]
        self.set_status(PODS, pod, {"containerStatuses": rows})

    def _missing(self, image: str, config: Mapping[str, Any] | None) -> str:
        """Why a node with this configuration does not have an image; empty where it has."""
        known = registries.registries(config)
        if self._closed and not found(image, known, self.around.registries):
            return "pinging container registry: i/o timeout"
        refused = image_policy.refusal(image, config, self._signatures)
        return f"{UNTRUSTED}: {refused}" if refused else ""


def _waiting(container: Mapping[str, Any], why: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """A container's state: right after a refusal by policy the refusal, from then on that the next try is later."""
    image = container["image"]
    state = {"reason": "ContainerCreating"}
    if why:
        state = {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{image}"'}
    if why.startswith(UNTRUSTED):
        text = f"image pull failed for {image} because the signature validation failed{why.removeprefix(UNTRUSTED)}"
        tried = (((before or {}).get("state") or {}).get("waiting") or {}).get("message")
        state["message"] += f": {UNTRUSTED}: {text}"
        state = state if tried else {"reason": UNTRUSTED, "message": text}
    return {
        "name": container["name"], "image": image, "imageID": "", "ready": False, "started": False, "restartCount": 0,
        "state": {"waiting": state},
    }  # fmt: skip
