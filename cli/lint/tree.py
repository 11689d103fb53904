"""Lines into blocks: by indentation, and by meaning where a person typed or pasted without any."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from podwright.cli.lint.text import Raw
from podwright.policies.rules.nexus.lines import Line
from podwright.policies.rules.nexus.spelling import child, free_text, known, top

_OPENS: Final = re.compile(
    r"^(interface |policy-map |class-map |system qos$|vpc domain |router |port-profile |vlan |vrf context "
    r"|control-plane$|line |ip access-list |route-map |switch-profile )"
)
"""Top-level commands that open a mode of their own."""
_CLASS: Final = re.compile(r"^(class |address-family |neighbor |vrf |template )")
"""Commands that open a mode inside a mode."""
_WRAPPED: Final = re.compile(r"^(random-detect|pause buffer-size|username|snmp-server|service-policy|peer-keepalive) ")
"""Lines without a mode of their own that are long enough to be broken."""
_EXIT: Final = "exit"
_UNWRAPPED: Final = ("switch-profile ",)
"""Blocks whose own lines are top-level lines of the switch."""


@dataclass
class _Node:
    raw: Raw
    children: list["_Node"] = field(default_factory=list)


def tree(lines: Sequence[Raw]) -> tuple[Line, ...]:
    """The configuration as a tree. A line that fits nowhere stands where its indentation puts it."""
    nodes = _flat(lines) if _is_flat(lines) else _indented(lines)
    return tuple(_line(node, below=False) for node in _unwrap(nodes))


def _unwrap(nodes: list[_Node]) -> list[_Node]:
    found: list[_Node] = []
    for node in nodes:
        inside = node.raw.text.lower().startswith(_UNWRAPPED)
        found += node.children if inside else [node]
    return found


def _line(node: _Node, *, below: bool) -> Line:
    raw = node.raw
    wrapped = [each for each in node.children if _continues(node, each)]
    text = " ".join([raw.text, *(each.raw.text for each in wrapped)])
    children = tuple(_line(each, below=True) for each in node.children if each not in wrapped)
    return Line(text, raw.number, raw.column, children, below)


def _continues(node: _Node, child: _Node) -> bool:
    """A terminal or a page broke the line: its rest stands below it and begins with no command."""
    return bool(_WRAPPED.match(node.raw.text)) and not child.children and not known(child.raw.text, below=True)


def _indented(lines: Sequence[Raw]) -> list[_Node]:
    roots: list[_Node] = []
    above: list[_Node] = []
    for raw in (each for each in lines if each.text.lower() != _EXIT):
        node = _Node(raw)
        while above and above[-1].raw.indent >= raw.indent:
            above.pop()
        (above[-1].children if above else roots).append(node)
        above.append(node)
    return roots


def _is_flat(lines: Sequence[Raw]) -> bool:
    """Nothing below any line that opens a mode is indented, and something there belongs to one."""
    openers = [at for at, raw in enumerate(lines[:-1]) if _OPENS.match(top(raw.text))]
    if any(lines[at + 1].indent > lines[at].indent for at in openers):
        return False
    return any(_inside(lines[at + 1].text) for at in openers)


def _inside(text: str) -> bool:
    return not _OPENS.match(top(text)) and known(text, below=True) and (free_text(text) or not _whole(text))


def _whole(text: str) -> bool:
    """A command that the switch takes at its top level, whatever mode it was typed in."""
    words = top(text).split()
    return known(text, below=False) and words[0] not in ("no", "ip", "priority-flow-control", "spanning-tree", "lacp")


def _flat(lines: Sequence[Raw]) -> list[_Node]:
    """Each line goes to the innermost open mode that knows it, as it would when typed."""
    roots: list[_Node] = []
    mode: _Node | None = None
    inner: _Node | None = None
    for raw in lines:
        node = _Node(raw)
        if raw.text.lower() == _EXIT:
            mode, inner = (mode, None) if inner is not None else (None, None)
        elif _OPENS.match(top(raw.text)) and (mode is None or not _of_mode(raw.text)):
            roots.append(node)
            mode, inner = node, None
        elif mode is not None and (_of_mode(raw.text) or _inside(raw.text) or not known(raw.text, below=False)):
            if _CLASS.match(child(raw.text)) and not _nested(mode, inner, raw.text):
                mode.children.append(node)
                inner = node
            else:
                (inner or mode).children.append(node)
        else:
            roots.append(node)
            mode, inner = None, None
    return roots


def _of_mode(text: str) -> bool:
    """A word that an open mode knows whole is none that the top level only completes: `class A` is no class-map."""
    first = text.split(maxsplit=1)[0].lower()
    return known(first, below=True) and child(first) == first != top(first) and not text.startswith("vrf context")


def _nested(mode: _Node, inner: _Node | None, text: str) -> bool:
    """An address family belongs to the neighbour typed before it."""
    if inner is None or not top(mode.raw.text).startswith("router "):
        return False
    return child(text).startswith("address-family") and child(inner.raw.text).startswith(
        ("neighbor", "vrf", "template")
    )
