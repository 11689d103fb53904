"""A plan on the lab without podwright's engine: applied strictly, as operators come up, until the rack works."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from podwright.lab.openshift.gpu.mig import resources
from tests.lab.openshift import rack as racks
from tests.lab.openshift.rack import Rack
from tests.leaves.reading import at, labels, space
from tests.platforms.nodes import RAILS
from tests.platforms.planned import Object, of_kind

NODES: Final = {"gpu-01": "gpu-1", "inf-01": "gpu-2"}
"""Server of the file -> host of the rack: one of the training pool, one of the inference pool."""
PRODUCTS: Final = ("NVIDIA-H200", "NVIDIA-H100-NVL")
LAYOUT: Final = "all-1g.12gb"
"""What podwright's own resource asks of the inference pool's MIG manager, by a label."""
_FIRST: Final = ("Namespace", "PriorityClass", "SecurityContextConstraints", "OperatorGroup", "Subscription")
_LAST: Final = ("ClusterPolicy", "Job", "Deployment")
_SECONDS: Final = 90
_APPLY: Final = (
    "apply", "--server-side", "--field-manager=podwright", "--force-conflicts", "--validate=strict", "-f", "-",
)  # fmt: skip
_NETWORK_STATUS: Final = "k8s.v1.cni.cncf.io/network-status"


def built(folder: Any, version: str) -> Rack:
    """A rack whose GPU servers have their rails where the file's have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(racks, "RAILS", len(RAILS))
        made = Rack(folder, workers=PRODUCTS, openshift=version)
    for name in NODES.values():
        for rail, address in enumerate(RAILS):
            made.world.servers[name].nics[f"rail{rail}"].pci = address
    made.install()
    return made


def apply(rack: Rack, planned: list[Object]) -> None:
    """Every object, kinds that others need first; those whose definition an operator brings wait for it.

    The layout is asked for before the GPU operator is there, as a roll-out asks: the operator gives a node without the
    label its default, in a patch that knows nothing of a label that came in between (NVIDIA/gpu-operator,
    controllers/nodelabeling_controller.go).
    """
    rack.kubectl("label", "node", f"{NODES['inf-01']}.lab.example.com", f"nvidia.com/mig.config={LAYOUT}")
    found = [each for each in map(_here, planned) if each is not None]
    for stage in sorted({_stage(each["kind"]) for each in found}):
        batch = [each for each in found if _stage(each["kind"]) == stage]
        text, problems = yaml.safe_dump_all(batch), [""]

        def taken(text: str = text, wanted: int = len(batch), problems: list[str] = problems) -> bool:
            _approve(rack)
            problems[0] = rack.kubectl(*_APPLY, stdin=text, check=False)
            return problems[0].count("serverside-applied") == wanted

        try:
            rack.wait(f"objects of stage {stage}", taken, _SECONDS)
        except AssertionError as late:
            raise AssertionError(f"{late}: {problems[0]}") from late


def _stage(kind: str) -> int:
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST) + (1 + _LAST.index(kind) if kind in _LAST else 0)


def _here(found: Object) -> Object | None:
    """The object as this rack takes it: fields of nodes under the nodes' own names, of other servers none."""
    if found["kind"] == "Node":
        host = NODES.get(found["metadata"]["name"])
        return None if host is None else {**found, "metadata": {**found["metadata"], "name": f"{host}.lab.example.com"}}
    return found


def _approve(rack: Rack) -> None:
    for each in rack.items("installplans", "-A"):
        if not at(each, "spec", "approved"):
            name, home = each["metadata"]["name"], space(each)
            rack.kubectl("patch", "installplan", name, "-n", home, "--type=merge", "-p", '{"spec":{"approved":true}}')


def works(rack: Rack, planned: list[Object]) -> None:
    """GPUs, slices and functions are offered, rails lossless, a member of the job and every replica run."""
    (deployment,) = of_kind(planned, "Deployment")[:1]
    name, place = deployment["metadata"]["name"], space(deployment)
    rack.wait("whole GPUs", lambda: rack.allocatable(NODES["gpu-01"], "nvidia.com/gpu") == 8, _SECONDS)
    slices = resources({gpu: {"1g.12gb": 7} for gpu in range(8)}, "mixed")
    rack.wait("slices", lambda: all(rack.allocatable(NODES["inf-01"], key) == n for key, n in slices.items()), _SECONDS)

    def functions() -> bool:
        return all(rack.allocatable(NODES["gpu-01"], f"openshift.io/rail{rail}") == 1 for rail in range(len(RAILS)))

    rack.wait("functions", functions, _SECONDS)
    nics = [rack.world.servers[NODES["gpu-01"]].nics[f"rail{rail}"] for rail in range(len(RAILS))]
    rack.wait("a lossless class", lambda: all(nic.trust_dscp and nic.pfc == {3} and nic.mtu == 9000 for nic in nics))
    wanted = at(deployment, "spec", "replicas")
    rack.wait(
        "replicas", lambda: at(rack.get("deployment", name, "-n", place), "status", "readyReplicas") == wanted, 90
    )
    rack.wait("pools at rest", lambda: all(map(_rests, rack.items("machineconfigpools"))), 90)
    rack.wait("a member", lambda: _members(rack, planned)["Running"] == 1, 90)


def _rests(pool: Object) -> bool:
    return any(each["type"] == "Updated" and each["status"] == "True" for each in pool["status"]["conditions"])


def _members(rack: Rack, planned: list[Object]) -> dict[str, int]:
    (job,) = of_kind(planned, "Job")[:1]
    found = rack.items("pods", "-n", space(job), "-l", f"job-name={job['metadata']['name']}")
    phases = [at(each, "status", "phase") for each in found]
    return {phase: phases.count(phase) for phase in ("Running", "Pending", "Failed")}


def state(rack: Rack, planned: list[Object]) -> dict[str, Any]:
    """What can be seen of nodes, NICs, pools, operators and pods; nothing that differs from run to run."""
    return {
        "members": _members(rack, planned), "rails": sorted(_attached(rack, planned)),
        "nodes": {each["metadata"]["name"]: _node(each) for each in rack.items("nodes")},
        "nics": {
            f"{host}:{nic.name}": (nic.trust_dscp, sorted(nic.pfc), nic.mtu, nic.cnp_dscp)
            for host in NODES.values() for nic in rack.world.servers[host].nics.values()
        },
        "pools": {
            each["metadata"]["name"]: {key: value for key, value in each["status"].items() if key.endswith("Count")}
            for each in rack.items("machineconfigpools")
        },
        "operators": {
            f"{each['kind']} {each['metadata']['name']}": at(each, "status", "state")
            for kind in ("clusterpolicies", "nicclusterpolicies", "nicnodepolicies") for each in rack.items(kind)
        },
        "networks": sorted(each["metadata"]["name"] for each in rack.items("network-attachment-definitions", "-A")),
    }  # fmt: skip


def _attached(rack: Rack, planned: list[Object]) -> Iterator[str]:
    (job,) = of_kind(planned, "Job")[:1]
    for each in rack.items("pods", "-n", space(job)):
        text = at(each, "metadata", "annotations", _NETWORK_STATUS)
        yield from (row["name"] for row in json.loads(text or "[]") if "device-info" in row)


def _node(found: Object) -> dict[str, Any]:
    free = at(found, "status", "allocatable") or {}
    kept = ("nvidia.com/", "feature.node.kubernetes.io/pci", "network.nvidia.com/", "podwright.io/", "node-role.")
    return {
        "free": {name: count for name, count in free.items() if "/" in name or name.startswith("hugepages")},
        "labels": {key: value for key, value in labels(found).items() if key.startswith(kept)},
        "taints": at(found, "spec", "taints"), "unschedulable": at(found, "spec", "unschedulable"),
    }  # fmt: skip
