"""The OpenShift module: which resource kinds it serves."""

from __future__ import annotations

from podwright.components.providers.openshift.canary import CanaryWatchKind
from podwright.components.providers.openshift.former_job import FormerJobEndedKind
from podwright.components.providers.openshift.gateway_mode import GatewayModeKind
from podwright.components.providers.openshift.guard import GuardKind
from podwright.components.providers.openshift.install import InstallKind
from podwright.components.providers.openshift.operator import OperatorInstallKind
from podwright.components.providers.openshift.pools.drivers import DriverRolloutKind
from podwright.components.providers.openshift.pools.host_network import HostNetworkKind
from podwright.components.providers.openshift.pools.readiness import PoolReadyKind
from podwright.components.providers.openshift.pools.taint import TaintKind
from podwright.components.providers.openshift.queue_in_use import QueueInUseKind
from podwright.components.providers.openshift.queues_ready import QueuesReadyKind
from podwright.components.providers.openshift.rollout import RolloutKind
from podwright.components.providers.openshift.runtime_known import RuntimeKnownKind
from podwright.components.providers.openshift.served import ServedKind
from podwright.components.providers.protocol.kind import Kind

KINDS: tuple[Kind, ...] = (
    CanaryWatchKind(),
    DriverRolloutKind(),
    FormerJobEndedKind(),
    GatewayModeKind(),
    GuardKind(),
    HostNetworkKind(),
    InstallKind(),
    OperatorInstallKind(),
    PoolReadyKind(),
    QueueInUseKind(),
    QueuesReadyKind(),
    RuntimeKnownKind(),
    RolloutKind(),
    ServedKind(),
    TaintKind(),
)
