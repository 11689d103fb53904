"""UUIDs that profiles lease from a pool: what a profile says of it, and what the server reports once it was started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.references import live_references, resolve
from podwright.components.providers.intersight.shape import judge_targets
from podwright.components.providers.protocol.kind import Failure

KEY, POOL = "uuid_pool", "uuidpool.Pool"
Spec = Mapping[str, Any]


def judge(spec: Spec) -> Iterator[Failure]:
    """What is wrong with the pool that a spec names."""
    if KEY not in spec:
        return
    yield from judge_targets(spec[KEY], ("spec", KEY), (POOL,))
    if spec["target_platform"] != "FIAttached":
        yield Failure(("spec", KEY), f"a server that is {spec['target_platform']} keeps the UUID it was made with")


async def owned(api: Account, spec: Spec) -> dict[str, Any]:
    """Properties of the profile that make it lease one; none where the spec names no pool."""
    return {"UuidAddressType": "POOL", **await resolve(api, spec, {"UuidPool": spec[KEY]})} if KEY in spec else {}


async def live(api: Account, spec: Spec, profile: Mapping[str, Any]) -> dict[str, Any]:
    """The pool as the profile has it; one without a name where it has none."""
    if KEY not in spec:
        return {}
    found = await live_references(api, spec, {"UuidPool": spec[KEY]}, profile)
    named = profile.get("UuidAddressType") == "POOL" and "UuidPool" in found
    return {KEY: found["UuidPool"] if named else {"object_type": POOL, "name": ""}}


def outputs(spec: Spec, profile: Mapping[str, Any]) -> dict[str, str]:
    """The UUID that the profile leased, which the operating system reports from the server's next start on."""
    return {"uuid": str(profile.get("Uuid") or "")} if KEY in spec else {}
