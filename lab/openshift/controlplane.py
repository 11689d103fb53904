"""A real Kubernetes control plane on loopback: etcd, API server, controller manager, scheduler, kwok.

Every number below that makes the lab quicker than a site stands in FIDELITY.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from types import MappingProxyType
from typing import Any

from podwright.lab.openshift import aggregation, etcd, kubeconfig, pulls
from podwright.lab.openshift.api import Api
from podwright.lab.openshift.binaries import IMPORTED_FROM
from podwright.lab.openshift.certificates import Pair, issue
from podwright.lab.openshift.install import networking
from podwright.lab.openshift.kubeconfig import Access
from podwright.lab.openshift.ports import accepts, free_port
from podwright.lab.openshift.processes import Processes
from podwright.lab.openshift.scc import webhook

Note = Callable[[int, str], None]
"""Told (process id, name) of every child."""
STAGES = Path(__file__).with_name("stages.yaml")
POWERED_LABEL = "node.lab.podwright.io/powered"
"""kwok answers as kubelet for nodes with this label; without it a node's lease runs out, as on a dead host."""
LAB_USER = "system:lab"
"""The lab's stand-in controllers act under this name."""
LAB_GROUPS = ("system:masters", "system:lab")
INSIDE_GROUPS = ("system:serviceaccounts:kube-system", "system:lab", "system:nodes")
INSIDE_USERS = ("system:apiserver", "system:kube-controller-manager", "system:kube-scheduler", "system:kwok")
"""Who is part of the cluster: what these write is no write of a client."""
JUDGE = "scc-admission"
TOLERATED_SECONDS = 300
"""For which pods tolerate a node that is not ready or not heard unless they say otherwise: Kubernetes' own default. A
world's `timing.tolerated_seconds` is the lab's, for drills that cannot wait for it."""
GRACE_SECONDS = 3600
"""Silence after which the node controller gives a host up, by its own clock. A host that has no power is given up by
`lab.openshift.heartbeats`, which asks the world: a lease that is renewed late only says that this machine is busy."""
START_SECONDS = 300
"""How long a program may take to answer. One that fails ends, and is seen at once; this is for a busy machine."""
AUDIT = f"""\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {{level: None, verbs: [get, list, watch]}}
- level: RequestResponse
  omitManagedFields: true
  resources: [{{group: "", resources: [nodes, nodes/status]}}, {{group: discovery.k8s.io, resources: [endpointslices]}}]
- {{level: None, userGroups: {json.dumps(INSIDE_GROUPS)}}}
- {{level: None, users: {json.dumps(INSIDE_USERS)}}}
- {{level: None, resources: [{{group: authorization.k8s.io}}, {{group: authentication.k8s.io}}]}}
- {{level: Metadata}}
"""
"""Of nodes and endpoints all that is written, whoever writes it: who was away, and what answered, is read from it with
the order that etcd gave it. Of all the rest what people and programs outside the lab wrote."""
SCHEDULER = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: 300, burst: 600}}
"""


@dataclass(frozen=True)
class Identity:
    """What the install image says about a cluster: names, root, token signing keys, networks."""

    cluster: str
    domain: str
    api_vip: str
    root: Pair
    tokens: Pair
    service_network: str
    pod_network: str

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Identity:
        """That of an install image."""
        install, agent = content["install"], content["agent"]
        bare = (install.get("platform") or {}).get("baremetal") or {}
        vips = bare.get("apiVIPs") or [agent["rendezvousIP"]]
        root, tokens = (Pair(*(part.encode() for part in content[key])) for key in ("root", "tokens"))
        networks = networking.networks(install)
        return cls(install["metadata"]["name"], install["baseDomain"], str(vips[0]), root, tokens, *networks)

    @property
    def server_names(self) -> tuple[str, ...]:
        """Names and addresses that the API server's certificate carries."""
        base = f"{self.cluster}.{self.domain}"
        first = str(ip_network(self.service_network)[1])
        inside = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
        return (f"api.{base}", f"api-int.{base}", *inside, "localhost", "127.0.0.1", self.api_vip, first)


class ControlPlane:
    """Starts and stops the processes. `url` answers once `start` has returned."""

    def __init__(
        self, identity: Identity, programs: dict[str, Path], directory: Path, port: int, note: Note,
        variants: Mapping[str, str], timing: Mapping[str, float] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self._identity = identity
        self._programs = programs
        self._dir = directory
        self._port = port
        self.url = f"https://127.0.0.1:{port}"
        self.root = identity.root.certificate.decode()
        self.audit_log = directory / "audit.log"
        self.processes = Processes(directory / "logs", note)
        self._store = 0
        self._variants, self._timing = variants, timing

    def start(self, snapshot: Path | None = None) -> Api:
        """Bring the plane up, with what a snapshot of etcd has, and return the lab's client. Raises ProcessError."""
        self._dir.mkdir(parents=True, exist_ok=True)
        self._write("ca.crt", self._identity.root.certificate)
        self._write("ca.key", self._identity.root.key)
        self._write("tokens.pub", self._identity.tokens.certificate)
        self._write("tokens.key", self._identity.tokens.key)
        serving = issue(self._identity.root, "kube-apiserver", names=self._identity.server_names)
        self._write("serving.crt", serving.certificate)
        self._write("serving.key", serving.key)
        self._write("audit-policy.yaml", AUDIT.encode())
        self._store = self._etcd(snapshot)
        judge = self._admission()
        self._apiserver(self._store)
        api = Api(self.access(LAB_USER, *LAB_GROUPS))
        self.processes.wait_until("kube-apiserver", api.ready, START_SECONDS)
        self.processes.wait_until(JUDGE, lambda: accepts(judge), START_SECONDS)
        webhook.register(api, judge, self._identity.root.certificate)
        self._controllers()
        return api

    def stop(self) -> None:
        """End every process of this plane."""
        self.processes.stop()

    def go_dark(self) -> None:
        """No control-plane host has power: nobody holds the API's address, connections to it are refused."""
        self.processes.end("kube-apiserver")

    def come_back(self, ready: Callable[[], bool]) -> None:
        """Control-plane hosts boot from disk: the API answers again, with everything etcd held."""
        if "kube-apiserver" not in self.processes.pids():
            self._apiserver(self._store)
            self.processes.wait_until("kube-apiserver", ready, START_SECONDS)

    def start_kwok(self) -> None:
        """Start the kubelets' stand-in; the API server must hold the first nodes' kinds already."""
        config = self._kubeconfig("system:kwok", "system:masters")
        self._write("stages.yaml", pulls.stages(STAGES.read_text(encoding="utf-8"), self._variants).encode())
        self.processes.start("kwok", [
            self._programs["kwok"], "--kubeconfig", config, "--config", self._dir / "stages.yaml",
            "--manage-nodes-with-label-selector", f"{POWERED_LABEL}=true",
            "--cidr", self._identity.pod_network,
            "--node-ip", "198.51.100.1", "--server-address", f"127.0.0.1:{free_port()}",
        ])  # fmt: skip

    def program(self, name: str) -> Path:
        """Where a program is that not every lab has, beside those that all have."""
        return self._programs["etcd"].with_name(name)

    def folder(self, name: str) -> Path:
        """A folder for the files of one more process."""
        path = self._dir / name
        path.mkdir(exist_ok=True)
        return path

    def account(self, name: str, *groups: str) -> Path:
        """A kubeconfig of a service account, whose name is too long for a certificate's; without groups it may do
        everything."""
        text = kubeconfig.acting(self._kubeconfig(LAB_USER, *LAB_GROUPS).read_text(encoding="utf-8"), name, *groups)
        return self._write(f"{name.replace(':', '-')}.kubeconfig", text.encode())

    def serving(self, name: str, *names: str) -> Pair:
        """A certificate of a server in the cluster, as the service CA signs them: here that is the cluster's root."""
        return issue(self._identity.root, name, names=names, both=True)

    def disk(self, server: str) -> Path:
        """Where the files of a host's own disk are, as far as something of this plane is kept there."""
        return self._dir / "disks" / server

    def save(self, target: Path) -> None:
        """Write a snapshot of etcd. Raises OSError."""
        etcd.save(self._store, target)

    def static_resources(self) -> list[Path]:
        """What a plane needs beside etcd's content to be the same one: its root, and the keys that sign tokens."""
        return [self._dir / name for name in ("ca.crt", "ca.key", "tokens.pub", "tokens.key")]

    def _etcd(self, snapshot: Path | None) -> int:
        client, peer = free_port(), free_port()
        urls = (f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}")
        if snapshot is not None:
            etcd.restore(self._programs["etcd"].with_name("etcdutl"), snapshot, self._dir / "etcd", urls[1])
        self.processes.start("etcd", [
            self._programs["etcd"], "--name", etcd.MEMBER, "--data-dir", self._dir / "etcd", "--unsafe-no-fsync",
            "--listen-client-urls", urls[0], "--advertise-client-urls", urls[0],
            "--listen-peer-urls", urls[1], "--initial-advertise-peer-urls", urls[1],
            "--initial-cluster", f"{etcd.MEMBER}={urls[1]}", "--log-level", "warn",
        ])  # fmt: skip
        self.processes.wait_until("etcd", lambda: accepts(client), START_SECONDS)
        return client

    def _apiserver(self, etcd_port: int) -> None:
        d, tolerated = self._dir, int(self._timing.get("tolerated_seconds", TOLERATED_SECONDS))
        self.processes.start("kube-apiserver", [
            self._programs["kube-apiserver"], f"--etcd-servers=http://127.0.0.1:{etcd_port}",
            f"--secure-port={self._port}", "--bind-address=127.0.0.1", "--permit-port-sharing=true",
            f"--tls-cert-file={d / 'serving.crt'}", f"--tls-private-key-file={d / 'serving.key'}",
            f"--client-ca-file={d / 'ca.crt'}", f"--service-account-key-file={d / 'tokens.pub'}",
            f"--service-account-signing-key-file={d / 'tokens.key'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-cluster-ip-range={self._identity.service_network}", "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction,PodTolerationRestriction",
            "--allow-privileged=true", "--endpoint-reconciler-type=none", "--anonymous-auth=false",
            f"--cert-dir={d}", f"--audit-policy-file={d / 'audit-policy.yaml'}",
            f"--audit-log-path={self.audit_log}", "--audit-log-mode=blocking", "--audit-log-maxsize=2000",
            "--max-requests-inflight=1000", "--max-mutating-requests-inflight=500",
            *(f"--default-{state}-toleration-seconds={tolerated}" for state in ("not-ready", "unreachable")),
            *aggregation.flags(self._identity.root, d),
        ])  # fmt: skip

    def _admission(self) -> int:
        """The SCC plugin, part of OpenShift's API server; here a process beside it, at the port returned."""
        port = free_port()
        serving = issue(self._identity.root, JUDGE, names=("127.0.0.1",))
        self.processes.start(JUDGE, [
            "env", f"PYTHONPATH={IMPORTED_FROM}", sys.executable, "-m", "podwright.lab.openshift.scc.server",
            "--kubeconfig", self._kubeconfig(LAB_USER, *LAB_GROUPS), "--port", str(port),
            "--certificate", self._write("scc.crt", serving.certificate), "--key", self._write("scc.key", serving.key),
        ])  # fmt: skip
        return port

    def _controllers(self) -> None:
        manager = self._kubeconfig("system:kube-controller-manager")
        self.processes.start("kube-controller-manager", [
            self._programs["kube-controller-manager"], f"--kubeconfig={manager}", "--leader-elect=false",
            f"--root-ca-file={self._dir / 'ca.crt'}",
            f"--service-account-private-key-file={self._dir / 'tokens.key'}",
            f"--cluster-signing-cert-file={self._dir / 'ca.crt'}",
            f"--cluster-signing-key-file={self._dir / 'ca.key'}",
            "--use-service-account-credentials=true", "--kube-api-qps=300", "--kube-api-burst=600",
            "--node-monitor-period=1s", f"--node-monitor-grace-period={GRACE_SECONDS}s",
            "--bind-address=127.0.0.1", f"--secure-port={free_port()}", f"--cert-dir={self._dir}",
        ])  # fmt: skip
        config = self._write(
            "scheduler.yaml",
            SCHEDULER.format(kubeconfig=self._kubeconfig("system:kube-scheduler")).encode(),
        )
        self.processes.start("kube-scheduler", [
            self._programs["kube-scheduler"], f"--config={config}", "--bind-address=127.0.0.1",
            f"--secure-port={free_port()}", f"--cert-dir={self._dir}",
        ])  # fmt: skip

    def access(self, user: str, *groups: str) -> Access:
        """A client certificate of this cluster for `user` in `groups`."""
        return self.certified(issue(self._identity.root, user, groups))

    def certified(self, client: Pair) -> Access:
        """The way to this cluster for whoever has this certificate and its key."""
        return Access(self.url, self._identity.root.certificate, client)

    def _kubeconfig(self, user: str, *groups: str) -> Path:
        text = kubeconfig.render(self._identity.cluster, user, self.access(user, *groups))
        return self._write(f"{user.replace(':', '-')}.kubeconfig", text.encode())

    def _write(self, name: str, data: bytes) -> Path:
        path = self._dir / name
        path.touch(mode=0o600)
        path.write_bytes(data)
        return path
