"""The GPU operator: driver, toolkit, device plugin, feature discovery, MIG, for every GPU node of the cluster."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from podwright.components.design import hardware
from podwright.components.design.operators import device_plugin, gpu_driver
from podwright.components.design.platform.names import MIG_OFF, Manifest, every_node
from podwright.components.model import MigGpus, Operators, RailPool
from podwright.components.model.catalogue import ReleaseSet

MIG_CONFIG = "podwright-mig-layouts"
_ON = {"devices": "all", "mig-enabled": True}


def settings(
    operators: Operators,
    release: ReleaseSet,
    products: Iterable[str],
    *,
    rdma: bool,
    sharing: bool = False,
    mig_gpus: Iterable[Sequence[MigGpus]] = (),
    admission: bool = False,
) -> Iterator[Manifest]:
    """What configures the GPU operator for `products`, its ClusterPolicy last.

    `rdma`: NICs read and write GPU memory; `sharing`: some pool shares its GPUs; `admission`: some pool checks its
    nodes before they take workloads. `mig_gpus` of each pool that divides its GPUs in different ways.
    """
    known = [hardware.GPUS[name] for name in dict.fromkeys(products)]
    yield _layouts(known, release, mig_gpus)
    if sharing:
        yield device_plugin.configurations(known, release)
    policy = _cluster_policy(operators, release, rdma=rdma, sharing=sharing, admission=admission)
    yield policy


def driver_rollout(
    operators: Operators, release: ReleaseSet, pool: RailPool, *, rdma: bool, admission: bool
) -> dict[str, Any]:
    """Spec of the roll-out that takes a pool's nodes to the driver that the ClusterPolicy asks for."""
    spec = _cluster_policy(operators, release, rdma=rdma, sharing=False, admission=admission)["spec"]
    asked = {key: spec[key] for key in ("driver", "gdrcopy", "gds") if key in spec}
    return gpu_driver.rollout(operators, release, pool, {**asked, "daemonsets": spec["daemonsets"]})


def _layouts(products: list[hardware.Gpu], release: ReleaseSet, own: Iterable[Sequence[MigGpus]]) -> Manifest:
    """Every MIG layout that the cluster's GPUs can take, in mig-parted's form, pools' `own`, and the one that turns MIG
    off.

    Nodes take another layout before operators hear of the change, so the map must know it already; a pool's own is
    added by its roll-out.
    """
    configs: dict[str, list[dict[str, Any]]] = {MIG_OFF: [{"devices": "all", "mig-enabled": False}]}
    for name in {layout for gpu in products for layout in hardware.layouts(gpu)}:
        alike: dict[str, list[hardware.Gpu]] = {}
        for gpu in products:
            if slices := hardware.layout(gpu, name):
                alike.setdefault(json.dumps(slices), []).append(gpu)
        configs[name] = [
            # One name, different slices: products are told apart by PCI id, device before vendor.
            {**({"device-filter": sorted(f"0x{gpu.device}10DE" for gpu in gpus)} if len(alike) > 1 else {}), **_ON}
            | {"mig-devices": json.loads(slices)}
            for slices, gpus in sorted(alike.items())
        ]
    configs |= dict(hardware.own_layout(groups) for groups in own)
    document = {"version": "v1", "mig-configs": configs}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": MIG_CONFIG, "namespace": release.gpu.namespace},
        # JSON is YAML, and has one way to be written.
        "data": {"config.yaml": json.dumps(document, indent=2, sort_keys=True) + "\n"},
    }


def _cluster_policy(
    operators: Operators, release: ReleaseSet, *, rdma: bool, sharing: bool, admission: bool
) -> Manifest:
    on = {"enabled": True}
    spec: dict[str, Any] = {
        # Only channels before v26.3 read the runtime; their schema demands it.
        "operator": {"defaultRuntime": "crio", "use_ocp_driver_toolkit": True},
        "daemonsets": {
            "updateStrategy": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": "1"},
            **({"tolerations": every_node(admission=admission) + _GPU_TAINT} if operators.gpu_node_tolerations else {}),
        },
        "driver": {"enabled": True, **gpu_driver.driver(operators, rdma=rdma)},
        **gpu_driver.beside(operators, release),
        "toolkit": on,
        # What the device plugin gave a pod is what its containers get: without CDI variables of an image are enough.
        "cdi": on,
        "devicePlugin": {**on, **(device_plugin.chosen() if sharing else {})},
        "gfd": on,
        "dcgm": on,
        "dcgmExporter": {"enabled": True, "serviceMonitor": {"enabled": True}},
        "nodeStatusExporter": on,
        # mixed: each profile is a resource of its own, whole GPUs stay nvidia.com/gpu.
        "mig": {"strategy": "mixed"},
        "migManager": {"enabled": True, "config": {"name": MIG_CONFIG, "default": MIG_OFF}},
        # Its own job takes a GPU on every node that the operator looks at anew, and waits where jobs have them all; a
        # pool's `admission` looks at all GPUs of a node instead, before anything runs there.
        "validator": {"plugin": {"env": [{"name": "WITH_WORKLOAD", "value": "false"}]}},
        "sandboxWorkloads": {"enabled": False},
    }
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {
            "name": "gpu-cluster-policy",
            "annotations": {
                "pulumi.com/waitFor": "jsonpath={.status.state}=ready",
                # A driver is compiled on every node at its first start.
                "pulumi.com/timeoutSeconds": "2700",
            },
        },
        "spec": spec,
    }


_GPU_TAINT = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
