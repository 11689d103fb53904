"""Where each pod runs and why, or why it does not: derived from live objects alone.

A GPU or RDMA resource reaches a pod through a chain of objects that different controllers own. The first broken
link is the reason; everything after it is its consequence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from podwright.components.providers.openshift.waiting import is_ready
from podwright.components.providers.status import claims, containers, images, readiness
from podwright.components.providers.status.owners import missing
from podwright.components.providers.status.snapshot import Object, Snapshot
from podwright.components.providers.status.verdict import NOT_READY, Expected, Verdict

NVIDIA_PRESENT = "feature.node.kubernetes.io/pci-10de.present"
MELLANOX_PRESENT = "feature.node.kubernetes.io/pci-15b3.present"
RAIL = "openshift.io/rail"


def diagnose(snapshot: Snapshot, expected: Iterable[Expected]) -> list[Verdict]:
    """A verdict for every pod of the workloads' namespaces, and one for every workload with fewer pods than asked."""
    wanted = tuple(expected)
    namespaces = {each.namespace for each in wanted}
    pods = [pod for pod in snapshot.of("Pod") if pod["metadata"].get("namespace") in namespaces]
    replicas = readiness.deployments(snapshot, wanted)
    verdicts = [_pod(snapshot, pod, replicas) for pod in pods]
    for each in wanted:
        verdicts += missing(snapshot, each)
    return sorted(verdicts, key=lambda verdict: (verdict.namespace, verdict.name))


def _pod(snapshot: Snapshot, pod: Object, replicas: Mapping[str, Object]) -> Verdict:
    meta, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
    node, phase = spec.get("nodeName"), status.get("phase", "Pending")
    images_refused = tuple(images.refused(pod))
    if not images_refused and (unwell := containers.unwell(pod)) is not None:
        return Verdict(meta["namespace"], meta["name"], unwell[0], node, unwell[1])
    if phase == "Running" and (late := readiness.unready(snapshot, pod, replicas)) is not None:
        return Verdict(meta["namespace"], meta["name"], NOT_READY, node, late)
    if phase in {"Running", "Succeeded"}:
        reason = _placed(spec)
    elif phase == "Failed":
        reason = status.get("message") or status.get("reason") or "its container failed"
    elif images_refused:
        reason = "; ".join(images_refused)
    else:
        reason = "; ".join((*claims.waiting(snapshot, pod), *_pending(snapshot, pod))) or _scheduler(pod)
    return Verdict(meta["namespace"], meta["name"], phase, node, reason)


def _placed(spec: Object) -> str:
    """Why a pod is where it is: the pool it asks for, and what it holds there."""
    pool = spec.get("nodeSelector", {}).get("podwright.io/pool")
    asks = _requests(spec)
    rails = sorted(int(name.removeprefix(RAIL)) for name in asks if name.removeprefix(RAIL).isdigit())
    parts = [f"{amount} × {name}" for name, amount in sorted(asks.items()) if not name.startswith(RAIL)]
    if rails:
        whole = len(rails) > 1 and rails == list(range(rails[0], rails[-1] + 1))
        parts.append(f"rails {rails[0]}-{rails[-1]}" if whole else f"rails {','.join(map(str, rails))}")
    return ": ".join(part for part in (f"pool {pool}" if pool else "", ", ".join(parts)) if part)


def _requests(spec: Object) -> dict[str, int]:
    total: dict[str, int] = {}
    for container in spec.get("containers", ()):
        for name, amount in container.get("resources", {}).get("requests", {}).items():
            if "/" in name:
                total[name] = total.get(name, 0) + int(amount)
    return total


def _scheduler(pod: Object) -> str:
    for condition in pod.get("status", {}).get("conditions", ()):
        if condition["type"] == "PodScheduled" and condition["status"] != "True":
            return str(condition.get("message", "the scheduler has not looked at it yet"))
    return "it is being started"


def _pending(snapshot: Snapshot, pod: Object) -> Iterator[str]:
    """The first broken link of each thing the pod needs."""
    spec = pod["spec"]
    selector = spec.get("nodeSelector", {})
    pool = selector.get("podwright.io/pool")
    nodes = [node for node in snapshot.of("Node") if _labels(node).get("podwright.io/pool") == pool] if pool else []
    if pool and not nodes:
        yield f"no node carries podwright.io/pool={pool}"
        return
    ready = [node for node in nodes if is_ready(node) and not node.get("spec", {}).get("unschedulable")]
    if nodes and not ready:
        yield f"no node of pool {pool} is Ready and open for pods"
        return
    for label, value in sorted(selector.items()):
        if label.startswith("nvidia.com/") and not any(_labels(node).get(label) == value for node in ready):
            yield _gpu_chain(snapshot, ready) or f"no node of pool {pool} is labelled {label}={value}"
            return
    for resource, amount in sorted(_requests(spec).items()):
        most = max((int(node["status"].get("allocatable", {}).get(resource, 0)) for node in ready), default=0)
        if most < amount:
            yield _resource_chain(snapshot, ready, resource) or (
                f"no node of pool {pool} offers {amount} × {resource} (the most is {most})"
            )
            return
    yield from _networks(snapshot, pod)


def _resource_chain(snapshot: Snapshot, nodes: list[Object], resource: str) -> str | None:
    if resource.startswith("nvidia.com/"):
        return _gpu_chain(snapshot, nodes, resource)
    if resource.startswith("openshift.io/"):
        return _rail_chain(snapshot, resource.partition("/")[2], nodes)
    return None


def _gpu_chain(snapshot: Snapshot, nodes: list[Object], resource: str = "nvidia.com/gpu") -> str | None:
    links: tuple[Callable[[], str | None], ...] = (
        lambda: _discovered(snapshot, nodes),
        lambda: _operator(snapshot, "gpu-operator-certified"),
        lambda: _present(snapshot, "ClusterPolicy"),
        lambda: _driver(snapshot, nodes),
        lambda: _state(snapshot, "ClusterPolicy"),
        lambda: _mig(nodes) if resource.startswith("nvidia.com/mig-") else None,
        lambda: _shared(nodes) if resource.endswith(".shared") else None,
    )
    return next((broken for link in links if (broken := link())), None)


def _discovered(snapshot: Snapshot, nodes: list[Object]) -> str | None:
    """Labels outlive the discovery that wrote them, so it is only asked for where they are not there."""
    missing_label = _labelled(nodes, NVIDIA_PRESENT, "true")
    if missing_label is None:
        return None
    return _operator(snapshot, "nfd") or _present(snapshot, "NodeFeatureDiscovery") or missing_label


def _driver(snapshot: Snapshot, nodes: list[Object]) -> str | None:
    """On nodes with an RDMA NIC the GPU driver waits for the network operator's."""
    unready = _state(snapshot, "ClusterPolicy") is not None
    if not unready or _labelled(nodes, MELLANOX_PRESENT, "true") is not None:
        return None
    return (
        _operator(snapshot, "nvidia-network-operator")
        or _present(snapshot, "NicClusterPolicy")
        or _state(snapshot, "NicClusterPolicy")
        or _pools_driver(snapshot, nodes)
    )


def _pools_driver(snapshot: Snapshot, nodes: list[Object]) -> str | None:
    """Of the policies that are a pool's, those that select one of the nodes."""
    for policy in snapshot.of("NicNodePolicy"):
        selector = (policy.get("spec") or {}).get("nodeSelector") or {}
        if any(selector.items() <= _labels(node).items() for node in nodes) and (found := _unready(policy)):
            return f"NicNodePolicy {found}"
    return None


def _rail_chain(snapshot: Snapshot, resource: str, nodes: list[Object]) -> str | None:
    broken = _operator(snapshot, "sriov-network-operator") or _present(snapshot, "SriovOperatorConfig")
    if broken:
        return broken
    if not any(each["spec"].get("resourceName") == resource for each in snapshot.of("SriovNetworkNodePolicy")):
        return snapshot.unseen("SriovNetworkNodePolicy") or f"no SriovNetworkNodePolicy makes openshift.io/{resource}"
    for node in nodes:
        state = snapshot.named("SriovNetworkNodeState", node["metadata"]["name"])
        synced = (state or {}).get("status", {})
        if synced.get("syncStatus") not in {None, "Succeeded"}:
            error = synced.get("lastSyncError")
            sync = str(synced["syncStatus"])
            return f"SR-IOV on {node['metadata']['name']} is {sync}" + (f": {error}" if error else "")
    return None


def _operator(snapshot: Snapshot, package: str) -> str | None:
    if unseen := snapshot.unseen("Subscription", "ClusterServiceVersion"):
        return unseen
    subscription = next((each for each in snapshot.of("Subscription") if each["spec"]["name"] == package), None)
    if subscription is None:
        # An operator goes on running without its Subscription: only a missing CSV takes it away.
        running = any(
            each["metadata"]["name"].startswith(f"{package}.") for each in snapshot.of("ClusterServiceVersion")
        )
        return None if running else f"there is no Subscription for {package}"
    namespace = subscription["metadata"]["namespace"]
    csv = subscription.get("status", {}).get("installedCSV") or subscription["spec"].get("startingCSV", "")
    installed = snapshot.named("ClusterServiceVersion", csv, namespace)
    if installed is None:
        if unseen := snapshot.unseen("OperatorGroup", "InstallPlan"):
            return unseen
        if not any(each["metadata"]["namespace"] == namespace for each in snapshot.of("OperatorGroup")):
            return f"namespace {namespace} has no OperatorGroup, so {package} is never installed"
        waiting = [each for each in snapshot.of("InstallPlan") if csv in each["spec"]["clusterServiceVersionNames"]]
        if waiting and not waiting[0]["spec"].get("approved"):
            return f"InstallPlan {waiting[0]['metadata']['name']} for {csv} waits for approval"
        return f"{csv or package} is not installed in {namespace}"
    phase = installed.get("status", {}).get("phase")
    return None if phase == "Succeeded" else f"{csv} is {phase or 'not started'}"


def _present(snapshot: Snapshot, kind: str) -> str | None:
    return None if snapshot.of(kind) else snapshot.unseen(kind) or f"there is no {kind}"


def _state(snapshot: Snapshot, kind: str) -> str | None:
    found = _unready(snapshot.of(kind)[0])
    return None if found is None else f"{kind} {found}"


def _unready(policy: Object) -> str | None:
    state = policy.get("status", {}).get("state")
    return None if state == "ready" else f"{policy['metadata']['name']} is {state or 'not reconciled'}"


def _labelled(nodes: list[Object], label: str, value: str) -> str | None:
    without = [node["metadata"]["name"] for node in nodes if _labels(node).get(label) != value]
    return f"{', '.join(without)} not labelled {label}" if len(without) == len(nodes) else None


def _mig(nodes: list[Object]) -> str | None:
    for node in nodes:
        labels = _labels(node)
        state = labels.get("nvidia.com/mig.config.state")
        if "nvidia.com/mig.config" not in labels:
            return f"{node['metadata']['name']} carries no nvidia.com/mig.config label, so its GPUs are whole"
        if state != "success":
            layout = labels["nvidia.com/mig.config"]
            return f"MIG layout {layout} on {node['metadata']['name']} is {state or 'not applied'}"
    return None


def _shared(nodes: list[Object]) -> str | None:
    """The label that asks for shares, or the plugin that has not made any of it."""
    for node in nodes:
        asked = _labels(node).get("nvidia.com/device-plugin.config")
        if asked is None:
            return f"{node['metadata']['name']} carries no nvidia.com/device-plugin.config label, so nothing is shared"
        if not any(name.endswith(".shared") and amount != "0" for name, amount in _allocatable(node).items()):
            return f"the device plugin of {node['metadata']['name']} offers no shares by {asked}"
    return None


def _allocatable(node: Object) -> dict[str, str]:
    return dict(node.get("status", {}).get("allocatable", {}))


def _networks(snapshot: Snapshot, pod: Object) -> Iterator[str]:
    wanted = pod["metadata"].get("annotations", {}).get("k8s.v1.cni.cncf.io/networks", "")
    for reference in (part.strip() for part in wanted.split(",") if part.strip() and not wanted.startswith("[")):
        # `namespace/name@interface`, of which only the name must be there.
        namespace, _, name = reference.partition("@")[0].rpartition("/")
        home = namespace or pod["metadata"]["namespace"]
        if snapshot.named("NetworkAttachmentDefinition", name, home) is None:
            yield snapshot.unseen("NetworkAttachmentDefinition") or f"network {home}/{name} does not exist"
            return


def _labels(node: Object) -> dict[str, str]:
    return dict(node["metadata"].get("labels", {}))
