"""What a switch says of itself in `show version` (shape: ntc-templates, cisco_nxos_show_version)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.protocol.kind import ProviderError


@dataclass(frozen=True)
class Facts:
    """Chassis model (``N9K-C9364D-GX2A``), NX-OS release (``10.4(5)``) and chassis serial number."""

    model: str
    version: str
    serial: str


def facts_of(text: str) -> Facts:
    """Read `show version`; a field that is not there is empty."""
    version = re.search(r"^\s*(?:NXOS|system):\s+version\s+(\S+)", text, re.MULTILINE)
    model = re.search(r"^\s*cisco Nexus\s?\d+\s+(\S+)", text, re.MULTILINE | re.IGNORECASE)
    serial = re.search(r"Processor Board ID\s+(\S+)", text)
    chassis = model[1] if model else ""
    return Facts(
        model=chassis if chassis.startswith("N9K-") or not chassis else f"N9K-{chassis}",
        version=version[1] if version else "",
        serial=serial[1] if serial else "",
    )


def chassis_serial(text: str) -> str:
    """Serial number of the chassis in `show inventory`; modular switches name their supervisor in `show version`."""
    chassis = re.search(r'^NAME:\s*"Chassis".*\n\s*PID:.*\bSN:\s*(\S+)', text, re.MULTILINE | re.IGNORECASE)
    return chassis[1] if chassis else ""


def check_serial(spec: Mapping[str, Any], found: str) -> None:
    """A configuration for one switch must not be pushed to another that has taken its address."""
    if found and spec.get("serial") and found != spec["serial"]:
        raise ProviderError(
            f"{spec['hostname']} at {spec['management']} has serial number {found}, but the spec says "
            f"{spec['serial']}; nothing was written to it. If the switch was exchanged, write serial: {found} at "
            f"{spec['hostname']} in the stack file; if not, correct its management address"
        )


def check_model(name: str, wanted: str, facts: Facts) -> None:
    """A configuration for one model must not be pushed to another: its ports and queues are not the same."""
    if facts.model and facts.model != wanted:
        raise ProviderError(
            f"{name} is a {facts.model} (serial {facts.serial}), but the spec says {wanted}; "
            f"correct the model in the spec or the management address"
        )
