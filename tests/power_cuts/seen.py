"""One moment of the cluster of the cuts, read from the API server, and what of it has power by the world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from podwright.components.providers.status import placed
from podwright.components.providers.status.placed import assigned
from podwright.components.providers.status.snapshot import Snapshot
from podwright.lab.openshift.api import Api
from tests.lab.openshift.rack import node_ready
from tests.power_cuts.drawn import GANGS
from tests.power_cuts.planned import INFERENCE, MEMBERS, NODES, REPLICAS, TRAINING

Object = Mapping[str, Any]
POOLS: Final = {"training": {NODES[each] for each in TRAINING}, "inference": {NODES[each] for each in INFERENCE}}
OWN_TAINTS: Final = frozenset({"podwright.io/pool", "node-role.kubernetes.io/master"})


class Seen:
    """What the API server has now; `powered` is asked of a node's host. `controllers` are namespaces of JobSet, Kueue
    and the two operators of lost nodes."""

    def __init__(self, api: Api, powered: Callable[[str], bool], controllers: Sequence[str]) -> None:
        self.nodes = {each["metadata"]["name"]: each for each in items(api, "/api/v1/nodes")}
        self.pods = items(api, "/api/v1/pods")
        self.workloads = items(api, "/apis/kueue.x-k8s.io/v1beta2/namespaces/research/workloads")
        self.remediations = items(api, "/apis/self-node-remediation.medik8s.io/v1alpha1/selfnoderemediations")
        self.endpoints = endpoints(api)
        self.dark = {name for name in self.nodes if not powered(name)}
        self._controllers = controllers

    def gang(self, name: str) -> list[Object]:
        """Pods of a gang that have not ended."""
        found = (each for each in self.pods if _space(each) == "research" and _name(each) == name)
        return [each for each in found if each["status"].get("phase") in ("Pending", "Running")]

    def in_order(self, name: str) -> bool:
        """Whether a gang is whole: admitted once, each member ready on a server of its own that is well."""
        own = self.workload(name)
        pods = [each for each in self.gang(name) if "deletionTimestamp" not in each["metadata"]]
        on = {self._well(each) for each in pods if is_true(each, "Ready")} - {""}
        return len(own) == 1 and is_true(own[0], "Admitted") and len(pods) == MEMBERS == len(on)

    def workload(self, name: str) -> list[Object]:
        """Workloads of a gang: one, but while one is made anew."""
        return [each for each in self.workloads
                if any(row["name"] == name for row in each["metadata"].get("ownerReferences", ()))]  # fmt: skip

    def _well(self, pod: Object) -> str:
        """The pod's node, where that is ready and has power."""
        name = str(pod["spec"].get("nodeName", ""))
        return (
            name if name not in self.dark and node_ready(dict(self.nodes.get(name, {"status": {}}))) == "True" else ""
        )

    def elsewhere(self) -> list[str]:
        """What `podwright status` says of members that Kueue counts on another node than they run on."""
        objects = {"Node": self.nodes.values(), "Pod": self.pods, "Workload": self.workloads}
        return list(placed.troubles(Snapshot({kind: tuple(each) for kind, each in objects.items()})))

    def partial(self) -> Iterator[str]:
        """Gangs that are let in, and whose members are not all ready as the API server has it."""
        for name in GANGS:
            ready = sum(
                is_true(each, "Ready") and "deletionTimestamp" not in each["metadata"] for each in self.gang(name)
            )
            if any(is_true(each, "Admitted") for each in self.workload(name)) and ready < MEMBERS:
                yield name

    def whole(self) -> bool:
        """Whether all gangs run whole."""
        return all(map(self.in_order, GANGS))

    def served(self) -> bool:
        """Whether each replica is ready, on a host with power."""
        return len(self.endpoints) == REPLICAS and not set(self.endpoints) & self.dark

    def of(self, role: str) -> list[str]:
        """Nodes with power that have a role now."""
        bound = {str(each["spec"].get("nodeName")) for name in GANGS for each in self.gang(name)}
        bound |= {node for name in GANGS for each in self.workload(name) for node in assigned(each)}
        masters = self.nodes.keys() - POOLS["training"] - POOLS["inference"]
        queues, remediators = (
            {
                str(each["spec"].get("nodeName"))
                for each in self.pods
                if _space(each) in spaces and _owner(each) != "DaemonSet"
            }
            & masters
            for spaces in (self._controllers[:2], self._controllers[2:])
        )
        serving = {str(each["spec"].get("nodeName")) for each in self.pods if _space(each) == "chat"}
        found = {
            "member": POOLS["training"] & bound, "spare": POOLS["training"] - bound,
            "replica": POOLS["inference"] & serving, "queues": queues,
            "remediators": remediators, "control plane": (masters - queues - remediators) or masters,
        }[role]  # fmt: skip
        return sorted(found - self.dark)

    def amiss(self) -> list[str]:
        """What is not in service, in words."""
        wrong = [f"remediation of {each['metadata']['name']}" for each in self.remediations]
        for name, node in self.nodes.items():
            taints = {each["key"] for each in node["spec"].get("taints", ())} - OWN_TAINTS
            gpus = node["status"]["allocatable"].get("nvidia.com/gpu", "0")
            lacks = name in set(NODES.values()) and gpus != "8"
            if node_ready(dict(node)) != "True" or taints or lacks:
                wrong.append(f"{name}: Ready={node_ready(dict(node))}, {sorted(taints)}, {gpus} GPUs")
        dead = Counter(f"{_space(each)} on {each['spec'].get('nodeName')}" for each in self.pods
                       if "deletionTimestamp" in each["metadata"])  # fmt: skip
        return wrong + [f"{count} pods of {where} Terminating" for where, count in dead.items()]

    def words(self) -> list[str]:
        """The moment for a person: gangs, replicas, nodes."""
        rows = [f"{name}: {_phrase(each)}" for name in (*GANGS, "chat") for each in self.pods if _name(each) == name]
        for name in GANGS:
            for each in self.workload(name):
                held = {
                    row["type"]: f"{row['status']} {row['message']}" for row in each["status"].get("conditions", ())
                }
                rows.append(f"{name}: Workload {held}, put on {sorted(assigned(each))}")
        return [*rows, f"endpoints {self.endpoints}, dark {sorted(self.dark)}", *self.amiss()]


def items(api: Api, path: str) -> list[Object]:
    """A listing; nothing of a kind that is not served."""
    return list((api.get(path) or {"items": []})["items"])


def endpoints(api: Api) -> list[str]:
    """Nodes of the service's ready endpoints."""
    path = "/apis/discovery.k8s.io/v1/namespaces/chat/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dchat"
    return [str(row["nodeName"]) for each in items(api, path) for row in each.get("endpoints") or ()
            if (row.get("conditions") or {}).get("ready")]  # fmt: skip


def is_true(found: Object, condition: str) -> bool:
    """Whether a condition holds."""
    rows = found.get("status", {}).get("conditions") or ()
    return any(row["type"] == condition and row["status"] == "True" for row in rows)


def _space(pod: Object) -> str:
    return str(pod["metadata"]["namespace"])


def _owner(pod: Object) -> str:
    return str((pod["metadata"].get("ownerReferences") or [{"kind": ""}])[0]["kind"])


def _name(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get("app.kubernetes.io/name", ""))


def _phrase(pod: Object) -> str:
    meta, spec, status = pod["metadata"], pod["spec"], pod["status"]
    going = ", Terminating" if "deletionTimestamp" in meta else ""
    gates = [each["name"] for each in spec.get("schedulingGates", ())]
    why = [
        row.get("message") for row in status.get("conditions", ()) if row["status"] == "False" and row.get("message")
    ]
    return f"{meta['name']} {status.get('phase')}{going} on {spec.get('nodeName')} {gates} {why}"
