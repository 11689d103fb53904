"""`ping`: an echo to a neighbour, over the cables and past the MTUs as they are now."""

from __future__ import annotations

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.kinds import KINDS, KindError
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.syntax import INCOMPLETE, INVALID
from podwright.lab.nxos.table import Found
from podwright.lab.world.routes import connected
from podwright.lab.world.views import interface as parsed

HEADERS = 28
"""IPv4's 20 bytes and ICMP's 8 around the data (RFC 791, RFC 792): 9188 bytes of data are a packet of 9216."""
ICMP = 8
_OPTIONS = {
    "count": ("int", "1-655350"),
    "interval": ("int", "0-3600"),
    "packet-size": ("int", "1-65468"),
    "source": ("ip", "4"),
    "timeout": ("int", "1-60"),
    "vrf": ("name", "32"),
}
"""Options with a value, in any order; `df-bit` has none."""


def ping(session: Session, found: Found) -> Output:
    """Echo requests, answered or timed out. Raises RefusedError."""
    address, options = found.match.values["address"], _options(found)
    size, count = int(options.get("packet-size", "56")), int(options.get("count", "5"))
    source = f" from {options['source']}" if "source" in options else ""
    text = f"PING {address} ({address}){source}: {size} data bytes\n"
    whole = "df-bit" in options
    if _answers(session.device, address, size + HEADERS, whole, options):
        text += "".join(
            f"{size + ICMP} bytes from {address}: icmp_seq={n} ttl=254 time=1.{200 + n} ms\n" for n in range(count)
        )
        received, loss, trip = (
            count,
            0,
            f"round-trip min/avg/max = 1.200/1.{200 + (count - 1) // 2}/1.{199 + count} ms\n",
        )
    else:
        text += "".join(f"Request {n} timed out\n" for n in range(count))
        received, loss, trip = 0, 100, ""
    text += f"\n--- {address} ping statistics ---\n"
    return Output(f"{text}{count} packets transmitted, {received} packets received, {loss}.00% packet loss\n{trip}")


def _options(found: Found) -> dict[str, str]:
    words, options = found.match.values.get("options", "").split(), {}
    while words:
        name = words.pop(0)
        known = [each for each in (*_OPTIONS, "df-bit") if each.startswith(name)]
        if len(known) != 1:
            raise RefusedError(INVALID, found.match.line.index(name))
        if known == ["df-bit"]:
            options["df-bit"] = ""
            continue
        if not words:
            raise RefusedError(INCOMPLETE, len(found.match.line) + 1)
        value = words.pop(0)
        kind, argument = _OPTIONS[known[0]]
        try:
            options[known[0]] = KINDS[kind](value, argument)
        except KindError as wrong:
            raise RefusedError(wrong.message or INVALID, found.match.line.index(value)) from None
    return options


def _answers(device: Device, address: str, packet: int, whole: bool, options: dict[str, str]) -> bool:
    """Whether a packet of so many bytes comes back; `whole` when nobody may cut it in pieces."""
    world, name, vrf = device.world, device.switch.name, options.get("vrf", "default")
    here = world.views[name].routing()
    if vrf != "default" and vrf not in here.vrfs:
        return False
    view = here.vrfs.get(vrf, here)
    own = {str(parsed(each).ip) for each in view.addresses.values()}
    if "source" in options and options["source"] not in own:
        return False
    if address in own:
        return True
    port = connected(view, address)
    far = world.neighbor(name, port) if port is not None else None
    if port is None or far is None or far[0] not in world.views or not world.link_up(name, port):
        return False
    theirs = world.views[far[0]].routing().of(far[1]).addresses.get(far[1], "")
    if theirs.partition("/")[0] != address:
        return False
    ends = (world.views[name].port(port), world.views[far[0]].port(far[1]))
    limits = [*(end.mtu for end in ends), *(end.group_mtu.get(end.classify(0), end.mtu) for end in ends)]
    return not whole or packet <= min(limits)
