from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.openshift.module import KINDS
from podwright.components.providers.protocol.kind import Context
from podwright.components.providers.reach import Reach
from podwright.lab.openshift.side import OpenShiftSide
from podwright.lab.openshift.side import start as start_openshift
from podwright.lab.redfish.side import RedfishSide
from podwright.lab.redfish.side import start as start_redfish
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World
from tests.lab.bench import make_world

BY_TOKEN = {kind.token.rpartition(":")[2]: kind for kind in KINDS}
SERVER = """
  {name}:
    model: {model}
    serial: WZP{index:08d}
    uuid: 00000000-0000-4000-8000-{index:012d}
    bmc: 192.0.2.{bmc}
    address: 192.0.2.{address}
    boot_mac: "02:00:00:00:00:{index:02x}"
    cpu: {{vendor: amd, sockets: 1, cores: 32}}
    memory_gib: 128
"""
WORLD = """
name: rack
cluster: {{name: lab, domain: example.com, api_vip: 192.0.2.200, ingress_vip: 192.0.2.201, dns: [192.0.2.1]}}
timing: {{post_seconds: 0.1}}
servers:{servers}
"""
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUbKp2cdvTt6oHvdLgFEDwwwHL5o0uFVWZb8P6rSwHd admin"
HOSTS = {
    "cp-01": ("UCSC-C225-M8N", "master"),
    "gpu-01": ("UCSC-885A-M8", "worker"),
    "gpu-02": ("UCSC-885A-M8", "worker"),
}


@dataclass
class Rack:
    """A world of servers, their BMCs, and the cluster they may become."""

    dir: Path
    world: World
    lab: LabContext
    redfish: RedfishSide
    openshift: OpenShiftSide
    hosts: dict[str, tuple[str, str]]
    said: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)

    def context(self, **tools: str) -> Context:
        reach = Reach(
            forward={**self.redfish.forward, **self.openshift.forward},
            ca=self.lab.ca.path,
            secrets=self.lab.secrets,
            tools={**self.lab.tools, **tools},
            publish=self.redfish.publish,
            environ={"PODWRIGHT_STATE": str(self.dir / "state"), "PATH": "/usr/bin:/bin"},
        )
        config = {"credentials": {"user": "admin", "secret": "bmc-admin"}}
        return Context(
            config=config, reach=reach, identity="podwright/rack", log=self.said.append, warn=self.warned.append
        )

    def spec(self, *names: str, **change: Any) -> dict[str, Any]:
        hosts = []
        for name in names or tuple(self.hosts):
            server = self.world.servers[name]
            hosts.append(
                {
                    "name": name,
                    "role": self.hosts[name][1],
                    "pool": "training",
                    "serial": server.serial,
                    "bmc": server.bmc,
                    "credential": "bmc-admin",
                    "boot_mac": server.boot_mac,
                    "address": server.address,
                    "disk": "/dev/nvme0n1",
                }
            )
        return {
            "schema": 1,
            "cluster": "lab",
            "domain": "example.com",
            "version": "4.22.3",
            "api_vip": "192.0.2.200",
            "ingress_vip": "192.0.2.201",
            "machine_network": "192.0.2.0/24",
            "gateway": "192.0.2.1",
            "dns": ["192.0.2.1"],
            "ntp": ["192.0.2.1"],
            "architecture": "x86_64",
            "pull_secret": "pull-secret",
            "ssh_key": SSH_KEY,
            "publish": {"directory": "/nowhere", "url": "http://192.0.2.2:8080"},
            "hosts": hosts,
            **change,
        }

    @property
    def published(self) -> list[Path]:
        return [path for path in self.redfish.image_server.directory.iterdir() if path.suffix == ".iso"]

    def remembered(self) -> dict[str, Any]:
        path = self.dir / "state" / "podwright" / "rack" / "install-lab" / "facts.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def close(self) -> None:
        self.openshift.stop()
        self.redfish.stop()
        self.world.close()


def build(directory: Path, gpus: str = "", hosts: dict[str, tuple[str, str]] = HOSTS) -> Rack:
    """A rack as the lab builds it; `gpus` is the product that the workers carry eight of, `hosts` model and role."""
    directory.mkdir(parents=True, exist_ok=True)
    servers = "".join(
        SERVER.format(name=name, model=model, index=i, bmc=100 + i, address=20 + i)
        + (f"    gpus: {{product: {gpus}, count: 8}}\n" if gpus and name.startswith("gpu") else "")
        for i, (name, (model, _)) in enumerate(hosts.items(), 1)
    )
    world, lab = make_world(directory, WORLD.format(servers=servers))
    redfish = start_redfish(world, lab)
    redfish.fault({"power_seconds": 0.05})
    openshift = start_openshift(world, lab)
    (directory / "reach.json").write_text(json.dumps({"forward": openshift.forward}))
    return Rack(directory, world, lab, redfish, openshift, hosts)


async def apply(kube: Kube, *objects: dict[str, Any]) -> None:
    """Make objects that are not there yet."""
    for each in objects:
        group = "api/v1" if each["apiVersion"] == "v1" else f"apis/{each['apiVersion']}"
        meta = each["metadata"]
        place = f"/namespaces/{meta['namespace']}" if "namespace" in meta else ""
        kind = each["kind"].lower()
        plural = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
        try:
            await kube.request("POST", f"/{group}{place}/{plural}", each)
        except KubeError as there:
            assert there.reason == "AlreadyExists"


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Rack]:
    """Servers that are off, and nothing installed."""
    built = build(tmp_path / "rack")
    try:
        yield built
    finally:
        built.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """One rack for a module whose tests follow each other on one cluster."""
    built = build(tmp_path_factory.mktemp("site") / "rack")
    try:
        yield built
    finally:
        built.close()
