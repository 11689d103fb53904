"""The gates a plan passes before it reaches a switch, and the switch itself: which of them stops a text, by name.

A golden is none of them: it says that a text changed, not that it became wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import SwitchPlan
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.variants import VARIANTS
from podwright.lab.world.model import Switch, World
from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.nexus.device import Device
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable
from podwright.policies.rules.switches import SWITCH, switch
from tools import goldens
from tools.generated import ROOT

REFUSED: Final = "the switch refuses the line"
_RELEASE: Final = "10.5(3)"
REFUSALS: Final = ("%", "ERROR", "Invalid", "command failed")
"""Marks of an answer to a line that was not taken."""


def config(text: str) -> dict[str, str]:
    """A device text as a plan holds it: top-level lines, and what stands below each."""
    found: dict[str, list[str]] = {}
    header = ""
    for line in text.splitlines():
        if line.startswith(" "):
            found[header].append(line.removeprefix("  "))
        else:
            header = line
            found.setdefault(header, [])
    return {header: "\n".join(below) for header, below in found.items()}


@dataclass(eq=False)
class Example:
    """One example's switches, and what its gates say of them unchanged."""

    name: str
    switches: Sequence[SwitchPlan]
    _refused: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Text of each switch."""
        return {each.hostname: each.text() for each in self.switches}

    @cached_property
    def devices(self) -> dict[str, Device]:
        """Each switch as its plan would have it behave."""
        return {each.hostname: planned(each, each.config) for each in self.switches}

    @cached_property
    def known(self) -> frozenset[tuple[str, str]]:
        """Rule and sentence of what is found in the unchanged plan; an example may break rules on purpose."""
        return frozenset(findings(list(self.devices.values())))

    def gate(self, changed: Mapping[str, str]) -> str | None:
        """The first gate that stops these texts, the other switches being unchanged; None where none does."""
        return self.policy(changed) or self.device(changed)

    def policy(self, changed: Mapping[str, str]) -> str | None:
        """The rule of the policy pack that speaks of the plan."""
        own = {each.hostname: each for each in self.switches}
        devices = self.devices | {name: planned(own[name], config(text)) for name, text in changed.items()}
        return next((rule for rule, words in findings(list(devices.values())) if (rule, words) not in self.known), None)

    def device(self, changed: Mapping[str, str]) -> str | None:
        """Whether a switch does not take a line; of several that changed the first of each role is asked."""
        models = {each.hostname: each.model for each in self.switches}
        first = {each.role: each.hostname for each in reversed(self.switches) if each.hostname in changed}
        for name in first.values():
            text = changed[name]
            if name not in self._refused:
                self._refused[name] = frozenset(_refusals(models[name], self.texts[name]))
            if any(line not in self._refused[name] for line in _refusals(models[name], text)):
                return REFUSED
        return None


def planned(each: SwitchPlan, lines: Mapping[str, str]) -> Device:
    """A switch with these lines, as a rule of the policy pack is given it."""
    links = {
        port: {"device": end.device, "port": end.port, "role": end.role} for port, end in each.links.items()
    }  # as the layer gives it to the engine
    props = {
        "hostname": each.hostname,
        "role": each.role,
        "management": str(each.management),
        "config": dict(lines),
        "links": links,
        "lossless": dict(each.lossless) if each.lossless else None,
    }
    return switch(Resource(SWITCH, each.hostname, "", {"spec": props}))


def findings(devices: Sequence[Device]) -> Iterator[tuple[str, str]]:
    """Rule and sentence of everything that the rules about switches find."""
    for rule in NEXUS:
        for group in [[each] for each in devices] if rule.alone else [devices]:
            try:
                yield from [(rule.id, flaw.message) for flaw in rule.judge(group)]
            except NotApplicable:
                continue


def _refusals(model: str, text: str) -> Iterator[str]:
    """Lines that a fresh switch of this model does not take, whatever form its ports have when nobody configured them.

    The form is written before the line: a line that only switches of one form refuse is refused.
    """
    racked = Switch("mutant", model, "FDO00000001", _RELEASE, "192.0.2.11")
    for form in VARIANTS["ports"].forms:
        world = World.load(ROOT / "lab/worlds/lab.yaml", variants={"ports": form})
        session = Session(build(world, racked, "admin", "none", "192.0.2.1"), quiet=True)
        session.run("configure terminal")
        for line in text.splitlines():
            if any(mark in session.run(line) for mark in REFUSALS):
                yield f"{form}: {line}"


def examples() -> list[Example]:
    """Every example of the project."""
    return [example(name) for name in goldens.examples()]


def example(name: str) -> Example:
    """One example of the project."""
    return Example(name, fabric.plan(model.load(goldens.stack_file(name)).network).switches)
