"""Specs of switches, of what they must show, and of a wave's soak, field by field."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class LinkSpec(TypedDict):
    """The other end of a cable."""

    device: str
    """Its name."""
    port: str
    """Its port."""
    role: str
    """What it is."""


class SwitchSpec(TypedDict):
    """The owned configuration of one Nexus switch."""

    schema: int
    """Number of this shape."""
    hostname: str
    """Its name, and its id."""
    management: str
    """Address that it is reached at."""
    model: str
    """Product id."""
    release: str
    """NX-OS release, as `show version` prints it."""
    role: Literal["leaf", "spine", "frontend-leaf", "storage-leaf"]
    """What it is in the fabric."""
    serial: NotRequired[str | None]
    """Serial number of the chassis; a switch with another one is refused."""
    archive: NotRequired[int | None]
    """How many configurations that pushes found it keeps in its boot flash; null: none."""
    adopt: NotRequired[bool]
    """Take over blocks that stand there already."""
    moved_from: NotRequired[str | None]
    """Stack that its state was moved here from, project/stack: a mark of that one is replaced by this stack's."""
    credential: str
    """Name of the secret that holds the password."""
    generation: int
    """Raised when that password was rotated."""
    config: dict[str, str]
    """Owned blocks: top-level line to the lines below it."""
    links: dict[str, LinkSpec]
    """By port, what is cabled to it."""
    lossless: dict[str, Any] | None
    """The lossless class that its ports carry; null: none."""


class SoakedSpec(TypedDict):
    """How a switch of a wave is reached."""

    management: str
    """Address."""
    credential: str
    """Name of the secret that holds the password."""
    generation: int
    """Raised when that password was rotated."""
    digest: str
    """Names its configuration: only a wave that changed is looked at."""


class SoakSpec(TypedDict):
    """The look at the switches of a wave, some time after they changed."""

    schema: int
    """Number of this shape."""
    wave: int
    """Its number, from 1."""
    seconds: int
    """How long to wait."""
    switches: dict[str, SoakedSpec]
    """The wave's switches by hostname."""


class VerificationSpec(TypedDict):
    """What a switch must show."""

    schema: int
    """Number of this shape."""
    stage: Literal["links", "hosts"]
    """What is looked at: ports to other switches, or to servers."""
    hostname: str
    """The switch."""
    management: str
    """Address that it is reached at."""
    credential: str
    """Name of the secret that holds the password."""
    generation: int
    """Raised when that password was rotated."""
    settle_seconds: float
    """How long ports and sessions may take to come up."""
    defaults: dict[str, Any]
    """By class of alike interfaces, what they share."""
    interfaces: dict[str, Any]
    """By class, then by port, what it must show beyond that."""
    digests: dict[str, str]
    """Of everything that can change what is shown: then it is looked at again."""
