"""The reference of baselines: what each release sets, found by planning the example with and without it."""

from collections.abc import Iterator, Mapping

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import SwitchPlan
from podwright.components.model.baseline import Baseline
from podwright.components.model.catalogue import BASELINES
from tools.goldens import stack_file

_HEAD = """# Baselines

Made by `python -m tools.docs` from the releases (`components/model/catalogue/baselines.py`) and an example
(`tests/examples/baseline`); do not edit.

`fabric.baseline: "{newest}"` gives every switch a set of settings after Cisco's guide to securing NX-OS; settings of
the site's own stand beside the release: [Baseline](stack.md#baseline). What a release sets never changes; without one,
nothing of it is configured. What stands on a switch already, such as a banner, is not taken over without `adopt: true`.
What each line does to what runs: [what a change does](changes.md).
"""


def page() -> str:
    """The page."""
    lines = [_HEAD.format(newest=max(BASELINES))]
    for release in BASELINES:
        lines += [f"## {release}", "", "Lines of the example's switches that they have from it, one of each role:", ""]
        for role, added in _added(release).items():
            lines += [f"**{role}**", "", "```text", *added, "```", ""]
    return "\n".join(lines)


def _added(release: str) -> Mapping[str, list[str]]:
    """By role, the lines that come with a release; alike blocks of ports once."""
    network = model.load(stack_file("baseline")).network
    chosen = network.fabric.baseline.model_copy(update={"release": release})
    given, bare = (
        {switch.role: switch for switch in reversed(fabric.plan(each).switches)}
        for each in (
            network.model_copy(update={"fabric": network.fabric.model_copy(update={"baseline": baseline})})
            for baseline in (chosen, Baseline())
        )
    )
    return {role: list(_lines(switch, bare[role])) for role, switch in sorted(given.items())}


def _lines(switch: SwitchPlan, bare: SwitchPlan) -> Iterator[str]:
    shown: set[str] = set()
    for line, children in switch.config.items():
        known = bare.config.get(line)
        below = [each for each in children.splitlines() if each not in (known or "").splitlines()]
        text = "\n".join(f"  {each}" for each in below)
        if known is not None and not below:
            continue
        if line.startswith("interface Ethernet") or line.startswith("interface port-channel"):
            if text in shown:
                continue
            shown.add(text)
            yield f"{line} (and others alike)"
        else:
            yield line
        if text:
            yield text
