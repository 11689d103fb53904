"""Firmware that no server takes or nobody approved, and where it is reported."""

from typing import Any

from tests.model.changes import PROD, both, put

VERSIONS = {"UCSX-210C-M7": "5.4(0.250040)"}
NEWER = "6.0(2.260040)"


def _approval(version: str, until: str = "2999-01-01") -> dict[str, str]:
    return {"version": version, "approved": "2026-11-02", "until": until, "source": "CHG-1"}


APPROVED = put(
    "intersight/firmware/approved", {"UCSX-210C-M7": [_approval(VERSIONS["UCSX-210C-M7"]), _approval(NEWER)]}
)
SET = both(APPROVED, put("intersight/firmware/versions", VERSIONS))


def own_policy(version: str, family: str = "UCSX-210C-M7") -> dict[str, Any]:
    combined = [{"ModelFamily": family, "BundleVersion": version}]
    return {"type": "firmware.Policy", "properties": {"ModelBundleCombo": combined}}


FIRMWARE = [
    (
        PROD,
        both(SET, put("servers/inf-01/policies", {"newest": own_policy("5.3(0.240016)")})),
        "servers.inf-01.policies.newest.properties.ModelBundleCombo[0].BundleVersion",
        "5.3(0.240016) is not approved for UCSX-210C-M7; approved: 5.4(0.250040), 6.0(2.260040)",
    ),
    (
        PROD,
        put("compute/roles/inference", {"pools": ["inference"], "policies": {"newest": own_policy(NEWER)}}),
        "compute.roles.inference.policies.newest.properties.ModelBundleCombo[0].BundleVersion",
        f"{NEWER} is not approved for UCSX-210C-M7; approved: none",
    ),
    (
        PROD,
        both(SET, put("intersight/firmware/versions", {"UCSX-210C-M7": "5.3(0.240016)"})),
        "intersight.firmware.versions.UCSX-210C-M7",
        "5.3(0.240016) is not approved for UCSX-210C-M7; approved: 5.4(0.250040), 6.0(2.260040)",
    ),
    (
        PROD,
        both(SET, put("intersight/firmware/versions/UCSC-885A-M8", "1.1(0.250022)")),
        "intersight.firmware.versions.UCSC-885A-M8",
        "no firmware policy of Intersight knows a UCSC-885A-M8",
    ),
    (
        PROD,
        both(SET, put("intersight/firmware/versions/UCSX-210-M7", "5.4(0.250040)")),
        "intersight.firmware.versions.UCSX-210-M7",
        'no model family "UCSX-210-M7"',
    ),
    (
        PROD,
        both(SET, put("intersight/firmware/versions/UCSC-C240-M8", "6.0(2.260044)")),
        "intersight.firmware.versions.UCSC-C240-M8",
        "no server here is a UCSC-C240-M8",
    ),
    (
        PROD,
        put("intersight/firmware/approved", {"UCSX-210C-M7": [_approval(NEWER, "2026-11-01")]}),
        "intersight.firmware.approved.UCSX-210C-M7[0].until",
        "ends on 2026-11-01, before it begins on 2026-11-02",
    ),
]
"""(file, change, place, part of the message)"""
