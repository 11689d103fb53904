"""Firmware: families that exist, servers that have them, versions that the site approved."""

from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.effective import Roles, effective
from podwright.components.model.firmware import ApprovedRelease, ApprovedVersion, Firmware, OwnFirmware, bundle_of
from podwright.components.model.problems import Loc, Problem


def firmware_problems(firmware: Firmware, servers: Mapping[str, Server] | None = None) -> list[Problem]:
    """What is wrong with the firmware of an account's servers, below `firmware`. Without `servers`, the account has
    others than those at hand, and a family may be theirs."""
    return [*_families(firmware, servers), *_approved(firmware), *_days(firmware)]


def _families(firmware: Firmware, servers: Mapping[str, Server] | None) -> Iterator[Problem]:
    """A family is one that Intersight's firmware policy knows, and that a server of the file has."""
    known = {model.family for model in SERVERS.values() if model.family}
    here: set[str | None] = {*known}
    if servers is not None:
        here = {SERVERS[each.model].family for each in servers.values() if each.model in SERVERS}
    families = [("versions", each) for each in firmware.versions] + [("approved", each) for each in firmware.approved]
    for section, family in families:
        loc: Loc = ("firmware", section, family)
        if family in SERVERS and SERVERS[family].family is None:
            message = f"no firmware policy of Intersight knows a {family}"
            yield Problem(loc, message, "its BMC is updated by itself: delete this line", at_key=True)
        elif family not in known:
            yield from reference(loc, family, sorted(known), "model family", "the catalogue")
        elif section == "versions" and family not in here:
            message = f"no server here is a {family}"
            yield Problem(loc, message, "delete this line, or define the server first", at_key=True)


def _approved(firmware: Firmware) -> Iterator[Problem]:
    """A version stands among those that the site approved."""
    for family, version in firmware.versions.items():
        yield from _unapproved(firmware, family, version, ("firmware", "versions", family))


def _unapproved(firmware: Firmware, family: str, version: str, loc: Loc) -> Iterator[Problem]:
    if firmware.approval(family, version) is None:
        able = ", ".join(each.version for each in firmware.approved.get(family, ())) or "none"
        message = f"{version} is not approved for {family}; approved: {able}"
        hint = f"write an approved version, or the approval with its days in intersight.firmware.approved.{family}"
        yield Problem(loc, message, hint)


def own_firmware_problems(firmware: Firmware, servers: Mapping[str, Server], roles: Roles) -> list[Problem]:
    """Versions in firmware policies among the further ones of `servers` and `roles` that nobody approved for a server
    that has them. What such a policy holds for families without a server is nobody's firmware."""
    found: dict[Loc, Problem] = {}
    for name, server in servers.items():
        settings = effective(name, server, roles)
        family = SERVERS[server.model].family if server.model in SERVERS else None
        for key, policy in settings.settings.policies.items():
            bundle = bundle_of(policy.properties, family) if family and policy.type == "firmware.Policy" else None
            if family and bundle:
                loc = (*settings.places["policies", key], "properties", "ModelBundleCombo", bundle[0], "BundleVersion")
                found.update((each.loc, each) for each in _unapproved(firmware, family, bundle[1], loc))
    return list(found.values())


def controller_firmware_problems(firmware: OwnFirmware, servers: Mapping[str, Server] | None = None) -> list[Problem]:
    """What is wrong with the firmware of servers with a controller of their own, below `firmware`. Without `servers`,
    there are others than those at hand, and a model may be theirs."""
    return [*_models(firmware, servers), *_releases(firmware), *_images(firmware), *_days(firmware)]


def _models(firmware: OwnFirmware, servers: Mapping[str, Server] | None) -> Iterator[Problem]:
    """A model is one whose controller is the only way to its firmware, and that a server of the file has."""
    alone = sorted(name for name, model in SERVERS.items() if model.manager == "redfish")
    here = {each.model for each in servers.values()} if servers is not None else set(alone)
    models = [("versions", each) for each in firmware.versions] + [("approved", each) for each in firmware.approved]
    for section, model in models:
        loc: Loc = ("firmware", section, model)
        if model in SERVERS and model not in alone:
            message = f"the firmware of a {model} is Intersight's to bring"
            yield Problem(loc, message, "write it in intersight.firmware, by model family", at_key=True)
        elif model not in SERVERS:
            yield from reference(loc, model, alone, "model", "the catalogue")
        elif section == "versions" and model not in here:
            message = f"no server here is a {model}"
            yield Problem(loc, message, "delete this line, or define the server first", at_key=True)


def _releases(firmware: OwnFirmware) -> Iterator[Problem]:
    """A release stands among those that the site approved."""
    for model, version in firmware.versions.items():
        if firmware.approval(model) is None:
            able = ", ".join(each.version for each in firmware.approved.get(model, ())) or "none"
            message = f"{version} is not approved for {model}; approved: {able}"
            hint = f"write an approved release, or the approval with its days in bmc.firmware.approved.{model}"
            yield Problem(("firmware", "versions", model), message, hint)


def _images(firmware: OwnFirmware) -> Iterator[Problem]:
    """An image brings components whose version the release names: what came of it is read by them."""
    for model, releases in firmware.approved.items():
        for number, release in enumerate(releases):
            for position, image in enumerate(release.images):
                for place, each in enumerate(image.components):
                    loc: Loc = ("firmware", "approved", model, number, "images", position, "components", place)
                    if each not in release.components:
                        able = ", ".join(sorted(release.components))
                        message = f"{each} is no component of release {release.version}, which names {able}"
                        yield Problem(loc, message, "write one of them, or the version of this one in its components")


def _days(firmware: Firmware | OwnFirmware) -> Iterator[Problem]:
    """An approval ends after it begins."""
    approved: Mapping[str, tuple[ApprovedVersion | ApprovedRelease, ...]] = firmware.approved
    for family, approvals in approved.items():
        for position, each in enumerate(approvals):
            if each.until < each.approved:
                message = f"the approval ends on {each.until}, before it begins on {each.approved}"
                yield Problem(("firmware", "approved", family, position, "until"), message, "write a later day")


def _of_cluster(cluster: Cluster) -> Iterator[Problem]:
    if cluster.bmc is not None:
        for problem in controller_firmware_problems(cluster.bmc.firmware, cluster.servers):
            yield problem.moved(lambda loc: ("bmc", *loc))
    if cluster.intersight is not None:
        for problem in firmware_problems(cluster.intersight.firmware, cluster.servers):
            yield problem.moved(lambda loc: ("intersight", *loc))
        roles = cluster.compute.roles
        for problem in own_firmware_problems(cluster.intersight.firmware, cluster.servers, roles):
            yield problem.moved(lambda loc: ("compute", *loc) if loc[0] == "roles" else loc)


CLUSTER = (_of_cluster,)
