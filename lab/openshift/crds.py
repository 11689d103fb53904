"""Custom resource definitions: upstream files as they are, found by the name they carry, applied unparsed."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from podwright.lab.openshift.api import Api
from podwright.lab.openshift.cache import wait_for

log = logging.getLogger("lab.openshift")
OWN = Path(__file__).with_name("crds")
NAME = re.compile(rb"^  [\"']?name[\"']?:\s*[\"']?([a-z0-9-]+\.[a-z0-9.-]+)[\"']?\s*$", re.MULTILINE)
AT_INSTALL = (
    "clusterversions.config.openshift.io", "infrastructures.config.openshift.io",
    "clusteroperators.config.openshift.io", "dnses.config.openshift.io", "networks.config.openshift.io",
    "ingresses.config.openshift.io", "imagedigestmirrorsets.config.openshift.io", "oauths.config.openshift.io",
    "images.config.openshift.io", "clusterimagepolicies.config.openshift.io",
    "imagetagmirrorsets.config.openshift.io", "operatorhubs.config.openshift.io",
    "machineconfigs.machineconfiguration.openshift.io", "machineconfigpools.machineconfiguration.openshift.io",
    "kubeletconfigs.machineconfiguration.openshift.io",
    "containerruntimeconfigs.machineconfiguration.openshift.io", "machineconfigurations.operator.openshift.io",
    "etcds.operator.openshift.io", "networks.operator.openshift.io", "ingresscontrollers.operator.openshift.io",
    "configs.imageregistry.operator.openshift.io",
    "catalogsources.operators.coreos.com", "clusterserviceversions.operators.coreos.com",
    "installplans.operators.coreos.com", "operatorgroups.operators.coreos.com",
    "subscriptions.operators.coreos.com", "operatorconditions.operators.coreos.com",
    "network-attachment-definitions.k8s.cni.cncf.io",
    "servicemonitors.monitoring.coreos.com", "podmonitors.monitoring.coreos.com",
    "prometheusrules.monitoring.coreos.com", "alertingrules.monitoring.openshift.io",
    "adminnetworkpolicies.policy.networking.k8s.io", "baselineadminnetworkpolicies.policy.networking.k8s.io",
    "gatewayclasses.gateway.networking.k8s.io", "gateways.gateway.networking.k8s.io",
    "grpcroutes.gateway.networking.k8s.io", "httproutes.gateway.networking.k8s.io",
    "referencegrants.gateway.networking.k8s.io",
    "routes.route.openshift.io", "securitycontextconstraints.security.openshift.io",
    "clusterresourcequotas.quota.openshift.io",
    "performanceprofiles.performance.openshift.io", "tuneds.tuned.openshift.io", "profiles.tuned.openshift.io",
)  # fmt: skip
"""What a fresh cluster serves before any operator is added, as far as the lab needs it."""


class CrdLibrary:
    """The CRD files of a folder tree, by name. The lab's own come before upstream's."""

    def __init__(self, folder: Path) -> None:
        self._files: dict[str, Path] = {}
        # Ours are of a later release than the dump of a cluster that has a kind of the same name.
        for root in (folder, OWN):
            for path in sorted([*root.rglob("*.yaml"), *root.rglob("*.yml"), *root.rglob("*.json")]):
                found = NAME.search(path.read_bytes())
                if found:
                    self._files[found.group(1).decode()] = path

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def apply(self, api: Api, names: tuple[str, ...]) -> list[str]:
        """Apply the named CRDs; returns those that no file defines. Waits until the others are served."""
        base = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        missing = [name for name in names if name not in self._files]
        present = [name for name in names if name in self._files]
        for name in present:
            api.apply_text(f"{base}/{name}", self._files[name].read_bytes())
        for name in present:
            if not wait_for(lambda path=f"{base}/{name}": _established(api, path), 20):  # type: ignore[misc]
                log.warning("CRD %s was not established in 20 s", name)
        return missing


def _established(api: Api, path: str) -> bool:
    found = api.get(path) or {}
    return any(
        c["type"] == "Established" and c["status"] == "True" for c in found.get("status", {}).get("conditions") or []
    )
