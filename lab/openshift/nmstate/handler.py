"""The handler of one node: applies policies that select it, and answers with enactments and the node's state.

After nmstate/kubernetes-nmstate, controllers/handler/nodenetworkconfigurationpolicy_controller.go and
pkg/enactmentstatus/conditions: an enactment takes the policy's generation first, is Progressing, then Available, or
Failing with Progressing while it tries again, and Failing alone when it has given up. A policy is looked at again when
its generation changes, or the handler starts. Deleting one takes its enactment away and nothing of the node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, now
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.kinds import NETWORK_ENACTMENTS, NETWORK_STATES
from podwright.lab.openshift.nmstate.host import NO_GATEWAY, NmstateError, ProbeError, applied, shown
from podwright.lab.openshift.nmstate.ports import bonds

API = "nmstate.io/v1beta1"
TRIES = 5
"""NNCP_MAX_RETRIES."""
VARIANT = "nmstate-answers"
SHOWS = "nmstate-shows"
TYPES = ("Available", "Failing", "Progressing", "Pending", "Aborted")


@dataclass
class Work:
    """What a handler knows of one policy."""

    handler: str
    """Pod that it runs in; another one looks at every policy again."""
    generation: int
    phase: str = "noted"
    """noted, applying, done"""
    tries: int = 0
    errors: list[str] = field(default_factory=list)


class Handler:
    """One node's, for one pass: each policy takes one step, so that every state can be seen from outside."""

    def __init__(
        self, controller: Controller, node: Object, memory: HostMemory, lost: bool, work: dict[tuple[str, str], Work]
    ) -> None:
        self._controller = controller
        self._node = node
        self._name = str(node["metadata"]["name"])
        self._memory = memory
        self._lost = lost
        self._work = work

    def step(self, policy: Object, pod: str) -> None:
        """Go one step further with a policy that selects this node."""
        generation = int(policy["metadata"]["generation"])
        key = (self._name, str(policy["metadata"]["uid"]))
        work = self._work.get(key)
        if work is None or work.generation != generation or work.handler != pod:
            self._work[key] = Work(pod, generation)
            self._note(policy, generation)
            self._controller.ring()
        elif work.phase == "noted":
            work.phase = "applying"
            self._set(policy, "Progressing", "ConfigurationProgressing", "Applying desired state")
            self._controller.ring()
        elif work.phase == "applying":
            self._apply(policy, work)

    def report(self, forced: bool = False) -> None:
        """Write what the node's network is, where it differs from what is written."""
        form = self._controller.world.variants[SHOWS]
        current = {"interfaces": shown(self._memory.network or {}, form)}
        found = self._controller.cache.get(NETWORK_STATES, self._name)
        if found is None:
            owner = [{"apiVersion": "v1", "kind": "Node", "name": self._name, "uid": self._node["metadata"]["uid"]}]
            meta = {"name": self._name, "ownerReferences": owner}
            body = {"apiVersion": API, "kind": "NodeNetworkState", "metadata": meta}
            found = self._controller.api.create(NETWORK_STATES.path(), body)
            self._controller.cache.put(NETWORK_STATES, found)
        if forced or found.get("status", {}).get("currentState") != current:
            status = {"currentState": current, "lastSuccessfulUpdateTime": now()}
            self._controller.set_status(NETWORK_STATES, found, status)

    def _apply(self, policy: Object, work: Work) -> None:
        try:
            after = applied(self._memory.network or {}, policy["spec"].get("desiredState") or {})
        except (NmstateError, ProbeError) as problem:
            self._failed(policy, work, problem)
            return
        if self._lost:
            self._failed(policy, work, ProbeError(NO_GATEWAY))
            return
        self._memory.network = after
        server = self._controller.around.server_of(self._name)
        if server is not None:
            self._controller.world.runs(server.name, bonds(after))
        work.phase = "done"
        self.report(forced=True)
        self._set(policy, "Available", "SuccessfullyConfigured", "successfully reconciled")

    def _failed(self, policy: Object, work: Work, problem: Exception) -> None:
        work.tries += 1
        rolled = f"rolling back desired state configuration: {problem}" if isinstance(problem, ProbeError) else problem
        message = (
            f"error reconciling NodeNetworkConfigurationPolicy on node {self._name} at desired state apply: {rolled}"
        )
        if work.tries >= TRIES:
            work.phase = "done"
            self._set(policy, "Failing", "FailedToConfigure", message)
            return
        again = f"failed to reconcile NodeNetworkConfigurationPolicy on node {self._name}. "
        again += f"Retrying {work.tries + 1}/{TRIES}"
        self._set(policy, "Failing", "Retrying", again, beside="Progressing")
        self._controller.ring()

    def _note(self, policy: Object, generation: int) -> None:
        found = self._enactment(policy)
        cleared = self._controller.world.variants[VARIANT] == "cleared"
        status: dict[str, Any] = {"policyGeneration": generation, "desiredState": policy["spec"].get("desiredState")}
        if cleared and found.get("status", {}).get("policyGeneration") != generation:
            status["conditions"] = []
        self._controller.set_status(NETWORK_ENACTMENTS, found, status)

    def _enactment(self, policy: Object) -> Object:
        name = f"{self._name}.{policy['metadata']['name']}"
        found = self._controller.api.get(NETWORK_ENACTMENTS.path(None, name))
        if found is not None:
            return found
        labels = {"nmstate.io/policy": policy["metadata"]["name"], "nmstate.io/node": self._name}
        owner = [{"apiVersion": "v1", "kind": "Node", "name": self._name, "uid": self._node["metadata"]["uid"]}]
        meta = {"name": name, "labels": labels, "ownerReferences": owner}
        body = {"apiVersion": API, "kind": "NodeNetworkConfigurationEnactment", "metadata": meta}
        made = self._controller.api.create(NETWORK_ENACTMENTS.path(), body)
        self._controller.set_status(NETWORK_ENACTMENTS, made, {"conditions": [_row(each, "Unknown") for each in TYPES]})
        return self._controller.api.get(NETWORK_ENACTMENTS.path(None, name)) or made

    def _set(self, policy: Object, kind: str, reason: str, message: str, beside: str = "") -> None:
        found = self._enactment(policy)
        before = {row["type"]: row for row in found.get("status", {}).get("conditions") or []}
        rows = []
        other = "Unknown" if kind == "Progressing" else "False"
        for each in TYPES:
            status = "True" if each in (kind, beside) else other
            row = _row(each, status, reason, message if each in (kind, beside) else "")
            if before.get(each, {}).get("status") == status:
                row["lastTransitionTime"] = before[each]["lastTransitionTime"]
            rows.append(row)
        self._controller.set_status(NETWORK_ENACTMENTS, found, {"conditions": rows})


def _row(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, Any]:
    at = now()
    return {
        "type": kind, "status": status, "reason": reason, "message": message,
        "lastHeartbeatTime": at, "lastTransitionTime": at,
    }  # fmt: skip
