"""From booted hosts to a cluster: what the agent-based installer does between the first boot and the last join.

Hosts that booted the same image find each other through the rendezvous host. When as many are there as the image's
install-config wants, the installer writes their disks, the API comes up, the hosts reboot and join as nodes.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from podwright.lab.openshift import fresh, heartbeats, joining, registration
from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.certificates import Pair
from podwright.lab.openshift.controlplane import LAB_GROUPS, LAB_USER, ControlPlane, Identity
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.install import image
from podwright.lab.openshift.install.hosts import Installation, Member, of_image
from podwright.lab.openshift.kubelet_start import KubeletError
from podwright.lab.openshift.nmstate.ports import in_force
from podwright.lab.openshift.uplinks import Uplinks
from podwright.lab.world.inventory import Medium
from podwright.lab.world.model import Server, World

log = logging.getLogger("lab.openshift")
INSTALL_SECONDS = 1.0
KUBELET_SECONDS = 0.7
RETRY_SECONDS = 1.0


class Cluster:
    """Listens to the world's boots and power; owns the control plane once there is one."""

    def __init__(
        self, world: World, directory: Path, make_plane: Callable[[Identity], ControlPlane],
        on_up: Callable[[Api, Installation], None], on_down: Callable[[], None],
    ) -> None:  # fmt: skip
        self._world, self._dir = world, directory
        self._make_plane = make_plane
        self._on_up, self._on_down = on_up, on_down
        self._images: dict[str, Installation] = {}
        self._work: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self.plane: ControlPlane | None = None
        self.api: Api | None = None
        self.current: Installation | None = None
        self.memory: dict[str, HostMemory] = {}
        """What hosts keep by themselves, by node."""
        self._quorum = True
        self._silent: dict[str, object] = {}
        """Servers whose kubelet stopped and has not registered since; the value marks the occasion."""
        self._certified: dict[str, Pair] = {}
        """What servers that joined later have on the disk: their kubelet's certificate and key."""
        self._thread = threading.Thread(target=self._run, name="openshift-hosts", daemon=True)
        self._thread.start()
        self.uplinks = Uplinks(world, lambda: self.current.members if self.current else (), self._power, self._back)
        world.on_boot.append(self._booted)
        world.on_power.append(self._power)

    def stop(self) -> None:
        """End the control plane and stop listening."""
        self.uplinks.stop()
        self._world.on_boot.remove(self._booted)
        self._world.on_power.remove(self._power)
        self._work.put(None)
        self._thread.join(timeout=30)
        self._tear_down()

    def server_of(self, node: str) -> Server | None:
        """The server behind a node name of the current cluster."""
        if self.current is None:
            return None
        member = next((m for m in self.current.members.values() if m.hostname == node), None)
        return self._world.servers.get(member.server) if member else None

    def restart_kubelet(self, server: str) -> None:
        """The kubelet of a running host starts anew; on one that is off, or in no cluster, there is none."""
        member = self.current.members.get(server) if self.current else None
        if member is not None:
            self._work.put(lambda: self._register(member, self._world.host(server).generation))

    def _booted(self, server: str, medium: Medium, booted: Path | None) -> None:  # on a thread of the world
        self._work.put(lambda: self._boot(server, medium, booted))

    def _power(self, server: str, state: str) -> None:
        self._work.put(self._weigh)
        if state == "Off":
            self._work.put(lambda: self._dark(server))

    def _back(self, server: str) -> None:
        self._work.put(self._weigh)
        self.restart_kubelet(server)

    def _run(self) -> None:
        while (job := self._work.get()) is not None:
            try:
                job()
            except ApiError as problem:
                if not problem.passing:
                    log.exception("a host event failed")
                    continue
                log.info("%s (will retry)", problem)
                self._later(RETRY_SECONDS, job)
            except Exception:
                # The thread carries every host: it must outlive one that failed.
                log.exception("a host event failed")

    def _boot(self, server: str, medium: Medium, booted: Path | None) -> None:
        if booted is None:
            return
        try:
            installation = self._installation(booted)
        except image.ImageError as problem:
            log.warning("%s: %s", server, problem)
            return
        if not installation.names(server, self._world):
            log.warning("%s booted an image whose agent-config has none of its MAC addresses", server)
            return
        self._world.runs(server, in_force(installation.members[server], self.memory, medium))
        if "join" in installation.content:
            self._boot_joining(installation, installation.members[server], medium)
        elif medium == "Hdd":
            self._join(installation, installation.members[server])
        elif installation.installed:
            log.warning("%s: expected to boot from disk, booted the install image again (pending-user-action)", server)
        else:
            installation.live.add(server)
            if installation.ready():
                time.sleep(float(self._world.cluster.get("install_seconds", INSTALL_SECONDS)))
                self._install(installation)
            else:
                log.info("%s waits for the rendezvous host and its peers (%d waiting)", server, len(installation.live))

    def _installation(self, file: Path) -> Installation:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest not in self._images:
            self._images[digest] = of_image(file, self._dir / "images" / f"{digest[:16]}.iso", self._world)
        return self._images[digest]

    def _install(self, installation: Installation) -> None:
        self._tear_down()
        identity = Identity.of(installation.content)
        self.plane = self._make_plane(identity)
        self.api = self.plane.start()
        installation.installed = True
        self.current = installation
        self._on_up(self.api, installation)
        self.plane.start_kwok()
        installation.joining = set(installation.live)
        for name in sorted(installation.joining):
            self._world.write_disk(name, installation.file)
            self._world.power(name, "ForceRestart")
        log.info("cluster %s installed, %d hosts reboot from disk", identity.cluster, len(installation.joining))

    def _tear_down(self) -> None:
        if self.plane is not None:
            self._on_down()
            self.plane.stop()
        if self.api is not None:
            self.api.close()
        self.plane = self.api = self.current = None
        self._quorum = True
        self._silent.clear()
        self.memory.clear()

    def _boot_joining(self, installation: Installation, member: Member, medium: Medium) -> None:
        """A host of a node image: writes its disk, reboots, asks for its certificate, and joins when it has it."""
        if (
            self.api is None
            or self.plane is None
            or self.current is None
            or self.plane.root != installation.content["join"]
        ):
            log.warning("%s booted for a cluster that does not answer", member.server)
        elif medium == "Cd":
            self.memory.pop(member.hostname, None)
            self._certified.pop(member.server, None)
            self._world.write_disk(member.server, installation.file)
            self._world.power(member.server, "ForceRestart")
        elif member.server in self._certified:
            self._register(member, self._world.host(member.server).generation)
        else:
            self._await_certificate(member, joining.ask(self.plane.access(LAB_USER, *LAB_GROUPS), member.hostname))

    def _await_certificate(self, member: Member, request: joining.Request) -> None:
        if self.api is None or self.current is None:
            return
        if signed := joining.certificate(self.api, request):
            self._certified[member.server] = signed
            self.current.members[member.server] = member
            self._register(member, self._world.host(member.server).generation)
        elif joining.denied(self.api, request):
            log.warning("%s was denied a certificate (%s)", member.hostname, request.name)
        else:
            self._later(0.5, lambda: self._await_certificate(member, request))

    def _join(self, installation: Installation, member: Member) -> None:
        if installation is self.current:
            self._register(member, self._world.host(member.server).generation)
        else:
            log.warning("%s booted a disk whose cluster does not exist any more", member.server)

    def _register(self, member: Member, generation: int) -> None:
        """A kubelet starts: registers or finds its node, says not ready, then kwok takes over."""
        host = self._world.host(member.server)
        if self.api is None or self.current is None or host.generation != generation or host.state != "running":
            return
        assert self.plane is not None  # it is where the API is
        if not self._quorum or not self.uplinks.runs(member.server):
            self._later(RETRY_SECONDS, lambda: self._register(member, generation))
            return
        try:
            with registration.kubelet(self.plane, member, self._certified.get(member.server)) as kubelet:
                schedulable = self.current.schedulable_masters
                registration.register(self.api, kubelet, self._world, member, schedulable, self.memory)
            self._finish()
        except (ApiError, KubeletError) as problem:
            # A kubelet tries for as long as its host runs; so do we, without holding up other hosts.
            self._later(RETRY_SECONDS, lambda: self._register(member, generation))
            log.info("%s: %s", member.hostname, problem)
            if isinstance(problem, KubeletError) and member.server not in self._silent:
                self._dark(member.server)
            return
        self._silent.pop(member.server, None)
        self._later(KUBELET_SECONDS, lambda: self._light(member, generation))

    def _finish(self) -> None:
        """Once every host has registered, the cluster version operator calls the installation complete."""
        if self.api is None or self.current is None or self.current.complete:
            return
        known = {item["metadata"]["name"] for item in self.api.request("GET", "/api/v1/nodes")["items"]}
        if {self.current.members[name].hostname for name in self.current.joining} <= known:
            self.current.complete = True
            fresh.complete(self.api, self.current.content["release"])

    def _light(self, member: Member, generation: int) -> None:
        """The network is up: from here on kwok keeps the lease and the conditions."""
        host = self._world.host(member.server)
        if self.api is None or host.generation != generation or not self.uplinks.runs(member.server):
            return
        if self._quorum:
            heartbeats.mark(self.api, member.hostname, "true")
        else:
            self._later(RETRY_SECONDS, lambda: self._light(member, generation))

    def _weigh(self) -> None:
        """etcd needs a majority of its members: with fewer control-plane hosts there, nothing is answered."""
        if self.plane is None or self.current is None:
            return
        masters = [member.server for member in self.current.members.values() if member.role == "master"]
        powered = sum(map(self.uplinks.runs, masters))
        quorum = powered > len(masters) // 2
        if not powered:
            self.plane.go_dark()
        if quorum == self._quorum:
            return
        self._quorum = quorum
        self.plane.processes.freeze("etcd", frozen=not quorum)
        log.warning("%d of %d masters run: etcd %s", powered, len(masters), "goes on" if quorum else "stops")
        if quorum and self.api is not None:
            self.plane.come_back(self.api.ready)
            for name in self.current.members:
                if not self.uplinks.runs(name):
                    self._work.put(partial(self._dark, name))

    def _dark(self, server: str) -> None:
        """Power is gone: nobody renews the lease any more, and after a while the node is given up."""
        for installation in self._images.values():
            installation.live.discard(server)
        member = self.current.members.get(server) if self.current else None
        if self.api is None or member is None or not self._quorum:
            return
        silence = self._silent[server] = object()
        self._work.put(lambda: self._unlit(member, silence))

    def _unlit(self, member: Member, silence: object) -> None:
        """kwok lets the node go, unless its host has come back before the API took that."""
        if self.api is not None and self._silent.get(member.server) is silence:
            heartbeats.mark(self.api, member.hostname, None)
            self._later(heartbeats.SILENT_SECONDS, lambda: self._give_up(member, silence))

    def _give_up(self, member: Member, silence: object) -> None:
        """The lease of a host that fell silent has run out. One that is on its way up is waited for."""
        if self.api is None or self._silent.get(member.server) is not silence:
            return
        seconds = RETRY_SECONDS
        if self._quorum and self._world.host(member.server).state != "post":
            heartbeats.give_up(self.api, member.hostname)
            seconds = heartbeats.AGAIN_SECONDS
        self._later(seconds, lambda: self._give_up(member, silence))

    def _later(self, seconds: float, job: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, self._work.put, args=(job,))
        timer.daemon = True
        timer.start()
