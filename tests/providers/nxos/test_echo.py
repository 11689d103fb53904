"""Echoes get through control-plane policing, and only who is really silent counts as silent."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from podwright.components.providers.nxos.read import echo
from podwright.components.providers.nxos.session import Address

ROWS = {
    f"Ethernet1/{number}": {"neighbor": f"10.1.0.{number}", "vrf": "default", "probe": 9216} for number in range(1, 33)
}
CIR, BURST = 45_000, 128_000
"""Bytes a second and bytes at once that the default policy lets ICMP have."""


class Policed:
    """A switch that answers as far as its policer lets it; `now` is its own time, an unanswered echo takes a second."""

    def __init__(self, name: str = "leaf-01", dead: dict[str, int] | None = None) -> None:
        self.address = Address(name, "", "", "")
        self.dead = dead or {}
        self.asked: list[str] = []
        self.now = 0.0
        self._tokens, self._at = float(BURST), 0.0

    async def show(self, command: str) -> str:
        found = re.fullmatch(r"ping (\S+)( vrf \S+)? packet-size (\d+) df-bit count 1 timeout 1", command)
        assert found, command
        self.asked.append(f"{found[1]}{found[2] or ''}")
        size = int(found[3]) + 28
        self._tokens = min(BURST, self._tokens + (self.now - self._at) * CIR)
        self._at = self.now
        passed = self._tokens >= size
        self._tokens -= size if passed else 0
        answered = passed and size <= self.dead.get(found[1], 9216)
        self.now += 0.05 if answered else 1.0
        return f"PING\n1 packets transmitted, {int(answered)} packets received, 0.00% packet loss\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses pass on the switch's clock only."""
    monkeypatch.setattr(echo, "_PATIENCE", 0.02)
    monkeypatch.setattr(echo, "_PAUSE", 0.001)


def run(switch: Policed, rows: dict[str, Any] | None = None) -> frozenset[str]:
    session: Any = switch
    return asyncio.run(echo.silent(session, rows or ROWS, rows or ROWS))


@pytest.mark.usefixtures("asked")
def test_more_echoes_than_the_policer_lets_through_at_once_all_come_back() -> None:
    switch = Policed()
    assert run(switch) == frozenset()
    assert len(ROWS) * 9216 > BURST
    assert len(switch.asked) > len(ROWS), "some were dropped, and asked again"


@pytest.mark.usefixtures("asked")
def test_who_takes_no_such_packet_or_none_at_all_is_told_apart() -> None:
    switch = Policed(dead={"10.1.0.7": 1500, "10.1.0.9": 0})
    session: Any = switch
    silent = run(switch)
    assert silent == {"Ethernet1/7", "Ethernet1/9"}
    assert asyncio.run(echo.small(session, ROWS, silent)) == {"Ethernet1/7"}


@pytest.mark.usefixtures("asked")
def test_switches_do_not_all_begin_with_the_same_neighbour() -> None:
    first = set()
    for number in range(8):
        switch = Policed(f"leaf-{number:02}")
        run(switch)
        first.add(switch.asked[0])
    assert len(first) > 3


@pytest.mark.usefixtures("asked")
def test_a_neighbour_in_a_vrf_is_asked_there() -> None:
    switch = Policed()
    run(switch, {"Ethernet1/1": {"neighbor": "10.1.0.1", "vrf": "blue", "probe": 9216.0}})
    assert switch.asked == ["10.1.0.1 vrf blue"]
