"""Limits of every container of a pool: kubelet's, and CRI-O's by a ContainerRuntimeConfig.

OpenShift's guide gives the number of processes and the size of logs to kubelet; in a ContainerRuntimeConfig both are
expected to be deprecated
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/machine_configuration/machine-configs-custom).
"""

from typing import Any

from podwright.components.design.platform.names import POOL_LABEL, Manifest
from podwright.components.model import Containers


def kubelet(limits: Containers | None) -> dict[str, Any]:
    """Fields of kubelet's configuration; empty where nothing is defined."""
    if limits is None:
        return {}
    fields = {
        "podPidsLimit": limits.pids,
        "containerLogMaxSize": limits.log_mib and f"{limits.log_mib}Mi",
        "containerLogMaxFiles": limits.log_files,
    }
    return {name: value for name, value in fields.items() if value is not None}


def runtime_config(pool: str, limits: Containers | None) -> Manifest | None:
    """The pool's one ContainerRuntimeConfig; None where CRI-O keeps what it has."""
    if limits is None or limits.layer_gib is None:
        return None
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "ContainerRuntimeConfig",
        "metadata": {"name": pool},
        "spec": {
            "machineConfigPoolSelector": {"matchLabels": {POOL_LABEL: pool}},
            "containerRuntimeConfig": {"overlaySize": f"{limits.layer_gib}Gi"},
        },
    }
