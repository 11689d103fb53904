"""Multus and the SR-IOV CNI: a pod's extra networks are attached before it starts, or it does not start.

kwok starts a pod with a networks annotation only when network-status says what was attached (stages.yaml); this
controller writes it, as Multus does, or posts the sandbox event a person sees when something is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift import interfaces
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.ipam import plugin
from podwright.lab.openshift.kinds import CIDR_POOLS, IP_POOLS, NETWORK_ATTACHMENTS, NODES, PODS
from podwright.lab.openshift.networks import RESOURCE
from podwright.lab.openshift.sriov.functions import PREFIX, function_address

WANTED, STATUS = "k8s.v1.cni.cncf.io/networks", "k8s.v1.cni.cncf.io/network-status"
DEFAULT_MAC = "0a:58:0a:80:00:01"


class AttachError(RuntimeError):
    """Why a pod's sandbox cannot be made; the message is the event's."""


@dataclass(frozen=True)
class Function:
    """A virtual function that kubelet could hand to a container."""

    nic: str
    pci: str
    rdma: str
    resource: str


class Multus(Controller):
    """Attaches networks to pods that were placed on a living node."""

    watches = (PODS, NETWORK_ATTACHMENTS, NODES, CIDR_POOLS, IP_POOLS)

    def reconcile(self) -> None:
        """One pass over pods that ask for networks and have none yet."""
        self.each(PODS, self._serve)

    def _serve(self, pod: Object) -> None:
        notes = pod["metadata"].get("annotations", {})
        waiting = pod["spec"].get("nodeName") and pod.get("status", {}).get("phase") == "Pending"
        if not notes.get(WANTED) or notes.get(STATUS) or not waiting or "deletionTimestamp" in pod["metadata"]:
            return
        node = self.cache.get(NODES, pod["spec"]["nodeName"])
        if node is None or not node_ready(node):
            return
        try:
            rows = self._attach(pod, notes[WANTED])
        except AttachError as problem:
            message = f"Failed to create pod sandbox: error adding pod to CNI network: {problem}"
            self.event(pod, "Pod", "FailedCreatePodSandBox", message)
            return
        fresh = self.api.merge(PODS.path(pod["metadata"]["namespace"], pod["metadata"]["name"]), {
            "metadata": {"annotations": {STATUS: json.dumps(rows, indent=4)}},
        })  # fmt: skip
        self.cache.replace(PODS, fresh)

    def _attach(self, pod: Object, wanted: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"name": "ovn-kubernetes", "interface": "eth0", "default": True, "mac": DEFAULT_MAC}
        ]
        node = pod["spec"]["nodeName"]
        free = list(self._free(node))
        asked = requests(pod)
        for namespace, name, interface in references(wanted, pod["metadata"]["namespace"]):
            definition = self.cache.get(NETWORK_ATTACHMENTS, name, namespace)
            if definition is None:
                raise AttachError(f"cannot find a network-attachment-definition ({name}) in namespace ({namespace})")
            row: dict[str, Any] = {"name": f"{namespace}/{name}", "interface": interface, "dns": {}}
            resource = definition["metadata"].get("annotations", {}).get(RESOURCE, "")
            if resource:
                if asked.get(resource, 0) < 1:
                    raise AttachError(
                        "SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required: "
                        f"the pod requests no {resource}"
                    )
                asked[resource] -= 1
                function = next((f for f in free if PREFIX + f.resource == resource), None)
                if function is None:
                    raise AttachError(f"no free virtual function of {resource} on this node")
                free.remove(function)
                self._exclusive(definition, node)
                row["device-info"] = {
                    "type": "pci", "version": "1.1.0",
                    "pci": {"pci-address": function.pci, "rdma-device": function.rdma},
                }  # fmt: skip
            address = self._address(definition, node, {ip for other in rows for ip in other.get("ips", [])})
            if address:
                row["ips"] = [address]
            rows.append(row)
        return rows

    def _exclusive(self, definition: Object, node: str) -> None:
        """The rdma plugin moves a device into the pod, which the kernel allows in exclusive mode only."""
        plugins = json.loads(definition["spec"].get("config") or "{}").get("plugins", [])
        mode = self.around.host_memory(node).rdma_mode
        if any(plugin.get("type") == "rdma" for plugin in plugins) and mode != "exclusive":
            raise AttachError(
                f"RDMA subsystem namespace awareness mode is set to {mode}, "
                "expecting it to be set to exclusive, invalid system configurations"
            )

    def _free(self, node: str) -> Iterator[Function]:
        """Functions of the node that no living pod holds."""
        used = set()
        for pod in self.cache.list(PODS):
            if pod["spec"].get("nodeName") == node and pod.get("status", {}).get("phase") not in (
                "Succeeded",
                "Failed",
            ):
                used |= {row["pci"]["pci-address"] for row in device_infos(pod)}
        server, made = self.around.server_of(node), self.around.host_memory(node).functions
        if server is None:
            return
        counts = {name: functions.count for name, functions in made.items()}
        names = interfaces.virtual(server, self.world.variants["nic-names"], counts)
        for name, functions in made.items():
            nic = server.nics[name]
            for index in range(functions.count):
                pci = function_address(nic, index)
                if pci not in used:
                    rdma = names[name, index].rdma if functions.rdma else ""
                    yield Function(name, pci, rdma, functions.resource)

    def _address(self, definition: Object, node: str, beside: set[str]) -> str | None:
        """What the network's IPAM gives: no address that a living pod has already."""
        taken = {
            (ip, pod["spec"]["nodeName"])
            for pod in self.cache.list(PODS)
            if _holds(pod)
            for row in statuses(pod)
            for ip in row.get("ips", [])
        }
        try:
            return plugin.address(self.cache, definition, node, taken | {(ip, node) for ip in beside})
        except plugin.NoAddressError as problem:
            raise AttachError(str(problem)) from problem


def _holds(pod: Object) -> bool:
    return pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")


def references(wanted: str, namespace: str) -> list[tuple[str, str, str]]:
    """(namespace, name, interface) of each network that an annotation names, in either of its two notations."""
    if wanted.lstrip().startswith("["):
        rows = enumerate(json.loads(wanted), 1)
        return [(r.get("namespace") or namespace, r["name"], r.get("interface") or f"net{n}") for n, r in rows]
    found = []
    for number, part in enumerate(wanted.split(","), 1):
        reference, _, interface = part.strip().partition("@")
        place, _, name = reference.rpartition("/")
        if name:
            found.append((place or namespace, name, interface or f"net{number}"))
    return found


def requests(pod: Object) -> dict[str, int]:
    """Extended resources that the pod's containers ask for."""
    found: dict[str, int] = {}
    for container in pod["spec"]["containers"]:
        resources = container.get("resources") or {}
        for key, amount in {**(resources.get("limits") or {}), **(resources.get("requests") or {})}.items():
            if "/" in key:
                found[key] = found.get(key, 0) + int(amount)
    return found


def statuses(pod: Object) -> list[dict[str, Any]]:
    """The rows that Multus wrote into the pod."""
    text = pod["metadata"].get("annotations", {}).get(STATUS)
    rows: list[dict[str, Any]] = json.loads(text) if text else []
    return rows


def device_infos(pod: Object) -> list[dict[str, Any]]:
    """PCI devices of the pod's attached networks."""
    return [row["device-info"] for row in statuses(pod) if "device-info" in row]
