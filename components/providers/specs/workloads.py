"""Specs of what stands between a cluster and its workloads: queues, jobs, services, field by field."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class QueuesReadySpec(TypedDict):
    """Where Kueue is asked whether it looks after JobSets."""

    schema: int
    """Number of this shape."""
    namespace: str
    """A team's namespace."""
    queue: str
    """Name of a LocalQueue."""
    configuration: dict[str, Any]
    """Kueue's configuration, for a change of which it starts anew."""
    runtime: NotRequired[str]
    """A ClusterTrainingRuntime, for a job of which it is asked about TrainJobs too."""


class QueueInUseSpec(TypedDict):
    """A team's queue, whose jobs are looked at before it goes."""

    schema: int
    """Number of this shape."""
    queue: str
    """Name of a ClusterQueue."""
    stack: str
    """Mark of the stack, which stands on its jobs: with one of others the queue stays."""


class RuntimeKnownSpec(TypedDict):
    """A runtime that Kubeflow Trainer and Kueue have to know before there is a job of it."""

    schema: int
    """Number of this shape."""
    namespace: str
    """The team's namespace."""
    runtime: str
    """Name of the TrainingRuntime."""
    queue: NotRequired[str]
    """Name of the LocalQueue that its jobs wait in."""


class FormerJobEndedSpec(TypedDict):
    """A training job by name, and what its next form is made of."""

    schema: int
    """Number of this shape."""
    namespace: str
    """The team's namespace."""
    job: str
    """Name of the job, and `app.kubernetes.io/name` of its pods."""
    api: str
    """API group and version of its kind: `batch/v1`."""
    resource: str
    """Its kind as the API server's paths have it: `jobs`."""
    stack: str
    """Mark of the stack, which stands on its jobs: one that others made is left alone."""
    digest: str
    """Of what of it cannot change: a job of another one is ended, and the next made once its last pod has stopped."""


class ServedSpec(TypedDict):
    """A service that KServe runs, and the form that all of its replicas must be of."""

    schema: int
    """Number of this shape."""
    namespace: str
    """Its team's namespace."""
    service: str
    """Name of the InferenceService."""
    deployment: str
    """Name of the Deployment that KServe makes for it."""
    mark: dict[str, Any]
    """Annotation of its pods that says their form."""
    replicas: int
    """How many must serve."""
    seconds: int
    """How long they are waited for."""


class CanaryWatchSpec(TypedDict):
    """A second version of a service, its share of requests, and what it is watched for."""

    schema: int
    """Number of this shape."""
    namespace: str
    """The team's namespace."""
    route: str
    """Name of the Route that has both versions."""
    service: str
    """Name of the first version's Service."""
    second: str
    """Name of the second version's Service, and of its pods' app.kubernetes.io/name."""
    version: str
    """Digest of the second version's pod template."""
    percent: int
    """Requests of a hundred that it gets."""
    account: str
    """ServiceAccount of openshift-monitoring that reads the router's counters."""
    watch: dict[str, Any]
    """Its limits, with `seconds` for minutes."""
