"""One interface: what is set on it, by itself, through its port-profile, and through its port-channel."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Interface
from typing import Final

from .lines import Line
from .spelling import numbers


@dataclass(frozen=True)
class Setting:
    """A value, and the line that says it."""

    value: str
    line: Line


_SLOTS: Final = tuple(
    (name, re.compile(rf"^{pattern}$"))
    for name, pattern in (
        ("description", r"description (.+)"),
        ("shutdown", r"(shutdown)"),
        ("switchport", r"(switchport)"),
        ("mode", r"switchport mode (.+)"),
        ("access", r"switchport access vlan (\d+)"),
        ("native", r"switchport trunk native vlan (\d+)"),
        ("allowed", r"switchport trunk allowed vlan (.+)"),
        ("stp", r"spanning-tree port type (edge trunk|edge|network|normal)"),
        ("mtu", r"mtu (\d+)"),
        ("pfc", r"priority-flow-control mode (\S+)(?: send-tlv)?"),
        ("watchdog", r"priority-flow-control watch-dog-interval (on|off)\b.*"),
        ("qos", r"service-policy (?:type qos )?input (\S+).*"),
        ("queuing", r"service-policy type queuing output (\S+).*"),
        ("headroom", r"service-policy type queuing input (\S+).*"),
        ("bundle", r"channel-group (\d+)\b.*"),
        ("vpc", r"vpc (\d+|peer-link)"),
        ("suspend", r"(lacp suspend-individual)"),
        ("profile", r"inherit port-profile (\S+)"),
        ("vrf", r"vrf member (\S+)"),
        ("address", r"ip address (\d+\.\d+\.\d+\.\d+(?:/\d+| \d\S+)?)(?: tag \d+)?"),
        ("local", r"ipv6 address (use-link-local-only)"),
        ("ospf", r"ip router ospf (\S+) area \S+"),
        ("eigrp", r"ip router eigrp (\S+)"),
        ("ospf-type", r"ip ospf network (\S+)"),
        ("ospf-passive", r"(ip ospf passive-interface)"),
        ("pim", r"(ip pim sparse-mode)"),
        ("forward", r"(ip forward)"),
        ("anycast", r"fabric forwarding mode (anycast-gateway)"),
        ("bfd", r"bfd interval (.+)"),
        ("bfd-user", r"((?:ip|ipv6|hsrp|isis|ospfv3|vrrp|vrrpv3|eigrp)\b.*\bbfd\b.*)"),
    )
)
"""What the rules ask of an interface. A setting configured twice has its last value; `no` takes it back."""
_ONLY_OWN: Final = frozenset({"description", "bundle", "profile", "shutdown"})
"""Settings that a member does not take from its port-channel."""
DEFAULT_MTU: Final = 1500
EVERY_VLAN: Final = frozenset(range(1, 4095))
"""What a trunk carries that has no list; 4095 is reserved."""


@lru_cache(maxsize=16384)
def setting(command: str) -> tuple[str, str] | None:
    """Slot and value that a line sets; an empty value where it takes the slot back. Ports say much the same."""
    denied = command.startswith("no ")
    bare = command[3:] if denied else command
    for name, pattern in _SLOTS:
        found = pattern.match(bare)
        if found:
            return name, "" if denied else found[1]
        if denied and _names(bare, name):
            return name, ""
    return None


def _names(bare: str, slot: str) -> bool:
    """Whether `no mtu`, `no channel-group`, `no vpc` name a slot without its value."""
    return bare == {
        "bundle": "channel-group",
        "vrf": "vrf member",
        "address": "ip address",
        "bfd": "bfd interval",
        "ospf-type": "ip ospf network",
    }.get(slot, slot)


def _allowed(before: str, value: str) -> str:
    """VLANs of a trunk after a line about them; empty where it carries all, as one does that had no list."""
    word, _, listed = value.partition(" ")
    if word == "add":
        return before and f"{before},{listed}"
    if word in {"except", "remove"}:
        left = (numbers(before) if before and word == "remove" else EVERY_VLAN) - numbers(listed)
        return ",".join(map(str, sorted(left))) or "none"
    return "" if value == "all" else value


@dataclass
class Port:
    """One interface as the device would run it."""

    name: str
    line: Line
    """The line that opens it; the last one where several do."""
    own: dict[str, Setting] = field(default_factory=dict)
    profiles: Mapping[str, "Port"] = field(default_factory=dict)
    """Port-profiles of the switch, by name."""
    bundle: "Port | None" = None
    """The port-channel it is a member of."""
    ships_routed: bool = False
    """Ports of the switch are routed, and shut, where they do not say otherwise."""

    def enter(self, line: Line) -> None:
        """Enter a block about it."""
        self.line = line
        for each in line.children:
            self.apply(each)

    def join(self, ports: Mapping[str, "Port"]) -> None:
        """Find the port-channel that it is a member of among the ports of its switch, or the port it is a part of. A
        port-channel is no member, whatever its lines say: NX-OS refuses them there."""
        channel = "" if self.name.startswith("port-channel") else self.value("bundle")
        above = f"port-channel{channel}" if channel else self.name.partition(".")[0]
        self.bundle = ports.get(above) if above != self.name else None

    def apply(self, line: Line) -> None:
        """Enter a line."""
        found = setting(line.command)
        if found is not None:
            slot, value = found
            if slot == "allowed":
                before = self.own.get(slot)
                value = _allowed(before.value if before is not None else "", value)
            self.own[slot] = Setting(value, line)

    def get(self, slot: str) -> Setting | None:
        """What is in force: the port's own word, else its profile's, else its port-channel's."""
        setting = next(self._settings(slot), None)
        return setting if setting is not None and setting.value else None

    def _settings(self, slot: str) -> Iterator[Setting]:
        if slot in self.own:
            yield self.own[slot]
        seen = {self.name}
        profile = self.own.get("profile")
        while profile is not None and profile.value in self.profiles and profile.value not in seen:
            seen.add(profile.value)
            inherited = self.profiles[profile.value].own
            if slot in inherited:
                yield inherited[slot]
            profile = inherited.get("profile")
        if self.bundle is not None and slot not in _ONLY_OWN:
            found = self.bundle.get(slot)
            if found is not None:
                yield found

    def value(self, slot: str) -> str:
        """The value in force, empty where nothing is set."""
        found = self.get(slot)
        return found.value if found is not None else ""

    def at(self, slot: str) -> Line:
        """The line to point at: the one that sets the slot, else the one that opens the port."""
        setting = next(self._settings(slot), None)
        return setting.line if setting is not None else self.line

    @property
    def address(self) -> IPv4Interface | None:
        """Its address; None where it has none that is one."""
        with suppress(ValueError):
            return IPv4Interface(text.replace(" ", "/")) if (text := self.value("address")) else None
        return None

    @property
    def tag(self) -> str:
        """The tag of its address, which route-maps match; 0 where none is configured."""
        words = self.at("address").words
        return words[words.index("tag") + 1] if "tag" in words[:-1] else "0"

    @property
    def mtu(self) -> int:
        """Its MTU in bytes; 1500 where none is configured."""
        return int(self.value("mtu") or DEFAULT_MTU)

    @property
    def physical(self) -> bool:
        """A front-panel port, breakouts included, not a sub-interface of one."""
        return self.name.startswith("Ethernet") and "." not in self.name

    @property
    def down(self) -> bool:
        """Shut down by its own word, or by the default of its switch."""
        asleep = self.physical and not {"shutdown", "profile"} & self.own.keys() and self.ships_routed
        return asleep or bool(self.value("shutdown"))

    @property
    def up(self) -> bool:
        """It is configured to be up, which an SVI is only by its own line."""
        own = self.own.get("shutdown")
        return own is not None and not own.value

    @property
    def routed(self) -> bool:
        """`no switchport` is configured, or the default of its switch."""
        setting = next(self._settings("switchport"), None)
        if setting is None:
            return self.name.startswith(("Ethernet", "port-channel")) and self.ships_routed
        return not setting.value
