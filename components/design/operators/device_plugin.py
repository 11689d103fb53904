"""What NVIDIA's device plugin is configured with where GPUs are shared: every way that a pool may take, by name."""

import json
from collections.abc import Iterable
from typing import Any

from podwright.components.design.hardware import Gpu
from podwright.components.design.platform.names import (
    PLUGIN_WHOLE,
    WHOLE_GPU,
    Manifest,
    mig_resource,
    plugin_config,
)
from podwright.components.model import Sharing
from podwright.components.model.catalogue import ReleaseSet

CONFIG = "podwright-device-plugin"
REPLICAS = range(2, 49)


def configurations(products: Iterable[Gpu], release: ReleaseSet) -> Manifest:
    """One file for each mode and number of shares.

    A node's label names its file, and changes before the operator's own objects do: config-manager ends with an error
    where the file is not there (NVIDIA/k8s-device-plugin, cmd/config-manager), so the map has them all beforehand.
    """
    slices = sorted({mig_resource(name) for gpu in products for name in gpu.mig})
    files = {PLUGIN_WHOLE: _text({})}
    for count in REPLICAS:
        files[plugin_config(Sharing(mode="time-slicing", replicas=count))] = _text(
            {"timeSlicing": _replicated([WHOLE_GPU, *slices], count)}
        )
        # MPS knows no MIG devices: its daemon passes over them, and feature discovery fails on them.
        files[plugin_config(Sharing(mode="mps", replicas=count))] = _text({"mps": _replicated([WHOLE_GPU], count)})
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG, "namespace": release.gpu.namespace},
        "data": files,
    }


def chosen() -> dict[str, Any]:
    """The ClusterPolicy's part: the map, and what nodes without a label take."""
    return {"config": {"name": CONFIG, "default": PLUGIN_WHOLE}}


def _replicated(resources: Iterable[str], count: int) -> dict[str, Any]:
    return {
        "renameByDefault": True,
        # Two shares may be of one GPU, and of no more use than one.
        "failRequestsGreaterThanOne": True,
        "resources": [{"name": name, "replicas": count} for name in resources],
    }


def _text(sharing: dict[str, Any]) -> str:
    """JSON is YAML, and has one way to be written."""
    return json.dumps({"version": "v1", **({"sharing": sharing} if sharing else {})}, sort_keys=True) + "\n"
