"""What keeps a lossless class lossless while a configuration turns into another: make before break.

The policies in force pause what either side pauses and mark what either side marks until every packet is classified
anew; only then the old classes go. (QoS configuration guide, 10.x: "Configuring Priority Flow Control", "Configuring
Queuing and Scheduling", "Configuring Classification".)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, Line, listed, members

NETWORK_QOS: Final = "policy-map type network-qos "
QUEUING: Final = "policy-map type queuing "
QOS: Final = "policy-map type qos "
_PROTECTS: Final = {NETWORK_QOS: re.compile(r"^pause .*?pfc-cos (\d)"), QUEUING: re.compile(r"^random-detect .*\becn$")}
"""The line of a class by which a policy of this type protects its traffic."""
_ATTACHED: Final = {
    NETWORK_QOS: "service-policy type network-qos ",
    QUEUING: "service-policy type queuing output ",
}
_DEFAULT: Final = "class class-default"
_MATCH: Final = re.compile(r"^(match \S+) ([\d,-]+)$")
_MTU: Final = "mtu "
"""The largest packet that a class of network-qos takes."""
_SHARE: Final = re.compile(r"^bandwidth (?:remaining )?percent (\d+)$")


def staged(live: Mapping[str, Block], want: Mapping[str, Block]) -> dict[str, Block]:
    """The wanted network-qos and queuing policies with the protection that is in force now added to them.

    Only policies that lack some of it are named.
    """
    found: dict[str, Block] = {}
    for kind, protects in _PROTECTS.items():
        for name in want:
            if not name.startswith(kind) or _of_ingress(want[name]):
                continue
            now = live.get(name, live.get(_in_force(live, kind), ()))
            both = _with_protection(want[name], now, protects)
            if both != want[name]:
                found[name] = both
    return found


def _of_ingress(block: Block) -> bool:
    """A queuing policy of ingress buffers: it marks nothing, and egress queues are refused in it."""
    return any(line.text.startswith("class type queuing c-in") for line in block)


def _in_force(config: Mapping[str, Block], kind: str) -> str:
    """The policy of a type that `system qos` attaches."""
    attached = _ATTACHED[kind]
    lines = (line.text for line in config.get("system qos", ()))
    return kind + next((text.removeprefix(attached) for text in lines if text.startswith(attached)), "")


def _with_protection(want: Block, now: Block, protects: re.Pattern[str]) -> Block:
    classes = {line.text: line for line in want}
    taken = {found.groups() for line in want if (found := _protection(line, protects)) and found.groups()}
    for old in now:
        found = _protection(old, protects)
        new = classes.get(old.text, Line(old.text))
        # One priority cannot belong to two classes: then the old class has to go when the new one comes.
        if found is None or _protection(new, protects) or found.groups() in taken:
            continue
        protection = tuple(line for line in old.children if line.text == found.string)
        if not any(line.text.startswith(_MTU) for line in new.children):
            # Without one it has 1500: packets that are still classified into it would be dropped.
            protection = (*(line for line in old.children if line.text.startswith(_MTU)), *protection)
        classes[old.text] = Line(new.text, (*new.children, *protection))
    return tuple(classes.values())


def _protection(line: Line, protects: re.Pattern[str]) -> re.Match[str] | None:
    return next((found for below in line.children if (found := protects.match(below.text))), None)


def no_drop(config: Mapping[str, Block]) -> frozenset[str]:
    """The qos-groups that the network-qos policy in force pauses."""
    policy = config.get(_in_force(config, NETWORK_QOS), ())
    return frozenset(
        line.text.rpartition("q")[2] for line in policy if _protection(line, _PROTECTS[NETWORK_QOS]) is not None
    )


def matches(now: Block, want: Block) -> tuple[str, ...]:
    """The lines that turn one class-map into another: values are added before others are taken away.

    Those that stand are named again: a switch may add what is typed to them, or put it in their place.
    """
    have, need = _values(now), _values(want)
    added = [f"{match} {listed(values)}" for match, values in need.items() if values - have.get(match, set())]
    gone = [
        f"no {match} {listed(values - need.get(match, set()))}"
        for match, values in have.items()
        if values - need.get(match, set())
    ]
    texts = [line.text for line in now if not _MATCH.match(line.text)]
    wanted = [line.text for line in want if not _MATCH.match(line.text)]
    added += [text for text in wanted if text not in texts]
    gone += [f"no {text}" for text in texts if text not in wanted and not _replaced(text, wanted)]
    return (*added, *gone)


def _replaced(text: str, wanted: Collection[str]) -> bool:
    return text.startswith("description ") and any(line.startswith("description ") for line in wanted)


def _values(block: Block) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for line in block:
        if hit := _MATCH.match(line.text):
            found.setdefault(hit[1], set()).update(members(hit[2]))
    return found


def shrinking_first(now: Block, want: Block, lines: Iterable[str]) -> tuple[str, ...]:
    """Lines of a queuing policy, classes that give bandwidth up before those that take it: the sum may not pass 100."""
    groups: list[list[str]] = []
    for line in lines:
        if line.startswith(("class ", "no class ")) or not groups:
            groups.append([])
        groups[-1].append(line)
    before, after = _shares(now), _shares(want)

    def growth(group: list[str]) -> int:
        name = group[0].removeprefix("no ")
        return after.get(name, 0) - before.get(name, 0)

    return tuple(line for group in sorted(groups, key=growth) for line in group)


def _shares(block: Block) -> dict[str, int]:
    return {
        line.text: int(found[1]) for line in block for below in line.children if (found := _SHARE.match(below.text))
    }


def classes(
    now: Block, want: Block, lossless: Collection[str], change: Callable[[Block, Block], tuple[str, ...]]
) -> Iterator[str]:
    """The lines that turn one classification policy into another, in which the first class that matches decides.

    New classes are entered in their place, classes out of place are taken out and entered again, but never a lossless
    one if another will do, and what is gone is taken away last. `change` gives the lines inside the classes that stay.
    """
    existing = {line.text: line for line in now if line.text.startswith("class ")}
    entries = [line for line in want if line.text.startswith("class ")]
    wanted = [entry.text for entry in entries]
    stays = _staying(list(existing), wanted, [name for name, line in existing.items() if _group(line) in lossless])
    yield from (f"no {name}" for name in existing if name in wanted and name not in stays)
    settled = max((at for at, name in enumerate(wanted) if name in stays), default=-1)
    for at in reversed(range(settled)):
        if wanted[at] not in stays:
            yield from _entered(entries[at], wanted[at + 1])
    last = _DEFAULT if _DEFAULT in existing and _DEFAULT not in wanted else ""
    for entry in entries[settled + 1 :]:
        yield from _entered(entry, last)
    yield from change(_restricted(now, stays), _restricted(want, stays))
    yield from (f"no {name}" for name in existing if name not in wanted)


def _entered(entry: Line, behind: str) -> Iterator[str]:
    yield f"{entry.text} insert-before {behind.removeprefix('class ')}" if behind else entry.text
    yield from (line.text for line in entry.children)
    if entry.children:
        yield "exit"


def _restricted(block: Block, stays: Collection[str]) -> Block:
    return tuple(line for line in block if line.text in stays or not line.text.startswith("class "))


def _group(entry: Line) -> str:
    return next((line.text.split()[-1] for line in entry.children if line.text.startswith("set qos-group ")), "")


def _staying(existing: list[str], wanted: list[str], lossless: Collection[str]) -> frozenset[str]:
    """The classes of `held` that can stay where they are: the heaviest subsequence, lossless classes above all."""

    def rank(chain: tuple[int, tuple[str, ...]]) -> tuple[int, tuple[int, ...]]:
        return chain[0], tuple(-wanted.index(name) for name in chain[1])

    best: list[tuple[int, tuple[str, ...]]] = []
    order = [name for name in existing if name in wanted]
    for at, name in enumerate(order):
        weight = len(order) if name in lossless else 1
        chains = [best[b] for b in range(at) if wanted.index(order[b]) < wanted.index(name)]
        longest = max(chains, default=(0, ()), key=rank)
        best.append((longest[0] + weight, (*longest[1], name)))
    return frozenset(max(best, default=(0, ()), key=rank)[1])
