"""Writes what each stack of this project plans above the network: `python -m tests.design.goldens [--check]`.

A change of design shows here as a change of text that a reviewer can read, object by object.
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from podwright.components import model
from podwright.components.design import acceptance, compute, fabric, operators, platform, storage, workloads
from tools.generated import ROOT, main

HOME = ROOT / "tests/design/goldens"
STACKS = ("lab", "prod")


def cluster(stack: str) -> model.Cluster:
    """The cluster of one of this project's stack files."""
    return model.load(ROOT / f"Pulumi.{stack}.yaml")


def documents(said: model.Cluster) -> dict[str, list[Any]]:
    """Everything a cluster plans above the network, by layer, and what its network must show."""
    network = fabric.plan(said)
    servers = compute.plan(said)
    organization = said.intersight.organization
    profiles = (*servers.domains, *servers.profiles)
    base = platform.plan(said)
    return {
        "compute": [
            *servers.redfish.values(),
            *(each.spec(organization) for each in (*servers.pools, *servers.policies)),
            *(profile.spec for profile in profiles),
            servers.install,
        ],
        "platform": [*base.manifests, *base.nodes, *platform.rollouts(said, servers.digests).values()],
        "operators": [each for operator in operators.plan(said, network) for each in _operator(operator)],
        "storage": list(storage.plan(said).manifests),
        "workloads": list(workloads.plan(said).manifests),
        "acceptance": [acceptance.plan(said, network).document()],
        "verification": [{each.hostname: _shown(said, network, each)} for each in network.switches],
    }


def files() -> dict[Path, str]:
    """Every golden."""
    return {
        HOME / stack / f"{layer}.yaml": _text(found)
        for stack in STACKS
        for layer, found in documents(cluster(stack)).items()
    }


def _shown(said: model.Cluster, network: fabric.FabricPlan, switch: fabric.SwitchPlan) -> dict[str, Any]:
    """One line an interface."""
    return {
        stage: {
            name: ", ".join(f"{key} {value}" for key, value in row.values().items()) for name, row in interfaces.items()
        }
        for stage, interfaces in fabric.shown(said, network, switch).items()
    }


def _operator(operator: operators.Operator) -> Iterable[Mapping[str, Any]]:
    yield from (operator.namespace, operator.group, operator.subscription)
    if operator.approval:
        yield operator.approval
    yield from operator.settings


class _Plain(yaml.SafeDumper):
    """Writes every value out: an anchor would tie two objects of the text together."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(found: Iterable[Any]) -> str:
    return yaml.dump_all(found, Dumper=_Plain, sort_keys=False, width=160, explicit_start=True)


if __name__ == "__main__":
    sys.exit(main("tests.design.goldens", files()))
