"""What is defined about the order in which switches change."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.types import Name, Spec


class Rollout(Spec):
    """A change of the network goes through the switches in waves; the first wave that is worse for it is the last."""

    canary: Name | None = None
    """Hostname of the switch that changes first and alone; null: the first batch begins."""
    batch: Annotated[int, Field(ge=1, le=64)] = 8
    """Most switches that change at the same time. A wave never holds both peers of a vPC pair, nor all spines."""
    soak_seconds: Annotated[int, Field(ge=0, le=86_400)] = 300
    """Seconds from a wave to the look at its ports, BGP sessions and damaged frames that the next wave waits for."""
    drain: Literal["maintenance", "none"] = "none"
    """maintenance: spines and vPC peers are taken out of the traffic while they change. Backend leaves never are: their
    hosts have no other way."""
