"""Children: objects without an organization that hang off a policy (vNICs, VLANs, drive groups, ports).

A child is known by its name below its parent, or, where it has none (ports), by what makes it unique there.
Strangers' children below a policy of ours are neither seen nor touched; they only stop a delete, which would take
them along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import ownership, references, vnics
from podwright.components.providers.intersight.account import Account, reference
from podwright.components.providers.intersight.managed import Desired, Find, Owned, converge, let_go
from podwright.components.providers.intersight.secrets import rotated
from podwright.components.providers.intersight.shape import judge_targets
from podwright.components.providers.intersight.table import judge, object_types, rules_of
from podwright.components.providers.protocol.kind import Context, Failure, ProviderError
from podwright.components.providers.protocol.shape import nearest

PARENTS: Mapping[str, str] = {
    "vnic.EthIf": "LanConnectivityPolicy",
    "fabric.Vlan": "EthNetworkPolicy",
    "fabric.PortMode": "PortPolicy",
    "fabric.ServerRole": "PortPolicy",
    "fabric.UplinkRole": "PortPolicy",
    "fabric.UplinkPcRole": "PortPolicy",
    "fabric.ApplianceRole": "PortPolicy",
    "fabric.AppliancePcRole": "PortPolicy",
    "iam.EndPointUserRole": "EndPointUserPolicy",
    "iam.LdapGroup": "LdapPolicy",
    "iam.LdapProvider": "LdapPolicy",
    "vnic.FcIf": "SanConnectivityPolicy",
    "storage.DriveGroup": "StoragePolicy",
}
"""The reference that makes an object a child. Its other references (a vNIC's QoS policy) are to objects that live on
their own.
"""

PLACES: Mapping[str, tuple[str, ...]] = {
    "fabric.PortMode": ("SlotId", "PortIdStart"),
    "fabric.ServerRole": ("SlotId", "PortId"),
    "fabric.UplinkRole": ("SlotId", "PortId"),
    "fabric.ApplianceRole": ("SlotId", "PortId"),
    "fabric.UplinkPcRole": ("PcId",),
    "fabric.AppliancePcRole": ("PcId",),
    "iam.EndPointUserRole": ("EndPointUser",),
    "iam.LdapProvider": ("Server",),
}
"""What is unique below the parent for children that have no name: a property, or a reference."""

_KEYS = {"object_type", "name", "properties", "references"}


def parent_property(child: str, parent: str) -> str | None:
    """The child's reference to its parent: ``LanConnectivityPolicy`` for a vNIC. None when it is no child of it."""
    link = PARENTS.get(child)
    return link if link is not None and rules_of(child)[link]["of"] == parent else None


def check(parent: str, entries: list[Any]) -> list[Failure]:
    """Everything wrong with the children of a spec."""
    found: list[Failure] = []
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(entries):
        trail = ("spec", "children", index)
        if not isinstance(entry, Mapping) or not isinstance(entry.get("object_type"), str):
            found.append(Failure(trail, "a child is an object with object_type, name and properties"))
            continue
        found += [Failure((*trail, key), f"there is no key {key!r} here") for key in entry if key not in _KEYS]
        found += _check(parent, entry, trail)
        key = (entry["object_type"], str(entry.get("name")))
        if key in seen:
            found.append(Failure((*trail, "name"), f"{key[0]} {key[1]!r} is listed twice"))
        seen.add(key)
    return found


def _check(parent: str, entry: Mapping[str, Any], trail: tuple[str | int, ...]) -> list[Failure]:
    kind = entry["object_type"]
    if kind not in object_types() or parent_property(kind, parent) is None:
        options = tuple(t for t in object_types() if parent_property(t, parent))
        return [Failure((*trail, "object_type"), f"{kind!r} is no child of {parent}{nearest(kind, options)}")]
    found: list[Failure] = []
    properties, references = entry.get("properties", {}), entry.get("references", {})
    if not isinstance(entry.get("name"), str):
        found.append(Failure((*trail, "name"), "name is missing"))
    for key, value in (("properties", properties), ("references", references)):
        if not isinstance(value, Mapping):
            found.append(Failure((*trail, key), f"must be an object, not {value!r}"))
    if not isinstance(properties, Mapping) or not isinstance(references, Mapping):
        return found
    for place in PLACES.get(kind, ()):
        if place not in properties and place not in references:
            found.append(Failure((*trail, "properties", place), f"{place} is missing; it says which one this is"))
    found += judge(kind, properties, (*trail, "properties"))
    found += judge(kind, references, (*trail, "references"), references=True)
    for name, target in references.items():
        found += judge_targets(target, (*trail, "references", name), object_types())
    return found


async def put(
    api: Account, spec: Mapping[str, Any], before: Mapping[str, Any], parent: Mapping[str, Any], ctx: Context
) -> None:
    """Remove the children that are no longer defined, then bring the others to what is defined."""
    wanted = spec.get("children") or []
    names = {(entry["object_type"], entry["name"]) for entry in wanted}
    for entry in before.get("children") or []:
        if (entry["object_type"], entry["name"]) not in names:
            await _remove(api, spec, entry, parent, ctx)
    # Looked up once for all of them; what another writer adds meanwhile is refused as a clash, and looked up then.
    below = [
        live for kind in sorted({entry["object_type"] for entry in wanted}) for live in await _below(api, kind, parent)
    ]
    marks = [await _marks(api, spec, entry) for entry in wanted]
    for old in below:  # ours and no longer defined: what a cut attempt may have left
        if ownership.is_ours(old, ctx.identity) and not any(_is(old, each) for each in marks):
            await _remove(api, spec, _entry(old), parent, ctx)
    earlier = {(entry["object_type"], entry["name"]): entry for entry in before.get("children") or []}
    for entry, each in zip(wanted, marks, strict=True):
        ctx.stop_here(f"{entry['object_type']} {entry['name']}")
        seen = next((live for live in below if _is(live, each)), {})
        await _put(api, spec, entry, earlier.get((entry["object_type"], entry["name"]), {}), parent, ctx, seen)


async def _put(
    api: Account,
    spec: Mapping[str, Any],
    entry: Mapping[str, Any],
    before: Mapping[str, Any],
    parent: Mapping[str, Any],
    ctx: Context,
    seen: dict[str, Any],
) -> None:
    kind = entry["object_type"]
    link = parent_property(kind, str(parent["ObjectType"]))
    assert link is not None  # the check saw to it
    birth: dict[str, Any] = {link: reference(parent)}
    if "Name" in rules_of(kind):
        birth["Name"] = entry["name"]
    context = {"name": f"{spec['name']}/{entry['name']}", "organization": spec["organization"]}
    owned = dict(entry.get("properties", {})) | await references.resolve(api, context, entry.get("references", {}))
    desired = Desired(
        object_type=kind,
        what=f"{kind} {entry['name']!r} of {references.named_what(spec)}",
        identity=ctx.identity,
        find=_find(api, spec, entry, parent),
        birth=birth,
        owned=owned,
        released=references.released(before, entry),
        adopt=bool(spec.get("adopt")),
        listed=str(spec["name"]),
        rotated=rotated(entry.get("properties", {}), before.get("properties") or {}),
        lookup=ctx.secret,
    )
    await (vnics.put(api, desired, seen, ctx) if kind == vnics.VNIC else converge(api, desired, seen))


async def read_back(api: Account, spec: Mapping[str, Any], parent: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Our children as they are live; those that are gone are left out."""
    seen: list[dict[str, Any]] = []
    for entry in spec.get("children") or []:
        live = await _shown(api, spec, entry, parent)
        if live is None:
            continue
        one = dict(entry)
        if "properties" in entry:
            one["properties"] = references.live_properties(entry["object_type"], entry["properties"], live)
        if "references" in entry:
            one["references"] = await references.live_references(api, spec, entry["references"], live)
        if entry["object_type"] == vnics.VNIC and vnics.attached(live):
            one["references"] = await vnics.template_seen(api, one.get("references") or {}, live)
        seen.append(one)
    return seen


async def remove_all(
    api: Account, spec: Mapping[str, Any], parent: Mapping[str, Any], ctx: Context, spare_strangers: bool
) -> None:
    """Delete our children. A stranger's child below a policy that will be deleted stops the delete."""
    kinds = {entry["object_type"] for entry in spec.get("children") or []} | _kinds(str(parent["ObjectType"]))
    for kind in sorted(kinds):
        for live in await _below(api, kind, parent):
            if ownership.is_ours(live, ctx.identity):
                await _remove(api, spec, _entry(live), parent, ctx)
            elif not spare_strangers:
                name = live.get("Name") or live["Moid"]
                raise ProviderError(
                    f"{references.named_what(spec)} holds {kind} {name!r}, which is not ours and would go with it; "
                    "move it elsewhere or delete it first"
                )


def _kinds(parent: str) -> set[str]:
    return {kind for kind in object_types() if parent_property(kind, parent)}


async def _remove(
    api: Account, spec: Mapping[str, Any], entry: Mapping[str, Any], parent: Mapping[str, Any], ctx: Context
) -> None:
    what = f"{entry['object_type']} {entry['name']!r}"
    left = await let_go(api, Owned(what, ctx.identity, _find(api, spec, entry, parent)))
    if left is not None:
        ctx.warn(left)


async def _below(api: Account, kind: str, parent: Mapping[str, Any]) -> list[dict[str, Any]]:
    link = parent_property(kind, str(parent["ObjectType"]))
    return await api.where(kind, f"{link}.Moid", str(parent["Moid"]))


async def _shown(
    api: Account, spec: Mapping[str, Any], entry: Mapping[str, Any], parent: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The child as a refresh shows it: from the list of ours where it is one of them."""
    link = str(parent_property(entry["object_type"], str(parent["ObjectType"])))
    marks = await _marks(api, spec, entry)
    for live in await api.marked(entry["object_type"]):
        if _moid(live.get(link)) == parent["Moid"] and _is(live, marks):
            return live
    return await _find(api, spec, entry, parent)()


async def _marks(api: Account, spec: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """What distinguishes a child, by property: its type, and its name or its places."""
    kind = entry["object_type"]
    if kind not in PLACES:
        return {"ObjectType": kind, "Name": entry["name"]}
    found: dict[str, Any] = {"ObjectType": kind}
    for place in PLACES[kind]:
        target = (entry.get("references") or {}).get(place)
        live = await api.refer(target, spec["organization"]) if target else (entry.get("properties") or {}).get(place)
        found[place] = _moid(live)
    return found


def _moid(value: Any) -> Any:
    return value.get("Moid") if isinstance(value, Mapping) else value


def _is(live: Mapping[str, Any], marks: Mapping[str, Any]) -> bool:
    return all(_moid(live.get(name)) == value for name, value in marks.items())


def _entry(live: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(live["ObjectType"])
    places = {place: live.get(place) for place in PLACES.get(kind, ())}
    name = live.get("Name") or "/".join(str(_moid(value)) for value in places.values())
    return {"object_type": kind, "name": name, "properties": places}


def _find(api: Account, spec: Mapping[str, Any], entry: Mapping[str, Any], parent: Mapping[str, Any]) -> Find:
    async def find() -> dict[str, Any] | None:
        marks = await _marks(api, spec, entry)
        for live in await _below(api, entry["object_type"], parent):
            if _is(live, marks):
                return live
        return None

    return find
