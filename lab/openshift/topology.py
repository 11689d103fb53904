"""Kubelet's topology manager: a pod that its node cannot align under a strict policy ends with TopologyAffinityError,
and one that would take half a core with SMTAlignmentError, where cores are given whole.

After Kubernetes v1.36, `pkg/kubelet/cm/topologymanager` (`mergePermutation`, restricted and single-numa-node): a pod is
admitted where some set of NUMA nodes is, for everything that it asks for, the smallest one that could serve it on an
empty node, and has it free. A socket is one NUMA node here. Half cores: `pkg/kubelet/cm/cpumanager/policy_static.go`,
`full-pcpus-only`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.kinds import NODES, PODS
from podwright.lab.openshift.kubelet_configs import settings
from podwright.lab.openshift.kubelet_start import mib
from podwright.lab.openshift.sriov.functions import PREFIX

STRICT = ("restricted", "single-numa-node")
UNALIGNED = ("TopologyAffinityError", "Pod was rejected: Resources cannot be allocated with Topology locality")
"""Reason and message of a pod that no NUMA nodes serve as the policy asks."""
ENDED = ("Failed", "Succeeded")
Amounts = Mapping[str, float]
"""By resource."""


def mask(policy: str, asked: Amounts, have: Sequence[Amounts], free: Sequence[Amounts]) -> tuple[int, ...] | None:
    """The NUMA nodes that serve all of it, or None; `have` and `free` are by NUMA node."""
    numbers = range(len(have))
    for each in (some for size in numbers for some in combinations(numbers, size + 1)):
        if policy == "single-numa-node" and len(each) > 1:
            return None
        if all(_serves(each, name, amount, have, free) for name, amount in asked.items()):
            return each
    return None


def _serves(each: tuple[int, ...], name: str, amount: float, have: Sequence[Amounts], free: Sequence[Amounts]) -> bool:
    """Whether it is free there, and no smaller set could serve it on an empty node."""
    least = sorted((one.get(name, 0) for one in have), reverse=True)
    narrower = sum(least[: len(each) - 1]) >= amount
    return not narrower and sum(free[number].get(name, 0) for number in each) >= amount


def processors(listed: str) -> set[int]:
    """0-3,64 as numbers."""
    ends = [part.partition("-") for part in listed.split(",") if part]
    return {number for low, _, high in ends for number in range(int(low), int(high or low) + 1)}


def exclusive(container: Mapping[str, Any], guaranteed: bool, memory: bool) -> Iterator[tuple[str, float]]:
    """What of a container's limits is taken from NUMA nodes: devices, and for a guaranteed pod whole processors."""
    for name, amount in ((container.get("resources") or {}).get("limits") or {}).items():
        if "/" in name or (name == "cpu" and guaranteed and str(amount).isdigit()):
            yield name, int(amount)
        elif name in ("memory", "hugepages-1Gi") and guaranteed and memory:
            yield name, mib(str(amount))


class Topology(Controller):
    """Admits pods on nodes with a strict policy, in the order in which they were made, and remembers what they took."""

    watches = (PODS, NODES)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._taken: dict[str, tuple[str, list[tuple[int, str, float]]]] = {}
        self._refused: dict[str, tuple[str, str]] = {}

    def reconcile(self) -> None:
        """One pass over pods that were placed and have not ended."""
        pods = [each for each in self.cache.list(PODS) if each["spec"].get("nodeName") and not _ended(each)]
        known = {each["metadata"]["uid"] for each in pods}
        self._taken = {uid: row for uid, row in self._taken.items() if uid in known}
        for pod in sorted(pods, key=lambda each: each["metadata"]["creationTimestamp"]):
            uid = pod["metadata"]["uid"]
            why = self._refused.get(uid) or (None if uid in self._taken else self._refusal(pod))
            if why is not None:
                self._refuse(pod, *why)

    def _refusal(self, pod: Object) -> tuple[str, str] | None:
        """Why its node does not take it; None where it does, which is remembered under a strict policy."""
        node, file = self.cache.get(NODES, pod["spec"]["nodeName"]), self._file(pod["spec"]["nodeName"])
        if node is None:
            return None
        if file.get("topologyManagerPolicy") not in STRICT:
            return halves(pod, file, self._threads(node))
        name, uid = node["metadata"]["name"], pod["metadata"]["uid"]
        have = self._capacity(node, file)
        taken: list[tuple[int, str, float]] = []
        for asked in _asked(pod, file):
            served = {key: amount for key, amount in asked.items() if any(key in each for each in have)}
            free = self._free(name, have, taken)
            where = mask(str(file["topologyManagerPolicy"]), served, have, free)
            if where is None:
                return UNALIGNED
            taken += _filled(where, served, free)
        if (half := halves(pod, file, self._threads(node))) is not None:
            return half
        self._taken[uid] = (name, taken)
        return None

    def _threads(self, node: Object) -> int:
        """Of each core of a node, as its host came up; one where the node has not reported what it has."""
        server = self.around.server_of(node["metadata"]["name"])
        reported = int((node.get("status", {}).get("capacity") or {}).get("cpu", 0))
        return max(1, reported // (server.cpu.sockets * server.cpu.cores)) if server else 1

    def _file(self, node: str) -> dict[str, Any]:
        return settings(self.around.host_memory(node).config)

    def _free(self, node: str, have: Sequence[Amounts], more: Iterable[tuple[int, str, float]]) -> Sequence[Amounts]:
        free = [dict(each) for each in have]
        others = (row for name, rows in self._taken.values() if name == node for row in rows)
        for number, resource, amount in (*others, *more):
            free[number][resource] = free[number].get(resource, 0) - amount
        return list(free)

    def _capacity(self, node: Object, file: Mapping[str, Any]) -> Sequence[Amounts]:
        """What each socket has of what is aligned; a resource that is not there has no NUMA node."""
        server = self.around.server_of(node["metadata"]["name"])
        if server is None:
            return []
        sockets, cores = server.cpu.sockets, server.cpu.sockets * server.cpu.cores
        shown = node["status"]["allocatable"]
        threads = int(node["status"]["capacity"]["cpu"])
        kept = processors(str(file.get("reservedSystemCPUs") or ""))
        pages = mib(shown.get("hugepages-1Gi", "0")) / sockets
        found: list[dict[str, float]] = [{"hugepages-1Gi": pages} for _ in range(sockets)]
        for number, each in enumerate(found):
            own = {one for one in range(threads) if one % cores * sockets // cores == number}
            rows = [row for row in file.get("reservedMemory") or [] if row["numaNode"] == number]
            reserved = sum(mib(row["limits"].get("memory", "0")) for row in rows)
            each["cpu"] = len(own - kept)
            each["memory"] = server.memory_gib * 1024 / sockets - pages - reserved
        count = server.gpus.count if server.gpus else 0
        for key, amount in shown.items():
            for index in range(count) if key.startswith("nvidia.com/") else ():
                socket = found[index * sockets // count]
                socket[key] = socket.get(key, 0) + int(amount) // count
        for name, functions in self.around.host_memory(node["metadata"]["name"]).functions.items():
            socket, key = found[server.nics[name].numa % sockets], PREFIX + functions.resource
            socket[key] = socket.get(key, 0) + functions.count
        return list(found)

    def _refuse(self, pod: Object, reason: str, message: str) -> None:
        self._refused[pod["metadata"]["uid"]] = (reason, message)
        self.event(pod, "Pod", reason, message)
        self.set_status(PODS, pod, {"phase": "Failed", "reason": reason, "message": message})


def halves(pod: Object, file: Mapping[str, Any], threads: int) -> tuple[str, str] | None:
    """Reason and message where a container's own processors are no whole cores, and kubelet gives no others."""
    if (file.get("cpuManagerPolicyOptions") or {}).get("full-pcpus-only") != "true":
        return None
    for container in pod["spec"]["containers"]:
        cpus = int(dict(exclusive(container, _guaranteed(pod), memory=False)).get("cpu", 0))
        if cpus % threads:
            words = f"SMT Alignment Error: requested {cpus} cpus not multiple cpus per core = {threads}"
            return "SMTAlignmentError", f"Pod was rejected: {words}"
    return None


def _guaranteed(pod: Object) -> bool:
    return bool(pod.get("status", {}).get("qosClass") == "Guaranteed")


def _asked(pod: Object, file: Mapping[str, Any]) -> list[dict[str, float]]:
    """By container, or all of a pod's together where that is the scope."""
    guaranteed = _guaranteed(pod)
    memory = file.get("memoryManagerPolicy") == "Static"
    each = [dict(exclusive(container, guaranteed, memory)) for container in pod["spec"]["containers"]]
    if file.get("topologyManagerScope", "container") == "container":
        return each
    total: dict[str, float] = {}
    for one in each:
        for key, amount in one.items():
            total[key] = total.get(key, 0) + amount
    return [total]


def _filled(where: tuple[int, ...], asked: Amounts, free: Sequence[Amounts]) -> Iterator[tuple[int, str, float]]:
    """What is taken from each of the NUMA nodes, the first one first."""
    for name, amount in asked.items():
        left = amount
        for number in where:
            part = min(left, free[number].get(name, 0))
            left -= part
            yield number, name, part


def _ended(pod: Object) -> bool:
    return pod.get("status", {}).get("phase") in ENDED
