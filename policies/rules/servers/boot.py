"""What a server boots, and whether it takes what the project builds for it."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from ..kubernetes import kind
from ..resource import Resource
from ..rule import Finding, NotApplicable, Rule, StackRule, items, known, nothing
from .asked import all_hold, holds, members, sifted
from .inventory import POLICY, Object, alone, of, of_type, properties, spec

_BOOT: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/boot_order/"
_SIGNED: Final = "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/precompiled-drivers.html"
_DISKS: Final = frozenset({"boot.LocalDisk", "boot.Nvme"})
_OTHERS: Final = {"boot.Pxe": "network", "boot.Http": "network", "boot.VirtualMedia": "image"}
_MAPPED: Final = "cimc-mapped-dvd"
"""The drive that a one-time boot of a mapped image names; the KVM's own drives are another person's session."""


def _disk(resource: Resource, values: Object) -> Iterator[str]:
    devices = (each for each in items(values.get("BootDevices")) if each.get("Enabled", True))
    kind = next((str(each.get("ObjectType")) for each in devices), "")
    if kind not in _DISKS:
        first = _OTHERS.get(kind, kind) or "nothing"
        yield f"{resource.name} boots {first} before a disk: the next restart starts an installer, or waits for one"


def _image(resource: Resource, values: Object) -> Iterator[str]:
    if not holds(_is_image, members(values.get("BootDevices"))):
        yield f"{resource.name} has no virtual drive {_MAPPED}: the installation's one-time boot finds none"


def _is_image(device: Object) -> bool:
    kind_of, sub, on = (partial(device.get, *each) for each in (("ObjectType",), ("Subtype",), ("Enabled", True)))
    return all_hold((lambda: kind_of() == "boot.VirtualMedia", lambda: sub() == _MAPPED, on))


def _names(resource: Resource, values: Object) -> Iterator[str]:
    enabled = sifted(lambda each: each.get("Enabled", True), members(values.get("BootDevices")))
    if holds(lambda each: not each.get("Name"), enabled):
        yield f"{resource.name} has a device without a name: no one-time boot can order it"


def _uefi(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("ConfiguredBootMode") != "Uefi":
        yield f"{resource.name} boots in {values.get('ConfiguredBootMode') or 'no stated'} mode, not Uefi"


def _secure(resource: Resource, values: Object) -> Iterator[str]:
    if "EnforceUefiSecureBoot" not in values:
        yield f"{resource.name} leaves Secure Boot to what the server had before"


def _signed(resources: Sequence[Resource]) -> Iterator[Finding]:
    orders = of_type(resources, "boot.PrecisionPolicy")
    secure, unsure = known(sifted(lambda each: properties(each).get("EnforceUefiSecureBoot"), orders))
    built, unread = known(sifted(_builds_drivers, resources))
    unknown = unsure or unread
    if not secure and not built and unknown is None:
        raise NotApplicable("no server checks signatures, and no driver is built on a node")
    for each in secure if built else ():
        yield Finding(f"{each.name} enforces Secure Boot; {built[0].name} builds an unsigned driver", each.urn)
    if unknown is not None:
        raise unknown


def _builds_drivers(resource: Resource) -> bool:
    if kind(resource) == "ClusterPolicy":
        driver = spec(resource).get("driver") or {}
        return bool(driver.get("enabled", True)) and not driver.get("usePrecompiled", False)
    return kind(resource) in ("NicClusterPolicy", "NicNodePolicy") and bool(spec(resource).get("ofedDriver"))


def _policies_and_drivers(token: str) -> bool:
    return token == POLICY or token.endswith((":ClusterPolicy", ":NicClusterPolicy", ":NicNodePolicy"))


BOOT: tuple[Rule | StackRule, ...] = (
    Rule(
        id="compute-disk-boots-first",
        title="Servers boot their disk first, by UEFI, and have a drive for the image",
        why="A finished node that meets an installer at its next restart is wiped; images boot by a one-time order.",
        fix="Put the disk first, the virtual drive cimc-mapped-dvd after it, and set ConfiguredBootMode to Uefi.",
        reference=_BOOT,
        severity="critical",
        types=of(POLICY),
        check=alone("boot.PrecisionPolicy", _disk, _image, _names, _uefi),
    ),
    Rule(
        id="compute-secure-boot-chosen",
        title="Secure Boot is on or off by choice",
        why="A server keeps what it had: one with Secure Boot on refuses drivers that its equal beside it loads.",
        fix="Set EnforceUefiSecureBoot to true or false in the boot order policy.",
        reference=_BOOT,
        severity="medium",
        types=of(POLICY),
        check=alone("boot.PrecisionPolicy", _secure),
    ),
    StackRule(
        id="compute-secure-boot-signed-drivers",
        title="Servers with Secure Boot load signed drivers only",
        why="A driver that an operator builds on the node carries no signature that the firmware knows: no GPU works.",
        fix="Use precompiled signed drivers (driver.usePrecompiled), or leave EnforceUefiSecureBoot false.",
        reference=_SIGNED,
        severity="high",
        excused_by=nothing,
        types=_policies_and_drivers,
        compare=_signed,
    ),
)
