"""What hier-config must know of RoCE on Nexus: lines that replace their predecessor, and the order inside a block.

Entering `random-detect … ecn` again overwrites it; taking it away first would leave the lossless queue
without marking for a moment. The same holds for every line named here (QoS configuration guide and command
reference, 10.x).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from hier_config.models import IdempotentCommandsRule, MatchRule, OrderingRule
from hier_config.platforms.cisco_nxos.driver import HConfigDriverCiscoNXOS

_OVERWRITES: Final[tuple[tuple[str, ...], ...]] = (
    ("policy-map type queuing", "class", "random-detect"),
    ("policy-map type queuing", "class", "bandwidth"),
    ("policy-map type queuing", "class", "priority level"),
    ("policy-map type queuing", "class", "queue-limit"),
    ("policy-map type queuing", "class", "shape"),
    ("policy-map type qos", "class", "set qos-group"),
    ("policy-map type qos", "class", "set dscp"),
    ("policy-map type qos", "class", "set cos"),
    ("policy-map type network-qos", "class", "mtu"),
    ("policy-map type network-qos", "class", "pause"),
    ("system qos", "service-policy type queuing output"),
    ("system qos", "service-policy type network-qos"),
    ("system qos", "service-policy type qos input"),
    ("interface", "priority-flow-control mode"),
    ("interface", "priority-flow-control watch-dog-interval"),
    ("interface", "service-policy type qos input"),
    ("interface", "service-policy type queuing output"),
    ("interface", "description"),
    ("interface", "bfd interval"),
    ("interface", "fec"),
    ("interface", "vpc"),
    ("interface", "lacp rate"),
    ("interface", "spanning-tree port type"),
    ("interface", "storm-control broadcast"),
    ("interface", "storm-control multicast"),
    ("interface", "storm-control action"),
    ("interface", "ipv6 link-local"),
    ("router bgp", "router-id"),
    ("router bgp", "timers bgp"),
    ("router bgp", "neighbor", "remote-as"),
    ("router bgp", "neighbor", "description"),
    ("router bgp", "neighbor", "update-source"),
    ("router bgp", "neighbor", "timers"),
    ("router bgp", "neighbor", "password"),
    ("router bgp", "neighbor", "ttl-security"),
    ("router bgp", "neighbor", "address-family", "allowas-in"),
    ("router bgp", "neighbor", "address-family", "maximum-prefix"),
    ("router ospf", "auto-cost reference-bandwidth"),
    ("vpc domain", "peer-keepalive"),
    ("vpc domain", "system-priority"),
    ("vpc domain", "delay restore interface-vlan"),
    ("vpc domain", "delay restore orphan-port"),
    ("telemetry", "subscription", "snsr-grp"),
    ("telemetry", "destination-profile", "use-vrf"),
    ("vlan", "name"),
    ("hardware profile dlb", "mode"),
    ("hardware profile dlb", "dlb-interface"),
    ("hardware profile dlb", "mac-address"),
    ("hardware profile dlb", "flowlet-aging"),
)
_DELAY_RESTORE: Final = r"^delay restore (?=\d)"
"""`delay restore 150` and `delay restore orphan-port 20` are different settings."""
_SWITCHED: Final = r"^switchport$"
"""The layer, of all lines that begin with the word."""

_LAYER_FIRST: Final = -300
_ORDER: Final[tuple[tuple[tuple[str, ...], int], ...]] = (
    (("interface", "shutdown"), -400),
    (("interface", "no switchport"), _LAYER_FIRST),
    (("interface", "switchport mode"), -250),
    (("interface", "vrf member"), -200),
    (("interface", "channel-group"), 200),
    (("interface", "vpc"), 200),
    (("interface", "no shutdown"), 400),
)
"""The layer first, a VRF before the address (joining a VRF drops the address), up when all else stands."""


class RoceDriver(HConfigDriverCiscoNXOS):  # type: ignore[misc]
    """hier-config's NX-OS driver with the rules above; lines reach it clean, so it strips nothing itself."""

    @staticmethod
    def _instantiate_rules() -> Any:
        rules = HConfigDriverCiscoNXOS._instantiate_rules()
        rules.per_line_sub.clear()
        # Its own rules call every `mtu`, `speed` and `switchport …` of an interface overwritable; ours come on top.
        rules.idempotent_commands.extend(
            IdempotentCommandsRule(match_rules=tuple(MatchRule(startswith=start) for start in lineage))
            for lineage in _OVERWRITES
        )
        rules.idempotent_commands.append(
            IdempotentCommandsRule(
                match_rules=(MatchRule(startswith="vpc domain"), MatchRule(re_search=_DELAY_RESTORE))
            )
        )
        rules.ordering.extend(
            OrderingRule(match_rules=tuple(MatchRule(startswith=start) for start in lineage), weight=weight)
            for lineage, weight in _ORDER
        )
        rules.ordering.append(
            OrderingRule(
                match_rules=(MatchRule(startswith="interface"), MatchRule(re_search=_SWITCHED)), weight=_LAYER_FIRST
            )
        )
        return rules


@cache
def driver() -> RoceDriver:
    """The one driver; its rules never change."""
    return RoceDriver()
