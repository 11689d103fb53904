"""Profiles of chassis: power and fans of each, with the services that all controllers have."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.management import access, snmp
from podwright.components.design.compute.model import SCHEMA, IntersightObject, Profile, Template, carried, digest
from podwright.components.model import Domain, Intersight, Server, Site, blades
from podwright.components.model.chassis import Chassis, ChassisProfile


def chassis_profiles(domains: Mapping[str, Domain], account: Intersight, bucket: Bucket) -> Iterator[Profile]:
    """One profile for each chassis that the file gives one, bound by serial number and deployed: nothing of it
    restarts a blade."""
    for domain, pair in domains.items():
        for name, chassis in pair.chassis.items():
            if chassis.profile is not None:
                yield _profile(name, domain, chassis, chassis.profile, account, bucket)


def derive(
    role: str, profiles: Iterable[Profile], domains: Mapping[str, Domain]
) -> tuple[list[Profile], list[Template]]:
    """The profiles, of which those that the file wants derived name their template; and the templates."""
    boxes = {name: chassis for pair in domains.values() for name, chassis in pair.chassis.items()}
    found, made = [], dict[str, Template]()
    for each in profiles:
        chassis = boxes[each.name]
        if chassis.profile is None or not chassis.profile.derived:
            found.append(each)
            continue
        name = f"{role}-template-chassis-{_alike(chassis, chassis.profile)}-{chassis.profile.fans.lower()}"
        spec = {"schema": SCHEMA, "name": name, **{key: each.spec[key] for key in ("organization", "policies")}}
        made.setdefault(name, Template(name, spec, "chassis"))
        found.append(replace(each, spec={**each.spec, "template": name}))
    return found, list(made.values())


def facts(servers: Mapping[str, Server], domains: Mapping[str, Domain], site: Site) -> dict[str, dict[str, Any]]:
    """What rules of the policy pack read about each chassis with a profile: what it feeds, and what feeds it."""
    found: dict[str, dict[str, Any]] = {}
    for domain, pair in domains.items():
        for name, chassis in pair.chassis.items():
            if chassis.profile is None:
                continue
            there = blades.inside(servers, domain, name)
            rack = site.racks.get(chassis.rack)
            supplies = blades.supplies(chassis)
            found[name] = {
                "blades": list(there),
                "watts": sum(blades.draw(site, each) for each in there.values()),
                "supplies": supplies.fitted,
                "supply_watts": supplies.watts,
                "feeds": 2 if rack is not None and rack.second_feed is not None else 1,
            }
    return found


def _profile(
    name: str, domain: str, chassis: Chassis, profile: ChassisProfile, account: Intersight, bucket: Bucket
) -> Profile:
    management = account.management
    policies: list[IntersightObject] = [
        bucket.add(
            "power.Policy", f"power-{_alike(chassis, profile) if profile.derived else name}", _power(chassis, profile)
        ),
        bucket.add("thermal.Policy", f"chassis-fans-{profile.fans.lower()}", {"FanControlMode": profile.fans}),
    ]
    if management.addresses is not None:
        policies.append(access(management.addresses, bucket))
    if management.snmp is not None:
        policies.append(snmp(management.snmp, bucket))
    spec = {
        "schema": SCHEMA,
        "name": name,
        "organization": account.organization,
        "domain": domain,
        "serial": profile.serial,
        "model": chassis.model,
        "policies": [policy.reference for policy in policies],
        "action": "deploy",
        "approved_disruptions": [],
        "digest": digest([each.spec("") for each in carried(policies, bucket.objects)]),
    }
    return Profile(name, spec, tuple(policies))


def _alike(chassis: Chassis, profile: ChassisProfile) -> str:
    """What chassis of the same power have in the names of what they share: every value that may differ."""
    parts = [chassis.redundancy.lower().replace("+", "-plus-"), "" if profile.power_save else "awake"]
    parts += ["lends" if profile.lends_reserve else "", f"{profile.limit_watts}w" if profile.limit_watts else ""]
    return "-".join(filter(None, parts))


def _power(chassis: Chassis, profile: ChassisProfile) -> dict[str, Any]:
    """Every property that a chassis takes: Intersight's own defaults lend what redundancy keeps back."""
    return {
        "RedundancyMode": chassis.redundancy,
        "ExtendedPowerCapacity": _switch(profile.lends_reserve),
        "PowerSaveMode": _switch(profile.power_save),
        "DynamicRebalancing": "Enabled",
        "AllocatedBudget": profile.limit_watts or 0,
        # After a feed fails and returns, what hangs on it comes back as it was.
        "PowerRestoreState": "LastState",
    }


def _switch(on: bool) -> str:
    return "Enabled" if on else "Disabled"
