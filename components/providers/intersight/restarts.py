"""Whether a server may have to restart for a change, by the plan: Intersight's own word is compared with it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

Spec = Mapping[str, Any]
DIGEST = "restart_digest"
"""Key of a profile's spec that stands for what takes effect with a restart only."""


class Restart(Enum):
    """What becomes of a restart that a deployment needs."""

    NOW = "now"
    """It is part of the deployment, as far as that is approved."""
    WAITS = "waits"
    """It was planned, and waits for the installation or the pool's roll-out."""
    UNPLANNED = "unplanned"
    """There is none by the plan: one that is needed stops the deployment."""


def reached(spec: Spec, state: Spec) -> dict[str, str]:
    """The digest that the last deployment to end well had; none where there was no such deployment."""
    return {DIGEST: state[DIGEST]} if DIGEST in spec and DIGEST in state else {}


def planned(spec: Spec, before: Spec, state: Spec) -> Restart:
    """By the spec, what it was before or is live, and what the last deployment to end well had.

    A new profile or machine, and what a refresh found pending, may need a restart whatever the digests are.
    """
    if spec["action"] == "deploy":
        return Restart.NOW
    known = bool(before) and DIGEST in spec and DIGEST in state
    same = known and all(
        each.get(key) == spec.get(key)
        for each, key in ((state, DIGEST), (before, "serial"), (before, "action"), (before, "server_family"))
    )
    return Restart.UNPLANNED if same else Restart.WAITS
