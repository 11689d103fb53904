"""Pods of an admission: the controller's on control-plane hosts, and the checks of a node, which it makes."""

from importlib.resources import files
from typing import Any, Final

from podwright.components.design.compute import digest
from podwright.components.design.platform.admission.rights import CHECKS, NAME
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Admission

_MASTER: Final = "node-role.kubernetes.io/master"
_PROGRAM, _SETTINGS, _ACCESS = "/podwright/program", "/podwright/settings", "/podwright/access"
_RESULT: Final = "/podwright-result"
_SECONDS: Final = {1: 1800, 2: 3600, 3: 7200, 4: 6 * 3600}
"""Longest run of the checks by level of diagnostics, with images that are pulled for the first time."""


def program(file: str) -> str:
    """Text of a program."""
    return files("podwright.components.programs").joinpath(file).read_text(encoding="utf-8")


def controller(home: str, wanted: Admission) -> Manifest:
    """Two pods, on two control-plane hosts where there are as many: while one moves, the other watches for boots."""
    labels = {"app.kubernetes.io/name": f"podwright-{NAME}"}
    apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}
    token = {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}}
    root = {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}
    mounts = (("program", _PROGRAM), ("settings", _SETTINGS), ("access", _ACCESS))
    pod = {
        "serviceAccountName": NAME,
        "automountServiceAccountToken": False,
        "priorityClassName": "system-cluster-critical",
        "nodeSelector": {_MASTER: ""},
        "tolerations": [
            {"key": key, "operator": "Exists", "effect": "NoSchedule"}
            for key in (_MASTER, "node-role.kubernetes.io/control-plane")
        ],
        "affinity": {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": apart}]
            }
        },
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": NAME,
                "image": wanted.controller_image,
                "command": ["python3", "-u", f"{_PROGRAM}/admission.py", f"{_SETTINGS}/settings.json", _ACCESS],
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
                "volumeMounts": [{"name": each, "mountPath": path, "readOnly": True} for each, path in mounts],
            }
        ],
        "volumes": [
            {"name": "program", "configMap": {"name": "program"}},
            {"name": "settings", "configMap": {"name": "settings"}},
            {"name": "access", "projected": {"sources": [token, root]}},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": home},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                # Settings are read anew by a program that runs, the program itself is not.
                "metadata": {
                    "labels": labels,
                    "annotations": {"podwright.io/program": digest(program("admission.py"))},
                },
                "spec": pod,
            },
        },
    }


def checks(home: str, wanted: Admission) -> Manifest:
    """The checks of one node, without what is the node's own: its name, its boot, its GPUs."""
    steps = (
        ("devices", wanted.dcgm_image),
        ("diagnostics", wanted.dcgm_image),
        ("collective", wanted.nccl_image),
    )
    *first, last = (_step(step, image, wanted) for step, image in steps)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": home, "labels": {"app.kubernetes.io/name": f"podwright-{CHECKS}"}},
        "spec": {
            "serviceAccountName": CHECKS,
            "automountServiceAccountToken": False,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": _SECONDS[wanted.diagnostics],
            # Whatever keeps workloads off a node, a cordon too, lets it be checked: a roll-out uncordons it afterwards.
            "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}],
            "initContainers": first,
            "containers": [last],
            "volumes": [
                {"name": "checks", "configMap": {"name": CHECKS}},
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            ],
        },
    }


def _step(step: str, image: str, wanted: Admission) -> dict[str, Any]:
    """One check in its container; what it leaves in its termination message is read from the pod's status."""
    values = {
        "RESULT": _RESULT,
        "HOT": str(wanted.hot_celsius),
        "LEVEL": str(wanted.diagnostics),
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
    }
    return {
        "name": step,
        "image": image,
        "command": ["/bin/bash", f"{_PROGRAM}/checks.sh", step],
        "env": [{"name": key, "value": value} for key, value in values.items()],
        "terminationMessagePath": _RESULT,
        # No seccomp profile: SCC anyuid has none, and refuses pods that name one.
        "securityContext": {
            "runAsUser": 0,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        },
        "resources": {"requests": {"cpu": "1", "memory": "4Gi"}, "limits": {"memory": "64Gi"}},
        "volumeMounts": [
            {"name": "checks", "mountPath": _PROGRAM, "readOnly": True},
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108 - the pod's own
        ],
    }
