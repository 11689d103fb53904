"""One spelling of a command: NX-OS takes any unique beginning of a keyword, in any case, and names as they are."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

Trie = dict[str, "Trie"]

_TOP: Final = """
hostname *|switchname *|feature *|interface *|vlan *|vrf context *|router bgp *|router ospf *|system qos
class-map type qos match-any *|class-map type qos match-all *|class-map type qos *
class-map type network-qos match-any *|class-map type network-qos match-all *|class-map type network-qos *
class-map type queuing match-any *|class-map type queuing match-all *|class-map type queuing *
class-map match-any *|class-map match-all *|class-map *
policy-map type qos *|policy-map type network-qos *|policy-map type queuing *|policy-map type control-plane *
policy-map *|vpc domain #|port-profile type ethernet *|port-profile type port-channel *|port-profile *
priority-flow-control watch-dog-interval on|priority-flow-control watch-dog-interval off|default interface *
priority-flow-control watch-dog interval #|priority-flow-control watch-dog shutdown-multiplier #
priority-flow-control auto-restore multiplier #|priority-flow-control fixed-restore multiplier #
hardware qos *|hardware profile *|banner *|logging *|ip *|ipv6 *|spanning-tree *|copp *|ntp *|snmp-server *
username *|version *|line *|aaa *|boot *|errdisable *|clock *|cli *|control-plane|route-map *|key *|track *
system *|license *|nv *|fabric *|evpn *|lldp *|cdp *|lacp *|udld *|tacacs-server *|radius-server *|switch-profile *
"""
_CHILD: Final = """
description *|name *|shutdown|switchport mode access|switchport mode trunk|switchport access vlan #
switchport trunk native vlan #|switchport trunk allowed vlan *|mtu #|speed *|duplex *|fec *
channel-group # mode active|channel-group # mode passive|channel-group # mode on|channel-group # force
vpc #|vpc peer-link|service-policy type qos input *|service-policy type qos output *
service-policy type queuing input *|service-policy type queuing output *|service-policy type network-qos *
service-policy input *|service-policy output *|inherit port-profile *|inherit peer *|inherit peer-session *
priority-flow-control mode on|priority-flow-control mode off|priority-flow-control mode auto
priority-flow-control watch-dog-interval on|priority-flow-control watch-dog-interval off
ip address *|ip router *|ip ospf *|ip forward|ip redirects|ip pim *|ip arp *|ipv6 *|vrf member *|vrf *
bfd|bfd interval *|match dscp *|match cos *|match qos-group *|match precedence *|match access-group name *
match ip dscp *|match protocol *|match any|class type qos *|class type network-qos *|class type queuing *|class *
set qos-group #|set dscp *|set cos #|pause pfc-cos #|pause no-drop|pause drop|pause buffer-size *
bandwidth percent #|bandwidth remaining percent #|priority level #|priority|random-detect *|queue-limit *|shape *
neighbor *|remote-as *|address-family *|maximum-paths *|router-id *|peer-keepalive *|peer-gateway|peer-switch
role priority #|auto-recovery|delay restore *|hsrp *|preempt|log-neighbor-changes|network *|redistribute *|template *
spanning-tree *|lacp *|lldp *|cdp *|storm-control *|congestion-control *|police *|medium *|state *
"""


def _trie(phrases: str) -> Trie:
    root: Trie = {}
    for phrase in phrases.replace("\n", "|").split("|"):
        node = root
        for word in phrase.split():
            node = node.setdefault(word, {})
    return root


_TOP_TRIE: Final = _trie(_TOP)
_CHILD_TRIE: Final = _trie(_CHILD)
_KINDS: Final = ("Ethernet", "port-channel", "loopback", "Vlan", "mgmt", "nve", "tunnel", "vfc", "fc")
_PART: Final = re.compile(r"^([a-z-]*?)\s*((?:\d+/)*)(\d+)(\.\d+)?(?:\s*-\s*((?:\d+/)*)(\d+))?$", re.IGNORECASE)
_FREE: Final = ("description ", "name ", "banner ", "username ", "cli ", "snmp-server ")
"""Lines whose text is a person's, a name's or a secret's."""
_MOST: Final = 4096
"""Ports that one range may name; more is a slip of the pen, not a switch."""
_REMEMBERED: Final = 1 << 14
"""Lines whose spelling is worked out once: hundreds of ports have the same ones."""


@lru_cache(_REMEMBERED)
def top(text: str) -> str:
    """A line of the whole switch, written out."""
    line = _expanded(text, _TOP_TRIE)
    names = interfaces(line)
    return f"interface {names[0]}" if len(names) == 1 else line


@lru_cache(_REMEMBERED)
def child(text: str) -> str:
    """A line below another one, written out."""
    return _expanded(text, _CHILD_TRIE)


def known(text: str, *, below: bool) -> bool:
    """Whether the first word of a line is a keyword of this place."""
    words = text.split()
    first = words[1] if len(words) > 1 and words[0].lower() == "no" else (*words, "")[0]
    return _keyword(first, _CHILD_TRIE if below else _TOP_TRIE) is not None


def _expanded(text: str, node: Trie) -> str:
    words = text.split()
    done: list[str] = []
    for at, word in enumerate(words):
        if at == 0 and word.lower() == "no":
            done.append("no")
            continue
        keyword = _keyword(word, node)
        if keyword is not None:
            done.append(keyword)
            node = node[keyword]
        elif "#" in node and word.isdigit():
            done.append(word)
            node = node["#"]
        else:
            return " ".join([*done, *words[at:]])
    return " ".join(done)


def _keyword(word: str, node: Trie) -> str | None:
    """The keyword that a word begins; None where it begins none, several, or where any name may stand."""
    small = word.lower()
    if small in node:
        return small
    if "*" in node:
        return None
    fitting = [each for each in node if each.startswith(small)]
    return fitting[0] if len(fitting) == 1 and len(small) > 1 else None


def free_text(command: str) -> bool:
    """Whether a line carries a person's words, in which nothing is a keyword."""
    return command.removeprefix("no ").startswith(_FREE)


def interfaces(command: str) -> list[str]:
    """Names of the interfaces that an `interface` line opens, ranges spelled out; nothing for any other line."""
    if not command.startswith("interface "):
        return []
    names: list[str] = []
    kind, stem = "", ""
    for part in command.removeprefix("interface ").split(","):
        found = _PART.match(part.strip())
        if found is None:
            return []
        # A slot holds for the numbers behind it, of the same kind: a port-channel after Ethernet1/1 has none.
        kind, stem = (_kind(found[1]), found[2]) if found[1] else (kind, found[2] or stem)
        if not kind:
            return []
        first, last = int(found[3]), int(found[6] or found[3])
        if not first <= last < first + _MOST:
            return []
        names += [f"{kind}{stem}{number}{found[4] or ''}" for number in range(first, last + 1)]
    return names


def _kind(word: str) -> str:
    small = word.lower()
    return next((kind for kind in _KINDS if kind.lower().startswith(small)), "")


def interface(text: str) -> str:
    """One interface name written out (`eth 1/1` is Ethernet1/1); empty where it is none."""
    names = interfaces(f"interface {text}")
    return names[0] if len(names) == 1 else ""


_DSCP: Final = {
    "default": 0, "cs1": 8, "af11": 10, "af12": 12, "af13": 14, "cs2": 16, "af21": 18, "af22": 20, "af23": 22,
    "cs3": 24, "af31": 26, "af32": 28, "af33": 30, "cs4": 32, "af41": 34, "af42": 36, "af43": 38, "cs5": 40,
    "ef": 46, "cs6": 48, "cs7": 56,
}  # fmt: skip
"""Names of DSCP values (RFC 2474, 2597, 3246)."""


def dscps(words: Iterable[str]) -> frozenset[int]:
    """The DSCP values of a list such as `af31,48 24-31`; what is no value is left out."""
    return frozenset(number for word in words for part in word.split(",") for number in _values(part, 63))


def numbers(text: str) -> frozenset[int]:
    """The numbers of a list such as `1,3-5`; what is no number is left out."""
    return frozenset(number for part in text.replace(" ", "").split(",") for number in _values(part, 4094))


def _values(part: str, most: int) -> Iterator[int]:
    first, _, last = part.lower().partition("-")
    low, high = (_DSCP.get(word, word) for word in (first, last or first))
    if str(low).isdigit() and str(high).isdigit():
        yield from range(int(low), min(int(high), most) + 1)
