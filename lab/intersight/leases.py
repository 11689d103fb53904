"""Pools and what is taken from them: MAC addresses for vNICs, UUIDs for profiles."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.rules import span
from podwright.lab.intersight.store import Mo, Reference, Store, ref

LEASES: Mapping[str, str] = {
    "macpool.Pool": "macpool.Lease",
    "uuidpool.Pool": "uuidpool.UuidLease",
    "ippool.Pool": "ippool.IpLease",
}
BLOCKS: Mapping[str, str] = {
    "macpool.Pool": "MacBlocks",
    "uuidpool.Pool": "UuidSuffixBlocks",
    "ippool.Pool": "IpV4Blocks",
}
VALUE: Mapping[str, str] = {"macpool.Pool": "MacAddress", "uuidpool.Pool": "Uuid", "ippool.Pool": "IpV4Address"}


class Leases:
    """Takes identifiers for a profile and gives them back."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def overlay(self, pool: Mo) -> Mapping[str, Any]:
        """Size and use of a pool as it stands."""
        kind = pool["ObjectType"]
        size = sum(last - first + 1 for first, last in map(span, pool[BLOCKS[kind]]))
        used = len(self._of(pool))
        names = ("V4Size", "V4Assigned") if kind == "ippool.Pool" else ("Size", "Assigned")
        return dict(zip(names, (size, used), strict=True)) | {"Size": size, "Assigned": used}

    def _of(self, pool: Mo) -> list[Mo]:
        return [lease for lease in self._store.of(LEASES[pool["ObjectType"]]) if lease["Pool"] == ref(pool)]

    def take(self, profile: Mo) -> None:
        """Lease what the profile's pools owe it; what it has already stays. Raises ApiError when a pool is empty."""
        self._uuid(profile)
        for policy in filter(None, map(self._store.target, profile["PolicyBucket"])):
            if policy["ObjectType"] == "access.Policy":
                for use in ("InbandIpPool", "OutOfBandIpPool"):
                    if (ip_pool := self._store.target(policy.get(use))) is not None:
                        self._lease(ip_pool, profile, use)
            if policy["ObjectType"] == "vnic.LanConnectivityPolicy":
                for vnic in self._store.of("vnic.EthIf"):
                    mac_pool = self._store.target(vnic.get("MacPool"))
                    pooled = vnic.get("MacAddressType") != "STATIC"
                    if vnic["LanConnectivityPolicy"] == ref(policy) and mac_pool is not None and pooled:
                        self._lease(mac_pool, profile, vnic["Name"])

    def _uuid(self, profile: Mo) -> None:
        """A UUID of its pool; a lease of another pool, or of one that it no longer takes from, goes back."""
        pooled = profile.get("UuidAddressType") == "POOL"
        pool = self._store.target(profile.get("UuidPool"))
        if pooled and pool is None:
            raise errors.invalid("lab_uuid_pool_missing", f"The profile '{profile['Name']}' names no UUID pool.")
        held = self._store.target(profile.get("UuidLease"))
        if held is not None and (not pooled or held["Pool"] != profile["UuidPool"]):
            self._store.remove(held)
            self._store.update(profile, {"UuidLease": None, "Uuid": ""})
        if pooled and pool is not None:
            lease = self._lease(pool, profile, "uuid")
            self._store.update(profile, {"Uuid": lease["Uuid"], "UuidLease": ref(lease)})

    def _lease(self, pool: Mo, profile: Mo, use: str) -> Mo:
        kind, owner = pool["ObjectType"], ref(profile)
        for lease in self._of(pool):
            if lease["AssignedToEntity"] == owner and lease.get("_use") == use:
                return lease
        taken = {lease[VALUE[kind]] for lease in self._of(pool)}
        for first, last in map(span, pool[BLOCKS[kind]]):
            for number in range(first, last + 1):
                value = self._written(pool, number)
                if value not in taken:
                    return self._create(pool, owner, value, use)
        text = f"The pool '{pool['Name']}' has no free identifier for the profile '{profile['Name']}'."
        raise errors.invalid("lab_pool_exhausted", text, pool["Name"])

    def _create(self, pool: Mo, owner: Reference, value: str, use: str) -> Mo:
        kind = pool["ObjectType"]
        values = {"Pool": ref(pool), "AssignedToEntity": owner, VALUE[kind]: value, "_use": use}
        return self._store.create(LEASES[kind], values)

    @staticmethod
    def _written(pool: Mo, number: int) -> str:
        if pool["ObjectType"] == "macpool.Pool":
            digits = f"{number:012X}"
            return ":".join(digits[i : i + 2] for i in range(0, 12, 2))
        if pool["ObjectType"] == "ippool.Pool":
            return str(IPv4Address(number))
        digits = f"{number:016X}"
        return f"{pool.get('Prefix', '')}-{digits[:4]}-{digits[4:]}".upper()

    def mac(self, profile: Mo, use: str) -> str | None:
        """The MAC address that a profile leased for this use."""
        for lease in self._store.of("macpool.Lease"):
            if lease["AssignedToEntity"] == ref(profile) and lease.get("_use") == use:
                return str(lease["MacAddress"])
        return None

    def release(self, mo: Mo) -> None:
        """Give back what a profile holds."""
        for kind in LEASES.values():
            for lease in [x for x in self._store.of(kind) if x["AssignedToEntity"] == ref(mo)]:
                self._store.remove(lease)
        if mo.get("UuidLease"):
            self._store.update(mo, {"UuidLease": None, "Uuid": ""})
