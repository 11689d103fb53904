"""Access to the cluster, for a component that asks it only where its section says so."""

import pulumi

from podwright.components.contract import ArgsError, Component
from podwright.components.model.problems import Problem


def access(component: Component, kubeconfig: pulumi.Input[str] | None) -> pulumi.Input[str]:
    """The kubeconfig that a component was handed; ArgsError where it was not and the cluster is asked."""
    if kubeconfig is None:
        problem = Problem(("kubeconfig",), "is missing", "hand it over")
        raise ArgsError(type(component).__name__, component.label, [problem])
    return kubeconfig
