"""What switches hear by LLDP: read over SSH, or from captures of `show lldp neighbors detail` in a folder.

Text: blocks of `Key: value` lines that begin with `Chassis id:`; a block may lack its port id (captures in
networktocode/ntc-templates, tests/cisco_nxos/show_lldp_neighbors_detail). JSON (`| json`): TABLE_nbor_detail and
ROW_nbor_detail, one row alone or a list, also inside an NX-API reply.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podwright.components.providers.nxos.login import connect
from podwright.components.providers.nxos.session import Address, LostError, RefusedError
from podwright.components.providers.printable import printable
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach, ReachError, SecretNotFoundError, load

COMMAND = "show lldp neighbors detail"
PATIENCE = 15.0
"""Seconds one switch may take: 64 neighbours are some 800 lines."""
AT_ONCE = 32
"""Sessions open at the same time."""

_FIELD = re.compile(r"^(Chassis id|Port id|Local Port id|Port Description|System Name)\s*:[ \t]*(.*?)[ \t]*$", re.I)
_ANSWER = re.compile(r"^(Total entries displayed|Capability codes)\s*:|No neighbou?r information", re.I | re.M)
"""What an answer without neighbours holds; NX-OS words it as an error where there is none at all."""
_KEYS = {"chassis id": "chassis", "port id": "far_port", "local port id": "port", "port description": "description"}


@dataclass(frozen=True)
class Neighbor:
    """One neighbour in the switch's words; empty where it said `null` or nothing."""

    port: str
    name: str
    far_port: str
    description: str = ""
    chassis: str = ""


@dataclass(frozen=True)
class Hears:
    """One switch's neighbours. With a `problem`, nothing is known."""

    switch: str
    neighbors: tuple[Neighbor, ...] = ()
    problem: str = ""


class CaptureError(ValueError):
    """Captures that cannot be used; the message says which and why."""


def parse(text: str) -> tuple[Neighbor, ...]:
    """Neighbours in an answer, text or JSON. Raises CaptureError when it is neither."""
    stripped = text.strip()
    if stripped.startswith(("{", "[")):
        try:
            return tuple(_rows(json.loads(stripped)))
        except ValueError as error:
            raise CaptureError(f"it is no JSON: {error}") from None
    found = tuple(_blocks(text))
    if not found and not _ANSWER.search(text):
        raise CaptureError(f"it holds no answer to `{COMMAND}`")
    return found


def _blocks(text: str) -> Iterator[Neighbor]:
    block: dict[str, str] = {}
    for line in [*text.replace("\r", "").splitlines(), "Chassis id:"]:
        if (field := _FIELD.match(line)) is None:
            continue
        key = field[1].lower()
        if key == "chassis id":
            if block.get("port"):
                yield Neighbor(**{"name": "", "far_port": "", **block})
            block = {}
        block[_KEYS.get(key, "name")] = _text(field[2])


def _rows(data: Any) -> Iterator[Neighbor]:
    """Every ROW_nbor_detail, however deep an API wrapped it."""
    if isinstance(data, list):
        for each in data:
            yield from _rows(each)
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        if key != "ROW_nbor_detail":
            yield from _rows(value)
            continue
        for row in value if isinstance(value, list) else [value]:
            fields = {
                name: _text(str(row.get(name) or "")) for name in ("l_port_id", "sys_name", "port_id", "port_desc")
            }
            chassis = _text(str(row.get("chassis_id") or ""))
            yield Neighbor(fields["l_port_id"], fields["sys_name"], fields["port_id"], fields["port_desc"], chassis)


def _text(value: str) -> str:
    return "" if value.strip().lower() in ("null", "not advertised") else printable(value.strip())


def captures(folder: Path, switches: tuple[str, ...]) -> tuple[Hears, ...]:
    """One file a switch, named after it: leaf-01.txt, leaf-01.json. Raises CaptureError with all that is wrong."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise CaptureError(f"{folder} cannot be read: {error.strerror}") from None
    found: dict[str, Hears] = {}
    wrong = []
    for path in files:
        name = next((each for each in switches if path.name.lower().startswith((f"{each}.", f"{each}("))), None)
        if name is None:
            wrong.append(f"{path.name} is named after no switch of the stack file")
        elif name in found:
            wrong.append(f"{path.name} is a second file of {name}")
        else:
            try:
                found[name] = Hears(name, parse(path.read_text(encoding="utf-8", errors="replace")))
            except CaptureError as error:
                wrong.append(f"{path.name}: {error}")
    if wrong or not found:
        hint = f"files are named after switches ({', '.join(switches[:3])}, …) and hold `{COMMAND}`, text or JSON"
        raise CaptureError("\n".join([*(wrong or [f"{folder} holds no file"]), hint]))
    return tuple(found.get(name, Hears(name, problem=f"no file of it in {folder}")) for name in switches)


async def listen(
    switches: Mapping[str, str], user: str, credential: str, environ: Mapping[str, str]
) -> tuple[Hears, ...]:
    """Ask every switch (hostname to management address) at the same time. Nothing is written.

    Raises ValueError for a reach file that cannot be used; a switch that fails is said in its `problem`.
    """
    try:
        reach = load(environ)
    except ReachError as wrong:
        raise ValueError(str(wrong)) from None
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(name: str, management: str) -> Hears:
        async with turn:
            try:
                async with asyncio.timeout(PATIENCE):
                    return Hears(name, await _ask(Address(name, management, user, reach.secret(credential)), reach))
            except TimeoutError:
                return Hears(name, problem=f"no answer from {management} within {PATIENCE:.0f} s")
            except (SecretNotFoundError, ProviderError, LostError, CaptureError) as sentence:
                return Hears(name, problem=printable(str(sentence)))
            except RefusedError as refused:
                if _ANSWER.search(refused.answer):
                    return Hears(name)
                return Hears(name, problem=f"{printable(refused.answer)} at `{COMMAND}`; is `feature lldp` on?")

    return tuple(await asyncio.gather(*(one(name, management) for name, management in switches.items())))


async def _ask(address: Address, reach: Reach) -> tuple[Neighbor, ...]:
    session = await connect(address, reach)
    try:
        return parse(await session.show(COMMAND))
    finally:
        await session.close()
