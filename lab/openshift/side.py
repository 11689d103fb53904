"""The OpenShift side of the lab: nothing answers until hosts have booted an install image; then a cluster does."""

from __future__ import annotations

import base64
import json
import logging
import re
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.lab.openshift import fresh, pulls, training, volumes
from podwright.lab.openshift.api import Api
from podwright.lab.openshift.binaries import IMPORTED_FROM, crd_folder, programs
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.cluster import Cluster
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.controlplane import INSIDE_GROUPS, INSIDE_USERS, ControlPlane, Identity
from podwright.lab.openshift.crds import AT_INSTALL, CrdLibrary
from podwright.lab.openshift.gateway.operator import Gateways
from podwright.lab.openshift.gpu.operator import Gpu
from podwright.lab.openshift.ingress.router import Router
from podwright.lab.openshift.install.command import REACH_VARIABLE, REGISTRY_VARIABLE, RELEASE, RELEASE_VARIABLE
from podwright.lab.openshift.install.hosts import Installation
from podwright.lab.openshift.names import Addresses
from podwright.lab.openshift.nics import nvconfig
from podwright.lab.openshift.nmstate.host import without_base
from podwright.lab.openshift.nmstate.ports import bonds, settled
from podwright.lab.openshift.ovn import OvnKubernetes
from podwright.lab.openshift.ports import ReservedPort
from podwright.lab.openshift.registry import controllers
from podwright.lab.openshift.serving.pods import Serving
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World, WorldError

log = logging.getLogger("lab.openshift")
RESTART_SECONDS = 120.0
WRAPPER = """\
#!/bin/sh
# The lab's stand-in for this program.
export {variable}={reach} {release_variable}={release} {registry_variable}={registry} PYTHONPATH={packages}
exec {python} -m {module} "$@"
"""
TOOLS = {"openshift-install": "podwright.lab.openshift.install.command", "oc": "podwright.lab.openshift.install.oc"}


class OpenShiftSide:
    """Implements `lab.sides.Side`. The API's port is ours from the start and refuses until a cluster is up."""

    def __init__(self, world: World, lab: LabContext) -> None:
        self._world = world
        self._lab = lab
        self._dir = lab.dir / "openshift"
        shutil.rmtree(self._dir, ignore_errors=True)
        self._dir.mkdir(parents=True)
        self._port = ReservedPort()
        self._programs = programs()
        self._crds = CrdLibrary(crd_folder())
        self._site = Addresses(world.cluster)
        self.forward = {**self._site.forward, **self._addresses()}
        self._controllers: list[Controller] = []
        self._around: Surroundings | None = None
        shown = (self.pods, self.router, self.connections, self.served, self.gateway)
        self.pages = {f"/{each.__name__}": each for each in shown}
        world.fault_handlers |= {
            "gpu": self._gpu_fault, "dns": self._site.record, "address": self._site.take,
            "controllers": self._restart_fault, "kubelet": self._kubelet_fault, "nic-firmware": self._firmware_fault,
            "host-network": self._network_fault, "storage-driver": self._driver_fault, "files": self._files_fault,
        }  # fmt: skip
        self._cache: Cache | None = None
        for tool, module in TOOLS.items():
            lab.tools[tool] = str(self._wrapper(tool, module))
        lab.secret("pull-secret", _pull_secret)
        self.cluster = Cluster(world, self._dir, self._plane, self._up, self._down)

    @property
    def writes(self) -> int:
        """Requests that changed something, by clients that are not part of the cluster."""
        plane = self.cluster.plane
        return count_writes(plane.audit_log) if plane else 0

    def pods(self) -> Mapping[str, Any]:
        """GET /pods: how fast running pods with rails can talk, and why not faster. Empty before there is a cluster."""
        return training.page(self._around) if self._around is not None else {"pods": []}

    def router(self) -> Mapping[str, Any]:
        """GET /router: the router's port on 127.0.0.1 and the names that it serves; no port before there is a Route."""
        return self._page(Router, {"port": None, "routes": {}, "redispatched": 0})

    def connections(self) -> Mapping[str, Any]:
        """GET /connections: by running pod and port, the pods of other namespaces that policies let reach it."""
        return self._page(OvnKubernetes, {"reached": {}})

    def served(self) -> Mapping[str, Any]:
        """GET /served: by pod of a server of models that runs, its ports and where they are on 127.0.0.1."""
        return self._page(Serving, {"served": {}})

    def gateway(self) -> Mapping[str, Any]:
        """GET /gateway: the gateway's port on 127.0.0.1, the names that it serves, and who was picked by nobody."""
        return self._page(Gateways, {"port": None, "names": {}, "pods": {}, "passed_by": 0})

    def _page(self, kind: type[Any], nothing: Mapping[str, Any]) -> Mapping[str, Any]:
        return next((each.page() for each in self._controllers if isinstance(each, kind)), nothing)

    def _gpu_fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "gpu", "server", "unhealthy": 1}: that many GPUs of a server fail their health check; 0 heals."""
        server, count = str(body.get("server")), int(body.get("unhealthy", 1))
        if server not in self._world.servers or self._world.servers[server].gpus is None:
            raise WorldError(f"{server} has no GPUs")
        for controller in self._controllers:
            if isinstance(controller, Gpu):
                controller.unhealthy(server, count)
        return {"server": server, "unhealthy": count}

    def _kubelet_fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "kubelet", "server"}: a server's kubelet restarts, and registers its node if that is not there."""
        server = str(body.get("server"))
        if server not in self._world.servers:
            raise WorldError(f"no server named {server}")
        self.cluster.restart_kubelet(server)
        return {"server": server}

    def _firmware_fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "nic-firmware", "end": "gpu-01:rail0"}: somebody types `mlxconfig reset` for that card."""
        server, _, nic = str(body.get("end")).partition(":")
        members = self.cluster.current.members if self.cluster.current else {}
        node = members[server].hostname if server in members else ""
        card = self._world.servers[server].nics[nic].pci.rpartition(".")[0] if node else ""
        cards = self._around.host_memory(node).cards if node and self._around is not None else {}
        if card not in cards:
            raise WorldError(f"no daemon has found a card at {body.get('end')!r} yet")
        cards[card].after_boot = nvconfig.factory(sum(name.startswith("LINK_TYPE_P") for name in cards[card].now))
        return {"card": card, "after_boot": cards[card].after_boot}

    def _network_fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "host-network", "server", "loses_gateway": true}: its gateway answers no more after a change of its
        network; {"interface": "bond0.20"} instead: somebody types `ip link delete` there."""
        server = str(body.get("server"))
        members = self.cluster.current.members if self.cluster.current else {}
        if server not in members or self._around is None:
            raise WorldError(f"no host named {server} is in a cluster")
        if "loses_gateway" in body:
            self._world.host(server).loses_gateway = bool(body["loses_gateway"])
        name = str(body.get("interface", ""))
        memory = self._around.host_memory(members[server].hostname)
        network = memory.network or {}
        if name and name not in network:
            raise WorldError(f"{server} shows no interface {name!r}")
        if name:
            left = {key: each for key, each in network.items() if key != name}
            memory.network = network = settled(without_base(left))
            self._world.runs(server, bonds(network))
        return {"server": server, "interfaces": sorted(network)}

    def _driver_fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "storage-driver", "driver": "csi.trident.netapp.io", "stopped": true}: the driver's controller runs
        no more, and neither provisions nor attaches; false: it runs again."""
        driver = str(body.get("driver"))
        if driver not in volumes.DRIVERS:
            raise WorldError(f"no CSI driver {driver!r}, but {', '.join(volumes.DRIVERS)}")
        if self._around is None:
            raise WorldError("there is no cluster yet")
        change = self._around.stopped_drivers.add if body.get("stopped", True) else self._around.stopped_drivers.discard
        change(driver)
        return {"stopped": sorted(self._around.stopped_drivers)}

    def _files_fault(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "files", "claim": "chat/weights", "files": {"repository/rank/1/model.onnx": ""}}: somebody copies
        files onto a claim's volume; null for a text takes one away."""
        claim, files = str(body.get("claim")), body.get("files")
        if self._around is None:
            raise WorldError("there is no cluster yet")
        if "/" not in claim or not isinstance(files, Mapping):
            raise WorldError('files go onto a claim: {"claim": "namespace/name", "files": {"path": "text"}}')
        there = self._around.files.setdefault(claim, {})
        for path, text in files.items():
            if text is None:
                there.pop(str(path), None)
            else:
                there[str(path)] = str(text)
        return {"claim": claim, "files": sorted(there)}

    def _restart_fault(self, _body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "controllers"}: every stand-in dies where it is and starts anew, knowing only what the API holds."""
        if self._around is None:
            raise WorldError("there is no cluster yet")
        for controller in self._controllers:
            # Two of a kind would act at once: the old one's pass ends first, however slow the machine is.
            controller.stop(RESTART_SECONDS)
        self._controllers = controllers(self._around)
        for controller in self._controllers:
            controller.start()
        return {"restarted": len(self._controllers)}

    def stop(self) -> None:
        """End controllers and control plane, give the port back."""
        self.cluster.stop()
        self._site.stop()
        self._port.close()

    def _addresses(self) -> dict[str, str]:
        here = f"127.0.0.1:{self._port.number}"
        wanted = self._world.cluster
        found = {}
        if wanted.get("name") and wanted.get("domain"):
            found[f"api.{wanted['name']}.{wanted['domain']}:6443"] = here
        if wanted.get("api_vip"):
            found[f"{wanted['api_vip']}:6443"] = here
        return found

    def _wrapper(self, tool: str, module: str) -> Path:
        path = (self._lab.dir / "bin" / tool).resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            WRAPPER.format(
                variable=REACH_VARIABLE, module=module, reach=(self._lab.dir / "reach.json").resolve(),
                packages=IMPORTED_FROM, python=sys.executable, release_variable=RELEASE_VARIABLE,
                release=release_of(self._world.cluster),
                registry_variable=REGISTRY_VARIABLE, registry=self._world.variants[pulls.VARIANT],
            ),
            encoding="utf-8",
        )  # fmt: skip
        path.chmod(0o755)
        return path

    def _plane(self, identity: Identity) -> ControlPlane:
        directory = self._dir / "cluster"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        about = self._world.variants, self._world.timing
        return ControlPlane(identity, self._programs, directory, self._port.number, self._lab.child, *about)

    def _up(self, api: Api, installation: Installation) -> None:
        if missing := self._crds.apply(api, AT_INSTALL):
            log.warning("no CRD file for %s", ", ".join(missing))
        masters = [member.address for member in installation.members.values() if member.role == "master"]
        content = installation.content
        fresh.furnish(api, content["release"], content["install"], content["agent"], masters)
        self._cache = Cache(api)
        self._around = around = Surroundings(
            api, self._cache, self._world, self.cluster.server_of, self._crds, self.cluster.memory,
            pulls.hosts(content["install"]), installation.network_of, self.cluster.plane,
            router_port=self._site.router.number,
        )  # fmt: skip
        self._controllers = controllers(around)
        for controller in self._controllers:
            controller.start()

    def _down(self) -> None:
        for controller in self._controllers:
            controller.stop()
        self._controllers = []
        self._around = None
        if self._cache is not None:
            self._cache.stop()


def release_of(cluster: Mapping[str, Any]) -> str:
    """OpenShift release that the world's installer is of: `cluster.openshift`. Raises ValueError where it is none."""
    named = str(cluster.get("openshift") or RELEASE)
    if not re.fullmatch(r"4\.\d+\.\d+", named):
        raise ValueError(f"cluster.openshift: {named} is no OpenShift release such as {RELEASE}")
    return named


def _pull_secret() -> str:
    """What a registry's owner hands out: one login per registry, as `podman login` would store it."""
    login = base64.b64encode(f"lab:{secrets.token_urlsafe(16)}".encode()).decode()
    return json.dumps({"auths": {"registry.example.com": {"auth": login}}})


def count_writes(audit_log: Path) -> int:
    """Lines of an audit log that stand for an accepted change by a client: dry runs and refusals are left out."""
    if not audit_log.exists():
        return 0
    total = 0
    with audit_log.open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            refused = int(entry.get("responseStatus", {}).get("code", 200)) >= 400
            total += not refused and "dryRun=" not in entry.get("requestURI", "") and not _inside(entry["user"])
    return total


def _inside(user: Mapping[str, Any]) -> bool:
    """Whether a user of the log is part of the cluster."""
    return user["username"] in INSIDE_USERS or not set(INSIDE_GROUPS).isdisjoint(user.get("groups") or ())


def start(world: World, lab: LabContext) -> OpenShiftSide:
    """Start the side. Raises MissingError when programs or CRDs are absent."""
    return OpenShiftSide(world, lab)


__all__ = ["OpenShiftSide", "count_writes", "start"]
