"""NVIDIA's NIC Configuration Operator: templates become firmware and run-time settings of the NICs that they select.

After Mellanox/nic-configuration-operator v1.3.1, as NVIDIA's Network Operator deploys it (state
nic-configuration-operator of NicClusterPolicy): its daemon runs where the driver does; firmware settings and every
later change of a template wait for a NodeMaintenance and restart the node, and until all is applied the node's label
`network.nvidia.com/operator.nic-configuration.wait` is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import ensure_daemon_set, node_ready, pod_ready
from podwright.lab.openshift.kinds import (
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NIC_CLUSTER_POLICIES,
    NIC_CONFIGURATION_TEMPLATES,
    NIC_DEVICES,
    NODE_MAINTENANCES,
    NODES,
    PODS,
)
from podwright.lab.openshift.networks import MELLANOX_LABEL, MOFED_WAIT
from podwright.lab.openshift.nics.daemon import WAIT, NicDaemon
from podwright.lab.openshift.nics.devices import matches

DAEMON = "nic-configuration-daemon"
CRDS = ("nicconfigurationtemplates.configuration.net.nvidia.com", "nicdevices.configuration.net.nvidia.com")


class NicConfiguration(Controller):
    """One pass: operand, templates to devices, then each node's daemon."""

    watches = (
        CSVS,
        DEPLOYMENTS,
        NIC_CLUSTER_POLICIES,
        NIC_CONFIGURATION_TEMPLATES,
        NIC_DEVICES,
        NODE_MAINTENANCES,
        NODES,
        PODS,
        DAEMON_SETS,
    )
    _served = False

    def reconcile(self) -> None:
        """One pass; without `nicConfigurationOperator` in the policy nobody waits for it."""
        home = running(self.cache, "nvidia-network-operator")
        policy = self.cache.get(NIC_CLUSTER_POLICIES, "nic-cluster-policy")
        if home is None or policy is None:
            return
        asked = policy["spec"].get("nicConfigurationOperator")
        if not asked:
            self._absent(home)
            return
        if not self._served:
            self._served = not self.around.crds.apply(self.api, CRDS)
        image = asked["configurationDaemon"]
        gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
        ensure_daemon_set(
            self, home, DAEMON, f"{image['repository']}/{image['image']}",
            owner=self.own(policy, "mellanox.com/v1alpha1", "NicClusterPolicy"), selector={MOFED_WAIT: "false"},
            tolerations=[*(policy["spec"].get("tolerations") or []), gpu],
            marks={"nvidia.com/nic-configuration-daemon": ""},
        )  # fmt: skip
        for node, pod in self._daemons(home):
            server = self.around.server_of(node["metadata"]["name"])
            if server is not None:
                NicDaemon(self, node, server, home).discover(pod)
        for device in self.cache.list(NIC_DEVICES, home):
            self._assign(device)
        for node, _ in self._daemons(home):
            server = self.around.server_of(node["metadata"]["name"])
            if server is not None:
                NicDaemon(self, node, server, home).configure()

    def _absent(self, home: str) -> None:
        if self.cache.get(DAEMON_SETS, DAEMON, home) is not None:
            self.api.delete(DAEMON_SETS.path(home, DAEMON))
        for node in self.cache.list(NODES):
            if node["metadata"].get("labels", {}).get(MELLANOX_LABEL) == "true":
                self.patch(NODES, node, {"metadata": {"labels": {WAIT: "false"}}})

    def _daemons(self, home: str) -> Iterator[tuple[Object, Object]]:
        """Nodes on which the daemon works, with its pod."""
        for pod in self.cache.list(PODS, home):
            node = self.cache.get(NODES, pod["spec"].get("nodeName", ""))
            daemon = pod["metadata"].get("labels", {}).get("app") == DAEMON
            if daemon and pod_ready(pod) and node is not None and node_ready(node) and self._driven(node):
                yield node, pod

    def _driven(self, node: Object) -> bool:
        """True once the driver container has loaded the driver during this boot of the node."""
        loaded = self.around.host_memory(node["metadata"]["name"]).driver
        return loaded.endswith(f"/{node['status']['nodeInfo']['bootID']}")

    def _assign(self, device: Object) -> None:
        """Write the one template that selects a device into it; several that do cancel each other."""
        node = self.cache.get(NODES, (device.get("status") or {}).get("node", ""))
        if node is None:
            return
        found = [each for each in self.cache.list(NIC_CONFIGURATION_TEMPLATES) if matches(each, device, node)]
        for template in self.cache.list(NIC_CONFIGURATION_TEMPLATES):
            self._list(template, device["metadata"]["name"], listed=[template] == found)
        wanted: dict[str, Any] | None = None
        if len(found) == 1:
            spec = found[0]["spec"]
            wanted = {"resetToDefault": spec.get("resetToDefault", False), "template": spec["template"]}
        elif found:
            names = ",".join(each["metadata"]["name"] for each in found)
            self.event(device, "NicDevice", "SpecError", f"Several templates matching this device: {names}")
        if (device.get("spec") or {}).get("configuration") != wanted:
            body = {"apiVersion": device["apiVersion"], "kind": "NicDevice", "metadata": device["metadata"]}
            body["spec"] = {"configuration": wanted} if wanted else {}
            path = NIC_DEVICES.path(device["metadata"]["namespace"], device["metadata"]["name"])
            # Replaced, not merged: a section that left the template leaves the device too.
            fresh = self.api.request("PUT", path, {**body, "status": device.get("status")})
            self.cache.replace(NIC_DEVICES, fresh)

    def _list(self, template: Object, device: str, *, listed: bool) -> None:
        known = (template.get("status") or {}).get("nicDevices") or []
        wanted = sorted({*known, device}) if listed else [name for name in known if name != device]
        if wanted != known:
            fresh = self.patch(NIC_CONFIGURATION_TEMPLATES, template, {"status": {"nicDevices": wanted}}, "status")
            self.cache.replace(NIC_CONFIGURATION_TEMPLATES, fresh)
