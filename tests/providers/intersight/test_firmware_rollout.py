"""New firmware comes by the restarts of a roll-out: one server after the other, and through a lost supply of power."""

from __future__ import annotations

from typing import Any

from podwright.components.providers.openshift.rollout import Machine
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, LOGIN, Driver, Stand
from tests.waiting import soon

WANTED = {"version": "6.0(1.250131)", "until": "2999-01-01", "source": "CHG-7"}
SERIALS = {"cp-01": "WZP00000011", "cp-99": "WZP00000012"}


def machine(name: str) -> Machine:
    """The machine under a node, as a roll-out has it."""
    return Machine({"name": name, "serial": SERIALS[name], "intersight": True}, {"intersight": LOGIN})


async def handed_over(stand: Stand) -> None:
    """Both servers are on; then their profiles have a policy of the new version, and wait for a restart."""
    for name in SERIALS:
        stand.world.power(name, "On")
        await soon(lambda name=name: stand.world.host(name).boots == 1)  # type: ignore[misc]
        stand.world.host(name).state = "running"  # an operating system, which hears a reboot
    combined = {"ClassId": "firmware.ModelBundleVersion", "ObjectType": "firmware.ModelBundleVersion"}
    combined |= {"ModelFamily": "UCSC-C225-M8", "BundleVersion": WANTED["version"]}
    policy = specs.policy("firmware.Policy", "t-fw", {"ModelBundleCombo": [combined]})
    await Driver(stand, BY_TOKEN["Policy"], policy).create()
    for name, serial in SERIALS.items():
        await Driver(stand, BY_TOKEN["ServerProfile"], profile(name, serial)).create()


def profile(name: str, serial: str) -> dict[str, Any]:
    return specs.profile(("firmware.Policy", "t-fw"), name=name, serial=serial, firmware=WANTED)


def runs(stand: Stand) -> dict[str, str]:
    return {name: stand.side.inventory.bundles[name] for name in SERIALS}


async def test_one_server_is_upgraded_by_its_restart_and_the_others_are_untouched(stand: Stand) -> None:
    before = runs(stand)
    await handed_over(stand)
    assert all([await machine(name).waits(stand.context()) for name in SERIALS])
    assert runs(stand) == before
    await machine("cp-01").restart(stand.context())
    await soon(lambda: runs(stand)["cp-01"] == WANTED["version"])
    assert runs(stand) == {"cp-01": WANTED["version"], "cp-99": before["cp-99"]}
    assert [stand.world.host(name).boots for name in SERIALS] == [2, 1]
    assert await machine("cp-01").waits(stand.context()) == ""
    assert await machine("cp-99").waits(stand.context()) != ""
    stand.said.clear()
    await Driver(stand, BY_TOKEN["ServerProfile"], profile("cp-01", SERIALS["cp-01"])).create()
    assert not [each for each in stand.said if each.startswith("firmware")], "what runs the version is asked nothing"


async def test_power_lost_while_firmware_comes_into_force_leaves_it_waiting_and_the_next_run_completes(
    stand: Stand,
) -> None:
    """The node does not come back, which the roll-out says; run again, it starts the server, and the rest follows."""
    before = runs(stand)
    await handed_over(stand)
    plant = stand.world._plant
    post, plant._post_seconds = plant._post_seconds, 30.0
    await machine("cp-01").restart(stand.context())
    await soon(lambda: stand.world.host("cp-01").state == "post")
    stand.world.power("cp-01", "ForceOff")
    plant._post_seconds = post
    assert runs(stand) == before
    assert await machine("cp-01").waits(stand.context()) != ""
    await machine("cp-01").restart(stand.context())
    await soon(lambda: runs(stand)["cp-01"] == WANTED["version"])
    assert await machine("cp-01").waits(stand.context()) == ""
    assert runs(stand)["cp-99"] == before["cp-99"]
