"""SriovNetworks become NetworkAttachmentDefinitions; the NVIDIA Network Operator's NicClusterPolicy becomes ready."""

from __future__ import annotations

import json
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import ensure_daemon_set, pod_ready, works_on
from podwright.lab.openshift.hardware import MELLANOX, vendor
from podwright.lab.openshift.kinds import (
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NAMESPACES,
    NETWORK_ATTACHMENTS,
    NIC_CLUSTER_POLICIES,
    NODES,
    PODS,
    SRIOV_NETWORKS,
)

FINALIZER = "netattdef.finalizers.sriovnetwork.openshift.io"
OWNER = "sriovnetwork.openshift.io/owner-ref"
RESOURCE = "k8s.v1.cni.cncf.io/resourceName"
MELLANOX_LABEL = "feature.node.kubernetes.io/pci-15b3.present"
MOFED_WAIT = "network.nvidia.com/operator.mofed.wait"


class SriovNetworks(Controller):
    """Keeps one attachment definition per SriovNetwork, in the namespace it names."""

    watches = (CSVS, DEPLOYMENTS, SRIOV_NETWORKS, NETWORK_ATTACHMENTS, NAMESPACES)

    def reconcile(self) -> None:
        """One pass over networks of the operator's namespace."""
        namespace = running(self.cache, "sriov-network-operator")
        if namespace is not None:
            for item in self.cache.list(SRIOV_NETWORKS, namespace):
                self._keep(item)

    def _keep(self, item: Object) -> None:
        meta, spec = item["metadata"], item["spec"]
        target = spec.get("networkNamespace") or meta["namespace"]
        finalizers = meta.get("finalizers", [])
        if "deletionTimestamp" in meta:
            found = self.cache.get(NETWORK_ATTACHMENTS, meta["name"], target)
            if found is not None and found["metadata"].get("annotations", {}).get(OWNER) == _mark(item):
                self.api.delete(NETWORK_ATTACHMENTS.path(target, meta["name"]))
            rest = [name for name in finalizers if name != FINALIZER]
            self.patch(SRIOV_NETWORKS, item, {"metadata": {"finalizers": rest}})
            return
        if FINALIZER not in finalizers:
            self.patch(SRIOV_NETWORKS, item, {"metadata": {"finalizers": [*finalizers, FINALIZER]}})
        if self.cache.get(NAMESPACES, target) is None:
            self.event(item, "SriovNetwork", "NamespaceMissing", f"namespace {target} does not exist yet")
            return
        wanted: dict[str, Any] = {
            "metadata": {"annotations": {RESOURCE: f"openshift.io/{spec['resourceName']}", OWNER: _mark(item)}},
            "spec": {"config": json.dumps(cni_config(item))},
        }
        found = self.cache.get(NETWORK_ATTACHMENTS, meta["name"], target)
        if found is None:
            self.api.ensure(NETWORK_ATTACHMENTS.path(target), {
                "apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", **wanted,
                "metadata": {"name": meta["name"], "namespace": target, **wanted["metadata"]},
            })  # fmt: skip
        else:
            self.patch(NETWORK_ATTACHMENTS, found, wanted)


def _mark(item: Object) -> str:
    return f"SriovNetwork.sriovnetwork.openshift.io/{item['metadata']['namespace']}/{item['metadata']['name']}"


def cni_config(item: Object) -> dict[str, Any]:
    """The CNI configuration that the operator's template renders."""
    spec = item["spec"]
    config: dict[str, Any] = {
        "cniVersion": "1.0.0", "name": item["metadata"]["name"], "type": "sriov", "vlan": spec.get("vlan", 0),
        "vlanQoS": spec.get("vlanQoS", 0), "logLevel": spec.get("logLevel") or "info",
    }  # fmt: skip
    for key in ("spoofChk", "trust", "linkState"):
        if spec.get(key):
            config["spoofchk" if key == "spoofChk" else "link_state" if key == "linkState" else key] = spec[key]
    config["ipam"] = _json(spec.get("ipam"))
    plugins = spec.get("metaPlugins")
    if not plugins:
        return config
    inner = {key: value for key, value in config.items() if key not in ("cniVersion", "name")}
    extra = json.loads(f"[{plugins}]")
    return {"cniVersion": "1.0.0", "name": config["name"], "plugins": [inner, *extra]}


def _json(text: str | None) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return {}


class NvidiaNetwork(Controller):
    """Serves the one NicClusterPolicy that counts, called nic-cluster-policy."""

    watches = (CSVS, DEPLOYMENTS, NIC_CLUSTER_POLICIES, NODES, PODS, DAEMON_SETS)

    def reconcile(self) -> None:
        """One pass: driver operand, node labels, status."""
        namespace = running(self.cache, "nvidia-network-operator")
        if namespace is None:
            return
        for policy in self.cache.list(NIC_CLUSTER_POLICIES):
            if policy["metadata"]["name"] == "nic-cluster-policy":
                self._serve(policy, namespace)
            else:
                self.set_status(
                    NIC_CLUSTER_POLICIES, policy, {"state": "ignore", "reason": "only nic-cluster-policy counts"}
                )

    def _serve(self, policy: Object, namespace: str) -> None:
        spec = policy["spec"]
        nodes = [n for n in self.cache.list(NODES) if n["metadata"].get("labels", {}).get(MELLANOX_LABEL) == "true"]
        driver = spec.get("ofedDriver")
        states = []
        if driver:
            image = f"{driver.get('repository', 'nvcr.io/nvidia/mellanox')}/{driver.get('image', 'doca-driver')}"
            ensure_daemon_set(
                self, namespace, "mofed-rhcos-ds", image,
                owner=self.own(policy, "mellanox.com/v1alpha1", "NicClusterPolicy"),
                selector={MELLANOX_LABEL: "true"}, tolerations=spec.get("tolerations") or [],
            )  # fmt: skip
            up = works_on(self.cache, namespace, "mofed-rhcos-ds")
            for node in nodes:
                ready = node["metadata"]["name"] in up
                if ready:
                    self._load(node, namespace)
                self.patch(NODES, node, {"metadata": {"labels": {MOFED_WAIT: "false" if ready else "true"}}})
            done = {n["metadata"]["name"] for n in nodes} <= up
            states.append({"name": "state-OFED", "state": "ready" if done and nodes else "notReady"})
        elif self.cache.get(DAEMON_SETS, "mofed-rhcos-ds", namespace) is not None:
            self.api.delete(DAEMON_SETS.path(namespace, "mofed-rhcos-ds"))
        if spec.get("nicConfigurationOperator"):
            daemons = (self.cache.get(DAEMON_SETS, "nic-configuration-daemon", namespace) or {}).get("status", {})
            whole = daemons.get("desiredNumberScheduled", 0) == daemons.get("numberReady", -1)
            states.append({"name": "state-nic-configuration-operator", "state": "ready" if whole else "notReady"})
        ready = bool(nodes) and all(row["state"] == "ready" for row in states)
        reason = "" if nodes else f"no node carries {MELLANOX_LABEL}"
        self.set_status(NIC_CLUSTER_POLICIES, policy, {
            "state": "ready" if ready else "notReady", "reason": reason, "appliedStates": states,
        })  # fmt: skip

    def _load(self, node: Object, namespace: str) -> None:
        """A driver container that starts unloads the driver and loads its own: the NICs begin anew."""
        name, boot = node["metadata"]["name"], node["status"]["nodeInfo"]["bootID"]
        server = self.around.server_of(name)
        pods = [
            pod for pod in self.cache.list(PODS, namespace)
            if pod["metadata"].get("labels", {}).get("app") == "mofed-rhcos-ds" and pod["spec"].get("nodeName") == name
            and pod_ready(pod)
        ]  # fmt: skip
        if server is None or not pods:
            return
        host, run = self.around.host_memory(name), f"{pods[0]['metadata']['uid']}/{boot}"
        host.boot(boot)
        if host.driver != run:
            host.driver, host.functions = run, {}
            with self.world.lock:
                for nic in server.nics.values():
                    if vendor(nic) == MELLANOX:
                        nic.load_driver()
