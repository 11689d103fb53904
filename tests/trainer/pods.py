"""Pods of a planned job, as far as a launcher can see them: the rendered command with the rendered variables, as
process 1 of its own processes, under the pod's name, with the /etc/hosts that kubelet writes, all on loopback.

Names that kubelet does not write come from DNS, which has the address of a pod some time after the pod started. One
thing is kinder than a cluster: an address of a pod that is gone refuses a connection at once.
"""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podwright.lab.openshift.scripts import variables

INDEX = "batch.kubernetes.io/job-completion-index"
_PORT = "29500"
_ISOLATED = 'mount --bind "$0" /etc/hosts && hostname "$1" && shift && exec "$@"'


@dataclass
class Pod:
    """One member's pod."""

    member: int
    address: str
    hosts: Path
    process: subprocess.Popen[bytes]
    drained: bool = False

    def ended(self) -> int | None:
        """What its process 1 ended with; None while it runs."""
        return self.process.poll()

    def first(self) -> int:
        """Process 1, by its number outside."""
        text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(text[0])

    def workers(self) -> list[int]:
        """Processes that the launcher started to train."""
        try:
            first = self.first()
            return [int(each) for each in Path(f"/proc/{first}/task/{first}/children").read_text().split()]
        except (OSError, IndexError):
            return []

    def kill(self) -> None:
        """Everything at once, as when its node is gone."""
        self.process.kill()

    def terminate(self) -> None:
        """As kubelet ends a pod that is deleted; SIGKILL is the caller's matter."""
        self.drained = True
        try:
            os.kill(self.first(), signal.SIGTERM)
        except (OSError, IndexError):
            self.kill()


@dataclass
class Cluster:
    """What all pods of one job share."""

    job: Mapping[str, Any]
    folder: Path
    port: int
    programs: Path
    """Folder that PATH begins with."""
    services: Mapping[str, str] = field(default_factory=dict)
    """Addresses of Services with one, by name: DNS always has them."""
    dns: dict[int, str] = field(default_factory=dict)
    started: int = 0

    @property
    def name(self) -> str:
        """The job's name."""
        return str(self.job["metadata"]["name"])

    @property
    def domain(self) -> str:
        """Of its members, without the cluster's own."""
        return f"{self.name}.{self.job['metadata']['namespace']}.svc"

    def start(self, member: int) -> Pod:
        """A new pod, with an address that none had before."""
        self.started += 1
        address = f"127.0.1.{self.started}"
        hosts = self.folder / f"hosts-{self.started}"
        self._write(hosts, member, address)
        own = {"metadata": {"name": f"{self.name}-{member}-x", "namespace": self.job["metadata"]["namespace"],
                            "annotations": {INDEX: str(member)}}, "spec": {}}  # fmt: skip
        (box,) = self.job["spec"]["template"]["spec"]["containers"]
        known = {key: self._here(value) for key, value in variables.environment(own, box).items()}
        words = [self._here(variables.expanded(word, known)) for word in box["command"]]
        isolated = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc",
                    *([] if os.geteuid() == 0 else ["--map-root-user"]),
                    "sh", "-c", _ISOLATED, str(hosts), f"{self.name}-{member}", *words]  # fmt: skip
        outside = {"PATH": f"{self.programs}:/usr/bin:/bin", "HOME": str(self.folder), "GLOO_SOCKET_IFNAME": "lo"}
        with (self.folder / f"pod-{self.started}-member-{member}.log").open("wb") as log:
            process = subprocess.Popen(isolated, env={**outside, **known}, stdout=log, stderr=log, cwd=self.folder)
        return Pod(member, address, hosts, process)

    def resolve(self, pods: Mapping[int, Pod]) -> None:
        """DNS has the addresses of these pods from now on."""
        self.dns = {member: pod.address for member, pod in pods.items()}
        for member, pod in pods.items():
            self._write(pod.hosts, member, pod.address)

    def _here(self, text: str) -> str:
        """Every cluster has this port; here another test may have it."""
        return text.replace(f":{_PORT}", f":{self.port}") if f":{_PORT}" in text else text

    def _write(self, hosts: Path, member: int, address: str) -> None:
        """In place: the file is mounted. kubelet's line for the pod itself stands before what DNS has."""
        own = f"{self.name}-{member}"
        lines = ["127.0.0.1 localhost", f"{address} {own}.{self.domain}.cluster.local {own}"]
        space = self.job["metadata"]["namespace"]
        lines += [f"{at} {name}.{space}.svc.cluster.local" for name, at in self.services.items()]
        for other, known in self.dns.items():
            short = f"{self.name}-{other}.{self.domain}"
            lines.append(f"{known} {short}" if other == member else f"{known} {short}.cluster.local {short}")
        hosts.write_text("\n".join(lines) + "\n")
