"""From a Kubernetes manifest to a resource: one function, for built-in kinds and custom resources alike."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pulumi

from podwright.components.contract import After, Component
from podwright.components.design import quantities
from podwright.components.design.platform.names import PURPOSE_LABEL
from podwright.components.design.workloads.former import FIXED

STACK_LABEL = "podwright.io/stack"
"""Label on every object this program makes: which stack owns it."""

_FORCE = "pulumi.com/patchForce"
"""Annotation: a field that somebody else has written since is taken back. Without it one `kubectl edit` of an owned
field stops every later `up`. That no foreign object is taken over is the guard's matter, not this one's.
"""
_MANAGER = "pulumi.com/patchFieldManager"
"""Annotation: who applies the object. Without it the provider draws a name for each attempt, and one that was cut off
before the engine had heard of it stays on as an owner: what a later plan leaves out would stay on the cluster. Another
name takes over from the one before it (pulumi-kubernetes v4.25.0, provider.go, Update: ssa.Relinquish)."""

_UNCHANGED: Mapping[str, Sequence[str]] = {
    **FIXED,
    "StorageClass": ("volumeBindingMode", "reclaimPolicy"),
    "PriorityClass": ("value", "preemptionPolicy"),
}
"""By kind, fields that the API server lets nobody change (kubernetes/kubernetes, pkg/apis/storage/validation and
pkg/apis/scheduling/validation) and the plugin would change in place: another value makes the object anew."""

_NOTHING: Mapping[str, Sequence[str]] = {}
_GROUPS = {"v1": "core/v1"}
"""The core group's name in resource type tokens."""


def stack_mark() -> str:
    """Value of the stack label; label values admit no slash."""
    return f"{pulumi.get_project()}.{pulumi.get_stack()}"


def _writer() -> dict[str, str]:
    return {_MANAGER: f"podwright.{stack_mark()}"}


class _Elsewhere(pulumi.resource.DependencyResource):
    """A resource known by its URN alone, as what is handed to a component is."""

    def __init__(self, urn: pulumi.Input[str]) -> None:
        super().__init__("")
        self.__dict__["urn"] = pulumi.Output.from_input(urn)


@dataclass(frozen=True)
class Objects:
    """Where manifests go: the component they belong to, and what must stand before them."""

    component: Component
    after: After = ()
    resources: tuple[pulumi.Resource, ...] = ()

    def following(self, resources: Iterable[pulumi.Resource]) -> "Objects":
        """The same place, behind resources of the same component, which stand behind all the rest."""
        return replace(self, after=(), resources=tuple(resources))

    def add(
        self,
        manifest: Mapping[str, Any],
        after: Sequence[pulumi.Resource] = (),
        *,
        protect: bool = False,
        part: str = "",
        left: Sequence[str] = (),
        moved: Sequence[pulumi.Input[str]] = (),
    ) -> pulumi.CustomResource:
        """Register one object; it carries the stack's mark. `part`: its namespace, where others have its name.

        `left`: fields that are written when the object is made, and from then on are for others to change. An object
        that is there keeps the value it has when a field is left (pulumi-kubernetes v4.25.0, await.go:
        handleSSAIgnoreFields). `moved`: URNs that it had in another component.
        """
        meta = manifest["metadata"]
        labels = {**meta.get("labels", {}), STACK_LABEL: stack_mark()}
        annotations = {**meta.get("annotations", {}), **_writer(), _FORCE: "true"}
        marked = {**manifest, "metadata": {**meta, "labels": labels, "annotations": annotations}}
        more: dict[str, Any] = {"ignore_changes": list(left)} if left else {}
        more |= {"aliases": list(moved)} if moved else {}
        return self._register(manifest["kind"], marked, after, part=part, protect=protect, **more)

    def chain(
        self, manifests: Iterable[Mapping[str, Any]], after: Sequence[pulumi.Resource]
    ) -> Sequence[pulumi.Resource]:
        """Register objects one after the other. Returns what the next thing waits for: the last one, or `after`."""
        for each in manifests:
            after = [self.add(each, after)]
        return after

    def workload(
        self,
        manifests: Iterable[Mapping[str, Any]],
        purpose: pulumi.Input[str],
        left: Mapping[str, Sequence[str]] = _NOTHING,
        stands: Callable[[pulumi.Resource], pulumi.Resource] = lambda first: first,
    ) -> Sequence[pulumi.Resource]:
        """Register a workload's objects, each behind the first, a Route of two versions behind both, with their pool's
        purpose; `left` are fields that others change, by kind, and `stands` is of the first what the others wait for.

        The purpose stands on the object and not in its pod template: a label more there would restart what runs.
        """
        made: list[pulumi.Resource] = []
        for manifest in manifests:
            meta = manifest["metadata"]
            labelled = {**manifest, "metadata": {**meta, "labels": {**meta["labels"], PURPOSE_LABEL: purpose}}}
            # Requests are given to a version whose replicas serve: where one does not, the Route stays as it was.
            behind = made if "alternateBackends" in manifest.get("spec", {}) else made[:1]
            own = left.get(str(manifest["kind"]), ())
            place = self.following(behind) if made else self
            one = place.add(labelled, left=own)
            made.append(one if made else stands(one))
        return made

    def patch(
        self, manifest: Mapping[str, Any], owner: pulumi.Input[str] | None, part: str = "", *, kept: bool = False
    ) -> pulumi.CustomResource:
        """Register fields on an object that others own; the object itself is neither made nor deleted.

        `owner` is the URN of what takes the object along when it goes, None where nothing does; `part` names a second
        patch of one object.
        `kept`: somebody else takes the fields away, where the object would not be valid as the engine leaves it.
        """
        meta = manifest["metadata"]
        marked = {**meta, "annotations": {**_writer(), **meta.get("annotations", {})}}
        manifest, kind = {**manifest, "metadata": marked}, f"{manifest['kind']}Patch"
        more: dict[str, Any] = {} if owner is None else {"deleted_with": _Elsewhere(owner)}
        more |= {"retain_on_delete": True} if kept else {}
        return self._register(kind, manifest, (), part=part, **more)

    def _register(
        self, kind: str, manifest: Mapping[str, Any], after: Sequence[pulumi.Resource], *, part: str = "", **more: Any
    ) -> pulumi.CustomResource:
        group = _GROUPS.get(manifest["apiVersion"], manifest["apiVersion"])
        if kind in _UNCHANGED:
            more["replace_on_changes"] = list(_UNCHANGED[kind])
        # Names are the file's: an object that must be made anew cannot stand beside its successor.
        options = self.component.options(self.after, [*self.resources, *after], delete_before_replace=True, **more)
        name = self.component.child(f"{manifest['kind'].lower()}-{manifest['metadata']['name']}{part and f'-{part}'}")
        return pulumi.CustomResource(f"kubernetes:{group}:{kind}", name, quantities.written_back(manifest), options)
