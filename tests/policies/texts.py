"""Switches of the policy cases as texts: one whole text per role, every other one as a change of it.

A text has what a plan says of the switch, a line each (`hostname`, `role`, `link PORT DEVICE PORT ROLE` …; of a found
one perhaps `part of a switch`), a `!`, and the configuration as the device shows it. A change names a block (`@@
interface Ethernet1/1`, deeper ones with ` > `), lines to remove with all below them (`-`), lines to add (`+`: after the
line named before, else last in the block) and lines that stay and only give the place (a blank). What it names has to
be there exactly once.

Resources that are no switches are bases too: a change of one is a map from paths inside its properties to values.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml


@dataclass
class Block:
    """A line and the lines below it."""

    line: str
    below: list[Block] = field(default_factory=list)

    def place(self, line: str) -> int:
        """Index of the one line below that reads so."""
        found = [at for at, each in enumerate(self.below) if each.line == line.strip()]
        if len(found) != 1:
            raise ValueError(f"`{line.strip()}` stands {len(found)} times below `{self.line}`, not once")
        return found[0]

    def lines(self, depth: int = 0) -> list[str]:
        """What stands below, indented as a device does it."""
        return [line for each in self.below for line in ("  " * depth + each.line, *each.lines(depth + 1))]


def parse(lines: list[str], name: str = "the text") -> Block:
    """The tree that the indentation shows."""
    root = Block(name)
    path = [root]
    for line in lines:
        depth = (len(line) - len(line.lstrip(" "))) // 2
        if depth >= len(path):
            raise ValueError(f"`{line}` is indented deeper than below `{path[-1].line}`")
        path = [*path[: depth + 1], Block(line.strip())]
        path[-2].below.append(path[-1])
    return root


def changed(text: str, change: str) -> str:
    """The text with a change made; ValueError where a line is not there, or more than once."""
    root = parse(text.splitlines())
    block, at = root, len(root.below)
    added: list[str] = []
    for line in [*change.splitlines(), "@@"]:
        if line.startswith("+"):
            added.append(line[1:])
            continue
        _add(block, at, added)
        added = []
        if line.startswith("@@"):
            block = root
            for step in filter(None, line[2:].strip().split(" > ")):
                block = block.below[block.place(step)]
            at = len(block.below)
        else:
            at = block.place(line[1:])
            if line.startswith("-"):
                del block.below[at]
            else:
                at += 1
    return "\n".join(root.lines()) + "\n"


def _add(block: Block, at: int, lines: list[str]) -> None:
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)
    block.below[at:at] = parse([line[indent:] for line in lines], block.line).below


def resource(text: str) -> dict[str, Any]:
    """What the engine hands to a rule for a switch with this text."""
    facts, _, below = text.partition("!\n")
    spec: dict[str, Any] = {}
    links: dict[str, dict[str, str]] = {}
    for fact in facts.splitlines():
        name, value = fact.split(" ", 1)
        if name == "link":
            port, device, there, role = value.split()
            links[port] = {"device": device, "port": there, "role": role}
        elif name == "lossless":
            spec[name] = yaml.safe_load(value)
        else:
            spec[name] = value
    config = {each.line: "\n".join(each.lines()) for each in parse(below.splitlines()).below}
    spec |= {"links": links, "config": config}
    return {"type": "podwright:nxos:Switch", "name": spec["hostname"], "props": {"spec": spec}}


def altered(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A resource that is no switch with values changed, by path inside its properties (`spec.policies.0.name`).

    `name` renames the resource, a value of null removes what the path names; KeyError where its owner is not there.
    """
    made: dict[str, Any] = copy.deepcopy(dict(base))
    for path, value in change.items():
        if path == "name":
            made["name"] = value
            continue
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        owner = made["props"]
        for step in steps:
            owner = owner[step]
        if value is None:
            del owner[last]
        elif isinstance(owner, list) and last == len(owner):
            owner.append(value)
        else:
            owner[last] = value
    return made


def expand(cases: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """The cases of a rule with every resource as the engine hands it over; ValueError where a base is not used."""
    bases = {**shared, **cases.get("bases", {})}
    used: set[str] = set()

    def text(name: str) -> str:
        used.add(name)
        base = bases[name]
        if isinstance(base, str):
            return base
        ((other, change),) = base.items()
        return changed(text(other), change)

    def one(entry: Any) -> dict[str, Any]:
        if isinstance(entry, str) and isinstance(bases[entry], Mapping) and "type" in bases[entry]:
            used.add(entry)
            return dict(bases[entry])
        if isinstance(entry, str):
            return resource(text(entry))
        if "type" in entry:
            return dict(entry)
        ((name, change),) = entry.items()
        if isinstance(bases.get(name), Mapping) and "type" in bases[name]:
            used.add(name)
            return altered(bases[name], change)
        return resource(change if name == "switch" else changed(text(name), change))

    found: dict[str, Any] = {
        kind: [[one(each) for each in case] for case in cases[kind]] for kind in ("passes", "does_not_apply")
    }
    for kind in ("fails", "shown", "found", "unknown"):
        found[kind] = [{**case, "resources": [one(each) for each in case["resources"]]} for case in cases.get(kind, ())]
    if unused := set(cases.get("bases", {})) - used:
        raise ValueError(f"no case uses {', '.join(sorted(unused))}")
    return found
