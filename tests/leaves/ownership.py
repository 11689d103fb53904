"""Whose an object is, and what the engine waits for: marks, field managers, namespaces, waiting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from podwright.components.design.workloads.former import MADE_OF
from tests.leaves.reading import at, entries, labels, notes, pods, space, title
from tests.platforms.planned import Object, of_kind

MARK: Final = "podwright.io/stack"
_FORCE, _MANAGER = "pulumi.com/patchForce", "pulumi.com/patchFieldManager"
_WAIT, _SKIP, _TIMEOUT = "pulumi.com/waitFor", "pulumi.com/skipAwait", "pulumi.com/timeoutSeconds"
_PATCHES: Final = ("Node", "MachineConfiguration", "OperatorHub", "Image")
"""Kinds of which the plan owns fields alone: the installer or a kubelet makes the objects."""
_SLOW: Final = ("NodeFeatureDiscovery", "NicClusterPolicy", "MachineConfiguration")
"""Kinds whose operator does its work after the object was taken, and on whose work later objects build."""
_ENGINE_SECONDS: Final = 600
"""Engine's own limit for a Deployment (https://www.pulumi.com/registry/packages/kubernetes/)."""


def owned(found: list[Object]) -> Iterator[str]:
    """Without the mark the guard lets a foreign object of the name be taken over; without force one edit ends updates.

    https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/managing-resources-with-server-side-apply/
    """
    (mark,) = {labels(each)[MARK] for each in of_kind(found, "ValidatingAdmissionPolicy") if MARK in labels(each)} or {
        None
    }
    for each in found:
        patched = each["kind"] in _PATCHES
        if not patched and (labels(each).get(MARK) is None or labels(each).get(MARK) != mark):
            yield f"{title(each)} carries no mark of its stack"
        if not notes(each).get(_MANAGER):
            yield f"{title(each)}: every attempt would be another owner of its fields"
        if (not patched or each["kind"] == "Node") and notes(each).get(_FORCE) != "true":
            yield f"{title(each)}: a field that somebody else wrote stops the next update"
    for each in of_kind(found, "ValidatingAdmissionPolicy"):
        if "no-takeover" not in title(each):
            continue
        selector = at(each, "spec", "matchConstraints", "objectSelector", "matchLabels") or {}
        if selector != {MARK: mark}:
            yield f"{title(each)} refuses what other stacks do with their own objects"
        for rule in entries(each, "spec", "validations"):
            if "podwright.io/adopt" not in str(at(rule, "messageExpression")):
                yield f"{title(each)} refuses without naming the way out"


def waited(found: list[Object]) -> Iterator[str]:
    """What is built upon is waited for, and nothing is waited for that comes only later."""
    for each in found:
        if each["kind"] in _SLOW and not notes(each).get(_WAIT):
            yield f"{title(each)}: nothing waits for its operator"
    later = {at(each, "metadata", "name") for each in of_kind(found, "StorageClass") if _binds_late(each)}
    for each in of_kind(found, "PersistentVolumeClaim"):
        if at(each, "spec", "storageClassName") in later and notes(each).get(_SKIP) != "true":
            yield f"{title(each)}: bound by its first pod, which is registered behind it"
    for each in of_kind(found, "Service"):
        if at(each, "spec", "clusterIP") == "None" and notes(each).get(_SKIP) != "true":
            yield f"{title(each)}: its endpoints are pods, which are registered behind it"
    for each in of_kind(found, "Job"):
        if notes(each).get(_SKIP) != "true":
            yield f"{title(each)}: an update would last as long as the job"
        if not notes(each).get(MADE_OF):
            yield f"{title(each)}: a stack whose state was lost ends it, though nothing of it changes"


def patient(found: list[Object]) -> Iterator[str]:
    """The engine waits for a service as long as the cluster does."""
    for each in of_kind(found, "Deployment"):
        seconds = int(notes(each).get(_TIMEOUT, _ENGINE_SECONDS))
        if seconds < int(at(each, "spec", "progressDeadlineSeconds") or 600):
            yield f"{title(each)}: the engine gives it up before the cluster does"


def _binds_late(found: Object) -> bool:
    return bool(at(found, "volumeBindingMode") == "WaitForFirstConsumer")


def placed(found: list[Object]) -> Iterator[str]:
    """Objects are in a namespace of the plan or of the operator that reads them; the default one has no rules.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
    """
    made = {at(each, "metadata", "name") for each in of_kind(found, "Namespace")}
    read = {"openshift-cluster-node-tuning-operator", "openshift-config", "openshift-marketplace"}
    for each in found:
        if space(each) and space(each) not in made | read:
            yield f"{title(each)} is in namespace {space(each)}, which nobody made"
    claims = {(space(each), at(each, "metadata", "name")) for each in of_kind(found, "PersistentVolumeClaim")}
    for run in pods(found):
        for volume in entries(run.spec, "volumes"):
            name = at(volume, "persistentVolumeClaim", "claimName")
            if name and (run.space, name) not in claims:
                yield f"{run.name} mounts {name}, which is not in {run.space}"
