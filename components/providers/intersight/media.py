"""The installation image of one server: a virtual media policy of its own, in its profile only while it installs.

The policy that the profile's spec names is shared by all servers of a role: an image in there would be handed to
servers that run. So its place in the one profile is taken, and given back when the server is installed. The spec sees
nothing of it: `as_defined` reads the bucket as if the image were not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.intersight import derived, ownership
from podwright.components.providers.intersight.account import Account, reference
from podwright.components.providers.intersight.discovery import PROFILE
from podwright.components.providers.intersight.listing import quoted
from podwright.components.providers.intersight.managed import Desired, Find, Owned, converge, let_go
from podwright.components.providers.intersight.repeats import VALIDATING_TIMES, Repeats
from podwright.components.providers.intersight.workflow import StoppedWaitingError
from podwright.components.providers.protocol.kind import Context, ProviderError

MEDIA = "vmedia.Policy"
VOLUME = "podwright-install"
STANDS_FOR = "podwright-stands-for"
"""Tag of an image's policy: Moid of the policy whose place in the profile it takes."""

TEMPLATE = "podwright-template"
"""Tag of an image's policy: Moid of the template that the profile is off while it has the image."""

Ref = Mapping[str, Any]


async def insert(api: Account, ctx: Context, find: Find, url: str) -> None:
    """Put the image at `url` into the profile that `find` looks up, and into no other. Hand-over is the caller's.

    Raises ProviderError when the profile vanished or Intersight refuses.
    """
    profile = await _there(find)
    own, current = await _image(api, profile), _media(profile)
    template = derived.source(profile) or ownership.tags(own or {}).get(TEMPLATE)
    if own is not None and (current is None or current["Moid"] != own["Moid"]):
        await discard(api, ctx, profile)  # of an attempt that was cut off: what it stands for may be another one now
    standing = current if own is None or current is None or current["Moid"] != own["Moid"] else None
    former = await api.by_moid(MEDIA, str(standing["Moid"])) if standing else own
    options = {name: bool((former or {}).get(name, True)) for name in ("Enabled", "Encryption")}

    async def find_image() -> dict[str, Any] | None:
        return await _image(api, profile)

    organization = profile["Organization"]
    desired = Desired(
        object_type=MEDIA,
        what=_what(profile),
        identity=ctx.identity,
        find=find_image,
        birth={
            "Name": _name(profile),
            "Organization": _plain({"ObjectType": "organization.Organization", **organization}),
        },
        owned={**options, "Mappings": [_mapping(url)]},
        tags=({STANDS_FOR: str(standing["Moid"])} if standing else {}) | ({TEMPLATE: template} if template else {}),
    )
    made = await converge(api, desired)
    # A derived profile takes no policy of its own: it is off its template while it has the image.
    await derived.detach(api, find, ctx, f"server profile {profile.get('Name')!r}")
    await _put(api, find, made)


async def remove(api: Account, ctx: Context, find: Find) -> None:
    """Give the place in the profile back to the policy that the image's stands for. Hand-over is the caller's."""
    profile = await _there(find)
    own, current = await _image(api, profile), _media(profile)
    if own is not None and current is not None and current["Moid"] == own["Moid"]:
        moid = ownership.tags(own).get(STANDS_FOR)
        current = await api.by_moid(MEDIA, moid) if moid else None
        await _put(api, find, current)
    if template := ownership.tags(own or {}).get(TEMPLATE):
        await _rejoin(api, ctx, find, template)
    if current is not None:
        await _clear(api, ctx, str(current["Moid"]))


async def _rejoin(api: Account, ctx: Context, find: Find, moid: str) -> None:
    """Back to the template that the profile left for its image; one that is gone by now is left alone."""
    template = await api.by_moid(derived.TEMPLATES[PROFILE], moid)
    if template is not None:
        what = f"server profile {(await _there(find)).get('Name')!r}"
        try:
            await derived.follow(api, find, ctx, what, reference(template))
        except StoppedWaitingError as stopped:
            raise ProviderError(str(stopped)) from None


async def _clear(api: Account, ctx: Context, moid: str) -> None:
    """Earlier releases mapped the image in the policy that servers share: take it out of there."""

    async def find() -> dict[str, Any] | None:
        return await api.by_moid(MEDIA, moid)

    shared = await find()
    if shared is None or not ownership.is_ours(shared, ctx.identity):
        return
    others = [each for each in shared.get("Mappings") or [] if each.get("VolumeName") != VOLUME]
    if len(others) != len(shared.get("Mappings") or []):
        what = f"{MEDIA} {shared.get('Name')!r}"
        await converge(api, Desired(MEDIA, what, ctx.identity, find, {}, {"Mappings": others}, moid=moid))


async def discard(api: Account, ctx: Context, profile: Mapping[str, Any]) -> None:
    """Delete the image's policy of a profile, if there is one of ours."""

    async def find_image() -> dict[str, Any] | None:
        return await _image(api, profile)

    if (left := await let_go(api, Owned(_what(profile), ctx.identity, find_image))) is not None:
        ctx.warn(left)


async def as_defined(api: Account, asked: Sequence[Ref | None], live: Mapping[str, Any]) -> Mapping[str, Any]:
    """The profile as if no image were in: of `asked`, what its spec names, the policy whose place the image takes."""
    named = [ref for ref in asked if ref]
    if not await _has_image(api, live, named):
        return live
    return {**live, "PolicyBucket": _bucket(live, _media({"PolicyBucket": named}))}


async def with_image(api: Account, live: Mapping[str, Any] | None, bucket: Sequence[Ref]) -> Sequence[Ref]:
    """The bucket that a spec asks for, with the image's policy where one is in: an update must not take it out."""
    if live is None or not await _has_image(api, live, bucket):
        return bucket
    return _bucket({"PolicyBucket": bucket}, _media(live))


async def _has_image(api: Account, live: Mapping[str, Any], named: Sequence[Ref]) -> bool:
    """True when the profile has its image's policy; nothing is asked where it has the policy that is named."""
    current, standing = _media(live), _media({"PolicyBucket": named})
    if current is None or (standing or {}).get("Moid") == current["Moid"]:
        return False
    own = await _image(api, live)
    return own is not None and own["Moid"] == current["Moid"]


def _mapping(url: str) -> dict[str, Any]:
    return {
        "ClassId": "vmedia.Mapping",
        "ObjectType": "vmedia.Mapping",
        "VolumeName": VOLUME,
        "DeviceType": "cdd",
        "MountProtocol": url.partition("://")[0],
        "FileLocation": url,
    }


def _name(profile: Mapping[str, Any]) -> str:
    """By the profile's Moid: a policy's name may be too short for a host name with a suffix, and a profile renamed."""
    return f"install-{profile['Moid']}"


def _what(profile: Mapping[str, Any]) -> str:
    return f"the installation image of {profile.get('Name')!r}"


async def _image(api: Account, profile: Mapping[str, Any]) -> dict[str, Any] | None:
    within = f"Organization.Moid eq {quoted(str(profile['Organization']['Moid']))}"
    return await api.only(MEDIA, "Name", _name(profile), _what(profile), within)


async def _there(find: Find) -> dict[str, Any]:
    live = await find()
    if live is None:
        raise ProviderError("the server profile vanished; run again")
    return live


def _media(profile: Mapping[str, Any]) -> Ref | None:
    return next((ref for ref in profile.get("PolicyBucket") or [] if ref.get("ObjectType") == MEDIA), None)


def _bucket(profile: Mapping[str, Any], media: Ref | None) -> list[dict[str, str]]:
    """The profile's policies with `media` as the one for virtual media."""
    others = [ref for ref in profile.get("PolicyBucket") or [] if ref.get("ObjectType") != MEDIA]
    return [_plain(ref) for ref in (*others, *([media] if media else []))]


def _plain(ref: Ref) -> dict[str, str]:
    return {"ClassId": "mo.MoRef", "ObjectType": str(ref["ObjectType"]), "Moid": str(ref["Moid"])}


async def _put(api: Account, find: Find, media: Ref | None) -> None:
    """Make `media` the profile's policy for virtual media."""
    repeats = Repeats()
    for _ in range(VALIDATING_TIMES):
        live = await _there(find)
        if (_media(live) or {}).get("Moid") == (media or {}).get("Moid"):
            return
        change = {"PolicyBucket": _bucket(live, media)}
        await repeats.attempt(api.patch(live, change, f"server profile {live.get('Name')!r}"))
    raise ProviderError(f"server profile {live.get('Name')!r} is busy without end; look at it in Intersight")
