"""Yesterday's URNs, in one place: what a stack of an earlier release has is found again, not made again.

Before components had a contract, a cluster was six layers with a provider instance each, and children carried the
names of what they stand for alone.
"""

from collections.abc import Mapping
from typing import Any, Final

import pulumi

_LAYERS: Final = {
    "podwright:index:Fabric": "podwright:fabric:Fabric",
    "podwright:index:ServerRole": "podwright:compute:Compute",
    "podwright:index:InterconnectDomain": "podwright:compute:Compute",
    "podwright:index:ServerProfile": "podwright:compute:Compute",
    "podwright:index:RedfishServer": "podwright:compute:Compute",
    "podwright:index:OpenShiftCluster": "podwright:platform:Platform",
    "podwright:index:NodePool": "podwright:platform:Platform",
    "podwright:index:Team": "podwright:platform:Platform",
    "podwright:index:NodeFeatureDiscovery": "podwright:operators:Operators",
    "podwright:index:MaintenanceOperator": "podwright:operators:Operators",
    "podwright:index:SriovOperator": "podwright:operators:Operators",
    "podwright:index:NetworkOperator": "podwright:operators:Operators",
    "podwright:index:GpuOperator": "podwright:operators:Operators",
    "podwright:index:Storage": "podwright:storage:Storage",
    "podwright:index:FabricAcceptance": "podwright:workloads:Workloads",
    "podwright:index:TrainingJob": "podwright:workloads:Workloads",
    "podwright:index:InferenceService": "podwright:workloads:Workloads",
}
"""Layer that a component's children were in, by the component's token."""

_HEIRS: Final = {
    layer: token
    for token, layer in _LAYERS.items()
    if token.rpartition(":")[2]
    in ("Fabric", "ServerRole", "OpenShiftCluster", "NodeFeatureDiscovery", "Storage", "FabricAcceptance")
}
"""The component that takes a layer's place in the state, by the layer's token."""

_MEASURED_IN: Final = "podwright-acceptance"
"""Namespace of the acceptance tests, which was made with the teams."""


_NEW: Final = (
    "podwright:index:Join",
    "podwright:openshift:Taint",
    "podwright:openshift:DriverRollout",
    "podwright:openshift:HostNetwork",
)
"""Kinds that no layer had."""


def layer(token: str, cluster: str) -> str | None:
    """URN of the layer whose place a component takes; None for components that are new."""
    former = _LAYERS.get(token)
    return urn(former, cluster) if former is not None and _HEIRS[former] == token else None


def resource(args: pulumi.ResourceTransformationArgs, parent: str, component: str, cluster: str) -> str | None:
    """URN of the same resource in a layer; `parent` and `component` are its component's token and name."""
    former = _LAYERS.get(parent)
    if former is None or args.type_ in _NEW:
        return None
    own = component.removeprefix(f"{cluster}-")
    name = _name(args.type_, args.name.removeprefix(f"{component}-"), args.props, own, cluster)
    if _in_namespace(args.props) == _MEASURED_IN:
        former = "podwright:platform:Platform"
    elif args.type_ == "podwright:openshift:PoolReady":
        former = "podwright:operators:Operators"
    return urn(f"{former}${args.type_}", name)


def provider() -> str:
    """URN of the instance that the site's one takes the place of."""
    return urn("podwright:fabric:Fabric$pulumi:providers:podwright", "nxos")


def urn(types: str, name: str) -> str:
    """A URN in this stack."""
    return f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::{types}::{name}"


def _name(type_: str, child: str, props: Mapping[str, Any], own: str, cluster: str) -> str:
    if type_.startswith("kubernetes:"):
        meta = props["metadata"]
        kind = str(props["kind"]).lower()
        return "-".join(part for part in (kind, meta.get("namespace"), meta["name"]) if part)
    match type_:
        case "podwright:intersight:Policy" | "podwright:intersight:Pool":
            return str(props["spec"]["name"])
        case "podwright:intersight:ServerProfile" | "podwright:redfish:Server":
            return own
        case "podwright:intersight:DomainProfile":
            return f"domain-{own}"
        case "podwright:openshift:Install":
            return cluster
        case "podwright:openshift:Rollout":
            return f"rollout-{own}"
        case "podwright:openshift:OperatorInstall":
            return str(props["spec"]["subscription"])
        case _:
            return child


def _in_namespace(props: Mapping[str, Any]) -> str | None:
    meta = props.get("metadata") or {}
    return meta.get("namespace") or (meta.get("name") if props.get("kind") == "Namespace" else None)
