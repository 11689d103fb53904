"""The JobSet Operator: makes sure of cert-manager, then JobSet runs for its object, and its kind is there.

After openshift/jobset-operator at f9d991e, pkg/operator/target_config_reconciler.go: nothing happens without the kind
Issuer; the kind JobSet and the webhooks are the object's, and go with it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from podwright.lab.openshift import certificates
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.cert_manager import signs
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.hosted import runs
from podwright.lab.openshift.job_sets import webhooks
from podwright.lab.openshift.job_sets.webhooks import NAMESPACE
from podwright.lab.openshift.kinds import CSVS, DEPLOYMENTS, JOB_SET_OPERATORS, NODES
from podwright.lab.openshift.kueue.operator import ISSUERS
from podwright.lab.openshift.operands import Readiness, ensure_deployment
from podwright.lab.openshift.ports import accepts, free_port

PROGRAM = "jobset"
DEPLOYMENT = "jobset-controller-manager"
IMAGE = "registry.redhat.io/job-set/jobset-rhel9"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:jobset-controller-manager"
DEFINITION = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{webhooks.KIND}"
UNMANAGED = frozenset({"Unmanaged", "Removed", "Force"})


def configuration(folder: Path, ports: dict[str, int]) -> dict[str, Any]:
    """JobSet's Configuration; `ports` of `health` and `webhook`. What differs from the operator's own is how the
    process is reached: its ports, where its certificate is, and no election among one."""
    return {
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports['health']}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": ports["webhook"], "certDir": str(folder)},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
    }


class JobSets(Controller):
    """One pass: what is missing, else the process, and what the object says of it."""

    watches = (JOB_SET_OPERATORS, CSVS, DEPLOYMENTS, NODES)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._readiness: Readiness | None = None
        self._ports: dict[str, int] = {}

    def reconcile(self) -> None:
        """One pass over the one object."""
        plane, found = self.around.plane, self.cache.get(JOB_SET_OPERATORS, "cluster")
        if plane is None:
            return
        if found is None or found["metadata"].get("deletionTimestamp"):
            self._ports = {}
            if PROGRAM in plane.processes.pids():
                # The collector of garbage takes the rest.
                webhooks.withdraw(self.api)
                plane.processes.end(PROGRAM)
            return
        if not runs(self.cache, self.cache.get(DEPLOYMENTS, DEPLOYMENT, NAMESPACE)):
            plane.processes.end(PROGRAM)  # No pod runs it, whether its operator sees that or not.
        if running(self.cache, "job-set") is None or found["spec"].get("managementState") in UNMANAGED:
            return
        program = plane.program(PROGRAM)
        if self.api.get(ISSUERS) is None:
            self._report(found, False, "please make sure that cert-manager is installed on your cluster")
        elif not signs(self.cache):
            self._report(found, False, "no certificate is issued for the webhooks yet")
        elif not os.access(program, os.X_OK):
            self._report(found, False, f"the lab has no {program.name}: run `podwright setup queues`")
        else:
            self._keep(found, plane, program)

    def _keep(self, found: Object, plane: ControlPlane, program: Path) -> None:
        owned = self.own(found, JOB_SET_OPERATORS.api_version, "JobSetOperator")
        if not ensure_deployment(self, NAMESPACE, DEPLOYMENT, IMAGE, owner=owned):
            self._report(found, False, "Operand Deployment is not available")
            return
        if self._readiness is None or PROGRAM not in plane.processes.pids():
            plane.processes.end(PROGRAM)  # that of a stand-in before this one
            if not self._ports or accepts(self._ports["webhook"]):
                self._prepare(owned, plane)
            words: list[str | Path] = [
                *(program, "--config", plane.folder(PROGRAM) / "configuration.yaml"),
                *("--kubeconfig", plane.account(ACCOUNT)),
            ]
            plane.processes.start(PROGRAM, words)
            self._readiness = Readiness.of(self._ports["health"])
        ready = self._readiness is not None and self._readiness.holds()
        self._report(found, ready, "" if ready else "Operand Deployment is not available")
        if not ready:
            self.ring()

    def _prepare(self, owned: list[Object], plane: ControlPlane) -> None:
        """What comes with the object. It stays while no pod runs: what the webhooks would judge is refused then."""
        self.around.crds.apply(self.api, (webhooks.KIND,))
        self.api.merge(DEFINITION, {"metadata": {"ownerReferences": owned}})
        self._ports = {"health": free_port(), "webhook": free_port()}
        folder = plane.folder(PROGRAM)
        root = certificates.make_root("jobset-selfsigned-issuer")
        served = certificates.issue(root, webhooks.HOST, names=(webhooks.HOST,))
        for name, content in (("tls.crt", served.certificate), ("tls.key", served.key)):
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(content)
        webhooks.register(self.api, self._ports["webhook"], root.certificate, owned)
        text = yaml.safe_dump(configuration(folder, self._ports))
        (folder / "configuration.yaml").write_text(text, encoding="utf-8")

    def _report(self, found: Object, available: bool, message: str) -> None:
        certified = self.api.get(ISSUERS) is not None
        rows = [
            condition("Available", available, "AsExpected" if available else "DeploymentUnavailable", message),
            condition("Degraded", not certified, "AsExpected" if certified else "MissingDependency",
                      "" if certified else message),
        ]  # fmt: skip
        known = found.get("status", {}).get("conditions", [])
        status = {"conditions": merge_conditions(known, rows), "readyReplicas": int(available)}
        self.set_status(JOB_SET_OPERATORS, found, status)
