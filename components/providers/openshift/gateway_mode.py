"""Waits until OVN-Kubernetes has a gateway mode on every node, which the Network asks for and nodes take one by one.

What is read (openshift/cluster-network-operator, release-4.19 to release-4.22; ovn-kubernetes/ovn-kubernetes):

- A daemon (DaemonSet ovnkube-node) writes the mode that it was started with on its node, in the annotation
  `k8s.ovn.org/l3-gateway-config`, and is ready only later (go-controller/pkg/node/gateway_init.go; bindata/network/
  ovn-kubernetes/self-hosted/ovnkube-node.yaml).
- The operator puts a hash of the script that has the mode into the annotations of the DaemonSet's template
  (pkg/network/ovn_kubernetes.go). A pod with another one is of before the last change, whatever its node says.

What is not waited for: conditions of ClusterOperator `network` follow the DaemonSet's status
(pkg/controller/statusmanager/pod_status.go), so that they are of before the change until that is written, and with 4.22
Progressing ends while the last pods are not ready yet; the Network's own status names no generation. They say why it
takes so long.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.health import OPERATORS
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waited import Waited
from podwright.components.providers.openshift.waiting import NODES, Patience, few, is_ready, step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

HOME, NAME = "openshift-ovn-kubernetes", "ovnkube-node"
DAEMONS = f"/apis/apps/v1/namespaces/{HOME}/daemonsets/{NAME}"
PODS = f"/api/v1/namespaces/{HOME}/pods?labelSelector=app%3D{NAME}"
OPERATOR = f"{OPERATORS}/network"
GATEWAY = "k8s.ovn.org/l3-gateway-config"
STALLED_SECONDS = 900.0
"""For no further node. The operator calls a rollout hung after ten minutes without a change (statusmanager,
ProgressTimeout), and its word is to be in ours. A tenth of the nodes is taken at a time (maxUnavailable), so that the
whole of it has no limit that fits a cluster of any size."""
_SLOW = ", and counts until then as one of the tenth that is taken at a time"
"""Of a node that is away: of fewer than eleven nodes one is taken at a time, so that it holds up all others
(kubernetes/kubernetes, pkg/controller/daemon/update.go, rollingUpdate)."""
_OPERATORS_OWN = "network.operator.openshift.io/"
_API = "the cluster's API"
Item = Mapping[str, Any]
REQUIRED: Mapping[str, type] = {"mode": str}


class GatewayModeKind(Waited):
    """``podwright:openshift:GatewayMode``: ``{"schema": 1, "mode": "local"}``."""

    token = "podwright:openshift:GatewayMode"
    required = REQUIRED
    optional: Mapping[str, type] = {}

    def called(self, inputs: Values) -> str:
        """One of a cluster."""
        del inputs
        return "gateway-mode"

    async def wait(self, inputs: Values, ctx: Context) -> Values:
        """Until every node has it. Raises ProviderError that names those that have not."""
        mode, kube = str(inputs["spec"]["mode"]), Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        patience, fewest, last = step_patience(ctx, STALLED_SECONDS), -1, ""
        left: set[str] = set()
        while True:
            rollout = await look(kube)
            behind = rollout.behind(mode)
            for name in sorted(rollout.lost - left):
                back = "its daemon starts in the new mode once it is back"
                ctx.warn(f"{name} is lost, and not waited for: {back}{_SLOW}")
            left |= rollout.lost
            if not behind:
                return inputs
            if fewest < 0 or len(behind) < fewest:
                fewest, patience = len(behind), step_patience(ctx, STALLED_SECONDS)
            doing = f"OVN-Kubernetes changes to gateway mode {mode}, {len(behind)} of {len(rollout.nodes)} nodes to go"
            if (text := f"{doing}: {named(behind)}") != last:
                ctx.log(text)
                last = text
            await _pause(patience, behind, rollout, mode)


@dataclass(frozen=True)
class Rollout:
    """What a cluster shows of its nodes' gateways at one moment."""

    nodes: Sequence[Item]
    daemons: Item | None
    pods: Sequence[Item]
    operator: Item | None = None
    """ClusterOperator `network`."""

    @property
    def lost(self) -> set[str]:
        """Nodes that nothing is heard of: no pod runs there. A daemon that is away makes its node NotReady instead."""
        return {_name(each) for each in self.nodes if conditions(each).get("Ready", {}).get("status") == "Unknown"}

    def behind(self, mode: str) -> dict[str, str]:
        """Nodes that are not in a mode yet, or leave it again, each with a phrase why."""
        if not self.nodes:
            return {_API: "it does not answer"}
        found = {_name(each): self._why(each, mode) for each in self.nodes if _name(each) not in self.lost}
        return {name: why for name, why in found.items() if why}

    def _why(self, node: Item, mode: str) -> str:
        on_it = [each for each in self.pods if (each.get("spec") or {}).get("nodeName") == _name(node)]
        pods = [each for each in on_it if "deletionTimestamp" not in each["metadata"]]
        if self.daemons is None or not pods:
            return f"its {NAME} pod is being replaced" if on_it else f"it has no {NAME} pod"
        wanted = _marks(self.daemons["spec"]["template"])
        if any(_marks(each) != wanted for each in pods):
            return f"its {NAME} pod is of before the change"
        if (now := mode_of(node)) != mode:
            return f"it is in gateway mode {now}" if now else "it has no gateway yet"
        return "" if all(is_ready(each) for each in pods) else f"its {NAME} pod is not ready"


def mode_of(node: Item) -> str:
    """The gateway mode of a node as its daemon has written it; empty where it has not."""
    try:
        loaded = json.loads((node["metadata"].get("annotations") or {}).get(GATEWAY) or "{}")
        return str(loaded["default"]["mode"])
    except (ValueError, KeyError, TypeError):
        return ""


def operators_word(operator: Item | None) -> str:
    """What ClusterOperator `network` says is wrong or under way; empty where it says neither."""
    rows = conditions(operator)
    for kind, text in (("Degraded", "is degraded"), ("Progressing", "is progressing")):
        row = rows.get(kind) or {}
        if row.get("status") == "True":
            message = " ".join(str(row.get("message") or row.get("reason") or "").split())
            return f"ClusterOperator network {text}: {message}"
    return ""


def named(behind: Mapping[str, str]) -> str:
    """Nodes with why, the first of them where there are many."""
    return few([f"{name} ({why})" for name, why in sorted(behind.items())])


async def look(kube: Kube) -> Rollout:
    """As it is now; without nodes while the API server does not answer."""
    try:
        nodes, pods, daemons, operator = await asyncio.gather(
            kube.items(NODES), kube.items(PODS), kube.find(DAEMONS), kube.find(OPERATOR)
        )
    except (KubeError, SilentError):
        return Rollout((), None, ())
    return Rollout(nodes, daemons, pods, operator)


async def _pause(patience: Patience, behind: Mapping[str, str], rollout: Rollout, mode: str) -> None:
    """Raises ProviderError, with all that is known, when time is up."""
    word = operators_word(rollout.operator)
    more = [f"{', '.join(sorted(rollout.lost))} is lost{_SLOW}"] if rollout.lost else []
    more += [word] if word else []
    try:
        await patience.wait(f"OVN-Kubernetes to be in gateway mode {mode}")
    except ProviderError as over:
        raise ProviderError(
            f"{over}: {len(behind)} of {len(rollout.nodes)} nodes are not: {'. '.join([named(behind), *more])}. "
            f"Look at pods of namespace {HOME}, and run again to go on"
        ) from None


def _name(item: Item) -> str:
    return str(item["metadata"]["name"])


def _marks(item: Item) -> dict[str, str]:
    """The operator's own annotations of a pod, or of a template."""
    notes = (item.get("metadata") or {}).get("annotations") or {}
    return {key: str(each) for key, each in notes.items() if key.startswith(_OPERATORS_OWN)}
