"""Who may change what of nodes: accounts of the controller and of the checks, and what the API server lets them do."""

from collections.abc import Iterator
from typing import Final

from podwright.components.design.platform.denying import denying
from podwright.components.design.platform.names import ADMISSION_NOTE, NOT_ADMITTED, POOL_LABEL, Manifest

NAME: Final = "admission"
CHECKS: Final = "checks"
_SYSTEM: Final = ("openshift-", "kube-", "nvidia-", f"podwright-{NAME}-")
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
    yield from _denied(policy, ("UPDATE", "nodes"), {"name": "is-the-controller", "expression": mine}, validations)


def waiting(name: str) -> Iterator[Manifest]:
    """Workloads do not tolerate the taint, whoever makes them: by name, or GPUs' pods by tolerating everything.

    What runs in namespaces of OpenShift, Kubernetes, NVIDIA's operators and this program's checks is none.
    """
    policy = f"podwright-{NAME}-{name}-workloads"
    system = " || ".join(f"request.namespace.startsWith('{each}')" for each in _SYSTEM)
    rows = "object.spec.?tolerations.orValue([])"
    asks = "each.?resources.?limits.orValue({}).exists(key, key.startsWith('nvidia.com/'))"
    boxes = " || ".join(f"object.spec.?{each}.orValue([]).exists(each, {asks})" for each in _BOXES)
    named = f"{rows}.exists(each, each.?key.orValue('') == '{NOT_ADMITTED}')"
    all_ = f"{rows}.exists(each, each.?key.orValue('') == '' && each.?effect.orValue('') in ['', 'NoSchedule'])"
    condition = {"name": "is-no-part-of-the-system", "expression": f"!({system})"}
    message = f"a workload that tolerates {NOT_ADMITTED} would run on nodes that are not checked"
    validations = [{"expression": f"!({named} || ({all_} && ({boxes})))", "message": message}]
    yield from _denied(policy, ("CREATE", "pods"), condition, validations)


def _denied(
    policy: str, what: tuple[str, str], condition: dict[str, str], validations: list[dict[str, str]]
) -> Iterator[Manifest]:
    """A ValidatingAdmissionPolicy of an operation on a resource, where `condition` holds, and what puts it in force."""
    operation, resource = what
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": [operation], "resources": [resource]}
    yield from denying(policy, rule, [condition], validations)
