"""SriovNetworks become NetworkAttachmentDefinitions; the NVIDIA Network Operator's policies become ready."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import current, ensure_daemon_set, pod_ready, works_on
from podwright.lab.openshift.hardware import MELLANOX, vendor
from podwright.lab.openshift.ipam.operator import state as ipam_state
from podwright.lab.openshift.kinds import (
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NAMESPACES,
    NETWORK_ATTACHMENTS,
    NIC_CLUSTER_POLICIES,
    NIC_NODE_POLICIES,
    NODES,
    PODS,
    SRIOV_NETWORKS,
)
from podwright.lab.openshift.nics import driver_image

FINALIZER = "netattdef.finalizers.sriovnetwork.openshift.io"
OWNER = "sriovnetwork.openshift.io/owner-ref"
RESOURCE = "k8s.v1.cni.cncf.io/resourceName"
MELLANOX_LABEL = "feature.node.kubernetes.io/pci-15b3.present"
COUNTS = "nic-cluster-policy"
"""Name of the one NicClusterPolicy that the operator serves."""
MOFED_WAIT = "network.nvidia.com/operator.mofed.wait"
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


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
    """Serves the one NicClusterPolicy that counts, called nic-cluster-policy, and every NicNodePolicy."""

    watches = (CSVS, DEPLOYMENTS, NIC_CLUSTER_POLICIES, NIC_NODE_POLICIES, NODES, PODS, DAEMON_SETS)

    def reconcile(self) -> None:
        """One pass: driver operands, node labels, status."""
        namespace = running(self.cache, "nvidia-network-operator")
        if namespace is None:
            return
        for policy in self.cache.list(NIC_CLUSTER_POLICIES):
            if policy["metadata"]["name"] == COUNTS:
                self._serve(policy, namespace)
            else:
                self.set_status(NIC_CLUSTER_POLICIES, policy, {"state": "ignore", "reason": f"only {COUNTS} counts"})
        wrong = self._overlap() or self._twice()
        for policy in self.cache.list(NIC_NODE_POLICIES):
            if wrong:
                self.set_status(NIC_NODE_POLICIES, policy, {"state": "error", "reason": wrong})
            else:
                self._serve_pool(policy, namespace)

    def _with_nics(self, selector: Mapping[str, str]) -> list[Object]:
        wanted = {MELLANOX_LABEL: "true", **selector}.items()
        return [n for n in self.cache.list(NODES) if wanted <= n["metadata"].get("labels", {}).items()]

    def _overlap(self) -> str:
        """Nodes that two policies of pools select: then none of them is served."""
        selecting: dict[str, list[str]] = {}
        for policy in self.cache.list(NIC_NODE_POLICIES):
            selector = (policy["spec"].get("nodeSelector") or {}).items()
            for node in self.cache.list(NODES):
                if selector <= node["metadata"].get("labels", {}).items():
                    selecting.setdefault(node["metadata"]["name"], []).append(policy["metadata"]["name"])
        found = [
            f'node "{node}" is selected by policies: [{", ".join(sorted(names))}]'
            for node, names in sorted(selecting.items()) if len(names) > 1
        ]  # fmt: skip
        return f"node selector overlap detected: {'; '.join(found)}" if found else ""

    def _twice(self) -> str:
        """The driver in both kinds."""
        policy = self.cache.get(NIC_CLUSTER_POLICIES, COUNTS)
        if policy is None or not policy["spec"].get("ofedDriver"):
            return ""
        return "NicClusterPolicy already defines ofedDriver; a NicNodePolicy cannot also define it"

    def _serve_pool(self, policy: Object, namespace: str) -> None:
        nodes = self._with_nics(policy["spec"].get("nodeSelector") or {})
        states = [self._drive(policy, "NicNodePolicy", namespace, nodes)] if policy["spec"].get("ofedDriver") else []
        self._report(NIC_NODE_POLICIES, policy, nodes, states)

    def _serve(self, policy: Object, namespace: str) -> None:
        spec = policy["spec"]
        nodes = self._with_nics({})
        states = []
        if spec.get("ofedDriver"):
            states.append(self._drive(policy, "NicClusterPolicy", namespace, nodes))
        else:
            if self.cache.get(DAEMON_SETS, _daemons(policy, "NicClusterPolicy"), namespace) is not None:
                self.api.delete(DAEMON_SETS.path(namespace, _daemons(policy, "NicClusterPolicy")))
            self._driven_by_nobody(nodes, namespace)
        if spec.get("nicConfigurationOperator"):
            daemons = (self.cache.get(DAEMON_SETS, "nic-configuration-daemon", namespace) or {}).get("status", {})
            whole = daemons.get("desiredNumberScheduled", 0) == daemons.get("numberReady", -1)
            states.append({"name": "state-nic-configuration-operator", "state": "ready" if whole else "notReady"})
        if spec.get("nvIpam"):
            states.append(ipam_state(self.cache, namespace))
        self._report(NIC_CLUSTER_POLICIES, policy, nodes, states)

    def _report(self, kind: Kind, policy: Object, nodes: list[Object], states: list[dict[str, str]]) -> None:
        ready = bool(nodes) and all(row["state"] == "ready" for row in states)
        reason = "" if nodes else f"no node carries {MELLANOX_LABEL}"
        self.set_status(kind, policy, {
            "state": "ready" if ready else "notReady", "reason": reason, "appliedStates": states,
        })  # fmt: skip

    def _drive(self, policy: Object, kind: str, namespace: str, nodes: list[Object]) -> dict[str, str]:
        """The driver's DaemonSet of a policy, and the label of the nodes that it is for."""
        spec, name = policy["spec"], _daemons(policy, kind)
        image = driver_image.image(spec["ofedDriver"])
        owner = kind if kind == "NicClusterPolicy" else f"nnp-{policy['metadata']['name']}"
        ensure_daemon_set(
            self, namespace, name, image,
            owner=self.own(policy, "mellanox.com/v1alpha1", kind),
            selector={MELLANOX_LABEL: "true", **(spec.get("nodeSelector") or {})},
            tolerations=[*(spec.get("tolerations") or []), GPU_TAINT],
            marks={driver_image.LABEL: "", driver_image.OWNER: owner},
            on_delete=True, published=driver_image.published(image),
        )  # fmt: skip
        up = works_on(self.cache, namespace, name)
        for node in nodes:
            ready = node["metadata"]["name"] in up and self._loaded(node, namespace, name)
            self.patch(NODES, node, {"metadata": {"labels": {MOFED_WAIT: "false" if ready else "true"}}})
        names = {n["metadata"]["name"] for n in nodes}
        done = names <= up and all(current(self.cache, namespace, name, each) for each in names)
        return {"name": "state-OFED", "state": "ready" if done and nodes else "notReady"}

    def _driven_by_nobody(self, nodes: list[Object], namespace: str) -> None:
        """Nodes that no pool's policy selects wait for no driver, but for pods of one that are left to go."""
        policies = [each for each in self.cache.list(NIC_NODE_POLICIES) if each["spec"].get("ofedDriver")]
        selectors = [(each["spec"].get("nodeSelector") or {}).items() for each in policies]
        left = {
            pod["spec"].get("nodeName") for pod in self.cache.list(PODS, namespace)
            if pod["metadata"].get("labels", {}).get("app", "").startswith("mofed-rhcos")
        }  # fmt: skip
        for node in nodes:
            meta = node["metadata"]
            if not any(selector <= meta.get("labels", {}).items() for selector in selectors):
                wait = "true" if meta["name"] in left else "false"
                self.patch(NODES, node, {"metadata": {"labels": {MOFED_WAIT: wait}}})

    def _loaded(self, node: Object, namespace: str, daemons: str) -> bool:
        """A driver container that starts unloads the driver and loads its own: the NICs begin anew. That takes longer
        than whoever waits for it stays on the node."""
        name, boot = node["metadata"]["name"], node["status"]["nodeInfo"]["bootID"]
        server = self.around.server_of(name)
        pods = [
            pod for pod in self.cache.list(PODS, namespace)
            if pod["metadata"].get("labels", {}).get("app") == daemons and pod["spec"].get("nodeName") == name
            and pod_ready(pod)
        ]  # fmt: skip
        if server is None or not pods:
            return bool(pods)
        host, run = self.around.host_memory(name), f"{pods[0]['metadata']['uid']}/{boot}"
        host.boot(boot)
        if host.driver == run:
            return True
        if driver_image.waiting(self.cache, name, MOFED_WAIT):
            return False
        host.driver, host.functions = run, {}
        with self.world.lock:
            for nic in server.nics.values():
                if vendor(nic) == MELLANOX:
                    nic.load_driver()
        return True


def _daemons(policy: Object, kind: str) -> str:
    """DaemonSet of a policy's driver; that of a pool has the policy's name in its own."""
    return "mofed-rhcos-ds" if kind == "NicClusterPolicy" else f"mofed-rhcos-{policy['metadata']['name']}-ds"
