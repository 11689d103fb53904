"""Where nodes take their time from: the site's time servers, and no others.

One MachineConfig for the control plane and one for workers, which every custom pool takes too, by the names that Red
Hat documents for it
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/installation_configuration/installing-customizing).
They come after the installer's own `50-<role>s-chrony-configuration`, which has the site's servers behind a pool of the
internet (https://github.com/openshift/assisted-service, internal/network/manifests_generator.go). No node restarts for
it: a node disruption policy restarts chronyd alone
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.21/html/machine_configuration/machine-config-node-disruption_machine-configs-configure).
"""

from collections.abc import Sequence
from urllib.parse import quote

from podwright.components.design.platform.names import Manifest

FILE = "/etc/chrony.conf"
ROLES = ("master", "worker")
"""Those of OpenShift's own pools; a custom pool's nodes take the workers' configuration."""
_POLICIES = "{.status.nodeDisruptionPolicyStatus.clusterPolicies.files"


def name(role: str) -> str:
    """Of the MachineConfig."""
    return f"99-{role}-chrony"


def text(servers: Sequence[str]) -> str:
    """The file. All but the servers is what RHEL has: the clock steps in its first three updates only, and is copied to
    the hardware's."""
    lines = [f"server {server} iburst" for server in servers]
    lines += ["driftfile /var/lib/chrony/drift", "makestep 1.0 3", "rtcsync", "logdir /var/log/chrony"]
    return "".join(f"{line}\n" for line in lines)


def policy() -> Manifest:
    """Fields of the cluster's MachineConfiguration: its operator makes the object, and the list is keyed by path.

    Nodes go by what the operator merged into the status; before that they would restart.
    """
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "MachineConfiguration",
        "metadata": {
            "name": "cluster",
            "annotations": {"pulumi.com/waitFor": f'jsonpath={_POLICIES}[?(@.path=="{FILE}")].path}}'},
        },
        "spec": {
            "nodeDisruptionPolicy": {
                "files": [
                    {"path": FILE, "actions": [{"type": "Restart", "restart": {"serviceName": "chronyd.service"}}]}
                ]
            }
        },
    }


def configurations(servers: Sequence[str]) -> tuple[Manifest, ...]:
    """A MachineConfig for each of OpenShift's own pools."""
    file = {"path": FILE, "mode": 0o644, "overwrite": True, "contents": {"source": f"data:,{quote(text(servers))}"}}
    return tuple(
        {
            "apiVersion": "machineconfiguration.openshift.io/v1",
            "kind": "MachineConfig",
            "metadata": {"name": name(role), "labels": {"machineconfiguration.openshift.io/role": role}},
            "spec": {"config": {"ignition": {"version": "3.4.0"}, "storage": {"files": [file]}}},
        }
        for role in ROLES
    )
