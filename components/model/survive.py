"""What is defined about failures: how much of the fabric any one loss must leave."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Spec

Share = Annotated[float, Field(ge=0, le=1)]
"""Part of what there was before: 0 is nothing, 1 is all of it."""


class Survive(Spec):
    """The worst single loss that is accepted, by kind. Null: nothing is asked of it; `podwright failures` tells it."""

    spine: Share | None = None
    """Bandwidth left between the two leaves that lose most when any one spine is gone. Two equal spines: 0.5."""
    fabric_link: Share | None = None
    """The same when any one leaf-spine link, or a transceiver of one, is gone. 16 links per leaf: 0.9375."""
    leaf: Share | None = None
    """Backend bandwidth left to the server that loses most when any one leaf is gone. Jobs that use all rails end
    below 1, which no single-homed NIC reaches: one rail of eight on each leaf leaves 0.875."""
    feed: Share | None = None
    """Part of the servers on the backend that keep every rail when any one power domain is gone."""
