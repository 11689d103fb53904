"""Findings of the policy pack that a site accepts for a while: which, for what, why, who answers for it, until when."""

from datetime import date
from typing import Annotated

from pydantic import StringConstraints

from podwright.components.model.types import Spec, Words

RuleName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z]+(-[a-z0-9]+)+$"),
    Words("the name of one rule of docs/reference/policies.md, such as fabric-pfc-watchdog"),
]
"""Name of a rule of the policy pack, in full: a pattern would also waive rules that a later release adds."""

ResourcePattern = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._*-]{0,252}$"),
    Words("the name of a resource as a preview prints it, such as prod-leaf-01; a * in it stands for any characters"),
]
"""Name of a resource of a preview; `*` stands for any characters, none included."""

Sentence = Annotated[
    str,
    StringConstraints(pattern=r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]{0,238}[^\s\x00-\x1f\x7f])$"),
    Words("one line of 2 to 240 characters"),
]
"""One line for people; previews and reports print it."""


class Waiver(Spec):
    """One finding that is accepted: it stays in every preview, as advice, and stops none until the waiver ends."""

    rule: RuleName
    """The rule, by its name. Critical rules cannot be waived."""
    resource: ResourcePattern
    """The resource that the finding is about, as a preview prints it: the cluster's name, a hyphen and the name of what
    it stands for, such as `prod-leaf-01`. `*` stands for any characters: `prod-leaf-*`."""
    reason: Sentence
    """Why the finding is accepted. Printed with it."""
    owner: Sentence
    """Who answers for it: a team or a role, never a secret. Printed with it."""
    until: date
    """Last day on which it holds, by UTC. From the next day on the finding stops previews again."""
