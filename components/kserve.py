"""Services that KServe runs: the service, its replicas, then all the rest."""

from collections.abc import Sequence

import pulumi

from podwright.components.contract import After, ArgsError, Component
from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads import served
from podwright.components.manifests import Objects
from podwright.components.model import Inference
from podwright.components.model.problems import Problem
from podwright.components.providers.openshift.resources import Served


def by_kserve(
    component: Component,
    service: tuple[str, Inference],
    planned: Sequence[Manifest],
    purpose: pulumi.Input[str],
    kubeconfig: pulumi.Input[str] | None,
    after: After,
) -> Sequence[pulumi.Resource]:
    """Register the objects of a service by its name and section; the first of `planned` is its InferenceService.

    What stands behind it, its Route among them, stands behind its replicas: KServe says Ready before they serve.
    """
    if kubeconfig is None:
        raise ArgsError("InferenceService", component.label, [Problem(("kubeconfig",), "is missing", "hand it over")])
    waited = served(*service, planned[0])

    def stands(first: pulumi.Resource) -> pulumi.Resource:
        return Served(component.child("served"), waited, kubeconfig, component.options(resources=[first]))

    return Objects(component, after).workload(planned, purpose, stands=stands)
