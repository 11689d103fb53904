"""Nodes that fall silent for good: who decides that one is lost, and what takes it out of service.

Sources: medik8s/node-healthcheck-operator release-0.12 (api/v1alpha1/nodehealthcheck_types.go;
internal/controller/nodehealthcheck_controller.go: how healthy nodes are counted, and that no node is remediated while
the Machine Config Operator takes it to another configuration), medik8s/self-node-remediation release-0.13
(internal/controller/selfnoderemediation_controller.go: a node without an agent is never remediated;
api/v1alpha1/selfnoderemediationconfig_types.go), Kubernetes, pkg/controller/podgc (`gcTerminating`).
"""

from collections.abc import Mapping

from podwright.components.design.platform.names import POOL_LABEL, Manifest, every_node
from podwright.components.model import LostNodes
from podwright.components.model.catalogue import ReleaseSet

AGENTS = "self-node-remediation.medik8s.io/v1alpha1"
CHECKS = "remediation.medik8s.io/v1alpha1"
TEMPLATE = "podwright"
CONFIG = "self-node-remediation-config"
"""The one object of its kind that the operator reads, which it makes when it starts."""


def made(release: ReleaseSet) -> str:
    """API path of the configuration that the agents' operator makes by itself."""
    home = release.self_node_remediation.namespace
    return f"/apis/{AGENTS}/namespaces/{home}/selfnoderemediationconfigs/{CONFIG}"


def configuration(release: ReleaseSet, *, admission: bool) -> Manifest:
    """Agents run on nodes of every pool, and before a node is admitted. All times are the operator's own: they are
    what its sum of the time for a reset is made of."""
    return {
        "apiVersion": AGENTS,
        "kind": "SelfNodeRemediationConfig",
        "metadata": {"name": CONFIG, "namespace": release.self_node_remediation.namespace},
        "spec": {"customDsTolerations": every_node(admission=admission)},
    }


def template(release: ReleaseSet) -> Manifest:
    """Out of service, and no other way: with it the cluster's own controllers delete pods and detach volumes."""
    return {
        "apiVersion": AGENTS,
        "kind": "SelfNodeRemediationTemplate",
        "metadata": {"name": TEMPLATE, "namespace": release.self_node_remediation.namespace},
        "spec": {"template": {"spec": {"remediationStrategy": "OutOfServiceTaint"}}},
    }


def health_check(release: ReleaseSet, section: LostNodes, pool: str) -> Manifest:
    """One for each pool: its nodes alone are counted, so that a loss elsewhere keeps none of them waiting."""
    lasts = f"{section.after_seconds}s"
    return {
        "apiVersion": CHECKS,
        "kind": "NodeHealthCheck",
        "metadata": {"name": pool},
        "spec": {
            "selector": {"matchLabels": {POOL_LABEL: pool}},
            # Every status but True, each with its own clock: a node that shuts down itself goes from False to Unknown.
            "unhealthyConditions": [
                {"type": "Ready", "status": "False", "duration": lasts},
                {"type": "Ready", "status": "Unknown", "duration": lasts},
            ],
            "maxUnhealthy": section.max_lost,
            "remediationTemplate": _reference(template(release)),
        },
    }


def health_checks(release: ReleaseSet, section: LostNodes) -> list[Manifest]:
    """Of every watched pool, in the file's order."""
    return [health_check(release, section, pool) for pool in section.pools]


def _reference(manifest: Manifest) -> Mapping[str, str]:
    meta = manifest["metadata"]
    return {key: manifest[key] for key in ("apiVersion", "kind")} | {key: meta[key] for key in ("name", "namespace")}
