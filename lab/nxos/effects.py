"""Lines that do more than set a value. An effect changes the tree and returns the blocks it entered."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos import credentials, features, maintenance, ports, scheduler
from podwright.lab.nxos.breakout import breakout
from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import digest
from podwright.lab.nxos.kinds import numbers, ranges
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.table import table
from podwright.lab.nxos.tree import Node


def hostname(change: Change) -> list[Node]:
    """`switchname` is another word for `hostname`."""
    row = next(r for r in table().rows["config"] if r.text.startswith("hostname"))
    change.parent.children.pop("hostname", None)
    if not change.negate:
        name = change.values["name"]
        change.parent.children["hostname"] = Node(f"hostname {name}", row, {"name": name})
    return []


def feature(change: Change) -> list[Node]:
    """Switching a feature off removes every line that belongs to it."""
    if not change.negate:
        change.store()
        features.switched_on(change.device, change.line.removeprefix("feature "))
        return []
    change.drop()
    features.switched_off(change.device, change.line.removeprefix("feature "))
    return []


def overlay(change: Change) -> list[Node]:
    """`nv overlay evpn` acts as a feature: what stands on it goes with it."""
    if not change.negate:
        change.store()
        return []
    change.drop()
    features.switched_off(change.device, change.line)
    return []


def tacacs_host(change: Change) -> list[Node]:
    """A host line without a key keeps the key that is there; a key is shown scrambled."""
    if change.negate:
        change.drop()
        return []
    words, secret = list(change.found.match.words), change.values.get("secret")
    if secret is None:
        secret = change.existing.values.get("secret") if change.existing else None
    elif "7" not in words[: words.index(secret)]:
        secret = f'"{digest(secret)[:12]}"'
    tail = " ".join(words[words.index(change.values["secret"]) + 1 :] if "secret" in change.values else words[3:])
    line = f"{change.setting} key 7 {secret}" if secret else change.setting
    node = change.store(f"{line} {tail}".rstrip())
    node.values |= {"secret": secret} if secret else {}
    return []


def banner(change: Change) -> list[Node]:
    """Text between two equal delimiters; the session has joined the lines."""
    if change.negate:
        change.drop()
        return []
    text = change.values["text"]
    body = text.strip(text[0])
    below = change.device.form("banner") == "delimiter-below" or "\n" in body
    change.store(f"banner motd ^\n{body.strip(chr(10))}\n^" if below else f"banner motd ^{body}^")
    return []


def class_map(change: Change) -> list[Node]:
    """The kind of match is part of the line, the name alone names the class-map; match-all is the default."""
    if change.negate:
        change.drop()
        return []
    words = change.found.match.words
    kind = next((w for w in words[3:-1] if w.startswith("match-")), None)
    if kind is None and change.existing:
        return [change.existing]
    return [change.store(f"class-map type qos {kind or 'match-all'} {change.values['name']}")]


def match_list(change: Change) -> list[Node]:
    """Match lines of one kind add up or replace each other; `no` takes values away, the last one the line."""
    (key,) = change.values
    top = {"dscp": 63}.get(key, 7)
    have = set(numbers(change.existing.values[key], 0, top)) if change.existing else set()
    typed = set(numbers(change.values[key], 0, top))
    both = have | typed if change.device.form("match") == "adds" else typed
    left = sorted(have - typed if change.negate else both)
    change.drop()
    if left:
        node = change.store(f"{change.setting} {ranges(left)}")
        node.values[key] = ranges(left)
    return []


def class_in_place(change: Change) -> list[Node]:
    """A new class goes behind the others, or before the one that is named."""
    if change.negate:
        change.drop()
        return []
    before = f"class {change.values.get('before', '')}"
    if change.values.get("before") and before not in change.parent.children:
        raise RefusedError(f"ERROR: {before} is not in the policy-map")
    fresh = change.existing is None
    entered = change.store(change.setting)
    if fresh and change.values.get("before"):
        behind = list(change.parent.children)
        for setting in behind[behind.index(before) : -1]:
            change.parent.children[setting] = change.parent.children.pop(setting)
    return [entered]


def vlan(change: Change) -> list[Node]:
    """One node per VLAN, whatever list was typed. VLAN 1 always exists."""
    entered = []
    for number in numbers(change.values["list"], 1, 4094):
        if 3968 <= number <= 4094:
            raise RefusedError(f"ERROR: VLAN {number} is reserved for internal use")
        key = f"vlan {number}"
        if change.negate and number != 1:
            change.parent.children.pop(key, None)
        elif not change.negate:
            fresh = Node(key, change.command, {"list": str(number)})
            entered.append(change.parent.children.setdefault(key, fresh))
    return entered


def bridge_priority(change: Change) -> list[Node]:
    """VLANs of one priority stand in one line; a VLAN has one priority."""
    typed = set(numbers(change.values["list"], 1, 4094))
    by_value = {node.values["n"]: set(numbers(node.values["list"], 1, 4094)) - typed
                for node in list(change.parent.begin("spanning-tree priority"))}  # fmt: skip
    if not change.negate:
        value = change.values["n"]
        by_value[value] = by_value.get(value, set()) | typed
    for value, vlans in by_value.items():
        change.parent.children.pop(f"spanning-tree priority {value}", None)
        if vlans:
            values = {"list": ranges(sorted(vlans)), "n": value}
            line = f"spanning-tree vlan {values['list']} priority {value}"
            change.parent.children[f"spanning-tree priority {value}"] = Node(line, change.command, values)
    return []


def back_to_default(change: Change) -> list[Node]:
    """`default` before a line of a block: neither said nor denied there any more."""
    change.parent.children.pop(change.setting.removeprefix("default "), None)
    return []


def neighbor_remote_as(change: Change) -> list[Node]:
    """The one-line form is the block with `remote-as` inside it."""
    if change.negate:
        change.drop()
        return []
    block = change.store(change.setting)
    row = next(r for r in table().rows["bgp-nei"] if r.text.startswith("remote-as"))
    words = change.found.match.words
    line = " ".join(words[words.index("remote-as") :])
    block.children["remote-as"] = Node(line, row, {k: v for k, v in change.values.items() if k in ("asn", "map")})
    return [block]


EFFECTS: dict[str, Callable[[Change], list[Node]]] = {**scheduler.EFFECTS, **maintenance.EFFECTS, **ports.EFFECTS}
EFFECTS |= credentials.EFFECTS
EFFECTS |= {
    effect.__name__: effect
    for effect in (
        hostname, feature, overlay, breakout, tacacs_host, banner, class_map, match_list, class_in_place,
        vlan, bridge_priority, back_to_default, neighbor_remote_as,
    )
}  # fmt: skip
"""Name in the command table to function."""
