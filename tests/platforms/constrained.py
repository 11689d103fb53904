"""The SCC that OpenShift gives a plan's pods: by its accounts' rights and by the rights of whoever makes them.

The judgement is the lab's admission (podwright.lab.openshift.scc), which is written from the plugin's source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.scc import admission
from podwright.lab.openshift.scc.allocation import level
from podwright.lab.openshift.scc.grants import Grants, Subject
from podwright.lab.openshift.scc.shipped import access, constraints
from tests.platforms.planned import Object, of_kind

CONTROLLER = Subject("system:serviceaccount:kube-system:job-controller", ("system:authenticated",))
"""Pods of Jobs, Deployments and CronJobs are made by controllers, which may use what everybody may."""
ADMINISTRATOR = Subject("system:admin", ("system:masters", "system:authenticated"))
"""The user of the installer's kubeconfig."""


class Known:
    """A cluster's copy of a plan, with what OpenShift ships; `Grants` asks it as it asks its watches."""

    def __init__(self, planned: list[Object]) -> None:
        self._planned = [*access(), *planned]

    def list(self, kind: Kind, namespace: str | None = None) -> list[Object]:
        found = [each for each in self._planned if f"{each['kind'].lower()}s" == kind.plural]
        return [each for each in found if namespace in (None, each["metadata"].get("namespace", ""))]

    def listen(self, kind: Kind, bell: Callable[[], None]) -> None:
        """Nothing changes."""


def templates(planned: list[Object]) -> Iterator[tuple[str, Object]]:
    """Namespace and template of everything that makes pods."""
    for each in planned:
        spec = each.get("spec") or {}
        spec = (spec.get("jobTemplate") or {}).get("spec") or spec
        if isinstance(spec.get("template"), dict) and "containers" in (spec["template"].get("spec") or {}):
            name = each["metadata"]["name"]
            template = spec["template"]
            meta = {**(template.get("metadata") or {}), "generateName": f"{name}-"}
            yield each["metadata"]["namespace"], {**template, "metadata": meta}


def admitted(planned: list[Object], namespace: str, pod: Object, by: Subject = CONTROLLER) -> Object:
    """The pod as the cluster keeps it. Raises RefusedError."""
    block = "1000660000/10000"
    notes: dict[str, Any] = {
        "openshift.io/sa.scc.uid-range": block, "openshift.io/sa.scc.supplemental-groups": block,
        "openshift.io/sa.scc.mcs": level(66),
    }  # fmt: skip
    return admission.admitted(admission.Review(
        pod=pod, before=None, subresource="", creates=True,
        namespace={"metadata": {"name": namespace, "annotations": notes}}, user=by,
        sccs=(*constraints(), *of_kind(planned, "SecurityContextConstraints")),
        rights=Grants(Known(planned)),  # type: ignore[arg-type]
    ))  # fmt: skip


def chosen(planned: list[Object], namespace: str, pod: Object, by: Subject = CONTROLLER) -> str:
    """Name of the SCC."""
    return str(admitted(planned, namespace, pod, by)["metadata"]["annotations"][admission.VALIDATED])
