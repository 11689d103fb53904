"""Properties that hold an address or a host, and for which Cisco's document gives no pattern."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping

_MAC = re.compile(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DNS_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})+\.?")
"""With a dot: a management controller has no search list to complete a name by (RFC 1123 for the labels)."""


def _mac(text: str) -> str:
    return "" if _MAC.fullmatch(text) else "is no MAC address such as 00:25:B5:00:00:0A"


def _address(version: int) -> Callable[[str], str]:
    def wrong(text: str) -> str:
        try:
            return "" if ipaddress.ip_address(text).version == version else f"is no IPv{version} address"
        except ValueError:
            return f"is no IPv{version} address"

    return wrong


def _host(text: str) -> str:
    digits = text.replace(".", "").isdecimal()
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return "is no IP address and no DNS name with a dot" if digits or not _DNS_NAME.fullmatch(text) else ""
    return ""


SECRET = re.compile(r"\{\{secret:([a-z][a-z0-9-]{0,62})#(\d{1,7})\}\}")
"""In a spec, where the value of a secret belongs: its name, and the number that is raised when it was rotated."""

CLEAR = "is a secret"
"""How the message begins of what stands where the name of a secret should."""

_FORMATS: Mapping[str, Callable[[str], str]] = {
    "vnic.EthIf.StaticMacAddress": _mac,
    "MacpoolBlock.From": _mac,
    "MacpoolBlock.To": _mac,
    "networkconfig.Policy.PreferredIpv4dnsServer": _address(4),
    "networkconfig.Policy.AlternateIpv4dnsServer": _address(4),
    "networkconfig.Policy.PreferredIpv6dnsServer": _address(6),
    "networkconfig.Policy.AlternateIpv6dnsServer": _address(6),
    "ntp.Policy.NtpServers": _host,
    "NtpAuthNtpServer.ServerName": _host,
    "SyslogRemoteClientBase.Hostname": _host,
    "SyslogRemoteLoggingClient.Hostname": _host,
    "VmediaMapping.HostName": _host,
}
"""By object type, or name of a nested type in the table, and property."""


def misshapen(place: str, text: str) -> str:
    """What is wrong with the text at `place`, ``ntp.Policy.NtpServers``; empty for nothing, and for no text."""
    wrong = _FORMATS.get(place)
    return wrong(text) if wrong and text else ""


def misnamed(value: object) -> str:
    """What is wrong with what stands in the place of a secret; empty for nothing. Never repeats the value."""
    if value == "" or (isinstance(value, str) and SECRET.fullmatch(value)):
        return ""
    return f"{CLEAR}: write {{{{secret:NAME#1}}}}, and put the value behind that name where secrets are kept"
