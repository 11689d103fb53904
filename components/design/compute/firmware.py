"""Firmware policies: one per model family, so that a new version for one family restarts no server of another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podwright.components.design.compute.model import IntersightObject, Profile, digests
from podwright.components.design.hardware import platform, server_model
from podwright.components.model import Bmc, Intersight, Server
from podwright.components.model.firmware import ApprovedRelease, ApprovedVersion, bundle_of

TYPE = "firmware.Policy"
_COMBINED = "firmware.ModelBundleVersion"


def family(server: Server, account: Intersight) -> str | None:
    """The model family of a server whose version the file defines; None where it keeps what it runs."""
    known = server_model(server.model).family
    return known if known in account.firmware.versions else None


def policy(role: str, server: Server, account: Intersight) -> IntersightObject | None:
    """The firmware policy of a server; None without a version for its family."""
    known = family(server, account)
    if known is None:
        return None
    attached = platform(server) == "FIAttached"
    combined = {
        "ClassId": _COMBINED,
        "ObjectType": _COMBINED,
        "ModelFamily": known,
        "BundleVersion": account.firmware.versions[known],
    }
    properties = {
        "TargetPlatform": "FIAttached" if attached else "Standalone",
        "ModelBundleCombo": [combined],
        # Drives hold the operating system; their firmware is the site's to order.
        "ExcludeComponentList": ["local-disk"],
    }
    name = f"{role}-firmware-{known.lower()}" + ("-attached" if attached else "")
    return IntersightObject(TYPE, name, properties)


def fitted(
    role: str, profile: Profile, server: Server, account: Intersight, objects: dict[str, IntersightObject]
) -> Profile:
    """The profile with the firmware policy of its server, which is added to `objects`, and with what permits it; as it
    is without a version for the server's family. A firmware policy among the file's further ones stays, and what
    permits its version for the family is asked as well."""
    own = next((each for each in profile.policies if each.object_type == TYPE), None)
    if own is not None:
        of_family = server_model(server.model).family or ""
        bundle = bundle_of(own.properties, of_family)
        approval = account.firmware.approval(of_family, bundle[1]) if bundle else None
        return replace(profile, spec={**profile.spec, "firmware": _permit(approval)}) if approval else profile
    made = policy(role, server, account)
    approval = account.firmware.approval(family(server, account) or "")
    if made is None or approval is None:
        return profile
    policies = (*profile.policies, objects.setdefault(made.name, made))
    spec = {
        **profile.spec,
        "policies": [each.reference for each in policies],
        **digests(policies, objects),
        "firmware": _permit(approval),
    }
    return replace(profile, spec=spec, policies=policies)


def of_controller(server: Server, bmc: Bmc) -> dict[str, Any] | None:
    """What the server behind a controller of its own is to run, and what permits it; None where nothing says."""
    approval = bmc.firmware.approval(server.model)
    if approval is None:
        return None
    components = dict(sorted(approval.components.items()))
    images = [
        {"url": each.url, "sha256": each.sha256, "components": sorted(each.components or components)}
        for each in approval.images
    ]
    return {**_permit(approval), "components": components, **({"images": images} if images else {})}


def restarted_for(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What of a Redfish server's spec takes effect with its next restart, for its digest. Where an image is published
    and by which record it is approved restarts nobody."""
    brought = spec.get("firmware", {})
    return {**spec["bios"], **({"firmware": brought["components"]} if "images" in brought else {})}


def _permit(approval: ApprovedVersion | ApprovedRelease) -> dict[str, str]:
    return {"version": approval.version, "until": approval.until.isoformat(), "source": approval.source}
