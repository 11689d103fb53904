"""What is defined about containers of a pool: how much of its node one may take beside processors and memory."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Spec


class Containers(Spec):
    """Limits that kubelet and CRI-O have for every container of a pool's nodes; None leaves OpenShift's own.

    A change drains and restarts the pool's nodes once, within `max_unavailable`.
    """

    pids: Annotated[int, Field(ge=1024, le=4_194_304)] | None = None
    """Processes and threads of a pod at once. OpenShift's own is 4096, which data loaders of eight GPUs can reach:
    their pod then fails to fork. The most is what Linux has numbers for."""
    log_mib: Annotated[int, Field(ge=1, le=10_240)] | None = None
    """MiB of a container's log file before a new one is begun. OpenShift's own is 50."""
    log_files: Annotated[int, Field(ge=2, le=100)] | None = None
    """Log files kept of a container, the current one included. Kubelet's own is 5; it does not start with less than
    two."""
    layer_gib: Annotated[int, Field(ge=10, le=10_240)] | None = None
    """GiB that a container may write into its own file system, outside volumes. OpenShift's own is the whole disk."""
