"""A rack of servers, an install directory and a cluster, driven as a person drives them: buttons, files, kubectl."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from podwright.lab.openshift.binaries import programs
from podwright.lab.openshift.side import OpenShiftSide, start
from podwright.lab.pki import Authority
from podwright.lab.sides import LabContext
from podwright.lab.world.model import Server, World
from tests.lab.openshift.manifests import OPERATORS
from tests.waiting import until

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUbKp2cdvTt6oHvdLgFEDwwwHL5o0uFVWZb8P6rSwHd admin"
PULL_SECRET = json.dumps({"auths": {"registry.example.com": {"auth": "bGFiOmxhYg=="}}})
RAILS = 2


def server(index: int, gpus: int, product: str = "NVIDIA-H200") -> dict[str, Any]:
    """A server of the world file; with GPUs it also has rail NICs."""
    nics = {
        "mgmt0": {
            "gbps": 25,
            "mac": f"02:00:00:00:00:{index:02x}",
            "pci": "0000:01:00.0",
            "device": "1017",
        }
    }
    for rail in range(RAILS if gpus else 0):
        nics[f"rail{rail}"] = {
            "gbps": 400,
            "mac": f"02:00:00:01:{rail:02x}:{index:02x}",
            "pci": f"0000:{0x10 + 16 * rail:02x}:00.0",
            "device": "a2dc",
            "numa": rail % 2,
        }
    return {
        "model": "UCSC-885A-M8" if gpus else "UCSC-C225-M8N",
        "serial": f"WZP{index:08d}",
        "uuid": f"00000000-0000-4000-8000-{index:012d}",
        "bmc": f"192.0.2.{100 + index}",
        "address": f"192.0.2.{20 + index}",
        "boot_mac": f"02:00:00:00:00:{index:02x}",
        "cpu": {"vendor": "amd", "sockets": 2, "cores": 64},
        "memory_gib": 2304 if gpus else 256,
        "gpus": {"product": product, "count": gpus} if gpus else None,
        "nics": nics,
    }


def world_file(
    path: Path,
    masters: int = 3,
    workers: tuple[str, ...] = ("NVIDIA-H200", "NVIDIA-H200"),
    spare: bool = False,
    openshift: str = "",
    registry: str = "connected",
    own_workloads: bool = False,
    *,
    timing: dict[str, float] | None = None,
) -> Path:
    """A world of control-plane hosts and GPU workers, every rail on one leaf; a spare server is in no config."""
    names = [f"cp-{i}" for i in range(1, masters + 1)]
    servers = {name: server(i + 1, 0) for i, name in enumerate(names)}
    for i, product in enumerate(workers):
        servers[f"gpu-{i + 1}"] = server(masters + i + 1, 8 if product else 0, product or "x")
    if spare:
        servers["spare-1"] = server(200, 0)
    rails = [(name, nic) for name, s in servers.items() for nic in s["nics"] if nic.startswith("rail")]
    leaf = {"model": "N9K-C9364D-GX2A", "serial": "FDO00000001", "release": "10.4(5)", "management": "192.0.2.11"}
    named: dict[str, Any] = {"openshift": openshift} if openshift else {}
    named |= {"own_workloads": True} if own_workloads else {}
    path.write_text(yaml.safe_dump({
        "name": "rack", "switches": {"leaf-01": leaf}, "servers": servers,
        "cables": [[f"leaf-01:Ethernet1/{i + 1}", f"{s}:{n}", 400] for i, (s, n) in enumerate(rails)],
        "cluster": {"name": "lab", "domain": "example.com", "api_vip": "192.0.2.200", **named},
        "timing": {"post_seconds": 0.2, **(timing or {})}, "variants": {"registry": registry},
    }))  # fmt: skip
    return path


def host(name: str, s: Server) -> dict[str, Any]:
    """A host of agent-config.yaml with a static address."""
    address = {"enabled": True, "dhcp": False, "address": [{"ip": s.address, "prefix-length": 24}]}
    return {
        "hostname": f"{name}.lab.example.com", "role": "master" if name.startswith("cp") else "worker",
        "interfaces": [{"name": "eno1", "macAddress": s.boot_mac}],
        "networkConfig": {"interfaces": [{"name": "eno1", "type": "ethernet", "state": "up", "ipv4": address}]},
    }  # fmt: skip


class Rack:
    """One world with its OpenShift side."""

    def __init__(self, directory: Path, **shape: Any) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.dir = directory
        self.world = World.load(world_file(directory / "world.yaml", **shape))
        secrets = directory / "secrets"
        secrets.mkdir()
        self.lab = LabContext(dir=directory, secrets=secrets, ca=Authority(directory / "pki", "lab"), logs=directory)
        self.side: OpenShiftSide = start(self.world, self.lab)
        (directory / "reach.json").write_text(json.dumps({"forward": self.side.forward}))

    def close(self) -> None:
        """End the side and its processes."""
        self.side.stop()
        self.world.close()

    # --- the installer --------------------------------------------------------------------------------------

    def configs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """(install-config, agent-config) for all servers of the world."""
        hosts = [
            host(name, s) for name, s in self.world.servers.items() if not name.startswith("spare")
        ]  # fmt: skip
        masters = sum(h["role"] == "master" for h in hosts)
        install = {
            "apiVersion": "v1", "metadata": {"name": "lab"}, "baseDomain": "example.com",
            "networking": {"machineNetwork": [{"cidr": "192.0.2.0/24"}], "networkType": "OVNKubernetes"},
            "controlPlane": {"name": "master", "replicas": masters},
            "compute": [{"name": "worker", "replicas": len(hosts) - masters}],
            "platform": {"baremetal": {"apiVIPs": ["192.0.2.200"], "ingressVIPs": ["192.0.2.201"]}},
            "pullSecret": PULL_SECRET, "sshKey": SSH_KEY,
        }  # fmt: skip
        agent = {
            "apiVersion": "v1beta1", "kind": "AgentConfig", "metadata": {"name": "lab"},
            "rendezvousIP": next(iter(self.world.servers.values())).address, "hosts": hosts,
        }  # fmt: skip
        return install, agent

    def create_image(self, install: dict[str, Any], agent: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        """Run the stand-in the way the lab's reach file names it."""
        target = self.dir / "install"
        target.mkdir(exist_ok=True)
        (target / "install-config.yaml").write_text(yaml.safe_dump(install))
        (target / "agent-config.yaml").write_text(yaml.safe_dump(agent))
        return self.installer("agent", "create", "image", "--dir", str(target))

    def installer(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `openshift-install`."""
        return self.tool("openshift-install", *arguments)

    def tool(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a tool that the lab names in its reach file."""
        return subprocess.run([self.lab.tools[name], *arguments], capture_output=True, text=True, check=False)

    def boot(self, *servers: str, image: str = "agent.x86_64.iso") -> None:
        """Virtual media in, one-shot boot from it, power on."""
        for name in servers:
            self.world.insert_media(name, "file:///image.iso", self.dir / "install" / image)
            self.world.set_boot(name, "Cd", once=True)
            self.world.power(name, "ForceRestart")

    def install(self) -> None:
        """The whole installation, until every node is Ready."""
        done = self.create_image(*self.configs())
        assert done.returncode == 0, done.stderr
        names = [name for name in self.world.servers if not name.startswith("spare")]
        self.boot(*names)
        wanted = len(names)
        eventually(lambda: self.side.cluster.current is not None, 60, "installation begins")
        eventually(lambda: self.ready_nodes() == wanted, 60, "all nodes Ready")

    # --- kubectl --------------------------------------------------------------------------------------------

    def kubectl(self, *arguments: str, stdin: str | None = None, check: bool = True) -> str:
        """Run kubectl as system:admin; returns its output (with errors when `check` is off)."""
        environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        done = subprocess.run(
            [str(programs()["etcd"].with_name("kubectl")), "--kubeconfig", str(self.kubeconfig()), *arguments],
            input=stdin, capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout if check else done.stdout + done.stderr

    def kubeconfig(self) -> Path:
        """The installer's kubeconfig with the server moved to where the lab forwards it."""
        text = (self.dir / "install" / "auth" / "kubeconfig").read_text()
        for site, here in self.side.forward.items():
            text = text.replace(f"https://{site}", f"https://{here}")
        path = self.dir / "kubeconfig"
        path.write_text(text)
        return path

    def get(self, *what: str) -> Any:
        """`kubectl get ... -o json`, or None when it is not there."""
        text = self.kubectl("get", *what, "-o", "json", "--ignore-not-found")
        return json.loads(text) if text.strip() else None

    def items(self, *what: str) -> list[Any]:
        """Objects of a listing."""
        return list((self.get(*what) or {"items": []})["items"])

    def apply(self, *documents: dict[str, Any]) -> None:
        """`kubectl apply` of several objects."""
        self.kubectl("apply", "--server-side", "-f", "-", stdin=yaml.safe_dump_all(documents))

    def approve(self, package: str) -> None:
        """Approve the install plan of a package's Subscription and wait until its CSV has succeeded."""
        namespace, _, _, csv = OPERATORS[package]
        self.wait(f"InstallPlan for {csv}", lambda: bool(self._plans(namespace, csv)), 30)
        plan = self._plans(namespace, csv)[0]["metadata"]["name"]
        self.kubectl("patch", "installplan", plan, "-n", namespace, "--type=merge", "-p", '{"spec":{"approved":true}}')
        self.wait(f"{csv} Succeeded", lambda: self.csv_phase(package) == "Succeeded", 60)

    def _plans(self, namespace: str, csv: str) -> list[Any]:
        # That of an earlier Subscription may still be there, approved long ago.
        plans = self.items("installplans", "-n", namespace)
        return [p for p in plans if p["spec"]["clusterServiceVersionNames"] == [csv] and not p["spec"]["approved"]]

    def csv_phase(self, package: str) -> str | None:
        """Phase of the pinned CSV, None when there is none."""
        namespace, _, _, csv = OPERATORS[package]
        found = self.get("csv", csv, "-n", namespace)
        phase: str | None = (found or {}).get("status", {}).get("phase")
        return phase

    def wait(self, what: str, condition: Callable[[], bool], seconds: float = 40) -> float:
        """`eventually`, with the subject first; a failure shows how nodes stand."""
        try:
            return eventually(condition, seconds, what)
        except AssertionError as problem:
            with suppress(AssertionError):  # nobody answers
                for node in self.items("nodes"):
                    taints = ", ".join(f"{each['key']}:{each['effect']}" for each in node["spec"].get("taints", []))
                    problem.add_note(f"{node['metadata']['name']}: Ready {node_ready(node) or '?'}, taints [{taints}]")
            raise

    def pod(self, name: str, namespace: str = "default") -> tuple[str, str, str]:
        """(phase, node, why the scheduler did not place it) of a pod."""
        found = self.get("pod", name, "-n", namespace)
        rows = found["status"].get("conditions", [])
        why = next(
            (str(c.get("message", "")) for c in rows if c["type"] == "PodScheduled" and c["status"] == "False"), ""
        )
        return str(found["status"]["phase"]), str(found["spec"].get("nodeName", "")), why

    def attached_address(self, pod: str, namespace: str = "default") -> str:
        """A pod's address on its first extra network."""
        found = self.get("pod", pod, "-n", namespace)["metadata"]["annotations"]["k8s.v1.cni.cncf.io/network-status"]
        return str(next(row["ips"][0] for row in json.loads(found) if not row.get("default")))

    def ended(self, pod: str, namespace: str = "default") -> tuple[int, str]:
        """(exit code, termination message) of a pod's container, once it has ended."""

        def terminated() -> dict[str, Any]:
            found = self.get("pod", pod, "-n", namespace)["status"]["containerStatuses"][0]["state"]["terminated"]
            return dict(found)

        self.wait(f"{pod} ends", lambda: bool(terminated()))
        state = terminated()
        return int(state["exitCode"]), str(state["message"])

    def allocatable(self, node: str, resource: str) -> int:
        """How much of an extended resource a node offers; -1 when it has never heard of it."""
        return int(self.get("node", f"{node}.lab.example.com")["status"]["allocatable"].get(resource, -1))

    def label(self, node: str, key: str) -> str | None:
        """A node's label."""
        labels: dict[str, str] = self.get("node", f"{node}.lab.example.com")["metadata"]["labels"]
        return labels.get(key)

    def ready_nodes(self) -> int:
        """How many nodes are Ready now."""
        try:
            return [node_ready(n) for n in self.items("nodes")].count("True")
        except AssertionError:
            return 0


def node_ready(node: dict[str, Any]) -> str:
    """Status of the Ready condition."""
    return next((str(c["status"]) for c in node["status"].get("conditions", []) if c["type"] == "Ready"), "")


def eventually(condition: Callable[[], bool], seconds: float, what: str) -> float:
    """Wait for `condition`; fail with `what` when it does not come. Returns the seconds it took."""
    begun = time.monotonic()
    until(lambda: _holds(condition), seconds, what, pause=0.2)
    return time.monotonic() - begun


def _holds(condition: Callable[[], bool]) -> bool:
    """A field that is not there yet is a condition that does not hold yet."""
    try:
        return condition()
    except (KeyError, IndexError, TypeError, AttributeError):
        return False
