"""Watches of second versions, of all services of a stack file."""

from collections.abc import Mapping
from typing import Any

from podwright.components.design.workloads import watched
from podwright.components.model import Cluster
from tests.design import whole


def watches(cluster: Cluster) -> dict[str, Mapping[str, Any]]:
    """Specs by the service whose second version is watched."""
    made = {each["metadata"]["name"]: each for each in whole.workloads(cluster) if each["kind"] == "Deployment"}
    given = {name: (each, made.get(f"{name}-canary")) for name, each in cluster.workloads.inference.items()}
    return {name: spec for name, each in given.items() if (spec := watched(name, *each))}
