"""The Kubernetes NMState Operator: handlers on every node, and the sum of their answers on each policy.

After nmstate/kubernetes-nmstate, controllers/operator/nmstate_controller.go (one NMState counts, the oldest; the kinds
of policies come with it; handlers tolerate every taint) and pkg/policyconditions/conditions.go.
"""

from __future__ import annotations

import time

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings, condition
from podwright.lab.openshift.daemons import ensure_daemon_set, node_ready, pod_ready
from podwright.lab.openshift.kinds import (
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NETWORK_ENACTMENTS,
    NETWORK_POLICIES,
    NETWORK_STATES,
    NMSTATES,
    NODES,
    PODS,
)
from podwright.lab.openshift.nmstate.handler import Handler, Work
from podwright.lab.openshift.nmstate.host import installed
from podwright.lab.openshift.selectors import has_all

HANDLER = "nmstate-handler"
NAMESPACE = "openshift-nmstate"
IMAGE = "registry.redhat.io/openshift4/ose-kubernetes-nmstate-handler-rhel9"
CRDS = tuple(
    f"{kind}.nmstate.io"
    for kind in ("nodenetworkstates", "nodenetworkconfigurationpolicies", "nodenetworkconfigurationenactments")
)
REPORT_SECONDS = 5.0
"""A node's state is written a minute after it changed by another hand; a lab waits less."""


class Nmstate(Controller):
    """One pass: operand, then each node's handler, then what policies report."""

    watches = (
        CSVS,
        DEPLOYMENTS,
        NMSTATES,
        NETWORK_POLICIES,
        NETWORK_ENACTMENTS,
        NETWORK_STATES,
        NODES,
        PODS,
        DAEMON_SETS,
    )
    _served = False

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._work: dict[tuple[str, str], Work] = {}
        self._reported_at: dict[str, float] = {}

    def reconcile(self) -> None:
        """One pass over nodes and policies."""
        home = running(self.cache, "kubernetes-nmstate-operator")
        instances = sorted(self.cache.list(NMSTATES), key=lambda each: str(each["metadata"]["creationTimestamp"]))
        for other in instances[1:]:
            self.api.delete(NMSTATES.path(None, other["metadata"]["name"]))
        if home is not None and instances:
            self._operand(instances[0], home)
        policies = self.cache.list(NETWORK_POLICIES)
        for node, pod in self._handlers(home or NAMESPACE):
            self._handle(node, pod, policies)
        for policy in policies:
            self._sum(policy)
        self._orphans({str(each["metadata"]["name"]) for each in policies})

    def _operand(self, instance: Object, home: str) -> None:
        if not self._served:
            self._served = not self.around.crds.apply(self.api, CRDS)
        spec = instance.get("spec") or {}
        tolerations = spec.get("tolerations")
        ensure_daemon_set(
            self, home, HANDLER, IMAGE, owner=self.own(instance, "nmstate.io/v1", "NMState"),
            selector=spec.get("nodeSelector"), component="kubernetes-nmstate-handler",
            tolerations=[{"operator": "Exists"}] if tolerations is None else tolerations,
        )  # fmt: skip

    def _handlers(self, home: str) -> list[tuple[Object, str]]:
        """Nodes whose handler runs, each with the pod that it is."""
        nodes = {node["metadata"]["name"]: node for node in self.cache.list(NODES) if node_ready(node)}
        found = []
        for pod in self.cache.list(PODS, home):
            node = nodes.get(pod["spec"].get("nodeName", ""))
            if pod["metadata"].get("labels", {}).get("app") == HANDLER and pod_ready(pod) and node is not None:
                found.append((node, str(pod["metadata"]["uid"])))
        return found

    def _handle(self, node: Object, pod: str, policies: list[Object]) -> None:
        name = str(node["metadata"]["name"])
        server = self.around.server_of(name)
        if server is None or not self._served:
            return
        memory = self.around.host_memory(name)
        if memory.network is None:
            memory.network = installed(self.around.network_of(name), server, self.world.variants["nic-names"])
        handler = Handler(self, node, memory, self.world.host(server.name).loses_gateway, self._work)
        if time.monotonic() - self._reported_at.get(name, 0.0) >= REPORT_SECONDS:
            self._reported_at[name] = time.monotonic()
            handler.report()
        for policy in policies:
            labels = node["metadata"].get("labels", {})
            if has_all(policy["spec"].get("nodeSelector") or {}, labels):
                handler.step(policy, pod)

    def _sum(self, policy: Object) -> None:
        """Available, Degraded and Progressing, from the enactments of this generation."""
        name, generation = str(policy["metadata"]["name"]), policy["metadata"]["generation"]
        matching = [
            node
            for node in self.cache.list(NODES)
            if has_all(policy["spec"].get("nodeSelector") or {}, node["metadata"].get("labels", {}))
        ]
        answers = [
            {row["type"]: row["status"] for row in each.get("status", {}).get("conditions") or []}
            for each in self.cache.list(NETWORK_ENACTMENTS)
            if each["metadata"].get("labels", {}).get("nmstate.io/policy") == name
            and each.get("status", {}).get("policyGeneration") == generation
        ]
        failed = [each for each in answers if each.get("Failing") == "True" and each.get("Progressing") != "True"]
        done = [each for each in answers if each.get("Available") == "True"]
        if not matching:
            on, reason, words = "Ignored", "NoMatchingNode", "Policy does not match any node"
        elif failed:
            on, reason = "Degraded", "FailedToConfigure"
            words = f"{len(failed)}/{len(matching)} nodes failed to configure"
        elif len(done) < len(matching):
            on, reason = "Progressing", "ConfigurationProgressing"
            words = f"Policy is progressing {len(done)}/{len(matching)} nodes finished"
        else:
            on, reason = "Available", "SuccessfullyConfigured"
            words = f"{len(done)}/{len(matching)} nodes successfully configured"
        rows = [condition(each, each == on, reason, words if each == on else "")
                for each in ("Available", "Degraded", "Progressing", "Ignored")]  # fmt: skip
        old = policy.get("status", {}).get("conditions") or []
        before = {row["type"]: (row["status"], row["message"]) for row in old}
        if before != {row["type"]: (row["status"], row["message"]) for row in rows}:
            self.set_status(NETWORK_POLICIES, policy, {"conditions": rows})

    def _orphans(self, policies: set[str]) -> None:
        """An enactment goes with its policy."""
        for each in self.cache.list(NETWORK_ENACTMENTS):
            meta = each["metadata"]
            if meta.get("labels", {}).get("nmstate.io/policy") not in policies:
                self.api.delete(NETWORK_ENACTMENTS.path(None, meta["name"]))
