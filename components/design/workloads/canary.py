"""A service's second version: what the first one has, once more, under a name and labels of its own."""

from collections.abc import Mapping

from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads.inference import service
from podwright.components.design.workloads.monitor import monitor
from podwright.components.design.workloads.route import entry
from podwright.components.model import Inference, Server, Sharing, second


def canary(
    name: str, inference: Inference, servers: Mapping[str, Server], sharing: Sharing | None = None
) -> tuple[Manifest, ...]:
    """Deployment, service, disruption budget, its ways in and its ServiceMonitor; nothing without a second version.

    The Route is the first version's: requests reach this one by it alone.
    """
    other = second(name, inference)
    if other is None:
        return ()
    return (*service(*other, servers, sharing), entry(*other), *monitor(*other))
