"""The operator of the Red Hat build of Kueue: makes sure of cert-manager, then Kueue runs as its object has it.

After openshift/kueue-operator release-1.3, pkg/operator/target_config_reconciler.go: nothing happens without the kind
Issuer; conditions of its object; a change of the configuration starts Kueue anew; with the object all of it goes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import yaml

from podwright.lab.openshift.api import Object, path_of
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.cert_manager import signs
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.hosted import runs
from podwright.lab.openshift.kinds import CSVS, DEPLOYMENTS, KUEUES, NODES
from podwright.lab.openshift.kueue import webhooks
from podwright.lab.openshift.kueue.configuration import NAMESPACE, configuration, frameworks
from podwright.lab.openshift.operands import Readiness, ensure_deployment
from podwright.lab.openshift.ports import accepts, free_port

PROGRAM = "kueue"
DEPLOYMENT = "kueue-controller-manager"
IMAGE = "registry.redhat.io/kueue/kueue-rhel9"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:kueue-controller-manager"
FINALIZER = "kueue.openshift.io/finalizer"
ISSUERS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/issuers.cert-manager.io"
FILES = ("tls.crt", "tls.key", "ca.crt")
"""Of the Secret that Kueue makes for itself, which the kubelet puts into its certificate folder."""


class Kueue(Controller):
    """One pass: what is missing, else the process, its certificate, and what the object says of it."""

    watches = (KUEUES, CSVS, DEPLOYMENTS, NODES)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._started = ""
        self._ports: dict[str, int] = {}
        self._readiness: Readiness | None = None

    def reconcile(self) -> None:
        """One pass over the one object."""
        found = self.cache.get(KUEUES, "cluster")
        plane = self.around.plane
        if found is None or plane is None:
            return
        if not runs(self.cache, self.cache.get(DEPLOYMENTS, DEPLOYMENT, NAMESPACE)):
            plane.processes.end(PROGRAM)  # No pod runs it, whether its operator sees that or not.
        if running(self.cache, "kueue-operator") is None:
            return
        meta = found["metadata"]
        if meta.get("deletionTimestamp"):
            self._end(found, plane)
            return
        if self.api.get(ISSUERS) is None:
            self._report(found, False, "please make sure that cert-manager is installed on your cluster")
            return
        if FINALIZER not in meta.get("finalizers", []):
            finalizers = [*meta.get("finalizers", []), FINALIZER]
            self.cache.replace(KUEUES, self.patch(KUEUES, found, {"metadata": {"finalizers": finalizers}}))
        program = plane.program(PROGRAM)
        if not os.access(program, os.X_OK):
            self._report(found, False, f"the lab has no {program.name}: run `podwright setup queues`")
            return
        self._keep(found, plane, program)

    def _keep(self, found: Object, plane: ControlPlane, program: Path) -> None:
        if not signs(self.cache):
            self._report(found, False, "the webhooks' certificate is not ready yet")
            return
        if not ensure_deployment(self, NAMESPACE, DEPLOYMENT, IMAGE):
            self._report(found, False, "0 of 1 replicas are ready")
            return
        config = found["spec"].get("config") or {}
        mark = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()
        runs_already = PROGRAM in plane.processes.pids()
        if mark != self._started or (not runs_already and accepts(self._ports["webhook"])):
            plane.processes.end(PROGRAM)
            self._prepare(config, plane)
            self._started, runs_already = mark, False
        if not runs_already:
            self._start(plane, program)
        self._certificate(plane)
        unknown = frameworks(config)[1]
        message = f"the lab does not have {', '.join(unknown)}" if unknown else ""
        ready = self._readiness is not None and self._readiness.holds()
        self._report(found, ready and not unknown, message or ("" if ready else "0 of 1 replicas are ready"))
        if not ready:
            self.ring()

    def _prepare(self, config: dict[str, Any], plane: ControlPlane) -> None:
        """What a configuration brings. It stays while no pod runs: what the webhooks would judge is refused then."""
        self.around.crds.apply(self.api, webhooks.KINDS)
        self._ports = {"health": free_port(), "webhook": free_port()}
        webhooks.register(self.api, self._ports["webhook"])
        folder = plane.folder(PROGRAM)
        (folder / "certificates").mkdir(exist_ok=True)
        text = yaml.safe_dump(configuration(config, folder / "certificates", self._ports, self.around.world.timing))
        (folder / "configuration.yaml").write_text(text, encoding="utf-8")

    def _start(self, plane: ControlPlane, program: Path) -> None:
        plane.processes.start(PROGRAM, [
            program, "--config", plane.folder(PROGRAM) / "configuration.yaml", "--kubeconfig", plane.account(ACCOUNT),
            "--feature-gates", "VisibilityOnDemand=false",
        ])  # fmt: skip
        self._readiness = Readiness.of(self._ports["health"])

    def _certificate(self, plane: ControlPlane) -> None:
        """The kubelet's part: what the Secret has is in the folder that the process reads."""
        secret = self.api.get(path_of("v1", "secrets", NAMESPACE, webhooks.SECRET)) or {}
        for name, value in (secret.get("data") or {}).items():
            path, content = plane.folder(PROGRAM) / "certificates" / name, base64.b64decode(value)
            if name in FILES and (not path.exists() or path.read_bytes() != content):
                fresh = path.with_suffix(".new")
                fresh.touch(mode=0o600)
                fresh.write_bytes(content)
                fresh.rename(path)  # whole at once: Kueue reads it whenever it changes

    def _end(self, found: Object, plane: ControlPlane) -> None:
        webhooks.withdraw(self.api)
        plane.processes.end(PROGRAM)
        self.api.delete(DEPLOYMENTS.path(NAMESPACE, DEPLOYMENT))
        self._started = ""
        left = [each for each in found["metadata"].get("finalizers", []) if each != FINALIZER]
        self.patch(KUEUES, found, {"metadata": {"finalizers": left}})

    def _report(self, found: Object, available: bool, message: str) -> None:
        certified = self.api.get(ISSUERS) is not None
        rows = [
            condition("Available", available, "AsExpected" if available else "NotAvailable", message),
            condition("Degraded", not available and bool(message), "AsExpected" if available else "Missing", message),
            condition("CertManagerAvailable", certified, "AsExpected" if certified else "Missing"),
        ]
        known = found.get("status", {}).get("conditions", [])
        status = {"conditions": merge_conditions(known, rows), "readyReplicas": int(available)}
        self.set_status(KUEUES, found, status)
