"""DERIVED: the network. `plan(args)` is the whole of it."""

from podwright.components.design.fabric.model import End, FabricPlan, HostPort, Link, Rail, SwitchPlan, Uplink
from podwright.components.design.fabric.paths import paths
from podwright.components.design.fabric.plan import plan
from podwright.components.design.fabric.rollout import gpus, waves
from podwright.components.design.fabric.verification import verified

__all__ = [
    "End",
    "FabricPlan",
    "HostPort",
    "Link",
    "Rail",
    "SwitchPlan",
    "Uplink",
    "gpus",
    "paths",
    "plan",
    "verified",
    "waves",
]
