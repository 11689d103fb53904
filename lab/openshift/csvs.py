"""ClusterServiceVersions: from Pending to Succeeded by their Deployment's health, and back when it has no pod."""

from __future__ import annotations

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, now
from podwright.lab.openshift.kinds import CSVS, DEPLOYMENTS, OPERATOR_GROUPS

GROUP = "operators.coreos.com/v1alpha1"


class Csvs(Controller):
    """Takes a CSV from Pending to Succeeded by its Deployment, and back when the Deployment has no pod."""

    watches = (CSVS, OPERATOR_GROUPS, DEPLOYMENTS)

    def reconcile(self) -> None:
        """One pass over all CSVs."""
        for csv in self.cache.list(CSVS):
            phase, reason, message = self._phase(csv)
            status = csv.get("status", {})
            if (phase, reason) != (status.get("phase"), status.get("reason")):
                row = {
                    "phase": phase,
                    "reason": reason,
                    "message": message,
                    "lastUpdateTime": now(),
                    "lastTransitionTime": now(),
                }
                rows = [*status.get("conditions", []), row][-20:]
                self.set_status(CSVS, csv, {**row, "conditions": rows})
                self.ring()

    def _phase(self, csv: Object) -> tuple[str, str, str]:
        namespace = csv["metadata"]["namespace"]
        groups = self.cache.list(OPERATOR_GROUPS, namespace)
        if not groups:
            return "Failed", "NoOperatorGroup", "csv in namespace with no operatorgroups"
        if len(groups) > 1:
            return (
                "Failed",
                "TooManyOperatorGroups",
                "csv created in namespace with multiple operatorgroups, can't pick one automatically",
            )
        mode = _mode(groups[0], namespace)
        supported = {row["type"] for row in csv["spec"].get("installModes", []) if row["supported"]}
        if mode not in supported:
            return (
                "Failed",
                "UnsupportedOperatorGroup",
                f"{mode} InstallModeType not supported, cannot configure to watch {_watch(mode)}",
            )
        before = csv.get("status", {}).get("phase", "")
        if before == "" or (before == "Failed" and csv["status"].get("reason") != "InstallCheckFailed"):
            return "Pending", "RequirementsUnknown", "requirements not yet checked"
        if before == "Pending":
            return "InstallReady", "AllRequirementsMet", "all requirements found, attempting install"
        return self._installed(csv)

    def _installed(self, csv: Object) -> tuple[str, str, str]:
        namespace = csv["metadata"]["namespace"]
        for row in csv["spec"]["install"]["spec"]["deployments"]:
            deployment = self.cache.get(DEPLOYMENTS, row["name"], namespace)
            if deployment is None:
                self.api.ensure(DEPLOYMENTS.path(namespace), {
                    "apiVersion": "apps/v1", "kind": "Deployment",
                    "metadata": {
                        "name": row["name"], "namespace": namespace, "labels": {"olm.managed": "true"},
                        "ownerReferences": self.own(csv, GROUP, "ClusterServiceVersion"),
                    },
                    "spec": row["spec"],
                })  # fmt: skip
                return "Installing", "InstallSucceeded", "waiting for install components to report healthy"
            if deployment.get("status", {}).get("availableReplicas", 0) < 1:
                return (
                    "Installing",
                    "InstallWaiting",
                    f"installing: waiting for deployment {row['name']} to become ready",
                )
        return "Succeeded", "InstallSucceeded", "install strategy completed with no errors"


def _mode(group: Object, namespace: str) -> str:
    targets = [t for t in group["spec"].get("targetNamespaces") or [] if t]
    if not targets:
        return "AllNamespaces"
    if len(targets) > 1:
        return "MultiNamespace"
    return "OwnNamespace" if targets[0] == namespace else "SingleNamespace"


def _watch(mode: str) -> str:
    return {"AllNamespaces": "all namespaces", "MultiNamespace": "multiple namespaces"}.get(mode, "own namespace")
