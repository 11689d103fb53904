"""Each mutant against the lab and the lint: whether it changes what is so, and whether anybody names it."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tools.lint_mutants.facts import facts
from tools.lint_mutants.sites import Site
from tools.lint_mutants.tokens import mutants


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant."""

    site: str
    switch: str
    what: str
    kind: str
    refused: bool
    """The switch does not take the text: it stands in no running configuration."""
    effect: tuple[str, ...]
    """Facts that came (`+`) or went (`-`); none where switches forward and peer as before."""
    named: tuple[str, ...]
    """Rules that name it."""

    @property
    def survives(self) -> bool:
        """It changes what is so, and nobody names it."""
        return bool(self.effect) and not self.refused and not self.named


def verdicts(site: Site, chance: random.Random, most: int | None = None) -> Iterator[Verdict]:
    """Mutants of one switch of each role, any one; `most` of them, if given, drawn from all."""
    chosen = {role: chance.choice([name for name in site.roles if site.roles[name] == role])
              for role in sorted(set(site.roles.values()))}  # fmt: skip
    every = [(name, each) for name in chosen.values() for each in mutants(site.rack.racked[name].text, chance)]
    if most is not None and len(every) > most:
        every = chance.sample(every, most)
    before, known = facts(site.rack), site.findings({})
    rack = site.rack
    for name, mutant in every:
        device, refused = rack.devices[name], rack.refused[name]
        rack.type(name, mutant.text)
        wrong = set(rack.refused[name]) - set(refused)
        now = frozenset() if wrong else facts(rack)
        rack.put(name, device)
        rack.refused[name] = refused
        effect = () if wrong else (*(f"- {each}" for each in before - now), *(f"+ {each}" for each in now - before))
        named = {rule for rule, _ in site.findings({name: mutant.text}) - known} if effect else set()
        yield Verdict(site.name, name, mutant.what, mutant.kind, bool(wrong), effect, tuple(sorted(named)))
