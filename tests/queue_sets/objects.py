"""Objects at the API server of a set: applied as a stack does, joined as kubelet does, taken away as a person does."""

from __future__ import annotations

import json
from typing import Any, Final

from podwright.lab.openshift.api import APPLY, Api, ApiError, path_of
from podwright.lab.openshift.controlplane import POWERED_LABEL
from tests.waiting import until

Manifest = dict[str, Any]
_FREE: Final = {
    "cpu": "255500m", "memory": "2200Gi", "pods": "250", "ephemeral-storage": "446Gi", "nvidia.com/gpu": "8",
}  # fmt: skip
"""What a server of the sets offers."""


class Objects:
    """What is written and taken away."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def join(self, node: Manifest, *, railed: bool) -> None:
        """A server's node as kubelet and operators leave it: kwok is the kubelet, GPUs and rails are on offer."""
        meta = node["metadata"]
        pool = meta["labels"]["podwright.io/pool"]
        labels = {**meta["labels"], "kubernetes.io/hostname": meta["name"], "nvidia.com/gpu.product": "NVIDIA-H200"}
        body = {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": meta["name"], "labels": {**labels, POWERED_LABEL: "true"}},
            "spec": {"taints": [{"key": "podwright.io/pool", "value": pool, "effect": "NoSchedule"}]},
        }  # fmt: skip
        self.apply(body, "nodes")
        free = _FREE | ({f"openshift.io/rail{rail}": "1" for rail in range(8)} if railed else {})
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}
        status = {"capacity": {**free, "cpu": "256"}, "allocatable": free, "conditions": [ready]}
        self.api.merge(path_of("v1", "nodes", None, meta["name"]), {"status": status}, "status")

    def apply(self, found: Manifest, plural: str) -> None:
        """Server-side apply, once the webhooks of its kind answer."""
        meta = found["metadata"]
        path = path_of(found["apiVersion"], plural, meta.get("namespace"), meta["name"])
        until(lambda: self._applied(path, found), 60, f"{found['kind']} {meta['name']}", pause=1)

    def _applied(self, path: str, found: Manifest) -> bool:
        """A webhook that does not answer yet is asked again."""
        try:
            self.api.request(
                "PATCH", f"{path}?fieldManager=podwright&force=true", json.dumps(found).encode(), content=APPLY
            )
        except ApiError as problem:
            if problem.passing:
                return False
            raise
        return True

    def note(self, path: str, note: Manifest) -> None:
        """A pod that is gone meanwhile needs no note."""
        try:
            self.api.merge(path, note)
        except ApiError as problem:
            if problem.code != 404:
                raise

    def listed(self, path: str) -> list[Manifest]:
        """The objects of a kind, in all namespaces; none where nobody knows the kind."""
        return list((self.api.get(path) or {"items": []})["items"])

    def clear(self, base: str, plural: str, selector: str = "") -> None:
        """Delete all objects of a kind with what they own, and wait until they are gone."""
        asked = f"{base}/{plural}{f'?labelSelector={selector}' if selector else ''}"
        for each in self.listed(asked):
            space = each["metadata"].get("namespace")
            self.delete(f"{base}{f'/namespaces/{space}' if space else ''}/{plural}/{each['metadata']['name']}")
        until(lambda: not self.listed(asked), 60, f"all {plural} are gone", pause=0.5)

    def delete(self, path: str) -> None:
        """One object, and in the background what it owns; one that is gone meanwhile needs no deletion."""
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        try:
            self.api.request("DELETE", path, options)
        except ApiError as problem:
            if problem.code != 404:
                raise


def differs(written: Any, found: Any, at: str = "spec") -> list[str]:
    """Paths at which something else is found than was written; what was not written may be there."""
    if isinstance(written, dict) and isinstance(found, dict):
        return [each for key in written for each in differs(written[key], found.get(key), f"{at}.{key}")]
    if isinstance(written, list) and isinstance(found, list) and len(written) == len(found):
        pairs = enumerate(zip(written, found, strict=True))
        return [each for number, (one, other) in pairs for each in differs(one, other, f"{at}[{number}]")]
    return [] if written == found else [f"{at}: {written} is {found}"]
