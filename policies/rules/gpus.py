"""Rules about the GPU operator's settings, and pods that depend on them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from .kubernetes import called, containers, kind, of_kind, pod_labels, pod_spec, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, apart, nothing, strings

_HELM: Final = ("Release", "Chart")
_CHARTS: Final = ("gpu-operator", "network-operator", "node-feature-discovery")
_MIG: Final = "nvidia.com/mig-"
_OFF: Final = "all-disabled"
_ROLLOUT: Final = "podwright:openshift:Rollout"
_LAYOUT: Final = "nvidia.com/mig.config"
_SHARED: Final = ".shared"
_PURPOSE: Final = "podwright.io/purpose"
_CHOICE: Final = "nvidia.com/device-plugin.config"
_TRUE: Final = re.compile(r"\brenameByDefault\W+true\b")
_policy = of_kind("ClusterPolicy")
_map = of_kind("ConfigMap")


def _name(resource: Resource) -> str:
    return str((resource.props.get("metadata") or {}).get("name") or resource.name)


def _nvidia(resource: Resource) -> bool:
    return kind(resource) == "ClusterPolicy" and "nvidia.com/" in resource.type


def _by_olm(resource: Resource) -> Iterator[str]:
    if kind(resource) not in _HELM or "helm.sh/" not in resource.type:
        raise NotApplicable("no Helm chart")
    chart = str(resource.props.get("chart") or "").rsplit("/", 1)[-1]
    if chart in _CHARTS:
        yield f"Helm {kind(resource)} {resource.name} installs {chart}"


def _driver_toolkit(resource: Resource) -> Iterator[str]:
    if not _nvidia(resource):
        raise NotApplicable("no ClusterPolicy of NVIDIA")
    spec = resource.props.get("spec") or {}
    driver = spec.get("driver") or {}
    if driver.get("enabled") is False:
        yield f"ClusterPolicy {_name(resource)} turns the driver off: RHCOS has none, and no package manager"
    elif (spec.get("operator") or {}).get("use_ocp_driver_toolkit") is not True:
        yield f"ClusterPolicy {_name(resource)} does not build its driver in OpenShift's driver toolkit"


def _layouts(resources: Sequence[Resource]) -> Iterator[Finding]:
    policies = [each for each in resources if _nvidia(each)]
    if not policies:
        raise NotApplicable("no ClusterPolicy of NVIDIA")
    maps = {_name(each): each for each in resources if kind(each) == "ConfigMap"}
    for policy in policies:
        config: Any = ((policy.props.get("spec") or {}).get("migManager") or {}).get("config") or {}
        chosen = maps.get(name := str(config.get("name") or ""))
        if chosen is not None and _OFF not in str((chosen.props.get("data") or {}).get("config.yaml") or ""):
            message = f"ConfigMap {name}, MIG layouts of every node, has no layout {_OFF}"
            yield Finding(message, chosen.urn, (_map_named(name),))
        if (default := str(config.get("default") or "")) not in ("", _OFF):
            message = f"ClusterPolicy {called(policy)} gives nodes without a label the layout {default}"
            yield Finding(f"{message}: the operator takes {_OFF} or nothing there", policy.urn, (nothing,))


def _map_named(name: str) -> Callable[[Resource], bool]:
    """The test of a resource for being the ConfigMap of a name."""
    return lambda resource: kind(resource) == "ConfigMap" and _name(resource) == name


def _asked_layouts(resource: Resource) -> Iterator[tuple[str, str]]:
    """Nodes with the MIG layout that a resource asks for there."""
    if resource.type == _ROLLOUT:
        for node in (resource.props.get("spec") or {}).get("nodes") or []:
            if isinstance(node, Mapping) and isinstance(node.get("mig"), Mapping):
                yield str(node.get("name")), str(node["mig"].get("layout"))
    elif kind(resource) == "Node":
        label = strings((resource.props.get("metadata") or {}).get("labels")).get(_LAYOUT)
        if label is not None:
            yield called(resource), label


def _known(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Labels of nodes name layouts of the map that MIG manager reads."""
    maps = {_name(each): each for each in resources if kind(each) == "ConfigMap"}
    names = [
        ((each.props.get("spec") or {}).get("migManager") or {}).get("config") for each in resources if _nvidia(each)
    ]
    chosen = [maps[name] for each in names if (name := str((each or {}).get("name") or "")) in maps]
    if not chosen:
        raise NotApplicable("no map of MIG layouts")
    known = "\n".join(str((each.props.get("data") or {}).get("config.yaml") or "") for each in chosen)
    for each in resources:
        for node, layout in _asked_layouts(each):
            if not re.search(rf"(?<![\w.+-])['\"]?{re.escape(layout)}['\"]?\s*:", known):
                message = f"{each.type.rpartition(':')[2]} {called(each)} gives {node} the MIG layout {layout}"
                yield Finding(f"{message}, which ConfigMap {_name(chosen[0])} does not have", each.urn)


def _layouts_or_pods(token: str) -> bool:
    return _policy(token) or runs_pods(token)


def _mixed(resources: Sequence[Resource]) -> Iterator[Finding]:
    strategies = {
        str(((each.props.get("spec") or {}).get("mig") or {}).get("strategy") or "single"): called(each)
        for each in resources
        if _nvidia(each)
    }
    if not strategies:
        raise NotApplicable("no ClusterPolicy of NVIDIA")
    for each in (one for one in resources if runs_pods(one.type)) if "mixed" not in strategies else ():
        for box in containers(pod_spec(each)):
            asked = (box.get("resources") or {}).get("limits") or (box.get("resources") or {}).get("requests")
            for key in sorted(strings(asked)):
                if key.startswith(_MIG):
                    strategy, name = next(iter(strategies.items()))
                    message = f"{kind(each)} {called(each)} asks for {key}, and ClusterPolicy {name}"
                    message += f" has MIG strategy {strategy}, under which no node offers it"
                    yield Finding(message, each.urn, (_is_mixed,))


def _is_mixed(resource: Resource) -> bool:
    return _nvidia(resource) and ((resource.props.get("spec") or {}).get("mig") or {}).get("strategy") == "mixed"


def _one_share(resource: Resource) -> Iterator[str]:
    asked = [
        (str(box.get("name")), key, int(count))
        for box in containers(pod_spec(resource))
        for key, count in sorted(strings((box.get("resources") or {}).get("limits")).items())
        if key.startswith("nvidia.com/") and key.endswith(_SHARED)
    ]
    if not asked:
        raise NotApplicable("no container asks for a share")
    for box, key, count in asked:
        if count > 1:
            yield f"{kind(resource)} {_name(resource)}: container {box} asks for {count} x {key}"
        if any(each.get(_PURPOSE) == "training" for each in pod_labels(resource)):
            yield f"{kind(resource)} {_name(resource)}: container {box} trains on {key}"


def _plugin(resources: Sequence[Resource]) -> Iterator[Finding]:
    """The device plugin's map: what each file shares has a name of its own, and labels name files."""
    policies = [each for each in resources if _nvidia(each)]
    maps = {_name(each): each for each in resources if kind(each) == "ConfigMap"}
    found: list[tuple[Resource, Any, Resource]] = []
    for policy in policies:
        config: Any = ((policy.props.get("spec") or {}).get("devicePlugin") or {}).get("config") or {}
        if (chosen := maps.get(str(config.get("name") or ""))) is not None:
            found.append((policy, config, chosen))
    if not found:
        raise NotApplicable("no map of the device plugin")
    known = {key for *_, chosen in found for key in chosen.props.get("data") or {}}
    for node in (each for each in resources if kind(each) == "Node"):
        label = strings((node.props.get("metadata") or {}).get("labels")).get(_CHOICE)
        if label is not None and label not in known:
            yield Finding(f"Node {called(node)} has {_CHOICE}={label}, which is no key of the map", node.urn)
    yield from apart(
        part for policy, config, chosen in found for part in (_default(policy, config, chosen), _renamed(chosen))
    )


def _default(policy: Resource, config: Any, chosen: Resource) -> Iterator[Finding]:
    if (default := str(config.get("default") or "")) not in (chosen.props.get("data") or {}):
        message = f"ClusterPolicy {called(policy)} has the default {default or 'nothing'} for the device plugin"
        message += f", which is no key of ConfigMap {_name(chosen)}"
        yield Finding(message, policy.urn, (_map_named(_name(chosen)),))


def _renamed(chosen: Resource) -> Iterator[Finding]:
    files = chosen.props.get("data") or {}

    def wrong(name: str) -> Iterator[Finding]:
        if "replicas" in (text := str(files[name])) and not _TRUE.search(text):
            message = f"ConfigMap {_name(chosen)}: {name} shares GPUs under the name of whole ones"
            yield Finding(message, chosen.urn, (_map_named(_name(chosen)),))

    yield from apart(map(wrong, sorted(files)))


GPUS: tuple[Rule | StackRule, ...] = (
    Rule(
        id="workloads-one-share-a-pod",
        title="A pod takes one share of a GPU, and no training takes any",
        why="Two shares may be two turns on one GPU: the device plugin ends such a pod with an error. A gang waits at "
        "every step for the member whose GPU somebody else uses.",
        fix="Ask for one share, or for whole GPUs or slices of a pool without `sharing`.",
        reference="https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus",
        severity="medium",
        types=runs_pods,
        check=_one_share,
    ),
    StackRule(
        id="operators-shares-have-their-name",
        title="Shares of GPUs have a name of their own, and nodes name a configuration that is there",
        why="Without renameByDefault a pod that asks for a GPU is given a share of one, with somebody else's job on "
        "it. A label that names the map instead of a key of it is an error that no pod shows: the node keeps what it "
        "had, and a new one offers no GPU.",
        fix="Define pools.<name>.sharing; or write renameByDefault: true in every file, and a key of the map as label "
        "and default.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html",
        severity="high",
        excused_by=lambda token: _policy(token) or _map(token),
        types=lambda token: _policy(token) or _map(token) or of_kind("Node")(token),
        compare=_plugin,
    ),
    Rule(
        id="operators-by-olm",
        title="NVIDIA's operators come by OLM on OpenShift",
        why="Charts bring defaults for other systems: no driver toolkit, no SecurityContextConstraints, plugins that "
        "OpenShift already has; beside OLM's operator two of them write the same objects.",
        fix="Leave them to the operators section: a Subscription with its pinned release.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/openshift/latest/introduction.html",
        severity="high",
        types=of_kind(*_HELM),
        check=_by_olm,
    ),
    Rule(
        id="operators-gpu-driver-built-for-rhcos",
        title="The GPU driver is built in OpenShift's driver toolkit",
        why="RHCOS has no driver, no compiler and no package manager: without the toolkit of its release the driver "
        "container waits for packages that never come, and no node offers a GPU.",
        fix="Write operator.use_ocp_driver_toolkit: true, and leave driver.enabled on.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/openshift/latest/install-gpu-ocp.html",
        severity="high",
        types=_policy,
        check=_driver_toolkit,
    ),
    StackRule(
        id="operators-mig-layouts-whole",
        title="A map of MIG layouts has the one that turns MIG off",
        why="Nodes without a label take the default, which may be all-disabled alone: a map without it leaves the MIG "
        "manager in an error on every GPU node, training nodes too.",
        fix="Add all-disabled to the map's config.yaml, and name no other default.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-mig.html",
        severity="high",
        types=lambda token: _policy(token) or _map(token),
        compare=_layouts,
    ),
    StackRule(
        id="operators-mig-layouts-known",
        title="A node's MIG layout is one of the map's",
        why="MIG manager fails on a layout that its map does not have, and the node offers what it did before: by then "
        "its pods were drained for the new one.",
        fix="Add the layout to the map that migManager.config.name names, or give the node one of the map's.",
        reference="https://github.com/NVIDIA/mig-parted/tree/main/deployments/container",
        severity="high",
        excused_by=lambda token: _policy(token) or _map(token),
        types=lambda token: _policy(token) or _map(token) or of_kind("Node")(token) or token == _ROLLOUT,
        compare=_known,
    ),
    StackRule(
        id="workloads-mig-slices-offered",
        title="Pods that ask for a MIG slice find one offered",
        why="Under the strategy single a slice is offered as nvidia.com/gpu: a pod that asks for it by its profile "
        "stays pending with every slice free.",
        fix="Write mig.strategy: mixed in the ClusterPolicy, as the plan does.",
        reference="https://docs.nvidia.com/datacenter/cloud-native/kubernetes/latest/index.html",
        severity="medium",
        types=_layouts_or_pods,
        compare=_mixed,
    ),
)
