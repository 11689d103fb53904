"""What a plan says that servers do, and what they do: named servers, counted boots."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.server_changes import ServerChange, sentence, server_changes
from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight import boot
from podwright.lab.intersight.side import start
from tests.lab.bench import make_world
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand
from tests.waiting import soon

POLICY, PROFILE, TEMPLATE = (BY_TOKEN[each] for each in ("Policy", "ServerProfile", "ServerProfileTemplate"))
ROLLOUT = "podwright:openshift:Rollout"
LOGIN = {"key_id": KEY_ID, "secret": "intersight-key"}


def world(count: int, variants: dict[str, str]) -> str:
    servers = {
        f"n-{number:02}": {
            "model": "UCSC-C225-M8N", "serial": f"WZP000001{number:02}", "bmc": f"192.0.2.{number}",
            "uuid": f"00000000-0000-4000-8000-0000000000{number:02}", "boot_mac": f"02:00:00:00:00:{number:02x}",
            "intersight": True, "cpu": {"vendor": "amd", "sockets": 2, "cores": 32}, "memory_gib": 64,
        }
        for number in range(count)
    }  # fmt: skip
    secret = {"intersight": {"key_id": KEY_ID, "secret": "intersight-key"}}
    about = {"name": "x", "servers": servers, "timing": {"post_seconds": 0.02}, "credentials": secret}
    return yaml.safe_dump({**about, "variants": variants})


AUTOMATIC = {"template-sync": "automatic", "merge": "all-common"}
ROUGH = pytest.mark.rough


@pytest.mark.parametrize(
    ("count", "derived", "variants"),
    [
        (6, False, {}), (6, True, {}), pytest.param(6, True, AUTOMATIC, marks=ROUGH),
        pytest.param(64, False, {}, marks=ROUGH), pytest.param(64, True, {}, marks=ROUGH),
        pytest.param(64, True, AUTOMATIC, marks=ROUGH),
    ],
)  # fmt: skip
async def test_the_servers_that_the_plan_names_boot_and_no_other_and_only_in_their_roll_out(
    count: int, derived: bool, variants: dict[str, str], tmp_path: Path
) -> None:
    """Of profiles that hold their policies, and of those that are derived from two templates, of which one changes."""
    made, lab = make_world(tmp_path, world(count, variants))
    side = start(made, lab)
    side.fault({"validate": 0.02, "configure": 0.02})
    accounts._clients.clear()
    stand = Stand(side, made, lab)
    try:
        await drive(stand, count, derived)
    finally:
        side.stop()
        made.close()


async def drive(stand: Stand, count: int, derived: bool) -> None:
    names = [f"n-{number:02}" for number in range(count)]
    policies = [Driver(stand, POLICY, each) for each in (specs.ntp(), specs.bios("odd"), specs.bios("even"))]
    templates = [template(stand, name) for name in ("odd", "even")] if derived else []
    for driver in (*policies, *templates):
        await driver.create()
    profiles = [profile(stand, number, derived) for number in range(count)]
    await asyncio.gather(*(driver.create() for driver in profiles))
    assert boots(stand, names) == dict.fromkeys(names, 0)
    for name in names:
        stand.world.power(name, "On")
    await soon(lambda: all(in_force(stand, name) for name in names), 60)
    first = boots(stand, names)
    drivers = [*policies, *templates, *profiles]
    before: list[Any] = [copy.deepcopy(driver.spec) for driver in drivers]
    odd = [name for number, name in enumerate(names) if number % 2]
    changed: tuple[str, ...]
    policies[0].spec["properties"]["NtpServers"] = ["192.0.2.9"]
    if derived:
        # The template takes another policy of the type.
        drivers.append(Driver(stand, POLICY, specs.bios("other", SmtMode="Auto", SrIov="enabled")))
        before.append(None)
        for driver in (templates[0], *(each for each in profiles if each.spec["name"] in odd)):
            driver.spec["policies"][1]["name"] = "other"
        what, changed = "bios.Policy other", ("CbsDfCmnDramNps", "SmtMode")
    else:
        policies[1].spec["properties"]["SmtMode"] = "Auto"
        what, changed = "bios.Policy odd", ("SmtMode",)
    rollout = {"pool": "training", "max_unavailable": 2, "nodes": [
        {"name": name, "serial": f"WZP000001{name[2:]}"} for name in reversed(names)
    ]}  # fmt: skip
    steps = [(driver.kind.token, old, driver.spec) for driver, old in zip(drivers, before, strict=True)]
    told = server_changes([*steps, (ROLLOUT, rollout, rollout)])
    assert told == (
        ServerChange(what, changed, Disruption.REBOOT, tuple(reversed(odd)), {"training": 2}),
        ServerChange("ntp.Policy t-ntp", ("NtpServers",), Disruption.NONE, tuple(reversed(names)), {"training": 2}),
    )
    if derived:
        await drivers[-1].create()
    for driver in (*policies, *templates):
        await driver.update()
    digests = {name: "2" if name in odd else "1" for name in names}
    await asyncio.gather(*(driver.update(handed(digests)) for driver in profiles))
    assert boots(stand, names) == first
    for node in rollout["nodes"]:  # type: ignore[attr-defined]  # a list of mappings
        if await boot.waits_for_reset(stand.context(), LOGIN, node):
            await boot.power(stand.context(), LOGIN, node, "PowerCycle")
    await soon(lambda: all(in_force(stand, name) for name in names), 60)
    more = {name for name, number in boots(stand, names).items() if number > first[name]}
    assert more == set(told[0].servers)
    assert all(stand.world.bios(name)["SmtMode"] == ("Auto" if name in odd else "Off") for name in names)
    assert [await driver.drift() for driver in (*templates, *profiles)] == [[] for _ in (*templates, *profiles)]


def handed(digests: dict[str, str]) -> Callable[[dict[str, Any]], None]:
    return lambda spec: spec.update(digest="2", restart_digest=digests[spec["name"]])


def template(stand: Stand, name: str) -> Driver:
    bucket = [{"object_type": "ntp.Policy", "name": "t-ntp"}, {"object_type": "bios.Policy", "name": name}]
    spec = {"schema": 1, "name": name, "organization": "default", "target_platform": "Standalone", "policies": bucket}
    return Driver(stand, TEMPLATE, spec)


def profile(stand: Stand, number: int, derived: bool) -> Driver:
    half = "odd" if number % 2 else "even"
    bucket = (("ntp.Policy", "t-ntp"), ("bios.Policy", half))
    named = {"name": f"n-{number:02}", "serial": f"WZP000001{number:02}", **({"template": half} if derived else {})}
    return Driver(stand, PROFILE, specs.profile(*bucket, digest="1", restart_digest="1", **named))


def boots(stand: Stand, names: list[str]) -> dict[str, int]:
    return {name: stand.world.host(name).boots for name in names}


def in_force(stand: Stand, name: str) -> bool:
    return bool(stand.live("server.Profile", name)["ConfigContext"]["ConfigState"] == "Associated")


LAN = {"object_type": "vnic.LanConnectivityPolicy", "name": "lan"}


def step(kind: str, old: dict[str, Any], new: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    return kind, old, new


def test_a_change_is_told_with_servers_gpus_and_order() -> None:
    change = ServerChange("bios.Policy b", ("SrIov",), Disruption.REBOOT, ("n2", "n1"), {"training": 1})
    assert sentence(change, {"n1": 8, "n2": 4}) == (
        "bios.Policy b: SrIov: 2 servers reboot, 12 GPUs, 1 at a time in training: n2, n1"
    )
    quiet = ServerChange("ntp.Policy n", ("NtpServers",), Disruption.NONE, ("n1",), {})
    assert sentence(quiet, {"n1": 8}) == "ntp.Policy n: NtpServers: 1 server takes it while it runs"


def test_what_a_policy_names_is_its_servers_too_and_another_policy_of_the_type_is_compared() -> None:
    qos = specs.qos("q")
    faster = {**qos, "properties": {**qos["properties"], "Mtu": 1500}}
    vnic = {"object_type": "vnic.EthIf", "name": "eth0", "properties": {}, "references": {"EthQosPolicy": {
        "object_type": "vnic.EthQosPolicy", "name": "q"}}}  # fmt: skip
    lan = specs.policy(LAN["object_type"], "lan", {}, children=[vnic])
    profiles = {name: {"name": name, "policies": [LAN]} for name in ("a", "b")}
    steps = [step(POLICY.token, qos, faster), step(POLICY.token, lan, lan)]
    steps += [step(PROFILE.token, each, each) for each in profiles.values()]
    (found,) = server_changes(steps)
    assert (found.properties, found.disruption, found.servers) == (("Mtu",), Disruption.REBOOT, ("a", "b"))
    one, other = specs.bios("one", SrIov="enabled"), specs.bios("other", SrIov="disabled")
    old = {"name": "a", "policies": [{"object_type": "bios.Policy", "name": "one"}]}
    new = {"name": "a", "policies": [{"object_type": "bios.Policy", "name": "other"}]}
    (swapped,) = server_changes([(POLICY.token, one, None), (POLICY.token, None, other), (PROFILE.token, old, new)])
    assert (swapped.what, swapped.properties, swapped.servers) == ("bios.Policy other", ("SrIov",), ("a",))


def test_firmware_that_a_roll_out_brings_is_named_and_what_is_only_compared_is_not() -> None:
    image = {"url": "http://192.0.2.2/c885a.bin", "sha256": "0" * 64, "components": ["BIOS"]}

    def machine(version: str, **more: Any) -> dict[str, Any]:
        about = {"name": "gpu-01", "serial": "A", "bios": {}}
        return {**about, "firmware": {"components": {"BIOS": version, "BMC": "1"}, **more}}

    token, rollout = "podwright:redfish:Server", {"pool": "training", "nodes": [{"name": "gpu-01", "serial": "A"}]}
    other = [(ROLLOUT, rollout, rollout)]
    (found,) = server_changes([(token, machine("1", images=[image]), machine("2", images=[image])), *other])
    words = "firmware over Redfish: BIOS: 1 server reboots, 8 GPUs, 1 at a time in training: gpu-01"
    assert sentence(found, {"gpu-01": 8}) == words
    assert server_changes([(token, machine("1"), machine("2")), *other]) == ()
    (first, *_) = server_changes([(token, machine("1"), machine("1", images=[image])), *other])
    assert first.properties == ("BIOS", "BMC"), "compared until now; the machine may run anything"
