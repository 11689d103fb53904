"""Firmware of a server behind a controller of its own: read from the controller's inventory and compared.

A roll-out brings what differs where the release has images (`upgrade`).

UpdateService and SoftwareInventory: DMTF DSP0268. What the inventory does not have is "not checked", which stops
nothing and is said so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any

from podwright.components.providers.protocol.kind import Failure, Path

ABSENT = (404, 405, 501)
"""What a controller without an inventory answers."""
KEYS = ("components", "source", "until", "version")
OF_AN_IMAGE = ("components", "sha256", "url")
CHECKSUM = re.compile(r"[0-9a-f]{64}")
MOST_COMPONENTS = 64
"""Entries that are looked at: a machine with a GPU baseboard lists some sixty."""


def judge(firmware: Any, where: Path = ("spec", "firmware")) -> list[Failure]:
    """What is wrong with `firmware` of a spec, or of a node of a roll-out."""
    if not isinstance(firmware, Mapping) or sorted(set(firmware) - {"images"}) != sorted(KEYS):
        return [Failure(where, f"takes {', '.join(KEYS)}, and images")]
    components = firmware["components"]
    if not isinstance(components, Mapping) or not all(isinstance(each, str) for each in components.values()):
        return [Failure((*where, "components"), "must be versions by the Ids of the controller's firmware inventory")]
    try:
        date.fromisoformat(str(firmware["until"]))
    except ValueError:
        return [Failure((*where, "until"), f"must be a day such as 2027-05-01, not {firmware['until']!r}")]
    images = firmware.get("images", [])
    if not isinstance(images, list):
        return [Failure((*where, "images"), "must be a list")]
    return [
        Failure((*where, "images", number), f"takes {', '.join(OF_AN_IMAGE)}: an http or https URL and its checksum")
        for number, each in enumerate(images)
        if not _is_image(each)
    ]


def _is_image(each: Any) -> bool:
    return (
        isinstance(each, Mapping)
        and sorted(each) == sorted(OF_AN_IMAGE)
        and isinstance(each["components"], list)
        and str(each["url"]).startswith(("http://", "https://"))
        and CHECKSUM.fullmatch(str(each["sha256"])) is not None
    )


def versions(get: Callable[[str], Any], root: Mapping[str, Any], wanted: Collection[str]) -> dict[str, str]:
    """Version of each of the `wanted` entries that the controller's inventory has. `get` reads the resource of a path.

    Only these entries are read: an inventory may have sixty, and a controller takes a second for each.
    """
    service = _at(root, "UpdateService")
    inventory = _at(get(service), "FirmwareInventory") if service else ""
    if not inventory:
        return {}
    found: dict[str, str] = {}
    for member in get(inventory).get("Members") or []:
        path = str(member.get("@odata.id") or "")
        if path.rstrip("/").rpartition("/")[2] in wanted and len(found) < MOST_COMPONENTS:
            entry = get(path)
            found[path.rstrip("/").rpartition("/")[2]] = str(entry.get("Version") or "")
    return {name: version for name, version in found.items() if version}


def differing(wanted: Mapping[str, str], running: Mapping[str, str]) -> dict[str, str]:
    """Components that run another version, with that version."""
    return {name: running[name] for name in sorted(wanted) if name in running and running[name] != wanted[name]}


def unknown(wanted: Mapping[str, str], running: Mapping[str, str]) -> list[str]:
    """Components that the inventory does not tell of."""
    return sorted(set(wanted) - set(running))


def sentences(name: str, firmware: Mapping[str, Any], running: Mapping[str, str]) -> list[str]:
    """What a person is told of a machine whose firmware is not the approved one, or not known."""
    wanted, release = firmware["components"], firmware["version"]
    other = [
        f"{each} runs {version}, {release} has {wanted[each]}" for each, version in differing(wanted, running).items()
    ]
    found = [f"{name}: firmware {'; '.join(other)}"] if other else []
    if missing := unknown(wanted, running):
        found.append(f"{name}: firmware of {', '.join(missing)} is not checked, its controller's inventory has none")
    return found


def _at(document: Mapping[str, Any], key: str) -> str:
    place = document.get(key)
    return str(place.get("@odata.id") or "") if isinstance(place, Mapping) else ""
