"""Where members of a training job meet, if not at member 0."""

from typing import Final

from podwright.components.model.types import Name, Spec

MEETING: Final = "-rendezvous"
"""What the name of a store's objects has behind its job's."""


class RendezvousStore(Spec):
    """A small server at which members of a job meet, so that they lose the place with none of them."""

    pool: Name
    """Pool that it runs on, with 1 processor and 1 GiB, and no GPU: one for inference or plain processors, since on a
    server of a member it would go with that member."""
