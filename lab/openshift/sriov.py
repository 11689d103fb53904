"""The SR-IOV Network Operator: node policies become virtual functions and resources on nodes that have the NIC.

After k8snetworkplumbingwg/sriov-network-operator: policies count only in the operator's namespace and only with an
SriovOperatorConfig named `default`; lower priority numbers win; a NIC that already has VFs is changed under drain.
"""

from __future__ import annotations

from lab.openshift import drain
from lab.openshift.api import Object
from lab.openshift.catalog import running
from lab.openshift.controller import Controller, Surroundings
from lab.openshift.daemons import ensure_daemon_set, node_ready, works_on
from lab.openshift.functions import PREFIX, Functions, selects, uses_functions, virtual_functions
from lab.openshift.hardware import TOTAL_VFS, vendor
from lab.openshift.kinds import (
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NODES,
    PODS,
    SRIOV_NODE_POLICIES,
    SRIOV_NODE_STATES,
    SRIOV_OPERATOR_CONFIGS,
    SRIOV_POOL_CONFIGS,
)
from lab.openshift.selectors import has_all, matches
from lab.world.model import Server

API = "sriovnetwork.openshift.io/v1"
DAEMON = "sriov-network-config-daemon"
NAMESPACE = "openshift-sriov-network-operator"
STATE = "sriovnetwork.openshift.io/state"
LOWEST = 99


class Sriov(Controller):
    """One pass: operand, node states, then at most one node at a time that needs a drain."""

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
    )

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.applied: dict[str, dict[str, Functions]] = {}
        self.rdma_mode: dict[str, str] = {}
        """Namespace mode of the node's RDMA subsystem; `shared` is the kernel's default."""
        self._reboots: dict[str, str] = {}
        self._draining: str | None = None

    def reconcile(self) -> None:
        """One pass over nodes."""
        namespace = running(self.cache, "sriov-network-operator")
        config = self.cache.get(SRIOV_OPERATOR_CONFIGS, "default", namespace) if namespace else None
        if namespace is not None and config is not None:
            selector = config["spec"].get("configDaemonNodeSelector") or {"node-role.kubernetes.io/worker": ""}
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
            if node["metadata"]["name"] in alive:
                if namespace is not None and config is not None:
                    self._wish(node, server, home)
                self._configure(node, server, home, bool((config or {}).get("spec", {}).get("disableDrain")))
                self._offer(node, self.applied.get(node["metadata"]["name"], {}))
            else:
                self._offer(node, {})

    # --- the operator: what should be ---------------------------------------------------------------------------

    def _wish(self, node: Object, server: Server, namespace: str) -> None:
        name = node["metadata"]["name"]
        interfaces = []
        for nic, wanted in self._wanted(node, server, namespace).items():
            pf = server.nics[nic]
            group = {
                "policyName": wanted.policy, "resourceName": wanted.resource, "vfRange": f"0-{wanted.count - 1}",
                "deviceType": wanted.device_type, "isRdma": wanted.rdma, "mtu": wanted.mtu,
            }  # fmt: skip
            interfaces.append({
                "name": pf.netdev, "pciAddress": pf.pci, "numVfs": wanted.count, "mtu": wanted.mtu, "vfGroups": [group],
            })  # fmt: skip
        found = self.cache.get(SRIOV_NODE_STATES, name, namespace)
        if found is None:
            self.api.ensure(SRIOV_NODE_STATES.path(namespace), {
                "apiVersion": API, "kind": "SriovNetworkNodeState", "metadata": {"name": name, "namespace": namespace},
                "spec": {"interfaces": interfaces},
            })  # fmt: skip
        elif found.get("spec", {}).get("interfaces", []) != interfaces:
            self.patch(SRIOV_NODE_STATES, found, {"spec": {"interfaces": interfaces}})

    def _wanted(self, node: Object, server: Server, namespace: str) -> dict[str, Functions]:
        """Functions per NIC of this node, the policy with the lowest priority number first."""
        policies = sorted(
            self.cache.list(SRIOV_NODE_POLICIES, namespace),
            key=lambda p: (p["spec"].get("priority", LOWEST), p["metadata"]["name"]),
        )
        found: dict[str, Functions] = {}
        for policy in policies:
            spec = policy["spec"]
            if not has_all(spec["nodeSelector"], node["metadata"].get("labels", {})):
                continue
            for name, nic in server.nics.items():
                if name not in found and nic.pci and selects(spec["nicSelector"], nic):
                    found[name] = Functions(
                        policy["metadata"]["name"], spec["resourceName"], int(spec["numVfs"]),
                        int(spec.get("mtu") or 1500), bool(spec.get("isRdma")), spec.get("deviceType") or "netdevice",
                    )  # fmt: skip
        return found

    # --- the daemon on the node: what is ------------------------------------------------------------------------

    def _configure(self, node: Object, server: Server, namespace: str, quiet: bool) -> None:
        name = node["metadata"]["name"]
        state = self.cache.get(SRIOV_NODE_STATES, name, namespace)
        if state is None:
            return
        wanted = self._from_state(state, server)
        have = self.applied.setdefault(name, {})
        if not self._mode_settled(node, server, namespace):
            self._status(state, server, have, "InProgress", "")
            return
        if wanted != have:
            over = [nic for nic, functions in wanted.items() if functions.count > TOTAL_VFS]
            if over:
                self._status(
                    state,
                    server,
                    have,
                    "Failed",
                    f"{over[0]}: numVfs {wanted[over[0]].count} exceeds totalvfs {TOTAL_VFS}",
                )
                return
            if (
                not quiet
                and any(wanted.get(nic) != functions for nic, functions in have.items())
                and not self._drained(node)
            ):
                self._status(state, server, have, "InProgress", "")
                return
            self._apply(server, have, wanted)
        if self._draining == name:
            drain.cordon(self.api, node, off=True)
            self._draining = None
        self._status(state, server, have, "Succeeded", "")

    def _mode_settled(self, node: Object, server: Server, namespace: str) -> bool:
        """True when the RDMA mode is what a pool config asks for; a change takes a drain and a reboot."""
        name, labels = node["metadata"]["name"], node["metadata"].get("labels", {})
        pools = [
            p for p in self.cache.list(SRIOV_POOL_CONFIGS, namespace) if matches(p["spec"].get("nodeSelector"), labels)
        ]
        wanted = next((p["spec"]["rdmaMode"] for p in pools if p["spec"].get("rdmaMode")), None)
        if wanted in (None, self.rdma_mode.get(name, "shared")):
            return True
        boot = node["status"]["nodeInfo"]["bootID"]
        if name in self._reboots:
            if self._reboots[name] == boot:
                return False
            del self._reboots[name]
            self.rdma_mode[name] = str(wanted)
            return True
        if self._drained(node, everything=True):
            self._reboots[name] = boot
            self.world.power(server.name, "ForceRestart")
        return False

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

    def _apply(self, server: Server, have: dict[str, Functions], wanted: dict[str, Functions]) -> None:
        have.clear()
        have.update(wanted)
        with self.world.lock:
            for nic, functions in wanted.items():
                server.nics[nic].mtu = functions.mtu

    def _drained(self, node: Object, everything: bool = False) -> bool:
        """Cordon, and move pods that hold functions, or all; one node at a time."""
        name = node["metadata"]["name"]
        if self._draining not in (None, name):
            return False
        self._draining = name
        drain.cordon(self.api, node)
        holders = [pod for pod in drain.evictable(self.cache, name) if everything or uses_functions(pod)]
        if holders:
            drain.evict_some(self.api, holders)
            self._bell.set()
        return not holders

    def _status(self, state: Object, server: Server, have: dict[str, Functions], sync: str, error: str) -> None:
        rows = []
        for name, nic in server.nics.items():
            if not nic.pci:
                continue
            functions = have.get(name)
            rows.append({
                "name": nic.netdev, "pciAddress": nic.pci, "vendor": vendor(nic), "deviceID": nic.device,
                "driver": "mlx5_core" if vendor(nic) == "15b3" else "ice", "mtu": nic.mtu, "mac": nic.mac,
                "linkSpeed": f"{nic.gbps * 1000} Mb/s", "linkType": "ETH", "totalvfs": TOTAL_VFS,
                "linkAdminState": "up", "numVfs": functions.count if functions else 0,
                **({"Vfs": virtual_functions(nic, functions)} if functions else {}),
            })  # fmt: skip
        self.set_status(
            SRIOV_NODE_STATES, state, {"interfaces": rows, "syncStatus": sync, "lastSyncError": error or None}
        )
        self.patch(
            SRIOV_NODE_STATES,
            state,
            {
                "metadata": {
                    "annotations": {
                        "sriovnetwork.openshift.io/current-state": "Idle" if sync == "Succeeded" else "Draining"
                    }
                }
            },
        )

    def _offer(self, node: Object, have: dict[str, Functions]) -> None:
        """The device plugin's resources; one that is gone stays at zero, as kubelet keeps it."""
        known = node["status"].get("capacity", {})
        found: dict[str, int] = {key.removeprefix(PREFIX): 0 for key in known if key.startswith(PREFIX)}
        for functions in have.values():
            found[functions.resource] = found.get(functions.resource, 0) + functions.count
        amounts = {PREFIX + resource: str(count) for resource, count in found.items()}
        if amounts:
            self.set_status(NODES, node, {"capacity": amounts, "allocatable": amounts})
