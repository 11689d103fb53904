"""Kinds of a command's parameters: what a token may be, and how the device spells it back."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

INTERFACE = re.compile(r"^(?P<kind>[a-z-]+?)\s*(?P<number>\d+(?:/\d+){0,2}(?:\.\d+)?)?$", re.IGNORECASE)
_KINDS = {
    "ethernet": ("Ethernet", 1),
    "port-channel": ("port-channel", 1),
    "loopback": ("loopback", 2),
    "vlan": ("Vlan", 1),
    "mgmt": ("mgmt", 1),
    "nve": ("nve", 1),
}


class KindError(Exception):
    """A token that is not of the kind; `message` is the device's sentence, None for the general one."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message)
        self.message = message


def interface_name(text: str) -> str:
    """The device's own spelling of an interface name ("eth1/1" is "Ethernet1/1"). Raises KindError."""
    found = INTERFACE.match(text)
    if found and found["number"]:
        typed = found["kind"].lower()
        for full, (spelling, least) in _KINDS.items():
            if len(typed) >= least and full.startswith(typed):
                return spelling + found["number"]
        if typed == "po":
            return "port-channel" + found["number"]
    raise KindError("Invalid interface format at '^' marker.")


def interface_range(text: str) -> str:
    """A comma list of interfaces and ranges, spelled out as a comma list of full names. Raises KindError."""
    names: list[str] = []
    for part in text.split(","):
        first, dash, last = part.strip().rpartition("-")
        if not dash or not last.isdigit() or not first[-1:].isdigit():
            names.append(interface_name(part.strip()))
            continue
        start = interface_name(first)
        stem, number = re.fullmatch(r"(.*?)(\d+)", start).groups()  # type: ignore[union-attr]
        if int(last) < int(number) or int(last) - int(number) > 4096:
            raise KindError("Invalid range at '^' marker.")
        names.extend(f"{stem}{n}" for n in range(int(number), int(last) + 1))
    return ",".join(names)


def _integer(text: str, argument: str) -> str:
    if not text.isdigit():
        raise KindError
    low, high = (int(n) for n in argument.split("-")) if argument else (0, 4294967295)
    if not low <= int(text) <= high:
        raise KindError(f"% Invalid number, range is ({low}:{high}) at '^' marker.")
    return str(int(text))


def numbers(text: str, low: int, high: int) -> list[int]:
    """The members of a list such as "1,3-5", sorted. Raises KindError."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise KindError
        start, end = int(first), int(last or first)
        if not low <= start <= end <= high:
            raise KindError("Invalid range at '^' marker.")
        found.update(range(start, end + 1))
    return sorted(found)


def ranges(values: list[int]) -> str:
    """The shortest spelling of a sorted list: "1,3-5"."""
    parts: list[list[int]] = []
    for value in values:
        if parts and value == parts[-1][-1] + 1:
            parts[-1].append(value)
        else:
            parts.append([value])
    return ",".join(f"{p[0]}-{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def _list(text: str, argument: str) -> str:
    low, high = (int(n) for n in argument.split("-"))
    return ranges(numbers(text, low, high))


DSCP_NAMES = {
    "default": 0, "cs1": 8, "af11": 10, "af12": 12, "af13": 14, "cs2": 16, "af21": 18, "af22": 20, "af23": 22,
    "cs3": 24, "af31": 26, "af32": 28, "af33": 30, "cs4": 32, "af41": 34, "af42": 36, "af43": 38, "cs5": 40,
    "ef": 46, "cs6": 48, "cs7": 56,
}  # fmt: skip
"""RFC 2474, 2597, 3246 names of the DSCP values; the device shows the number."""


def _dscp(text: str, _: str) -> str:
    spelled = ",".join(str(DSCP_NAMES.get(part, part)) for part in text.split(","))
    return ranges(numbers(spelled, 0, 63))


def _address(text: str, argument: str) -> str:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise KindError from None
    if argument and str(found.version) != argument:
        raise KindError
    return str(found)


def _prefix(text: str, argument: str) -> str:
    if "/" not in text:
        raise KindError
    try:
        found = ipaddress.ip_interface(text)
    except ValueError:
        raise KindError from None
    if argument and str(found.version) != argument:
        raise KindError
    return str(found)


def _asn(text: str, _: str) -> str:
    high, dot, low = text.partition(".")
    if dot and high.isdigit() and low.isdigit() and int(high) < 65536 and int(low) < 65536:
        return f"{int(high)}.{int(low)}"
    return _integer(text, "1-4294967295")


def _area(text: str, _: str) -> str:
    return str(ipaddress.IPv4Address(int(text))) if text.isdigit() else _address(text, "4")


def _distinguisher(text: str, _: str) -> str:
    """A route distinguisher or route target: AS or address, colon, number."""
    head, colon, number = text.rpartition(":")
    if not colon:
        raise KindError
    if "." in head and head.count(".") == 3:
        return f"{_address(head, '4')}:{_integer(number, '0-65535')}"
    return f"{_asn(head, '')}:{_integer(number, '0-4294967295')}"


def _name(text: str, argument: str) -> str:
    if len(text) > int(argument or 64) or not re.fullmatch(r"[!-~]+", text):
        raise KindError
    return text


def _moment(text: str, _: str) -> str:
    """yyyy:mm:dd:HH:MM, or +dd:HH:MM with the days and hours left out at will."""
    parts = text.removeprefix("+").split(":")
    wanted = range(1, 4) if text.startswith("+") else (5,)
    if len(parts) not in wanted or not all(part.isdigit() for part in parts):
        raise KindError
    if not text.startswith("+"):
        year, month, day, hour, minute = (int(part) for part in parts)
        if not (1970 <= year <= 2037 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60):
            raise KindError("Invalid time format at '^' marker.")
    return text


def _span(text: str, _: str) -> str:
    """dd:HH:MM."""
    if not re.fullmatch(r"\d+(:\d+){0,2}", text):
        raise KindError
    return text


def _daytime(text: str, _: str) -> str:
    """[day:]HH:MM, the day a number or the beginning of a weekday's name."""
    if not re.fullmatch(r"(\w+:)?([01]?\d|2[0-3]):[0-5]\d", text):
        raise KindError
    return text


def _file(text: str, argument: str) -> str:
    """A file of the boot flash, spelled as the device does: bootflash:name. With `full` a bare name is none."""
    found = re.fullmatch(r"(bootflash:)?(?://[a-z-]+/|/+)?([\w.-]{1,64})", text)
    if not found or (argument == "full" and not found.group(1)):
        raise KindError
    return f"bootflash:{found.group(2)}"


def _mac(text: str, _: str) -> str:
    digits = re.sub(r"[.:-]", "", text).lower()
    if not re.fullmatch(r"[0-9a-f]{12}", digits):
        raise KindError
    return ".".join(digits[i : i + 4] for i in (0, 4, 8))


def _signed(text: str, argument: str) -> str:
    """A whole number of at most this size, with its sign."""
    if not re.fullmatch(r"-?\d{1,2}", text) or abs(int(text)) > int(argument):
        raise KindError
    return str(int(text))


def _percent(text: str, _: str) -> str:
    """0 to 100, shown with two digits behind the point."""
    if not re.fullmatch(r"\d{1,3}(\.\d{1,2})?", text) or float(text) > 100:
        raise KindError
    return f"{float(text):.2f}"


KINDS: dict[str, Callable[[str, str], str]] = {
    "int": _integer,
    "list": _list,
    "dscp": _dscp,
    "ip": _address,
    "prefix": _prefix,
    "asn": _asn,
    "area": _area,
    "rd": _distinguisher,
    "moment": _moment,
    "span": _span,
    "daytime": _daytime,
    "file": _file,
    "name": _name,
    "mac": _mac,
    "signed": _signed,
    "percent": _percent,
    "interface": lambda text, _: interface_name(text),
    "range": lambda text, _: interface_range(text),
}
"""Kind to (token, argument) -> the device's spelling. `line` (the rest of the line) is the matcher's own."""
