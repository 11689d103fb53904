"""The screen's line of firmware: planned, how far it is, who runs something else, what nobody could tell."""

import copy
from typing import Any

import pytest

from podwright.cli.firmware import judged, planned
from podwright.components.model import Cluster
from podwright.components.providers.status.firmware import FirmwareSeen
from podwright.components.providers.status.live import Live
from podwright.components.providers.status.servers import ServerSeen
from tests.model import controller_firmware_cases as controller
from tests.model.changes import PROD, both, put
from tests.model.firmware_cases import APPROVED, NEWER, SET, VERSIONS, own_policy

RELEASE = "1.1(0.250022)"
RUNS = VERSIONS["UCSX-210C-M7"]


def cluster(*changes: Any) -> Cluster:
    said = copy.deepcopy(PROD)
    both(*changes)(said)
    return Cluster.model_validate(said)


def live(site: Cluster, listed: dict[str, str] | None = None, **other: str) -> Live:
    """Every blade runs the planned version but for those of `other`; an empty text is a server that is not known."""
    blades = [name for name, each in planned(site).items() if each.components is None]
    runs = {site.servers[name].serial: other.get(name, RUNS) for name in blades}
    return Live({}, {}, None, "", FirmwareSeen({key: value for key, value in runs.items() if value}, listed or {}))


def test_a_file_without_versions_has_no_line() -> None:
    assert judged(cluster(APPROVED), Live({}, {}, None)).line == ""


def test_a_server_that_runs_another_version_is_named_and_one_that_is_unknown_is_not_checked() -> None:
    site = cluster(SET)
    listed = {site.servers["inf-02"].serial: "Validated", site.servers["inf-03"].serial: "Not-Listed"}
    found = judged(site, live(site, listed, **{"inf-01": "5.3(0.240016)", "cp-01": ""}))
    assert found.line == (
        f"UCSX-210C-M7 {RUNS}: 4 of 6 servers run it; not inf-01 (5.3(0.240016)); cp-01 not checked; "
        "HCL 1 Not-Listed, 4 not checked, 1 validated"
    )


@pytest.mark.parametrize(("runs", "other"), [(NEWER, {}), (RUNS, {"inf-01": RUNS})])
def test_a_policy_of_the_site_s_own_says_what_its_server_is_to_run(runs: str, other: dict[str, str]) -> None:
    site = cluster(SET, put("servers/inf-01/policies", {"newest": own_policy(f"{NEWER}B")}))
    assert judged(site, live(site, None, **{"inf-01": runs})).other == other


@pytest.mark.parametrize(
    ("seen", "line"),
    [
        ({"BMC": "1.1.9", "BIOS": "4.4"}, "{}: 1 of {count} servers run it; {rest} not checked"),
        ({"BMC": "1.1.8", "BIOS": "4.4"}, "{}: 0 of {count} servers run it; not {name} (BMC 1.1.8); {rest}"),
        ({"BMC": "1.1.9"}, "{}: 0 of {count} servers run it; {name}, {rest} not checked"),
    ],
)
def test_components_of_servers_with_a_controller_of_their_own_are_compared(seen: dict[str, str], line: str) -> None:
    site = cluster(controller.APPROVED, put("bmc/firmware/versions", {controller.MODEL: RELEASE}))
    name, *rest = planned(site)
    text = judged(site, Live({}, {name: ServerSeen(name, "On", firmware=seen)}, None)).line
    others = ", ".join(rest)
    said = line.format(f"{controller.MODEL} {RELEASE}", count=len(rest) + 1, name=name, rest=others)
    assert text.startswith(said)
    assert text.endswith(f"HCL {len(rest) + 1} not checked")
