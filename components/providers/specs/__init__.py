"""The `spec` of every resource, field by field: what the package's schema says of it.

Names are as states hold them. A resource's own check says what is wrong with one; a test compares the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.providers.specs.intersight import (
    ChassisProfileSpec,
    ChassisProfileTemplateSpec,
    DomainProfileSpec,
    DomainProfileTemplateSpec,
    PolicySpec,
    ResourceGroupSpec,
    ServerProfileSpec,
    ServerProfileTemplateSpec,
)
from podwright.components.providers.specs.nxos import SoakSpec, SwitchSpec, VerificationSpec
from podwright.components.providers.specs.openshift import (
    DriverRolloutSpec,
    GatewayModeSpec,
    GuardSpec,
    HostNetworkSpec,
    InstallSpec,
    OperatorInstallSpec,
    PoolReadySpec,
    RolloutSpec,
    TaintSpec,
)
from podwright.components.providers.specs.redfish import ServerSpec
from podwright.components.providers.specs.site import JoinSpec, WorldSpec
from podwright.components.providers.specs.workloads import (
    CanaryWatchSpec,
    FormerJobEndedSpec,
    QueueInUseSpec,
    QueuesReadySpec,
    RuntimeKnownSpec,
    ServedSpec,
)

SPECS: Final[Mapping[str, type[Any]]] = {
    "podwright:index:Join": JoinSpec,
    "podwright:index:World": WorldSpec,
    "podwright:nxos:Switch": SwitchSpec,
    "podwright:nxos:Soak": SoakSpec,
    "podwright:nxos:Verification": VerificationSpec,
    "podwright:intersight:Policy": PolicySpec,
    "podwright:intersight:Pool": PolicySpec,
    "podwright:intersight:ServerProfile": ServerProfileSpec,
    "podwright:intersight:ServerProfileTemplate": ServerProfileTemplateSpec,
    "podwright:intersight:DomainProfileTemplate": DomainProfileTemplateSpec,
    "podwright:intersight:DomainProfile": DomainProfileSpec,
    "podwright:intersight:ChassisProfileTemplate": ChassisProfileTemplateSpec,
    "podwright:intersight:ChassisProfile": ChassisProfileSpec,
    "podwright:intersight:ResourceGroup": ResourceGroupSpec,
    "podwright:redfish:Server": ServerSpec,
    "podwright:openshift:Install": InstallSpec,
    "podwright:openshift:OperatorInstall": OperatorInstallSpec,
    "podwright:openshift:Rollout": RolloutSpec,
    "podwright:openshift:DriverRollout": DriverRolloutSpec,
    "podwright:openshift:HostNetwork": HostNetworkSpec,
    "podwright:openshift:Guard": GuardSpec,
    "podwright:openshift:PoolReady": PoolReadySpec,
    "podwright:openshift:QueuesReady": QueuesReadySpec,
    "podwright:openshift:QueueInUse": QueueInUseSpec,
    "podwright:openshift:RuntimeKnown": RuntimeKnownSpec,
    "podwright:openshift:FormerJobEnded": FormerJobEndedSpec,
    "podwright:openshift:GatewayMode": GatewayModeSpec,
    "podwright:openshift:Served": ServedSpec,
    "podwright:openshift:CanaryWatch": CanaryWatchSpec,
    "podwright:openshift:Taint": TaintSpec,
}
"""The spec of each resource, by token."""
