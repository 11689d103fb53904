"""Second versions of services that are watched once their Route gives them requests."""

from collections.abc import Sequence
from typing import Any

import pulumi

from podwright.components.access import access
from podwright.components.contract import After, Component
from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads import reader, watched
from podwright.components.manifests import Objects
from podwright.components.model import Inference
from podwright.components.model.canary import SUFFIX
from podwright.components.providers.openshift.resources import CanaryWatch


def watching(
    component: Component,
    service: tuple[str, Inference],
    planned: Sequence[Manifest],
    made: Sequence[pulumi.Resource],
    kubeconfig: pulumi.Input[str] | None,
    after: After,
) -> Sequence[pulumi.Resource]:
    """Register what watches a service's second version behind all of its objects; `made` alone where nobody does."""
    spec = watched(*service, _deployment(f"{service[0]}{SUFFIX}", planned))
    if spec is None:
        return made
    known = access(component, kubeconfig)
    rights = [Objects(component, after).add(each) for each in reader(*service)]
    name = component.child("canary-watch")
    return [*made, CanaryWatch(name, spec, known, component.options(resources=[*made, *rights]))]


def _deployment(name: str, planned: Sequence[Manifest]) -> dict[str, Any] | None:
    found = (each for each in planned if each["kind"] == "Deployment" and each["metadata"]["name"] == name)
    return next((dict(each) for each in found), None)
