"""Which firmware bundle a server runs. A firmware policy names bundles; a server shows what its components run.

`PackageVersion` is the bundle, of the server's summary or of the firmware that its controller runs, with a letter for
the kind of bundle behind it: 4.2(3d)B for blades, C for rack servers, A for interconnects. Where neither has it, as on
rack servers that stand alone, the controller's own version is all there is, and a bundle is called after it. It is not
looked at beside a PackageVersion: a blade of bundle 4.2(3d)B was seen with controller firmware 4.2(3c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account

SUMMARY, RUNNING = "compute.PhysicalSummary", "firmware.RunningFirmware"
CONTROLLER = ("Type", "blade-controller", "Component eq 'system'")
"""Property, value and condition by which a server's management controller is found among its components; a rack
server's is of that type too."""
_LETTERED = re.compile(r"(.*\))[A-Z]")


def plain(version: object) -> str:
    """A version of a bundle without the letter of its kind; empty for none."""
    text = str(version or "").strip()
    lettered = _LETTERED.fullmatch(text)
    return lettered.group(1) if lettered else text


async def bundles(api: Account, servers: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Moid of each server, as its summary shows it, to the bundle that it runs; empty where nothing shows it."""
    known = {str(each.get("Moid")): each for each in servers}
    found = {moid: plain(each.get("PackageVersion")) for moid, each in known.items()}
    if not all(found.values()):
        for running in await api.where(RUNNING, *CONTROLLER):
            for moid in (str(each.get("Moid")) for each in running.get("Ancestors") or []):
                if moid in found and not found[moid]:
                    found[moid] = plain(running.get("PackageVersion"))
    return {moid: version or plain(known[moid].get("Firmware")) for moid, version in found.items()}
