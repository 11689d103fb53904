"""What a switch prints may come in any pieces, in colours, with other people's text that looks like a prompt."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from podwright.components.providers.nxos import transcript
from podwright.components.providers.nxos.login import connect
from podwright.components.providers.nxos.session import Address, LostError, Session
from podwright.components.providers.nxos.transcript import FloodError, Prompt, Transcript
from podwright.lab.nxos.ssh import Terminal
from tests.providers.nxos.rack import Rack, rack

SEED = "PODWRIGHT_TRANSCRIPTS_SEED"
RUNS = 100
LOOKS = ("leaf-01#", "leaf-01# ", "leaf-01(config)# ", "leaf-01(config-if)#", "ready (y/n)", "Proceed [yes/no]? ",
         "% Invalid command", "spine-01# ", "--More--", "\x1b[32mleaf-01# \x1b[0m", "!0123456789abcdef")  # fmt: skip
"""Lines of banners and descriptions that look like something else."""


def pieces(text: str, lot: random.Random) -> list[str]:
    found = []
    while text:
        size = lot.choice((1, 2, 3, 9, 80, 2000))
        found.append(text[:size])
        text = text[size:]
    return found


class Wire:
    """A switch's end of a terminal: a prompt, one answer, and what it does with the keys that come meanwhile."""

    def __init__(self, text: str, lot: random.Random) -> None:
        colour = lot.choice((("", ""), ("\x1b[1;32m", "\x1b[0m"), ("\x1b]0;leaf-01\x07\x1b[m", "\x1b[K")))
        self.ends = [colour[1][at:] for at in range(len(colour[1]) + 1)]
        self.prompt = f"{colour[0]}leaf-01# {colour[1]}"
        self.coming = pieces("show banner\r\n" + text.replace("\n", "\r\n") + self.prompt, lot)
        self.lot = lot
        self.typed: list[str] = []
        self.waiting: list[str] = []

    def type(self, line: str) -> None:
        self.typed.append(line)
        self.waiting.append(line)

    def read(self) -> str:
        if not self.coming:
            line = self.waiting.pop(0)
            self.coming = pieces(f"{line}\r\n{self.prompt}", self.lot)
        return self.coming.pop(0)


@pytest.mark.parametrize("run", range(RUNS))
def test_every_answer_is_read_whole_and_nothing_else_is_typed(run: int) -> None:
    lot = random.Random(int(os.environ.get(SEED, "1")) * 1_000_003 + run)
    lines = [lot.choice((*LOOKS, "interface Ethernet1/1", f"  description {lot.choice(LOOKS)}", "")) for _ in range(20)]
    text = "".join(f"{line}\n" for line in lines)
    wire = Wire(text, lot)
    heard = Transcript(Prompt("leaf-01", "# "), certain=True)
    while heard.over is None:
        heard.add(wire.read())
        if heard.waits and not wire.typed:
            wire.type(heard.marker)
    plain = text.replace("\x1b[32m", "").replace("\x1b[0m", "")
    assert heard.answer == f"show banner\n{plain}".removesuffix("\n")
    assert wire.typed == [heard.marker]
    assert "".join(wire.coming) in wire.ends, "a colour that ends behind the prompt, or its end"


def test_keys_that_are_repeated_at_once_are_taken_out_of_the_answer() -> None:
    heard = Transcript(Prompt("leaf-01", "# "), certain=True)
    heard.add("show banner\nleaf-01# ")
    assert heard.waits and heard.over is None
    heard.add(f"{heard.marker}\n\nthe rest\nleaf-01# ")
    assert heard.over is None
    heard.add(f"{heard.marker}\nleaf-01# ")
    assert heard.over is not None and heard.answer == "show banner\nleaf-01# \nthe rest"


def test_an_answer_without_an_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "MOST", 1000)
    heard = Transcript(Prompt("leaf-01", "# "), certain=False)
    with pytest.raises(FloodError):
        for _ in range(11):
            heard.add("x" * 100)


@pytest_asyncio.fixture(params=[("plain", "whole"), ("coloured", "pieces")], ids="-".join)
async def spoken(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rack]:
    prompt, answers = request.param
    with rack(tmp_path, variants={"prompt": prompt, "answers": answers}) as running:
        yield running
        await running.kind.close()


async def log_in(lab: Rack) -> Session:
    return await connect(Address("leaf-01", "192.0.2.11", "admin", lab.reach.secret("switch-admin")), lab.reach)


async def test_a_banner_full_of_prompts_and_questions_changes_no_reading(spoken: Rack) -> None:
    spoken.edit(
        "banner motd ^", "leaf-01#", "leaf-01# ", "ready (y/n)", "^", "interface Ethernet1/1", "description go (y/n)"
    )
    session = await log_in(spoken)
    try:
        before = spoken.leaf.writes
        text = await session.show("show running-config")
        assert spoken.text_of("leaf-01").splitlines() == text[text.index("hostname") :].splitlines()
        await session.configure(["interface Ethernet1/2", "description sure (y/n)", "hostname leaf-99"])
        assert "hostname leaf-99" in await session.show("show running-config | include hostname")
        assert spoken.leaf.writes == before + 3
    finally:
        await session.close()


async def test_a_switch_that_prints_for_ever_loses_its_session(lab: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    session = await log_in(lab)

    async def flood(self: Terminal, line: str) -> str:
        del self, line
        return "x" * 200_000

    monkeypatch.setattr(Terminal, "_run", flood)
    monkeypatch.setattr(transcript, "MOST", 100_000)
    with pytest.raises(LostError, match="does not end"):
        await session.show("show running-config")
    await session.close()
    assert not session.alive
