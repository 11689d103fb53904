"""The table: rows of every resource by token, for changes and for its deletion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from podwright.components.changes import platform, servers, switch
from podwright.components.changes.lines import LINES
from podwright.components.changes.row import LineRow, Row

ROWS: Final[Mapping[str, tuple[Row, ...]]] = {
    "podwright:index:Join": platform.JOIN,
    "podwright:index:World": platform.WORLD,
    "podwright:nxos:Switch": (*switch.SWITCH, *LINES),
    "podwright:nxos:Soak": switch.SOAK,
    "podwright:nxos:Verification": switch.VERIFICATION,
    "podwright:intersight:Policy": servers.POLICY,
    "podwright:intersight:Pool": servers.POLICY,
    "podwright:intersight:ServerProfile": servers.SERVER_PROFILE,
    "podwright:intersight:ServerProfileTemplate": servers.SERVER_PROFILE_TEMPLATE,
    "podwright:intersight:DomainProfileTemplate": servers.DOMAIN_PROFILE_TEMPLATE,
    "podwright:intersight:DomainProfile": servers.DOMAIN_PROFILE,
    "podwright:intersight:ChassisProfileTemplate": servers.CHASSIS_PROFILE_TEMPLATE,
    "podwright:intersight:ChassisProfile": servers.CHASSIS_PROFILE,
    "podwright:intersight:ResourceGroup": servers.RESOURCE_GROUP,
    "podwright:redfish:Server": servers.REDFISH,
    "podwright:openshift:Install": platform.INSTALL,
    "podwright:openshift:OperatorInstall": platform.OPERATOR,
    "podwright:openshift:Rollout": platform.ROLLOUT,
    "podwright:openshift:DriverRollout": platform.DRIVER_ROLLOUT,
    "podwright:openshift:HostNetwork": platform.HOST_NETWORK,
    "podwright:openshift:Guard": platform.GUARD,
    "podwright:openshift:PoolReady": platform.POOL_READY,
    "podwright:openshift:QueuesReady": platform.QUEUES_READY,
    "podwright:openshift:QueueInUse": platform.QUEUE_IN_USE,
    "podwright:openshift:RuntimeKnown": platform.RUNTIME_KNOWN,
    "podwright:openshift:FormerJobEnded": platform.FORMER_JOB_ENDED,
    "podwright:openshift:GatewayMode": platform.GATEWAY_MODE,
    "podwright:openshift:Served": platform.SERVED,
    "podwright:openshift:CanaryWatch": platform.CANARY_WATCH,
    "podwright:openshift:Taint": platform.TAINT,
}
"""What a change of a property of `spec` does."""

DELETIONS: Final[Mapping[str, Row]] = {
    "podwright:nxos:Switch": switch.SWITCH_GONE,
    "podwright:intersight:Policy": servers.POLICY_GONE,
    "podwright:intersight:Pool": servers.POLICY_GONE,
    "podwright:intersight:ServerProfile": servers.PROFILE_GONE,
    "podwright:intersight:ServerProfileTemplate": servers.TEMPLATE_GONE,
    "podwright:intersight:DomainProfileTemplate": servers.TEMPLATE_GONE,
    "podwright:intersight:DomainProfile": servers.DOMAIN_GONE,
    "podwright:intersight:ChassisProfileTemplate": servers.TEMPLATE_GONE,
    "podwright:intersight:ChassisProfile": servers.CHASSIS_GONE,
    "podwright:intersight:ResourceGroup": servers.GROUP_GONE,
    "podwright:redfish:Server": servers.REDFISH_GONE,
    "podwright:openshift:Install": platform.INSTALL_GONE,
    "podwright:openshift:OperatorInstall": platform.OPERATOR_GONE,
    **dict.fromkeys(
        (
            "podwright:index:Join",
            "podwright:index:World",
            "podwright:nxos:Soak",
            "podwright:nxos:Verification",
            "podwright:openshift:Rollout",
            "podwright:openshift:DriverRollout",
            "podwright:openshift:HostNetwork",
            "podwright:openshift:Guard",
            "podwright:openshift:PoolReady",
            "podwright:openshift:QueuesReady",
            "podwright:openshift:QueueInUse",
            "podwright:openshift:RuntimeKnown",
            "podwright:openshift:FormerJobEnded",
            "podwright:openshift:GatewayMode",
            "podwright:openshift:Served",
            "podwright:openshift:CanaryWatch",
            "podwright:openshift:Taint",
        ),
        platform.NOTHING_GONE,
    ),
}
"""What deleting a resource does."""

COMPONENTS_GONE: Final[Mapping[str, tuple[str, Row]]] = {
    "pools": ("podwright:index:NodePool", platform.POOL_GONE),
    "operators": ("podwright:openshift:OperatorInstall", platform.OPERATOR_GONE),
    "teams": ("podwright:index:Team", platform.TEAM_GONE),
    "volumes": ("podwright:index:Storage", platform.VOLUME_GONE),
    "training": ("podwright:index:TrainingJob", platform.WORKLOAD_GONE),
    "inference": ("podwright:index:InferenceService", platform.WORKLOAD_GONE),
}
"""By key of `contents` in the spec of a stack's `World`: what has the row when it leaves the plan."""


def property_row(token: str, name: str) -> Row | None:
    """The row of a property of a spec; None: there is none (a resource of another package)."""
    return next((row for row in ROWS.get(token, ()) if row.name == name and not isinstance(row, LineRow)), None)


def line_row(path: tuple[str, ...]) -> LineRow:
    """The first row that is about a line of a switch, given as its top-level line and what leads to it."""
    return next(row for row in LINES if row.matches(path))
