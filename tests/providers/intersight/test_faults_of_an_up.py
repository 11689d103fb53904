"""Something goes wrong at any request of an `up`: it ends done or in sentences, and the next one ends done.

No object is there twice, and what only the way to Intersight was at fault for is carried out once.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from podwright.components.providers.exchange import Limits
from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight import boot, repeats, transport
from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.providers.intersight.conftest import KEY_ID, LOGIN, Stand, standing
from tests.providers.intersight.wave import Wave
from tests.waiting import soon

GIVEN = os.environ.get("PODWRIGHT_INTERSIGHT_FAULTS_SEED", "")
SEED = GIVEN or datetime.date.today().isoformat()
"""Any seed must pass. Without one, some of the faults are enough, others each day."""
pytestmark = pytest.mark.rough
Fault = TypeVar("Fault")

WAYS: dict[str, dict[str, Any]] = {
    "429": {"mode": "429", "times": 3},
    "429-after": {"mode": "429", "times": 3, "retry_after": True},
    "500": {"mode": "500"},
    "502": {"mode": "502"},
    "504": {"mode": "504"},
    "502-often": {"mode": "502", "times": 12},
    "500-carried-out": {"mode": "500", "carried_out": True},
    "502-carried-out": {"mode": "502", "carried_out": True},
    "504-carried-out": {"mode": "504", "carried_out": True},
    "hang": {"mode": "hang", "seconds": 3.0},
    "cut": {"mode": "cut"},
}


def drawn(faults: Sequence[Fault], most: int) -> list[Fault]:
    """All of them under a given seed, else some; every worker draws the same."""
    return list(faults) if GIVEN else random.Random(SEED).sample(list(faults), most)


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(transport, "LONGEST_PAUSE", 1.0)
    monkeypatch.setattr(transport, "LIMITS", Limits(1.0, transport.LIMITS.most_bytes))


def sentences(failed: list[Exception]) -> None:
    """Each failure is one that a person can act on."""
    for each in failed:
        assert isinstance(each, (ProviderError, Incomplete)), repr(each)
        assert re.search("run again|in Intersight|check key_id|claim it|set it right", str(each)), str(each)


@dataclass(frozen=True)
class Undisturbed:
    """An `up` to which nothing happens: what it makes, what it runs, and how many requests it takes."""

    objects: Counter[str]
    workflows: Counter[str]
    requests: int


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    with standing(tmp_path_factory.mktemp("undisturbed")) as stand:
        wave = Wave(stand)
        assert asyncio.run(wave.up()) == []
        return Undisturbed(wave.objects(), wave.workflows(), stand.side.gate.requests)


async def settled(wave: Wave, objects: Counter[str]) -> None:
    """The next `up` completes, with each object once; the one after has nothing to do."""
    assert await wave.up() == []
    assert await wave.drift() == {}
    assert wave.objects() == objects
    writes = wave.stand.side.writes
    assert await wave.up() == []
    assert wave.stand.side.writes == writes


@pytest.mark.parametrize("way", drawn(list(WAYS), 4))
async def test_a_way_to_intersight_that_fails_costs_nothing(stand: Stand, way: str, undisturbed: Undisturbed) -> None:
    lot = random.Random(f"{SEED}{way}")
    fault = {**WAYS[way], "after": lot.randrange(undisturbed.requests)}
    print(f"PODWRIGHT_INTERSIGHT_FAULTS_SEED={SEED}: {fault}")
    stand.fault(**fault)
    wave = Wave(stand)
    sentences(await wave.up())
    stand.fault(mode="none")
    await settled(wave, undisturbed.objects)
    assert wave.workflows() == undisturbed.workflows


Strike = Callable[[Stand], Callable[[], None]]
"""Does something to the account or a machine; what it returns mends it."""


def a_task_fails(stand: Stand) -> Callable[[], None]:
    stand.fault(fail_next="The storage controller did not answer.")
    return lambda: None


def a_profile_is_deleted(stand: Stand) -> Callable[[], None]:
    with stand.side.service.lock:
        if (profile := stand.live("server.Profile", "cp-01")) is not None:
            stand.store.remove(profile)
    return lambda: None


def a_server_is_swapped(stand: Stand) -> Callable[[], None]:
    """Another machine stands in its place; mended, the first one is back."""
    machines = [mo for mo in stand.store.objects.values() if mo.get("Serial") == "WZP00000011"]

    def numbered(serial: str) -> None:
        with stand.side.service.lock:
            for mo in machines:
                stand.store.update(mo, {"Serial": serial})

    numbered("WZP00000099")
    return lambda: numbered("WZP00000011")


def a_key_is_rotated(stand: Stand) -> Callable[[], None]:
    key = ec.generate_private_key(ec.SECP256R1())
    stand.side.more_keys[KEY_ID] = key.public_key()
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()

    def given() -> None:
        (stand.lab.secrets / "intersight-key").write_text(text)
        accounts._clients.clear()

    return given


def an_older_appliance(stand: Stand) -> Callable[[], None]:
    stand.fault(hide=["bios.Policy.SrIov"])
    return lambda: stand.fault(hide=[])


def a_clock_is_off(stand: Stand) -> Callable[[], None]:
    stand.fault(clock=1200)
    return lambda: stand.fault(clock=0)


STRIKES: tuple[Strike, ...] = (
    a_task_fails,
    a_profile_is_deleted,
    a_server_is_swapped,
    a_key_is_rotated,
    an_older_appliance,
    a_clock_is_off,
)


@pytest.mark.parametrize("strike", drawn(STRIKES, 2), ids=lambda strike: strike.__name__)
async def test_what_happens_at_the_other_end_is_told_and_the_next_run_completes(
    stand: Stand, strike: Strike, undisturbed: Undisturbed
) -> None:
    lot = random.Random(f"{SEED}{strike.__name__}")
    moment = lot.randrange(undisturbed.requests)
    print(f"PODWRIGHT_INTERSIGHT_FAULTS_SEED={SEED}: {strike.__name__} at request {moment}")
    wave = Wave(stand)
    running = asyncio.create_task(wave.up())
    await soon(lambda: stand.side.gate.requests >= moment or running.done(), 60.0)
    mend = strike(stand)
    sentences(await running)
    mend()
    await settled(wave, undisturbed.objects)


async def test_power_that_is_lost_while_activating_is_told_and_the_next_run_completes(
    stand: Stand, image: str, undisturbed: Undisturbed
) -> None:
    """A server goes dark in its self-test, as its staged profile comes into force or as it starts from the image."""
    lot = random.Random(f"{SEED} power")
    name, serial = lot.choice([("cp-01", "WZP00000011"), ("inf-01", "WZP00000021")])
    print(f"PODWRIGHT_INTERSIGHT_FAULTS_SEED={SEED}: {name} goes dark")
    wave, host = Wave(stand), {"name": name, "serial": serial, "intersight": True}
    assert await wave.up() == []
    stand.fault(activate_timeout=0.5)
    left = [lot.randrange(2)]

    def pressed(server: str, state: str) -> None:
        if (server, state) == (name, "On"):
            left[0] -= 1
            if left[0] == -1:
                stand.world.power(name, "ForceOff")

    stand.world.on_power.append(pressed)
    failed = (await asyncio.gather(boot.boot_image(stand.context(), LOGIN, host, image), return_exceptions=True))[0]
    print(f"ended: {failed}")
    assert left[0] < 0, "it did not go dark"
    sentences([failed] if isinstance(failed, Exception) else [])
    await boot.boot_image(stand.context(), LOGIN, host, image)
    await soon(lambda: stand.world.host(name).medium == "Cd")
    await boot.eject(stand.context(), LOGIN, host)
    await settled(wave, undisturbed.objects)
