"""The two fabrics of a domain: a profile, or a template, of each below the one of the pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podwright.components.providers.intersight import derived
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.managed import Find
from podwright.components.providers.protocol.kind import Failure, ProviderError

CLUSTER = "fabric.SwitchClusterProfile"
SWITCH = "fabric.SwitchProfile"
FABRICS = ("A", "B")


def judge_fabrics(spec: Mapping[str, Any], key: str) -> Iterator[Failure]:
    """What is wrong with the fabrics of a mapping: both, and no other."""
    for fabric in FABRICS:
        if fabric not in spec[key]:
            yield Failure(("spec", key, fabric), f"fabric {fabric} is missing")
    for other in set(spec[key]) - set(FABRICS):
        yield Failure(("spec", key, other), f"there is no fabric {other!r}")


def find_side(api: Account, kind: str, cluster: Mapping[str, Any], fabric: str) -> Find:
    """How to look up the profile of one fabric of a domain, or its template: of type `kind`, below `cluster`."""

    async def find() -> dict[str, Any] | None:
        return side_of(await api.where(kind, f"{_parent(cluster)}.Moid", str(cluster["Moid"])), cluster, fabric)

    return find


def side_of(found: Iterable[dict[str, Any]], cluster: Mapping[str, Any], fabric: str) -> dict[str, Any] | None:
    """Of these switch profiles, or templates of such, that of one fabric of the domain."""
    for live in found:
        below = (live.get(_parent(cluster)) or {}).get("Moid") == cluster["Moid"]
        if below and (live.get("SwitchId") == fabric or str(live.get("Name", "")).endswith(f"-{fabric}")):
            return live
    return None


def _parent(cluster: Mapping[str, Any]) -> str:
    """The property of a switch profile, or its template, that refers to what it is a part of."""
    return str(cluster["ObjectType"]).partition(".")[2]


async def template_of_side(api: Account, cluster: Mapping[str, Any], fabric: str) -> dict[str, Any] | None:
    """The template of one fabric, where the domain's profile is attached to a template; None where it is not.

    Raises ProviderError where the template has none for the fabric.
    """
    if not derived.source(cluster):
        return None
    domain = {"ObjectType": derived.TEMPLATES[CLUSTER], "Moid": derived.source(cluster)}
    found = await find_side(api, derived.TEMPLATES[SWITCH], domain, fabric)()
    if found is None:
        raise ProviderError(f"the template of {cluster.get('Name')} has none for fabric {fabric}")
    return found
