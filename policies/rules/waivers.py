"""Waivers: findings that a site accepts for a while, and what is found about waivers themselves.

The stack file defines them; the program hands them to the pack in the inputs of its `AiCluster`, which is registered
before everything inside it. A waiver changes how a finding is reported, never whether it is looked for.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from .rule import RuleText

CLUSTER: Final = "podwright:index:AiCluster"
"""Type of the resource whose inputs carry a stack file's waivers."""
SOON: Final = 14
"""Days before its end in which a waiver is a finding."""
_HOW: Final = "docs/how-to/waive-a-finding.md"

ENDS = RuleText(
    id="waivers-have-time-left",
    title="A waiver ends no sooner than in two weeks",
    why="On the day after its end the finding stops previews again, perhaps in a change that cannot wait.",
    fix="Mend what it is for, or agree on a later until with its owner; a waiver that has ended is deleted.",
    reference=f"{_HOW}#when-a-waiver-ends",
    severity="low",
    mandatory=False,
)
IDLE = RuleText(
    id="waivers-match-a-finding",
    title="A waiver is for something that a rule finds",
    why="One that nothing needs hides the next finding of that rule and resource, which nobody has looked at.",
    fix="Delete it, or correct the names of its rule and its resource.",
    reference=f"{_HOW}#a-waiver-that-nothing-needs",
    severity="low",
    mandatory=False,
)
WAIVERS: Final = (ENDS, IDLE)
"""Rules about waivers: the pack and `podwright check` find what they are for, not a function of resources."""


@dataclass(frozen=True)
class Waiver:
    """One finding that is accepted until a day."""

    rule: str
    resource: str
    """Name of a resource; `*` stands for any characters."""
    reason: str
    owner: str
    until: date
    """The last day on which it holds."""

    def covers(self, rule: str, resource: str) -> bool:
        """Whether it is for a finding of this rule on the resource of this name."""
        pattern = ".*".join(map(re.escape, self.resource.split("*")))
        return rule == self.rule and re.fullmatch(pattern, resource) is not None

    def ended(self, today: date) -> bool:
        """Whether it holds no longer."""
        return today > self.until

    @property
    def subject(self) -> str:
        """Rule and resource, as sentences name them."""
        return f"{self.rule} on {self.resource}"

    def ending(self, today: date) -> str:
        """A sentence where it has ended or ends soon; empty where it has time left."""
        left = (self.until - today).days
        if left < 0:
            return f"the waiver of {self.subject} ended on {self.until} (owner: {self.owner})"
        if left > SOON:
            return ""
        when = "today" if left == 0 else f"in {left} day{'s' * (left > 1)}, on {self.until}"
        return f"the waiver of {self.subject} ends {when} (owner: {self.owner})"

    def idle(self) -> str:
        """What is reported where no finding is of its rule and resource."""
        return f"no finding is of {self.subject}: the waiver of {self.owner} is for nothing"

    def on_finding(self, today: date, *, allowed: bool) -> str:
        """What a finding says of it; `allowed` is False for a rule that cannot be waived."""
        if not allowed:
            return f"waiver: of no effect: a critical rule cannot be waived (owner: {self.owner})"
        if self.ended(today):
            return f"waiver: ended on {self.until}; its reason was: {self.reason} (owner: {self.owner})"
        return f"waived: until {self.until}: {self.reason} (owner: {self.owner})"


def waivable(rule: RuleText) -> bool:
    """Whether a rule can be waived.

    Not a critical one: what it finds loses data, breaks the fabric for everybody or makes two devices one, so there is
    no state of the site in which it is acceptable. A rule that is wrong for a site is switched off for the whole pack,
    by Pulumi's own policy configuration, where everybody sees it.
    """
    return rule.severity != "critical"


def verdict(waiver: Waiver | None, rule: RuleText, today: date) -> tuple[bool, str]:
    """Whether a waiver keeps a finding of a rule from stopping anything, and what the finding says of it; empty where
    there is no waiver."""
    if waiver is None:
        return False, ""
    allowed = waivable(rule)
    return allowed and not waiver.ended(today), waiver.on_finding(today, allowed=allowed)


def given(about: Any) -> tuple[Waiver, ...]:
    """Waivers in the inputs of an `AiCluster`; none where it has none."""
    listed = about.get("waivers") if isinstance(about, Mapping) else None
    return tuple(Waiver(**{**each, "until": date.fromisoformat(each["until"])}) for each in listed or ())


def choose(waivers: Iterable[Waiver], rule: str, resource: str) -> Waiver | None:
    """The waiver for a finding; of several the one that holds longest."""
    covering = [each for each in waivers if each.covers(rule, resource)]
    return max(covering, key=lambda each: each.until, default=None)
