"""MIG manager's map of layouts, and one that a pool brings along.

The map is the GPU operator's ConfigMap, mounted into each MIG manager: kubelet brings a change there within its sync
period (https://kubernetes.io/docs/concepts/configuration/configmap/, "mounted ConfigMaps are updated automatically"),
a minute and more, and MIG manager reads it when a label changes (NVIDIA/mig-parted, cmd/nvidia-mig-manager). Only a
manager that starts after the change is sure to know the layout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.protocol.kind import ProviderError

MANAGERS = "/apis/apps/v1/daemonsets?labelSelector=app%3Dnvidia-mig-manager"
"""The GPU operator makes its DaemonSet (NVIDIA/gpu-operator, assets/state-mig-manager), and takes it away."""
_VOLUME, _FILE = "mig-parted-config", "config.yaml"
"""Of that DaemonSet: the volume of the map, and the map's key."""
_TRIES = 5
_CONFLICT = 409


async def teach(kube: Kube, layout: str, config: Sequence[Mapping[str, Any]]) -> None:
    """Have the map know a layout; what it knows beside it stays. Raises ProviderError where there is no map to add to.

    The operators' own update of the map comes after the roll-outs, and takes what no pool needs any more out of it.
    """
    path = await _path(kube, layout)
    for attempt in range(_TRIES):
        live: dict[str, Any] = await kube.get(path)
        document = _document(live, path)
        if document["mig-configs"].get(layout) == list(config):
            return
        document["mig-configs"][layout] = list(config)
        text = json.dumps(document, indent=2, sort_keys=True) + "\n"
        # Another pool's roll-out may be at the same map: what it wrote meanwhile is not to be lost.
        change = {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"]}, "data": {_FILE: text}}
        try:
            await kube.merge(f"{path}?fieldManager=podwright-layouts", change)
        except KubeError as refused:
            if refused.status != _CONFLICT or attempt == _TRIES - 1:
                raise
        else:
            return


async def _path(kube: Kube, layout: str) -> str:
    for daemons in (await kube.get(MANAGERS)).get("items") or []:
        for volume in daemons["spec"]["template"]["spec"].get("volumes") or []:
            name = (volume.get("configMap") or {}).get("name")
            if volume.get("name") == _VOLUME and name:
                return f"/api/v1/namespaces/{daemons['metadata']['namespace']}/configmaps/{name}"
    raise ProviderError(
        f"MIG manager reads no map that the layout {layout} could be added to: migManager.config.name of the "
        "ClusterPolicy names one"
    )


def _document(live: Mapping[str, Any], path: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load((live.get("data") or {})[_FILE])
        if isinstance(document["mig-configs"], dict):
            return dict(document)
    except (KeyError, TypeError, yaml.YAMLError):
        pass
    raise ProviderError(f"{path.rpartition('/')[2]}, MIG manager's map of layouts, is no configuration of mig-parted")
