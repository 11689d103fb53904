"""Every mutant with the gate that stops it, or the reason why none has to."""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from podwright.components import model
from podwright.components.design.fabric import FabricPlan, SwitchPlan
from podwright.components.model import Cluster
from tools import goldens
from tools.mutants import gates, sites, tokens

BROKEN: Final = "the plan does not render"
SEVERAL: Final = "several"
_ROUTER: Final = "the port faces a router of the site, whose own MTU is in no plan"
_UNUSED: Final = "nothing is cabled to the port, and it is shut or as it was shipped"
HARMLESS: Final = (
    # What was changed, behind its example and switch or its place in the code, and why nobody has to stop it.
    (re.compile(r"drop: bandwidth remaining percent 0$"), "a share of 0 is the default"),
    (re.compile(r"drop: class type queuing c-out-8q-q[12456]$"), "its share falls to the queue above, which has 0 too"),
    (re.compile(r"to: +class type queuing c-out-8q-q[2456]$"), "a share of 0 said twice, and one of 0 not said"),
    (re.compile(r"set qos-group 0\b"), "group 0 is where packets are that nobody moves"),
    (re.compile(r"mtu \d+ \(faces a router\)$"), _ROUTER),
    (re.compile(r"plan\._spelled_out: 'no switchport'$"), "a routed port's own line comes behind it and wins"),
    (re.compile(r"^\S+ vpc\._routed: (f'mtu |\*\(qos\.port)"), _ROUTER),
    (re.compile(r"^baseline \S+ \[interface Ethernet\S+\] drop: no switchport$"), _UNUSED),
    (re.compile(r"hardening\.unused\b"), _UNUSED),
    (
        re.compile(r"^top-of-rack (\S+ \[interface Ethernet\S+\] drop: priority-flow-control mode off$"
                   r"|qos\.(port|flow_control): .*(flow_control|priority-flow-control mode))"),
        "this example switches PFC off, and the rule speaks of every port with the line and without",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """One mutant and what became of it."""

    origin: str
    """`text` or `code`."""
    kind: str
    """QoS, MTU, VLAN, BFD; several where one place writes more than one."""
    what: str
    gates: tuple[str, ...]
    """What stops it, in each of the examples it changes; empty where nothing does."""
    reason: str = ""
    """Why nothing has to."""

    @property
    def survives(self) -> bool:
        """Nothing stops it, and no reason is known why it should not be."""
        return not self.gates and not self.reason


def texts() -> Iterator[Verdict]:
    """Mutants of the device texts: of each example one switch of each role, of lines that look alike the first."""
    seen: set[tuple[str, str]] = set()
    for example in gates.examples():
        for switch in {each.role: each for each in reversed(example.switches)}.values():
            found = list(tokens.mutants(example.texts[switch.hostname]))
            for mutant in found:
                if (switch.role, mutant.shape) not in seen:
                    what = f"{example.name} {switch.hostname} {mutant.what}{_router(switch, mutant.what)}"
                    yield _verdict("text", mutant.kind, what, [example.gate({switch.hostname: mutant.text})], [what])
            seen |= {(switch.role, mutant.shape) for mutant in found}


def _router(switch: SwitchPlan, what: str) -> str:
    """A mark behind what happened to the port of a cable that leaves the cluster."""
    port = re.match(r"\[interface (\S+)\]", what)
    end = switch.links.get(port[1]) if port is not None else None
    return " (faces a router)" if end is not None and end.role == "uplink" else ""


def code() -> Iterator[Verdict]:
    """Mutants of the code that writes the texts: of changes that look alike in several examples one is judged."""
    known = [(each, model.load(goldens.stack_file(each.name))) for each in gates.examples() if each.name != _LARGE]
    for site in sites.sites():
        try:
            with sites.without(site):
                changed = {each: _changed(each, cluster) for each, cluster in known}
        except Exception:  # noqa: BLE001 - whatever a module without one of its parts may do
            yield Verdict("code", SEVERAL, site.name, (BROKEN,))
            continue
        seen: set[object] = set()
        found: list[str | None] = []
        names: list[str] = []
        about: set[str] = set()
        for example, cluster in known:
            alike, kinds = _alike(example, changed[example], cluster)
            if kinds and alike not in seen:
                seen.add(alike)
                about |= kinds
                found.append(example.gate(changed[example]))
                names.append(f"{example.name} {site.name}")
        if about:
            yield _verdict("code", about.pop() if len(about) == 1 else SEVERAL, site.name, found, names)


_LARGE: Final = "pod-128"
"""Its switches are those of the smaller examples, many times over."""


def _changed(example: gates.Example, cluster: Cluster) -> dict[str, str]:
    """Texts that the mutated code writes otherwise."""
    plan: FabricPlan = sys.modules["podwright.components.design.fabric.plan"].plan(cluster.network)
    made = {each.hostname: each.text() for each in plan.switches}
    return {name: text for name, text in made.items() if text != example.texts[name]}


def _alike(example: gates.Example, changed: Mapping[str, str], cluster: Cluster) -> tuple[object, set[str]]:
    """What a change comes to, equal where it is the same on other switches of the role, and what it is about."""
    roles: dict[str, SwitchPlan] = {each.hostname: each for each in example.switches}
    lines: set[tuple[str, str]] = set()
    about: set[str] = set()
    for name, text in changed.items():
        before, after = tokens.kinds(example.texts[name]), tokens.kinds(text)
        for place in before.keys() ^ after.keys():
            about.add(before.get(place) or after[place])
            lines.add((roles[name].role, re.sub(r"\d+", "", place[1])))
    routed = cluster.fabric.underlay if about - {"QoS", "MTU"} else None
    return (frozenset(lines), routed and type(routed).__name__, bool(cluster.fabric.tenancy)), about


def _verdict(origin: str, kind: str, what: str, found: list[str | None], names: list[str]) -> Verdict:
    """What stopped a mutant; where nothing did in some example, the reason, and no gate unless that is known."""
    left = [name for gate, name in zip(found, names, strict=True) if gate is None]
    reasons = {next((why for pattern, why in HARMLESS if pattern.search(name)), "") for name in left}
    stopping = tuple(sorted({gate for gate in found if gate}))
    if "" in reasons:
        return Verdict(origin, kind, what, ())
    return Verdict(origin, kind, what, stopping, "" if stopping else "; ".join(sorted(reasons)))
