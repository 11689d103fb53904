"""vNICs that are derived from a template: what the template has reaches them by a merge, the rest is their own.

A derived vNIC lists all that it has, as one that is rendered does: what a change costs is classed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podwright.components.providers.intersight import derived
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.compare import difference
from podwright.components.providers.intersight.managed import Desired, converge, guard
from podwright.components.providers.protocol.kind import Context, ProviderError

VNIC, SOURCE = "vnic.EthIf", "SrcTemplate"
INHERITED = frozenset(
    {
        "Cdn", "EthAdapterPolicy", "EthNetworkPolicy", "EthQosPolicy", "FabricEthNetworkControlPolicy",
        "FabricEthNetworkGroupPolicy", "FailoverEnabled", "IscsiBootPolicy", "MacPool", "PinGroupName",
        "SriovSettings", "UsnicSettings", "VmqSettings",
    }
)  # fmt: skip
"""Properties that a vNIC has from its template: those that both types have (SDK, vnic.VnicTemplate and vnic.EthIf)."""


async def put(api: Account, desired: Desired, seen: dict[str, Any], ctx: Context) -> None:
    """Make the vNIC what is defined; `desired.owned` names its template under `SrcTemplate` where it is derived.

    A new one is made whole, and attached then: nothing about it changes with the merge. Raises ProviderError where the
    template gives it something else.
    """
    owned = dict(desired.owned)
    template = owned.pop(SOURCE, None)
    if template is None:
        if attached(seen):
            guard(desired, seen)
            seen = await derived.detach(api, desired.find, ctx, desired.what) or {}
        await converge(api, replace(desired, owned=owned), seen)
        return
    released = tuple(name for name in desired.released if name not in INHERITED)
    own = replace(desired, owned=_own(owned), released=released, labels=derived.kept(seen, {}, {}))
    await converge(api, own if seen else replace(own, owned=owned), seen)
    live = await derived.follow(api, desired.find, ctx, desired.what, template)
    live = await converge(api, own, live)
    odd = ", ".join(sorted(difference(VNIC, owned, live)))
    if odd:
        raise ProviderError(
            f"{desired.what}: its template gives it another {odd}; the template must have what the vNIC lists: run "
            "`pulumi refresh`, then update again"
        )


def attached(live: Mapping[str, Any]) -> bool:
    """True for a vNIC that is derived from a template."""
    return bool(derived.source(live))


async def template_seen(api: Account, references: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """References of an attached vNIC with its template as it is live: under `<name>: OutOfSync`, which no spec says,
    while it is not in step."""
    ref = live[SOURCE]
    target = references.get(SOURCE) or {"object_type": derived.TEMPLATES[VNIC], "name": await api.name_of(ref)}
    status = await derived.status_of(api, live)
    name = target["name"] if status == "OK" else f"{target['name']}: {status}"
    return {**references, SOURCE: {**target, "name": name}}


def _own(owned: Mapping[str, Any]) -> dict[str, Any]:
    """What stays the vNIC's own; which fabric it is on is the template's."""
    found = {name: value for name, value in owned.items() if name not in INHERITED}
    if isinstance(place := found.get("Placement"), Mapping):
        found["Placement"] = {key: value for key, value in place.items() if key != "SwitchId"}
    return found
