"""What every layer shares: the closed base model and the constrained scalars of this field."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints


class Spec(BaseModel):
    """What an operator defines: closed (unknown keys are errors) and frozen.

    Validators are built when one is first used: a stack file needs that of the cluster alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True)
class Words:
    """What a constrained text looks like, for hints: completes "write …"."""

    text: str


@dataclass(frozen=True)
class Derived:
    """A stack file may leave the field out: before the shape is checked it is set to what these words say."""

    text: str


@dataclass(frozen=True)
class Numbered:
    """A stack file may write a number alone: before the shape is checked it becomes a name of this form."""

    form: str = ""
    """Empty: the address of the machine network that has the number; a MAC address as many after `boot_mac`."""


@dataclass(frozen=True)
class Alone:
    """A stack file may write one text in place of a mapping: it becomes the mapping's field of this name."""

    field: str


Name = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,38}[a-z0-9]$|^[a-z]$"),
    Words("a name of at most 40 lower-case letters, digits and hyphens that begins with a letter, such as leaf-01"),
]
"""Lower-case DNS label of at most 40 characters: it becomes host names, Kubernetes names and URNs."""

StackPath = Annotated[
    str,
    StringConstraints(pattern=r"^[^/\s]+/[^/\s]+/[^/\s]+$"),
    Words("a stack in full, organization/project/stack, such as organization/pod-a/pod-a"),
]
"""A stack of this or another project, as Pulumi names it in full."""

SecretName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,62}$"),
    Words("the name of a secret such as switch-admin, never its value"),
]
"""Name of a secret. Its value is resolved where a device is reached and never stands in this file."""

PciAddress = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$"),
    Words("a PCI address in full and in lower case, such as 0000:09:00.0"),
]
"""Address of a PCI function: domain, bus, device, function."""

DnsName = Annotated[
    str,
    StringConstraints(pattern=r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$"),
    Words("a DNS name in lower case with at least one dot, such as example.com"),
]
"""Fully qualified DNS name in lower case."""

Image = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-zA-Z0-9._:/@-]{1,254}$"),
    Words("an image reference such as registry.example.com/team/name@sha256:<digest>"),
]
"""Container image reference. That it is pinned by digest is a policy, not a shape."""

OrganizationName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,64}$"), Words("an organization name")]
"""Name of an organization in Intersight."""

Serial = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z]{3}[A-Z0-9]{8}$"),
    Words("a serial number of eleven capitals and digits, three capitals first, such as WZP00000001"),
]
"""Cisco serial number: eleven characters (site, year and week, sequence)."""

MachineId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z]{3}[A-Z0-9]{8}(/[1-8])?$"),
    Words(
        "a serial number of eleven capitals and digits, three capitals first, such as WZP00000001; of a blade also "
        "that of its chassis and a slot, FOX00000043/3"
    ),
]
"""Which machine a server is: its Cisco serial number, or where a blade sits."""

ModelId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z0-9][A-Z0-9-]{2,39}$"),
    Words("a product id in capitals, such as N9K-C9364D-GX2A"),
]
"""Product id of a server or switch model."""

Mac = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$"),
    Words('a MAC address in lower case, quoted, such as "02:00:00:00:01:01"; one with an odd first byte is a group\'s'),
]
"""MAC address of one interface, lower case, separated by colons: the lowest bit of the first byte is 0 (IEEE 802)."""

SshKey = Annotated[
    str,
    StringConstraints(
        pattern=r"^(ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43}"
        r"|ssh-rsa AAAAB3NzaC1yc2E[A-Za-z0-9+/]{340,}={0,2}"
        r"|ecdsa-sha2-nistp(256|384|521) AAAAE2VjZHNhLXNoYTItbmlzdHA[A-Za-z0-9+/]{100,}={0,2})( [ -~]+)?$"
    ),
    Words("a public key as ssh-keygen writes it into a .pub file, such as ssh-ed25519 AAAAC3NzaC1l... core@site"),
]
"""Public SSH key of OpenSSH: algorithm, key in base64 (RSA with 2048 bits or more), comment."""

Asn = Annotated[int, Field(ge=1, le=4294967295)]
"""BGP autonomous system number (RFC 6793, four octets)."""

VlanId = Annotated[int, Field(ge=2, le=3967)]
"""VLAN id a Nexus switch lets you use: 1 is the default VLAN, 3968-4094 are reserved by NX-OS."""

Dscp = Annotated[int, Field(ge=0, le=63)]
"""Differentiated services code point (RFC 2474)."""

Cos = Annotated[int, Field(ge=0, le=7)]
"""802.1p priority, which is also the PFC priority."""

Host = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$"),
    Words("a host name or an address, such as 192.0.2.1"),
]
"""Host name or address of a server that devices ask: no spaces, so it cannot become a second configuration line."""

_BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
DottedQuad = Annotated[
    str, StringConstraints(pattern=rf"^{_BYTE}(\.{_BYTE}){{3}}$"), Words("an IPv4 address such as 192.0.2.1")
]
"""IPv4 address as text."""

Release = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]+\.[0-9]+\([0-9]+[a-z]*\)[A-Z]?$"),
    Words('an NX-OS release as `show version` prints it, such as "10.4(5)"'),
]
"""NX-OS release."""

Port = Annotated[
    str,
    StringConstraints(pattern=r"^Ethernet1/[1-9][0-9]{0,2}(/[1-4])?$"),
    Words("a switch port such as Ethernet1/7, or Ethernet1/7/2 when broken out"),
    Numbered("Ethernet1/{}"),
]
"""Switch port as NX-OS spells it: Ethernet1/7, or Ethernet1/7/2 when broken out."""

LaneGbps = Literal[10, 25, 50, 100, 200]
"""Speed in Gb/s of one part of a port that is broken out."""

Switched = Literal["on", "off"]
"""On or off, in the switch's own words. Quote it in YAML: a bare on is a boolean there."""
