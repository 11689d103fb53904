"""The Node Tuning Operator: a PerformanceProfile becomes a MachineConfig with kernel arguments and a RuntimeClass.

After openshift/cluster-node-tuning-operator: arguments for huge pages and CPU isolation go into `50-nto-<role>`, whose
role is the last part of the profile's node selector; the machine config pool then rolls them out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.kinds import KUBELET_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS, TUNEDS
from podwright.lab.openshift.kubelet_start import mib
from podwright.lab.openshift.selectors import has_all

NAMESPACE = "openshift-cluster-node-tuning-operator"
PROFILES = Kind("performance.openshift.io/v2", "performanceprofiles")
RUNTIME_CLASSES = Kind("node.k8s.io/v1", "runtimeclasses")
ROLE = "machineconfiguration.openshift.io/role"
SNIPPET = "kubeletconfig.experimental"
THRESHOLDS = {
    "memory.available": "100Mi", "nodefs.available": "10%", "imagefs.available": "15%", "nodefs.inodesFree": "5%",
}  # fmt: skip
SIZES = {"1G": "hugepages-1Gi", "2M": "hugepages-2Mi"}


class Tuning(Controller):
    """Keeps a MachineConfig and a RuntimeClass per profile that has a pool."""

    watches = (PROFILES, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS)

    def reconcile(self) -> None:
        """One pass over profiles."""
        self.each(PROFILES, self._serve)

    def _serve(self, profile: Object) -> None:
        meta, spec = profile["metadata"], profile["spec"]
        role = next(iter(spec["nodeSelector"])).rpartition("/")[2]
        wanted = spec.get("machineConfigPoolSelector") or {ROLE: role}
        pools = [p for p in self.cache.list(MACHINE_CONFIG_POOLS) if has_all(wanted, p["metadata"].get("labels", {}))]
        if not pools:
            rows = [
                condition("Available", False, "BadMachineConfigPool", f"no MachineConfigPool has labels {wanted}"),
                condition("Degraded", True, "BadMachineConfigPool", ""),
            ]
        else:
            self._machine_config(profile, role)
            self._kubelet_config(profile, wanted)
            self._tuned(profile, role)
            self.api.ensure(RUNTIME_CLASSES.path(), {
                "apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "high-performance",
                "metadata": {"name": f"performance-{meta['name']}", "ownerReferences": self._owner(profile)},
                "scheduling": {"nodeSelector": spec["nodeSelector"]},
            })  # fmt: skip
            rows = [condition("Available", True, "", "cgroup=v2;"), condition("Degraded", False, "")]
        rows += [condition("Upgradeable", bool(pools), ""), condition("Progressing", False, "")]
        before = profile.get("status", {}).get("conditions", [])
        self.set_status(PROFILES, profile, {
            "conditions": merge_conditions(before, rows), "runtimeClass": f"performance-{meta['name']}",
        })  # fmt: skip

    def _machine_config(self, profile: Object, role: str) -> None:
        name, spec = f"50-nto-{role}", {"kernelArguments": arguments(profile["spec"])}
        found = self.cache.get(MACHINE_CONFIGS, name)
        if found is None:
            self.api.ensure(MACHINE_CONFIGS.path(), {
                "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
                "metadata": {"name": name, "labels": {ROLE: role}, "ownerReferences": self._owner(profile)},
                "spec": {"config": {"ignition": {"version": "3.5.0"}}, **spec},
            })  # fmt: skip
        else:
            self.patch(MACHINE_CONFIGS, found, {"spec": spec})

    def _kubelet_config(self, profile: Object, pools: dict[str, str]) -> None:
        """`kubeletconfig.experimental`, a snippet of kubelet's file, with what the profile decides itself on top."""
        meta = profile["metadata"]
        spec = {"machineConfigPoolSelector": {"matchLabels": pools}, "kubeletConfig": kubelet(profile)}
        name = f"performance-{meta['name']}"
        found = self.cache.get(KUBELET_CONFIGS, name)
        if found is not None:
            self.patch(KUBELET_CONFIGS, found, {"spec": spec})
            return
        self.api.ensure(KUBELET_CONFIGS.path(), {
            "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig", "spec": spec,
            "metadata": {"name": name, "ownerReferences": self._owner(profile)},
        })  # fmt: skip

    def _tuned(self, profile: Object, role: str) -> None:
        """The profile that nodes get of it: priority 20, and transparent huge pages `never`."""
        name = f"openshift-node-performance-{profile['metadata']['name']}"
        isolated = (profile["spec"].get("cpu") or {}).get("isolated", "")
        text = f"[main]\ninclude=openshift-node,cpu-partitioning\n[variables]\nisolated_cores={isolated}\n"
        text += "[vm]\ntransparent_hugepages=never\n"
        spec = {
            "profile": [{"name": name, "data": text}],
            "recommend": [{"profile": name, "priority": 20, "machineConfigLabels": {ROLE: role}}],
        }
        found = self.cache.get(TUNEDS, name, NAMESPACE)
        if found is not None:
            self.patch(TUNEDS, found, {"spec": spec})
            return
        self.api.ensure(TUNEDS.path(NAMESPACE), {
            "apiVersion": "tuned.openshift.io/v1", "kind": "Tuned", "spec": spec,
            "metadata": {"name": name, "namespace": NAMESPACE, "ownerReferences": self._owner(profile)},
        })  # fmt: skip

    def _owner(self, profile: Object) -> list[dict[str, Any]]:
        return self.own(profile, "performance.openshift.io/v2", "PerformanceProfile")


def kubelet(profile: Object) -> dict[str, Any]:
    """Kubelet's file as the operator makes it (pkg/performanceprofile/controller/performanceprofile/components/
    kubeletconfig/kubeletconfig.go)."""
    snippet = json.loads((profile["metadata"].get("annotations") or {}).get(SNIPPET) or "{}")
    topology = (profile["spec"].get("numa") or {}).get("topologyPolicy", "best-effort")
    settings = {
        **snippet,
        "cpuManagerPolicy": "static",
        "cpuManagerReconcilePeriod": "5s",
        "topologyManagerPolicy": topology,
        "reservedSystemCPUs": (profile["spec"].get("cpu") or {}).get("reserved", ""),
        "evictionHard": {**THRESHOLDS, **snippet.get("evictionHard", {})},
        **{key: {"memory": "500Mi", **snippet.get(key, {})} for key in ("kubeReserved", "systemReserved")},
    }
    if topology in ("restricted", "single-numa-node"):
        kept = sum(mib(settings[key]["memory"]) for key in ("kubeReserved", "systemReserved"))
        kept += mib(settings["evictionHard"]["memory.available"])
        own = [{"numaNode": 0, "limits": {"memory": f"{kept:.0f}Mi"}}]
        settings |= {"memoryManagerPolicy": "Static", "reservedMemory": snippet.get("reservedMemory", own)}
    if topology == "single-numa-node":
        options = {"full-pcpus-only": "true", **snippet.get("cpuManagerPolicyOptions", {})}
        settings["cpuManagerPolicyOptions"] = options
    return settings


def arguments(spec: Object) -> list[str]:
    """Kernel arguments of a profile: isolated CPUs, then huge pages by size."""
    found = ["skew_tick=1"]
    isolated = (spec.get("cpu") or {}).get("isolated")
    if isolated:
        found += [f"nohz_full={isolated}", f"rcu_nocbs={isolated}"]
    huge = spec.get("hugepages") or {}
    if huge.get("defaultHugepagesSize"):
        found.append(f"default_hugepagesz={huge['defaultHugepagesSize']}")
    for page in huge.get("pages") or []:
        found += [f"hugepagesz={page['size']}", f"hugepages={page['count']}"]
    return found


def huge_pages(kernel_arguments: Sequence[str]) -> dict[str, int]:
    """Huge page resource to GiB or MiB reserved at boot, from kernel arguments in order."""
    found: dict[str, int] = {}
    size = ""
    for argument in kernel_arguments:
        key, _, value = argument.partition("=")
        if key == "hugepagesz":
            size = value
        elif key == "hugepages" and size in SIZES and re.fullmatch(r"\d+", value):
            found[SIZES[size]] = int(value) * (1 if size == "1G" else 2)
    return found
