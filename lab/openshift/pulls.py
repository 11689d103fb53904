"""Pulling images where there is no way out: the variant `registry`, form `disconnected`.

A node finds an image only in a registry of the site: the hosts that the installer was given as mirrors. Such a registry
has all that is asked of it under its own name; that something was not mirrored is not modelled, that nothing sends a
node there is. Words of the events: https://github.com/kubernetes/kubernetes/tree/master/pkg/kubelet/images.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.lab.openshift import registries
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import MACHINE_CONFIGS, NODES, PODS

VARIANT, CLOSED = "registry", "disconnected"
PULLED = "lab.podwright.io/pulled"
"""Annotation of a pod whose images its node has: kwok starts no other in this form."""
STARTABLE = "    - {key: .status.phase, operator: In, values: [Pending]}\n    - {key: '[.spec.containers"
GATE = f'    - {{key: \'.metadata.annotations["{PULLED}"]\', operator: In, values: ["true"]}}\n'


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
    return not closed(variants) or pod["metadata"].get("annotations", {}).get(PULLED) == "true"


def stages(text: str, variants: Mapping[str, str]) -> str:
    """kwok's stages: where there is no way out, a pod waits for its images. Raises ValueError when none would."""
    if not closed(variants):
        return text
    if STARTABLE not in text:
        raise ValueError("no stage of stages.yaml starts a pod as it did")
    return text.replace(STARTABLE, GATE + STARTABLE)


class Pulls(Controller):
    """What kubelet reports of a pod's images; nothing where nodes have a way out."""

    watches = (PODS, NODES, MACHINE_CONFIGS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._closed = closed(around.world.variants)

    def reconcile(self) -> None:
        """One pass over pods that were placed and have not started."""
        if self._closed:
            self.each(PODS, self._serve)

    def _serve(self, pod: Object) -> None:
        meta = pod["metadata"]
        waits = pod["spec"].get("nodeName") and pod.get("status", {}).get("phase") == "Pending"
        if not waits or meta.get("annotations", {}).get(PULLED) or "deletionTimestamp" in meta:
            return
        node = self.cache.get(NODES, pod["spec"]["nodeName"])
        if node is None or not node_ready(node):
            return
        known = registries.registries(self.around.host_memory(node["metadata"]["name"]).config)
        containers = [*(pod["spec"].get("initContainers") or []), *pod["spec"]["containers"]]
        lacking = [each for each in containers if not found(each["image"], known, self.around.registries)]
        if not lacking:
            self.note(PODS, pod, **{PULLED: "true"})
            return
        for each in lacking:
            message = f'Failed to pull image "{each["image"]}": pinging container registry: i/o timeout'
            self.event(pod, "Pod", "Failed", message)
        rows = [_waiting(each, each in lacking) for each in pod["spec"]["containers"]]
        self.set_status(PODS, pod, {"containerStatuses": rows})


def _waiting(container: Mapping[str, Any], failed: bool) -> dict[str, Any]:
    image = container["image"]
    text = f'Back-off pulling image "{image}"'
    state = {"reason": "ImagePullBackOff", "message": text} if failed else {"reason": "ContainerCreating"}
    return {
        "name": container["name"], "image": image, "imageID": "", "ready": False, "started": False, "restartCount": 0,
        "state": {"waiting": state},
    }  # fmt: skip
