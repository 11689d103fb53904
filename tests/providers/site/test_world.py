"""The world of a stack goes last, and only when nothing carries the stack's mark any more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.transport import ApiError
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.protocol.kind import CheckContext, Context, ProviderError
from podwright.components.providers.protocol.limits import refusals
from podwright.components.providers.reach import Reach
from podwright.components.providers.site.world import World
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, KEY_ID, Driver, Stand, stand
from tests.providers.nxos.rack import Rack, inputs, rack

__all__ = ["stand"]

SWITCHES = {f"leaf-0{n}": {"management": f"192.0.2.1{n}", "credential": "switch-admin"} for n in (1, 2)}
LOGINS = {
    "nxos": {"user": "admin", "secret": "switch-admin"},
    "intersight": {"key_id": KEY_ID, "secret": "intersight-key"},
}


def spec(**parts: Any) -> dict[str, Any]:
    given = {"schema": 1, "cluster": "lab", "switches": {}, "intersight": False, "installation": {}, **parts}
    assert World().check({"spec": given}, CheckContext()) == []
    return {"spec": given}


async def orphans(given: dict[str, Any], ctx: Context) -> list[str]:
    """What its deletion names; nothing if it goes."""
    try:
        await World().delete("lab-world", given, given, ctx)
    except ProviderError as found:
        assert "`podwright up` finds its own work again, and `podwright destroy` then removes it" in str(found)
        return [line.removeprefix("  - ") for line in str(found).splitlines() if line.startswith("  - ")]
    return []


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[Rack]:
    with rack(tmp_path) as made:
        yield made
        await made.kind.close()


async def test_a_switch_with_the_stacks_mark_is_named(two: Rack) -> None:
    given, ctx = spec(switches=SWITCHES), two.context(config=LOGINS)
    assert await orphans(given, ctx) == []
    await two.up()
    assert await orphans(given, ctx) == ["switch leaf-01 carries this stack's configuration"]
    assert await orphans(given, two.context(config=LOGINS, identity="podwright/other")) == []
    await two.kind.delete("leaf-01", inputs(), {}, two.context())
    assert await orphans(given, ctx) == []


async def test_a_switch_that_does_not_answer_may_carry_anything(two: Rack) -> None:
    gone = {"leaf-09": {"management": "192.0.2.19", "credential": "switch-admin"}}
    reach = Reach(
        forward={**two.reach.forward, "192.0.2.19:22": "127.0.0.1:1"},
        known_hosts=two.reach.known_hosts,
        secrets=two.reach.secrets,
    )
    (found,) = await orphans(spec(switches={**SWITCHES, **gone}), two.context(config=LOGINS, reach=reach))
    assert found.startswith("switch leaf-09 cannot be asked: ")


async def test_intersight_objects_with_the_stacks_mark_are_named(stand: Stand) -> None:
    given, ctx = spec(intersight=True), stand.context()
    ctx.config = LOGINS
    assert await orphans(given, ctx) == []
    made = [Driver(stand, BY_TOKEN["Policy"], specs.ntp()), Driver(stand, BY_TOKEN["Pool"], specs.macs())]
    for driver in made:
        await driver.create()
    name = specs.macs()["name"]
    assert sorted(await orphans(given, ctx)) == [
        f"Intersight object macpool.Pool {name}",
        "Intersight object ntp.Policy t-ntp",
    ]
    ctx.identity = "podwright/other"
    assert await orphans(given, ctx) == []


async def test_an_installation_that_no_state_knows_is_named(tmp_path: Path) -> None:
    publish = tmp_path / "publish"
    publish.mkdir()
    reach = Reach(environ={"PODWRIGHT_STATE": str(tmp_path / "state")})
    ctx = Context(reach=reach, identity="podwright/lab")
    given = spec(installation={"cluster": "lab", "publish": {"directory": str(publish), "url": "http://192.0.2.2"}})
    (publish / f"other-{'0' * 32}.iso").touch()
    assert await orphans(given, ctx) == []
    image = f"lab-{'0' * 32}.iso"
    (publish / image).touch()
    memory = Memory(reach.environ, ctx.identity, "lab")
    memory.remember({"image": image, "booted": ["cp-01"]}, kubeconfig="a key")
    assert await orphans(given, ctx) == [
        "host cp-01 was booted into the installation of lab",
        f"{publish / image} is published and holds the pull secret; remove the file unless another stack installs lab",
        f"{memory.folder} holds the administrator's kubeconfig of lab",
    ]


async def test_what_cannot_be_searched_is_named_too(stand: Stand) -> None:
    ctx = stand.context()
    ctx.config = {"intersight": {"key_id": KEY_ID, "secret": "no-such-secret"}}
    (found,) = await orphans(spec(intersight=True), ctx)
    assert found.startswith("intersight: could not be searched: the secret 'no-such-secret'")


async def test_an_account_that_refuses_is_a_sentence_and_no_success(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> list[dict[str, Any]]:
        raise ApiError(403, {"message": "no permission"}, "look up")

    monkeypatch.setattr(Account, "query", refuse)
    ctx = stand.context()
    ctx.config = LOGINS
    (found,) = await orphans(spec(intersight=True), ctx)
    assert "could not be searched: Intersight did not list" in found
    assert "no permission" in found


def test_a_switch_that_leaves_the_plan_is_named_and_one_with_another_name_is_not() -> None:
    def spec(**switches: str) -> dict[str, Any]:
        reached = {name: {"management": address, "credential": "x"} for name, address in switches.items()}
        return {"spec": {"schema": 1, "cluster": "lab", "switches": reached, "intersight": False, "installation": {}}}

    kind, old = World(), spec(a="192.0.2.11", b="192.0.2.12")
    (sentence,) = kind.notices(old, spec(a="192.0.2.11"))
    assert sentence.startswith("b leaves the plan: unless it was moved to another stack, every owned block is removed")
    assert kind.notices(old, spec(a="192.0.2.11", renamed="192.0.2.12")) == []
    (failure,) = refusals(kind.impacts(old, spec(a="192.0.2.11")), {"changes": {"limit": "live"}}, datetime.now(UTC))
    assert failure.message.startswith("b: is deleted: disruptive: every owned block is removed")


def test_an_interconnect_pair_that_leaves_the_plan_is_limited_too() -> None:
    def spec(*pairs: str) -> dict[str, Any]:
        domains = {name: {"A": f"FDO2620000{at}", "B": f"FDO2620001{at}"} for at, name in enumerate(pairs)}
        shape = {"schema": 1, "cluster": "lab", "switches": {}, "intersight": True, "installation": {}}
        return {"spec": {**shape, "domains": domains}}

    kind, old, new = World(), spec("x-series", "second"), spec("x-series")
    (sentence,) = kind.notices(old, new)
    assert "second leaves the plan" in sentence
    assert "the servers behind the pair lose their ports" in sentence
    (failure,) = refusals(kind.impacts(old, new), {"changes": {"limit": "live"}}, datetime.now(UTC))
    assert failure.message.startswith("second: is deleted: disruptive: the profile is unassigned and deleted")
    assert not kind.impacts(old, old)


def test_what_leaves_the_cluster_is_named_and_limited() -> None:
    contents = {
        "pools": ["inference", "training"], "operators": ["gpu"], "teams": ["ml"], "volumes": ["sets"],
        "training": ["pretrain"], "inference": ["chat"],
    }  # fmt: skip
    kind, old = World(), spec(contents=contents)
    new = spec(contents={"pools": ["training"], "training": ["pretrain", "more"]})
    said = kind.notices(old, new)
    assert [sentence.partition(":")[0] for sentence in said] == [
        "inference leaves the plan", "gpu leaves the plan", "ml leaves the plan", "sets leaves the plan",
        "chat leaves the plan",
    ]  # fmt: skip
    assert "moved to another stack" not in "".join(said)
    failures = refusals(kind.impacts(old, new), {"changes": {"limit": "live"}}, datetime.now(UTC))
    assert len(failures) == 5
    assert failures[-1].message.startswith("chat: is deleted: disruptive: its pods end")
    assert not kind.impacts(spec(), old), "a state of an earlier release names nothing"
