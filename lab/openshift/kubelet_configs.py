"""The Machine Config Operator's second controller: a KubeletConfig becomes a MachineConfig with kubelet's file.

After openshift/machine-config-operator, `pkg/controller/kubelet-config` (release-4.20 and release-4.22): a few fields
are refused (`validateUserKubeletConfig`), `registerWithTaints` is not among them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.lab.openshift.kinds import KUBELET_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS
from podwright.lab.openshift.pool_configs import PoolConfigs

FILE = "/etc/kubernetes/kubelet.conf"
REFUSED = ("cgroupDriver", "clusterDNS", "clusterDomain", "featureGates", "staticPodPath", "failSwapOn")
_KIND = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}


class KubeletConfigs(PoolConfigs):
    """Keeps a MachineConfig per KubeletConfig and pool."""

    watches = (KUBELET_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS)
    source = KUBELET_CONFIGS
    kind = "KubeletConfig"
    generated = "kubelet"

    def problem(self, spec: Mapping[str, Any]) -> str:
        """A field that the operator keeps to itself."""
        settings = spec.get("kubeletConfig") or {}
        refused = next((name for name in REFUSED if settings.get(name)), None)
        if refused is None:
            return ""
        return f"KubeletConfiguration: {refused} is not allowed to be set, but contains: {settings[refused]}"

    def no_pool(self, name: str) -> str:
        """Nothing selects it."""
        return f"KubeletConfig {name} does not match any MachineConfigPools"

    def files(self, spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Kubelet's whole file."""
        text = json.dumps({**_KIND, **(spec.get("kubeletConfig") or {})}, sort_keys=True)
        source = f"data:text/plain;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"
        return [{"path": FILE, "mode": 0o644, "overwrite": True, "contents": {"source": source}}]


def settings(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """What kubelet's file says in a machine configuration; empty where there is none."""
    files = (((config or {}).get("config") or {}).get("storage") or {}).get("files") or []
    source = next((row["contents"]["source"] for row in files if row["path"] == FILE), "")
    encoded = source.partition(";base64,")[2]
    return dict(json.loads(base64.b64decode(encoded))) if encoded else {}
