"""The Machine Config Operator's second controller: a KubeletConfig becomes a MachineConfig with kubelet's file.

After openshift/machine-config-operator, `pkg/controller/kubelet-config` (release-4.20 and release-4.22): one
MachineConfig per pool that the selector matches, `99-<pool>-generated-kubelet` with a number from the second
KubeletConfig of a pool on; each writes the whole file, so of two for one pool the later name has its way. A few fields
are refused (`validateUserKubeletConfig`), `registerWithTaints` is not among them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, now
from podwright.lab.openshift.kinds import KUBELET_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS
from podwright.lab.openshift.selectors import matches

FILE = "/etc/kubernetes/kubelet.conf"
GROUP = "machineconfiguration.openshift.io/v1"
ROLE = "machineconfiguration.openshift.io/role"
SUFFIX = "machineconfiguration.openshift.io/mc-name-suffix"
REFUSED = ("cgroupDriver", "clusterDNS", "clusterDomain", "featureGates", "staticPodPath", "failSwapOn")
_KIND = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}


class KubeletConfigs(Controller):
    """Keeps a MachineConfig per KubeletConfig and pool, and says in the status what it refuses."""

    watches = (KUBELET_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS)

    def reconcile(self) -> None:
        """One pass over all."""
        self.each(KUBELET_CONFIGS, self._serve)

    def _serve(self, item: Object) -> None:
        meta, spec = item["metadata"], item["spec"]
        settings = spec.get("kubeletConfig") or {}
        selector = spec.get("machineConfigPoolSelector") or {}
        pools = [
            pool for pool in self.cache.list(MACHINE_CONFIG_POOLS)
            if selector and matches(selector, pool["metadata"].get("labels", {}))
        ]  # fmt: skip
        refused = next((name for name in REFUSED if settings.get(name)), None)
        if refused:
            problem = f"KubeletConfiguration: {refused} is not allowed to be set, but contains: {settings[refused]}"
        elif not pools:
            problem = f"KubeletConfig {meta['name']} does not match any MachineConfigPools"
        else:
            problem = ""
            for pool in pools:
                self._render(item, pool["metadata"]["name"], {**_KIND, **settings})
        self._report(item, problem)

    def _render(self, item: Object, pool: str, settings: Mapping[str, Any]) -> None:
        suffix = self._suffix(item)
        name = f"99-{pool}-generated-kubelet{f'-{suffix}' if suffix else ''}"
        text = base64.b64encode(json.dumps(settings, sort_keys=True).encode()).decode()
        source = f"data:text/plain;charset=utf-8;base64,{text}"
        file = {"path": FILE, "mode": 0o644, "overwrite": True, "contents": {"source": source}}
        spec = {"config": {"ignition": {"version": "3.5.0"}, "storage": {"files": [file]}}}
        found = self.cache.get(MACHINE_CONFIGS, name)
        if found is not None:
            self.patch(MACHINE_CONFIGS, found, {"spec": spec})
            return
        owner = self.own(item, GROUP, "KubeletConfig")
        self.api.ensure(MACHINE_CONFIGS.path(), {
            "apiVersion": GROUP, "kind": "MachineConfig", "spec": spec,
            "metadata": {"name": name, "labels": {ROLE: pool}, "ownerReferences": owner},
        })  # fmt: skip

    def _suffix(self, item: Object) -> str:
        """Which of a pool's it is: the first has no number. It keeps the one that it was given."""
        known = item["metadata"].get("annotations", {}).get(SUFFIX)
        if known is not None:
            return str(known)
        # Asked of the API itself: two that were made at once must not get one number.
        others = self.api.request("GET", KUBELET_CONFIGS.path())["items"]
        alike = [each for each in others if _selector(each) == _selector(item)]
        given = [each["metadata"].get("annotations", {}).get(SUFFIX) for each in alike]
        taken = [int(each or 0) for each in given if each is not None]
        suffix = str(max(taken) + 1) if taken else ""
        self.note(KUBELET_CONFIGS, item, **{SUFFIX: suffix})
        return suffix

    def _report(self, item: Object, problem: str) -> None:
        before = (item.get("status") or {}).get("conditions") or []
        row = {"type": "Failure", "status": "False", "message": f"Error: {problem}"} if problem else {
            "type": "Success", "status": "True", "message": "Success"
        }  # fmt: skip
        if not before or {key: before[-1].get(key) for key in row} != row:
            rows = [*before, {**row, "lastTransitionTime": now()}][-3:]
            self.set_status(
                KUBELET_CONFIGS, item, {"conditions": rows, "observedGeneration": item["metadata"]["generation"]}
            )


def _selector(item: Object) -> str:
    return json.dumps(item["spec"].get("machineConfigPoolSelector") or {}, sort_keys=True)


def settings(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """What kubelet's file says in a machine configuration; empty where there is none."""
    files = (((config or {}).get("config") or {}).get("storage") or {}).get("files") or []
    source = next((row["contents"]["source"] for row in files if row["path"] == FILE), "")
    encoded = source.partition(";base64,")[2]
    return dict(json.loads(base64.b64decode(encoded))) if encoded else {}
