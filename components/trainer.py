"""Training jobs that Kubeflow Trainer makes: the runtime, then the job of it once the runtime is known."""

from collections.abc import Sequence

import pulumi

from podwright.components.contract import After, ArgsError, Component
from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads import runtime_known
from podwright.components.manifests import Objects
from podwright.components.model.problems import Problem
from podwright.components.providers.openshift.resources import RuntimeKnown


def by_trainer(
    component: Component,
    planned: Sequence[Manifest],
    purpose: pulumi.Input[str],
    kubeconfig: pulumi.Input[str] | None,
    after: After,
) -> Sequence[pulumi.Resource]:
    """Register the objects of a job; the first of `planned` is its TrainingRuntime, the second its TrainJob."""
    if kubeconfig is None:
        raise ArgsError("TrainingJob", component.label, [Problem(("kubeconfig",), "is missing", "hand it over")])
    asked = runtime_known(*planned[:2])

    def stands(first: pulumi.Resource) -> pulumi.Resource:
        return RuntimeKnown(component.child("runtime-known"), asked, kubeconfig, component.options(resources=[first]))

    return Objects(component, after).workload(planned, purpose, stands=stands)
