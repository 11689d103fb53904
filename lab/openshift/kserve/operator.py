"""KServe's controller: the real program, while OpenShift AI has its component on and a pod runs it.

After red-hat-data-services/rhods-operator, branch rhoai-3.4, internal/controller/components/kserve: the kinds stay
when the component goes, the Deployments and webhooks do not. The program is KServe 0.20.0, upstream's; Red Hat's build
of 3.4 is a fork of 0.17.
"""

from __future__ import annotations

import os
from pathlib import Path

from podwright.lab.openshift import certificates
from podwright.lab.openshift.api import path_of
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.data_science.components import APPLICATIONS
from podwright.lab.openshift.hosted import runs
from podwright.lab.openshift.kinds import DATA_SCIENCE_CLUSTERS, DEPLOYMENTS
from podwright.lab.openshift.kserve import configuration, rights, webhooks
from podwright.lab.openshift.operands import Readiness
from podwright.lab.openshift.ports import free_port

PROGRAM = "kserve"


class KServe(Controller):
    """One pass: whether a pod runs it, the process, its webhooks."""

    watches = (DATA_SCIENCE_CLUSTERS, DEPLOYMENTS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._readiness: Readiness | None = None
        self._port = self._registered = 0
        self._root = b""

    def reconcile(self) -> None:
        """One pass."""
        plane = self.around.plane
        if plane is None or not os.access(plane.program(PROGRAM), os.X_OK):
            return
        home = self.cache.get(DEPLOYMENTS, rights.NAME, APPLICATIONS)
        if not runs(self.cache, home):
            # While no pod runs it the webhooks stand, and what they would judge is refused.
            plane.processes.end(PROGRAM)
            if home is None and self.api.get(webhooks.SERVICES) is not None:
                webhooks.withdraw(self.api)
            return
        if self._readiness is None or PROGRAM not in plane.processes.pids():
            self._start(plane)
        if self._readiness is None or not self._readiness.holds():
            self._over.wait(0.2)
            self.ring()
        elif self._registered != self._port:
            webhooks.register(self.api, self._port, self._root)
            self._registered = self._port

    def _headless(self) -> bool:
        every = self.cache.list(DATA_SCIENCE_CLUSTERS)
        own = [(each["spec"].get("components") or {}).get("kserve") or {} for each in every]
        return not any(each.get("rawDeploymentServiceConfig") == "Headed" for each in own)

    def _start(self, plane: ControlPlane) -> None:
        plane.processes.end(PROGRAM)
        self.around.crds.apply(self.api, webhooks.KINDS)
        for path, body in rights.objects():
            self.api.ensure(path, body)
        # Another configuration comes with another pod: the operator writes a digest of it into the Deployment.
        self.api.delete(path_of("v1", "configmaps", APPLICATIONS, configuration.NAME))
        body = configuration.config_map(headless=self._headless())
        self.api.create(path_of("v1", "configmaps", APPLICATIONS), body)
        folder = plane.folder(PROGRAM)
        root = certificates.make_root("openshift-service-serving-signer")
        served = certificates.issue(root, webhooks.HOST, names=(webhooks.HOST,))
        # The program takes its certificate from a folder of the system's for temporary files, and no other.
        place = folder / "k8s-webhook-server" / "serving-certs"
        place.mkdir(parents=True, exist_ok=True)
        for name, content in (("tls.crt", served.certificate), ("tls.key", served.key)):
            (place / name).touch(mode=0o600)
            (place / name).write_bytes(content)
        health, self._port, self._root = free_port(), free_port(), root.certificate
        self._readiness = Readiness.of(health)
        access = plane.account(rights.ACCOUNT, *rights.GROUPS)
        given: list[str | Path] = ["env", f"TMPDIR={folder}", f"POD_NAMESPACE={APPLICATIONS}", f"KUBECONFIG={access}"]
        plane.processes.start(PROGRAM, [
            *given, plane.program(PROGRAM), "--metrics-addr=0", f"--webhook-port={self._port}",
            f"--health-probe-addr=127.0.0.1:{health}",
        ])  # fmt: skip
