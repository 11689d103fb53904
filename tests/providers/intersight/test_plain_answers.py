"""Answers in forms that the lab does not give and Intersight may: a write without a body, states in other letters."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from podwright.components.providers.intersight import paths, settings
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight.conftest import Stand

SERVER, HOST = {"Moid": "s1"}, {"name": "cp-01", "serial": "WZP1"}


class Orders:
    """A settings object whose order begins after a look or two; the write is answered with nothing."""

    def __init__(self) -> None:
        self.looks = [("1", "Applied"), ("2", "Applied"), ("2", "Applied"), ("3", "Applying"), ("4", "Applied")]

    async def only(self, *_: Any) -> Mapping[str, Any]:
        stamp, state = self.looks.pop(0)
        return {"ModTime": stamp, "ConfigState": state}

    async def patch(self, *_: Any) -> Mapping[str, Any]:
        return {}


async def test_an_order_that_is_answered_with_nothing_is_waited_for_all_the_same(stand: Stand) -> None:
    api = Orders()
    await settings.order(cast(Account, api), SERVER, HOST, {"AdminPowerState": "PowerOn"}, stand.context())
    assert api.looks == [], "it ended with the state of the order before"


class Interfaces:
    """Fabric B carries a server; through A it is down, in letters of Intersight's choice."""

    def __init__(self, up: str, down: str) -> None:
        self.states = {"A": down, "B": up}

    async def query(self, kind: str, condition: str, *_: Any) -> list[Mapping[str, Any]]:
        if kind != "network.Vethernet":
            return []
        vnic = {"Name": "eth0", "AdapterUnit": {"Moid": "a1"}}
        return [{"AdapterHostEthInterface": vnic, "OperState": self.states[condition[-2]]}]

    async def by_moid(self, *_: Any) -> None:
        return None


@pytest.mark.parametrize(("up", "down"), [("up", "down"), ("Up", "Down"), ("UP", "DOWN")])
async def test_a_path_that_is_down_is_seen_in_any_letters(stand: Stand, up: str, down: str) -> None:
    ctx = stand.context()
    asyncio.get_running_loop().call_later(0.05, ctx.cancel.set)
    elements = {"A": {"Moid": "A"}, "B": {"Moid": "B"}}
    with pytest.raises(ProviderError, match=r"was left alone.* through fabric A"):
        await paths.carried_by_the_other(cast(Account, Interfaces(up, down)), elements, "B", ctx, "it")
