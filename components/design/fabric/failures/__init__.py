"""What fails when: every single loss of a plan, and what is left of it. Shares are of what the plan had, 0 to 1."""

from collections import defaultdict
from dataclasses import dataclass, field

from podwright.components.design.fabric.failures.losses import Loss, losses
from podwright.components.design.fabric.failures.network import network
from podwright.components.design.fabric.failures.remains import Remains, Verdict
from podwright.components.design.fabric.model import FabricPlan, Link
from podwright.components.model import FabricArgs


@dataclass(frozen=True)
class Effect:
    """What one loss leaves."""

    loss: Loss
    left: Remains = field(repr=False)

    @property
    def verdict(self) -> Verdict:
        """What it means for jobs."""
        return "not checked" if self.loss.unknown and self.left.verdict != "fatal" else self.left.verdict

    @property
    def why(self) -> str:
        """The verdict's reason in a sentence."""
        if self.verdict == "not checked":
            return self.loss.unknown
        return "; ".join(each for each in (self.left.why, self.loss.unknown) if each)


def effects(args: FabricArgs, plan: FabricPlan) -> tuple[Effect, ...]:
    """Every single loss with what it leaves, large things first."""
    before = network(plan)
    ends: dict[str, list[Link]] = defaultdict(list)
    for link in plan.links:
        ends[link.device].append(link)
        ends[link.peer].append(link)
    known: dict[tuple[frozenset[str], frozenset[Link]], Remains] = {}
    found = []
    for loss in losses(args, plan):
        key = (loss.devices, loss.links)
        if key not in known:
            lost = loss.links
            if loss.devices:
                lost = lost.union(*(ends[name] for name in loss.devices if name in ends))
            known[key] = Remains(before, loss.devices, lost)
        found.append(Effect(loss, known[key]))
    return tuple(found)
