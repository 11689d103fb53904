"""What layers import: a server behind its baseboard management controller as a Pulumi resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi


class Server(pulumi.CustomResource):
    """One server over Redfish: its BIOS attributes and, if said, its power state.

    `spec`: ``{"schema": 1, "name", "address", "serial", "model", "credential", "generation", "bios": {attribute:
    value}, "power": "On"}``. `power` may be left out: then nobody here presses a button. BIOS attributes are
    staged, the machine takes them at its next reset; until then they are listed in `pending`.
    """

    spec: pulumi.Output[dict[str, Any]]
    uuid: pulumi.Output[str]
    """UUID of the system."""
    serial: pulumi.Output[str]
    """Serial number, as the device says it."""
    pending: pulumi.Output[dict[str, Any]]
    """BIOS attributes that wait for the machine's next reset."""
    unsupported: pulumi.Output[dict[str, str]]
    """Settings that this machine's BIOS does not have, and why; they stop nothing."""
    power_state: pulumi.Output[str]
    """On or Off."""

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        props = {"spec": spec, "uuid": None, "serial": None, "pending": None, "unsupported": None, "power_state": None}
        super().__init__("podwright:redfish:Server", name, props, opts)
