"""The spec of a server behind its baseboard management controller, field by field."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ServerSpec(TypedDict):
    """One server over Redfish."""

    schema: int
    """Number of this shape."""
    name: str
    """Its host name."""
    address: str
    """Address of its baseboard management controller."""
    serial: str
    """Serial number; a controller that answers for another machine is refused."""
    model: str
    """Product id."""
    credential: str
    """Name of the secret that holds the controller's password."""
    generation: NotRequired[int]
    """Raised when that password was rotated."""
    bios: NotRequired[dict[str, Any]]
    """BIOS attributes; the machine takes them at its next reset."""
    firmware: NotRequired[dict[str, Any]]
    """What its components are compared with, and what permits it: version, until, source, components by their Ids in
    the controller's firmware inventory. Its `images` (url, sha256, components) are its pool's roll-out's to bring."""
    power: NotRequired[Literal["On", "Off"]]
    """Left out: nobody presses a button."""
