"""`podwright preview` shows each approval of the file: what it lets pass, that it ended, that nothing needs it."""

from datetime import UTC, datetime
from pathlib import Path

import yaml

from podwright.cli.engine.approvals import approvals
from podwright.components.changes.disruption import Disruption
from podwright.components.changes.impact import impacts
from podwright.components.changes.server_changes import ServerChange
from tools.generated import ROOT

NOW = datetime(2050, 1, 1, tzinfo=UTC)
SECTION = """
    compute:
      roles:
        serving:
          pools: [inference]
          approve:
            - {what: wipe, until: "2099-01-31T00:00:00Z", reason: new drives}
            - {what: reboot, until: "2049-12-31T23:59:59Z"}
            - {what: flap, until: "2099-01-31T00:00:00Z"}
    changes:
      approve:
        - {what: replaced, on: [prod-vlans], until: "2099-01-31T00:00:00Z"}
"""


def test_each_approval_is_told_with_its_line_and_what_it_lets_pass(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text((ROOT / "Pulumi.prod.yaml").read_text().rstrip() + SECTION)
    lines = path.read_text().splitlines()
    assert yaml.safe_load(path.read_text())
    lost = ServerChange(
        "storage.StoragePolicy prod-storage-serving", ("UnusedDisksState",), Disruption.WIPE, ("cp-01", "inf-02"), {}
    )
    restart = ServerChange("bios.Policy prod-bios-serving", ("Snc",), Disruption.REBOOT, ("inf-02",), {})
    spec = {"schema": 1, "object_type": "ntp.Policy", "name": "prod-vlans", "organization": "a"}
    gone = impacts("podwright:intersight:Policy", spec, {**spec, "organization": "b"})
    found = approvals(path, gone, [lost, restart], NOW)
    said = [each.sentence() for each in found]
    numbers = {each.what: each.line for each in found}
    assert all(numbers[what] and f"what: {what}" in lines[(numbers[what] or 0) - 1] for what in numbers)
    assert said == [
        f"approval changes.approve[0] (Pulumi.prod.yaml:{numbers['replaced']}): replaced until 2099-01-31T00:00:00Z: "
        "lets pass prod-vlans",
        f"approval compute.roles.serving.approve[0] (Pulumi.prod.yaml:{numbers['wipe']}): wipe until "
        "2099-01-31T00:00:00Z: lets pass storage.StoragePolicy prod-storage-serving on inf-02",
        f"approval compute.roles.serving.approve[1] (Pulumi.prod.yaml:{numbers['reboot']}): reboot until "
        "2049-12-31T23:59:59Z: it has ended and approves nothing",
        f"approval compute.roles.serving.approve[2] (Pulumi.prod.yaml:{numbers['flap']}): flap until "
        "2099-01-31T00:00:00Z: nothing of this plan needs it",
    ]
    assert [each.as_data()["state"] for each in found] == ["used", "used", "ended", "unused"]


def test_a_file_that_cannot_be_read_has_none(tmp_path: Path) -> None:
    assert approvals(tmp_path / "Pulumi.none.yaml", (), (), NOW) == ()
