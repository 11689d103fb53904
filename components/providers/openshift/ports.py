"""Ports of a pool's nodes as the SR-IOV operator's daemon lists them, compared with where rails are expected.

A SriovNetworkNodeState lists every port of a node at once, by PCI address, whatever its system calls it. A policy for
an address where no port is makes nothing, and nothing reports that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Item = Mapping[str, Any]


def listed(state: Item | None) -> list[Item]:
    """Ports that a node's state shows; none before its daemon has looked."""
    return list(((state or {}).get("status") or {}).get("interfaces") or ())


def displaced(expected: Iterable[Item], states: Mapping[str, Item]) -> Iterator[str]:
    """A phrase for each rail whose port is not where it is expected, on nodes whose ports are listed; `expected` is
    `ports` of a PoolReady's spec."""
    for alike in expected:
        for node in alike["nodes"]:
            if found := listed(states.get(node)):
                yield from _of_node(node, alike, {str(each["pciAddress"]): each for each in found})


def phrase(node: str, rail: str, expected: str, why: str, others: Mapping[str, str]) -> str:
    """What is wrong with one rail of a node, and what to write; `others` are ports of no rail, with their names."""
    named = ", ".join(f"{pci} ({name})" if name else pci for pci, name in sorted(others.items()))
    if not named:
        return f"{node}, rail {rail}: expected at {expected}, {why}, and every port of its kind is another rail's"
    return (
        f"{node}, rail {rail}: expected at {expected}, {why}. Ports of no rail: {named}. If one of them is cabled as "
        f'rail {rail}, write `nics: {{{rail}: "{min(others)}"}}` in servers.{node}'
    )


def _of_node(node: str, alike: Item, found: Mapping[str, Item]) -> Iterator[str]:
    rails: Mapping[str, Mapping[str, str]] = alike["rails"]
    places = {each["pci"] for each in rails.values()}
    for rail, port in rails.items():
        kind = (alike["vendor"], port["device"])
        there = found.get(port["pci"])
        if there is not None and _kind(there) == kind:
            continue
        others = {
            pci: str(each.get("name", "")) for pci, each in found.items() if pci not in places and _kind(each) == kind
        }
        why = f"{there.get('name')} there is {':'.join(_kind(there))}" if there else "no port is there"
        yield phrase(node, rail, f"{port['pci']} as {':'.join(kind)}", why, others)


def _kind(port: Item) -> tuple[str, str]:
    return str(port.get("vendor", "")), str(port.get("deviceID", ""))
