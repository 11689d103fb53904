"""What replicas of a service stand apart by, and how long they stay on a node that is lost."""

from typing import Annotated, Literal

from pydantic import Field

Spread = Literal["hosts", "racks"]
LostNodeSeconds = Annotated[int, Field(ge=30, le=300)] | None
"""A node that says itself that it is not Ready has no grace period before, and kubelet writes its state every ten
seconds (nodeStatusUpdateFrequency): three of these. OpenShift's own profiles for slow workers have 60 (openshift/api,
config/v1/types_node.go, WorkerLatencyProfileType). Longer than 300, and a node that `openshift.lost_nodes` gives up
would keep its pods."""
