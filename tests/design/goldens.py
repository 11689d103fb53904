"""Writes what each stack of this project plans above the network: `python -m tests.design.goldens [--check]`.

A change of design shows here as a change of text that a reviewer can read, object by object. Of the lab every object
is there. Of the large stack those that are another one, or one of the lab, with other numbers are counted, and a digest
has their text.
"""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from podwright.components import model
from podwright.components.design import fabric, operators
from podwright.components.model.catalogue import RELEASE_SETS
from tests.design import whole
from tools.generated import ROOT, main
from tools.goldens import stack_file
from tools.renumbering import shape

HOME = ROOT / "tests/design/goldens"
STACKS = ("lab", "prod")


def cluster(stack: str) -> model.Cluster:
    """The cluster of one of this project's stack files."""
    return model.load(ROOT / f"Pulumi.{stack}.yaml")


def documents(said: model.Cluster) -> dict[str, list[Any]]:
    """Everything a cluster plans above the network, by layer, and what its network must show."""
    network = fabric.plan(said.network)
    servers = whole.compute(said)
    assert said.intersight
    organization = said.intersight.organization
    profiles = (*servers.domains, *servers.profiles)
    base = whole.platform(said)
    return {
        "compute": [
            *servers.redfish.values(),
            *(each.spec(organization) for each in (*servers.pools, *servers.policies)),
            *(each.spec for each in (*servers.groups, *profiles)),
            servers.install,
        ],
        "platform": [*base.manifests, *base.nodes, *whole.rollouts(said, servers.digests).values()],
        "operators": _operators(said),
        "storage": whole.storage(said),
        "workloads": whole.workloads(said),
        "acceptance": [whole.acceptance(said).document()],
        "verification": [{each.hostname: _shown(said, network, each)} for each in network.switches],
    }


def files() -> dict[Path, str]:
    """Every golden."""
    lab, prod = (documents(cluster(stack)) for stack in STACKS)
    whole = {HOME / "lab" / f"{layer}.yaml": _text(found) for layer, found in lab.items()}
    whole |= {HOME / f"lab-{name}" / "operators.yaml": _text(_operators(with_set(name))) for name in older()}
    whole |= {HOME / "routed" / f"{layer}.yaml": _text(found) for layer, found in routed().items()}
    return whole | {
        HOME / "prod" / f"{layer}.yaml": _text(distinct_objects(found, lab[layer])) for layer, found in prod.items()
    }


def routed() -> dict[str, list[Any]]:
    """What pods on routed rails have of their own, beside what the lab's have."""
    said = model.load(stack_file("routed"))
    kinds = ("CIDRPool", "NicClusterPolicy", "SriovNetwork")
    settings = [each for operator in whole.operators(said) for each in operator.settings if each["kind"] in kinds]
    few = [each for each in settings if each["metadata"]["name"][-1] in "y07"]
    return {"operators": few, "workloads": whole.workloads(said)}


def _shown(said: model.Cluster, network: fabric.FabricPlan, switch: fabric.SwitchPlan) -> dict[str, Any]:
    """One line an interface."""
    return {
        stage: {
            name: ", ".join(f"{key} {value}" for key, value in row.values().items()) for name, row in interfaces.items()
        }
        for stage, interfaces in fabric.verified(said.network, network, switch).items()
    }


def with_set(name: str) -> model.Cluster:
    """The lab's cluster with another release set, and the first release of OpenShift that the set is for."""
    lab = cluster("lab")
    assert lab.operators and lab.openshift
    operators, version = {"release": name}, {"version": f"{RELEASE_SETS[name].openshift}.3"}
    return lab.model_copy(update={
        "operators": lab.operators.model_copy(update=operators),
        "openshift": lab.openshift.model_copy(update=version),
    })  # fmt: skip


def older() -> list[str]:
    """Release sets that the lab's stack file does not take: what stacks with them get stays as it is."""
    lab = cluster("lab").operators
    assert lab
    return [name for name in RELEASE_SETS if name != lab.release]


def _operators(said: model.Cluster) -> list[Mapping[str, Any]]:
    return [each for operator in whole.operators(said) for each in _operator(operator)]


def _operator(operator: operators.Operator) -> Iterable[Mapping[str, Any]]:
    yield from (operator.namespace, operator.group, operator.subscription)
    if operator.approval:
        yield operator.approval
    yield from operator.settings


class _Plain(yaml.SafeDumper):
    """Writes every value out: an anchor would tie two objects of the text together."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def distinct_objects(found: list[Any], known: list[Any]) -> list[Any]:
    """One object of each kind that is not among the known, and in it one entry of each kind of its lists and maps."""
    return [_distinct_entries(each) if isinstance(each, Mapping) else each for each in _distinct(found, known)]


def _distinct_entries(found: Mapping[str, Any]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, value in found.items():
        if isinstance(value, list):
            entries[key] = _distinct(value)
        elif isinstance(value, Mapping) and all(isinstance(each, Mapping) for each in value.values()):
            pairs = _distinct([{name: each} for name, each in value.items()])
            entries[key] = {name: each for pair in pairs for name, each in pair.items()}
        else:
            entries[key] = value
    return entries


def _distinct(found: list[Any], known: list[Any] | None = None) -> list[Any]:
    """The first of those that differ in numbers of servers, switches and ports only; then how many more there are."""
    seen = {shape(_text([each])) for each in known or ()}
    first: list[Any] = []
    more: list[Any] = []
    for each in found:
        (more if shape(_text([each])) in seen else first).append(each)
        seen.add(shape(_text([each])))
    like = "these" if known is None else "these or the lab's"
    counted = {f"more like {like}": f"{len(more)}, sha256 {hashlib.sha256(_text(more).encode()).hexdigest()}"}
    return [*first, counted] if more else found


def _text(found: Iterable[Any]) -> str:
    return yaml.dump_all(found, Dumper=_Plain, sort_keys=False, width=160, explicit_start=True)


if __name__ == "__main__":
    sys.exit(main("tests.design.goldens", files()))
