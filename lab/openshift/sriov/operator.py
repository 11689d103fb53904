"""The SR-IOV Network Operator: node policies become virtual functions and resources on nodes that have the NIC.

After k8snetworkplumbingwg/sriov-network-operator: policies count only in the operator's namespace and only with an
SriovOperatorConfig named `default`; lower priority numbers win; a NIC that already has VFs is changed under drain,
which the daemon asks of the operator (lab/openshift/sriov/drain.py).
"""

from __future__ import annotations

from podwright.lab.openshift import interfaces
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import ensure_daemon_set, node_ready, works_on
from podwright.lab.openshift.hardware import MELLANOX, TOTAL_VFS, vendor
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.kinds import (
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    MACHINE_CONFIG_POOLS,
    MACHINE_CONFIGS,
    NODES,
    PODS,
    SRIOV_NODE_POLICIES,
    SRIOV_NODE_STATES,
    SRIOV_OPERATOR_CONFIGS,
    SRIOV_POOL_CONFIGS,
)
from podwright.lab.openshift.selectors import has_all
from podwright.lab.openshift.sriov import drain
from podwright.lab.openshift.sriov.drain import COMPLETE, CURRENT, DRAIN, IDLE, REBOOT, REQUEST, WANTED, notes
from podwright.lab.openshift.sriov.functions import PREFIX, Functions, selects, virtual_functions
from podwright.lab.world.model import Nic, Server

API = "sriovnetwork.openshift.io/v1"
DAEMON = "sriov-network-config-daemon"
NAMESPACE = "openshift-sriov-network-operator"
WORKERS = {"node-role.kubernetes.io/worker": ""}
LOWEST = 99


class Sriov(Controller):
    """One pass: operand, node states, then what the operator and each node's daemon do about them."""

    watches = (
        CSVS,
        DEPLOYMENTS,
        SRIOV_OPERATOR_CONFIGS,
        SRIOV_NODE_POLICIES,
        SRIOV_NODE_STATES,
        SRIOV_POOL_CONFIGS,
        NODES,
        PODS,
        DAEMON_SETS,
        MACHINE_CONFIG_POOLS,
        MACHINE_CONFIGS,
    )

    def reconcile(self) -> None:
        """One pass over nodes."""
        namespace = running(self.cache, "sriov-network-operator")
        config = self.cache.get(SRIOV_OPERATOR_CONFIGS, "default", namespace) if namespace else None
        selector = ((config or {}).get("spec") or {}).get("configDaemonNodeSelector") or WORKERS
        if namespace is not None and config is not None:
            ensure_daemon_set(
                self, namespace, DAEMON, "registry.redhat.io/openshift4/ose-sriov-network-config-rhel9-daemon",
                owner=self.own(config, API, "SriovOperatorConfig"), selector=selector,
                tolerations=[{"operator": "Exists"}],
            )  # fmt: skip
        home = namespace or NAMESPACE
        alive = works_on(self.cache, home, DAEMON)
        for node in self.cache.list(NODES):
            server = self.around.server_of(node["metadata"]["name"])
            if server is None or not node_ready(node):
                continue
            if namespace is not None and config is not None and has_all(selector, node["metadata"].get("labels", {})):
                self._wish(node, server, home, self.own(config, API, "SriovOperatorConfig"))
            if namespace is not None:
                drain.serve(self, node, home)
            if node["metadata"]["name"] in alive:
                self._configure(node, server, home, bool((config or {}).get("spec", {}).get("disableDrain")))
                self._offer(node, self.around.host_memory(node["metadata"]["name"]).functions)
            else:
                self._offer(node, {})
            if namespace is not None:
                # The operator answers at once; a removal that comes in between is as rare as on a site.
                drain.serve(self, node, home)

    # --- the operator: what should be ---------------------------------------------------------------------------

    def _wish(self, node: Object, server: Server, namespace: str, owner: list[Object]) -> None:
        name = node["metadata"]["name"]
        rows = []
        names = self._names(server)
        for nic, wanted in self._wanted(node, server, namespace).items():
            pf = server.nics[nic]
            group = {
                "policyName": wanted.policy, "resourceName": wanted.resource, "vfRange": f"0-{wanted.count - 1}",
                "deviceType": wanted.device_type, "isRdma": wanted.rdma, "mtu": wanted.mtu,
            }  # fmt: skip
            rows.append({
                "name": names[nic].netdev, "pciAddress": pf.pci, "numVfs": wanted.count, "mtu": wanted.mtu,
                "vfGroups": [group],
            })  # fmt: skip
        config = drain.pool_config(self, node, namespace)
        mode = config["spec"].get("rdmaMode") if config else None
        found = self.cache.get(SRIOV_NODE_STATES, name, namespace)
        if found is None:
            made = self.api.create(SRIOV_NODE_STATES.path(namespace), {
                "apiVersion": API, "kind": "SriovNetworkNodeState",
                "metadata": {"name": name, "namespace": namespace, "ownerReferences": owner},
                "spec": {"interfaces": rows, **({"system": {"rdmaMode": mode}} if mode else {})},
            })  # fmt: skip
            self.cache.put(SRIOV_NODE_STATES, made)
            return
        spec = {"interfaces": rows, "system": {"rdmaMode": mode} if mode else None}
        if found.get("spec", {}).get("interfaces", []) == rows:
            del spec["interfaces"]
        change = {"metadata": {"ownerReferences": owner}, "spec": spec}
        self.cache.replace(SRIOV_NODE_STATES, self.patch(SRIOV_NODE_STATES, found, change))

    def _wanted(self, node: Object, server: Server, namespace: str) -> dict[str, Functions]:
        """Functions per NIC of this node, the policy with the lowest priority number first."""
        policies = sorted(
            self.cache.list(SRIOV_NODE_POLICIES, namespace),
            key=lambda p: (p["spec"].get("priority", LOWEST), p["metadata"]["name"]),
        )
        names = self._names(server)
        found: dict[str, Functions] = {}
        for policy in policies:
            spec = policy["spec"]
            if not has_all(spec["nodeSelector"], node["metadata"].get("labels", {})):
                continue
            for name, nic in server.nics.items():
                if name not in found and nic.pci and selects(spec["nicSelector"], nic, names[name].netdev):
                    found[name] = Functions(
                        policy["metadata"]["name"], spec["resourceName"], int(spec["numVfs"]),
                        int(spec.get("mtu") or 1500), bool(spec.get("isRdma")), spec.get("deviceType") or "netdevice",
                    )  # fmt: skip
        return found

    # --- the daemon on the node: what is ------------------------------------------------------------------------

    def _configure(self, node: Object, server: Server, namespace: str, quiet: bool) -> None:
        """The daemon: applies what needs no drain, asks for one where it does, goes on when the node is empty."""
        name = node["metadata"]["name"]
        state = self.cache.get(SRIOV_NODE_STATES, name, namespace)
        if state is None or not {CURRENT, WANTED} <= notes(state).keys():
            return  # the operator has not taken the node on yet
        host, boot = self.around.host_memory(name), node["status"]["nodeInfo"]["bootID"]
        host.boot(boot)
        wanted = self._from_state(state, server)
        mode = (state.get("spec", {}).get("system") or {}).get("rdmaMode") or host.rdma_mode
        over = [nic for nic, functions in wanted.items() if functions.count > self._total(host, server.nics[nic])]
        if over:
            count, most = wanted[over[0]].count, self._total(host, server.nics[over[0]])
            self._status(state, server, host, "Failed", f"{over[0]}: numVfs {count} exceeds totalvfs {most}")
            return
        reboot = mode != host.rdma_mode
        needed = reboot or any(wanted.get(nic) != functions for nic, functions in host.functions.items())
        if host.rdma_staged or not self._may(node, state, REBOOT if reboot else DRAIN, needed and not quiet):
            self._status(state, server, host, "InProgress", "")
            return
        if reboot:
            host.rdma_staged = (mode, boot)
            self._status(state, server, host, "InProgress", "")
            self.restart(name)
            return
        self._apply(server, host, wanted)
        self._ask(node, state, IDLE)
        self._status(state, server, host, "Succeeded", "")

    def _may(self, node: Object, state: Object, request: str, needed: bool) -> bool:
        """True when the node may be changed now: no drain is needed and none is under way, or it is complete."""
        current = notes(state)[CURRENT]
        if needed and current == IDLE:
            self._ask(node, state, request)
        idle = not needed and current == IDLE and notes(state)[WANTED] == IDLE
        return current == COMPLETE or idle

    def _ask(self, node: Object, state: Object, request: str) -> None:
        self.note(NODES, self.cache.get(NODES, node["metadata"]["name"]) or node, **{REQUEST: request})
        self.note(SRIOV_NODE_STATES, state, **{WANTED: request})

    @staticmethod
    def _from_state(state: Object, server: Server) -> dict[str, Functions]:
        by_pci = {nic.pci: name for name, nic in server.nics.items() if nic.pci}
        found = {}
        for row in state.get("spec", {}).get("interfaces") or []:
            group = (row.get("vfGroups") or [{}])[0]
            if row["pciAddress"] in by_pci and row.get("numVfs"):
                found[by_pci[row["pciAddress"]]] = Functions(
                    group.get("policyName", ""), group.get("resourceName", ""), row["numVfs"], row.get("mtu", 1500),
                    bool(group.get("isRdma")), group.get("deviceType", "netdevice"),
                )  # fmt: skip
        return found

    def _apply(self, server: Server, host: HostMemory, wanted: dict[str, Functions]) -> None:
        if wanted == host.functions:
            return
        host.functions = wanted
        with self.world.lock:
            for nic, functions in wanted.items():
                server.nics[nic].mtu = functions.mtu

    def _total(self, host: HostMemory, nic: Nic) -> int:
        """Functions that a NIC can have: without the plugin `mellanox` nobody but its own firmware settings decide."""
        configs = self.cache.list(SRIOV_OPERATOR_CONFIGS)
        off = any("mellanox" in (each["spec"].get("disablePlugins") or []) for each in configs)
        card = host.cards.get(nic.pci.rpartition(".")[0])
        if not off or vendor(nic) != MELLANOX:
            return TOTAL_VFS
        return int(card.now["NUM_OF_VFS"]) if card is not None else 0

    def _status(self, state: Object, server: Server, host: HostMemory, sync: str, error: str) -> None:
        rows = []
        names = self._names(server)
        counts = {name: functions.count for name, functions in host.functions.items()}
        made = interfaces.virtual(server, self.world.variants["nic-names"], counts)
        for name, nic in server.nics.items():
            if not nic.pci:
                continue
            functions = host.functions.get(name)
            rows.append({
                "name": names[name].netdev, "pciAddress": nic.pci, "vendor": vendor(nic), "deviceID": nic.device,
                "driver": "mlx5_core" if vendor(nic) == "15b3" else "ice", "mtu": nic.mtu, "mac": nic.mac,
                "linkSpeed": f"{nic.gbps * 1000} Mb/s", "linkType": "ETH", "totalvfs": self._total(host, nic),
                "linkAdminState": "up", "numVfs": functions.count if functions else 0,
                **({"Vfs": virtual_functions(nic, functions, made)} if functions else {}),
            })  # fmt: skip
        status = {"interfaces": rows, "syncStatus": sync, "lastSyncError": error or None}
        self.set_status(SRIOV_NODE_STATES, state, {**status, "system": {"rdmaMode": host.rdma_mode}})

    def _names(self, server: Server) -> dict[str, interfaces.Interface]:
        """What the server's system calls its NICs."""
        return interfaces.physical(server, self.world.variants["nic-names"])

    def _offer(self, node: Object, have: dict[str, Functions]) -> None:
        """The device plugin's resources; one that is gone stays at zero, as kubelet keeps it."""
        known = node["status"].get("capacity", {})
        found: dict[str, int] = {key.removeprefix(PREFIX): 0 for key in known if key.startswith(PREFIX)}
        for functions in have.values():
            found[functions.resource] = found.get(functions.resource, 0) + functions.count
        amounts = {PREFIX + resource: str(count) for resource, count in found.items()}
        if amounts:
            self.set_status(NODES, node, {"capacity": amounts, "allocatable": amounts})
