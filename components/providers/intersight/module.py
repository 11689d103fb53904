"""The Intersight module: which resource kinds it serves."""

from __future__ import annotations

from podwright.components.providers.intersight.chassis import ChassisProfileKind
from podwright.components.providers.intersight.domain import DomainProfileKind
from podwright.components.providers.intersight.domain_template import DomainProfileTemplateKind
from podwright.components.providers.intersight.group import ResourceGroupKind
from podwright.components.providers.intersight.policy import PolicyKind
from podwright.components.providers.intersight.profile import ServerProfileKind
from podwright.components.providers.intersight.table import object_types
from podwright.components.providers.intersight.template import ChassisProfileTemplateKind, ServerProfileTemplateKind
from podwright.components.providers.protocol.kind import Kind

POOLS = tuple(name for name in object_types() if name.endswith(".Pool"))
POLICIES = tuple(
    name for name in object_types() if name.endswith("Policy") or name in {"vnic.VnicTemplate", "iam.EndPointUser"}
)

KINDS: tuple[Kind, ...] = (
    PolicyKind("podwright:intersight:Policy", POLICIES),
    PolicyKind("podwright:intersight:Pool", POOLS),
    ServerProfileTemplateKind(),
    ServerProfileKind(),
    DomainProfileTemplateKind(),
    DomainProfileKind(),
    ChassisProfileTemplateKind(),
    ChassisProfileKind(),
    ResourceGroupKind(),
)
