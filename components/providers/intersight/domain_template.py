"""Templates of domain profiles: one of the pair, and one for each fabric with its policies.

No interconnect takes anything from one; its profile does, when it is merged with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from podwright.components.providers.intersight.account import Account, reference
from podwright.components.providers.intersight.derived import TEMPLATES
from podwright.components.providers.intersight.managed import Desired, converge
from podwright.components.providers.intersight.shape import judge_targets
from podwright.components.providers.intersight.sides import (
    CLUSTER,
    FABRICS,
    SWITCH,
    find_side,
    judge_fabrics,
    side_of,
)
from podwright.components.providers.intersight.table import object_types
from podwright.components.providers.intersight.template import REQUIRED, TemplateKind, bucket, live_bucket
from podwright.components.providers.protocol.kind import Context, Failure

SIDE = TEMPLATES[SWITCH]


class DomainProfileTemplateKind(TemplateKind):
    """``podwright:intersight:DomainProfileTemplate``: its policies are those of each fabric, by its letter."""

    token = "podwright:intersight:DomainProfileTemplate"
    object_type = TEMPLATES[CLUSTER]
    called = "domain profile template"
    required: ClassVar[Mapping[str, type]] = {**REQUIRED, "policies": dict}

    def judge(self, spec: Mapping[str, Any]) -> Iterator[Failure]:
        """Both fabrics named, every policy of a known type."""
        yield from judge_fabrics(spec, "policies")
        for fabric, targets in spec["policies"].items():
            yield from judge_targets(targets, ("spec", "policies", fabric), object_types())

    async def owned(self, api: Account, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: policies are those of its sides."""
        del api, spec
        return {}

    async def seen(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
        """Policies of both fabrics."""
        policies: dict[str, list[Any]] = {}
        for fabric in FABRICS:
            side = side_of(await api.marked(SIDE), live, fabric) or await find_side(api, SIDE, live, fabric)()
            policies[fabric] = await live_bucket(api, spec, spec["policies"][fabric], side) if side else []
        return {"policies": policies}

    async def complete(self, api: Account, spec: Mapping[str, Any], live: Mapping[str, Any], ctx: Context) -> None:
        """The templates of both fabrics."""
        for fabric in FABRICS:
            desired = Desired(
                object_type=SIDE,
                what=f"template of fabric {fabric} of {self.what(spec)}",
                identity=ctx.identity,
                find=find_side(api, SIDE, live, fabric),
                birth={
                    "Name": f"{spec['name']}-{fabric}",
                    "SwitchId": fabric,
                    "SwitchClusterProfileTemplate": reference(live),
                },
                owned=await bucket(api, spec, spec["policies"][fabric]),
                adopt=bool(spec.get("adopt")),
                listed=str(spec["name"]),
            )
            await converge(api, desired)
