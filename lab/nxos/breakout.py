"""`interface breakout`: one port as several. The ports come and go with everything that is configured on them."""

from __future__ import annotations

from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.hardware import MAPS
from podwright.lab.nxos.kinds import numbers, ranges
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node

SETTING = "breakout"


def broken_out(device: Device) -> dict[int, str]:
    """Map by number of the port it stands on."""
    return {
        port: node.values["map"]
        for node in device.root.begin(SETTING)
        for port in numbers(node.values["ports"], 1, 128)
    }


def lanes(word: str) -> tuple[int, int]:
    """How many ports a map makes, and Gb/s of each: 100g-4x is (4, 100)."""
    speed, _, count = word.removesuffix("x").partition("g-")
    return int(count), int(speed)


def gbps(device: Device, name: str) -> int:
    """Highest speed of Ethernet1/5, or of a part of it: Ethernet1/5/2."""
    _, port, *lane = name.split("/")
    return lanes(broken_out(device)[int(port)])[1] if lane else device.hardware.ports[int(port)]


def breakout(change: Change) -> list[Node]:
    """Break ports out, or make them whole again; whether a port takes another map before it is whole is a variant."""
    device, words = change.device, change.found.match.words
    word = words[-1] if "map" in words else None
    wanted, now = numbers(change.values["ports"], 1, 128), broken_out(device)
    if not change.negate:
        for port in wanted:
            _refuse(device, port, str(word), now)
        for port in wanted:
            if now.get(port, word) != word:
                _join(device, port, now[port])
            _break(device, port, str(word))
        return []
    for port in wanted:
        if word in (None, now.get(port)) and port in now:
            _join(device, port, now[port])
    return []


def _refuse(device: Device, port: int, word: str, now: dict[int, str]) -> None:
    hardware = device.hardware
    name = f"Ethernet1/{port}"
    if port not in hardware.ports:
        raise RefusedError(f"ERROR: {name} does not exist")
    _, gone = hardware.together(port, word)
    if word not in MAPS.get(hardware.ports[port], ()) or port in gone:
        raise RefusedError(f"ERROR: {name}: breakout map {word} is not supported on this port")
    gang = hardware.gang(port)
    for each in gang.members(port) if gang else (port,):
        own = each == port and device.form("remap") == "taken"
        if now.get(each, word) != word and not own:
            raise RefusedError(f"ERROR: Ethernet1/{each} is broken out as {now[each]}, remove that first")


def _break(device: Device, port: int, word: str) -> None:
    broken, gone = device.hardware.together(port, word)
    now = broken_out(device)
    for each in (*broken, *gone):
        device.root.children.pop(f"interface Ethernet1/{each}", None)
    for each in broken:
        if each not in now:
            _ports(device, [f"Ethernet1/{each}/{lane}" for lane in range(1, lanes(word)[0] + 1)])
    _write(device, now | dict.fromkeys(broken, word))


def _join(device: Device, port: int, word: str) -> None:
    """Even ports that were gone are back when the odd ones beside them are whole."""
    now, gang = broken_out(device), device.hardware.gang(port)
    broken, gone = device.hardware.together(port, word)
    whole = [port] if gang is not None and gang.one_by_one else broken
    for each in whole:
        now.pop(each, None)
        for lane in range(1, lanes(word)[0] + 1):
            device.root.children.pop(f"interface Ethernet1/{each}/{lane}", None)
    back = [*whole, *(gone if not set(broken) & set(now) else ())]
    _ports(device, [f"Ethernet1/{each}" for each in back])
    _write(device, now)


def _ports(device: Device, names: list[str]) -> None:
    row = next(r for r in table().rows["config"] if r.effect == "interface")
    for name in names:
        device.root.children[f"interface {name}"] = Node(f"interface {name}", row)


def _write(device: Device, now: dict[int, str]) -> None:
    """One line for each map with all of its ports, or one for each port."""
    for key in [key for key in device.root.children if key.startswith(f"{SETTING} ")]:
        del device.root.children[key]
    for word in sorted(set(now.values())):
        ports = sorted(port for port, each in now.items() if each == word)
        row = next(r for r in table().rows["config"] if r.effect == "breakout" and word in r.text)
        together = device.form("breakout") == "one-line-per-map"
        for listed in [ranges(ports)] if together else map(str, ports):
            line = f"interface breakout module 1 port {listed} map {word}"
            device.root.children[f"{SETTING} {word} {listed}"] = Node(line, row, {"ports": listed, "map": word})
