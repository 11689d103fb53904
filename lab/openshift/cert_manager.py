"""The cert-manager operator: its one object, and the three Deployments that it makes of it.

After openshift/cert-manager-operator at 454cb88: pkg/controller/certmanager/default_cert_manager_controller.go (the
object named cluster is made where nobody has), generic_deployment_controller.go (conditions are named after each
Deployment's controller), deployment_overrides.go (`overrideScheduling`), bindata/cert-manager-deployment (pods tolerate
nothing by themselves; nothing that it makes has an owner, so that all stays when the object goes).
"""

from __future__ import annotations

from podwright.lab.openshift.api import Object, path_of
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.kinds import CERT_MANAGERS, CSVS, DEPLOYMENTS
from podwright.lab.openshift.operands import ensure_deployment

PACKAGE = "openshift-cert-manager-operator"
NAMESPACE = "cert-manager"
IMAGE = "registry.redhat.io/cert-manager/jetstack-cert-manager-rhel9"
PARTS = {
    "controller": ("cert-manager", "controllerConfig"),
    "webhook": ("cert-manager-webhook", "webhookConfig"),
    "cainjector": ("cert-manager-cainjector", "cainjectorConfig"),
}
"""Deployment of each part, and the section of the object that changes it."""


class CertManagers(Controller):
    """One pass: the object, its Deployments, and what the object says of them."""

    watches = (CERT_MANAGERS, CSVS, DEPLOYMENTS)

    def reconcile(self) -> None:
        """One pass over the one object."""
        if running(self.cache, PACKAGE) is None:
            return
        found = self.cache.get(CERT_MANAGERS, "cluster")
        if found is None:
            self.api.ensure(CERT_MANAGERS.path(), {
                "apiVersion": CERT_MANAGERS.api_version, "kind": "CertManager", "metadata": {"name": "cluster"},
                "spec": {"managementState": "Managed"},
            })  # fmt: skip
        elif found["spec"].get("managementState") == "Managed":
            self._keep(found)

    def _keep(self, found: Object) -> None:
        self.api.ensure(path_of("v1", "namespaces"), {
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE},
        })  # fmt: skip
        rows = []
        for part, (deployment, section) in PARTS.items():
            scheduling = (found["spec"].get(section) or {}).get("overrideScheduling") or {}
            tolerations = scheduling.get("tolerations") or []
            available = ensure_deployment(self, NAMESPACE, deployment, IMAGE, tolerations=tolerations)
            reason = "AsExpected" if available else "NoPod"
            rows.append(condition(f"cert-manager-{part}-deploymentAvailable", available, reason))
        known = found.get("status", {}).get("conditions", [])
        self.set_status(CERT_MANAGERS, found, {"conditions": merge_conditions(known, rows)})


def signs(known: Cache) -> bool:
    """Whether certificates that are asked for are made: all of cert-manager runs."""
    found = (known.get(DEPLOYMENTS, name, NAMESPACE) for name, _ in PARTS.values())
    return all(each is not None and each.get("status", {}).get("availableReplicas") for each in found)
