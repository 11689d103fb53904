"""One command goes back from a change that failed its soak or was killed in the middle of a wave."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pytest
import yaml

from podwright.cli.split import fabric_file
from tests.e2e.fabric_stack import FabricStack, fabric_stack
from tests.e2e.site import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.rough]

ROLLOUT = {"rollout": {"canary": "leaf-01", "batch": 1, "soak_seconds": 0}}
RENUMBERED = {"fabric/leaves/leaf-01/asn": 64611, "changes": {"limit": "two-ended"}}
EXTRA = {
    "fabric/extra": {
        "leaf-01": {
            "interface loopback8": "ip address 10.9.9.8/32",
            "interface loopback9": "description ours\nip address 10.9.9.9/32",
        }
    }
}


def undo(network: FabricStack, *, check: bool = True) -> str:
    """What `podwright undo` says; without `check` it must stop at an edit."""
    command = [sys.executable, "-m", "podwright.cli", "undo", "lab", "--", "--yes", "--skip-preview"]
    done = network.site.run(command, check=check)
    assert check or done.returncode == 4, f"{done.stdout}\n{done.stderr}"
    return f"{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FabricStack]:
    text = re.sub(" *moved_from: .*\n", "", fabric_file((ROOT / "Pulumi.lab.yaml").read_text(), "", "a/b/c"))
    config = yaml.safe_load(text)
    config["config"]["podwright:cluster"]["fabric"] |= ROLLOUT
    with fabric_stack(tmp_path_factory.mktemp("undo"), yaml.safe_dump(config, sort_keys=False, width=200)) as made:
        yield made


def test_a_change_that_failed_its_soak_is_undone_and_every_switch_read_again(network: FabricStack) -> None:
    before = network.configurations()
    network.site.edit(RENUMBERED)
    network.up(check=False)
    assert network.configurations() != before
    # Somebody edits a switch meanwhile: nothing is begun, and the lines are named.
    network.rack.edit("interface Ethernet1/1", "description theirs")
    said = undo(network, check=False)
    assert "leaf-01 was edited since: interface Ethernet1/1 / description theirs" in said
    assert "nothing was begun" in said
    network.rack.edit("interface Ethernet1/1", "description gpu-01 rail0")
    said = undo(network)
    assert "leaf-01: as before the change, read from the switch (" in said
    assert "Pulumi.lab.yaml still holds what was undone" in said
    assert network.configurations() == before
    network.site.stack_file.write_text(network.text)
    network.up()
    assert network.site.preview() == []


def test_a_change_that_was_killed_in_its_wave_is_undone(network: FabricStack) -> None:
    before = network.configurations()
    network.site.edit(EXTRA)
    network.killed_at("ip address 10.9.9.9/32", engine=True)
    assert "interface loopback9" in network.configurations()["leaf-01"], "half of it stands"
    said = undo(network)
    assert "leaf-01: as before the change, read from the switch (" in said
    assert network.configurations() == before
    network.site.stack_file.write_text(network.text)
    network.up()
    assert network.site.preview() == []


SAVE = "copy running-config startup-config"


def test_a_change_that_was_killed_while_it_saved_is_undone_or_saved(network: FabricStack) -> None:
    before = network.configurations()
    network.site.edit(EXTRA)
    network.killed_at(SAVE, engine=True, lost=True)
    assert "interface loopback9" in network.configurations()["leaf-01"], "all of it stands"
    assert "loopback9" not in network.rack.startup(), "a reload takes it back"
    said = undo(network)
    assert "leaf-01: as before the change, read from the switch (" in said
    assert network.configurations() == before
    assert network.rack.startup() == before["leaf-01"]
    network.up()  # what was undone, once more and whole
    assert "loopback9" in network.rack.startup()
    network.site.edit({"fabric/extra": None})
    network.killed_at(SAVE, engine=True, lost=True)
    assert network.configurations() == before
    assert "loopback9" in network.rack.startup(), "a reload brings it back"
    network.site.stack_file.write_text(network.text)
    said = " ".join(
        network.site.run(
            [sys.executable, "-m", "podwright.cli", "recover", "lab", "--", "--yes", "--skip-preview"]
        ).stdout.split()
    )
    assert "leaf-01: an earlier push was cut off before it was saved; what it wrote is saved" in said
    assert network.rack.startup() == before["leaf-01"]
    assert network.site.preview() == []
