"""Pods of an admission: the controller's on control-plane hosts, and the checks of a node, which it makes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from podwright.components.design.compute import digest
from podwright.components.design.platform.admission.rights import CHECKS, NAME
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Admission, Pool, is_measured, level, takes_whole

_MASTER: Final = "node-role.kubernetes.io/master"
_PROGRAM, _SETTINGS, _ACCESS = "/podwright/program", "/podwright/settings", "/podwright/access"
_RESULT: Final = "/podwright-result"
_SECONDS: Final = {1: 1800, 2: 3600, 3: 7200, 4: 6 * 3600}
"""Longest run of the checks by level of diagnostics, with images that are pulled for the first time."""


CONTROLLER: Final = ("admission.py", "nodes.py")
"""Files of the controller's program."""
_PACKAGE: Final = "podwright.components.programs"


def program(file: str) -> str:
    """Text of a program. In a pod its files are beside each other and in no package."""
    return files(_PACKAGE).joinpath(file).read_text(encoding="utf-8").replace(f"from {_PACKAGE}.", "from ")


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
                    "annotations": {"podwright.io/program": digest([program(each) for each in CONTROLLER])},
                },
                "spec": pod,
            },
        },
    }


@dataclass(frozen=True)
class Unit:
    """What checks take where GPUs are divided or shared."""

    resource: str
    """Its extended resource."""
    profile: str
    """MIG profile; empty for a whole GPU."""

    @property
    def name(self) -> str:
        """As part of a container's name."""
        return self.profile.replace(".", "-").replace("+", "-") or "gpu"


@dataclass(frozen=True)
class Step:
    """One check."""

    name: str
    image: str
    unit: Unit | None = None
    """What it takes. None: all GPUs of the node, undivided."""
    program: str = ""
    """Of `checks.sh`, where its name is another one."""


def checks(home: str, pool: Pool, wanted: Admission, units: Sequence[Unit] = ()) -> Manifest:
    """The checks of one node, without what is the node's own: its name, its boot, how many of each resource it has.

    `units` where GPUs are divided or shared. Shares are taken side by side: kubelet gives an init container what the
    one before it had, and would show one GPU alone.
    """
    steps = list(_shares(wanted, units) if pool.sharing else _steps(pool, wanted, units))
    boxes = [_step(each, wanted, level(pool), shared=pool.sharing is not None) for each in steps]
    first, last = ([], boxes) if pool.sharing else (boxes[:-1], boxes[-1:])
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": home, "labels": {"app.kubernetes.io/name": f"podwright-{CHECKS}"}},
        "spec": {
            "serviceAccountName": CHECKS,
            "automountServiceAccountToken": False,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": _SECONDS[max(level(pool), 1)],
            # Whatever keeps workloads off a node, a cordon too, lets it be checked: a roll-out uncordons it afterwards.
            "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}],
            "initContainers": first,
            "containers": last,
            "volumes": [
                {"name": "checks", "configMap": {"name": CHECKS}},
                *([] if pool.sharing else [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}]),
            ],
        },
    }


def _steps(pool: Pool, wanted: Admission, units: Sequence[Unit]) -> Iterator[Step]:
    """Slices, then whole GPUs, each kind taken as a whole."""
    for unit in units:
        if unit.profile:
            yield Step(f"slices-{unit.name}", wanted.dcgm_image, unit, "slices")
    whole = next((unit for unit in units if not unit.profile), None)
    if takes_whole(pool):
        yield Step("devices", wanted.dcgm_image, whole)
        yield Step("diagnostics", wanted.dcgm_image, whole)
    if is_measured(pool):
        assert wanted.nccl_image is not None, "the checks have refused a pool without it"
        yield Step("collective", wanted.nccl_image, whole)


def _shares(wanted: Admission, units: Sequence[Unit]) -> Iterator[Step]:
    """One share of each kind; the program makes as many of it as the node has GPUs or slices of the kind."""
    for unit in units:
        yield Step(f"share-{unit.name}", wanted.dcgm_image, unit, "share")


def _step(step: Step, wanted: Admission, diagnostics: int, *, shared: bool) -> dict[str, Any]:
    """One check in its container; what it leaves in its termination message is read from the pod's status."""
    values = {
        "RESULT": _RESULT,
        "HOT": str(wanted.hot_celsius),
        "LEVEL": str(diagnostics),
        # A container that has some of a node's GPUs counts those alone.
        **({"PROFILE": step.unit.profile, "BY": "pci.bus_id"} if step.unit else {}),
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
    }
    # Of shares there is a container for each, all at once.
    needs = {"cpu": "50m", "memory": "256Mi"} if shared else {"cpu": "1", "memory": "4Gi"}
    taken = {step.unit.resource: "0"} if step.unit else {}
    return {
        "name": step.name,
        "image": step.image,
        "command": ["/bin/bash", f"{_PROGRAM}/checks.sh", step.program or step.name],
        "env": [{"name": key, "value": value} for key, value in values.items()],
        "terminationMessagePath": _RESULT,
        # No seccomp profile: SCC anyuid has none, and refuses pods that name one.
        "securityContext": {
            "runAsUser": 0,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        },
        "resources": {"requests": needs, "limits": {"memory": "4Gi" if shared else "64Gi", **taken}},
        "volumeMounts": [
            {"name": "checks", "mountPath": _PROGRAM, "readOnly": True},
            # With MPS the device plugin mounts its daemon's there (its internal/plugin/mps.go).
            *([] if shared else [{"name": "shm", "mountPath": "/dev/shm"}]),  # noqa: S108 - the pod's own
        ],
    }
