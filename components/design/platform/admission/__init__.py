"""Admission of a pool's nodes: a taint, what takes it off after checks of every boot, and who may change what.

The field's way is a taint that a controller removes when the node's own checks have passed (NVIDIA/NVSentinel's
preflight for the checks; kubernetes-sigs/node-readiness-controller for the taint). The latter is not used: its rules
read node conditions, which outlive a boot, and no catalogue of OpenShift has it. Here the checks of a node are one pod
that takes all GPUs from the device plugin, so they never disturb a job and find what a job would find; no account on a
GPU node may change anything. Only the controller's may, which runs on control-plane hosts, and the API server lets it
change this taint and this annotation of its own pool's nodes alone.

Where GPUs are divided or shared, what a node offers must be exactly what the stack file makes of them, and the checks
take each resource in a container of its own: two resources of one plugin set one variable of a container to different
values (NVIDIA/k8s-device-plugin, internal/plugin/server.go), and kubelet keeps one of them (kubernetes,
pkg/kubelet/cm/devicemanager/pod_devices.go).
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from podwright.components.design import hardware
from podwright.components.design.platform.admission import pods, rights
from podwright.components.design.platform.admission.pods import Unit
from podwright.components.design.platform.admission.rights import CHECKS, NAME
from podwright.components.design.platform.names import (
    MIG_OFF,
    NOT_ADMITTED,
    POOL_LABEL,
    WHOLE_GPU,
    Manifest,
    mig_resource,
    share,
)
from podwright.components.model import Pool, Server, layout_name

TAINT: Final = {"key": NOT_ADMITTED, "effect": "NoSchedule"}
_NVLINK_GBYTES, _PCIE_GBYTES = 150, 15
"""What an all-reduce within a node reaches at least, by the defaults of NVIDIA/NVSentinel's preflight."""


def namespace(pool: str) -> str:
    """Where the controller and the checks of a pool run."""
    return f"podwright-{NAME}-{pool}"


def objects(name: str, pool: Pool, servers: Mapping[str, Server]) -> tuple[Manifest, ...]:
    """Everything in the order in which it is made: first the namespace, last what begins to act. Empty without."""
    if pool.admission is None or not servers:
        return ()
    home = namespace(name)
    return (
        _namespace(home),
        *rights.accounts(name, home),
        *rights.limits(name, home),
        *rights.waiting(name),
        _config(home, CHECKS, {"checks.sh": pods.program("checks.sh")}),
        _config(home, "program", {each: pods.program(each) for each in pods.CONTROLLER}),
        _config(home, "settings", {"settings.json": settings(name, pool, servers)}),
        pods.controller(home, pool.admission),
    )


def settings(name: str, pool: Pool, servers: Mapping[str, Server]) -> str:
    """What the controller reads in each pass, in JSON."""
    wanted = pool.admission
    assert wanted is not None
    whole = not pool.divides and pool.sharing is None
    units = () if whole else _units(pool, servers)
    document = {
        "namespace": namespace(name),
        "selector": f"{POOL_LABEL}={name}",
        "taint": TAINT,
        **({"resource": WHOLE_GPU} if whole else {}),
        **({"replicas": pool.sharing.replicas} if pool.sharing else {}),
        "straggler_percent": wanted.straggler_percent,
        "retry_seconds": wanted.retry_seconds,
        "nodes": {
            host: {**_expected(server, pool), **({} if whole else _parts(server, pool))}
            for host, server in sorted(servers.items())
        },
        "pod": pods.checks(namespace(name), pool, wanted, units),
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _units(pool: Pool, servers: Mapping[str, Server]) -> tuple[Unit, ...]:
    """What the pool's nodes hand out, slices by profile and whole GPUs last, under the names that pods ask for."""
    parts = [hardware.mig_parts(server, pool) for server in servers.values()]
    profiles = sorted({profile for each in parts for profile in each.slices})
    found = [(mig_resource(each), each) for each in profiles]
    if any(each.whole for each in parts):
        found.append((WHOLE_GPU, ""))
    return tuple(Unit(share(resource) if pool.sharing else resource, profile) for resource, profile in found)


def _parts(server: Server, pool: Pool) -> dict[str, Any]:
    """How a server's GPUs are divided: MIG manager's name for it, and how many of each resource there are, each shared
    one once."""
    gpu, parts = hardware.gpu(server), hardware.mig_parts(server, pool)
    found = {mig_resource(profile): count for profile, count in parts.slices.items()}
    found |= {WHOLE_GPU: parts.whole} if parts.whole else {}
    return {
        "units": {share(each) if pool.sharing else each: count for each, count in sorted(found.items())},
        "layout": (layout_name(pool) or MIG_OFF) if gpu is not None and gpu.mig else "",
    }


def _expected(server: Server, pool: Pool) -> dict[str, Any]:
    """What a server must show; GPUs before Hopper report no state of their NVSwitch fabric (`nvidia-smi -q`).

    `gpus` are those that checks take together, and an all-reduce is measured over.
    """
    gpu, wanted = hardware.gpu(server), pool.admission
    assert gpu is not None, "the checks have refused a pool with a server that has none"
    assert wanted is not None
    switched = gpu.together == 8
    return {
        "gpus": 0 if pool.sharing else hardware.mig_parts(server, pool).whole,
        "fabric": "registered" if switched and gpu.capability >= (9, 0) else "none",
        "bus_gbytes": wanted.bus_gbytes or (_NVLINK_GBYTES if switched else _PCIE_GBYTES),
    }


def _namespace(home: str) -> Manifest:
    """Of a node selector that a cluster may have for all namespaces, its pods must know nothing."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": home,
            "labels": {
                **{f"pod-security.kubernetes.io/{mode}": "baseline" for mode in ("enforce", "audit", "warn")},
                "security.openshift.io/scc.podSecurityLabelSync": "false",
            },
            "annotations": {"openshift.io/node-selector": ""},
        },
    }


def _config(home: str, name: str, data: Mapping[str, str]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": home},
        "data": dict(data),
    }
