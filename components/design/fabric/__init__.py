"""DERIVED: the network. `plan(cluster)` is the whole of it."""

from podwright.components.design.fabric.model import End, FabricPlan, HostPort, Link, Rail, SwitchPlan, Uplink
from podwright.components.design.fabric.plan import plan
from podwright.components.design.fabric.rollout import gpus, waves
from podwright.components.design.fabric.verification import shown

__all__ = ["End", "FabricPlan", "HostPort", "Link", "Rail", "SwitchPlan", "Uplink", "gpus", "plan", "shown", "waves"]
