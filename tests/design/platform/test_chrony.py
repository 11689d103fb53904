"""Time servers of nodes, as machine configurations."""

from pathlib import Path
from urllib.parse import unquote

import yaml

from podwright.components.design.platform import chrony

SERVERS = ("192.0.2.1", "ntp.example.com")


def test_it_is_the_golden() -> None:
    golden = Path(__file__).with_name("chrony.yaml")
    assert [chrony.policy(), *chrony.configurations(SERVERS)] == list(yaml.safe_load_all(golden.read_text()))


def test_the_file_has_every_server_of_the_site_and_no_other_source() -> None:
    words = [line.split() for line in chrony.text(SERVERS).splitlines()]
    assert [each[1] for each in words if each[0] in ("server", "pool", "peer", "refclock")] == list(SERVERS)
    assert ["makestep", "1.0", "3"] in words and ["rtcsync"] in words and chrony.text(SERVERS).endswith("\n")


def test_both_of_openshifts_own_pools_have_it_and_it_comes_after_the_installers() -> None:
    made = {each["metadata"]["labels"]["machineconfiguration.openshift.io/role"]: each
            for each in chrony.configurations(SERVERS)}  # fmt: skip
    assert set(made) == {"master", "worker"}
    for role, each in made.items():
        # The Machine Config Operator merges in the order of names, and the last one has its way.
        assert each["metadata"]["name"] > f"50-{role}s-chrony-configuration"
        (file,) = each["spec"]["config"]["storage"]["files"]
        assert file["path"] == "/etc/chrony.conf" and file["mode"] == 0o644 and file["overwrite"] is True
        assert unquote(file["contents"]["source"]).removeprefix("data:,") == chrony.text(SERVERS)


def test_the_policy_is_for_the_same_file_and_restarts_its_service_alone() -> None:
    (row,) = chrony.policy()["spec"]["nodeDisruptionPolicy"]["files"]
    assert row == {
        "path": chrony.FILE,
        "actions": [{"type": "Restart", "restart": {"serviceName": "chronyd.service"}}],
    }
