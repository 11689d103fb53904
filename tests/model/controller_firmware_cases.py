"""Firmware of servers with a controller of their own: what is refused, and where it is reported."""

from tests.model.changes import PROD, both, put

MODEL = "UCSC-885A-M8"


IMAGE = {"url": "http://192.0.2.2:8080/c885a.bin", "sha256": "0a" * 32}


def approval(version: str, until: str = "2999-01-01", **more: object) -> dict[str, object]:
    components = {"BMC": "1.1.9", "BIOS": "4.4"}
    days = {"approved": "2026-11-02", "until": until}
    return {"version": version, "components": components, **days, "source": "CHG-2", **more}


APPROVED = put("bmc/firmware/approved", {MODEL: [approval("1.1(0.250022)")]})

CONTROLLER_FIRMWARE = [
    (
        PROD,
        both(APPROVED, put("bmc/firmware/versions", {MODEL: "1.2"})),
        f"bmc.firmware.versions.{MODEL}",
        f"1.2 is not approved for {MODEL}; approved: 1.1(0.250022)",
    ),
    (
        PROD,
        put("bmc/firmware/versions", {"UCSX-210C-M7": "5.4(0.250040)"}),
        "bmc.firmware.versions.UCSX-210C-M7",
        "the firmware of a UCSX-210C-M7 is Intersight's to bring",
    ),
    (
        PROD,
        both(APPROVED, put("bmc/firmware/versions", {"UCSC-880A-M8": "1.1"})),
        "bmc.firmware.versions.UCSC-880A-M8",
        "no server here is a UCSC-880A-M8",
    ),
    (
        PROD,
        put("bmc/firmware/approved", {MODEL: [approval("1.1", "2026-11-01")]}),
        f"bmc.firmware.approved.{MODEL}[0].until",
        "ends on 2026-11-01, before it begins on 2026-11-02",
    ),
    (
        PROD,
        put("bmc/firmware/approved", {MODEL: [approval("1.1", images=[{**IMAGE, "components": ["BMC", "CPLD"]}])]}),
        f"bmc.firmware.approved.{MODEL}[0].images[0].components[1]",
        "CPLD is no component of release 1.1, which names BIOS, BMC",
    ),
]
"""(file, change, place, part of the message)"""
