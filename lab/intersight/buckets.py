"""`PolicyBucket` of a profile and `Profiles` of a policy: one fact, kept on the profile, seen and written from both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight import errors, platforms, rules
from podwright.lab.intersight.schema import ObjectType
from podwright.lab.intersight.store import Mo, Reference, Store, ref

_OF_SERVERS = ("server.Profile", "server.ProfileTemplate")


class Buckets:
    """Hooks of the service."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def users(self, policy: Mo) -> dict[str, list[Reference]]:
        """Overlay: the profiles whose bucket holds this policy."""
        return {"Profiles": [ref(profile) for profile in self._holders(ref(policy))]}

    def _holders(self, policy: Reference) -> list[Mo]:
        return [p for name in rules.PROFILES for p in self._store.of(name) if policy in p["PolicyBucket"]]

    def before(self, mo: Mo | None, kind: ObjectType, values: dict[str, Any]) -> None:
        """Check a bucket that is written."""
        if "PolicyBucket" in values:
            self._check(values["PolicyBucket"])
            if kind.name in _OF_SERVERS:
                platform = values.get("TargetPlatform", (mo or {}).get("TargetPlatform", "Standalone"))
                platforms.check(str(platform), [each["ObjectType"] for each in values["PolicyBucket"]])
            if kind.name == "server.Profile":
                self._check_static(mo, values["PolicyBucket"])

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """Turn a written `Profiles` into writes of buckets."""
        if "Profiles" in values and rules.is_policy(self._store.schema.objects[mo["ObjectType"]]):
            mo["Profiles"] = []
            self.attach(mo, values["Profiles"])

    def attach(self, policy: Mo, profiles: list[Reference]) -> None:
        """Make these, and only these, the profiles that hold the policy; it replaces one of its own type."""
        me = ref(policy)
        for holder in self._holders(me):
            if ref(holder) not in profiles:
                self._write(holder, [r for r in holder["PolicyBucket"] if r != me])
        for reference in profiles:
            profile = self._store.target(reference)
            if profile is not None and me not in profile["PolicyBucket"]:
                if profile["ObjectType"] in _OF_SERVERS:
                    platforms.check(str(profile["TargetPlatform"]), [me["ObjectType"]])
                others = [r for r in profile["PolicyBucket"] if r["ObjectType"] != me["ObjectType"]]
                self._write(profile, [*others, me])

    def _write(self, profile: Mo, bucket: list[Reference]) -> None:
        self._store.update(profile, {"PolicyBucket": bucket})

    def _check(self, bucket: list[Reference]) -> None:
        types = [r["ObjectType"] for r in bucket]
        for name in types:
            if not rules.is_policy(self._store.schema.objects[name]):
                raise errors.bad_value("PolicyBucket", f"A reference to '{name}' is not possible here.")
            if types.count(name) > 1:
                text = f"The profile has more than one policy of type '{name}'."
                raise errors.invalid("lab_bucket_type_twice", text, name)

    def _check_static(self, mo: Mo | None, bucket: list[Reference]) -> None:
        """A LAN connectivity policy with a static MAC address is for one server profile (Intersight's help)."""
        for reference in bucket:
            if reference["ObjectType"] != "vnic.LanConnectivityPolicy":
                continue
            vnics = [each for each in self._store.of("vnic.EthIf") if each["LanConnectivityPolicy"] == reference]
            others = [p for p in self._store.of("server.Profile") if p is not mo and reference in p["PolicyBucket"]]
            if others and any(each.get("MacAddressType") == "STATIC" for each in vnics):
                text = f"The policy has a static MAC address and is attached to the profile '{others[0]['Name']}'."
                raise errors.invalid("lab_static_mac_shared", text, others[0]["Name"])
