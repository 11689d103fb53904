"""Workloads that a controller makes of one object: the rest stands once the cluster itself says that this one does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError, Component
from podwright.components.design.platform.names import Manifest
from podwright.components.manifests import Objects
from podwright.components.model.problems import Problem

Wait = Callable[[str, Mapping[str, Any], pulumi.Input[str], pulumi.ResourceOptions], pulumi.Resource]
"""A resource that is a wait, by name, spec, access and options, such as `Served`."""


def access(component: Component, kubeconfig: pulumi.Input[str] | None) -> pulumi.Input[str]:
    """The kubeconfig that a component was handed; ArgsError where it was not and the cluster is asked."""
    if kubeconfig is None:
        problem = Problem(("kubeconfig",), "is missing", "hand it over")
        raise ArgsError(type(component).__name__, component.label, [problem])
    return kubeconfig


def behind_first(
    component: Component,
    planned: Sequence[Manifest],
    purpose: pulumi.Input[str],
    access: pulumi.Input[str],
    after: After,
    wait: tuple[Wait, str, Mapping[str, Any]],
) -> Sequence[pulumi.Resource]:
    """Register a workload's objects; all but the first of `planned` stand behind what waits for that one: its class,
    the end of its name, its spec."""
    kind, name, spec = wait

    def stands(first: pulumi.Resource) -> pulumi.Resource:
        return kind(component.child(name), spec, access, component.options(resources=[first]))

    return Objects(component, after).workload(planned, purpose, stands=stands)
