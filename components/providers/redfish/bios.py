"""The BIOS resource of a system, over a sushy connection: what is in force, what waits, and staging (DSP0268, Bios)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.redfish import registry as registries

ON_RESET = "OnReset"
APPLY_TIME = "@Redfish.SettingsApplyTime"
STARTING = re.compile(r"\bPOST\b|DuringSystemPOST|self.test|boot(ing| in progress)")


def attributes(system: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(in force, waiting for a reset because they differ). The settings resource shows all as they will be, or only
    those that wait.
    """
    found = system.bios
    found.refresh(force=True)
    current = dict(found.attributes or {})
    place = _settings(found)
    future = dict(_get(found, place).get("Attributes") or {}) if place else {}
    return current, {name: value for name, value in future.items() if current.get(name) != value}


def registry(root: Any, system: Any) -> registries.Registry | None:
    """The machine's attribute registry, None where its BMC has none."""
    connector = system._conn
    return registries.read(
        lambda path: connector.get(path).json(), root.json, str(system.bios._attribute_registry or "")
    )


def stage(name: str, system: Any, wanted: Mapping[str, Any]) -> None:
    """Have the machine take `wanted` at its next reset. Raises ProviderError where the BMC knows only other times."""
    found = system.bios
    place = _settings(found)
    body: dict[str, Any] = {"Attributes": dict(wanted)}
    settings = _get(found, place) if place else {}
    times = _times(found.json, settings)
    if times and ON_RESET not in times:
        raise ProviderError(
            f"{name}: its BMC applies BIOS settings {' or '.join(sorted(times))} and not at the next reset; "
            "nothing was staged, because the machine might restart by itself"
        )
    if times:
        body[APPLY_TIME] = {"@odata.type": "#Settings.v1_0_0.PreferredApplyTime", "ApplyTime": ON_RESET}
    target = place or found.path
    found._conn.patch(target, data=body, etag=found._conn.etag(target))


def for_a_while(refused: Any) -> bool:
    """True where a refusal is one of the moment: the service is busy, or the BIOS holds its own settings."""
    texts = [str(refused.detail or ""), str(refused.code or "")]
    details = refused.extended_info if isinstance(refused.extended_info, list) else []
    ids = [str(each.get("MessageId") or "").rpartition(".")[2] for each in details if isinstance(each, Mapping)]
    if refused.status_code in (423, 503):
        return True
    if refused.status_code == 409:
        return not any(each.startswith("Property") for each in ids)
    return any(STARTING.search(each) for each in (*texts, *ids))


def _settings(found: Any) -> str | None:
    """Where settings are written, None where it is the resource itself."""
    settings = found.json.get("@Redfish.Settings")
    target = settings.get("SettingsObject") if isinstance(settings, Mapping) else None
    return str(target["@odata.id"]) if isinstance(target, Mapping) else None


def _get(found: Any, path: str) -> Mapping[str, Any]:
    document = found._conn.get(path).json()
    return document if isinstance(document, Mapping) else {}


def _times(bios: Mapping[str, Any], settings: Mapping[str, Any]) -> set[str]:
    """When the BMC can apply settings, as far as it says so."""
    described = bios.get("@Redfish.Settings")
    listed = described.get("SupportedApplyTimes") if isinstance(described, Mapping) else None
    offered = settings.get(APPLY_TIME)
    allowed = offered.get("ApplyTime@Redfish.AllowableValues") if isinstance(offered, Mapping) else None
    return {str(each) for each in (*(listed or ()), *(allowed or ()))}
