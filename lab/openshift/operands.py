"""Deployments that operators run their programs in: the real controllers and scheduler place their pods, so that taints
act on them for real."""

from __future__ import annotations

import hashlib
import http.client
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.hosted import runs
from podwright.lab.openshift.kinds import DEPLOYMENTS

INITIAL_SECONDS = 5.0
"""When the readiness of a manager is asked for first, from its start: `initialDelaySeconds` in bindata of openshift's
kueue-operator and jobset-operator. A manager registers its webhooks a moment after it says that it is ready."""


def ensure_deployment(
    controller: Controller,
    namespace: str,
    name: str,
    image: str,
    *,
    owner: Sequence[Mapping[str, Any]] = (),
    tolerations: Sequence[Mapping[str, Any]] = (),
    labels: Mapping[str, str] | None = None,
) -> bool:
    """Create the Deployment of one pod, with `labels` beside its name, or put right what its pod tolerates; whether it
    is available, on a host that answers."""
    labels = {"app": name, **(labels or {})}
    wanted = [dict(row) for row in tolerations]
    found = controller.cache.get(DEPLOYMENTS, name, namespace)
    if found is None:
        digest = hashlib.sha256(image.encode()).hexdigest()
        box = {"name": name, "image": f"{image}@sha256:{digest}", "resources": {"requests": {"cpu": "5m"}}}
        pod = {"containers": [box], "nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": wanted}
        controller.api.ensure(DEPLOYMENTS.path(namespace), {
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": namespace, "ownerReferences": [dict(row) for row in owner]},
            "spec": {
                "replicas": 1, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        })  # fmt: skip
        return False
    if (found["spec"]["template"]["spec"].get("tolerations") or []) != wanted:
        change = {"spec": {"template": {"spec": {"tolerations": wanted}}}}
        controller.cache.replace(DEPLOYMENTS, controller.api.merge(DEPLOYMENTS.path(namespace, name), change))
        return False
    return runs(controller.cache, found)


@dataclass(frozen=True)
class Readiness:
    """The readiness probe of a manager's process: its port, and when it started."""

    port: int
    started: float

    @classmethod
    def of(cls, port: int) -> Readiness:
        """The probe of a process that starts now."""
        return cls(port, time.monotonic())

    def holds(self) -> bool:
        """Whether the process says that it is ready, its webhooks included; not asked before its time."""
        if time.monotonic() - self.started < INITIAL_SECONDS:
            return False
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == http.client.OK
        except OSError:
            return False
        finally:
            connection.close()
