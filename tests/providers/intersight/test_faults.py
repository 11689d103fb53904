from __future__ import annotations

import asyncio
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight.transport import ApiError, clock_off
from podwright.components.providers.protocol.kind import ProviderError
from podwright.lab.intersight import signature
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand
from tests.waiting import soon

POLICY = BY_TOKEN["Policy"]
PEM, PKCS1, PKCS8 = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.PrivateFormat.PKCS8,
)


@pytest.mark.parametrize("mode", ["429", "503"])
@pytest.mark.parametrize("verb", ["GET", "POST"])
async def test_a_busy_server_is_asked_again(stand: Stand, mode: str, verb: str) -> None:
    stand.fault(mode=mode, times=2, verb=verb)
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    assert stand.side.writes == 1
    assert await driver.drift() == []


async def test_an_object_that_is_deleted_while_it_is_worked_on_is_made_by_the_next_run(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by the soak of faults, seed 71: the refusal alone says nothing about what to do."""
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    patch = accounts.Account.patch

    async def too_late(self: accounts.Account, live: dict[str, Any], *more: Any) -> Any:
        with stand.side.service.lock:
            stand.store.remove(stand.store.of("ntp.Policy")[0])
        return await patch(self, live, *more)

    monkeypatch.setattr(accounts.Account, "patch", too_late)
    with pytest.raises(ProviderError, match="deleted in the meantime, run again"):
        await driver.update(lambda spec: spec["properties"].update(NtpServers=["192.0.2.9"]))


@pytest.mark.parametrize(("ahead", "words"), [(1200, "20 minutes behind"), (-600, "10 minutes ahead of")])
async def test_a_clock_that_is_off_is_named(stand: Stand, ahead: int, words: str) -> None:
    """The signature's date is out of range, and the answer's date says by how much."""
    stand.fault(clock=ahead)
    with pytest.raises(ProviderError, match=f"clock is {words} Intersight's: set it right"):
        await Driver(stand, POLICY, specs.ntp()).create()
    assert stand.store.of("ntp.Policy") == []


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 99 Foo 2026 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 -9999"])
def test_a_date_that_says_nothing_is_no_clock(date: str) -> None:
    assert clock_off(date) == ""


async def test_a_rate_limit_slows_us_and_loses_nothing(stand: Stand) -> None:
    stand.fault(per_second=8)
    drivers = [Driver(stand, POLICY, specs.ntp(f"ntp-{number}")) for number in range(6)]
    await asyncio.gather(*(driver.create() for driver in drivers))
    assert stand.side.writes == 6


async def test_a_cut_after_a_create_makes_no_second_object(stand: Stand) -> None:
    stand.fault(mode="cut", verb="POST", times=1)
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    assert stand.side.writes == 1
    assert len(stand.store.of("ntp.Policy")) == 1
    assert await driver.drift() == []


async def test_a_cut_after_an_update_is_looked_up(stand: Stand) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    stand.fault(mode="cut", verb="PATCH", times=1)
    await driver.update(lambda spec: spec["properties"].update(NtpServers=["192.0.2.2"]))
    assert stand.side.writes == 2
    assert await driver.drift() == []


async def test_a_cut_after_a_delete_is_looked_up(stand: Stand) -> None:
    driver = Driver(stand, POLICY, specs.ntp())
    await driver.create()
    stand.fault(mode="cut", verb="DELETE", times=1)
    await driver.delete()
    assert await driver.gone()


async def test_two_writers_do_not_overwrite_each_other(stand: Stand) -> None:
    """Somebody edits between our read and our write: we look again, and only what we own is ours to set."""
    driver = Driver(stand, POLICY, specs.bios())
    await driver.create()
    client = accounts.account(stand.context())
    live = await client.named("bios.Policy", "t-bios", "default")
    assert live is not None
    stand.edit("bios.Policy", "t-bios", {"TpmControl": "enabled"})
    with pytest.raises(ApiError) as stale:
        await client.patch(live, {"SmtMode": "Auto"}, "it")
    assert stale.value.status == 412
    await driver.update(lambda spec: spec["properties"].update(SmtMode="Auto"))
    assert stand.live("bios.Policy", "t-bios")["TpmControl"] == "enabled"


@pytest.mark.parametrize("steps", range(1, 9))
async def test_killed_after_any_request_the_next_run_completes(stand: Stand, steps: int) -> None:
    """The task dies after its n-th request; a fresh run ends with each object once and nothing more to do."""
    for spec in (specs.qos(), specs.vlans()):
        await Driver(stand, POLICY, spec).create()
    driver = Driver(stand, POLICY, specs.lan())
    task = asyncio.create_task(POLICY.create(driver.inputs, stand.context()))
    last = stand.side.gate.requests + steps
    await soon(lambda: stand.side.gate.requests >= last or task.done())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.sleep(0.05)  # what was on the wire arrives all the same
    await driver.create()
    assert sorted(mo["Name"] for mo in stand.store.of("vnic.EthIf")) == ["eth0", "eth1"]
    assert len(stand.store.of("vnic.LanConnectivityPolicy")) == 1
    assert await driver.drift() == []


async def test_a_key_that_intersight_does_not_know_is_told(stand: Stand) -> None:
    with pytest.raises(ProviderError, match=r"does not accept the API key .*check key_id, the secret and this clock"):
        await POLICY.create({"spec": specs.ntp()}, stand.context(key="own", own=signature.new_key()))


async def test_a_server_that_is_not_there_is_told_soon(stand: Stand) -> None:
    stand.side.forward["intersight.com:443"] = "127.0.0.1:9"
    with pytest.raises(ProviderError, match=r"Intersight at intersight.com cannot be reached: .*refused"):
        await POLICY.create({"spec": specs.ntp()}, stand.context())


async def test_a_server_with_another_certificate_is_refused(stand: Stand) -> None:
    context = stand.context()
    context.config = {**context.config, "endpoint": "intersight.example.com"}
    stand.side.forward["intersight.example.com:443"] = stand.side.forward["intersight.com:443"]
    with pytest.raises(ProviderError, match="shows a certificate that is not trusted"):
        await POLICY.create({"spec": specs.ntp()}, context)


def pem(key: object, form: serialization.PrivateFormat, password: bytes | None = None) -> str:
    lock = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(PEM, form, lock).decode()  # type: ignore[attr-defined, no-any-return]  # any private key


EC = ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (EC, pem(EC, PKCS8)),
        (EC, pem(EC, PKCS1)),
        (EC, pem(EC, PKCS8).replace("PRIVATE KEY", "EC PRIVATE KEY")),
        (RSA, pem(RSA, PKCS1)),
        (RSA, pem(RSA, PKCS8)),
    ],
    ids=["ec-pkcs8", "ec-sec1", "ec-as-intersight-hands-it-out", "rsa-pkcs1", "rsa-pkcs8"],
)
async def test_every_wrapper_of_a_key_that_intersight_takes_works(stand: Stand, key: object, text: str) -> None:
    stand.side.more_keys[KEY_ID] = key.public_key()  # type: ignore[attr-defined]  # any private key
    made = await POLICY.create({"spec": specs.ntp()}, stand.context(key="own", own=text))
    assert made.id == "ntp.Policy/default/t-ntp"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (pem(ed25519.Ed25519PrivateKey.generate(), PKCS8), "a key of type .*Ed25519"),
        (pem(ec.generate_private_key(ec.SECP384R1()), PKCS8), "a key of type .*ECPrivateKey"),
        (pem(RSA, PKCS8, b"canary"), "protected by a passphrase"),
        ("canary-not-a-key", "no private key in PEM form"),
    ],
)
async def test_any_other_key_is_refused_in_words_and_never_shown(stand: Stand, text: str, told: str) -> None:
    with pytest.raises(ProviderError, match=told) as error:
        await POLICY.create({"spec": specs.ntp()}, stand.context(key="own", own=text))
    assert "canary" not in str(error.value)
