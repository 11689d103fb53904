"""Who may change what of nodes: accounts of the controller and of the checks, and what the API server lets them do."""

from collections.abc import Iterator
from typing import Final

from podwright.components.design.platform.denying import TOLERATES_MORE, denying
from podwright.components.design.platform.names import (
    ADMISSION_NOTE,
    NOT_ADMITTED,
    POOL_LABEL,
    REQUESTED,
    SYSTEM,
    Manifest,
)
from podwright.components.model.catalogue import RELEASE_SETS

NAME: Final = "admission"
CHECKS: Final = "checks"
_NVIDIA: Final = sorted(
    {each.namespace for release in RELEASE_SETS.values() for each in release.packages if "nvidia-" in each.namespace}
)
"""Namespaces of NVIDIA's operators. Not all that begin like them: OpenShift lets anybody request such a one."""
_BOXES: Final = ("containers", "initContainers")


def accounts(name: str, home: str) -> Iterator[Manifest]:
    """The controller's account may see and patch nodes, and make pods at home; that of the checks nothing."""
    cluster = f"podwright-{NAME}-{name}"
    for each in (NAME, CHECKS):
        yield {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": each, "namespace": home},
            "automountServiceAccountToken": False,
        }
    api, group = "rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": home}
    yield {
        "apiVersion": api,
        "kind": "ClusterRole",
        "metadata": {"name": cluster},
        "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]}],
    }
    yield {
        "apiVersion": api,
        "kind": "ClusterRoleBinding",
        "metadata": {"name": cluster},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": cluster},
        "subjects": [subject],
    }
    yield {
        "apiVersion": api,
        "kind": "Role",
        "metadata": {"name": NAME, "namespace": home},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "create", "delete"]}],
    }
    yield {
        "apiVersion": api,
        "kind": "RoleBinding",
        "metadata": {"name": NAME, "namespace": home},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": NAME},
        "subjects": [subject],
    }
    # DCGM's diagnostics run as root of their container, without any capability.
    yield {
        "apiVersion": api,
        "kind": "RoleBinding",
        "metadata": {"name": CHECKS, "namespace": home},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "system:openshift:scc:anyuid"},
        "subjects": [{"kind": "ServiceAccount", "name": CHECKS, "namespace": home}],
    }


def limits(name: str, home: str) -> Iterator[Manifest]:
    """What the right to patch nodes is good for: one taint and one annotation, on nodes of this pool."""
    policy = f"podwright-{NAME}-{name}"
    mine = f"request.userInfo.username == 'system:serviceaccount:{home}:{NAME}'"
    label = f"oldObject.metadata.?labels[?'{POOL_LABEL}'].orValue('') == '{name}'"
    kept = "object.{0} == oldObject.{0}"
    whole = " && ".join(kept.format(f"metadata.?{each}") for each in ("labels", "finalizers", "ownerReferences"))
    notes = "{}.metadata.?annotations.orValue({{}})"
    old, new = notes.format("oldObject"), notes.format("object")
    ours = f"key == '{ADMISSION_NOTE}'"
    noted = " && ".join(
        f"{one}.all(key, {ours} || (key in {other} && {other}[key] == {one}[key]))"
        for one, other in ((new, old), (old, new))
    )
    taints = " == ".join(
        f"{each}.spec.?taints.orValue([]).filter(each, each.key != '{NOT_ADMITTED}')"
        for each in ("object", "oldObject")
    )
    rest = " && ".join(kept.format(f"spec.?{each}") for each in ("unschedulable", "providerID", "podCIDRs"))
    validations = [
        {"expression": label, "message": f"this account changes nodes of pool {name} alone"},
        {
            "expression": f"{whole} && {noted} && {taints} && {rest}",
            "message": f"this account changes taint {NOT_ADMITTED} and annotation {ADMISSION_NOTE} alone",
        },
    ]
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["nodes"]}
    yield from denying(policy, rule, [{"name": "is-the-controller", "expression": mine}], validations)


def waiting(name: str) -> Iterator[Manifest]:
    """Workloads do not tolerate the taint, whoever makes or changes them: by name, or, of GPUs' pods, by tolerating
    everything.

    What runs in namespaces of OpenShift, Kubernetes, NVIDIA's operators and this program's checks is none; a namespace
    like those of the checks that a user requested is his own.
    """
    policy = f"podwright-{NAME}-{name}-workloads"
    spaces = " || ".join(f"request.namespace.startsWith('{each}')" for each in SYSTEM)
    system = f"request.namespace in [{', '.join(repr(each) for each in _NVIDIA)}] || {spaces}"
    checks = (
        f"request.namespace.startsWith('podwright-{NAME}-') && "
        f"!namespaceObject.metadata.?annotations[?'{REQUESTED}'].hasValue()"
    )
    rows = "object.spec.?tolerations.orValue([])"
    asks = "each.?resources.?limits.orValue({}).exists(key, key.startsWith('nvidia.com/'))"
    boxes = " || ".join(f"object.spec.?{each}.orValue([]).exists(each, {asks})" for each in _BOXES)
    named = f"{rows}.exists(each, each.?key.orValue('') == '{NOT_ADMITTED}')"
    all_ = f"{rows}.exists(each, each.?key.orValue('') == '' && each.?effect.orValue('') in ['', 'NoSchedule'])"
    outside = {"name": "is-no-part-of-the-system", "expression": f"!({system})"}
    message = f"a workload that tolerates {NOT_ADMITTED} would run on nodes that are not checked"
    validations = [{"expression": f"({checks}) || !({named} || ({all_} && ({boxes})))", "message": message}]
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}
    yield from denying(policy, rule, [outside, TOLERATES_MORE], validations)
