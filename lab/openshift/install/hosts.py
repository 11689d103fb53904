"""One install image seen as a group of hosts: whom it names, who of them waits, when installation can begin."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podwright.lab.openshift.install import image
from podwright.lab.openshift.install.config import addresses, compute_replicas, control_plane_replicas
from podwright.lab.openshift.install.nmstate import bonds
from podwright.lab.world.inventory import Bond
from podwright.lab.world.model import World


@dataclass(frozen=True)
class Member:
    """A host as the agent-config names it: the server whose NIC has one of its MAC addresses."""

    server: str
    hostname: str
    role: str
    address: str
    bonds: tuple[Bond, ...] = ()
    network: Mapping[str, Any] = field(default_factory=dict)
    """Its entry of the agent-config: the interfaces that it is installed with."""


@dataclass
class Installation:
    """One image: the hosts it names, and those that booted it and wait."""

    content: Mapping[str, Any]
    file: Path
    members: dict[str, Member]
    live: set[str] = field(default_factory=set)
    installed: bool = False
    joining: set[str] = field(default_factory=set)
    complete: bool = False

    def network_of(self, node: str) -> Mapping[str, Any]:
        """What the host behind a node name is installed with, as its entry of the agent-config; empty for none."""
        return next((member.network for member in self.members.values() if member.hostname == node), {})

    def names(self, server: str, world: World) -> bool:
        """Whether the image names this server, by the MAC addresses that it has now.

        A blade's are its profile's, which may have come into force since another host booted the same image.
        """
        if server not in self.members:
            found = members_of(self.content["agent"], world)
            self.members |= {name: member for name, member in found.items() if name == server}
        return server in self.members

    def ready(self) -> bool:
        """True when the rendezvous host and as many hosts of each role as configured are waiting."""
        install = self.content["install"]
        roles = [self.members[name].role for name in self.live]
        rendezvous = any(self.members[n].address == self.content["agent"]["rendezvousIP"] for n in self.live)
        enough = roles.count("master") >= control_plane_replicas(install)
        return rendezvous and enough and roles.count("worker") >= compute_replicas(install)

    @property
    def schedulable_masters(self) -> bool:
        """The installer lets masters take work when no workers are configured."""
        return compute_replicas(self.content["install"]) == 0


def of_image(file: Path, copy: Path, world: World) -> Installation:
    """An image that a host booted. The drive's may go when the medium is ejected; a disk keeps its `copy`."""
    content = image.read(file)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copy)
    return Installation(content, copy, members_of(content["agent"], world))


def members_of(agent: Mapping[str, Any], world: World) -> dict[str, Member]:
    """Server name to host of the agent-config, matched by any MAC address, as the agent does."""
    found: dict[str, Member] = {}
    for host in agent.get("hosts") or []:
        macs = {str(i.get("macAddress", "")).lower() for i in host.get("interfaces") or []}
        for server in world.servers.values():
            owned = {server.boot_mac.lower(), *(nic.mac.lower() for nic in server.nics.values())}
            if macs & owned:
                static = addresses(host)
                found[server.name] = Member(
                    server.name, str(host.get("hostname") or server.name), str(host.get("role") or "worker"),
                    static[0] if static else server.address, bonds(host), host,
                )  # fmt: skip
    return found
