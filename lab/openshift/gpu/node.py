"""What the GPU operands do on one node: GFD labels, MIG manager, device plugin."""

from __future__ import annotations

from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.daemons import node_ready, pod_ready, works_on
from podwright.lab.openshift.gpu import driver_image, driver_pod, mig, peer_memory, plugin
from podwright.lab.openshift.gpu.mounted import Mounted
from podwright.lab.openshift.hardware import gpu_model
from podwright.lab.openshift.kinds import CONFIG_MAPS, NODES, PODS
from podwright.lab.world.gpus import GpuState
from podwright.lab.world.model import Server

CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
OSTREE = "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION"
GFD = "gpu-feature-discovery"
KEPT = (CONFIG, STATE, "nvidia.com/gpu.present", "nvidia.com/device-plugin.config", "nvidia.com/gpu.workload.config")


class GpuNode:
    """Operands of one node. MIG geometry lives here, as it lives in the GPUs."""

    def __init__(self, controller: Controller, name: str, server: Server) -> None:
        assert server.gpus is not None
        self._controller = controller
        self.name = name
        self.server = server
        self.count = server.gpus.count
        self.unhealthy = 0
        self._placed: dict[int, dict[str, int]] = {index: {} for index in range(self.count)}
        self._seen: tuple[str, str] | None = None
        self._map = Mounted()
        self._sharing = plugin.Sharing()

    def serve(self, policy: Object | None, namespace: str) -> bool:
        """Let the operands do what they can now. True when everything the policy wants works here."""
        node = self._controller.cache.get(NODES, self.name)
        if node is None or not node_ready(node):
            return False
        cache = self._controller.cache
        here = {
            name for name in (
                "nvidia-container-toolkit-daemonset", "nvidia-device-plugin-daemonset",
                GFD, "nvidia-mig-manager",
            )
            if self.name in works_on(cache, namespace, name)
        }  # fmt: skip
        problem = self._problem(policy, node["metadata"].get("labels", {})) if policy is not None else None
        pod = driver_pod.on(cache, self.name)
        runs = pod is not None and pod_ready(pod)
        driver = policy is not None and problem is None and runs
        if problem and runs:
            self._controller.event(node, "Node", "DriverNotReady", problem)
        if driver and "nvidia-mig-manager" in here and policy is not None:
            self._mig(node, policy, namespace)
        strategy = _strategy(policy)
        configured = policy is None or self._configure(node, policy, namespace)
        self._label(node, driver and GFD in here, strategy)
        offering = driver and {"nvidia-container-toolkit-daemonset", "nvidia-device-plugin-daemonset"} <= here
        served = self._served(node, namespace)
        self._offer(node, self._sharing.listed(mig.resources(self._present(), strategy)) if offering and served else {})
        if self._sharing.one_only:
            self._refuse_more()
        driven = driver_pod.current(cache, self.name)
        return offering and self._peers(node) and configured and served and GFD in here and driven

    def _problem(self, policy: Object, labels: dict[str, str]) -> str | None:
        """Why the containers of the driver's pod here would not come up, or None."""
        model = gpu_model(self.server)
        assert model is not None
        pod = driver_pod.on(self._controller.cache, self.name)
        rdma = (policy["spec"].get("driver") or {}).get("rdma") or {}
        host_mofed = bool(rdma.get("useHostMofed"))
        return driver_problem(policy, labels) or driver_pod.problem(pod, labels, model.compute, host_mofed=host_mofed)

    def _peers(self, node: Object) -> bool:
        """Whether NICs reach GPU memory where the driver's pod has the module for it."""
        form = self._controller.world.variants["peer-memory"]
        host = self._controller.around.host_memory(self.name)
        problem = peer_memory.problem(driver_pod.on(self._controller.cache, self.name), host, node, form)
        if problem:
            self._controller.event(node, "Node", "PeerMemory", problem)
        return problem is None

    # --- sharing ------------------------------------------------------------------------------------------------

    def _configure(self, node: Object, policy: Object, namespace: str) -> bool:
        """Let config-manager choose; what it or the plugin ends with changes nothing that is offered."""
        config = (policy["spec"].get("devicePlugin") or {}).get("config") or {}
        if not config.get("name"):
            self._sharing = plugin.Sharing()
            return True
        found = self._controller.cache.get(CONFIG_MAPS, config["name"], namespace)
        if found is None:
            self._controller.event(node, "Node", "DevicePluginConfig", f"configmap {config['name']} not found")
            return False
        try:
            asked = node["metadata"].get("labels", {}).get(plugin.LABEL, "")
            self._sharing = plugin.parse(plugin.chosen(found.get("data", {}), asked, config.get("default", "")))
        except plugin.PluginError as problem:
            self._controller.event(node, "Node", "DevicePluginConfig", str(problem))
            return False
        return True

    def _served(self, node: Object, namespace: str) -> bool:
        """With MPS the plugin waits until the node's control daemon is there and healthy."""
        if self._sharing.strategy != "mps":
            return True
        if problem := plugin.mps_problem(self._sharing, any(self._placed.values())):
            self._controller.event(node, "Node", "MpsControlDaemon", problem)
            return False
        return self.name in works_on(self._controller.cache, namespace, plugin.MPS_DAEMON)

    def _refuse_more(self) -> None:
        """Pods that ask for two shares: kubelet ends them with the plugin's word (rm.go, ValidateRequest)."""
        shared = {self._sharing.name(name) for name in self._sharing.replicas}
        for pod in self._controller.cache.list(PODS):
            if pod["spec"].get("nodeName") != self.name or pod.get("status", {}).get("phase") == "Failed":
                continue
            for container in pod["spec"]["containers"]:
                limits = (container.get("resources") or {}).get("limits") or {}
                most = max((int(limits[name]) for name in shared & limits.keys()), default=0)
                if most > 1:
                    message = f"Allocate failed: maximum request size for shared resources is 1; found {most}"
                    status = {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": message}
                    self._controller.set_status(PODS, pod, status)
                    break

    # --- GPU feature discovery ----------------------------------------------------------------------------------

    def _label(self, node: Object, discovering: bool, strategy: str) -> None:
        """GFD writes a file, NFD's worker publishes it: without a worker nothing is added or removed."""
        workers = [
            p for p in self._controller.cache.list(PODS) if p["metadata"].get("labels", {}).get("app") == "nfd-worker"
        ]
        if not any(
            self.name in works_on(self._controller.cache, p["metadata"]["namespace"], "nfd-worker") for p in workers[:1]
        ):
            return
        labels = node["metadata"].get("labels", {})
        wanted: dict[str, str | None] = dict(self._facts(strategy)) if discovering else {}
        for key in labels:
            ours = key.startswith(("nvidia.com/gpu.", "nvidia.com/mig", "nvidia.com/mps", "nvidia.com/cuda"))
            if ours and key not in wanted and key not in KEPT and not key.startswith("nvidia.com/gpu.deploy."):
                wanted[key] = None
        self._controller.patch(NODES, node, {"metadata": {"labels": wanted}})

    def _facts(self, strategy: str) -> dict[str, str]:
        model = gpu_model(self.server)
        assert model is not None
        assert self.server.gpus is not None
        product, memory, count = self.server.gpus.product, model.memory, self.count
        profiles = {profile for devices in self._placed.values() for profile in devices}
        if strategy == "single" and len(profiles) == 1:
            profile = profiles.pop()
            product = f"{product}-MIG-{profile}"
            count = mig.resources(self._placed, "single").get("nvidia.com/gpu", 0)
        found = {
            "gpu.count": str(count), "gpu.memory": str(memory), "gpu.family": model.family,
            "gpu.compute.major": str(model.compute[0]), "gpu.compute.minor": str(model.compute[1]),
            "gpu.machine": self.server.model, "gpu.mode": "compute",
            "mig.capable": "true" if model.profiles else "false", "mig.strategy": strategy,
            **driver_image.labels(self._controller.cache, self.name),
        }  # fmt: skip
        if strategy == "mixed":
            for name, number in mig.resources(self._placed, "mixed").items():
                if name.startswith("nvidia.com/mig-"):
                    found[f"{name.removeprefix('nvidia.com/')}.count"] = str(number)
        labelled = {f"nvidia.com/{key}": value for key, value in found.items()}
        labelled |= plugin.labels(self._sharing, "nvidia.com/gpu", product)
        for profile in profiles if strategy == "mixed" else ():
            name = f"nvidia.com/mig-{profile.replace('+', '.')}"
            labelled |= plugin.labels(self._sharing, name, f"{product}-MIG-{profile.replace('+', '.')}")
        mps = self._sharing.strategy == "mps" and not any(self._placed.values())
        return {**labelled, "nvidia.com/mps.capable": "true" if mps else "false"}

    # --- MIG manager --------------------------------------------------------------------------------------------

    def _mig(self, node: Object, policy: Object, namespace: str) -> None:
        wanted = node["metadata"].get("labels", {}).get(CONFIG)
        if not wanted:
            return
        manager = self._manager(namespace)
        map_name = ((policy["spec"].get("migManager") or {}).get("config") or {}).get("name") or ""
        own = map_name not in ("", mig.DEFAULT_MAP)
        live = self._controller.cache.get(CONFIG_MAPS, map_name, namespace) if own else None
        if own and live is None:
            self._controller.event(node, "Node", "FailedMount", f'configmap "{map_name}" not found')
            return
        text = self._map.text(((live or {}).get("data") or {}).get("config.yaml", ""), manager)
        if (wanted, manager) == self._seen:
            return
        model = gpu_model(self.server)
        assert model is not None
        try:
            self._state(self._apply(mig.parse(text) if own else mig.built_in(model), wanted))
        except mig.LayoutError as problem:
            self._controller.event(node, "Node", "MigConfigFailed", str(problem))
            self._state("failed")
        # Only now: where the API server did not answer, the next pass goes on with it.
        self._seen = (wanted, manager)

    def _manager(self, namespace: str) -> str:
        """The MIG manager that runs here now: a new one reads the label anew."""
        pods = self._controller.cache.list(PODS, namespace)
        return "".join(
            sorted(
                pod["metadata"]["uid"]
                for pod in pods
                if pod["metadata"].get("labels", {}).get("app") == "nvidia-mig-manager"
                and pod["spec"].get("nodeName") == self.name
                and pod_ready(pod)
            )
        )

    def _apply(self, layouts: dict[str, Any], wanted: str) -> str:
        """In mig-parted's order (pkg/mig/reconfigure): is it known, is it there already; pending; are GPUs unused."""
        model = gpu_model(self.server)
        assert model is not None
        if wanted not in layouts:
            raise mig.LayoutError(f"selected mig-config not present: {wanted}")
        choice = self._controller.around.world.variants["mig-places"]
        placed = mig.instances(layouts[wanted], model, self.count, choice)
        placed = {index: placed.get(index, self._placed[index]) for index in range(self.count)}
        if placed != self._placed:
            self._state("pending")
            clients = self._clients()
            if clients:
                raise mig.LayoutError(f"GPUs are in use by {clients[0]}")
            self._placed = self._controller.world.gpu_instances[self.server.name] = placed
        return "success"

    def _clients(self) -> list[str]:
        """Pods of people that hold GPU devices of this node."""
        found = []
        for pod in self._controller.cache.list(PODS):
            asks = [
                name for c in pod["spec"]["containers"] for name in (c.get("resources") or {}).get("limits") or {}
                if name.startswith("nvidia.com/")
            ]  # fmt: skip
            phase = pod.get("status", {}).get("phase")
            if asks and pod["spec"].get("nodeName") == self.name and phase not in ("Succeeded", "Failed"):
                found.append(f"{pod['metadata']['namespace']}/{pod['metadata']['name']}")
        return found

    def _state(self, state: str) -> None:
        self._controller.api.merge(NODES.path(None, self.name), {"metadata": {"labels": {STATE: state}}})

    # --- device plugin ------------------------------------------------------------------------------------------

    def _present(self) -> dict[int, dict[str, int]]:
        """What the plugin lists is what NVML finds: no GPU that fell off the bus, no instance that was destroyed."""
        state = self._controller.world.gpu_states.get(self.server.name, GpuState())
        found: dict[int, dict[str, int]] = {}
        for index, profiles in self._placed.items():
            gone = state.destroyed.get(index, "")
            left = {name: number - (name == gone) for name, number in profiles.items()}
            # A GPU with MIG on and no instance is neither whole nor divided.
            if index not in state.missing and (not profiles or any(left.values())):
                found[index] = {name: number for name, number in left.items() if number}
        return found

    def _offer(self, node: Object, found: dict[str, int]) -> None:
        """Kubelet's view: what the plugin lists; a resource that a plugin gave up stays, at zero."""
        capacity = {key: "0" for key in node["status"].get("capacity", {}) if key.startswith("nvidia.com/")}
        capacity |= {key: str(number) for key, number in found.items()}
        free = dict(capacity)
        if self.unhealthy and int(free.get("nvidia.com/gpu", "0")):
            free["nvidia.com/gpu"] = str(max(0, int(free["nvidia.com/gpu"]) - self.unhealthy))
        if capacity:
            self._controller.set_status(NODES, node, {"capacity": capacity, "allocatable": free})


def _strategy(policy: Object | None) -> str:
    return str(((policy or {}).get("spec", {}).get("mig") or {}).get("strategy") or "single")


def driver_problem(policy: Object, labels: dict[str, str]) -> str | None:
    """Why the driver's containers would not come up on a node although their pod is placed, or None."""
    spec = policy["spec"]
    if not (spec.get("driver") or {}).get("enabled", True):
        return "RHCOS carries no NVIDIA driver, and driver.enabled is false"
    if not spec["operator"].get("use_ocp_driver_toolkit", False):
        return "no entitled build: operator.use_ocp_driver_toolkit is not true"
    if OSTREE not in labels:
        return f"the driver toolkit image cannot be chosen without label {OSTREE}"
    return None
