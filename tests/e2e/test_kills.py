"""Whatever is killed, whenever: two commands later everything stands once, as after a run that nobody disturbed.

`make rough` kills one command, which one by the commit; `make soak SUITE=kills` kills each of them.
"""

import os
import random

import pytest

from tests.drawn import seed
from tests.e2e import standing
from tests.e2e.conftest import MakeSite
from tests.e2e.kills import NOBODY, Kill
from tests.e2e.site import Site

# The limit counts two sites that come up before the one command that is drawn.
pytestmark = [pytest.mark.rough, pytest.mark.timeout(1200)]

SEED = int(os.environ.get("PODWRIGHT_KILLS_SEED", "739941"))
"""Any seed must pass; a fixed one keeps a red run from being somebody else's luck."""
KILLS = int(os.environ.get("PODWRIGHT_KILLS", "2"))
"""Kills per command, one after the other."""

UP = ("up", "--yes", "--skip-preview", "--refresh", "--run-program")
COMMANDS = {
    "up": (UP, 550),
    "refresh": (("refresh", "--yes", "--skip-preview", "--run-program"), 250),
    "destroy": (("destroy", "--yes", "--skip-preview", "--run-program"), 400),
}
"""Words of each command, and about how many lines of progress an undisturbed run prints; its outputs follow at once."""
_ONE = tuple(COMMANDS)[seed("PODWRIGHT_KILLS_SEED") % len(COMMANDS)]
DRAWN = tuple(COMMANDS) if "PODWRIGHT_KILLS_SEED" in os.environ else (_ONE,)


@pytest.fixture(scope="module")
def rough(make_site: MakeSite) -> Site:
    """A site whose every command is cut off."""
    return make_site("kills", brought_up=DRAWN[0] != "up")


@pytest.fixture(scope="module")
def undisturbed(converged: Site) -> standing.Standing:
    """What stands in a site whose commands nobody cut off."""
    return standing.settled(converged)


def recover(site: Site) -> None:
    """What a person types after a crash, as the README says."""
    site.pulumi("cancel", "--yes", check=False)  # fails when the killed command had let go of the stack already
    site.up("--refresh", "--run-program")
    state = site.export()["deployment"]
    cut_off = {each["resource"]["urn"] for each in state.get("pending_operations", ())}
    assert cut_off <= {each["urn"] for each in state["resources"]}, "begun, and in no state: an orphan"
    site.refresh("--clear-pending-creates")


@pytest.mark.parametrize("command", DRAWN)
def test_the_next_up_completes_whatever_was_killed(command: str, rough: Site, undisturbed: standing.Standing) -> None:
    dice = random.Random(f"{SEED} {command}")
    words, lines = COMMANDS[command]
    kills = [Kill.draw(dice, lines >> number) for number in range(KILLS)]  # less is left to do each time
    print(f"PODWRIGHT_KILLS_SEED={SEED} PODWRIGHT_KILLS={KILLS}: {command}: {kills}")
    struck = []
    for kill in kills:
        struck.append(kill.of(rough, *words))
        print(struck[-1], flush=True)
        rough.pulumi("cancel", "--yes", check=False)
    assert NOBODY not in struck[0]
    recover(rough)
    assert rough.export()["deployment"].get("pending_operations", []) == []
    assert standing.lasting_differences(undisturbed, rough) == {}
    assert rough.preview() == []
