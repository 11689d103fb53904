"""What is said about a pod, and what is asked for. Plain data."""

from dataclasses import dataclass

WAITS = "Waits"
"""State of a job that waits in its queue."""
NOT_READY = "NotReady"
"""State of a replica that runs and gets no requests."""
AS_PLANNED = frozenset({"Running", "Succeeded", WAITS})
"""States in which nothing has to be done."""


@dataclass(frozen=True)
class Verdict:
    """One pod (or one that should be there): its state, its node, and the reason in a sentence."""

    namespace: str
    name: str
    state: str
    node: str | None
    reason: str


@dataclass(frozen=True)
class Expected:
    """A workload that the stack file asks for: kind of its owner (Job, JobSet, TrainJob, Deployment), place, number of
    pods."""

    kind: str
    namespace: str
    name: str
    pods: int
