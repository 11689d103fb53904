"""What is defined about the firmware of servers: the version each family is to run, and what the site approved."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import Field

from podwright.components.model.types import ModelId, Spec, Words

Bundle = Annotated[
    str,
    Field(pattern=r"^[0-9]+\.[0-9]+\([0-9a-z.]{1,16}\)$"),
    Words("a firmware version as Intersight prints it, such as 5.4(0.250040)"),
]
"""Version of a server firmware bundle."""


Release = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._()-]{0,63}$"),
    Words("the name of a firmware release, such as 1.1(0.250022)"),
]
"""Name of a firmware release of servers with a controller of their own, as its release notes call it."""
Component = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"),
    Words("the Id of an entry of the controller's firmware inventory, such as BIOS"),
]
"""Id of an entry of a controller's firmware inventory (/redfish/v1/UpdateService/FirmwareInventory)."""
ComponentVersion = Annotated[str, Field(min_length=1, max_length=64)]
"""Version of a component, as the controller's firmware inventory prints it."""


class ApprovedVersion(Spec):
    """One version that the site may apply, from the record that says so."""

    version: Bundle
    """The version."""
    approved: date
    """Day of the approval."""
    until: date
    """Last day on which servers may be brought to it; what runs it by then keeps it."""
    source: Annotated[str, Field(min_length=1, max_length=120)]
    """Where the approval stands: a change record, a release note that was read."""


class FirmwareImage(Spec):
    """One image of a release, as the maker published it, on a web server of the site."""

    url: Annotated[
        str,
        Field(pattern=r"^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?/[^\s?#@]+$"),
        Words("an http or https URL without a password, such as http://192.0.2.2:8080/c885a.bin"),
    ]
    """Where it is. podwright fetches it and compares its checksum; a controller that fetches images itself does so from
    here, too."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$"), Words("the 64 hexadecimal digits that sha256sum prints")]
    """Its SHA-256, from the maker's page. An image with another one is sent to no server."""
    components: tuple[Component, ...] = ()
    """Components that it brings. Left out: all of the release's."""


class ApprovedRelease(Spec):
    """One release that servers with a controller of their own may run, from the record that says so."""

    version: Release
    """The release."""
    components: Annotated[dict[Component, ComponentVersion], Field(min_length=1)]
    """Version of each component that is compared, by its Id in the controller's firmware inventory."""
    images: tuple[FirmwareImage, ...] = ()
    """Images in the order in which they are sent. A server that runs another version gets those of the components that
    differ from its pool's roll-out. None: podwright compares, and brings nothing."""
    approved: date
    """Day of the approval."""
    until: date
    """Last day on which servers may be brought to it; what runs it by then keeps it."""
    source: Annotated[str, Field(min_length=1, max_length=120)]
    """Where the approval stands: a change record, a release note that was read."""


class OwnFirmware(Spec):
    """Firmware of servers that Intersight's firmware policies do not know, such as C885A and C880A: read from each
    controller and compared; brought by the pool's roll-out where the approval has images. Models left out are not
    checked."""

    versions: dict[ModelId, Release] = {}
    """Release that the servers of a model are to run: UCSC-885A-M8: 1.1(0.250022)."""
    approved: dict[ModelId, tuple[ApprovedRelease, ...]] = {}
    """Releases that the site approved, by model."""

    def approval(self, model: str) -> ApprovedRelease | None:
        """The approval of the release that a model is to run, the one that lasts longest; None without."""
        able = [each for each in self.approved.get(model, ()) if each.version == self.versions.get(model)]
        return max(able, key=lambda each: each.until, default=None)


class Firmware(Spec):
    """Firmware of the servers that Intersight manages. Families left out keep what they run. A `firmware.Policy` among
    the `policies` of a role or a server takes this one's place; its versions are approved here as well. Firmware of
    Fabric Interconnects is not among it: Intersight upgrades a domain by an order of its own, `firmware.Upgrade`."""

    versions: dict[ModelId, Bundle] = {}
    """Version by model family, as Intersight's firmware policy calls it: UCSX-210C-M7, UCSC-C240-M8, CAI-845A-M8. A new
    version waits for each server's next restart, which its pool's roll-out orders, one wave after the other."""
    approved: dict[ModelId, tuple[ApprovedVersion, ...]] = {}
    """Versions that the site approved, by model family."""

    def approval(self, family: str, version: str | None = None) -> ApprovedVersion | None:
        """The approval of a version for a family, the one that lasts longest; None without. Without `version`: of the
        one that the family is to run."""
        wanted = plain_bundle(version) if version else self.versions.get(family)
        able = [each for each in self.approved.get(family, ()) if each.version == wanted]
        return max(able, key=lambda each: each.until, default=None)


def plain_bundle(version: str) -> str:
    """A bundle's version without the letter of its kind, which some of Intersight's pages put behind it."""
    return version[:-1] if version[-2:-1] == ")" and version[-1].isupper() else version


def bundle_of(properties: Mapping[str, Any], family: str) -> tuple[int, str] | None:
    """Position and version of the entry for a family in a `firmware.Policy` of the site's own; None without."""
    combined = properties.get("ModelBundleCombo")
    for position, each in enumerate(combined if isinstance(combined, list) else []):
        if (
            isinstance(each, Mapping)
            and each.get("ModelFamily") == family
            and isinstance(each.get("BundleVersion"), str)
        ):
            return position, each["BundleVersion"]
    return None
