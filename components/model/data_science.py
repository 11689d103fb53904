"""What is defined about data scientists' tools: which of Red Hat OpenShift AI's components run, and for whom."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.types import Name, Spec

Component = Literal["workbenches", "pipelines", "model-registry", "mlflow", "kserve", "trainer"]
"""A part of Red Hat OpenShift AI that may be switched on. The dashboard comes with any of them: it is their door."""


class DataScience(Spec):
    """Red Hat OpenShift AI: its dashboard behind OpenShift's own login and TLS, and the components that are named.

    Every other component is switched off by name, so that no later release of its operator brings one along. Its own
    Kueue is off too: with it, the operator makes a queue of every GPU in the cluster beside those of `queues`.
    """

    components: Annotated[tuple[Component, ...], Field(min_length=1)]
    """What is switched on: workbenches (Jupyter and others, a pod for each person), pipelines, model-registry,
    mlflow, kserve (services of `workloads.inference` of kind kserve, and those that people deploy themselves), trainer
    (Kubeflow Trainer, for training jobs of kind trainjob and those that users make; the JobSet Operator is installed
    with it)."""
    teams: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Teams whose namespaces are projects of the dashboard: [research]. Their pods may reach the API server, at
    port 6443, where a workbench asks who its visitor is. With pipelines among `components` the operator of pipelines
    reaches their pods: it looks for a server's database and object store before it makes one."""
    pools: tuple[Name, ...] = ()
    """Pools that workbenches run on, of purpose inference or cpu, in sizes that follow from what their servers have:
    [inference]. A size is offered if a quota of one of `teams` has room for it."""
